"""Warnings for values that appear to be in the wrong unit; the values are used as given."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from flexmbs.common.errors import BodyWarning, MechanismWarning
from flexmbs.common.user_warnings import warn

TURN = 2.0 * math.pi
LARGEST_BODY = 1000.0  # m; the largest ships have 460 m
LARGEST_GRAVITY = 1000.0  # m/s2; 9810 mm/s2 is above, centrifuges of test rigs are below
DENSITIES = (1.0, 25_000.0)  # kg/m3: aerogel and osmium
ROUND_DEGREES = 15.0  # of angles to which functions of time lead: turns may be round in rad too
ROUND_SPEED, LEAST_SPEED = 50.0, 1200.0  # of what is likely rev/min; 1200 rad/s are 11459 of them
LARGEST_FRICTION = 3.0  # racing tyres have less than 2
LARGEST_PLAY = 0.25  # of the radius of a pin; loose hinges have 0.05
FAR = (10.0, 100.0)  # m, and radii of gyration: a marker farther than both from its body is in other units


def angle(value: float, where: str, step: float = 0.5) -> None:
    """Warn of an angle (rad) of more than a turn that is a round number of degrees, a multiple of ``step``."""
    if abs(value) > TURN and value % step == 0.0:
        warn(
            f"{where}: {value:g} rad is {abs(value) / TURN:.3g} turns; angles are in rad: use math.radians({value:g}) for degrees",
            MechanismWarning,
        )


def speed(value: float, where: str) -> None:
    """Warn of a rate (rad/s) that is a round number of revolutions per minute, such as 1500 or 3000."""
    if abs(value) >= LEAST_SPEED and value % ROUND_SPEED == 0.0:
        warn(
            f"{where}: {value:g} rad/s are {abs(value) * 60.0 / TURN:.0f} rev/min; rates are in rad/s: "
            f"{value:g} rev/min are {value * TURN / 60.0:.6g}",
            MechanismWarning,
        )


def friction(value: object, where: str) -> None:
    """Warn of a coefficient of friction that no pair of materials has; anything but a number passes."""
    if isinstance(value, int | float | np.number) and value > LARGEST_FRICTION:
        warn(
            f"{where}: no pair of materials has a coefficient of friction of {value:g}: {value:g} % are {value / 100.0:g}"
            + (f", {value:g} degrees {math.tan(math.radians(value)):.3g}" if value < 90.0 else ""),
            MechanismWarning,
        )


def clearance(radial: float, radius: float, where: str) -> None:
    """Warn of a radial clearance (m) that is a large part of the radius of its pin (m)."""
    if radial > LARGEST_PLAY * radius:
        warn(
            f"{where}: clearance: radial = {radial:g} m is {radial / radius:.3g} times the radius of the pin, {radius:g} m; both "
            f"are in m ({radial:g} mm are {radial / 1000.0:g})",
            MechanismWarning,
        )


def rotation_vector(vector: np.ndarray, where: str) -> None:
    """Warn of a rotation vector (3,) rad that is longer than a turn: it is never needed."""
    length = float(np.linalg.norm(vector))
    if length > TURN + 1e-9:
        warn(
            f"{where}: the rotation vector {_numbers(vector)} is {length:.4g} rad = {length / TURN:.3g} turns long; "
            "it is axis times angle in rad; for degrees use np.radians, or fm.EulerAngles(..., degrees=True)",
            MechanismWarning,
        )


def euler_angles(angles: Iterable[float], degrees: bool, where: str) -> None:
    """Warn of Euler angles in rad of more than a turn, and of ones in degrees that are twelfths of pi."""
    angles = np.asarray(angles, dtype=float)
    if not degrees and np.any(np.abs(angles) > TURN + 1e-9):
        text = f"{where}: {_numbers(angles)} rad is more than a turn; set degrees=True for degrees"
        warn(text, MechanismWarning)
    twelfths = angles[angles != 0.0] / (math.pi / 12.0)
    if degrees and len(twelfths) and np.all(np.abs(twelfths - np.round(twelfths)) < 1e-9):
        text = f"{where}: {_numbers(angles)} degrees are round fractions of pi; omit degrees=True for rad"
        warn(text, MechanismWarning)


def gravity(vector: np.ndarray) -> None:
    """Warn of an acceleration (m/s2) as it is in mm/s2."""
    size = float(np.linalg.norm(vector))
    if size > LARGEST_GRAVITY:
        warn(f"gravity of {size:g} m/s2: lengths are in m, so gravity on earth is 9.81", MechanismWarning)


def body_size(largest: float, where: str) -> None:
    """Warn of a body of more than ``LARGEST_BODY`` (m)."""
    if largest > LARGEST_BODY:
        warn(f"{where} is {largest:g} m large: lengths are in m, not mm", BodyWarning)


def density(value: float, where: str) -> None:
    """Warn of a density (kg/m3) that no solid has."""
    if not DENSITIES[0] <= value <= DENSITIES[1]:
        text = f"{where}: no solid has a density of {value:g} kg/m3; steel has 7850 (7.85 t/m3, 7.85e-9 t/mm3)"
        warn(text, BodyWarning)


def marker_position(distance: float, gyration: float, where: str) -> None:
    """Warn of a marker that is ``distance`` (m) from the centre of a body with this radius of gyration (m)."""
    if gyration > 0.0 and distance > FAR[0] and distance > FAR[1] * gyration:
        warn(
            f"{where} is {distance:.4g} m from the centre of a body with a radius of gyration of {gyration:.3g} m: "
            "lengths are in m, not mm",
            MechanismWarning,
        )


def _numbers(values: Iterable[float]) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
