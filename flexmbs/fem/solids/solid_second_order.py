"""Loads of the quadratic part of the Green strain in solids."""

from __future__ import annotations

import numpy as np

from flexmbs.fem.elasticity import Elasticity, IsotropicElasticity
from flexmbs.fem.solids.incompatible_modes import condensed_loads
from flexmbs.fem.solids.solid_elements import SolidGroup, displacement_gradients, field_internal_modes, physical_gradients
from flexmbs.fem.solids.solid_second_order_kernel import add_at_nodes, element_loads

# Elements taken at a time: their slopes and loads stay in the cache, and numpy has enough to do at once.
_CHUNK = 64
# 11, 22, 33, 23, 13, 12 among the nine components of a tensor; shear strains stand for both of their places
_NORMAL, _SHEAR = [0, 4, 8], [5, 2, 1]


def solid_second_order_loads(
    groups: list[SolidGroup], node_count: int, fields: np.ndarray, pairs: np.ndarray, source: str
) -> np.ndarray:
    """f_ab = int B^T D sym(grad a^T grad b) dV for every pair: (ndof, npairs).

    The quadrature is that of the stiffness matrix, so f_ab is the exact derivative of the discrete elastic energy.
    """
    total = np.zeros((node_count, 3, len(pairs)))
    if not len(pairs):
        return total.reshape(3 * node_count, 0)
    for group in groups:
        for start in range(0, len(group.nodes), _CHUNK):
            chunk = slice(start, min(start + _CHUNK, len(group.nodes)))
            nodes = np.ascontiguousarray(group.nodes[chunk], dtype=np.int64)
            add_at_nodes(total, nodes, np.ascontiguousarray(_chunk_loads(group, chunk, fields, pairs, source)))
    return total.reshape(3 * node_count, len(pairs))


def _chunk_loads(group: SolidGroup, chunk: slice, fields: np.ndarray, pairs: np.ndarray, source: str) -> np.ndarray:
    """(ne, nen, 3, npairs)."""
    gradients, weights = physical_gradients(group, chunk, group.stiffness_rule, source)
    internal = field_internal_modes(group, chunk, source)
    slopes = displacement_gradients(gradients, group, chunk, fields, internal)
    loads = np.zeros((len(gradients), gradients.shape[3], 3, len(pairs)))
    first, second = np.ascontiguousarray(pairs.T, dtype=np.int64)
    stress_of_strain = np.ascontiguousarray(_stress_of_strain(group.elasticity.of(chunk)))
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
