"""The finite element model of a body of shells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import FEModel, as_pairs, pair_factors
from flexmbs.fem.section_forces import ShellForces
from flexmbs.fem.shells.shell_elements import ShellGroup, shell_groups
from flexmbs.fem.shells.shell_inertia import mass_matrices, shell_inertia_samples
from flexmbs.fem.shells.shell_interpolation import locate, shell_point_operator
from flexmbs.fem.shells.shell_second_order import shell_geometric_stiffness, shell_second_order_loads
from flexmbs.fem.shells.shell_strains import add_elements, shell_strains, stiffness_matrices
from flexmbs.fem.shells.shell_stress import shell_stress_modes, shell_wall_forces
from flexmbs.fem.shells.shell_surface import shell_surface
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, checked_place
from flexmbs.fem.surface_fields import SurfaceFields
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class ShellModel(FEModel):
    """``FEModel`` of shell elements (``SHELL_KINDS``)."""

    groups: list[ShellGroup]

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        return shell_second_order_loads(self.groups, len(self.mesh.points), np.asarray(fields), as_pairs(pairs))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        return shell_geometric_stiffness(self.groups, len(self.mesh.points), np.asarray(displacement))

    def inertia_samples(self, modes, pairs, quadratic):
        return shell_inertia_samples(self.groups, modes, as_pairs(pairs), quadratic)

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return shell_surface(self.groups, len(self.mesh.points), modes, as_pairs(pairs), quadratic)

    def stress_modes(self, fields: np.ndarray, at: str = "nodes", with_strain: bool = False) -> StressModes:
        return shell_stress_modes(self.mesh, self.groups, np.asarray(fields), checked_place(at), with_strain)

    def shell_forces(self, displacement: np.ndarray, at: str = "integration points") -> ShellForces:
        if checked_place(at) == "nodes":
            raise ValueError(
                "section forces of shells are not averaged at nodes; use at='element nodes' or at='integration points'"
            )
        return shell_wall_forces(self.mesh, self.groups, self._column(displacement)[:, 0], at)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        return shell_point_operator(self.mesh, self.groups, point)

    def point_second_order(self, point, modes, pairs, quadratic) -> np.ndarray:
        pairs = as_pairs(pairs)
        found = self.point_operator(point) @ quadratic
        only, values, height = locate(self.mesh, self.groups, point)
        turns = only.nodal(modes)[:, :, 3:]
        S = pair_factors(pairs) * only.second_director(turns[..., pairs[:, 0]], turns[..., pairs[:, 1]])
        found[:3] += (only.offset[0] + height) * np.einsum("n,nip->ip", values, S[0])
        return found


def assemble_shells(mesh: Mesh) -> ShellModel:
    """Matrices and mass properties of a mesh of shells."""
    groups = shell_groups(mesh)
    pattern = NodePattern(len(mesh.points), [group.nodes for group in groups])
    stiffness, mass_data = pattern.zeros(6), pattern.zeros(6)
    for group, positions in zip(groups, pattern.positions, strict=True):
        add_elements(pattern, stiffness, positions, group, lambda part: stiffness_matrices(shell_strains(part)))
        add_elements(pattern, mass_data, positions, group, mass_matrices)
    return ShellModel(mesh, 6, pattern.matrix(mass_data), pattern.matrix(stiffness), groups)
