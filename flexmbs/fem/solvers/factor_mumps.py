"""Factorisation by MUMPS, through python-mumps, where both are installed."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from flexmbs.fem.solvers.factor_base import Factor, announce
from flexmbs.fem.solvers.memory import require_memory, text_of_size

_NO_MEMORY = (-5, -7, -9, -13)


class MumpsFactor(Factor):
    """L D L^T."""

    @staticmethod
    def load() -> None:
        import mumps  # noqa: F401

    def __init__(self, matrix: sparse.csr_matrix) -> None:
        import mumps

        self._context = mumps.Context()
        try:
            self._context.set_matrix(sparse.triu(matrix, format="coo"), symmetric=True)
            self._context.analyze(ordering="metis")
            size = 1e6 * self._context.analysis_stats.est_mem_incore
            announce(matrix.shape[0], f"{text_of_size(size)}, MUMPS")
            require_memory(size, f"factorising {matrix.shape[0]:,} unknowns", "A coarser mesh needs less.")
            self._context.factor(reuse_analysis=True)
        except mumps.MUMPSError as error:
            raise (MemoryError if error.error in _NO_MEMORY else ArithmeticError)(str(error)) from None

    def solve(self, loads: np.ndarray) -> np.ndarray:
        return self._context.solve(np.array(loads, dtype=float, order="F"))
