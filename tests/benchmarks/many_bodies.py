"""Time to 1e-4 of many bodies: a chain of rods and a chain of loops, beside Exudyn and MuJoCo.

    python -m pip install ".[peers]"
    OMP_NUM_THREADS=1 python tests/benchmarks/many_bodies.py [--largest N] [--save] [--processor-time]

Rods of 1 m and 1 kg that move in a plane for 0.5 s: a chain that falls from a horizontal line, and loops at the speed
of the IFToMM four-bar (A02).  Each code is compared with its own converged solution: the largest error of all rods'
centres must be 1e-4 of the largest displacement, that of their velocities 1e-4 of the largest speed.  Of the settings
that reach this, and whose next tighter ones do so too, the quickest counts: flexmbs with its default integrator over
tolerances, Exudyn (2-D bodies, redundant coordinates, sparse solver) with two implicit methods over numbers of steps,
MuJoCo (joint coordinates in space, loops closed by soft constraints) with RK4 and, for few bodies, Euler.  One thread
each, all codes in turn; time is of the solution alone (``loop_seconds``: the start and every step, logged).
"exponent": p of seconds ~ bodies^p over the sizes from 100 on.  With --save the tables go into docs/benchmarks.md and a
picture into docs/images.
"""

from __future__ import annotations

import argparse
import os
import time
from functools import partial
from math import pi

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from accuracy import End, end_error, loosest, measure_together  # noqa: E402
from pages import ROOT, write_into  # noqa: E402
from peer_systems.exudyn_many import exudyn_rods  # noqa: E402
from peer_systems.mujoco_many import mujoco_rods  # noqa: E402

import flexmbs as fm  # noqa: E402

T_END = 0.5
SIZES = (10, 30, 100, 300, 1000)
ACCURACY = 1e-4
TOLERANCES = (1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6)
STEPS = (12, 18, 25, 35, 50, 70, 100, 140, 200, 280, 400, 560, 800)
FIRST_ORDER_STEPS, FIRST_ORDER_BODIES = (100, 400, 1600, 6400, 12800, 25600), 30
NEWTON = 1e-5  # relative tolerance of Exudyn's Newton iteration; tighter ones cost more and reach the same
FINEST = {"flexmbs": 1e-8, "Exudyn": 2400, "MuJoCo": 200}
LARGEST_ABSOLUTE = 300  # bodies in absolute coordinates


def chain(bodies: int, coordinates: str = "reduced") -> fm.System:
    """Rods in one horizontal line, released from rest."""
    system = fm.System(gravity=(0.0, -9.81, 0.0), coordinates=coordinates)
    rod, before = fm.RigidBody.rod(1.0, 1.0), system.ground["origin"]
    for i in range(bodies):
        part = system.add(rod, name=f"rod {i}")
        system.revolute(before, part["origin"], axis="z", angle=0.0, name=f"hinge {i}")
        before = part.marker("end", position=(1.0, 0.0, 0.0))
    return system


def loops(bodies: int, coordinates: str = "reduced") -> fm.System:
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


MECHANISMS = {"chain": chain, "loops": loops}


def flexmbs_rods(system: fm.System, t_end: float, rtol: float) -> End:
    """Centres of all rods and their velocities at the end; ``wall_seconds`` with describing and storing all steps."""
    begin = time.perf_counter()
    result = system.simulate(t_end, rtol=rtol, atol=rtol)
    wall = time.perf_counter() - begin
    motion, stats = result.trajectory, result.stats
    place = {body.name: number for number, body in enumerate(result.structure.bodies)}
    order = [place[name] for name, body in system.bodies.items() if body is not system.ground]
    half = 0.5 * motion.body_rotation[-1, order, :, 0]
    position = motion.body_position[-1, order] + half
    velocity = motion.body_velocity[-1, order] + np.cross(motion.body_angular_velocity[-1, order], half)
    return End(
        position[:, :2], velocity[:, :2], stats["loop_seconds"], stats["steps_accepted"], stats["residual_evaluations"], wall
    )


def families(mechanism: str, bodies: int) -> dict[str, tuple[End, list]]:
    """Of each code the converged solution, and sequences of (name, run) from loose to tight settings."""
    coordinates = ["reduced", "absolute"] if bodies <= LARGEST_ABSOLUTE else ["reduced"]
    systems = {name: MECHANISMS[mechanism](bodies, name) for name in coordinates}
    exact = flexmbs_rods(systems["reduced"], T_END, FINEST["flexmbs"])
    found = {}
    for name, system in systems.items():
        runs = [(f"rtol {rtol:g}", partial(flexmbs_rods, system, T_END, rtol)) for rtol in TOLERANCES]
        found[f"flexmbs, {name}"] = (exact, [runs])
    theirs = partial(exudyn_rods, mechanism, bodies, T_END)
    methods = ("GeneralizedAlpha", "TrapezoidalIndex2")
    found["Exudyn"] = (
        theirs("TrapezoidalIndex2", FINEST["Exudyn"], 1e-8),
        [[(f"{name}, {n} steps", partial(theirs, name, n, NEWTON)) for n in STEPS] for name in methods],
    )
    soft = partial(mujoco_rods, mechanism, bodies, T_END)
    chosen = {"RK4": STEPS, "Euler": FIRST_ORDER_STEPS if bodies <= FIRST_ORDER_BODIES else ()}
    found["MuJoCo"] = (
        soft("RK4", FINEST["MuJoCo"]),
        [[(f"{name}, {n} steps", partial(soft, name, n)) for n in counts] for name, counts in chosen.items()],
    )
    return found


