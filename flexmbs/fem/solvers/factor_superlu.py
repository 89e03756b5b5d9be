"""Factorisation by SciPy's SuperLU, which is always available, and by MUMPS, where it and python-mumps are installed."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from flexmbs.common.errors import BodyError
from flexmbs.fem.solvers.factor_base import Factor, announce
from flexmbs.fem.solvers.memory import require_memory, text_of_size

# Entries of L + U per unknown are _FILL width^_POWER, width being the unknowns per level of a breadth-first search:
# measured on solids and shells of 7,000 to 300,000 unknowns, from bars to cubes, within a factor of two.
_FILL, _POWER = 4.0, 0.8
_REMEDY = 'A coarser mesh needs less; so does the solver of pip install "flexmbs[fast]", by a factor of three.'
_BYTES_PER_ENTRY = 10.3  # measured, with what SuperLU works with


class SuperLUFactor(Factor):
    """SuperLU in symmetric mode, which orders by A + A^T and is several times faster than its default."""

    @staticmethod
    def load() -> None:
        """It is part of SciPy, and loaded."""

    def __init__(self, matrix: sparse.csr_matrix) -> None:
        size, what = estimated_size(matrix), f"factorising {matrix.shape[0]:,} unknowns with SciPy"
        announce(matrix.shape[0], f"about {text_of_size(size)}, SciPy")
        require_memory(size, what, _REMEDY)
        options = {"SymmetricMode": True}
        try:
            # symmetric: the rows are the columns
            columns = sparse.csc_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
            self._lu = splu(columns, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
        except RuntimeError as error:
            raise ArithmeticError(str(error)) from None
        except (MemoryError, SystemError) as error:  # SystemError: it got less memory than it asked for, or asked for 2 GB at once
            raise BodyError(f"{what}: out of memory; about {text_of_size(size)} is needed. {_REMEDY}") from error

    @property
    def entries(self) -> int:
        """Of L + U."""
        return self._lu.nnz

    def solve(self, loads: np.ndarray) -> np.ndarray:
        return self._lu.solve(np.ascontiguousarray(loads, dtype=float))


def estimated_size(matrix: sparse.csr_matrix) -> float:
    """Bytes of the factor, within a factor of two."""
    n = matrix.shape[0]
    return _BYTES_PER_ENTRY * max(_FILL * n * _level_width(matrix) ** _POWER, matrix.nnz)


def _level_width(matrix: sparse.csr_matrix) -> float:
    """Mean number of unknowns in a level of a breadth-first search from a far end."""
    far = 0
    for _ in range(2):
        order, before = breadth_first_order(matrix, far)
        far = order[-1]
    levels, at = 1, far
    while before[at] >= 0:
        levels, at = levels + 1, before[at]
    return len(order) / levels


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
