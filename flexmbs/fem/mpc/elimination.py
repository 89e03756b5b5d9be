"""Conditions without a component of their own, solved for one component each by elimination."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

_NOTHING = 1e-10  # of the largest coefficient: what elimination leaves of a condition that others imply


@dataclass(frozen=True, eq=False)
class EliminatedRows:
    """B v = t solved for v[pivots]."""

    rows: np.ndarray  # (r,) the conditions that are not implied by others
    # pivots, kept: (r,) and (n - r,) columns that follow, and all others
    pivots: np.ndarray
    kept: np.ndarray
    of_kept: sparse.csr_matrix  # (r, n - r) csr: v[pivots] = of_kept @ v[kept] + solve(t)
    factor: object

    def solve(self, t: np.ndarray) -> np.ndarray:
        """(r, p) for right sides t (k, p) of all conditions."""
        return self.factor.solve(np.ascontiguousarray(t[self.rows]))


def row_sizes(conditions: sparse.spmatrix, dofs: np.ndarray, size: float) -> np.ndarray:
    """(k,) largest coefficient of each condition, those of rotations (lengths) in parts of ``size``."""
    return np.asarray(abs(conditions @ sparse.diags(_weight(dofs, size))).max(axis=1).todense()).ravel()


def without_rounding(B: sparse.spmatrix, dofs: np.ndarray, size: float, sizes: np.ndarray) -> sparse.csr_matrix:
    """B without the entries that substitution leaves of coefficients that cancel."""
    B = sparse.coo_matrix(B)
    kept = np.abs(B.data) * _weight(dofs, size)[B.col] > _NOTHING * sizes[B.row]
    return sparse.csr_matrix((B.data[kept], (B.row[kept], B.col[kept])), shape=B.shape)


def eliminated(B: sparse.spmatrix, dofs: np.ndarray, size: float, sizes: np.ndarray) -> EliminatedRows:
    """Solve B (k, n) v = t.

    ``dofs`` (n,) nodal components of the columns, six a node; ``size`` of the body, m; ``sizes`` (k,) of the conditions as
    they were stated (``row_sizes``), before anything was substituted in them: what is small beside it is rounding, and a
    condition of nothing else is implied by others.
    """
    B = without_rounding(B, dofs, size, sizes)
    rows, pivots = _pivots(B, _weight(dofs, size), sizes)
    kept = np.setdiff1d(np.arange(B.shape[1]), pivots)
    if not len(rows):
        none = sparse.csr_matrix((0, len(kept)))
        return EliminatedRows(rows, pivots, kept, none, None)
    chosen = B[rows].tocsc()
    factor = splu(chosen[:, pivots].tocsc())
    others = chosen[:, kept]
    used = np.flatnonzero(np.diff(others.indptr))
    solved = sparse.coo_matrix(-factor.solve(others[:, used].toarray()))
    of_kept = sparse.csr_matrix((solved.data, (solved.row, used[solved.col])), shape=(len(rows), len(kept)))
    return EliminatedRows(rows, pivots, kept, of_kept, factor)


def _weight(dofs: np.ndarray, size: float) -> np.ndarray:
    # Coefficients of rotations are lengths; a body whose nodes all lie in one point has none.
    return np.where(dofs % 6 < 3, 1.0, 1.0 / size if size > 0.0 else 1.0)


def _pivots(B: sparse.csr_matrix, weight: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Independent rows and the column that each is solved for: the largest coefficient that is left."""
    reduced: dict[int, dict[int, float]] = {}
    order: dict[int, int] = {}
    rows, pivots = [], []
    for i in range(B.shape[0]):
        own = slice(B.indptr[i], B.indptr[i + 1])
        row = dict(zip(B.indices[own].tolist(), (B.data[own] * weight[B.indices[own]]).tolist(), strict=True))
        _substitute(row, reduced, order, pivots)
        row = {column: value for column, value in row.items() if abs(value) > _NOTHING * sizes[i]}
        if not row:
            continue
        pivot = max(row, key=lambda column: abs(row[column]))
        value = row.pop(pivot)
        reduced[pivot], order[pivot] = {column: -other / value for column, other in row.items()}, len(pivots)
        rows.append(i)
        pivots.append(pivot)
    return np.array(rows, dtype=int), np.array(pivots, dtype=int)


def _substitute(row: dict[int, float], reduced: dict[int, dict[int, float]], order: dict[int, int], columns: list[int]) -> None:
    """Replace solved columns of ``row``, first solved first: what stands for one may hold columns solved later."""
    waiting = [order[column] for column in row if column in order]
    heapify(waiting)
    while waiting:
        column = columns[heappop(waiting)]
        factor = row.pop(column, 0.0)
        if factor:
            for other, value in reduced[column].items():
                if other in order and other not in row:
                    heappush(waiting, order[other])
                row[other] = row.get(other, 0.0) + factor * value
