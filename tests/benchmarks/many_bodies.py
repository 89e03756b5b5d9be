"""How the cost of a step grows with the number of bodies: a chain and a chain of loops, beside Exudyn and MuJoCo.

    python -m pip install ".[peers]"
    OMP_NUM_THREADS=1 python tests/benchmarks/many_bodies.py [--largest N] [--save docs/images/many_bodies.png]

Rods of 1 m and 1 kg in a plane (all three codes compute in space), from rest or at the speed of the IFToMM four-bar.
Each code takes its own steps: flexmbs with error control (rtol 1e-6) in reduced and absolute coordinates, Exudyn's
generalised-alpha with redundant coordinates and its sparse solver, MuJoCo's Euler steps (loops are soft constraints).
What is compared is the slope: exponent p of seconds per step ~ bodies^p, fitted to the sizes from 100 on.
"""

from __future__ import annotations

import argparse
import time
from math import pi

import numpy as np
from peer_systems.exudyn_many import exudyn_seconds_per_step
from peer_systems.mujoco_many import mujoco_seconds_per_step

import flexmbs as fm

T_END = 0.3
SIZES = (10, 30, 100, 300, 1000)


def chain(bodies: int, coordinates: str) -> fm.System:
    """Rods hanging in one line, released horizontally."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    rod, before = fm.RigidBody.rod(1.0, 1.0), system.ground["origin"]
    for i in range(bodies):
        part = system.add(rod, name=f"rod {i}")
        system.revolute(before, part["origin"], axis="z", angle=0.0, name=f"hinge {i}")
        before = part.marker("end", position=(1.0, 0.0, 0.0))
    return system


def loops(bodies: int, coordinates: str) -> fm.System:
    """Four-bar loops side by side, two bodies each and one more at the start (IFToMM A02)."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    rod, before = fm.RigidBody.rod(1.0, 1.0), None
    for i in range(bodies // 2 + 1):
        post = system.add(rod, name=f"post {i}")
        top = post.marker("top", position=(1.0, 0.0, 0.0))
        foot = system.ground.marker(f"foot {i}", position=(float(i), 0.0, 0.0))
        system.revolute(foot, post["origin"], axis="z", angle=0.5 * pi, rate=-1.0, name=f"foot {i}")
        if before is not None:
            bar = system.add(rod, name=f"bar {i}")
            end = bar.marker("end", position=(1.0, 0.0, 0.0))
            system.revolute(before, bar["origin"], axis="z", angle=-0.5 * pi, rate=1.0, name=f"left {i}")
            system.revolute(end, top, axis="z", angle=0.5 * pi, rate=-1.0, name=f"right {i}")
        before = top
    return system


def own_seconds_per_step(build, bodies: int, coordinates: str) -> tuple[float, float]:
    """Seconds per accepted step of the loop, and of the whole call per simulated second."""
    system = build(bodies, coordinates)
    system.simulate(1e-4)  # loads the kernels
    begin = time.perf_counter()
    result = system.simulate(T_END)
    whole = time.perf_counter() - begin
    return result.stats["solve_seconds"] / result.stats["steps_accepted"], whole / T_END


def slope(points: list[tuple[int, float]]) -> float:
    """Exponent of the cost by least squares over the sizes from 100 on (over all of them when there are too few)."""
    large = [point for point in points if point[0] >= 100]
    n, t = np.log(np.array(large if len(large) > 1 else points)).T
    return float(np.polyfit(n, t, 1)[0])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=1000)
    parser.add_argument("--save", default=None)
    chosen = parser.parse_args()
    sizes = [n for n in SIZES if n <= chosen.largest]
    curves: dict[tuple[str, str], list[tuple[int, float]]] = {}
    print("| mechanism | code | bodies | ms per step | s per simulated s, whole call |")
    print("|---|---|---|---|---|")
    for mechanism, build in (("chain", chain), ("loops", loops)):
        for n in sizes:
            for coordinates in ("reduced", "absolute"):
                step, whole = own_seconds_per_step(build, n, coordinates)
                report(curves, mechanism, f"flexmbs, {coordinates}", n, step, f"{whole:.3g}")
            for code, measure in (("Exudyn", exudyn_seconds_per_step), ("MuJoCo", mujoco_seconds_per_step)):
                report(curves, mechanism, code, n, measure(mechanism, n), "")
    print("\n| mechanism | code | slope |\n|---|---|---|")
    for (mechanism, code), points in curves.items():
        print(f"| {mechanism} | {code} | {slope(points):.2f} |")
    if chosen.save:
        draw(curves, chosen.save)


def report(curves, mechanism: str, code: str, bodies: int, step: float, whole: str) -> None:
    print(f"| {mechanism} | {code} | {bodies} | {1e3 * step:.4g} | {whole} |", flush=True)
    curves.setdefault((mechanism, code), []).append((bodies, step))


def draw(curves, path: str) -> None:
    """Seconds per step against bodies, one panel per mechanism."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 4.8), sharey=True, layout="constrained")
    for axis, mechanism in zip(panels, ("chain", "loops"), strict=True):
        for (name, code), points in curves.items():
            if name == mechanism:
                n, t = np.array(points).T
                axis.loglog(n, 1e3 * t, marker="o", label=f"{code}: slope {slope(points):.2f}")
        axis.set(title={"chain": "Chain of rods", "loops": "Chain of four-bar loops"}[mechanism], xlabel="bodies")
        axis.grid(which="both", alpha=0.25)
        axis.legend()
    panels[0].set_ylabel("time per step [ms]")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