def compare(mechanism: str, bodies: int, curves: dict) -> list[str]:
    """Rows of the table for one size; adds (bodies, seconds) to ``curves``."""
    codes = families(mechanism, bodies)
    exact = codes["flexmbs, reduced"][0]
    start = flexmbs_rods(MECHANISMS[mechanism](bodies), 1e-9, 1e-4)
    size = end_error(start, exact)[0]
    speed = float(np.linalg.norm(exact.velocity, axis=-1).max())
    limits = (ACCURACY * size, ACCURACY * speed)
    best = {code: loosest(runs, reference, limits) for code, (reference, runs) in codes.items()}
    reached = {code: choice for code, choice in best.items() if choice is not None}
    timed = measure_together(reached, {code: codes[code][0] for code in reached}, repeats=3)
    rows = []
    for code, (reference, _runs) in codes.items():
        if code not in timed:
            rows.append(f"| {mechanism} | {bodies} | {code} | not reached | | | | | |")
            continue
        run = timed[code]
        apart = "" if code.startswith("flexmbs") else f"{end_error(reference, exact)[0] / size:.0e}"
        wall = f"{1e3 * reached[code][1]().wall_seconds:.0f}" if code.startswith("flexmbs") else ""
        rows.append(
            f"| {mechanism} | {bodies} | {code} | {run.settings} | {1e3 * run.seconds / run.steps:.3g} "
            f"| {1e3 * run.seconds:.4g} | {max(run.position_error / size, run.velocity_error / speed):.0e} "
            f"| {wall} | {apart} |"
        )
        curves.setdefault((mechanism, code), []).append((bodies, run.seconds))
    return rows


def exponent(points: list[tuple[int, float]]) -> float:
    """Exponent of the cost by least squares over the sizes from 100 on (over all of them when there are too few)."""
    large = [point for point in points if point[0] >= 100]
    n, t = np.log(np.array(large if len(large) > 1 else points)).T
    return float(np.polyfit(n, t, 1)[0]) if len(n) > 1 else float("nan")


HEAD = [
    "| mechanism | bodies | code | settings | ms a step | ms to 1e-4 | error | whole call, ms | converged, from ours |",
    "|---|---|---|---|---|---|---|---|---|",
]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--processor-time", action="store_true", help="for a machine that is busy with other programs")
    chosen = parser.parse_args()
    if chosen.processor_time:
        time.perf_counter = time.process_time  # that all codes are timed by
    curves: dict[tuple[str, str], list[tuple[int, float]]] = {}
    lines = list(HEAD)
    print("\n".join(lines))
    for mechanism in MECHANISMS:
        for bodies in SIZES:
            if bodies <= chosen.largest:
                rows = compare(mechanism, bodies, curves)
                print("\n".join(rows), flush=True)
                lines += rows
    slopes = ["| mechanism | code | exponent |", "|---|---|---|"]
    slopes += [f"| {mechanism} | {code} | {exponent(points):.2f} |" for (mechanism, code), points in curves.items()]
    print("\n" + "\n".join(slopes))
    if chosen.save:
        write_into("benchmarks.md", "tests/benchmarks/many_bodies.py", "\n".join([*lines, "", *slopes]))
        draw(curves, str(ROOT / "docs" / "images" / "many_bodies.png"))


def draw(curves, path: str) -> None:
    """Seconds to the accuracy against bodies, one panel per mechanism."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(11, 4.8), sharey=True, layout="constrained")
    for axis, mechanism in zip(panels, MECHANISMS, strict=True):
        for (name, code), points in curves.items():
            if name == mechanism:
                n, t = np.array(points).T
                axis.loglog(n, 1e3 * t, marker="o", label=f"{code}: exponent {exponent(points):.2f}")
        axis.set(title={"chain": "Chain of rods", "loops": "Chain of four-bar loops"}[mechanism], xlabel="bodies")
        axis.grid(which="both", alpha=0.25)
        axis.legend()
    panels[0].set_ylabel(f"time to {ACCURACY:g} [ms]")
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()
