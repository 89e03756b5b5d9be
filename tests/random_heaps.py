"""Random heaps: spheres, boxes, capsules and flexible beams that fall on a floor between walls, and on each other."""

from itertools import combinations

import numpy as np
from scipy.spatial.transform import Rotation

import flexmbs as fm

ROOM = 0.25  # m, half width between the walls
WALLS = {
    "floor": ((0, 0, 0), (0, 0, 1)),
    "left": ((-ROOM, 0, 0), (1, 0, 0)),
    "right": ((ROOM, 0, 0), (-1, 0, 0)),
    "front": ((0, -ROOM, 0), (0, 1, 0)),
    "back": ((0, ROOM, 0), (0, -1, 0)),
}
#: m: of what touches nothing. Points of boxes stand back for each other with a gap of that size.
PENETRATION = 1e-5
#: of the energy exchanged
BALANCE = 1e-4


def heap(seed: int, bodies: int, walls: bool = True) -> fm.System:
    """A heap of that many bodies before it falls; all of it is drawn from ``seed``."""
    rng = np.random.default_rng(seed)
    system = fm.System(gravity=(0.0, 0.0, -9.81))
    law = fm.Rigid(
        restitution=float(rng.choice([0.0, rng.uniform(0.0, 0.9)])),
        friction=float(rng.uniform(0.0, 0.8)),
        impact=str(rng.choice(["newton", "poisson"])),
    )
    shapes, planes = [], []
    for name, (place, normal) in WALLS.items():
        if walls or name == "floor":
            planes.append(fm.Plane(system.ground.marker(name, position=place), normal))
    for number in range(bodies):
        height = 0.12 + 0.17 * number
        shapes.append(_body(system, rng, f"b{number}", height))
    for i, own in enumerate(shapes):
        for plane in planes:
            for shape in own:
                system.contact(shape, plane, law=law, name=f"b{i}{_part(own, shape)} - {plane.marker.name}")
    for (i, first), (j, second) in combinations(enumerate(shapes), 2):
        for one in first:
            for two in second:
                name = f"b{i}{_part(first, one)} - b{j}{_part(second, two)}"
                system.contact(one, two, law=law, name=name)
    return system


def _part(shapes, shape) -> str:
    return f" {shapes.index(shape)}" if len(shapes) > 1 else ""


def _body(system, rng, name, height):
    """One body, in random position and motion, and its shapes."""
    x, y = rng.uniform(-0.1, 0.1, 2)
    motion = {
        "position": (x, y, height),
        "velocity": tuple(rng.uniform(-0.5, 0.5, 3)),
        "rotation": Rotation.random(random_state=int(rng.integers(1 << 30))),
    }
    kind = rng.choice(["sphere", "box", "capsule", "beam"], p=[0.4, 0.25, 0.2, 0.15])
    if kind == "sphere":
        radius = float(rng.uniform(0.03, 0.07))
        body = system.add(fm.RigidBody.sphere(1000.0, radius), name=name, **motion)
        return [fm.Sphere(body.frame, radius)]
    if kind == "box":
        size = tuple(map(float, rng.uniform(0.05, 0.1, 3)))
        body = system.add(fm.RigidBody.box(1000.0, size), name=name, **motion)
        return [fm.Box(body.frame, size, edge_radius=2e-3)]
    if kind == "capsule":
        radius, length = float(rng.uniform(0.015, 0.03)), float(rng.uniform(0.04, 0.09))
        body = system.add(fm.RigidBody.cylinder(1000.0, radius, length + radius, axis="z"), name=name, **motion)
        return [fm.Capsule(body.frame, radius, length, axis="z")]
    return _beam(system, name, motion)


def _beam(system, name, motion):
    """A ball with a flexible rod, and a small ball at its end."""
    hub = system.add(fm.RigidBody.sphere(1000.0, 0.03), name=name, **motion)
    rod = fm.uniform_beam(length=0.1, bending_stiffness=2.0, mass_per_length=0.5, supports=("clamped", "free"), modes=2, name="rod")
    flexible = system.add(rod, name=f"{name} rod")
    system.fixed(hub.frame, flexible["supports"])
    return [fm.Sphere(hub.frame, 0.03), fm.Sphere(flexible["right"], 0.015)]


def faults(seed: int, bodies: int, duration: float = 1.0, walls: bool = True):
    """Run one heap; (what is wrong with it, or "", the result)."""
    system = heap(seed, bodies, walls)
    try:
        result = system.simulate(duration, rtol=1e-6)
    except fm.SimulationError as error:
        return f"stopped: {error}", error.result
    ledger = result.energy_ledger()
    if ledger.largest_balance > BALANCE * ledger.scale:
        return f"balance {ledger.largest_balance:.3g} J of {ledger.scale:.3g} J", result
    lost: dict[float, float] = {}
    for event in result.events:  # single contacts of an impact may gain what others lose
        lost[event.time] = lost.get(event.time, 0.0) + event.energy_lost
    if min(lost.values(), default=0.0) < -1e-9 * ledger.scale:
        return f"an impact gains {-min(lost.values()):.3g} J", result
    deepest = min((float(result[f"{name}.gap"].min()), name) for name in result.structure.contact_names)
    if deepest[0] < -PENETRATION:
        return f"{deepest[1]} penetrates by {-deepest[0]:.3g} m", result
    return "", result
