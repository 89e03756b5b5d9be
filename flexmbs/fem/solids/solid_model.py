"""The finite element model of a solid body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import FEModel, as_pairs
from flexmbs.fem.solids.solid_elements import SolidGroup, SolidOptions, mass_matrices, solid_groups, stiffness_matrices
from flexmbs.fem.solids.solid_geometric_stiffness import solid_geometric_stiffness
from flexmbs.fem.solids.solid_interpolation import solid_point_operator, solid_point_rotation
from flexmbs.fem.solids.solid_second_order import solid_second_order_loads
from flexmbs.fem.solids.solid_stress import solid_stress_modes
from flexmbs.fem.solids.solid_surface import solid_surface
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, checked_place
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class SolidModel(FEModel):
    """``FEModel`` of solid elements (``SOLID_KINDS``)."""

    groups: list[SolidGroup]

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return solid_second_order_loads(self.groups, len(self.mesh.points), np.asarray(fields), as_pairs(pairs), self.mesh.source)

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return solid_geometric_stiffness(self.groups, len(self.mesh.points), displacement, self.mesh.source)

    def inertia_samples(self, modes, pairs, quadratic):
        def at_nodes(fields):
            return np.ascontiguousarray(fields.reshape(len(fields) // 3, 3, fields.shape[1]).transpose(2, 0, 1))

        return self.mesh.points, at_nodes(modes), at_nodes(quadratic), self.scalar_mass

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return solid_surface(self.mesh, self.groups, modes, quadratic)

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        return solid_stress_modes(self.mesh, self.groups, fields, checked_place(at), with_strain)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        return solid_point_operator(self.mesh, self.groups, point)

    def point_second_order(self, point, modes, pairs, quadratic) -> np.ndarray:
        found = self.point_operator(point) @ quadratic
        found[3:] += solid_point_rotation(self.mesh, self.groups, point, np.asarray(modes), as_pairs(pairs))
        return found


def assemble_solids(mesh: Mesh, options: SolidOptions) -> SolidModel:
    """Matrices and mass properties of a mesh of solids."""
    groups = solid_groups(mesh, options)
    scalar_mass, K = solid_matrices(mesh, groups)
    return SolidModel(mesh, 3, sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K, groups, scalar_mass=scalar_mass)


def solid_matrices(mesh: Mesh, groups: list[SolidGroup]) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Scalar mass (nn, nn), kg, and stiffness (3 nn, 3 nn), N/m, of some elements of ``mesh``."""
    pattern = NodePattern(len(mesh.points), [group.nodes for group in groups])
    stiffness, scalar = pattern.zeros(3), pattern.zeros(1)
    for group, positions in zip(groups, pattern.positions, strict=True):
        for chunk in group.chunks():
            pattern.add(stiffness, positions[chunk], stiffness_matrices(group, chunk, mesh.source))
            mass = mass_matrices(group, chunk, mesh.source)
            pattern.add(scalar, positions[chunk], mass[:, :, None, :, None])
    return pattern.matrix(scalar), pattern.matrix(stiffness)
