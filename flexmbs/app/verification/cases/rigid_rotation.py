"""The heavy top of Brüls, Cardona and Arnold (2012): a rotation in space by some 300 rad."""

from __future__ import annotations

from typing import Any

from flexmbs.app.verification.reference_data import reference
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case


def _compute() -> dict[str, Any]:
    found = run_case("heavy_top", {"speed": "fast"}).figures
    return {"position of the centre of mass at 2 s": found["position_end"], "energy error": found["energy_error"]}


HEAVY_TOP = VerificationCase(
    name="heavy_top",
    title="heavy top spinning at 150 rad/s on a spherical joint, 2 s",
    source="Brüls, Cardona and Arnold, Mech. Mach. Theory 48 (2012) 121; quaternion equations about the fixed point",
    accuracy="reference to 2e-10; what the tolerance of the case leaves after 300 rad is of the same size",
    quantities=(
        Quantity("position of the centre of mass at 2 s", reference("rigid_heavy_top")["fast"]["pos_t2"], 1e-8, "m", scale=1.0),
        Quantity("energy error", 0.0, 1e-9, "of the kinetic energy", scale=1.0),
    ),
    compute=_compute,
)
