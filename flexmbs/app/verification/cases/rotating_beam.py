"""A rotating cantilever, which the centrifugal force stiffens: its flap and chord frequencies, and its spin-up.

Spun up, the beam of Kane, Ryan and Banerjee (1987) would diverge without geometric stiffness.
"""

from __future__ import annotations

from typing import Any

from flexmbs.app.verification.reference_data import reference
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case

SPINS = (0, 6, 12)  # Omega L^2 sqrt(rho A / EI)
PLANES = ("flap", "chord")


def _name(plane: str, spin: int) -> str:
    return f"first five {plane} frequencies at spin {spin}"


def _compute() -> dict[str, Any]:
    found = {spin: run_case("rotating_beam_frequencies", {"gamma": float(spin)}).figures for spin in SPINS}
    return {_name(plane, spin): found[spin][plane] for spin in SPINS for plane in PLANES}


_REFERENCE = reference("rotating_beam_frequencies")
ROTATING_BEAM = VerificationCase(
    name="rotating_beam",
    title="dimensionless frequencies of a rotating cantilever, hub radius 0",
    source="Wright, Smith, Thresher and Wang (1982), Yoo and Shin (1998): definition; Galerkin with 22 polynomials",
    accuracy="reference to 1e-9; twelve modes of the beam at rest stand for those of the rotating one",
    quantities=tuple(
        Quantity(_name(plane, spin), _REFERENCE[f"delta=0,gamma={spin}"][plane], 1e-4) for spin in SPINS for plane in PLANES
    ),
    compute=_compute,
)


_MODAL = reference("spin_up_beam")["kane_n3_axial0"]
_EXACT = reference("spin_up_beam")["geometrically exact"]
TIMES = (5, 10, 15, 20)  # s


def _compute_spin_up() -> dict[str, Any]:
    outcome = run_case("spin_up_beam", {"modes": 3, "axial_modes": 0})
    found, result = outcome.figures, outcome.result
    assert result is not None
    return {
        "largest tip deflection": found["tip_deflection_extreme"],
        "time of the largest tip deflection": found["tip_deflection_extreme_time"],
        "tip deflection at 5, 10, 15, 20 s": result.resampled([float(t) for t in TIMES])["beam.tip.displacement.y"],
        "largest tip deflection, geometrically exact": found["tip_deflection_extreme"],
    }


SPIN_UP_BEAM = VerificationCase(
    name="spin_up_beam",
    title="slender beam spun up to 6 rad/s in 15 s",
    source="Kane, Ryan and Banerjee (1987), Simo and Vu-Quoc (1987); modal equations with foreshortening (1e-9), and"
    " planar Simo-Reissner elements (1e-6 m)",
    accuracy="the modal reference has the same three modes; its extreme is flat, so its time is known to 1e-4 s;"
    " against the geometrically exact beam the second-order displacement field is 0.4 % off",
    quantities=(
        Quantity("largest tip deflection", _MODAL["u2_extreme"], 1e-6, "m"),
        Quantity("time of the largest tip deflection", _MODAL["t_extreme"], 5e-4, "s", scale=1.0),
        Quantity(
            "tip deflection at 5, 10, 15, 20 s", [_MODAL[f"u2_t{t}"] for t in TIMES], 1e-6, "m", scale=abs(_MODAL["u2_extreme"])
        ),
        Quantity("largest tip deflection, geometrically exact", _EXACT["u2_extreme"], 5e-3, "m"),
    ),
    compute=_compute_spin_up,
)
