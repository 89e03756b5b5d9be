"""The finite element model of solids, their geometric stiffness under a displacement, and the stress at their outer faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from flexmbs.fem.fe_model import FEModel, as_pairs
from flexmbs.fem.solids.solid_elements import (
    SolidGroup,
    SolidOptions,
    displacement_gradients,
    field_internal_modes,
    mass_matrices,
    physical_gradients,
    solid_groups,
    stiffness_matrices,
)
from flexmbs.fem.solids.solid_interpolation import solid_point_operator, solid_point_rotation
from flexmbs.fem.solids.solid_second_order import solid_second_order_loads
from flexmbs.fem.solids.solid_stress import nodal_stress, solid_stress_modes
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


def solid_surface(mesh: Mesh, groups: list[SolidGroup], modes: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
    """Outer faces as polygons through corner and midside nodes.

    Stress is averaged over all elements at each node, without regard to changes of material.
    """
    outer = outer_faces(groups)
    polygons = [nodes for nodes, _ in outer]
    on_surface = np.unique(np.concatenate([p.ravel() for p in polygons]))
    new_index = np.full(len(mesh.points), -1)
    new_index[on_surface] = np.arange(len(on_surface))
    faces = np.concatenate([_vtk_faces(new_index[p]) for p in polygons])
    return SurfaceFields(
        points=mesh.points[on_surface],
        faces=faces,
        modes=_fields_at_nodes(modes, on_surface),
        quadratic=_fields_at_nodes(quadratic, on_surface),
        stress_modes=np.ascontiguousarray(nodal_stress(groups, modes, mesh.source, new_index).transpose(2, 0, 1)),
        elements=np.concatenate([ids for _, ids in outer]),
    )


def outer_faces(groups: list[SolidGroup]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Faces that belong to one element only: node polygons (faces, nodes) and the numbers (faces,) of their elements.

    One pair of arrays for each number of nodes.
    """
    polygons: dict[int, list[np.ndarray]] = {}
    elements: dict[int, list[np.ndarray]] = {}
    for group in groups:
        for face in group.shape.faces:
            polygons.setdefault(len(face), []).append(group.nodes[:, face])
            elements.setdefault(len(face), []).append(group.ids)
    keys, owners = [], []
    stacked = [np.concatenate(parts) for _, parts in sorted(polygons.items())]
    ids = [np.concatenate(parts) for _, parts in sorted(elements.items())]
    corner_step = [2 if size > 4 else 1 for size in sorted(polygons)]  # 6 or 8 nodes: corners and midside nodes in turn
    for polygon, step in zip(stacked, corner_step, strict=True):
        corners = np.sort(polygon[:, ::step], axis=1)
        padded = np.full((len(corners), 4), -1)
        padded[:, : corners.shape[1]] = corners
        keys.append(padded)
        owners.append(len(corners))
    _, inverse, counts = np.unique(np.concatenate(keys), axis=0, return_inverse=True, return_counts=True)
    once = np.split(counts[inverse.ravel()] == 1, np.cumsum(owners)[:-1])
    kept = zip(stacked, ids, once, strict=True)
    return [(polygon[single], numbers[single]) for polygon, numbers, single in kept if single.any()]


def _vtk_faces(polygons: np.ndarray) -> np.ndarray:
    return np.column_stack([np.full(len(polygons), polygons.shape[1]), polygons]).ravel()


def _fields_at_nodes(fields: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(ndof, n) to (n, nodes, 3)."""
    return np.ascontiguousarray(fields.reshape(len(fields) // 3, 3, fields.shape[1])[nodes].transpose(2, 0, 1))


def solid_geometric_stiffness(
    groups: list[SolidGroup], node_count: int, displacement: np.ndarray, source: str
) -> sparse.csr_matrix:
    """(ndof, ndof) int grad N_i . sigma(u) . grad N_j dV for each displacement component, N/m.

    The quadrature is that of the stiffness matrix; internal modes of incompatible elements follow their nodes.
    """
    pattern = NodePattern(node_count, [group.nodes for group in groups])
    data = pattern.zeros(3)
    for group, positions in zip(groups, pattern.positions, strict=True):
        for chunk in group.chunks():
            pattern.add(data, positions[chunk], _element_matrices(group, chunk, displacement, source))
    return pattern.matrix(data)


def _element_matrices(group: SolidGroup, chunk: slice, displacement: np.ndarray, source: str) -> np.ndarray:
    gradients, weights = physical_gradients(group, chunk, group.stiffness_rule, source)
    internal = field_internal_modes(group, chunk, source)
    slopes = displacement_gradients(gradients, group, chunk, displacement[:, None], internal)
    strain = 0.5 * (slopes + slopes.transpose(0, 1, 3, 2, 4))
    stress = group.elasticity.of(chunk).stress(strain)[..., 0] * weights[:, :, None, None]
    scalar = np.einsum("egim,egij,egjn->emn", gradients, stress, gradients, optimize=True)
    count, size, _ = scalar.shape
    whole = np.zeros((count, size, 3, size, 3))
    for axis in range(3):
        whole[:, :, axis, :, axis] = scalar
    return whole if internal is None else _at_nodes(whole, internal)


def _at_nodes(whole: np.ndarray, internal: np.ndarray) -> np.ndarray:
    """Matrices of nodes and internal modes (ne, m, 3, m, 3) brought to the nodes, for modes a = T u."""
    count, size = len(whole), 3 * whole.shape[1]
    nodal = internal.shape[2]
    to_all = np.concatenate([np.broadcast_to(np.eye(nodal), (count, nodal, nodal)), internal], axis=1)
    brought = to_all.transpose(0, 2, 1) @ whole.reshape(count, size, size) @ to_all
    return brought.reshape(count, nodal // 3, 3, nodal // 3, 3)
