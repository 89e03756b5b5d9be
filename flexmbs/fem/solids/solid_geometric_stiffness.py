"""Geometric stiffness of solids under the stress of a linear displacement."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.solids.solid_elements import SolidGroup, displacement_gradients, field_internal_modes, physical_gradients
from flexmbs.fem.sparsity_pattern import NodePattern


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
