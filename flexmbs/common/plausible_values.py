"""Plausible values in SI: what lies outside was likely meant in other units. A warning says so; the value is used as given."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import BodyWarning, FlexmbsWarning, MechanismWarning
from flexmbs.common.user_warnings import warn

TURN = 2.0 * math.pi
ROUND_DEGREES = 15.0  # of angles to which functions of time lead: turns may be round in rad too
MIN_SPEED, ROUND_SPEED = 1200.0, 50.0  # rad/s, and steps of what is likely rev/min; 1200 rad/s are 11459 of them
MAX_FRICTION = 3.0  # racing tires have less than 2
MAX_PLAY = 0.25  # of the radius of a pin; loose hinges have 0.05
MAX_GRAVITY = 1000.0  # m/s2; 9810 mm/s2 is above, centrifuges of test rigs are below
MAX_BODY, MAX_PART = 1000.0, 50.0  # m; the largest ships have 460 m, and 50 mm of millimeters is already a small part
DENSITIES = (1.0, 25_000.0)  # kg/m3: aerogel and osmium
MAX_DISTANCE, MAX_GYRATIONS = 10.0, 100.0  # m, and radii of gyration, from a body to its marker: beyond both, other units
# Pa and kg/m3, of metals and plastics: in units of a system softer and lighter materials (rubber, foam) are real
SOLID_MODULI, SOLID_DENSITIES = (3e9, 6.3e11), (2000.0, 25_000.0)


@dataclass(frozen=True)
class Doubt:
    """When a value is doubted, and what is said then: functions of the value and of what else the caller states."""

    arises: Callable[..., bool]
    text: Callable[..., str]
    category: type[FlexmbsWarning] = MechanismWarning


def _is_beyond_a_turn(values: Iterable[float]) -> bool:
    return bool(np.any(np.abs(np.asarray(values, dtype=float)) > TURN + 1e-9))


def _are_twelfths_of_pi(angles: Iterable[float]) -> bool:
    twelfths = np.array([angle for angle in angles if angle != 0.0]) / (math.pi / 12.0)
    return len(twelfths) > 0 and bool(np.all(np.abs(twelfths - np.round(twelfths)) < 1e-9))


def _list(values: Iterable[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


_DOUBTS = {
    # rad, rad/s: round numbers of degrees (multiples of step), of revolutions per minute
    "angle": Doubt(
        lambda value, step=0.5: abs(value) > TURN and value % step == 0.0,
        lambda value, step=0.5: (
            f": {value:g} rad is {abs(value) / TURN:.3g} turns; angles are in rad: use math.radians({value:g}) for degrees"
        ),
    ),
    "speed": Doubt(
        lambda value: abs(value) >= MIN_SPEED and value % ROUND_SPEED == 0.0,
        lambda value: (
            f": {value:g} rad/s are {abs(value) * 60.0 / TURN:.0f} rev/min; rates are in rad/s: {value:g} rev/min are "
            f"{value * TURN / 60.0:.6g}"
        ),
    ),
    "rotation vector": Doubt(
        lambda vector: float(np.linalg.norm(vector)) > TURN + 1e-9,
        lambda vector: (
            f": the rotation vector {_list(vector)} is {np.linalg.norm(vector):.4g} rad = "
            f"{np.linalg.norm(vector) / TURN:.3g} turns long; it is axis times angle in rad; for degrees use np.radians, or "
            "fm.EulerAngles(..., degrees=True)"
        ),
    ),
    "angles in rad": Doubt(
        _is_beyond_a_turn, lambda angles: f": {_list(angles)} rad is more than a turn; set degrees=True for degrees"
    ),
    "angles in degrees": Doubt(
        _are_twelfths_of_pi, lambda angles: f": {_list(angles)} degrees are round fractions of pi; omit degrees=True for rad"
    ),
    # anything but a number passes: laws of friction are checked by their coefficients
    "friction": Doubt(
        lambda value: isinstance(value, int | float | np.number) and bool(value > MAX_FRICTION),
        lambda value: (
            f": no pair of materials has a coefficient of friction of {value:g}: {value:g} % are {value / 100.0:g}"
            + (f", {value:g} degrees {math.tan(math.radians(value)):.3g}" if value < 90.0 else "")
        ),
    ),
    "clearance": Doubt(  # m
        lambda radial, radius: radial > MAX_PLAY * radius,
        lambda radial, radius: (
            f": clearance: radial = {radial:g} m is {radial / radius:.3g} times the radius of the pin, "
            f"{radius:g} m; both are in m ({radial:g} mm are {radial / 1000.0:g})"
        ),
    ),
    "gravity": Doubt(  # m/s2
        lambda vector: float(np.linalg.norm(vector)) > MAX_GRAVITY,
        lambda vector: f" of {np.linalg.norm(vector):g} m/s2: lengths are in m, so gravity on earth is 9.81",
    ),
    "size": Doubt(  # m
        lambda size: size > MAX_BODY, lambda size: f" is {size:g} m large: lengths are in m, not mm", BodyWarning
    ),
    "density": Doubt(  # kg/m3
        lambda value: not DENSITIES[0] <= value <= DENSITIES[1],
        lambda value: f": no solid has a density of {value:g} kg/m3; steel has 7850 (7.85 t/m3, 7.85e-9 t/mm3)",
        BodyWarning,
    ),
    # m from the center of a body, with its radius of gyration in m
    "distance": Doubt(
        lambda value, gyration: gyration > 0.0 and value > max(MAX_DISTANCE, MAX_GYRATIONS * gyration),
        lambda value, gyration: (
            f" is {value:.4g} m from the centre of a body with a radius of gyration of {gyration:.3g} m: lengths are in m, not mm"
        ),
    ),
}


def warn_if_implausible(kind: str, value: object, where: str, **stated: float) -> None:
    """Warn of a value that was likely meant in other units; ``kind`` of the table above, ``where`` begins the sentence."""
    doubt = _DOUBTS[kind]
    if doubt.arises(value, **stated):
        warn(where + doubt.text(value, **stated), doubt.category)
