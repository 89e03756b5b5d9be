"""Shape functions, quadrature and faces of the solid elements, in the node order of VTK."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

SOLID_KINDS = ("tet4", "tet10", "hex8", "hex20")

_TET_CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
_TET_EDGES = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
_HEX_CORNERS = np.array(
    [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float
)
_HEX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
# corners of each face, seen from outside anticlockwise
_TET_FACES = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
_HEX_FACES = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))


@dataclass(frozen=True, eq=False)
class Rule:
    """Quadrature points (g, 3) and weights (g,) on the reference element."""

    points: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class SolidShape:
    """One kind of solid element on its reference domain (unit tetrahedron, cube of side 2).

    Attributes
    ----------
    nodes : (nen, 3) reference coordinates of the nodes
    edges : pairs of corners, one per midside node (empty for linear kinds)
    faces : local node numbers of each face as a polygon: corner, midside, corner, ...
    stiffness_rule, curved_stiffness_rule : Rule
        For straight-sided elements and for others.
    mass_rule, curved_mass_rule : Rule
    stress_rule : Rule
        Points where stress is most accurate; weights unused.
    """

    kind: str
    exponents: np.ndarray
    nodes: np.ndarray
    corners: int
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[int, ...], ...]
    stiffness_rule: Rule
    curved_stiffness_rule: Rule
    mass_rule: Rule
    curved_mass_rule: Rule
    stress_rule: Rule

    @property
    def is_tetrahedron(self) -> bool:
        return self.corners == 4

    def values(self, xi: np.ndarray) -> np.ndarray:
        """(g, nen) shape functions at reference points (g, 3)."""
        return _monomials(xi, self.exponents) @ np.linalg.inv(_monomials(self.nodes, self.exponents))

    def gradients(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3, nen) derivatives by the reference coordinates at (g, 3)."""
        inverse = np.linalg.inv(_monomials(self.nodes, self.exponents))
        parts = []
        for axis in range(3):
            lowered = self.exponents.copy()
            lowered[:, axis] = np.maximum(lowered[:, axis] - 1, 0)
            parts.append(_monomials(xi, lowered) * self.exponents[:, axis] @ inverse)
        return np.stack(parts, axis=1)

    def extrapolation(self) -> np.ndarray:
        """(nen, stress points) matrix: values at the stress points to nodes, linear in each coordinate."""
        points = self.stress_rule.points
        low = [e for e in product((0, 1), repeat=3) if not self.is_tetrahedron or sum(e) <= 1]
        exponents = np.array(low if len(points) > 1 else [(0, 0, 0)])
        return _monomials(self.nodes, exponents) @ np.linalg.inv(_monomials(points, exponents))

    def inside(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3) reference points moved to the nearest simple place inside the reference domain."""
        if not self.is_tetrahedron:
            return np.clip(xi, -1.0, 1.0)
        clipped = np.maximum(xi, 0.0)
        return clipped / np.maximum(clipped.sum(axis=-1, keepdims=True), 1.0)


def _monomials(xi: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    return np.prod(np.asarray(xi, dtype=float)[:, None, :] ** exponents, axis=2)


def _gauss_cube(count: int) -> Rule:
    x, w = np.polynomial.legendre.leggauss(count)
    return Rule(np.array(list(product(x, repeat=3))), np.array([np.prod(c) for c in product(w, repeat=3)]))


def _collapsed_tetrahedron(count: int) -> Rule:
    """Cube rule mapped to the tetrahedron (Stroud's conical product with Legendre points), degree 2 count - 3."""
    cube = _gauss_cube(count)
    a, b, c = (0.5 * (1.0 + cube.points)).T
    points = np.stack([a, b * (1 - a), c * (1 - a) * (1 - b)], axis=1)
    return Rule(points, cube.weights / 8.0 * (1 - a) ** 2 * (1 - b))


def _symmetric_tetrahedron(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> Rule:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the volume 1/6."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=4) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 6.0] * len(distinct)
    return Rule(np.array(points), np.array(weights))


def _four_points() -> Rule:
    a = (5.0 - np.sqrt(5.0)) / 20.0
    return _symmetric_tetrahedron((((a, a, a, 1 - 3 * a), 0.25),))


def _fourteen_points() -> Rule:
    # degree 5, positive weights: Walkington, Quadrature on simplices of arbitrary dimension, 2000
    a, b, c = 0.31088591926330060980, 0.092735250310891226402, 0.045503704125649649492
    return _symmetric_tetrahedron(
        (
            ((a, a, a, 1 - 3 * a), 0.11268792571801585080),
            ((b, b, b, 1 - 3 * b), 0.073493043116361949544),
            ((c, c, 0.5 - c, 0.5 - c), 0.042546020777081466438),
        )
    )


def _tetrahedron(kind: str) -> SolidShape:
    quadratic = kind == "tet10"
    degree = 2 if quadratic else 1
    exponents = np.array([e for e in product(range(degree + 1), repeat=3) if sum(e) <= degree])
    edges = _TET_EDGES if quadratic else ()
    center = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
    four, fourteen = _four_points(), _fourteen_points()
    stiffness = four if quadratic else center
    return SolidShape(
        kind,
        exponents,
        _with_midsides(_TET_CORNERS, edges),
        4,
        edges,
        _with_midside_nodes(_TET_FACES, edges, 4),
        stiffness_rule=stiffness,
        curved_stiffness_rule=fourteen if quadratic else center,
        # products of two shape functions: degree 4 and 2; times the Jacobian of curved sides: degree 7
        mass_rule=fourteen if quadratic else four,
        curved_mass_rule=_collapsed_tetrahedron(5) if quadratic else four,
        stress_rule=stiffness,
    )


def _hexahedron(kind: str) -> SolidShape:
    quadratic = kind == "hex20"
    # serendipity: at most one coordinate squared
    exponents = np.array([e for e in product(range(3 if quadratic else 2), repeat=3) if e.count(2) <= 1])
    edges = _HEX_EDGES if quadratic else ()
    stiffness, mass = (_gauss_cube(3), _gauss_cube(4)) if quadratic else (_gauss_cube(2), _gauss_cube(3))
    return SolidShape(
        kind,
        exponents,
        _with_midsides(_HEX_CORNERS, edges),
        8,
        edges,
        _with_midside_nodes(_HEX_FACES, edges, 8),
        stiffness_rule=stiffness,
        curved_stiffness_rule=stiffness,
        mass_rule=mass,
        curved_mass_rule=mass,
        stress_rule=_gauss_cube(2),
    )


def _with_midsides(corners: np.ndarray, edges: tuple[tuple[int, int], ...]) -> np.ndarray:
    return np.array([*corners, *(0.5 * (corners[i] + corners[j]) for i, j in edges)])


def _with_midside_nodes(faces: tuple, edges: tuple, corners: int) -> tuple[tuple[int, ...], ...]:
    middle = {frozenset(edge): corners + k for k, edge in enumerate(edges)}
    polygons = []
    for face in faces:
        polygon: list[int] = []
        for i, j in zip(face, face[1:] + face[:1], strict=True):
            polygon += [i, middle[frozenset((i, j))]] if middle else [i]
        polygons.append(tuple(polygon))
    return tuple(polygons)


@cache
def solid_shape(kind: str) -> SolidShape:
    """The shape of one of ``SOLID_KINDS``."""
    return _tetrahedron(kind) if kind.startswith("tet") else _hexahedron(kind)
