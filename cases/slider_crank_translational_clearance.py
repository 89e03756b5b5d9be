"""A slider-crank whose slider has play and friction in its guide.

P. Flores, R. Leine and C. Glocker, Multibody System Dynamics 23 (2010) 165-190: a rectangular slider with four corners
between two rails, Newton's restitution and Coulomb friction at every corner. Corners that touch together are solved
together; sequences of bounces are followed down to 1e-11 m/s, then the slider slides along the rail.

Angles of crank, rod and slider are absolute, from the x axis. Corners 1 and 2 touch the upper rail, 3 and 4 the lower
one; 1 and 3 are those at the left, -x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexmbs as fm

IN_FILES = {
    "l1": "crank",
    "l2": "rod",
    "a": "half_length",
    "b": "half_height",
    "c": "clearance",
    "m1": "crank_mass",
    "m2": "rod_mass",
    "m3": "slider_mass",
    "J1": "crank_inertia",
    "J2": "rod_inertia",
    "J3": "slider_inertia",
    "g": "gravity",
    "omega3": "slider_rate",
    "e_N": "restitution",
    "mu": "friction",
    "t_end": "t_end",
}
UNUSED = ("start", "d")  # the start is that of the publication, but for omega3; d = 2 (b + c)
CORNERS = {"guide[-+]": 1, "guide[++]": 2, "guide[--]": 3, "guide[+-]": 4}
SIGNS = {1: (-1.0, 1.0), 2: (1.0, 1.0), 3: (-1.0, -1.0), 4: (1.0, -1.0)}  # of x and y of a corner
ANGLES = ("shaft.angle", "crank_pin.angle", "slider_pin.angle")  # each relative to the body before
LEAST_SLIP = 1e-9  # m/s
PLOTS = {
    "Gaps": tuple(f"{name}.gap" for name in CORNERS),
    "Forces": tuple(f"{name}.force" for name in CORNERS),
    "Tilt of the slider": ("guide.tilt",),
    "Angular velocities": tuple(f"{name}.rate" for name in ANGLES),
}
UNITS = {"first_impact_time": "s", "first_approach_velocity": "m/s", "energy_lost": "J", "energy_start_J": "J"}


@dataclass(frozen=True)
class Parameters:
    crank: float = fm.parameter(0.153, "m", "length of the crank, whose centre is at its middle")
    rod: float = fm.parameter(0.306, "m", "length of the rod, whose centre is at its middle")
    half_length: float = fm.parameter(0.05, "m", "half the length of the slider, a")
    half_height: float = fm.parameter(0.025, "m", "half the height of the slider, b")
    clearance: float = fm.parameter(0.001, "m", "of the centred slider to either rail, c", minimum=1e-9)
    crank_mass: float = fm.parameter(0.038, "kg", "mass of the crank")
    rod_mass: float = fm.parameter(0.038, "kg", "mass of the rod")
    slider_mass: float = fm.parameter(0.076, "kg", "mass of the slider")
    crank_inertia: float = fm.parameter(7.4e-5, "kg m2", "moment of inertia of the crank about its centre")
    rod_inertia: float = fm.parameter(5.9e-4, "kg m2", "moment of inertia of the rod about its centre")
    slider_inertia: float = fm.parameter(2.7e-6, "kg m2", "moment of inertia of the slider about its pin")
    gravity: float = fm.parameter(9.81, "m/s2", "along -y")
    start_angles: tuple = fm.parameter((0.0, 0.0, 0.0), "rad", "of crank, rod and slider at the start")
    crank_rate: float = fm.parameter(150.0, "rad/s", "angular velocity of the crank at the start")
    rod_rate: float = fm.parameter(-75.0, "rad/s", "of the rod")
    slider_rate: float = fm.parameter(0.0, "rad/s", "of the slider, omega3")
    restitution: float = fm.parameter(0.4, "", "Newton's, at every corner", minimum=0.0, maximum=1.0)
    friction: float = fm.parameter(0.01, "", "Coulomb's coefficient", minimum=0.0)
    parameters: str | None = fm.parameter(None, "", f"JSON file with values of {', '.join(IN_FILES)}")
    t_end: float = fm.parameter(0.2, "s", "end time")
    rtol: float = fm.parameter(1e-10, "", "relative tolerance")
    atol: float = fm.parameter(1e-12, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters."""
    return fm.with_parameter_file(p, IN_FILES, UNUSED)


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    crank = system.add(bar(p.crank_mass, p.crank_inertia, p.crank, 0.008), name="crank")
    rod = system.add(bar(p.rod_mass, p.rod_inertia, p.rod, 0.006), name="rod")
    slider = system.add(bar(p.slider_mass, p.slider_inertia, 2.0 * p.half_length, 2.0 * p.half_height), name="slider")
    angle, rate = p.start_angles, (p.crank_rate, p.rod_rate, p.slider_rate)
    ground = system.ground.frame
    system.revolute(ground, end(crank, -0.5 * p.crank), angle=angle[0], rate=rate[0], name="shaft")
    system.revolute(
        end(crank, 0.5 * p.crank), end(rod, -0.5 * p.rod), angle=angle[1] - angle[0], rate=rate[1] - rate[0], name="crank_pin"
    )
    system.revolute(end(rod, 0.5 * p.rod), slider["origin"], angle=angle[2] - angle[1], rate=rate[2] - rate[1], name="slider_pin")
    play = fm.Clearance(
        radial=p.clearance,
        section=2.0 * p.half_height,
        length=2.0 * p.half_length,
        normal=(0.0, 0.0, 1.0),
        law=fm.Rigid(p.restitution, p.friction),
    )
    place = p.crank * np.cos(angle[0]) + p.rod * np.cos(angle[1])
    system.prismatic(ground, slider["origin"], displacement=float(place), name="guide", clearance=play)
    return system


