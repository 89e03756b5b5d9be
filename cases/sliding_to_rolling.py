"""A sphere or cylinder slides on an incline until it rolls; or a block slides on it until it rests.

x points down the slope. A round body slides with v - r omega and rolls from the instant at which that is zero, if the
coefficient of friction reaches what rolling needs, tan(al) / (1 + 1/beta) with the moment of inertia beta m r^2. A
block is pushed up the slope, or down it where no static coefficient is stated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, sin, sqrt, tan

from scipy.optimize import brentq

import flexmbs as fm

ROUND, BLOCK = BODIES = "round", "block"
UP, DOWN = DIRECTIONS = "up", "down"
IN_FILES = {
    "al": "slope",
    "mu": "friction",
    "beta": "inertia_factor",
    "r": "radius",
    "v0": "speed",
    "om0": "spin",
    "muk": "block_friction",
    "mus": "static_friction",
    "g": "g",
    "t_end": "t_end",
}
X, SPIN = "motion.v", "motion.angle"
PLOTS = {
    "Distance down the slope": (X,),
    "Speed": (f"{X}.rate",),
    "Angular velocity": (f"{SPIN}.rate",),
    "Forces": ("slope.force", "slope.friction"),
    "Slip": ("slope.slip",),
}
UNITS = {
    "slip_velocity_start": "m/s",
    "sliding_acceleration": "m/s2",
    "sliding_angular_acceleration": "rad/s2",
    "friction_coefficient_needed_for_rolling": "",
    "t_rolling": "s",
    "x_rolling": "m",
    "v_rolling": "m/s",
    "omega_rolling": "rad/s",
    "acceleration_after": "m/s2",
    "x_end": "m",
    "v_end": "m/s",
    "omega_end": "rad/s",
    "t_stop": "s",
    "distance_up": "m",
    "distance": "m",
    "friction_at_rest_over_mg": "",
    "acceleration_down": "m/s2",
    "t_back_at_start": "s",
    "speed_back_at_start": "m/s",
}


@dataclass(frozen=True)
class Parameters:
    body: str | None = fm.parameter(None, "", "round or block; none: block if its friction is stated, else round")
    slope: float = fm.parameter(0.0, "rad", "angle of the incline")
    friction: float = fm.parameter(0.2, "", "coefficient of friction of a round body", minimum=0.0)
    inertia_factor: float = fm.parameter(0.4, "", "beta: 0.4 sphere, 0.5 cylinder, 2/3 hollow sphere", minimum=1e-9)
    radius: float = fm.parameter(0.11, "m", "radius")
    speed: float = fm.parameter(8.0, "m/s", "speed at the start: of a round body down, of a block in its direction")
    spin: float = fm.parameter(0.0, "rad/s", "angular velocity at the start, positive: rolls down")
    block_friction: float | None = fm.parameter(None, "", "kinetic coefficient of a block")
    static_friction: float | None = fm.parameter(None, "", "static coefficient of a block; none: the kinetic one")
    direction: str | None = fm.parameter(None, "", "in which a block is pushed: up or down; none: up with a static one")
    mass: float = fm.parameter(1.0, "kg", "mass")
    g: float = fm.parameter(9.81, "m/s2", "gravity")
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float | None = fm.parameter(None, "s", "end time; none: 2 of a round body; of a block until it is back")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters, which tells by its names which body it is; fill in what is missing."""
    p = fm.with_parameter_file(p, IN_FILES)
    if p.body is None:
        p = replace(p, body=ROUND if p.block_friction is None else BLOCK)
    if p.direction is None:
        p = replace(p, direction=DOWN if p.static_friction is None else UP)
    for name, known in (("body", BODIES), ("direction", DIRECTIONS)):
        if getattr(p, name) not in known:
            raise fm.CaseError(f"parameter {name!r} must be {' or '.join(known)}, not {getattr(p, name)!r}")
    if p.body == BLOCK and p.block_friction is None:
        p = replace(p, block_friction=p.friction)
    return p if p.t_end is not None else replace(p, t_end=2.0 if p.body == ROUND else end_of_block(p))


def end_of_block(p: Parameters) -> float:
    """A time at which a block has stopped, and has slid back if it does, s; of one that slides for ever 2 s."""
    up = sin(p.slope) + p.block_friction * cos(p.slope)
    down = sin(p.slope) - p.block_friction * cos(p.slope)
    if p.direction == DOWN:
        return 2.0 if down >= 0.0 else 1.2 * p.speed / (p.g * -down)
    stop = p.speed / (p.g * up)
    return 1.2 * stop * (1.0 + (sqrt(up / down) if down > 0.0 else 0.0))


