"""A block on a spring, with dry friction against a surface that rests or moves: every change of slip and stick.

m x'' = -k x - mu_k m g sign(x' - v_belt) while the block slips; it sticks while |k x| <= mu_s m g. The first set of
parameters is the oscillator of the examples of Siconos (x0 = 12 m, v0 = 6 m/s, m = k = mu g = 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import flexmbs as fm

IN_FILES = {
    "m": "mass",
    "k": "stiffness",
    "mu_k": "friction",
    "mu_s": "static_friction",
    "g": "g",
    "x0": "start",
    "v0": "start_speed",
    "v_belt": "belt_speed",
    "t_end": "t_end",
}
X, RATE = "motion.v", "motion.v.rate"
KINDS = {
    ("sliding", "sliding"): "slip reversal",
    ("sliding", "sticking"): "slip -> stick",
    ("sticking", "sliding"): "stick -> slip",
}
RESTS = "rests for ever"
PLOTS = {"Displacement": (X,), "Speed": (RATE,), "Friction": ("surface.friction.x",)}
UNITS = {"events": "", "t_stop": "s", "x_stop": "m"}


@dataclass(frozen=True)
class Parameters:
    mass: float = fm.parameter(1.0, "kg", "mass")
    stiffness: float = fm.parameter(1.0, "N/m", "of the spring")
    friction: float = fm.parameter(0.1, "", "kinetic coefficient", minimum=0.0)
    static_friction: float = fm.parameter(0.1, "", "static coefficient", minimum=0.0)
    g: float = fm.parameter(10.0, "m/s2", "gravity, along -z")
    start: float = fm.parameter(12.0, "m", "displacement x at the start")
    start_speed: float = fm.parameter(6.0, "m/s", "speed at the start")
    belt_speed: float = fm.parameter(0.0, "m/s", "speed of the surface along x")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float = fm.parameter(25.0, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    return fm.with_parameter_file(p, IN_FILES)


def build(p: Parameters) -> fm.System:
    """x is the coordinate v of the block, z its coordinate u."""
    system = fm.System(gravity=(0.0, 0.0, -p.g))
    size = 0.1 * (abs(p.start) + abs(p.start_speed) * (p.mass / p.stiffness) ** 0.5) or 0.1
    moment = p.mass * size**2 / 6.0
    cube = fm.RigidBody.box(1.0, (size, size, size)).surface
    block = system.add(fm.RigidBody(p.mass, (moment,) * 3, surface=cube), name="block")
    base = block.marker("base", position=(0.0, 0.0, -0.5 * size))
    motion = system.planar(system.ground["origin"], base, normal="y", v=p.start, v_rate=p.start_speed, name="motion")
    motion.prescribe(0.0, coordinate="angle")
    motion.spring(p.stiffness, coordinate="v")
    length = 25.0 * size + abs(p.belt_speed) * p.t_end
    strip = fm.RigidBody.box(1000.0, (2.0 * length, 2.0 * size, 0.1 * size), center=(0.0, 0.0, -0.05 * size))
    belt = system.add(strip, name="belt")
    drive = system.prismatic(system.ground["origin"], belt["origin"], axis="x", name="drive")
    drive.prescribe(rate=p.belt_speed)
    law = fm.Rigid(friction=p.friction, static_friction=p.static_friction)
    system.contact(fm.Point(base), fm.Plane(belt["origin"], (0, 0, 1)), law=law, name="surface")
    return system


def changes(result: fm.Result, p: Parameters) -> list[dict[str, object]]:
    """All changes of slip and stick: t, x, v, kind; and where the block stays at rest."""
    found = []
    sticks, since = False, 0.0
    for event in result.transitions("surface"):
        sticks, since = event.mode == "sticking", event.time
        if event.time > 0.0:
            found.append(change(result, event.time, KINDS[event.mode_before, event.mode]))
    if sticks and p.belt_speed == 0.0:  # the spring does not change any more
        found.append(change(result, since, RESTS))
    return found


def change(result: fm.Result, time: float, kind: str) -> dict[str, object]:
    state = result.at(time)
    return {"t": time, "x": float(state[X]), "v": float(state[RATE]), "kind": kind}


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``t_stop``, ``x_stop``: when and where it comes to rest for ever, if it does."""
    events = changes(result, p)
    rest = next((event for event in events if event["kind"] == RESTS), None)
    return {"events": events, "t_stop": rest and rest["t"], "x_stop": rest and rest["x"]}
