"""The family of solids: matrices, second-order loads, geometric stiffness, and places inside elements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from scipy import sparse

from flexmbs.common.errors import BodyError
from flexmbs.fem.elasticity import Elasticity, IsotropicElasticity
from flexmbs.fem.family import Family, Samples, as_samples, by_node, pair_factors
from flexmbs.fem.solids.elements import (
    SolidGroup,
    SolidOptions,
    condensed_loads,
    displacement_gradients,
    field_internal_modes,
    mass_matrices,
    physical_gradients,
    solid_groups,
    stiffness_matrices,
)
from flexmbs.fem.solids.second_order_kernel import add_at_nodes, element_loads
from flexmbs.fem.solids.stress import solid_stress_modes, solid_surface
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.stress_field import StressModes, SurfaceFields
from flexmbs.mesh.mesh import Mesh

POINT_TOLERANCE = 1e-6  # of the body's size: a point given in decimal digits still counts as on the surface
NEWTON_STEPS = 30
# Elements taken at a time for second-order loads: their slopes and loads stay in the cache, and numpy has enough to do at once.
_CHUNK = 64
# 11, 22, 33, 23, 13, 12 among the nine components of a tensor; shear strains stand for both of their places
_NORMAL, _SHEAR = [0, 4, 8], [5, 2, 1]


@dataclass(frozen=True, eq=False)
class Solids(Family):
    """Solid elements; their nodes have no rotations."""

    groups: list[SolidGroup]  # elements of one kind and material each
    scalar_mass: sparse.csr_matrix  # (nn, nn) csr ``int N_i N_j dm`` (kg), with M = scalar_mass kron I3
    components: ClassVar[int] = 3

    def matrices_of(self, chosen: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        scalar_mass, K = _matrices(self.mesh, [group for group in self.groups if chosen[group.region]])
        return sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K

    def second_order_loads(self, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """f_ab = int B^T D sym(grad a^T grad b) dV.

        The quadrature is that of the stiffness matrix, so f_ab is the exact derivative of the discrete elastic energy.
        """
        total = np.zeros((len(self.mesh.points), 3, len(pairs)))
        for group in self.groups if len(pairs) else ():
            for part in group.chunks(_CHUNK):
                nodes = np.ascontiguousarray(part.nodes, dtype=np.int64)
                add_at_nodes(total, nodes, np.ascontiguousarray(_second_order_loads(part, fields, pairs)))
        return total.reshape(3 * len(total), len(pairs))

    def geometric_stiffness(self, displacement: np.ndarray) -> sparse.csr_matrix:
        """int grad N_i . sigma(u) . grad N_j dV for each displacement component, N/m.

        The quadrature is that of the stiffness matrix; internal modes of incompatible elements follow their nodes.
        """
        pattern = NodePattern(len(self.mesh.points), [group.nodes for group in self.groups])
        return pattern.of_groups(3, self.groups, partial(_geometric_matrices, displacement=displacement))

    def inertia_samples(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> Samples:
        first, second = (as_samples(by_node(fields, 3)) for fields in (modes, quadratic))
        return self.mesh.points, first, second, self.scalar_mass

    def surface(self, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> SurfaceFields:
        return solid_surface(self.mesh, self.groups, modes, quadratic)

    def stress_modes(self, fields: np.ndarray, at: str, with_strain: bool) -> StressModes:
        return solid_stress_modes(self.mesh, self.groups, fields, at, with_strain)

    def point_operator(self, point: np.ndarray) -> sparse.csr_matrix:
        """Displacement, and half the curl as the rotation."""
        nodes, values, slopes = _at_point(self.mesh, self.groups, point)
        operator = sparse.lil_matrix((6, 3 * len(self.mesh.points)))
        for axis in range(3):
            after, last = (axis + 1) % 3, (axis + 2) % 3
            operator[axis, 3 * nodes + axis] = values
            operator[3 + axis, 3 * nodes + last] = 0.5 * slopes[after]
            operator[3 + axis, 3 * nodes + after] = -0.5 * slopes[last]
        return operator.tocsr()

    def point_second_order(self, point: np.ndarray, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray) -> np.ndarray:
        """With the rotation R of F = R U, F = I + grad u, to second order.

        With E and w the symmetric part and half the curl of the first-order gradient, log R has - 1/2 (tr(E) I - E) w more
        than half the curl of F.
        """
        found = self.point_operator(point) @ quadratic
        nodes, _, slopes = _at_point(self.mesh, self.groups, point)
        gradients = np.einsum("jn,nia->aij", slopes, by_node(modes, 3)[nodes])
        E = 0.5 * (gradients + gradients.transpose(0, 2, 1))
        curl = [gradients[:, (i + 2) % 3, (i + 1) % 3] - gradients[:, (i + 1) % 3, (i + 2) % 3] for i in range(3)]
        w = 0.5 * np.stack(curl, axis=1)
        across = np.trace(E, axis1=1, axis2=2)[:, None, None] * np.eye(3) - E
        a, b = pairs.T
        both = np.einsum("pij,pj->pi", across[a], w[b]) + np.einsum("pij,pj->pi", across[b], w[a])
        found[3:] += (-0.5 * pair_factors(pairs)[:, None] * both).T
        return found


def solids(mesh: Mesh, options: SolidOptions) -> Solids:
    """The solids of a mesh."""
    groups = solid_groups(mesh, options)
    scalar_mass, K = _matrices(mesh, groups)
    return Solids(mesh, sparse.kron(scalar_mass, sparse.eye(3), format="csr"), K, groups, scalar_mass)


def _matrices(mesh: Mesh, groups: list[SolidGroup]) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """Scalar mass (nn, nn), kg, and stiffness (3 nn, 3 nn), N/m, of some elements of ``mesh``."""
    pattern = NodePattern(len(mesh.points), [group.nodes for group in groups])
    K = pattern.of_groups(3, groups, stiffness_matrices)
    return pattern.of_groups(1, groups, mass_matrices), K


def _second_order_loads(group: SolidGroup, fields: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(ne, nen, 3, npairs)."""
    gradients, weights = physical_gradients(group, group.stiffness_rule)
    internal = field_internal_modes(group)
    slopes = displacement_gradients(gradients, group, fields, internal)
    loads = np.zeros((len(gradients), gradients.shape[3], 3, len(pairs)))
    first, second = np.ascontiguousarray(pairs.T, dtype=np.int64)
    stress_of_strain = np.ascontiguousarray(_stress_of_strain(group.elasticity))
    strain, stress = np.empty((2, 6, len(pairs)))
    element_loads(
        *(np.ascontiguousarray(part) for part in (slopes, gradients, weights)),
        stress_of_strain,
        first,
        second,
        strain,
        stress,
        loads,
    )
    return loads if internal is None else condensed_loads(internal, loads)