def build(p: Parameters, friction: float | None = None) -> fm.System:
    """``friction``: another coefficient than that of the parameters. The joint has the axes of the incline."""
    system = fm.System(gravity=(0.0, 0.0, -p.g))
    incline = system.ground.marker("incline", rotation=fm.EulerAngles("xyz", (0.0, p.slope, 0.0)))
    wheel = p.body == ROUND
    moment = (p.inertia_factor if wheel else 2.0 / 3.0) * p.mass * p.radius**2
    shape = body_shape(p)
    body = system.add(fm.RigidBody(p.mass, (moment,) * 3, surface=shape), name="body")
    down = wheel or p.direction == DOWN
    motion = system.planar(
        incline,
        body["origin"],
        normal="y",
        u=p.radius,
        v_rate=p.speed if down else -p.speed,
        angle_rate=p.spin if wheel else 0.0,
        name="motion",
    )
    slope = fm.Plane(incline, (0, 0, 1))
    if wheel:
        law = fm.Rigid(friction=p.friction if friction is None else friction)
        system.contact(fm.Sphere(body["origin"], p.radius), slope, law=law, name="slope")
    else:
        motion.prescribe(0.0, coordinate="angle")
        law = fm.Rigid(friction=p.block_friction, static_friction=p.static_friction)
        base = body.marker("base", position=(0.0, 0.0, -p.radius))
        system.contact(fm.Point(base), slope, law=law, name="slope")
    return system


def body_shape(p: Parameters) -> fm.SurfaceMesh:
    """What is drawn: a wheel with a spoke, which shows that it turns, or a cube."""
    r = p.radius
    if p.body == BLOCK:
        return fm.RigidBody.box(1.0, (2.0 * r, 2.0 * r, 2.0 * r)).surface
    wheel = fm.RigidBody.cylinder(1.0, r, 0.5 * r, axis="y").surface
    return fm.SurfaceMesh.joined([wheel, fm.RigidBody.box(1.0, (1.8 * r, 0.6 * r, 0.2 * r)).surface])


def needed_friction(p: Parameters) -> float:
    """Friction over normal force of the body that rolls without slipping from the start."""
    rolls = replace(p, spin=p.speed / p.radius)
    result = build(rolls, friction=10.0 + 10.0 * abs(tan(p.slope))).simulate(1e-3, progress=False)
    return float(abs(result["slope.friction"][-1]) / result["slope.force"][-1])


def sticks_at(result: fm.Result) -> float | None:
    """When the contact begins to stick for good, s; None: it slides at the end."""
    events = result.transitions("slope")
    return events[-1].time if events and events[-1].mode == "sticking" else None


def round_body(result: fm.Result, p: Parameters) -> dict[str, object]:
    rolls = sticks_at(result)
    state = None if rolls is None else result.at(rolls)
    slides = rolls is None or rolls > 0.0
    return {
        "slip_velocity_start": p.speed - p.radius * p.spin,
        "sliding_acceleration": float(result[f"{X}.acceleration"][0]) if slides else None,
        "sliding_angular_acceleration": float(result[f"{SPIN}.acceleration"][0]) if slides else None,
        "friction_coefficient_needed_for_rolling": needed_friction(p),
        "t_rolling": rolls,
        "x_rolling": None if state is None else float(state[X]),
        "v_rolling": None if state is None else float(state[f"{X}.rate"]),
        "omega_rolling": None if state is None else float(state[f"{SPIN}.rate"]),
        "then": "never rolls" if rolls is None else "rolls",
        "acceleration_after": float(result[f"{X}.acceleration"][-1]),
        "t_end": float(result.t[-1]),
        "x_end": float(result[X][-1]),
        "v_end": float(result[f"{X}.rate"][-1]),
        "omega_end": float(result[f"{SPIN}.rate"][-1]),
    }


def block(result: fm.Result, p: Parameters) -> dict[str, object]:
    """``t_stop``: where it first has no speed; ``stays`` there, or slides back."""
    stop = next((event for event in result.transitions("slope") if event.time > 0.0), None)
    if stop is None:
        return {"t_stop": None, "acceleration": float(result[f"{X}.acceleration"][-1])}
    distance = abs(float(result.at(stop.time)[X]))
    if p.direction == DOWN:
        return {"t_stop": stop.time, "distance": distance}
    found = {"t_stop": stop.time, "distance_up": distance, "stays": stop.mode == "sticking"}
    if stop.mode == "sticking":
        return found | {"friction_at_rest_over_mg": float(result["slope.friction"][-1]) / (p.mass * p.g)}
    acceleration = float(result[f"{X}.acceleration"][-1])
    back = time_at(result, 0.0, stop.time)
    return found | {
        "acceleration_down": acceleration,
        "t_back_at_start": back,
        "speed_back_at_start": None if back is None else float(result.at(back)[f"{X}.rate"]),
    }


def time_at(result: fm.Result, place: float, after: float) -> float | None:
    """First time after another one at which the body passes a place, s."""
    if result[X][-1] < place:
        return None
    return float(brentq(lambda t: float(result.at(t)[X]) - place, after, result.t[-1], xtol=1e-15, rtol=1e-15))


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    return round_body(result, p) if p.body == ROUND else block(result, p)
