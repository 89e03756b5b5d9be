"""The loops of ``Solids.second_order_loads``, compiled: array operations of NumPy take three times as long."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.signature import ArrayOf, Floats2, Floats3, Floats4, Integers, Integers2

Floats5 = Annotated[np.ndarray, ArrayOf("f8", 5)]


@entry
def element_loads(
    slopes: Floats5,
    gradients: Floats4,
    weights: Floats2,
    tensors: Floats3,
    first: Integers,
    second: Integers,
    strain: Floats2,
    stress: Floats2,
    loads: Floats4,
) -> None:
    """Add int B^T C sym(grad a^T grad b) dV of every element and pair (a, b).

    Parameters
    ----------
    slopes : (ne, g, 3, 3, n) d u_k / d x_j of the fields, [j, k]
    gradients : (ne, g, 3, m) d N_i / d x_j, [j, i]
    weights : (ne, g)
    tensors : (ne or 1, 6, 6) stress 11, 22, 33, 23, 13, 12 from the strain's components (12 and not 2 x 12)
    first, second : (npairs,) fields a and b
    strain, stress : (6, npairs) scratch
    loads : (ne, m, 3, npairs) that is added to
    """
    pairs = len(first)
    for e in range(slopes.shape[0]):
        C = tensors[e if len(tensors) > 1 else 0]
        for g in range(slopes.shape[1]):
            s = slopes[e, g]
            for p in range(pairs):
                a, b = first[p], second[p]
                for i in range(3):
                    strain[i, p] = s[i, 0, a] * s[i, 0, b] + s[i, 1, a] * s[i, 1, b] + s[i, 2, a] * s[i, 2, b]
                for k in range(3):
                    i, j = (k + 1) % 3, (k + 2) % 3
                    both = s[i, 0, a] * s[j, 0, b] + s[i, 1, a] * s[j, 1, b] + s[i, 2, a] * s[j, 2, b]
                    both += s[j, 0, a] * s[i, 0, b] + s[j, 1, a] * s[i, 1, b] + s[j, 2, a] * s[i, 2, b]
                    strain[3 + k, p] = 0.5 * both
            stress[:] = 0.0
            for i in range(6):
                for j in range(6):
                    factor = C[i, j] * weights[e, g]
                    if factor != 0.0:
                        for p in range(pairs):
                            stress[i, p] += factor * strain[j, p]
            for node in range(gradients.shape[3]):
                x, y, z = gradients[e, g, 0, node], gradients[e, g, 1, node], gradients[e, g, 2, node]
                for p in range(pairs):
                    loads[e, node, 0, p] += x * stress[0, p] + y * stress[5, p] + z * stress[4, p]
                    loads[e, node, 1, p] += x * stress[5, p] + y * stress[1, p] + z * stress[3, p]
                    loads[e, node, 2, p] += x * stress[4, p] + y * stress[3, p] + z * stress[2, p]


@entry
def add_at_nodes(total: Floats3, nodes: Integers2, loads: Floats4) -> None:
    """Add loads (ne, nen, 3, npairs) of elements to those of nodes, (nn, 3, npairs)."""
    for e in range(nodes.shape[0]):
        for i in range(nodes.shape[1]):
            for k in range(3):
                for p in range(total.shape[2]):
                    total[nodes[e, i], k, p] += loads[e, i, k, p]
