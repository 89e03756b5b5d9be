"""Random mechanisms that run from their start: trees and loops, springs, dampers, drivers, flexible beams, and
constraints that are redundant on purpose; with what their energy must do."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from random_mechanisms import flexible_body, rigid_body

import flexmbs as fm

TREE_JOINTS = {
    "revolute": {"axis": "z"},
    "prismatic": {"axis": "x"},
    "spherical": {},
    "universal": {"first": "x", "second": "y"},
    "cylindrical": {"axis": "z"},
    "constant_velocity": {"axis": "z"},
    "planar": {"normal": "z"},
    "fixed": {},
    "screw": {"pitch": 0.3, "axis": "z"},
    "inline": {"axis": "x"},
    "free": {},
}
# Joints whose two markers may lie on each other at the start; each closes a loop there with its coordinates zero.
LOOP_JOINTS = {
    "spherical": {},
    "inline": {"axis": "x"},
    "inplane": {"normal": "z"},
    "revolute": {"axis": "z"},
    "universal": {"first": "x", "second": "y"},
    "parallel": {"axis": "z"},
    "perpendicular": {},
}
CENTRED = ("spherical", "revolute", "universal", "constant_velocity")  # whose marker origins stay together
FLEXIBLE = ("clamped beam", "mean-axes beam")


@dataclass
class Sketch:
    """A system while it grows: where its joints have their markers, and what was added on purpose."""

    system: fm.System
    rng: np.random.Generator
    joints: list = field(default_factory=list)  # (joint, kind)
    loops: int = 0
    redundant: list[str] = field(default_factory=list)
    markers: int = 0

    def marker(self, body: str, position, rotation):
        self.markers += 1
        return self.system.bodies[body].marker(f"m{self.markers}", position=position, rotation=rotation)


def random_mechanism(seed: int, coordinates: str = "reduced") -> Sketch:
    """Mechanism number ``seed``: 2 to 4 bodies in a tree, up to two loops, up to two redundant constraints, forces."""
    rng = np.random.default_rng([2026, seed])
    system = fm.System(gravity=tuple(3.0 * rng.normal(size=3)), coordinates=coordinates)
    sketch = Sketch(system, rng)
    _grow_tree(sketch, int(rng.integers(2, 5)))
    pose = _pose(system)
    for _ in range(int(rng.integers(0, 3))):
        _close_loop(sketch, pose)
    for _ in range(int(rng.integers(0, 3))):
        _repeat(sketch, pose)
    _add_forces(sketch, pose)
    return sketch


def _grow_tree(sketch: Sketch, bodies: int) -> None:
    system, rng = sketch.system, sketch.rng
    outs = [system.ground.marker("base", 0.5 * rng.normal(size=3), rng.normal(size=3))]
    for i in range(bodies):
        name = f"body {i}"
        if rng.random() < 0.3:
            part = system.add(flexible_body(str(rng.choice(FLEXIBLE))), name)
            ends = (("in", "hinge"), ("out", "tip"))
            hung, out = (part.marker(word, on=end, rotation=rng.normal(size=3)) for word, end in ends)
        else:
            part = system.add(rigid_body(rng), name)
            hung, out = (part.marker(word, 0.4 * rng.normal(size=3), rng.normal(size=3)) for word in ("in", "out"))
        kind = str(rng.choice(sorted(TREE_JOINTS), p=_weights(i)))
        joint = system.joint(kind, outs[int(rng.integers(len(outs)))], hung, f"{kind} {i}", **TREE_JOINTS[kind])
        for coordinate in joint.type.coordinates:
            system._state(joint, {coordinate: 0.4 * rng.normal()}, {coordinate: rng.normal()})
        if joint.type.ends_with_ball:
            system._state(joint, {}, {}, rng.normal(size=3), rng.normal(size=3))
        sketch.joints.append((joint, kind))
        outs.append(out)


def _weights(i: int) -> np.ndarray:
    rare = {"fixed": 0.3 if i else 0.0, "free": 0.4, "inline": 0.5, "screw": 0.5}
    weights = np.array([rare.get(kind, 1.0) for kind in sorted(TREE_JOINTS)])
    return weights / weights.sum()


def _pose(system: fm.System) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and rotation of every body at the stated start."""
    start = system.assemble()
    run, names = start.trajectory, [body.name for body in start.structure.bodies]
    return {name: (run.body_position[0, b], run.body_rotation[0, b]) for b, name in enumerate(names)}


def _in_world(pose, marker) -> tuple[np.ndarray, np.ndarray]:
    place, turn = pose[marker.body]
    return place + turn @ marker.position, turn @ marker.rotation


def _rigid(sketch: Sketch) -> list[str]:
    """Bodies (with ground) that can get markers anywhere."""
    return [name for name, part in sketch.system.bodies.items() if not part.is_flexible]


def _meeting(sketch: Sketch, pose, body: str, point, turn):
    """A marker of ``body`` at a place and with axes of the world."""
    place, own = pose[body]
    return sketch.marker(body, own.T @ (point - place), own.T @ turn)


