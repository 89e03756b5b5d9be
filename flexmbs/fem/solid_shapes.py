"""Quadrature, faces and stress points of the solid elements; shapes and node order are those of ``element_kinds``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from flexmbs.mesh import gauss
from flexmbs.mesh.element_kinds import KINDS, faces_of, monomial_values, shape_gradients, shape_values
from flexmbs.mesh.faces import ring

SOLID_KINDS = ("tet4", "tet10", "wedge6", "wedge15", "hex8", "hex20")


@dataclass(frozen=True, eq=False)
class Rule:
    """Quadrature points (g, 3) and weights (g,) on the reference element."""

    points: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True, eq=False)
class SolidShape:
    """A kind of solid element on its reference domain (unit tetrahedron, cube of side 2, unit triangle times [-1, 1]).

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
    nodes: np.ndarray
    corners: int
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[int, ...], ...]
    stiffness_rule: Rule
    curved_stiffness_rule: Rule
    mass_rule: Rule
    curved_mass_rule: Rule
    stress_rule: Rule

    def values(self, xi: np.ndarray) -> np.ndarray:
        """(g, nen) shape functions at reference points (g, 3)."""
        return shape_values(KINDS[self.kind], xi)

    def gradients(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3, nen) derivatives by the reference coordinates at (g, 3)."""
        return np.ascontiguousarray(shape_gradients(KINDS[self.kind], xi).transpose(0, 2, 1))

    def extrapolation(self) -> np.ndarray:
        """(nen, stress points) matrix: values at the stress points to nodes, linear in each coordinate."""
        points = self.stress_rule.points
        powers = KINDS[_LINEAR[self.corners]].monomials if len(points) > 1 else ((0, 0, 0),)
        return monomial_values(powers, self.nodes) @ np.linalg.inv(monomial_values(powers, points))

    def inside(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3) reference points moved to the nearest simple place inside the reference domain."""
        if self.corners == 8:
            return np.clip(xi, -1.0, 1.0)
        barycentric = 2 if self.corners == 6 else 3
        clipped = np.maximum(xi[..., :barycentric], 0.0)
        clipped = clipped / np.maximum(clipped.sum(axis=-1, keepdims=True), 1.0)
        return np.concatenate([clipped, np.clip(xi[..., barycentric:], -1.0, 1.0)], axis=-1)


_LINEAR = {4: "tet4", 6: "wedge6", 8: "hex8"}


def _gauss_cube(count: int) -> Rule:
    return Rule(*gauss.cube(count, 3))


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


def _prism(triangle: gauss.Points, count: int) -> Rule:
    return Rule(*gauss.prism(triangle, count))


def _triangle(orbits: tuple[tuple[tuple[float, ...], float], ...]) -> tuple[np.ndarray, np.ndarray]:
    """All distinct permutations of barycentric coordinates, with weights that sum to 1 over the area 1/2."""
    points, weights = [], []
    for barycentric, weight in orbits:
        distinct = sorted({p for p in product(barycentric, repeat=3) if sorted(p) == sorted(barycentric)})
        points += [p[1:] for p in distinct]
        weights += [weight / 2.0] * len(distinct)
    return np.array(points), np.array(weights)


def _six_points() -> tuple[np.ndarray, np.ndarray]:
    # degree 4: Strang and Fix, An Analysis of the Finite Element Method, 1973
    a, b = 0.445948490915964886, 0.091576213509770743
    return _triangle((((a, a, 1 - 2 * a), 0.223381589678011466), ((b, b, 1 - 2 * b), 0.109951743655321868)))


def _three_points() -> tuple[np.ndarray, np.ndarray]:
    return _triangle((((1 / 6, 1 / 6, 2 / 3), 1 / 3),))


def _rules(kind: str) -> dict[str, Rule]:
    """Quadrature of a kind: stiffness and mass, each for straight and for curved sides, and the stress points."""
    if kind.startswith("tet"):
        quadratic = kind == "tet10"
        center = Rule(np.full((1, 3), 0.25), np.array([1.0 / 6.0]))
        four, fourteen = _four_points(), _fourteen_points()
        stiffness = four if quadratic else center
        return {
            "stiffness_rule": stiffness,
            "curved_stiffness_rule": fourteen if quadratic else center,
            # products of two shape functions: degree 4 and 2; times the Jacobian of curved sides: degree 7
            "mass_rule": fourteen if quadratic else four,
            "curved_mass_rule": Rule(*gauss.simplex(5, 3)) if quadratic else four,
            "stress_rule": stiffness,
        }
    if kind.startswith("wedge"):
        quadratic = kind == "wedge15"
        # Derivatives along the prism are quadratic in the triangle: their products have degree 4.
        stiffness = _prism(_six_points(), 3) if quadratic else _prism(_three_points(), 2)
        curved = _prism(gauss.simplex(5, 2), 5)
        return {
            "stiffness_rule": stiffness,
            "curved_stiffness_rule": curved if quadratic else stiffness,
            # straight sides, but faces that need not be parallel: the Jacobian adds degree 1 (2 along the prism)
            "mass_rule": _prism(gauss.simplex(4, 2), 4) if quadratic else _prism(_six_points(), 3),
            "curved_mass_rule": curved if quadratic else _prism(_six_points(), 3),
            "stress_rule": _prism(_three_points(), 2),
        }
    stiffness, mass = (_gauss_cube(3), _gauss_cube(4)) if kind == "hex20" else (_gauss_cube(2), _gauss_cube(3))
    return {
        "stiffness_rule": stiffness,
        "curved_stiffness_rule": stiffness,
        "mass_rule": mass,
        "curved_mass_rule": mass,
        "stress_rule": _gauss_cube(2),
    }


@cache
def solid_shape(kind: str) -> SolidShape:
    """The shape of one of ``SOLID_KINDS``."""
    known = KINDS[kind]
    faces = tuple(tuple(face[i] for i in ring(name)) for name, face in faces_of(kind))
    edges = known.edges if known.node_count > known.corner_count else ()
    return SolidShape(kind, known.reference_nodes, known.corner_count, edges, faces, **_rules(kind))
