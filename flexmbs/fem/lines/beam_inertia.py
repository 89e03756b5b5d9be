"""Samples that integrate over the mass of beams; their geometric stiffness; centrifugal load and softening of their sections."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.lines.beam_elements import GAUSS_POINTS, GAUSS_WEIGHTS, BeamElements, BeamShapes, beam_shapes
from flexmbs.fem.lines.beam_second_order import (
    BeamFields,
    evaluate,
    held_element_fields,
    second_order_section_motion,
    second_order_strain,
    section_motion,
)
from flexmbs.fem.sparsity_pattern import NodePattern
from flexmbs.fem.spin_softening import turning_load, turning_softening


def beam_inertia_samples(
    elements: BeamElements, modes: np.ndarray, pairs: np.ndarray, quadratic: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, sparse.csr_matrix]:
    """x (m, 3), modes (n, m, 3), quadratic (npairs, m, 3) and W (m, m) as ``FEModel.inertia_samples``.

    Six Gauss points per element along the axis, each with four section points (one on the axis without rotary
    inertia) whose first and second moments are those of the section.
    """
    first = evaluate(elements, beam_shapes(elements, GAUSS_POINTS), modes)
    linear = section_motion(elements, first.u, first.turn)
    second = second_order_section_motion(elements, GAUSS_POINTS, modes, pairs, quadratic)
    axis = elements.start[:, None] + GAUSS_POINTS[:, None] * (elements.length[:, None] * elements.frame[:, 0])[:, None]
    offsets = section_offsets(elements)
    weight = elements.line_mass[:, None] * elements.length[:, None] * GAUSS_WEIGHTS / offsets.shape[1]
    x = np.concatenate([(axis + (offset[:, None] @ elements.frame)).reshape(-1, 3) for offset in offsets.transpose(1, 0, 2)])
    W = sparse.diags(np.tile(weight.ravel(), offsets.shape[1]), format="csr")
    return x, _at_points(linear, offsets), _at_points(second, offsets), W


def section_offsets(elements: BeamElements) -> np.ndarray:
    """(ne, points, 3) offsets from the axis in local axes: mean zero, mean squares Iz/A and Iy/A."""
    if not elements.rotary_inertia:
        return np.zeros((len(elements.length), 1, 3))
    offsets = np.zeros((len(elements.length), 4, 3))
    # two of four equal weights at +-d give the mean square d^2 / 2
    y, z = np.sqrt(2.0) * elements.gyration.T
    offsets[:, 0, 1], offsets[:, 1, 1] = y, -y
    offsets[:, 2, 2], offsets[:, 3, 2] = z, -z
    return offsets


def _at_points(motion: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """(n, m, 3) displacement of section points (ne, points, 3), of the ``section_motion`` (3, ne, g, 3, n)."""
    _, elements, along, _, count = motion.shape
    points = offsets.shape[1]
    result = np.empty((points, elements, along, 3, count))
    for k in range(points):
        result[k] = motion[0]
        for axis in (1, 2):
            if offsets[:, k, axis].any():
                result[k] += offsets[:, k, axis, None, None, None] * motion[axis]
    return np.ascontiguousarray(result.reshape(points * elements * along, 3, count).transpose(2, 0, 1))


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


def beam_centrifugal(elements: BeamElements, node_count: int, across: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Load (ndof,) and softening (ndof, ndof) per square of the speed; ``across`` (3, 3) is the projection P.

    First and second derivatives of 1/2 int |P (x + u + theta x s + 1/2 theta x (theta x s))|^2 dm, s in the section.
    The moments of the load on the sections turn them against blade twist ("propeller moment").
    """
    shapes = beam_shapes(elements, GAUSS_POINTS)
    P = elements.frame @ across @ elements.frame.transpose(0, 2, 1)  # in local axes
    along = GAUSS_POINTS[:, None] * elements.length[:, None, None] * np.array([1.0, 0.0, 0.0])
    place = np.einsum("eij,ej->ei", elements.frame, elements.start)[:, None] + along
    spread = np.zeros_like(P)  # int s s^T dm per length
    spread[:, 1, 1], spread[:, 2, 2] = elements.rotary_mass[:, 2], elements.rotary_mass[:, 1]
    B = P @ spread
    moment = turning_load(B)
    weight = elements.length[:, None] * GAUSS_WEIGHTS
    mass = weight * elements.line_mass[:, None]
    pull, twist = mass[..., None] * np.einsum("eij,egj->egi", P, place), weight[..., None] * moment[:, None]
    load = np.einsum("egik,egi->ek", shapes.u, pull) + np.einsum("egik,egi->ek", shapes.turn, twist)
    soft = _product(mass, shapes.u, P) + _product(weight, shapes.turn, turning_softening(P, spread, B))
    # the load's work on what an element does inside to second order while its nodes are at rest
    u, turn = held_element_fields(elements, GAUSS_POINTS, *pairs_of_unit_values(shapes))
    inside = np.einsum("egi,egip->ep", pull, u) + np.einsum("egi,egip->ep", twist, turn)
    soft -= inside.reshape(-1, 12, 12)
    return elements.gathered(load[..., None], node_count)[:, 0], in_mesh_axes(elements, node_count, soft)


def _product(weight: np.ndarray, values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("eg,egik,eij,egjl->ekl", weight, values, matrix, values, optimize=True)