def _close_loop(sketch: Sketch, pose) -> None:
    """A rod between two bodies, or a joint whose two markers lie on each other; flexible ones are held at their tip."""
    system, rng = sketch.system, sketch.rng
    a = str(rng.choice(sorted(system.bodies)))
    parts = [name for name in _rigid(sketch) if name != a]
    if not parts:
        return
    b = str(rng.choice(parts))
    sketch.loops += 1
    name = f"loop {sketch.loops}"
    if system.bodies[a].is_flexible:
        first = system.bodies[a].markers["out"]
    else:
        first = _meeting(sketch, pose, a, pose[a][0] + 0.5 * rng.normal(size=3), pose[a][1])
    point, turn = _in_world(pose, first)
    if rng.random() < 0.5:
        other = pose[b][0] + 0.5 * rng.normal(size=3)
        system.rod(first, _meeting(sketch, pose, b, other, turn), float(np.linalg.norm(other - point)), name=name)
        return
    kind = str(rng.choice(sorted(LOOP_JOINTS)))
    geometry = LOOP_JOINTS[kind]
    if kind == "perpendicular":
        geometry = {"first": "x", "second": "y"}
    system.joint(kind, first, _meeting(sketch, pose, b, point, turn), name, **geometry)


def _repeat(sketch: Sketch, pose) -> None:
    """A constraint that blocks nothing new: a rod about a joint's centre or in one body, a rod or a joint twice."""
    system, rng = sketch.system, sketch.rng
    name = f"repeated {len(sketch.redundant) + 1}"
    centred = [(joint, kind) for joint, kind in sketch.joints if kind in CENTRED]
    rods = [one for one in system.constraints.values() if type(one).__name__ == "Distance"]
    choice = int(rng.integers(4))
    if choice <= 1 and centred:
        joint, _kind = centred[int(rng.integers(len(centred)))]
        if system.bodies[joint.b.body].is_flexible:
            return
        point = joint.b.position + 0.5 * rng.normal(size=3)
        end = sketch.marker(joint.b.body, point, np.eye(3))
        system.rod(joint.a, end, float(np.linalg.norm(point - joint.b.position)), name=name)
    elif choice == 2 and rods:
        again = rods[int(rng.integers(len(rods)))]
        system.rod(again.a, again.b, again.length, name=name)
    elif choice == 3 and any(kind == "revolute" for _joint, kind in sketch.joints):
        joint = next(joint for joint, kind in sketch.joints if kind == "revolute")
        if any(system.bodies[marker.body].is_flexible for marker in (joint.a, joint.b)):
            return
        ends = []
        for marker in (joint.a, joint.b):  # a second hinge further along the same axis
            along = marker.position + marker.rotation @ (0.0, 0.0, 0.3)
            ends.append(sketch.marker(marker.body, along, marker.rotation))
        angle = joint.start["angle"]
        system.revolute(*ends, axis="z", angle=angle, name=name)
    else:
        return
    sketch.redundant.append(name)


def _add_forces(sketch: Sketch, pose) -> None:
    """Springs in joints and between bodies, dampers in half of the mechanisms, one driver in some."""
    system, rng = sketch.system, sketch.rng
    damped = rng.random() < 0.5
    for joint, _kind in sketch.joints:
        for coordinate in joint.type.coordinates:
            if rng.random() < 0.5:
                damping = rng.uniform(0.1, 1.0) if damped else 0.0
                rest = rng.normal()
                joint.spring(stiffness=rng.uniform(1.0, 20.0), damping=damping, rest=rest, coordinate=coordinate)
    base = system.ground.marker("anchor", rng.normal(size=3))
    last = sketch.joints[-1][0].b
    system.spring_damper(base, last, stiffness=20.0, length=0.4, damping=0.5 * damped, name="tie")
    free = [joint for joint, kind in sketch.joints if kind in ("revolute", "prismatic")]
    if sketch.loops == 0 and not sketch.redundant and free and rng.random() < 0.4:
        joint = free[0]
        (coordinate,) = joint.type.coordinates
        size, frequency = rng.uniform(0.1, 0.5), rng.uniform(0.5, 2.0)
        start, rate = joint.start[coordinate], joint.start_rate[coordinate]
        w = 2.0 * np.pi * frequency
        joint.prescribe(fm.Polynomial((start, rate - size * w)) + fm.Harmonic(size, frequency))


def damped_elements(system: fm.System) -> list[tuple[str, float]]:
    """Names of springs with a damper, and its N s/m or N m s/rad."""
    found = [element for joint in system.joints.values() for element in joint.forces] + [*system.springs.values()]
    return [(element.name, element.law.damping) for element in found if element.law.damping]


def energy_defect(system: fm.System, result) -> tuple[float, float]:
    """Largest |E(t) - E(0) - work of drivers + work lost in dampers|, J, and the size of the energies that change."""
    t = result.t
    kinetic, gravity, elastic = (result[f"energy.{kind}"] for kind in ("kinetic", "gravity", "elastic"))
    total = kinetic + gravity + elastic
    power = np.zeros_like(t)
    for joint in system.joints.values():
        for coordinate in joint.drivers:
            history = f"{joint.name}.{coordinate}"
            power += result[f"{history}.driving_force"] * result[f"{history}.rate"]
    for name, damping in damped_elements(system):
        rate = result[f"{name}.rate"] if f"{name}.rate" in result.names else result[_rate_of(name)]
        power -= damping * rate**2
    steps = [0.5 * (b - a) * (p + r) for (a, b), (p, r) in zip(pairwise(t), pairwise(power), strict=True)]
    work = np.concatenate([[0.0], np.cumsum(steps)])
    size = kinetic.max() + np.ptp(gravity) + np.ptp(elastic) + np.abs(work).max()
    return float(np.abs(total - total[0] - work).max()), float(size)


def _rate_of(element: str) -> str:
    """ "J.angle.spring" -> "J.angle.rate"."""
    return f"{element.rsplit('.', 1)[0]}.rate"


def names_of(system: fm.System) -> list[str]:
    return [name for group in (system.bodies, system.joints, system.constraints, system.springs) for name in group]
