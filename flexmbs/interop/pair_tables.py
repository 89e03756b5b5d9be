"""Second-order fields per pair of modes <-> tables of second derivatives."""

from __future__ import annotations

import numpy as np


def pair_values(table: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Z_p (p, ...) from second derivatives table[a, b] (symmetrised): half of the diagonal, the whole off it."""
    a, b = pairs.T
    mean = 0.5 * (table[a, b] + table[b, a])
    return np.where(a == b, 0.5, 1.0).reshape(-1, *[1] * (mean.ndim - 1)) * mean


def pair_table(values: np.ndarray, pairs: np.ndarray, n: int) -> np.ndarray:
    """Second derivatives [a, b] of sum_p Z_p q_a q_b."""
    table = np.zeros((n, n, *values.shape[1:]))
    a, b = pairs.T
    np.add.at(table, (a, b), values)
    np.add.at(table, (b, a), values)
    return table


def all_pairs(n: int) -> np.ndarray:
    """(n (n + 1) / 2, 2) pairs (a, b) with a <= b."""
    return np.column_stack(np.triu_indices(n)).astype(np.int64)
