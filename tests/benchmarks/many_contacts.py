"""Cost of many spheres in a box: steps per second, growth with their number, energy, beside Exudyn and MuJoCo.

    python -m pip install ".[peers]"
    OMP_NUM_THREADS=1 python tests/benchmarks/many_contacts.py [--largest N] [--time T] [--repeat R]

Spheres of 10 mm on a grid with random velocities (1 m/s rms each way) and no gravity, in a box with six walls, on
linear springs (no damping, no friction). flexmbs locates every onset and end, with bodies of six freedoms; Exudyn
(mass points, GeneralContact, velocity Verlet) and MuJoCo (free bodies, soft constraints of the same stiffness, RK4)
take equal steps, of 1/20 and 1/100 of the duration of a contact. All start alike and run for the same time, in which
the number of contacts grows with that of the spheres. ``energy``: what kinetic energy and springs have gained or lost
by the end, relative, from the positions and velocities of each code. One thread, quickest of ``--repeat`` runs, time
of the steps alone. "exponent": p of seconds per step ~ spheres^p over the last two sizes. "ordinary": the same with a
contact record for each pair, as without groups.
"""

from __future__ import annotations

import argparse
import os
from math import pi, sqrt

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from peer_systems.exudyn_spheres import exudyn_spheres  # noqa: E402
from peer_systems.mujoco_spheres import mujoco_spheres  # noqa: E402
from peer_systems.sphere_box import Box, Run  # noqa: E402

import flexmbs as fm  # noqa: E402

SIZES = (30, 100, 300, 1000, 3000)
MOST_ORDINARY = 100  # spheres with a record for each pair
RTOL = 1e-5


def flexmbs_spheres(box: Box, t_end: float, grouped: bool) -> Run:
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    body, shapes = fm.RigidBody.sphere(box.density, box.radius), []
    for number, (place, velocity) in enumerate(zip(box.places, box.velocities, strict=True)):
        part = system.add(body, f"ball {number}", position=place, velocity=velocity)
        shapes.append(fm.Sphere(part["origin"], box.radius))
    for name, place, normal in box.walls():
        shapes.append(fm.Plane(system.ground.marker(name, position=place), normal=tuple(normal)))
    system.contact_all(shapes, law=fm.PowerLaw(box.stiffness, 1.0), name="spheres", grouped=grouped)
    result = system.simulate(t_end, rtol=RTOL, integrator="explicit", progress=False)
    names = [f"ball {number}" for number in range(len(box.places))]
    ends = [
        np.array([[result[f"{name}.origin.{what}.{axis}"][-1] for axis in "xyz"] for name in names])
        for what in ("position", "velocity")
    ]
    return Run(*ends, result.stats["loop_seconds"], int(result.stats["steps_accepted"]), len(result.contacts))


def row(name: str, box: Box, runs: list[Run]) -> str:
    run = min(runs, key=lambda one: one.seconds)
    contacts = "" if run.contacts is None else str(run.contacts)
    error = box.energy(run.positions, run.velocities) / box.energy(box.places, box.velocities) - 1.0
    speed = run.steps / run.seconds
    return f"| {len(box.places)} | {name} | {run.seconds:.3g} | {run.steps} | {speed:.3g} | {contacts} | {error:.1e} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=1000)
    parser.add_argument("--time", type=float, default=5e-4, help="s of motion")
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    print("| spheres | code | s | steps | steps/s | contacts | energy |\n|---|---|---|---|---|---|---|")
    costs: dict[str, list[tuple[int, float]]] = {}
    for count in [size for size in SIZES if size <= options.largest]:
        box = Box(count)
        duration = pi * sqrt(0.5 * box.mass / box.stiffness)
        codes = {"flexmbs": lambda box=box: flexmbs_spheres(box, options.time, True)}
        if count <= MOST_ORDINARY:
            codes["flexmbs, ordinary"] = lambda box=box: flexmbs_spheres(box, options.time, False)
        for part in (20, 100):
            steps = int(np.ceil(options.time / duration * part))
            codes[f"Exudyn, T/{part}"] = lambda box=box, steps=steps: exudyn_spheres(box, options.time, steps)
            codes[f"MuJoCo, T/{part}"] = lambda box=box, steps=steps: mujoco_spheres(box, options.time, steps)
        for name, code in codes.items():
            runs = [code() for _ in range(options.repeat)]
            print(row(name, box, runs), flush=True)
            run = min(runs, key=lambda one: one.seconds)
            costs.setdefault(name, []).append((count, run.seconds / run.steps))
    print("\n| code | exponent |\n|---|---|")
    for name, points in costs.items():
        if len(points) > 1:
            (n0, t0), (n1, t1) = points[-2:]
            print(f"| {name} | {np.log(t1 / t0) / np.log(n1 / n0):.2f} |")


if __name__ == "__main__":
    main()
