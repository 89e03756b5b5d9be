"""A rigid pendulum that hangs on a journal with clearance.

The journal flies inside its bearing until it touches; there the law of Lankarani and Nikravesh acts, F = k d^1.5 (1 +
3 (1 - e^2) / 4 d'/v0), v0 the approach speed of that contact. A pendulum that starts at rest with a centred journal
falls freely: it touches first after sqrt(2 c / g) at sqrt(2 g c).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import atan2, cos, sin, sqrt

import flexmbs as fm

CONTACTS = 3  # of which there are figures
LONGEST = 100.0  # s, within which they must have ended
IN_FILES = {
    "m": "mass",
    "J": "inertia",
    "s": "arm",
    "c": "clearance",
    "K": "stiffness",
    "e": "restitution",
    "g": "gravity",
    "start": "start",
}
UNITS = {"first_contact_time": "s", "first_peak_force": "N", "peak_force_max": "N"}
PLOTS = {"Journal": ("hinge.u", "hinge.v"), "Contact": ("hinge.force",), "Phase": ("hinge.phase",)}


@dataclass(frozen=True)
class Parameters:
    mass: float = fm.parameter(1.2, "kg", "mass")
    inertia: float = fm.parameter(0.025, "kg m2", "inertia about the centre of mass")
    arm: float = fm.parameter(0.25, "m", "from the journal to the centre of mass")
    clearance: float = fm.parameter(5e-4, "m", "radial clearance", minimum=1e-9)
    stiffness: float = fm.parameter(2e9, "N/m^1.5", "K")
    restitution: float = fm.parameter(0.9, "", "restitution", minimum=0.0, maximum=1.0)
    gravity: float = fm.parameter(9.81, "m/s2", "gravity, along -y")
    start: tuple = fm.parameter(
        (0.0, 0.0, 1.0471975511965976, 0.0, 0.0, 0.0), "m, rad, m/s, rad/s", "journal x, y, angle from hanging, and their rates"
    )
    parameters: str | None = fm.parameter(None, "", "JSON file with values of m, J, s, c, K, e, g, start")
    t_end: float | None = fm.parameter(None, "s", f"end time; none: that of contact {CONTACTS}")
    rtol: float = fm.parameter(1e-9, "", "relative tolerance")
    atol: float = fm.parameter(1e-14, "", "absolute tolerance")


def resolve(p: Parameters) -> Parameters:
    """Read the file of parameters; run until enough contacts have ended to know the end time."""
    p = fm.with_parameter_file(p, IN_FILES)
    return p if p.t_end is not None else replace(p, t_end=end_of(p))


def end_of(p: Parameters) -> float:
    """Time at which the last contact of the figures ends, s."""
    span = 4.0 * (sqrt(2.0 * p.clearance / p.gravity) if p.gravity > 0.0 else 1.0)
    while span < LONGEST:
        contacts = ended(build(p).simulate(span, rtol=1e-6, atol=1e-12, progress=False))
        if len(contacts) >= CONTACTS:
            return 1.001 * contacts[CONTACTS - 1].end
        span *= 2.0
    return span


def build(p: Parameters) -> fm.System:
    system = fm.System(gravity=(0.0, -p.gravity, 0.0))
    box = fm.RigidBody.box(1.0, (0.1 * p.arm, 2.0 * p.arm, 0.1 * p.arm), (0.0, -p.arm, 0.0))
    body = fm.RigidBody(p.mass, (p.inertia,) * 3, center=(0.0, -p.arm, 0.0), surface=box.surface)
    pendulum = system.add(body, name="pendulum")
    play = fm.Clearance(
        radial=p.clearance, law=fm.LankaraniNikravesh(p.stiffness, p.restitution), offset=p.start[:2], velocity=p.start[3:5]
    )
    bearing = system.ground.marker("bearing")
    system.revolute(bearing, pendulum["origin"], angle=p.start[2], rate=p.start[5], name="hinge", clearance=play)
    return system


def ended(result: fm.Result) -> list[fm.ContactRecord]:
    """Contacts that have ended."""
    return [contact for contact in result.contacts if contact.end == contact.end]


def state_at(result: fm.Result, time: float) -> dict[str, object]:
    """Journal, angle and their rates at a time, and the energy."""
    at = result.at(time)
    return {
        "theta": at["hinge.angle"],
        "omega": at["hinge.angle.rate"],
        "journal": [at["hinge.u"], at["hinge.v"]],
        "journal_velocity": [at["hinge.u.rate"], at["hinge.v.rate"]],
        "energy": at["energy.kinetic"] + at["energy.gravity"],
    }


def effective_mass(p: Parameters, angle: float, theta: float) -> float:
    """1 / (G M^-1 G^T) of the journal along the direction ``angle``, kg."""
    x, y = -p.arm * sin(theta), p.arm * cos(theta)  # from the centre of mass to the journal
    return 1.0 / (1.0 / p.mass + (x * sin(angle) - y * cos(angle)) ** 2 / p.inertia)


def contact_figures(p: Parameters, result: fm.Result, contact: fm.ContactRecord) -> dict[str, object]:
    """What the reference states of one contact."""
    begin, end = state_at(result, contact.start), state_at(result, contact.end)
    angle = atan2(begin["journal"][1], begin["journal"][0])
    del begin["energy"]
    return {
        "t_start": contact.start,
        "approach_speed": contact.approach_speed,
        "contact_angle": angle,
        **begin,
        "effective_mass": effective_mass(p, angle, begin["theta"]),
        "t_end": contact.end,
        "separation_speed": contact.rebound_speed,
        "peak_force": contact.peak_force,
        "t_peak": contact.peak_time,
        "max_depth": contact.max_depth,
        "impulse": contact.impulse,
        **{f"{name}_end": value for name, value in end.items()},
    }


def figures(result: fm.Result, p: Parameters) -> dict[str, object]:
    """Of the first contacts: ``lankarani_nikravesh``, as the reference lists them."""
    contacts = ended(result)[:CONTACTS]
    first = contacts[0] if contacts else None
    return {
        "first_contact_time": first and first.start,
        "first_peak_force": first and first.peak_force,
        "peak_force_max": max((contact.peak_force for contact in contacts), default=None),
        "lankarani_nikravesh": [contact_figures(p, result, contact) for contact in contacts],
    }
