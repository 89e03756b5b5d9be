"""Products of Gauss points on the reference domains: cubes, simplices, prisms."""

from __future__ import annotations

import numpy as np

Points = tuple[np.ndarray, np.ndarray]  # (m, dimension) and weights (m,)


def cube(count: int, dimension: int) -> Points:
    """``count`` points in each direction of [-1, 1]^dimension; exact to degree 2 count - 1 in each coordinate."""
    x, w = np.polynomial.legendre.leggauss(count)
    return _grid(x, dimension), np.prod(_grid(w, dimension), axis=1)


def simplex(count: int, dimension: int) -> Points:
    """Points on the unit triangle or tetrahedron, exact to the total degree 2 count - dimension.

    The square or cube collapsed to it: Stroud's conical product with Legendre points.
    """
    points, weights = cube(count, dimension)
    u, weights = 0.5 * (1.0 + points), weights / 2.0**dimension
    collapsed, rest = np.empty_like(u), np.ones(len(u))
    for axis in range(dimension):
        collapsed[:, axis] = rest * u[:, axis]
        weights = weights * (1.0 - u[:, axis]) ** (dimension - 1 - axis)
        rest = rest * (1.0 - u[:, axis])
    return collapsed, weights


def prism(triangle: Points, count: int) -> Points:
    """Product of points on the unit triangle and ``count`` Gauss points along the prism's axis, [-1, 1]."""
    (points, weights), (x, w) = triangle, np.polynomial.legendre.leggauss(count)
    along = np.repeat(x, len(points))[:, None]
    return np.hstack([np.tile(points, (count, 1)), along]), np.tile(weights, count) * np.repeat(w, len(points))


def _grid(values: np.ndarray, dimension: int) -> np.ndarray:
    return np.stack(np.meshgrid(*[values] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
