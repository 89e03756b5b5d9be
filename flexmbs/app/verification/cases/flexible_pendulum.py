"""The flexible pendulum of Sheng, Liu and Yu (2006), without and with its stop."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.app.verification.reference_data import reference
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case

_SOURCE = "Sheng, Liu and Yu (2006), formulation with foreshortening; exact Lagrangian of the same ansatz, DOP853 at 1e-12"
_FREE = np.array(reference("flexible_pendulum_free")["rows"])  # t, angle, deflection y and x of the tip
_CONTACTS = reference("flexible_pendulum_impact")["n3"]


def _free() -> dict[str, Any]:
    result = run_case("flexible_pendulum_impact", {"stop": False, "t_end": 2.0}).result
    assert result is not None
    at = result.resampled(_FREE[:, 0])
    return {
        "angle every 0.25 s": at["hinge.angle"],
        "tip deflection every 0.25 s": at["pendulum.tip.displacement.y"],
        "tip shortening every 0.25 s": at["pendulum.tip.displacement.x"],
    }


FREE = VerificationCase(
    name="flexible_pendulum_free",
    title="flexible pendulum released from the horizontal, three bending modes and one axial mode, 2 s",
    source=_SOURCE,
    accuracy="reference to 1e-10; integrated with rtol 1e-7",
    quantities=(
        Quantity("angle every 0.25 s", _FREE[:, 1], 1e-6, "rad", scale=1.0),
        Quantity("tip deflection every 0.25 s", _FREE[:, 2], 1e-6, "m", scale=1.0),
        Quantity("tip shortening every 0.25 s", _FREE[:, 3], 1e-6, "m", scale=1.0),
    ),
    compute=_free,
)


def _impact() -> dict[str, Any]:
    found = run_case("flexible_pendulum_impact", {"bending_modes": 3}).figures
    return {
        "number of contacts": found["contact_count"],
        "time of the first contact": found["first_contact_time"],
        "duration of the first contact": found["first_contact_duration"],
        "peak force of the first contact": found["first_peak_force"],
        "impulse of the first contact": found["first_impulse"],
        "times of all contacts": found["contact_starts"],
        "peak forces of all contacts": found["peak_forces"],
        "energy error": found["energy_error"],
    }


IMPACT = VerificationCase(
    name="flexible_pendulum_impact",
    title="the same pendulum hits an elastic stop: four contacts",
    source=_SOURCE,
    accuracy="reference to 1e-8 after several contacts; rtol 1e-7 leaves some 1e-8 of the first contact, and each"
    " contact multiplies the error by about 10",
    quantities=(
        Quantity("number of contacts", len(_CONTACTS), 0.0),
        Quantity("time of the first contact", _CONTACTS[0]["t_start"], 1e-8, "s"),
        Quantity("duration of the first contact", _CONTACTS[0]["duration"], 1e-6, "s"),
        Quantity("peak force of the first contact", _CONTACTS[0]["F_peak"], 1e-6, "N"),
        Quantity("impulse of the first contact", _CONTACTS[0]["impulse"], 1e-6, "N s"),
        Quantity("times of all contacts", [contact["t_start"] for contact in _CONTACTS], 1e-5, "s"),
        Quantity("peak forces of all contacts", [contact["F_peak"] for contact in _CONTACTS], 1e-4, "N"),
        Quantity("energy error", 0.0, 1e-6, "of the kinetic energy", scale=1.0),
    ),
    compute=_impact,
)
