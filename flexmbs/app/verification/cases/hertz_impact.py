"""A steel sphere of 10 mm radius hits a steel half-space at 1 m/s."""

from __future__ import annotations

from typing import Any

import flexmbs as fm
from flexmbs.app.verification.reference_data import reference
from flexmbs.app.verification.verification_case import Quantity, VerificationCase

RADIUS, HEIGHT = 0.01, 1e-4  # m: of the sphere; its distance from the half-space at the start
DENSITY = 7850.0  # kg/m3
STEEL = fm.Material("steel", 210e9, 0.3, DENSITY)


def falling_sphere(speed: float, law: fm.Hertz) -> fm.System:
    """The sphere "ball" on a prismatic joint, without gravity, at ``speed`` (m/s) towards the half-space."""
    system = fm.System(gravity=(0.0, 0.0, 0.0))
    ball = system.add(fm.RigidBody.sphere(DENSITY, RADIUS), name="ball")
    floor = system.ground.marker("floor")
    system.prismatic(floor, ball["origin"], axis="y", displacement=HEIGHT + RADIUS, rate=-speed)
    system.contact(fm.Sphere(ball["origin"], RADIUS), fm.Plane(floor), law)
    return system


def simulate(speed: float, duration: float) -> fm.Result:
    """From the start to half a contact's ``duration`` (s) after the rebound, or somewhat more."""
    law = fm.Hertz.from_materials(RADIUS, STEEL, STEEL)
    return falling_sphere(speed, law).simulate(HEIGHT / speed + 2.0 * duration, rtol=1e-10, atol=1e-14)


_REFERENCE = next(case for case in reference("impact_hertz_sphere")["cases"] if case["v"] == 1.0)


def _compute() -> dict[str, Any]:
    (contact,) = simulate(1.0, _REFERENCE["t_c"]).contacts
    return {
        "time of the contact": contact.start,
        "duration of the contact": contact.duration,
        "peak force": contact.peak_force,
        "impulse": contact.impulse,
    }


HERTZ_IMPACT = VerificationCase(
    name="hertz_impact",
    title="steel sphere of 10 mm radius on a steel half-space at 1 m/s",
    source="K. L. Johnson, Contact Mechanics (1985), section 11.4; closed form",
    accuracy="exact; integrated with rtol 1e-10",
    quantities=(
        Quantity("time of the contact", HEIGHT / 1.0, 1e-10, "s"),
        Quantity("duration of the contact", _REFERENCE["t_c"], 1e-9, "s"),
        Quantity("peak force", _REFERENCE["F_max"], 1e-9, "N"),
        Quantity("impulse", _REFERENCE["impulse"], 1e-9, "N s"),
    ),
    compute=_compute,
)
