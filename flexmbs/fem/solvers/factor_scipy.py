"""Factorisation with what SciPy brings, which is always available: our Cholesky of definite matrices, else SuperLU."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.solvers.elimination import elimination
from flexmbs.fem.solvers.factor_base import Factor, announce
from flexmbs.fem.solvers.factor_cholesky import NotDefinite, SparseCholesky
from flexmbs.fem.solvers.factor_superlu import SuperLUFactor, estimated_size
from flexmbs.fem.solvers.memory import require_memory, text_of_size

_SMALL = 3000  # unknowns; below, SuperLU is as fast
_NODE = 9  # entries of the matrix for each entry of its graph, of nodes with three components


class SciPyFactor(Factor):
    """L L^T in dense blocks, several times faster than SuperLU and with half of its memory; or SuperLU."""

    @staticmethod
    def load() -> None:
        """SciPy is loaded."""

    def __init__(self, matrix: sparse.csr_matrix) -> None:
        self._factor = (matrix.shape[0] >= _SMALL and _cholesky(matrix)) or SuperLUFactor(matrix)

    def solve(self, loads: np.ndarray) -> np.ndarray:
        loads = np.asarray(loads, dtype=float)
        if loads.ndim == 1:
            return self._factor.solve(loads[:, None])[:, 0]
        return self._factor.solve(loads)


def _cholesky(matrix: sparse.csr_matrix) -> SparseCholesky | None:
    """The Cholesky factor, or None of a matrix that is not definite."""
    n = matrix.shape[0]
    if not (matrix.diagonal() > 0.0).all():
        return None
    what, remedy = f"factorising {n:,} unknowns with SciPy", "A coarser mesh needs less."
    require_memory(estimated_size(matrix) / _NODE, what, remedy)
    plan = elimination(matrix)
    size = 8.0 * (plan.entries + plan.waiting) + 24.0 * matrix.nnz
    announce(n, f"{text_of_size(size)}, SciPy")
    require_memory(size, what, remedy)
    try:
        return SparseCholesky(matrix, plan)
    except NotDefinite:
        return None
