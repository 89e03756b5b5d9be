"""Splines of degree 5 through given values, as polynomials per interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError

if TYPE_CHECKING:  # imported where it is needed: it takes a tenth of a second
    from scipy.interpolate import BSpline

DEGREE = 5


def quintic_spline(x: np.ndarray, values: np.ndarray, closed: bool, ends: Any = None) -> BSpline:
    """Spline of degree 5, four times continuously differentiable, through ``values`` (k, ...) at ``x`` (k,).

    closed: periodic, the last value equal to the first. ends: first and second derivative at the start and at the end,
    ((first, second), (first, second)); without them third and fourth derivative vanish there (the natural spline).
    """
    from scipy.interpolate import make_interp_spline

    if closed:
        values = values.copy()
        values[-1] = values[0]
        return make_interp_spline(x, values, k=DEGREE, bc_type="periodic")
    conditions: tuple[Any, ...]
    if ends is None:
        zero = np.zeros(values.shape[1:])
        conditions = ([(3, zero), (4, zero)],) * 2
    else:
        conditions = tuple([(1, first), (2, second)] for first, second in ends)
    return make_interp_spline(x, values, k=DEGREE, bc_type=conditions)


def local_coefficients(spline: BSpline, breaks: np.ndarray) -> np.ndarray:
    """Coefficients (n, 6, ...) of the powers of (x - breaks[i]) on each of the n intervals between ``breaks``."""
    powers = [spline(breaks[:-1], nu=order) / math.factorial(order) for order in range(DEGREE + 1)]
    return np.stack(powers, axis=1)


def common_width(breaks: np.ndarray) -> float:
    """Width of the intervals when all are equal to rounding, else 0."""
    widths = np.diff(breaks)
    even = np.abs(breaks - np.linspace(breaks[0], breaks[-1], len(breaks))).max()
    return float(widths.mean()) if even <= 1e-13 * (breaks[-1] - breaks[0]) else 0.0


def interval_of(breaks: np.ndarray, closed: bool, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Interval that holds each x, the distance from its start, and how far x lies beyond the ends (not closed)."""
    if closed:
        period = breaks[-1] - breaks[0]
        x = x - period * np.floor((x - breaks[0]) / period)
    inside = np.clip(x, breaks[0], breaks[-1])
    i = np.clip(np.searchsorted(breaks, inside, side="right") - 1, 0, len(breaks) - 2)
    return i, inside - breaks[i], x - inside


def derivatives(coefficients: np.ndarray, x: np.ndarray, beyond: np.ndarray, order: int) -> list[np.ndarray]:
    """Derivatives 0 to ``order`` at x of polynomials (k, 6, d), continued ``beyond`` x as Taylor polynomials of it."""
    x, beyond = x[:, None], beyond[:, None]
    at_x = []
    for nu in range(order + 1):
        value = np.zeros_like(coefficients[:, 0])
        for power in range(DEGREE, nu - 1, -1):
            value = value * x + math.perm(power, nu) * coefficients[:, power]
        at_x.append(value)
    return [
        sum(at_x[high] * beyond ** (high - nu) / math.factorial(high - nu) for high in range(nu, order + 1))
        for nu in range(order + 1)
    ]


def finite_array(values: ArrayLike, where: str, shape: str, dimensions: int, widths: tuple[int, ...]) -> np.ndarray:
    """``values`` as floats with that many dimensions, the last of a length in ``widths``; MechanismError otherwise."""
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise MechanismError(f"{where}: expected numbers of shape {shape}, got {type(values).__name__}") from None
    if array.ndim != dimensions or array.shape[-1] not in widths:
        raise MechanismError(f"{where}: expected numbers of shape {shape}, got shape {array.shape}")
    if not np.all(np.isfinite(array)):
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0][:-1])
        raise MechanismError(f"{where}: point {first[0] if len(first) == 1 else first} is not finite")
    return array
