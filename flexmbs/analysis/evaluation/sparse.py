"""Least-norm solutions and independent rows of constraint matrices, dense or (for many bodies) sparse."""

from __future__ import annotations

import heapq

import numpy as np
from scipy import sparse

RANK_TOLERANCE = 1e-8
DENSE_ENTRIES = 1_000_000  # larger matrices are sparse


def least_change(G, value: np.ndarray) -> np.ndarray:
    """(columns,) least-norm least-squares solution of G x = value; rows of G may be dependent."""
    if not sparse.issparse(G):
        return np.linalg.lstsq(G, value, rcond=1e-9)[0]
    from scipy.sparse.linalg import splu

    rows, columns = G.shape
    # a small compliance regularises dependent rows; the surrounding iteration removes its error
    softness = 1e-10 * max(float(abs(G).max()) ** 2, 1e-300)
    system = sparse.bmat([[sparse.eye(columns), G.T], [G, -softness * sparse.eye(rows)]], format="csc")
    return splu(system).solve(np.concatenate([np.zeros(columns), value]))[:columns]


def chosen_rows(G, tolerance: float = RANK_TOLERANCE) -> np.ndarray:
    """Indices, ascending, of a largest set of independent rows of G; the others leave less than ``tolerance``."""
    if min(G.shape) == 0:
        return np.zeros(0, dtype=np.int64)
    largest = np.asarray(abs(G).max(axis=0).todense()).ravel() if sparse.issparse(G) else np.abs(G).max(axis=0)
    scale = 1.0 / np.where(largest > 0.0, largest, 1.0)
    if sparse.issparse(G):
        return _by_elimination(sparse.csr_matrix(G @ sparse.diags(scale)), tolerance)
    if not np.any(G):
        return np.zeros(0, dtype=np.int64)
    from scipy.linalg import qr

    triangle, order = qr((G * scale).T, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > tolerance * diagonal[0]))
    return np.sort(order[:rank])


def _by_elimination(G: sparse.csr_matrix, tolerance: float) -> np.ndarray:
    """Gaussian elimination row by row, pivoting on the largest remaining entry; rows that vanish are dependent."""
    pivot_of: dict[int, int] = {}  # column -> number of its pivot row
    pivots: list[tuple[int, dict[int, float]]] = []
    kept = []
    for r in range(G.shape[0]):
        part = slice(G.indptr[r], G.indptr[r + 1])
        row = {int(c): float(x) for c, x in zip(G.indices[part], G.data[part], strict=True) if x != 0.0}
        size = max((abs(x) for x in row.values()), default=0.0)
        waiting = [pivot_of[c] for c in row if c in pivot_of]
        heapq.heapify(waiting)
        done = -1
        while waiting:
            number = heapq.heappop(waiting)
            if number == done:
                continue
            done = number
            column, other = pivots[number]
            factor = row.pop(column, 0.0)
            if factor == 0.0:
                continue
            for c, x in other.items():
                if c == column:
                    continue
                if c not in row and c in pivot_of and pivot_of[c] > number:
                    heapq.heappush(waiting, pivot_of[c])
                row[c] = row.get(c, 0.0) - factor * x
        if not row:
            continue
        column = max(row, key=lambda c: abs(row[c]))
        if abs(row[column]) <= tolerance * size:
            continue
        inverse = 1.0 / row[column]
        pivot_of[column] = len(pivots)
        pivots.append((column, {c: x * inverse for c, x in row.items() if abs(x) > 1e-14 * size}))
        kept.append(r)
    return np.array(kept, dtype=np.int64)
