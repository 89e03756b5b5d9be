"""A rod slides down between a wall and a floor without friction, leaves the wall and falls flat.

It starts at rest, leaning against the wall. Its upper end leaves the wall where cos(theta) is two thirds of that at the
start (theta: angle from the vertical); from then on the centre moves along the floor with a constant speed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, log, sin, sqrt

import flexmbs as fm

IN_FILES = {"L": "length", "th0": "start_angle", "g": "g", "t_end": "t_end"}
UNITS = {
    "theta_separation": "rad",
    "t_separation": "s",
    "omega_separation": "rad/s",
    "vx_centre_after": "m/s",
    "t_floor": "s",
    "omega_floor": "rad/s",
}
ANGLE, RATE, ALONG = "motion.angle", "motion.angle.rate", "motion.u.rate"
PLOTS = {"Angle from the vertical": (ANGLE,), "Forces": ("wall.force", "floor.force"), "Speed of the centre": (ALONG,)}


@dataclass(frozen=True)
class Parameters:
    length: float = fm.parameter(1.0, "m", "length")
    start_angle: float = fm.parameter(0.3490658503988659, "rad", "angle from the vertical at the start", minimum=1e-6)
    mass: float = fm.parameter(1.0, "kg", "mass")
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: after it has fallen flat")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES)
    if not p.start_angle < 1.57:
        raise fm.CaseError(f"parameter 'start_angle' [rad] must be less than pi/2, not {p.start_angle:g}")
    return p if p.t_end is not None else replace(p, t_end=sqrt(p.length / p.g) * (2.0 + log(2.0 / p.start_angle)))


def build(p: Parameters) -> fm.System:
    """x points away from the wall, y upwards; the upper end leans against the wall x = 0."""
    system = fm.System(gravity=(0.0, -p.g, 0.0))
    half = 0.5 * p.length
    shape = fm.RigidBody.box(1.0, (0.02 * p.length, p.length, 0.02 * p.length)).surface
    moment = p.mass * p.length**2 / 12.0
    rod = system.add(fm.RigidBody(p.mass, (moment, 1e-3 * moment, moment), surface=shape), name="rod")
    system.planar(
        system.ground["origin"],
        rod["origin"],
        normal="z",
        u=half * sin(p.start_angle),
        v=half * cos(p.start_angle),
        angle=p.start_angle,
        name="motion",
    )
    upper, lower = rod.marker("upper", position=(0.0, half, 0.0)), rod.marker("lower", position=(0.0, -half, 0.0))
    floor = fm.Plane(system.ground.marker("floor"), (0, 1, 0))
    system.contact(fm.Point(upper), fm.Plane(system.ground.marker("wall"), (1, 0, 0)), law=fm.Rigid(), name="wall")
    system.contact(fm.Point(lower), floor, law=fm.Rigid(), name="floor")
    system.contact(fm.Point(upper), floor, law=fm.Rigid(), name="fall")
    return system


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """At the separation from the wall and before the hit of the floor; None for what has not happened."""
    found: dict[str, object] = dict.fromkeys(UNITS)
    leaves = next((event for event in result.transitions("wall") if event.mode == "open"), None)
    if leaves is not None:
        state = result.at(leaves.time)
        found |= {
            "theta_separation": float(state[ANGLE]),
            "t_separation": leaves.time,
            "omega_separation": float(state[RATE]),
            "vx_centre_after": float(state[ALONG]),
            "cos_ratio": cos(float(state[ANGLE])) / cos(p.start_angle),
        }
    falls = next(iter(result.impacts("fall")), None)
    if falls is not None:
        # the upper end comes down at the approach speed, the lower one stays on the floor
        found |= {"t_floor": falls.time, "omega_floor": falls.approach_speed / p.length}
    return found
