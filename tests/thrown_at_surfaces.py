"""Spheres thrown at a thin plate that bends and vibrates, so soft that they fly through it.

Random radius, speed, tolerance and integrator. What is expected is what a run finds that looks at every gap two
thousand times: the same contacts, starting at the same times.
"""

from __future__ import annotations

import numpy as np

import flexmbs as fm

T_END = 0.02  # s: the lowest mode of the plate takes 0.013 s
SOFT = fm.PowerLaw(1e-12, 1.5)
SIDE, ELEMENTS, MODES = 0.4, 4, 3
REFERENCE = {"rtol": 1e-10, "integrator": "explicit", "max_step": T_END / 2000}


def plate_body() -> fm.FlexibleBody:
    """Square plate of quad4 shells in the plane z = 0, clamped along one edge."""
    line = np.linspace(0.0, SIDE, ELEMENTS + 1)
    x, y = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
    numbers = np.arange(len(x)).reshape(len(line), len(line))
    cells = np.stack([numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]], axis=-1).reshape(-1, 4)
    metal = fm.Material("metal", 70e9, 0.3, 2700.0)
    block = fm.ElementBlock("quad4", np.arange(len(cells)) + 1, cells, metal, fm.ShellSection(0.004))
    points = np.stack([x, y, 0.0 * x], axis=-1)
    mesh = fm.Mesh(points, np.arange(len(x)) + 1, (block,), node_sets={"EDGE": np.flatnonzero(x == 0.0)}, source="plate")
    edge = fm.Interface(set="EDGE", kind="rigid")
    return fm.reduce(mesh, interfaces={"edge": edge}, modes=fm.ClampedFree(at="edge", count=MODES), cache=False)


def throw(body: fm.FlexibleBody, seed: int, spheres: int) -> tuple[fm.System, dict[str, object]]:
    """A vibrating plate, spheres that fly at it, and options of the run."""
    rng = np.random.default_rng(seed)
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    plate = system.add(body, "plate", modal_velocities=rng.normal(size=MODES) * [0.05, 0.1, 0.2])
    system.fixed(system.ground["origin"], plate["edge"], name="clamp")
    surface = fm.BodySurface(plate)
    for number in range(spheres):
        radius, speed = 10.0 ** rng.uniform(-3.5, -1.7), 10.0 ** rng.uniform(0.5, 2.0)
        target = np.array([*rng.uniform(-0.02, SIDE + 0.02, 2), 0.0])
        course = rng.normal(size=3)
        course /= np.linalg.norm(course)
        course[2] = np.sign(course[2]) * max(abs(course[2]), 0.2)
        start = target - course * speed * rng.uniform(0.3, 0.9) * T_END
        if abs(start[2]) < radius + 0.02:
            start = target - course * (radius + 0.03) / abs(course[2])
        solid = fm.RigidBody(1.0, (1.0, 1.0, 1.0))
        ball = system.add(solid, f"ball {number}", position=start, velocity=speed * course)
        system.contact(fm.Sphere(ball["origin"], radius), surface, law=SOFT, name=f"hit {number}")
    options = {"rtol": 10.0 ** rng.uniform(-9.0, -2.0), "integrator": str(rng.choice(["explicit", "radau"]))}
    return system, options


def missed(body: fm.FlexibleBody, seed: int, spheres: int) -> tuple[int, int, list[str]]:
    """(pairs, contacts, those that the run has not found, or found elsewhere) of one throw."""
    system, options = throw(body, seed, spheres)
    expected = starts(system.simulate(T_END, progress=False, **REFERENCE))
    found = starts(system.simulate(T_END, progress=False, **options))
    wrong = [
        f"seed {seed}, {name}: {expected.get(name)} expected, {found.get(name)} found with {options}"
        for name in {*expected, *found}
        if len(expected.get(name, ())) != len(found.get(name, ()))
    ]
    return spheres, sum(map(len, expected.values())), wrong


def starts(result: fm.Result) -> dict[str, list[float]]:
    """Starts of the contacts of each sphere, but for grazes, which rounding decides."""
    times: dict[str, list[float]] = {}
    for contact in result.contacts:
        if contact.max_depth is None or contact.max_depth > 1e-7:
            times.setdefault(contact.name, []).append(contact.start)
    return times
