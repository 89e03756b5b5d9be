"""Surfaces in the axes of a marker: tensor splines, on which points of other bodies move."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.rotations import as_vector
from flexmbs.mechanism.geometry.splines import (
    DEGREE,
    common_width,
    derivatives,
    finite_array,
    interval_of,
    local_coefficients,
    quintic_spline,
)


@dataclass(frozen=True, eq=False)
class Surface:
    """A smooth surface x(u, v), stated by one of the class methods: a tensor spline of degree 5.

    The parameters u, v are lengths (m) along the grid, but not arc lengths.

    Attributes
    ----------
    u_breaks, v_breaks : (m + 1,), (n + 1,) parameters where patches begin and end
    coefficients : (m, n, 6, 6, 3) of (u - u_i)^a (v - v_j)^b at [i, j, a, b], m
    closed : whether it is periodic in u, in v
    """

    u_breaks: np.ndarray
    v_breaks: np.ndarray
    coefficients: np.ndarray
    closed: tuple[bool, bool] = (False, False)

    @classmethod
    def through(cls, grid: ArrayLike, closed: tuple[bool, bool] = (False, False)) -> Surface:
        """Surface through ``grid`` (m, n, 3), m: u runs along the first index, v along the second; at least 3 by 3.

        u and v are the mean sums of the chords between grid lines. closed: periodic in u, in v (do not repeat the first
        line). Open directions are natural splines. MechanismError for repeated points, a wrong shape, numbers that are
        not finite, and where the directions of u and v coincide, so that there is no normal.
        """
        where = "Surface.through"
        points = finite_array(grid, where, "(m, n, 3)", 3, (3,))
        if min(points.shape[:2]) < 3:
            raise MechanismError(f"{where}: a grid of {points.shape[0]} by {points.shape[1]} points; at least 3 by 3 needed")
        if len(closed) != 2:
            raise MechanismError(f"{where}: closed must be two of True or False (in u, in v), got {closed!r}")
        for axis in (0, 1):
            if closed[axis]:
                points = np.concatenate([points, points.take([0], axis)], axis)
        u, v = _mean_chords(points, 0, closed, where), _mean_chords(points, 1, closed, where)
        return cls._fit(u, v, points, (bool(closed[0]), bool(closed[1])), where)

    @classmethod
    def height(cls, x: ArrayLike, y: ArrayLike, z: ArrayLike | Callable[[float, float], float]) -> Surface:
        """Surface z = f(x, y) in marker axes, with u = x and v = y.

        x : (m,), y : (n,) increasing, m, at least three each
        z : (m, n) heights at x[i], y[j], m, or a function of (x, y)
        """
        where = "Surface.height"
        x, y = _increasing(x, f"{where}: x"), _increasing(y, f"{where}: y")
        if callable(z):
            z = [[z(a, b) for b in y] for a in x]
        z = finite_array(z, f"{where}: z", f"({len(x)}, {len(y)})", 2, (len(y),))
        if len(z) != len(x):
            raise MechanismError(f"{where}: z has {len(z)} rows for {len(x)} values of x")
        points = np.stack([*np.meshgrid(x, y, indexing="ij"), z], axis=-1)
        return cls._fit(x, y, points, (False, False), where)

    @classmethod
    def plane(cls, origin: ArrayLike = (0.0, 0.0, 0.0), u: ArrayLike = (1.0, 0.0, 0.0), v: ArrayLike = (0.0, 1.0, 0.0)) -> Surface:
        """Unbounded plane through ``origin`` (m), spanned by the directions ``u`` and ``v`` (made unit vectors)."""
        where = "Surface.plane"
        origin = as_vector(origin, f"{where}: origin")
        directions = [as_vector(given, f"{where}: {name}") for given, name in ((u, "u"), (v, "v"))]
        lengths = [np.linalg.norm(one) for one in directions]
        if min(lengths) == 0.0 or np.linalg.norm(np.cross(*directions)) <= 1e-9 * np.prod(lengths):
            raise MechanismError(f"{where}: the directions u = {u!r} and v = {v!r} do not span a plane")
        coefficients = np.zeros((1, 1, DEGREE + 1, DEGREE + 1, 3))
        coefficients[0, 0, 0, 0] = origin
        coefficients[0, 0, 1, 0], coefficients[0, 0, 0, 1] = directions[0] / lengths[0], directions[1] / lengths[1]
        return cls(np.array([0.0, 1.0]), np.array([0.0, 1.0]), coefficients)

    @classmethod
    def _fit(cls, u: np.ndarray, v: np.ndarray, points: np.ndarray, closed: tuple[bool, bool], where: str) -> Surface:
        along_u = local_coefficients(quintic_spline(u, points, closed[0]), u)  # (m, 6, n + 1, 3)
        across = quintic_spline(v, np.moveaxis(along_u, 2, 0), closed[1])
        coefficients = local_coefficients(across, v)  # (n, 6, m, 6, 3)
        surface = cls(u, v, np.ascontiguousarray(coefficients.transpose(2, 0, 3, 1, 4)), closed)
        surface._refuse_singular(where)
        return surface

    def _refuse_singular(self, where: str) -> None:
        u, v = (np.union1d(b, 0.5 * (b[:-1] + b[1:])) for b in (self.u_breaks, self.v_breaks))
        u, v = (grid.ravel() for grid in np.meshgrid(u, v, indexing="ij"))
        _, x_u, x_v, *_ = self.derivatives(u, v)
        area = np.linalg.norm(np.cross(x_u, x_v), axis=-1)
        if area.min() <= 1e-6 * area.max():
            k = int(np.argmin(area))
            raise MechanismError(
                f"{where}: near u = {u[k]:.6g}, v = {v[k]:.6g} the directions of u and v coincide or vanish, so that "
                "the surface has no normal there; avoid poles and folds in the grid"
            )

    def derivatives(self, u: ArrayLike, v: ArrayLike) -> list[np.ndarray]:
        """x, x_u, x_v, x_uu, x_uv, x_vv at u, v (same shape ...), each (..., 3).

        Beyond its ends the surface continues by its Taylor polynomial of second order in each direction.
        """
        u, v = np.broadcast_arrays(np.asarray(u, dtype=float), np.asarray(v, dtype=float))
        i, x, u_beyond = interval_of(self.u_breaks, self.closed[0], u.ravel())
        j, y, v_beyond = interval_of(self.v_breaks, self.closed[1], v.ravel())
        patches = self.coefficients[i, j]  # (k, 6, 6, 3)
        count = len(patches)
        by_v = derivatives(patches.transpose(0, 2, 1, 3).reshape(count, DEGREE + 1, -1), y, v_beyond, 2)
        by_both = [derivatives(one.reshape(count, DEGREE + 1, 3), x, u_beyond, 2) for one in by_v]
        order = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
        return [by_both[b][a].reshape(*u.shape, 3) for a, b in order]

    def position(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Points at u, v, shape (..., 3), m."""
        return self.derivatives(u, v)[0]

    def normal(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """Unit normals x_u × x_v at u, v, shape (..., 3)."""
        _, x_u, x_v, *_ = self.derivatives(u, v)
        across = np.cross(x_u, x_v)
        return across / np.linalg.norm(across, axis=-1, keepdims=True)

    def nearest(self, point: ArrayLike) -> tuple[float, float]:
        """Parameters u, v of the point nearest to ``point`` (3,), m, within the surface's ends (a plane: anywhere)."""
        from scipy.optimize import least_squares

        target = as_vector(point, "Surface.nearest: point")
        if self.coefficients.shape[:2] == (1, 1):  # a plane
            _, x_u, x_v, *_ = self.derivatives(0.0, 0.0)
            u, v = np.linalg.lstsq(np.stack([x_u, x_v], axis=-1), target - self.position(0.0, 0.0), rcond=None)[0]
            return float(u), float(v)
        grids = [np.linspace(b[0], b[-1], 4 * len(b)) for b in (self.u_breaks, self.v_breaks)]
        u, v = (grid.ravel() for grid in np.meshgrid(*grids, indexing="ij"))
        start = int(np.argmin(np.linalg.norm(self.position(u, v) - target, axis=-1)))
        free = np.inf
        ends = (self.u_breaks[[0, -1]], self.v_breaks[[0, -1]])
        low = [-free if c else e[0] for c, e in zip(self.closed, ends, strict=True)]
        high = [free if c else e[1] for c, e in zip(self.closed, ends, strict=True)]
        found = least_squares(
            lambda w: self.position(*w) - target,
            np.clip([u[start], v[start]], low, high),
            jac=lambda w: np.stack(self.derivatives(*w)[1:3], axis=-1),
            bounds=(low, high),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        return float(found.x[0]), float(found.x[1])

    def pool_values(self) -> np.ndarray:
        """The surface as the flat array that ``core.mechanics.splines.surface_point`` reads and documents."""
        u, v = self.u_breaks, self.v_breaks
        counts = [len(u) - 1, len(v) - 1]
        header = [*counts, u[0], u[-1], v[0], v[-1], *map(float, self.closed), common_width(u), common_width(v)]
        return np.concatenate([header, u, v, self.coefficients.transpose(0, 1, 4, 2, 3).ravel()])


def _mean_chords(points: np.ndarray, axis: int, closed: tuple[bool, bool], where: str) -> np.ndarray:
    """Parameters of the grid lines along ``axis``: sums of the mean chords; MechanismError for repeated points."""
    chords = np.linalg.norm(np.diff(points, axis=axis), axis=-1)
    repeated = np.argwhere(chords <= 1e-12 * np.ptp(points, axis=(0, 1)).max())
    if len(repeated):
        i, j = (int(k) for k in repeated[0])
        counts = [points.shape[k] - (1 if closed[k] else 0) for k in (0, 1)]
        other = [i, j]
        other[axis] += 1
        other = tuple(k % count for k, count in zip(other, counts, strict=True))
        raise MechanismError(f"{where}: spline with repeated points: grid points {(i, j)} and {other} coincide; leave one out")
    return np.concatenate([[0.0], np.cumsum(chords.mean(axis=1 - axis))])


def _increasing(values, where: str) -> np.ndarray:
    values = finite_array([values], where, "(k,)", 2, tuple(range(3, 1_000_000)))[0]
    steps = np.diff(values)
    if not np.all(steps > 0.0):
        k = int(np.argmin(steps))
        raise MechanismError(f"{where} must increase, but value {k + 1} ({values[k + 1]:g}) does not exceed {values[k]:g}")
    return values
