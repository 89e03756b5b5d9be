"""Shape functions, faces and stress points of the solid elements; node order is that of ``element_kinds``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from flexmbs.fem.solids.registry import SOLIDS
from flexmbs.fem.solids.solid_quadrature import Rule
from flexmbs.mesh.connectivity import ring
from flexmbs.mesh.element_kinds import ElementKind, faces_of, monomial_values, shape_gradients, shape_values
from flexmbs.mesh.element_table import Powers
from flexmbs.mesh.quadrature import with_polynomials

SOLID_KINDS = tuple(SOLIDS)

# Nearest to the top of a pyramid, where its Jacobian vanishes (mesh/quadrature.py); its place is then right to rounding.
_PYRAMID_TOP = -1e-14


@dataclass(frozen=True, eq=False)
class SolidShape:
    """A kind of solid element on its reference domain.

    That is the unit tetrahedron, the cube of side 2, the unit triangle times [-1, 1], for pyramids [-1, 1]^2 times
    [-1, 0].

    Attributes
    ----------
    basis : the kind with the monomials that span its shape functions on the reference domain
    nodes : (nen, 3) reference coordinates of the nodes
    edges : pairs of corners, one per midside node (empty for linear kinds)
    faces : local node numbers of each face as a polygon: corner, midside, corner, ...
    stiffness_rule, curved_stiffness_rule : Rule
        For straight-sided elements and for others.
    mass_rule, curved_mass_rule : Rule
    stress_rule : Rule
        Points where stress is most accurate; weights unused.
    stress_powers, has_incompatible_modes, has_reduced_rule : as in ``SolidElement``
    """

    basis: ElementKind
    nodes: np.ndarray
    corners: int
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[int, ...], ...]
    stiffness_rule: Rule
    curved_stiffness_rule: Rule
    mass_rule: Rule
    curved_mass_rule: Rule
    stress_rule: Rule
    stress_powers: Powers
    has_incompatible_modes: bool
    has_reduced_rule: bool

    @property
    def kind(self) -> str:
        return self.basis.name

    def values(self, xi: np.ndarray) -> np.ndarray:
        """(g, nen) shape functions at reference points (g, 3)."""
        return shape_values(self.basis, xi)

    def gradients(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3, nen) derivatives by the reference coordinates at (g, 3)."""
        return np.ascontiguousarray(shape_gradients(self.basis, xi).transpose(0, 2, 1))

    def extrapolation(self) -> np.ndarray:
        """(nen, stress points) matrix: values at the stress points to nodes, linear in each coordinate."""
        at_points = monomial_values(self.stress_powers, self.stress_rule.points)
        return monomial_values(self.stress_powers, self.nodes) @ np.linalg.pinv(at_points)

    def inside(self, xi: np.ndarray) -> np.ndarray:
        """(g, 3) reference points moved to the nearest simple place inside the reference domain."""
        if self.corners == 8:
            return np.clip(xi, -1.0, 1.0)
        if self.corners == 5:
            return np.clip(xi, -1.0, [1.0, 1.0, _PYRAMID_TOP])
        barycentric = 2 if self.corners == 6 else 3
        clipped = np.maximum(xi[..., :barycentric], 0.0)
        clipped = clipped / np.maximum(clipped.sum(axis=-1, keepdims=True), 1.0)
        return np.concatenate([clipped, np.clip(xi[..., barycentric:], -1.0, 1.0)], axis=-1)


@cache
def solid_shape(kind: str, reduced: bool = False) -> SolidShape:
    """The shape of one of ``SOLID_KINDS``; ``reduced``: with the stiffness from few points."""
    basis = with_polynomials(kind)
    faces = tuple(tuple(face[i] for i in ring(name)) for name, face in faces_of(kind))
    edges = basis.edges if basis.has_middle_nodes else ()
    element = SOLIDS[kind]
    few = element.reduced_stiffness if reduced else None
    return SolidShape(
        basis,
        basis.reference_nodes,
        basis.corner_count,
        edges,
        faces,
        stiffness_rule=few or element.stiffness,
        curved_stiffness_rule=few or element.curved_stiffness or element.stiffness,
        mass_rule=element.mass,
        curved_mass_rule=element.curved_mass or element.mass,
        stress_rule=element.stress,
        stress_powers=element.stress_powers,
        has_incompatible_modes=element.has_incompatible_modes,
        has_reduced_rule=element.reduced_stiffness is not None,
    )
