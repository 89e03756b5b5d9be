"""A spinning ball falls on a rough floor and bounces: friction of each impact slides or sticks.

x is along the floor; the contact point moves with v_x - r omega along it (omega > 0 rolls along +x).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

import flexmbs as fm

IN_FILES = {
    "m": "mass",
    "r": "radius",
    "beta": "inertia_factor",
    "h": "height",
    "vt": "speed",
    "om": "spin",
    "e": "restitution",
    "mu": "friction",
    "g": "g",
    "t_end": "t_end",
}
UNITS = {"impacts": "", "impact_count": ""}
PLOTS = {
    "Height": ("ball.position.y",),
    "Speeds": ("ball.origin.velocity.x", "ball.origin.velocity.y"),
    "Energy": ("energy.kinetic", "energy.gravity", "energy.total"),
}
STICKS, SLIDES = "sticks (rolls off)", "slides"
LEAST_SLIP = 1e-9  # of the speed of the contact point, that an impact leaves if it slides


@dataclass(frozen=True)
class Parameters:
    mass: float = fm.parameter(0.5, "kg", "mass")
    radius: float = fm.parameter(0.05, "m", "radius")
    inertia_factor: float = fm.parameter(0.4, "", "beta: moment of inertia beta m r^2; 0.4: solid, 2/3: hollow")
    height: float = fm.parameter(1.0, "m", "of its lowest point above the floor at the start")
    speed: float = fm.parameter(0.5, "m/s", "speed along x at the start")
    spin: float = fm.parameter(60.0, "rad/s", "angular velocity at the start")
    restitution: float = fm.parameter(0.8, "", "restitution", minimum=0.0, maximum=1.0)
    friction: float = fm.parameter(0.15, "", "coefficient of friction", minimum=0.0)
    g: float = fm.parameter(9.81, "m/s2", "gravity, along -y", minimum=1e-9)
    count: int = fm.parameter(6, "", "impacts that are listed", minimum=1)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: after the impacts that are listed")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    p = fm.with_parameter_file(p, IN_FILES)
    if p.t_end is not None:
        return p
    fall = sqrt(2.0 * p.height / p.g)
    bounces = sum(2.0 * p.restitution**k for k in range(1, p.count)) + p.restitution**p.count
    return replace(p, t_end=fall * (1.0 + bounces) or 0.1)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.g, 0.0))
    moment = p.inertia_factor * p.mass * p.radius**2
    ball = system.add(
        fm.RigidBody(p.mass, (moment,) * 3, surface=fm.RigidBody.sphere(1.0, p.radius).surface),
        name="ball",
        position=(0.0, p.height + p.radius, 0.0),
        velocity=(p.speed, 0.0, 0.0),
        angular_velocity=(0.0, 0.0, -p.spin),
    )
    law = fm.Rigid(restitution=p.restitution, friction=p.friction)
    floor = fm.Plane(system.ground["origin"], (0, 1, 0))
    system.contact(fm.Sphere(ball["origin"], p.radius), floor, law=law, name="floor")
    return system


def impact(hit: fm.EventRecord, result: fm.Result, p: Parameters) -> dict[str, object]:
    """What one impact does, with the impulses on the ball."""
    slip_before, slip_after, push = hit.slip_before[0], hit.slip_after[0], hit.friction_impulse[0]
    scale = max(abs(slip_before), hit.approach_speed)
    behind = np.searchsorted(result.t, hit.time, side="right") - 1  # the last row of that time
    return {
        "t": hit.time,
        "x": float(result.at(hit.time)["ball.position.x"]),
        "approach_speed": hit.approach_speed,
        "contact_point_speed_before": slip_before,
        "normal_impulse": hit.normal_impulse,
        "tangential_impulse": push,
        "kind": SLIDES if abs(slip_after) > LEAST_SLIP * scale else STICKS,
        "vx_after": float(result["ball.origin.velocity.x"][behind]),
        "omega_after": -float(result["ball.free.rotation.omega.z"][behind]),
        "vy_after": float(result["ball.origin.velocity.y"][behind]),
        "energy_change": -hit.energy_lost,
        "contact_point_speed_after": slip_after,
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    hits = result.impacts("floor")
    return {"impacts": [impact(hit, result, p) for hit in hits[: p.count]], "impact_count": len(hits)}
