"""Gauss points of cubes, simplices and prisms, and samples of whole elements: exact integrals of mass and moments, in chunks.

A point of the pyramid |x|, |y| <= t = 1 - z has the coordinates (x / t, y / t, -t) in [-1, 1]^2 times [-1, 0]. In them
the rational shape functions (G. Bedrosian, IJNME 35, 1992) are polynomials; they contain every linear (13 nodes:
quadratic) function of x, y, z and join all other solids.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS, shape_gradients, shape_values, triple_product

# A middle node this near to the middle of its edge (in parts of the edge's length) is there, for the choice of
# a quadrature rule: what the rule for straight sides misses is of the order of its square.
_STRAIGHT = 1e-8
_SAMPLES_AT_ONCE = 200_000


@cache
def rule(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (m, dimension) in natural coordinates and weights (m,) of an element kind."""
    count = KINDS[kind].gauss_points
    if kind.startswith("pyramid"):
        points, weights = cube(count, 3)
        return points * [1.0, 1.0, 0.5] - [0.0, 0.0, 0.5], 0.5 * weights
    if kind.startswith(("tri", "tet")):
        return simplex(count, KINDS[kind].dimension)
    if kind.startswith("wedge"):
        return prism(simplex(count, 2), count)
    return cube(count, KINDS[kind].dimension)


@cache
def _shapes(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points, weights = rule(kind)
    known = KINDS[kind]
    return shape_values(known, points), shape_gradients(known, points), weights


def solid_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (ne, m, 3) and volumes (ne, m) that integrate over solid elements with nodes at ``corners`` (ne, n, 3).

    Volumes of elements whose node order turns them inside out are made positive.
    """
    values, gradients, weights = _shapes(kind)
    jacobian = np.einsum("eni,mnj->emij", corners, gradients, optimize=True)
    volumes = weights * triple_product(*np.moveaxis(jacobian, (-2, -1), (0, 1)))
    volumes *= np.where(volumes.sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return np.einsum("eni,mn->emi", corners, values, optimize=True), volumes


def surface_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), areas (ne, m) and shape functions (m, n) of shell elements."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mnj->jemi", corners, gradients, optimize=True)
    areas = np.linalg.norm(np.cross(tangents[0], tangents[1]), axis=2)
    return np.einsum("eni,mn->emi", corners, values, optimize=True), weights * areas, values


def line_samples(kind: str, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), unit tangents (ne, m, 3), lengths (ne, m) and natural coordinates (m,) of lines."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mn->emi", ends, gradients[:, :, 0], optimize=True)
    stretch = np.linalg.norm(tangents, axis=2)
    tangents = tangents / np.where(stretch > 0.0, stretch, 1.0)[:, :, None]
    return np.einsum("eni,mn->emi", ends, values, optimize=True), tangents, weights * stretch, rule(kind)[0][:, 0]


def chunks(kind: str, count: int) -> Iterator[slice]:
    """Slices of ``count`` elements, small enough that their samples take some tens of MB."""
    samples = len(rule(kind)[1])
    step = max(1, _SAMPLES_AT_ONCE // samples)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def is_straight(kind: str, coordinates: np.ndarray, tolerance: float = _STRAIGHT) -> np.ndarray:
    """(ne,) bool: all middle nodes are in the middle of their edges, and nodes inside where the corners put them.

    True for kinds that have neither. ``coordinates`` (ne, n, 3) are those of the nodes; ``tolerance`` says how far from the
    middle a node may be, in parts of the edge's length.
    """
    known = KINDS[kind]
    straight = np.ones(len(coordinates), bool)
    for middle, (i, j) in zip(range(known.corner_count, known.node_count), known.edges, strict=False):
        bow = coordinates[:, middle] - 0.5 * (coordinates[:, i] + coordinates[:, j])
        edge = coordinates[:, j] - coordinates[:, i]
        straight &= np.linalg.norm(bow, axis=1) <= tolerance * np.linalg.norm(edge, axis=1)
    if known.inner_count:
        corners = coordinates[:, : known.corner_count]
        first, inside = KINDS[FIRST_ORDER[kind]], known.reference_nodes[-known.inner_count :]
        off = np.linalg.norm(coordinates[:, -known.inner_count :] - shape_values(first, inside) @ corners, axis=2)
        straight &= off.max(axis=1) <= tolerance * np.ptp(corners, axis=1).max(axis=1)
    return straight


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
