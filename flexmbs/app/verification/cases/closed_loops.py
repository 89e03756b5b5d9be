"""Closed kinematic loops, rigid and flexible, with their default tolerances."""

from __future__ import annotations

from typing import Any

from flexmbs.app.verification.reference_data import reference
from flexmbs.app.verification.verification_case import Quantity, VerificationCase
from flexmbs.case.cases import run_case

_CONSTRAINTS = Quantity("largest constraint error", 0.0, 1e-10, "m, rad", scale=1.0)


def _four_bar() -> dict[str, Any]:
    found = run_case("n_four_bar", {"loops": 1}).figures
    return {
        "position of the first point at 10 s": [found["x"], found["y"]],
        "velocity of the first point at 10 s": [found["vx"], found["vy"]],
        "energy error": found["energy_error"],
        "largest constraint error": found["constraint_error"],
    }


_WINDOW = reference("rigid_n_fourbar")["1"]
FOUR_BAR = VerificationCase(
    name="four_bar",
    title="four-bar linkage falling through its singular positions, 10 s",
    source="IFToMM multibody benchmark A02; its equation with one degree of freedom, DOP853",
    accuracy="reference to 1e-12; each singular position multiplies the error that rtol 1e-9 leaves, and rounding",
    quantities=(
        Quantity("position of the first point at 10 s", [_WINDOW["x"], _WINDOW["y"]], 1e-6, "m", scale=1.0),
        Quantity("velocity of the first point at 10 s", [_WINDOW["vx"], _WINDOW["vy"]], 1e-6, "m/s", scale=1.0),
        Quantity("energy error", 0.0, 1e-7, "of the kinetic energy", scale=1.0),
        _CONSTRAINTS,
    ),
    compute=_four_bar,
)


def _spatial_slider_crank() -> dict[str, Any]:
    found = run_case("spatial_slider_crank").figures
    return {
        "crank angle at 5 s": found["theta_end"],
        "slider position at 5 s": found["x_end"],
        "largest constraint error": found["constraint_error"],
    }


_AT_5_S = reference("rigid_spatial_slider_crank")["t5"]
SPATIAL_SLIDER_CRANK = VerificationCase(
    name="spatial_slider_crank",
    title="spatial slider-crank: revolute, spherical, universal and prismatic joint in one loop, 5 s",
    source="Haug, Computer Aided Kinematics and Dynamics (1989), IFToMM library; one degree of freedom, DOP853",
    accuracy="reference to 1e-8; integrated with rtol 1e-9 over nine turns of the crank",
    quantities=(
        Quantity("crank angle at 5 s", _AT_5_S["theta"], 1e-8, "rad"),
        Quantity("slider position at 5 s", _AT_5_S["x"], 1e-7, "m"),
        _CONSTRAINTS,
    ),
    compute=_spatial_slider_crank,
)


def _squeezer() -> dict[str, Any]:
    found = run_case("andrews_squeezer").figures
    return {
        "seven angles at 0.03 s": found["q"],
        "their rates at 0.03 s": found["v"],
        "largest constraint error": found["constraint_error"],
    }


_PUBLISHED = reference("ivp_andrews")["published"]
SQUEEZER = VerificationCase(
    name="squeezer",
    title="Andrews' squeezing mechanism, three loops, 0.03 s",
    source="Mazzia and Magherini, Test Set for IVP Solvers, release 2.4 (2008): published solution",
    accuracy="published angles are good to 2e-10 and rates to 5e-7 rad/s, 4e-10 of the crank's rate of 1140 rad/s",
    quantities=(
        Quantity("seven angles at 0.03 s", _PUBLISHED["q"], 2e-9, "rad"),
        Quantity("their rates at 0.03 s", _PUBLISHED["v"], 5e-9, "rad/s", scale=1140.0),
        _CONSTRAINTS,
    ),
    compute=_squeezer,
)


def _flexible_slider_crank() -> dict[str, Any]:
    found = run_case("slider_crank_simeon").figures
    return {
        "angle of the rod at 0.1 s": found["phi2"],
        "position of the slider at 0.1 s": found["x3"],
        "modal coordinates of the rod at 0.1 s": [found[f"q{k}"] for k in (1, 2, 3, 4)],
        "largest constraint error": found["constraint_error"],
    }


_SIMEON = reference("ivp_crank")["published"]
FLEXIBLE_SLIDER_CRANK = VerificationCase(
    name="flexible_slider_crank",
    title="Simeon's slider-crank with an elastic rod, 0.1 s",
    source="Simeon (1996); Mazzia and Magherini, Test Set for IVP Solvers, release 2.4 (2008): published solution",
    accuracy="the published start values violate the constraints by 1e-9 m, which is seen in the ninth digit of the"
    " position; modal coordinates are compared on the scale of the first one's swing, 0.5 mm",
    quantities=(
        Quantity("angle of the rod at 0.1 s", _SIMEON["phi2"], 1e-7, "rad"),
        Quantity("position of the slider at 0.1 s", _SIMEON["x3"], 1e-7, "m"),
        Quantity("modal coordinates of the rod at 0.1 s", [_SIMEON[f"q{k}"] for k in (1, 2, 3, 4)], 1e-5, "m", scale=5e-4),
        _CONSTRAINTS,
    ),
    compute=_flexible_slider_crank,
)
