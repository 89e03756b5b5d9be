"""Loads of the quadratic part of the Green strain in solids."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.solid_elements import (
    SolidGroup,
    displacement_gradients,
    field_internal_modes,
    physical_gradients,
)
from flexmbs.fem.solid_incompatible import condensed_loads

# Numbers in one stress array (element, point, 9, pair) at a time: 512 kB of doubles stay in the cache, which is five
# times faster than 64 MB.
NUMBERS_AT_A_TIME = 2**16


def solid_second_order_loads(
    groups: list[SolidGroup], node_count: int, fields: np.ndarray, pairs: np.ndarray, source: str
) -> np.ndarray:
    """f_ab = int B^T D sym(grad a^T grad b) dV for every pair: (ndof, npairs).

    The quadrature is that of the stiffness matrix, so f_ab is the exact derivative of the discrete elastic energy.
    """
    total = np.zeros((node_count, 3 * len(pairs)))
    if not len(pairs):
        return total.reshape(3 * node_count, 0)
    for group in groups:
        points = len(group.stiffness_rule.weights)
        step = max(1, NUMBERS_AT_A_TIME // (9 * points * len(pairs)))
        for first in range(0, len(group.nodes), step):
            chunk = slice(first, min(first + step, len(group.nodes)))
            loads = _chunk_loads(group, chunk, fields, pairs, source)
            _add_at_nodes(total, group.nodes[chunk], loads)
    return total.reshape(3 * node_count, len(pairs))


def _chunk_loads(group: SolidGroup, chunk: slice, fields: np.ndarray, pairs: np.ndarray, source: str) -> np.ndarray:
    gradients, weights = physical_gradients(group, chunk, group.stiffness_rule, source)
    internal = field_internal_modes(group, chunk, source)
    slopes = displacement_gradients(gradients, group, chunk, fields, internal)
    a, b = slopes[..., pairs[:, 0]], slopes[..., pairs[:, 1]]
    strain = np.empty_like(a)
    for i in range(3):
        for j in range(i, 3):
            # axis 2 is the derivative: sym(grad a^T grad b)_ij = 1/2 (a_k,i b_k,j + a_k,j b_k,i)
            both = _dot(a[:, :, i], b[:, :, j])
            strain[:, :, i, j] = strain[:, :, j, i] = both if i == j else 0.5 * (both + _dot(a[:, :, j], b[:, :, i]))
    stress = group.elasticity.of(chunk).stress(strain)
    stress *= weights[:, :, None, None, None]
    count, points, _, size = gradients.shape
    flat = gradients.reshape(count, 3 * points, size).transpose(0, 2, 1)
    loads = flat @ stress.reshape(count, 3 * points, -1)
    if internal is None:
        return loads
    return condensed_loads(internal, loads.reshape(count, size, 3, -1))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product over axis 2, the displacement component, of (ne, g, 3, npairs) arrays."""
    product = a[:, :, 0] * b[:, :, 0]
    product += a[:, :, 1] * b[:, :, 1]
    product += a[:, :, 2] * b[:, :, 2]
    return product


def _add_at_nodes(total: np.ndarray, nodes: np.ndarray, loads: np.ndarray) -> None:
    """Add loads (ne, nen, ...) into total (nn, k); sorted sums are several times faster than ``np.add.at``."""
    flat = nodes.ravel()
    order = np.argsort(flat, kind="stable")
    touched, starts = np.unique(flat[order], return_index=True)
    total[touched] += np.add.reduceat(loads.reshape(len(flat), -1)[order], starts, axis=0)
