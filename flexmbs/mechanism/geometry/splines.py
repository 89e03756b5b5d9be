"""Splines of degree 5 through given values, as polynomials per interval, and any smooth path as one in its own arc length."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
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


TANGENT_ERROR = 1e-9  # of the first derivative of the spline against the unit tangent of the path
MAX_INTERVALS = 20_000
MAX_EQUAL_INTERVALS = 512
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


@dataclass(frozen=True, eq=False)
class Path:
    """A path r(u) that is smooth between its corners.

    Attributes
    ----------
    position, velocity : functions of u (k,) to r and dr/du (k, 3), m
    curvature : function of u (k,) to the curvature vector, d2r/ds2 in arc length s (k, 3), 1/m; used at open ends
    corners : (c,) increasing values of u, between which all derivatives are continuous; first and last are the ends
    closed : bool
    """

    position: Callable[[np.ndarray], np.ndarray]
    velocity: Callable[[np.ndarray], np.ndarray]
    curvature: Callable[[np.ndarray], np.ndarray]
    corners: np.ndarray
    closed: bool

    @classmethod
    def of_spline(cls, spline: BSpline, corners: np.ndarray, closed: bool) -> Path:
        """Path of a spline in any parameter."""
        first, second = spline.derivative(1), spline.derivative(2)

        def curvature(u: np.ndarray) -> np.ndarray:
            v, a = first(u), second(u)
            square = np.sum(v * v, axis=-1, keepdims=True)
            return (a - v * np.sum(a * v, axis=-1, keepdims=True) / square) / square

        return cls(spline, first, curvature, np.asarray(corners), closed)


class ArcLength:
    """Arc length of a path as a function of its parameter, and the inverse, to rounding."""

    def __init__(self, path: Path, cells: np.ndarray, where: str):
        self.path = path
        self.u = np.asarray(cells, dtype=float)
        lengths, slowest = self._integral(self.u[:-1], self.u[1:])
        for _ in range(30):  # halve where one Gauss rule and two of them disagree
            middle = 0.5 * (self.u[:-1] + self.u[1:])
            first, second = self._integral(self.u[:-1], middle), self._integral(middle, self.u[1:])
            rough = np.abs(first[0] + second[0] - lengths) > 1e-14 * lengths.sum()
            slowest = np.minimum(first[1], second[1])
            if not rough.any() or len(self.u) > MAX_INTERVALS:
                break
            self.u = np.sort(np.concatenate([self.u, middle[rough]]))
            lengths, slowest = self._integral(self.u[:-1], self.u[1:])
        self.s = np.concatenate([[0.0], np.cumsum(lengths)])
        slowest = np.minimum(slowest, np.linalg.norm(path.velocity(self.u), axis=-1)[:-1])
        if not slowest.min() > 1e-4 * self.s[-1] / (self.u[-1] - self.u[0]):
            place = path.position(self.u[[np.argmin(slowest)]])[0]
            raise MechanismError(
                f"{where}: the curve stops or turns back near {_text(place)} m (a cusp has no tangent); "
                "make it smooth there, or give more points"
            )

    def _integral(self, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Arc length from ``start`` to ``end`` (k,), and the smallest speed met between them."""
        half = 0.5 * (end - start)
        u = 0.5 * (start + end)[:, None] + half[:, None] * _NODES
        speed = np.linalg.norm(self.path.velocity(u.ravel()), axis=-1).reshape(u.shape)
        return half * (speed @ _WEIGHTS), speed.min(axis=1)

    def parameter(self, s: np.ndarray) -> np.ndarray:
        """u at arc lengths ``s`` (k,), by Newton's method."""
        cell = np.clip(np.searchsorted(self.s, s, side="right") - 1, 0, len(self.s) - 2)
        start, end = self.u[cell], self.u[cell + 1]
        u = start + (end - start) * (s - self.s[cell]) / (self.s[cell + 1] - self.s[cell])
        for _ in range(30):  # two or three steps, as chords or samples are nearly even
            length, _slowest = self._integral(start, u)
            speed = np.linalg.norm(self.path.velocity(u), axis=-1)
            step = (self.s[cell] + length - s) / speed
            u = np.clip(u - step, start, end)
            if np.abs(step).max() <= 1e-13 * (self.u[-1] - self.u[0]):
                break
        return u


