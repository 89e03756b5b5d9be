"""Solids have three components a node, mixed models six: from one layout to the other."""

from __future__ import annotations

import numpy as np
from scipy import sparse


def six_a_node(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """(3 nn, 3 nn) -> (6 nn, 6 nn) csr, rows and columns of rotations empty."""
    nn = matrix.shape[0] // 3
    counts = np.zeros((nn, 6), dtype=np.int64)
    counts[:, :3] = np.diff(matrix.indptr).reshape(nn, 3)
    indptr = np.concatenate([[0], np.cumsum(counts.ravel())])
    indices = 6 * (matrix.indices.astype(np.int64) // 3) + matrix.indices % 3
    return sparse.csr_matrix((matrix.data, indices, indptr), shape=(6 * nn, 6 * nn))


def displacements(fields: np.ndarray) -> np.ndarray:
    """(6 nn, n) -> (3 nn, n)."""
    nn, count = len(fields) // 6, fields.shape[1]
    return np.ascontiguousarray(fields.reshape(nn, 6, count)[:, :3]).reshape(3 * nn, count)


def with_rotations(fields: np.ndarray) -> np.ndarray:
    """(3 nn, n) -> (6 nn, n), rotations zero."""
    nn, count = len(fields) // 3, fields.shape[1]
    result = np.zeros((nn, 6, count))
    result[:, :3] = fields.reshape(nn, 3, count)
    return result.reshape(6 * nn, count)


def columns_with_rotations(operator: sparse.spmatrix) -> sparse.csr_matrix:
    """(m, 3 nn) -> (m, 6 nn)."""
    found = operator.tocoo()
    shape = (operator.shape[0], 2 * operator.shape[1])
    return sparse.csr_matrix((found.data, (found.row, 6 * (found.col // 3) + found.col % 3)), shape=shape)
