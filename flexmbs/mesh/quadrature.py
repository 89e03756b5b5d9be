"""Sample points and weights over elements: exact integrals of mass, first and second moments, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, shape_gradients, shape_values

FIRST_ORDER = {
    "tri6": "tri3",
    "quad8": "quad4",
    "tet10": "tet4",
    "pyramid13": "pyramid5",
    "wedge15": "wedge6",
    "hex20": "hex8",
    "beam3": "beam2",
    "truss3": "truss2",
}
# A middle node this near to the middle of its edge (in parts of the element's size) is there.
_STRAIGHT = 1e-9
_SAMPLES_AT_ONCE = 200_000

# A pyramid is a hexahedron whose top is one point; the Jacobian vanishes there only.
_PYRAMID_AS_HEX = {
    "pyramid5": ("hex8", [0, 1, 2, 3, 4, 4, 4, 4]),
    "pyramid13": ("hex20", [0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8, 4, 4, 4, 4, 9, 10, 11, 12]),
}

# Gauss points per direction. First-order kinds and lines: exact for position times position times Jacobian (degree 4
# in each direction of hexahedra and wedges, 2 in affine simplices). Curved kinds: the volume is exact, the moments of
# inertia of elements with curved edges nearly (degree 7 of 9). Areas of warped surfaces are no polynomials.
_GAUSS_POINTS = {
    "tri3": 2,
    "tri6": 5,
    "quad4": 3,
    "quad8": 4,
    "tet4": 3,
    "tet10": 5,
    "wedge6": 3,
    "wedge15": 5,
    "hex8": 3,
    "hex20": 4,
    "beam2": 3,
    "beam3": 5,
    "truss2": 3,
    "truss3": 5,
}


@cache
def rule(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (m, dimension) in natural coordinates and weights (m,) of an element kind (not of pyramids).

    Simplices take products of Gauss points on the square or cube that is collapsed to them.
    """
    x, w = np.polynomial.legendre.leggauss(_GAUSS_POINTS[kind])
    half, half_weight = (x + 1.0) / 2.0, w / 2.0
    if kind.startswith("tri"):
        return _collapsed(half, half_weight, 2)
    if kind.startswith("tet"):
        return _collapsed(half, half_weight, 3)
    if kind.startswith("wedge"):
        points, weights = _collapsed(half, half_weight, 2)
        return (
            np.column_stack([np.tile(points, (len(x), 1)), np.repeat(x, len(points))]),
            np.tile(weights, len(x)) * np.repeat(w, len(weights)),
        )
    dimension = KINDS[kind].dimension
    points = np.stack(np.meshgrid(*[x] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    weights = np.prod(np.stack(np.meshgrid(*[w] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension), axis=1)
    return points, weights


def _collapsed(x: np.ndarray, w: np.ndarray, dimension: int) -> tuple[np.ndarray, np.ndarray]:
    u = np.stack(np.meshgrid(*[x] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    weights = np.prod(np.stack(np.meshgrid(*[w] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension), axis=1)
    points, rest = np.empty_like(u), np.ones(len(u))
    for axis in range(dimension):
        points[:, axis] = rest * u[:, axis]
        weights = weights * (1.0 - u[:, axis]) ** (dimension - 1 - axis)
        rest = rest * (1.0 - u[:, axis])
    return points, weights


@cache
def _shapes(kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points, weights = rule(kind)
    return shape_values(KINDS[kind], points), shape_gradients(KINDS[kind], points), weights


def solid_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (ne, m, 3) and volumes (ne, m) that integrate over solid elements.

    Volumes of elements whose node order turns them inside out are made positive.

    Parameters
    ----------
    corners : (ne, n, 3) coordinates of the elements' nodes
    """
    if kind in _PYRAMID_AS_HEX:
        kind, nodes = _PYRAMID_AS_HEX[kind]
        corners = corners[:, nodes]
    values, gradients, weights = _shapes(kind)
    volumes = weights * _determinants(np.einsum("eni,mnj->emij", corners, gradients, optimize=True))
    volumes *= np.where(volumes.sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    return np.einsum("eni,mn->emi", corners, values, optimize=True), volumes


def surface_samples(kind: str, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), unit normals (ne, m, 3), areas (ne, m) and shape functions (m, n) of shell elements."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mnj->jemi", corners, gradients, optimize=True)
    normals = np.cross(tangents[0], tangents[1])
    areas = np.linalg.norm(normals, axis=2)
    normals = normals / np.where(areas > 0.0, areas, 1.0)[:, :, None]
    return np.einsum("eni,mn->emi", corners, values, optimize=True), normals, weights * areas, values


def line_samples(kind: str, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Positions (ne, m, 3), unit tangents (ne, m, 3), lengths (ne, m) and natural coordinates (m,) of lines."""
    values, gradients, weights = _shapes(kind)
    tangents = np.einsum("eni,mn->emi", ends, gradients[:, :, 0], optimize=True)
    stretch = np.linalg.norm(tangents, axis=2)
    tangents = tangents / np.where(stretch > 0.0, stretch, 1.0)[:, :, None]
    return np.einsum("eni,mn->emi", ends, values, optimize=True), tangents, weights * stretch, rule(kind)[0][:, 0]


def chunks(kind: str, count: int) -> Iterator[slice]:
    """Slices of ``count`` elements, small enough that their samples take some tens of MB."""
    samples = len(rule(_PYRAMID_AS_HEX.get(kind, (kind,))[0])[1])
    step = max(1, _SAMPLES_AT_ONCE // samples)
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))


def is_straight(kind: str, corners: np.ndarray) -> np.ndarray:
    """(ne,) whether all middle nodes of second-order elements are in the middle of their edges."""
    known = KINDS[kind]
    first, second = np.array(known.edges).T
    middles = (corners[:, first] + corners[:, second]) / 2.0
    off = np.abs(corners[:, known.corner_count :] - middles).max(axis=(1, 2))
    return off <= _STRAIGHT * np.ptp(corners[:, : known.corner_count], axis=1).max(axis=1)


def _determinants(matrices: np.ndarray) -> np.ndarray:
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(matrices, (-2, -1), (0, 1))
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