def arc_length_spline(path: Path, cells: np.ndarray, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Breaks (n + 1,) in arc length from 0 (m) and coefficients (n, 6, 3) of the spline that follows ``path``.

    cells: values of u, the corners among them, between which the speed is smooth. Intervals are halved where the first
    derivative of the spline deviates from the path's unit tangent by more than TANGENT_ERROR: all of them as long as
    that keeps them equal and few (equal ones are found without a search). MechanismError beyond MAX_INTERVALS.
    """
    measure = ArcLength(path, cells, where)
    corners = np.interp(path.corners, measure.u, measure.s)  # exact: corners are among measure.u
    smooth = len(corners) == 2
    breaks = np.linspace(0.0, measure.s[-1], 17) if smooth else corners
    while len(breaks) <= MAX_INTERVALS and np.diff(breaks).min() > 1e-8 * measure.s[-1]:
        spline = _spline_at(path, measure, breaks)
        error = _tangent_error(path, measure, spline, breaks)
        wrong = error > TANGENT_ERROR
        if not wrong.any():
            return breaks, local_coefficients(spline, breaks)
        if smooth and len(breaks) <= MAX_EQUAL_INTERVALS:
            wrong[:] = True
        worst = breaks[[np.argmax(error)]]
        breaks = _halved(breaks, _graded(breaks, wrong))
    place = path.position(measure.parameter(worst))[0]
    raise MechanismError(
        f"{where}: {len(breaks) - 1} intervals do not represent the curve in arc length (tangent error "
        f"{error.max():.1e} near {_text(place)} m); "
        "it has a kink, a cusp or a jump of curvature there: give smoother data"
    )


def _halved(breaks: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    return np.sort(np.concatenate([breaks, 0.5 * (breaks[:-1] + breaks[1:])[chosen]]))


def _graded(breaks: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """``chosen`` and the intervals that would be more than three times as wide as a neighbour (splines need it)."""
    while True:
        width = np.where(chosen, 0.5, 1.0) * np.diff(breaks)
        narrow = np.minimum(np.append(width[1:], np.inf), np.insert(width[:-1], 0, np.inf))
        wide = (width > 3.0 * narrow) & ~chosen
        if not wide.any():
            return chosen
        chosen = chosen | wide


def _spline_at(path: Path, measure: ArcLength, breaks: np.ndarray) -> BSpline:
    u = measure.parameter(breaks)
    u[0], u[-1] = path.corners[0], path.corners[-1]
    ends = None
    if not path.closed:
        velocity, curvature = path.velocity(u[[0, -1]]), path.curvature(u[[0, -1]])
        ends = tuple((v / np.linalg.norm(v), c) for v, c in zip(velocity, curvature, strict=True))
    return quintic_spline(breaks, path.position(u), path.closed, ends)


def _tangent_error(path: Path, measure: ArcLength, spline: BSpline, breaks: np.ndarray) -> np.ndarray:
    """Largest |c' - unit tangent| in each interval."""
    inner = np.array([0.13, 0.31, 0.5, 0.69, 0.87])
    s = (breaks[:-1, None] + np.diff(breaks)[:, None] * inner).ravel()
    velocity = path.velocity(measure.parameter(s))
    tangent = velocity / np.linalg.norm(velocity, axis=-1, keepdims=True)
    error = np.linalg.norm(spline(s, nu=1) - tangent, axis=-1)
    return error.reshape(-1, len(inner)).max(axis=1)


def _text(place: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in place) + ")"


def sampled_path(
    function: Callable[[float], np.ndarray], interval: tuple[float, float], closed: bool, tolerance: float | None, where: str
) -> tuple[Path, np.ndarray]:
    """Path through samples of ``function`` (u to (3,), m), which it meets to ``tolerance`` (m); and the samples' u.

    tolerance: default 1e-11 of the largest extent. MechanismError when MAX_INTERVALS do not suffice.
    """
    from scipy.interpolate import make_interp_spline

    u = np.linspace(*interval, 65)
    points = np.array([function(x) for x in u])
    extent = float(np.ptp(points, axis=0).max())
    if closed and np.linalg.norm(points[-1] - points[0]) > 1e-9 * extent:
        gap = np.linalg.norm(points[-1] - points[0])
        raise MechanismError(f"{where}: a closed curve must end where it starts, but its ends are {gap:.3g} m apart")
    tolerance = max(1e-11 * extent if tolerance is None else tolerance, 1e-15 * np.abs(points).max())
    while len(u) <= MAX_INTERVALS:
        # at open ends without conditions of its own ("not a knot")
        spline = quintic_spline(u, points, True) if closed else make_interp_spline(u, points, k=5)
        between = 0.5 * (u[:-1] + u[1:])
        exact = np.array([function(x) for x in between])
        error = np.linalg.norm(spline(between) - exact, axis=-1)
        if error.max() <= tolerance:
            return Path.of_spline(spline, u[[0, -1]], closed), u
        order = np.argsort(np.concatenate([u, between]), kind="stable")
        u, points = np.concatenate([u, between])[order], np.concatenate([points, exact])[order]
    raise MechanismError(
        f"{where}: {MAX_INTERVALS} samples do not represent the function to {tolerance:.1e} m (error "
        f"{error.max():.1e} m at u = {between[np.argmax(error)]:.6g}); "
        "it is not smooth there: give a smoother function, or a larger tolerance"
    )