def _stress_of_strain(elastic: Elasticity) -> np.ndarray:
    """(ne or 1, 6, 6): stress from the tensor components of the strain, orders as in the kernel."""
    unit = np.zeros((9, 6))
    unit[_NORMAL, [0, 1, 2]] = unit[_SHEAR, [3, 4, 5]] = 1.0
    unit = np.maximum(unit.reshape(3, 3, 6), unit.reshape(3, 3, 6).swapaxes(0, 1))
    count = 1 if isinstance(elastic, IsotropicElasticity) or elastic.axes is None else len(elastic.axes)
    stress = elastic.stress(np.broadcast_to(unit, (count, 1, 3, 3, 6)))
    return np.ascontiguousarray(stress.reshape(count, 9, 6)[:, _NORMAL + _SHEAR])


def _geometric_matrices(group: SolidGroup, displacement: np.ndarray) -> np.ndarray:
    gradients, weights = physical_gradients(group, group.stiffness_rule)
    internal = field_internal_modes(group)
    slopes = displacement_gradients(gradients, group, displacement[:, None], internal)
    strain = 0.5 * (slopes + slopes.transpose(0, 1, 3, 2, 4))
    stress = group.elasticity.stress(strain)[..., 0] * weights[:, :, None, None]
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


def _at_point(mesh: Mesh, groups: list[SolidGroup], point: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes (n,) of the element that has ``point``, shape functions (n,) and their gradients (3, n) there."""
    point = np.asarray(point, dtype=float)
    size = np.ptp(mesh.points, axis=0).max()
    group, element, xi, distance = _containing_element(groups, point, POINT_TOLERANCE * size)
    if group is None or distance > POINT_TOLERANCE * size:
        nearest = min(distance, np.linalg.norm(mesh.points - point, axis=1).min())
        raise BodyError(
            f"point {point.tolist()} m lies about {nearest:.3g} m outside the body {mesh.source or ''}, which spans "
            f"{mesh.points.min(axis=0).tolist()} to {mesh.points.max(axis=0).tolist()} m"
        )
    values = group.shape.values(xi[None])[0]
    reference = group.shape.gradients(xi[None])[0]
    slopes = np.linalg.solve(reference @ group.coordinates[element], reference)
    return group.nodes[element], values, slopes


def _containing_element(groups: list[SolidGroup], point: np.ndarray, tolerance: float):
    """Group, element, reference coordinates and distance of the best element near ``point``."""
    best = (None, -1, np.zeros(3), np.inf)
    for group in groups:
        low, high = group.coordinates.min(axis=1), group.coordinates.max(axis=1)
        # curved sides may bulge beyond the box of the nodes
        margin = 0.1 * (high - low) + tolerance
        near = np.all((point >= low - margin) & (point <= high + margin), axis=1)
        for element in np.flatnonzero(near):
            xi = _reference_point(group, group.coordinates[element], point)
            distance = np.linalg.norm(group.shape.values(xi[None])[0] @ group.coordinates[element] - point)
            if distance < best[3]:
                best = (group, int(element), xi, float(distance))
    return best


def _reference_point(group: SolidGroup, coordinates: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Reference coordinates of ``point`` by Newton, moved into the reference domain."""
    shape = group.shape
    xi = shape.nodes.mean(axis=0)
    for _ in range(NEWTON_STEPS):
        residual = point - shape.values(xi[None])[0] @ coordinates
        jacobian = shape.gradients(xi[None])[0] @ coordinates
        if abs(np.linalg.det(jacobian)) < 1e-300:
            break  # left the region where the map can be inverted: the clipped point below tells the distance
        step = np.linalg.solve(jacobian.T, residual)
        xi = np.clip(xi + step, -3.0, 3.0)
        if np.abs(step).max() < 1e-13:
            break
    return shape.inside(xi[None])[0]