def bar(mass: float, inertia: float, length: float, height: float) -> fm.RigidBody:
    """A body in the plane, its centre in the middle of a box."""
    shape = fm.RigidBody.box(1.0, (length, height, 0.01))
    return fm.RigidBody(mass, (inertia,) * 3, surface=shape.surface)


def end(body: fm.BodyInSystem, x: float) -> fm.Marker:
    """A marker at ``x`` on the axis of a bar."""
    return body.marker("left" if x < 0.0 else "right", (x, 0.0, 0.0))


def rows_at(result: fm.Result, time: float) -> tuple[int, int]:
    """Rows just before and just behind an event."""
    rows = np.flatnonzero(result.t == time)
    return int(rows[0]), int(rows[-1])


def absolute(result: fm.Result, row: int, suffix: str = "") -> list[float]:
    """Angles, or with ``".rate"`` angular velocities, of crank, rod and slider."""
    return np.cumsum([result[f"{name}{suffix}"][row] for name in ANGLES]).tolist()


def sense(slip: float) -> str:
    return "sticks" if abs(slip) < LEAST_SLIP else "slides +x" if slip > 0.0 else "slides -x"


def slips(result: fm.Result, p: Parameters, corner: int) -> np.ndarray:
    """(nt,) velocity of a corner along the rail, m/s."""
    x, y = SIGNS[corner]
    turn, angle = result["guide.tilt.rate"], result["guide.tilt"]
    lever = x * p.half_length * np.sin(angle) + y * p.half_height * np.cos(angle)
    return result["guide.displacement.rate"] - turn * lever


def together(events) -> dict[float, list]:
    """Events by their time."""
    found: dict[float, list] = {}
    for event in events:
        found.setdefault(event.time, []).append(event)
    return found


def impact_figures(result: fm.Result) -> list[dict[str, object]]:
    """Impacts as the reference lists them."""
    found = []
    for time, events in together(result.impacts()).items():
        events = sorted(events, key=lambda event: CORNERS[event.name])
        before, behind = rows_at(result, time)
        found.append(
            {
                "t": time,
                "corners": [CORNERS[event.name] for event in events],
                "status": [sense(event.slip_after[0]) for event in events],
                "approach_velocity": [event.approach_speed for event in events],
                "tangential_velocity_before": [event.slip_before[0] for event in events],
                "normal_impulse": [event.normal_impulse for event in events],
                "tangential_impulse": [event.friction_impulse[0] for event in events],
                "theta": absolute(result, before),
                "omega_before": absolute(result, before, ".rate"),
                "omega_after": absolute(result, behind, ".rate"),
                "energy_change": -sum(event.energy_lost for event in events),
            }
        )
    return found


def phase_figures(result: fm.Result, p: Parameters) -> list[dict[str, object]]:
    """The state of the corners from each time on at which it changes."""
    states = dict.fromkeys(SIGNS, "free")
    motion = {corner: slips(result, p, corner) for corner in SIGNS}
    found = [phase(result, 0.0, states, "start")]
    for time, events in together(result.events).items():
        row, before = rows_at(result, time)[1], dict(states)
        for event in events:
            corner = CORNERS[event.name]
            if event.mode == "sliding":
                moving = motion[corner][row:][np.abs(motion[corner][row:]) > LEAST_SLIP]
                states[corner] = sense(moving[0]) if len(moving) > 0 else "sticks"
            else:
                states[corner] = "sticks" if event.mode == "sticking" else "free"
        if states != before:
            found.append(phase(result, time, states, cause(events)))
    return found


def phase(result: fm.Result, time: float, states: dict[int, str], why: str) -> dict[str, object]:
    before, behind = rows_at(result, time)
    return {
        "t": time,
        "corner_states": list(states.values()),
        "cause": why,
        "theta": absolute(result, before),
        "omega": absolute(result, behind, ".rate"),
    }


def cause(events) -> str:
    """In the words of the reference."""
    if any(event.kind == "impact" for event in events):
        return "impact sequence ended or impact"
    if any(event.mode == "open" for event in events):
        return "normal force reached zero"
    return "friction force at its limit" if events[0].mode_before == "sticking" else "sliding velocity reached zero"


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Under the names of the reference, and the angles at the end."""
    impacts = impact_figures(result)
    first = impacts[0] if impacts else None
    return {
        "first_impact_time": first and first["t"],
        "first_approach_velocity": first and first["approach_velocity"][0],
        "n_impacts": len(impacts),
        "first_impact_check": first and {"t": first["t"], "approach_velocity": first["approach_velocity"][0]},
        "energy_start_J": float(result["energy.kinetic"][0] + result["energy.gravity"][0]),
        "energy_lost": sum(event.energy_lost for event in result.impacts()),
        "theta_end": absolute(result, -1),
        "omega_end": absolute(result, -1, ".rate"),
        "impacts": impacts,
        "phases": phase_figures(result, p),
    }
