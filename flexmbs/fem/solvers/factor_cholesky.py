"""Sparse Cholesky factorisation of definite matrices by dense blocks, with NumPy and SciPy alone."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk, dtrsm
from scipy.linalg.lapack import dpotrf

from flexmbs.common.progress import stage
from flexmbs.fem.solvers.cholesky_kernel import add_columns, add_update, subtract_rows
from flexmbs.fem.solvers.elimination import Elimination

COLUMNS = 128  # loads that are solved for at a time


class NotDefinite(ArithmeticError):
    """A pivot is not positive."""


class SparseCholesky:
    """P A P^T = L L^T with L in dense blocks (multifrontal: I. S. Duff and J. K. Reid, ACM TOMS 9, 1983).

    Each supernode has a front, the sum of its columns of A and of what its children leave to it; LAPACK eliminates its
    own columns and leaves the rest to its parent.
    """

    def __init__(self, matrix: sparse.csr_matrix, plan: Elimination) -> None:
        self._plan = plan
        n, order = matrix.shape[0], plan.order
        place = np.empty(n, np.int64)
        place[order] = np.arange(n)
        lower = sparse.tril(matrix[order][:, order], format="csc")
        values, rows, starts = lower.data, lower.indices.astype(np.int64), lower.indptr.astype(np.int64)
        self._blocks: list[tuple[np.ndarray, np.ndarray]] = []
        updates: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for _ in plan.rows]
        for node, below in enumerate(plan.rows):
            first, end = plan.starts[node], plan.starts[node + 1]
            width, height = int(end - first), len(below)
            place[first:end], place[below] = np.arange(width), width + np.arange(height)
            panel, rest = np.zeros((width, width + height)), np.zeros((height, height))
            front = np.concatenate([np.arange(first, end), below])
            fits = add_columns(panel, values, rows, starts, int(first), width, place, front)
            for update, its_rows in updates[node]:
                where = place[its_rows]
                fits = fits and where.max() < len(front) and np.array_equal(front[where], its_rows)
                if fits:
                    add_update(panel, rest, update, where)
            if not fits:
                raise NotDefinite("the structure of the factor is not that of the matrix")
            updates[node] = []
            own, wrong = dpotrf(panel[:, :width].T, lower=1, clean=1)
            if wrong:
                raise NotDefinite(f"pivot {first + wrong - 1} of {n} is not positive")
            if height:
                left = dtrsm(1.0, own, panel[:, width:].T, side=1, lower=1, trans_a=1)
                rest = dsyrk(-1.0, left, beta=1.0, c=rest.T, lower=1, overwrite_c=1).T
                updates[plan.parents[node]].append((rest, below))
            else:
                left = np.zeros((0, width))
            self._blocks.append((own, left))
            if node % 64 == 0:
                stage("factorising", node, len(plan.rows))

    def solve(self, loads: np.ndarray) -> np.ndarray:
        """Solutions (n, k) of loads (n, k)."""
        order, found = self._plan.order, np.empty(loads.shape)
        tallest = max((len(rows) for rows in self._plan.rows), default=0)
        for start in range(0, loads.shape[1], COLUMNS):
            columns = slice(start, start + COLUMNS)
            x = np.take(loads[:, columns], order, axis=0)
            scratch = np.empty((tallest, x.shape[1]))
            self._forward(x, scratch)
            self._backward(x, scratch)
            found[order, columns] = x
        return found

    def _forward(self, x: np.ndarray, scratch: np.ndarray) -> None:
        starts = self._plan.starts
        for node, ((own, left), below) in enumerate(zip(self._blocks, self._plan.rows, strict=True)):
            part = x[starts[node] : starts[node + 1]]
            dtrsm(1.0, own, part.T, side=1, lower=1, trans_a=1, overwrite_b=1)
            if len(below):
                subtract_rows(x, below, np.matmul(left, part, out=scratch[: len(below)]))

    def _backward(self, x: np.ndarray, scratch: np.ndarray) -> None:
        starts = self._plan.starts
        for node in range(len(self._blocks) - 1, -1, -1):
            (own, left), below = self._blocks[node], self._plan.rows[node]
            part = x[starts[node] : starts[node + 1]]
            if len(below):
                np.take(x, below, axis=0, out=scratch[: len(below)], mode="clip")
                part -= left.T @ scratch[: len(below)]
            dtrsm(1.0, own, part.T, side=1, lower=1, overwrite_b=1)
