"""Flap and chord frequencies of a rotating cantilever, which the centrifugal force stiffens."""

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
