"""Geometric stiffness of beams under the section forces of a linear displacement."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, BeamShapes, beam_shapes
from flexmbs.fem.lines.beam_second_order import BeamFields, second_order_strain
from flexmbs.fem.sparsity_pattern import NodePattern


def beam_geometric_stiffness(elements: BeamElements, node_count: int, displacement: np.ndarray) -> sparse.csr_matrix:
    """(ndof, ndof) int S(u) . q(N_i, N_j) dx with the section forces S and the second-order strain q."""
    shapes = beam_shapes(elements, GAUSS_POINTS)
    local = elements.local(displacement[:, None])[:, None]
    weight = (elements.length[:, None] * GAUSS_WEIGHTS)[:, :, None]
    force = (elements.section_forces(shapes) @ local)[..., 0] * weight
    moment = (shapes.dturn @ local)[..., 0] * weight * elements.moment_stiffness[:, None]
    q_force, q_moment = second_order_strain(elements, *pairs_of_unit_values(shapes))
    matrices = np.einsum("egi,egip->ep", force, q_force) + np.einsum("egi,egip->ep", moment, q_moment)
    return in_mesh_axes(elements, node_count, matrices.reshape(-1, 12, 12))


def pairs_of_unit_values(shapes: BeamShapes) -> tuple[BeamFields, BeamFields]:
    """First and second fields of all 144 pairs of unit element values."""
    unit = BeamFields(shapes.u, shapes.turn, shapes.du, shapes.dturn)
    first, second = np.divmod(np.arange(144), 12)
    return unit.pick(first), unit.pick(second)


def in_mesh_axes(elements: BeamElements, node_count: int, matrices: np.ndarray) -> sparse.csr_matrix:
    """(ndof, ndof) sum of element matrices (ne, 12, 12) in local axes."""
    turn = np.zeros((len(elements.length), 12, 12))
    for block in range(4):
        turn[:, 3 * block : 3 * block + 3, 3 * block : 3 * block + 3] = elements.frame
    turned = turn.transpose(0, 2, 1) @ matrices @ turn
    pattern = NodePattern(node_count, [elements.nodes])
    data = pattern.zeros(6)
    pattern.add(data, pattern.positions[0], turned.reshape(-1, 2, 6, 2, 6))
    return pattern.matrix(data)
