"""Curves in the axes of a marker: splines in arc length, along which points, rollers and cars move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import listed
from flexmbs.mechanism.geometry.rotations import as_number, as_positive, as_vector
from flexmbs.mechanism.geometry.splines import (
    Path,
    arc_length_spline,
    common_width,
    derivatives,
    finite_array,
    interval_of,
    quintic_spline,
    sampled_path,
)

_NAMED = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_MIN_SINE = 0.01  # of the angle between tangent and up direction


@dataclass(frozen=True, eq=False)
class Curve:
    """A smooth curve, stated by one of the class methods; its parameter s is the arc length (m) from its start.

    The spline has degree 5 and four continuous derivatives, so that the acceleration of what follows its tangent is
    smooth. |c'(s)| is 1 to 2e-9. The frame that follows the curve has x = tangent, y = up × x (to the left of the
    direction of travel), z = x × y. Unless given, ``up`` is marker z, or marker y when the tangent comes near z.

    Attributes
    ----------
    breaks : (n + 1,) arc lengths where the intervals begin and end, from 0 to ``length``
    coefficients : (n, 6, 3) of the powers of (s - breaks[i]), m
    closed : bool
    planar : whether it lies in a plane z = constant of the marker
    up : (3,) unit vector in marker axes
    """

    breaks: np.ndarray
    coefficients: np.ndarray
    closed: bool
    planar: bool
    up: np.ndarray

    @classmethod
    def through(cls, points: ArrayLike, closed: bool = False, up: ArrayLike | str | None = None) -> Curve:
        """Curve through ``points``, (k, 2) in the marker's x-y plane or (k, 3), in m; at least three.

        The path is the spline of degree 5 in the sum of the chords: periodic when ``closed`` (do not repeat the first
        point), else natural (third and fourth derivative vanish at the ends). MechanismError for repeated points, a
        wrong shape, numbers that are not finite, and a path that turns back.
        """
        where = "Curve.through"
        points = _spatial(finite_array(points, where, "(k, 2) or (k, 3)", 2, (2, 3)))
        if len(points) < 3:
            raise MechanismError(f"{where}: {len(points)} points given, at least 3 are needed (Curve.line joins two)")
        _refuse_repeated(points, closed, where)
        if closed:
            points = np.vstack([points, points[:1]])
        u = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        path = Path.of_spline(quintic_spline(u, points, closed), u, closed)
        return cls._along(path, u, up, where)

    @classmethod
    def line(cls, start: ArrayLike, end: ArrayLike, up: ArrayLike | str | None = None) -> Curve:
        """Straight line between two points, (2,) or (3,), m; it continues straight beyond them."""
        where = "Curve.line"
        a, b = _spatial(finite_array([start, end], where, "(2,) or (3,) for both ends", 2, (2, 3)))
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            raise MechanismError(f"{where}: start and end are the same point {a.tolist()}")
        coefficients = np.zeros((1, 6, 3))
        coefficients[0, 0], coefficients[0, 1] = a, (b - a) / length
        return cls._with_frame(np.array([0.0, length]), coefficients, False, up, where)

    @classmethod
    def circle(cls, radius: float, center: ArrayLike = (0.0, 0.0), start: float = 0.0, clockwise: bool = False) -> Curve:
        """Full circle of ``radius`` (m) about ``center`` in a plane parallel to the marker's x-y plane.

        start: angle (rad, from x towards y) where s = 0; s grows counterclockwise about z unless ``clockwise``.
        """
        where = "Curve.circle"
        radius = as_positive(radius, f"{where}: radius (m)")
        middle = _spatial(finite_array([center], where + ": center", "(2,) or (3,)", 2, (2, 3)))[0]
        start, turn = as_number(start, f"{where}: start (rad)"), -1.0 if clockwise else 1.0

        def direction(u, quarter):
            angle = start + turn * (u + quarter * np.pi / 2.0)
            return np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)

        ends = np.array([0.0, 2.0 * np.pi])
        path = Path(
            position=lambda u: middle + radius * direction(u, 0.0),
            velocity=lambda u: radius * direction(u, 1.0),
            curvature=lambda u: -direction(u, 0.0) / radius,
            corners=ends,
            closed=True,
        )
        return cls._along(path, np.linspace(*ends, 17), None, where)

    @classmethod
    def polar(
        cls,
        radius_of_angle: Callable[[float], float],
        interval: tuple[float, float] = (0.0, 2.0 * np.pi),
        closed: bool = True,
        tolerance: float | None = None,
    ) -> Curve:
        """Curve r(phi) (cos phi, sin phi) in the marker's x-y plane, as of a cam; r > 0 in m, phi in rad.

        interval: first and last angle. closed, tolerance: see :meth:`from_function`.
        """
        where = "Curve.polar"

        def point(angle):
            radius = radius_of_angle(angle)
            if not float(radius) > 0.0:
                raise MechanismError(f"{where}: the radius is {radius!r} m at {angle:.6g} rad; it must be positive")
            return float(radius) * np.cos(angle), float(radius) * np.sin(angle)

        return cls.from_function(point, interval, closed, tolerance, where=where)

    @classmethod
    def from_function(
        cls,
        function: Callable[[float], ArrayLike],
        interval: tuple[float, float],
        closed: bool = False,
        tolerance: float | None = None,
        up: ArrayLike | str | None = None,
        where: str = "Curve.from_function",
    ) -> Curve:
        """Curve of an analytic function of any parameter u to a point, (2,) or (3,), in m.

        interval : first and last u; s grows with u (or against it, when the first is the larger)
        closed : the function is smooth and periodic over the interval
        tolerance : largest distance (m) of the spline through samples from the function; default 1e-11 of the extent
        where : name for messages

        MechanismError when the function fails, is not finite or not smooth, or does not close.
        """
        first, last = as_vector(interval, f"{where}: interval", 2)
        if first == last:
            raise MechanismError(f"{where}: the interval from {first:g} to {last:g} is empty")
        if tolerance is not None:
            tolerance = as_positive(tolerance, f"{where}: tolerance (m)")

        def point(t):
            u = first + (last - first) * t
            try:
                value = function(u)
            except MechanismError:
                raise
            except Exception as error:
                raise MechanismError(f"{where}: the function fails at {u:.6g}: {error!r}") from error
            try:
                value = np.array(value, dtype=float)
            except (TypeError, ValueError):
                value = np.full(0, np.nan)
            if value.shape not in ((2,), (3,)) or not np.all(np.isfinite(value)):
                raise MechanismError(f"{where}: at {u:.6g} expected 2 or 3 finite numbers, got {value!r}")
            return np.append(value, np.zeros(3 - len(value)))

        path, cells = sampled_path(point, (0.0, 1.0), closed, tolerance, where)
        return cls._along(path, cells, up, where)

    @classmethod
    def _along(cls, path: Path, cells: np.ndarray, up, where: str) -> Curve:
        breaks, coefficients = arc_length_spline(path, cells, where)
        return cls._with_frame(breaks, coefficients, path.closed, up, where)

    @classmethod
    def _with_frame(cls, breaks, coefficients, closed: bool, up, where: str) -> Curve:
        heights = coefficients[:, 0, 2]
        planar = bool(np.ptp(heights) <= 1e-13 * np.abs(coefficients[:, 0]).max() and abs(coefficients[0, 1, 2]) < 1e-10)
        if planar:
            coefficients[:, 1:, 2] = 0.0
        curve = cls(breaks, coefficients, closed, planar, np.array([0.0, 0.0, 1.0]))
        s = (breaks[:-1, None] + np.diff(breaks)[:, None] * np.linspace(0.0, 1.0, 9)).ravel()
        object.__setattr__(curve, "up", _up_direction(curve.tangent(s), s, up, where))
        return curve

    @property
    def length(self) -> float:
        """Arc length from start to end (m); of a closed curve, once around."""
        return float(self.breaks[-1])

    def position(self, s: ArrayLike) -> np.ndarray:
        """Points at arc length s (any shape), (..., 3), m; a closed curve goes around, an open one continues."""
        return self.derivatives(s, 0)[0]

    def tangent(self, s: ArrayLike) -> np.ndarray:
        """Unit tangents at s, shape (..., 3)."""
        first = self.derivatives(s, 1)[1]
        return first / np.linalg.norm(first, axis=-1, keepdims=True)

    def curvature(self, s: ArrayLike) -> np.ndarray:
        """Curvature at s (1/m): of planar curves positive where they turn left (about z), else >= 0."""
        _, first, second, _ = self.derivatives(s, 3)
        speed = np.linalg.norm(first, axis=-1)
        across = np.cross(first, second)
        return (across[..., 2] if self.planar else np.linalg.norm(across, axis=-1)) / speed**3

    def frame(self, s: ArrayLike) -> np.ndarray:
        """Rotation matrices (..., 3, 3) of the frame that follows the curve: columns x (tangent), y, z, marker axes."""
        x = self.tangent(s)
        y = np.cross(self.up, x)
        y /= np.linalg.norm(y, axis=-1, keepdims=True)
        return np.stack([x, y, np.cross(x, y)], axis=-1)

    def derivatives(self, s: ArrayLike, order: int = 3) -> list[np.ndarray]:
        """c, c', ... up to ``order`` (at most 3) at s, each (..., 3).

        Beyond the ends of an open curve they are those of its Taylor polynomial of third order.
        """
        s = np.asarray(s, dtype=float)
        i, x, beyond = interval_of(self.breaks, self.closed, s.ravel())
        found = derivatives(self.coefficients[i], x, beyond, 3)[: order + 1]
        return [value.reshape(*s.shape, 3) for value in found]

    def offset(self, distance: float) -> Curve:
        """Parallel curve of a planar curve at ``distance`` (m): the path of the centre of a roller on it.

        Positive: to the left of the direction of travel, where y of the frame points (the inside of a closed curve that
        runs counterclockwise); negative: to the right. MechanismError where the radius of curvature is
        smaller than the distance (the parallel curve would have a cusp), and for space curves.
        """
        where = "Curve.offset"
        distance = as_number(distance, f"{where}: distance (m)")
        if not self.planar:
            raise MechanismError(f"{where}: only a curve in a plane parallel to the marker's x-y plane has a parallel curve")
        s = (self.breaks[:-1, None] + np.diff(self.breaks)[:, None] * np.linspace(0.0, 1.0, 9)).ravel()
        stretch = 1.0 - distance * self.curvature(s)
        if stretch.min() < 1e-3:
            at = s[np.argmin(stretch)]
            radius = 1.0 / abs(self.curvature(at))
            raise MechanismError(
                f"{where}: at s = {at:.6g} m the radius of curvature {radius:.6g} m is not larger than the distance "
                f"{abs(distance):.6g} m: the roller does not fit (cusp); take a smaller one"
            )
        return Curve._along(self._parallel(distance), self.breaks, self.up, where)

    def _parallel(self, distance: float) -> Path:
        def velocity(s):
            return (1.0 - distance * self.curvature(s))[:, None] * self.derivatives(s, 1)[1]

        def curvature(s):
            bend = self.curvature(s)
            return (bend / (1.0 - distance * bend))[:, None] * self.frame(s)[..., 1]

        return Path(
            position=lambda s: self.position(s) + distance * self.frame(s)[..., 1],
            velocity=velocity,
            curvature=curvature,
            corners=self.breaks,
            closed=self.closed,
        )

    def nearest(self, point: ArrayLike) -> float:
        """Arc length s (m) of the point of the curve nearest to ``point``, (2,) or (3,), m."""
        from scipy.optimize import brentq

        target = _spatial(finite_array([point], "Curve.nearest", "(2,) or (3,)", 2, (2, 3)))[0]

        def along(x):
            here, first = self.derivatives(x, 1)
            return np.sum((here - target) * first, axis=-1)

        # the least distance is at an end, or where (c - point) . c' passes zero upwards
        s = np.append((self.breaks[:-1, None] + np.diff(self.breaks)[:, None] * np.arange(8) / 8).ravel(), self.length)
        slope = along(s)
        rising = np.flatnonzero((slope[:-1] < 0.0) & (slope[1:] >= 0.0))
        roots = [brentq(along, s[j], s[j + 1], xtol=1e-15 * self.length, rtol=1e-15) for j in rising]
        candidates = np.array([0.0, self.length, *roots])
        return float(candidates[np.argmin(np.linalg.norm(self.position(candidates) - target, axis=1))])

    def pool_values(self) -> np.ndarray:
        """The curve as the flat array that ``core.mechanics.splines.curve_point`` reads and documents."""
        header = [len(self.breaks) - 1, 0.0, self.length, float(self.closed), common_width(self.breaks), *self.up]
        return np.concatenate([header, self.breaks, self.coefficients.transpose(0, 2, 1).ravel()])


def _spatial(points: np.ndarray) -> np.ndarray:
    """Points (k, 2) or (k, 3) as (k, 3), with z = 0 where there is none."""
    return np.hstack([points, np.zeros((len(points), 3 - points.shape[1]))])


def _refuse_repeated(points: np.ndarray, closed: bool, where: str) -> None:
    following = np.roll(points, -1, axis=0) if closed else points[1:]
    gaps = np.linalg.norm(following - points[: len(following)], axis=1)
    repeated = np.flatnonzero(gaps <= 1e-12 * np.ptp(points, axis=0).max())
    if len(repeated) == 0:
        return
    pairs = listed([f"{i} and {(i + 1) % len(points)}" for i in repeated], 5)
    advice = "a closed curve returns to its first point by itself: leave the last one out" if closed else "leave one out"
    raise MechanismError(f"{where}: spline with repeated points: {pairs} (numbers from 0) coincide; {advice}")


def _up_direction(tangents: np.ndarray, s: np.ndarray, up, where: str) -> np.ndarray:
    """Unit up direction; MechanismError where it is parallel to a tangent."""
    if up is None:
        z, y = np.array(_NAMED["z"]), np.array(_NAMED["y"])
        sine_z, sine_y = _sines(z, tangents).min(), _sines(y, tangents).min()
        up = z if sine_z >= min(0.1, sine_y) else y
    elif isinstance(up, str):
        if up not in _NAMED:
            raise MechanismError(f"{where}: up = {up!r} is unknown; give 'x', 'y', 'z' or a vector")
        up = np.array(_NAMED[up])
    else:
        up = as_vector(up, f"{where}: up")
        if not np.linalg.norm(up) > 0.0:
            raise MechanismError(f"{where}: up = {up.tolist()} has no direction")
        up = up / np.linalg.norm(up)
    sines = _sines(up, tangents)
    if sines.min() < _MIN_SINE:
        raise MechanismError(
            f"{where}: the up direction {up.tolist()} is parallel to the tangent at s = {s[np.argmin(sines)]:.6g} m, "
            "where the moving frame would flip; give another direction up = (x, y, z), or split the curve"
        )
    return up


def _sines(up: np.ndarray, tangents: np.ndarray) -> np.ndarray:
    return np.linalg.norm(np.cross(up, tangents), axis=1)
