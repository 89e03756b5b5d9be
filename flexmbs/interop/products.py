"""Products of two vector fields u, v, from T = int u v^T dm in the last two axes of an array; and tables by pairs of modes."""

from __future__ import annotations

import numpy as np

_QUADRATIC = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))  # SID: w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3


def axial(T: np.ndarray) -> np.ndarray:
    """int u x v dm, (..., 3)."""
    return np.stack([T[..., 1, 2] - T[..., 2, 1], T[..., 2, 0] - T[..., 0, 2], T[..., 0, 1] - T[..., 1, 0]], axis=-1)


def from_axial(vector: np.ndarray) -> np.ndarray:
    """The antisymmetric part of T from int u x v dm."""
    T = np.zeros((*vector.shape[:-1], 3, 3))
    for i, j, k in ((1, 2, 0), (2, 0, 1), (0, 1, 2)):
        T[..., i, j], T[..., j, i] = 0.5 * vector[..., k], -0.5 * vector[..., k]
    return T


def crossed(T: np.ndarray) -> np.ndarray:
    """int u~ v~ dm = T^T - tr(T) I, (..., 3, 3); u~ is the skew matrix of u."""
    return T.swapaxes(-1, -2) - np.trace(T, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)


def from_crossed(A: np.ndarray) -> np.ndarray:
    """T from int u~ v~ dm."""
    return A.swapaxes(-1, -2) - 0.5 * np.trace(A, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)


def centrifugal(T: np.ndarray) -> np.ndarray:
    """(..., 6): int u . (w x (w x v)) dm as coefficients of w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3."""
    Q = 0.5 * (T + T.swapaxes(-1, -2)) - np.trace(T, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)
    return np.stack([Q[..., i, j] * (1.0 if i == j else 2.0) for i, j in _QUADRATIC], axis=-1)


def from_centrifugal(six: np.ndarray) -> np.ndarray:
    """The symmetric part of T from :func:`centrifugal`."""
    Q = np.zeros((*six.shape[:-1], 3, 3))
    for column, (i, j) in enumerate(_QUADRATIC):
        Q[..., i, j] = Q[..., j, i] = six[..., column] * (1.0 if i == j else 0.5)
    return Q - 0.5 * np.trace(Q, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)


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
