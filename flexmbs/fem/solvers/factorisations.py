"""Factorisations of symmetric sparse matrices, and how much memory they need.

PARDISO of Intel's MKL, which pypardiso brings (extra ``fast``); SuperLU of SciPy, which is always there; MUMPS, where it
and python-mumps are installed.
"""

from __future__ import annotations

import ctypes
import weakref
from abc import ABC, abstractmethod
from functools import cache

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order
from scipy.sparse.linalg import splu

from flexmbs.common.errors import BodyError
from flexmbs.common.progress import stage
from flexmbs.fem.solvers.memory import require_memory, text_of_size

LONG = 20_000  # unknowns; from here on a factorisation may take a second


class Factor(ABC):
    """A factorised symmetric matrix."""

    @abstractmethod
    def __init__(self, matrix: sparse.csr_matrix) -> None:
        """Factorise; ArithmeticError when the matrix is singular, MemoryError when the memory runs out."""

    @staticmethod
    @abstractmethod
    def load() -> None:
        """Load the libraries of the solver; ImportError, OSError or AttributeError where they are not usable."""

    @abstractmethod
    def solve(self, loads: np.ndarray) -> np.ndarray:
        """Solutions (n,) or (n, k) for loads (n,) or (n, k). Many at once take a third of the time a piece."""


def announce(unknowns: int, size: str) -> None:
    """Say that a factorisation begins."""
    stage(f"factorising ({unknowns:,} unknowns, {size})", long=unknowns >= LONG)


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


_DEFINITE, _INDEFINITE = 2, -2  # "mtype": real symmetric matrices; both take the upper triangle
_ANALYSE, _FACTORISE, _SOLVE, _RELEASE = 11, 22, 33, -1  # "phase"
_NOT_DEFINITE, _OUT_OF_MEMORY = -4, -2  # "error"

# Bytes of the symbolic factorisation per entry of the upper triangle: 19 measured on tet10 meshes.
_ANALYSIS_BYTES = 40.0


class PardisoFactor(Factor):
    """L L^T of definite matrices; those that are not definite take L D L^T."""

    @staticmethod
    def load() -> None:
        _library()

    def __init__(self, matrix: sparse.csr_matrix) -> None:
        upper = sparse.triu(matrix, format="csr")
        upper.sort_indices()
        self._n = matrix.shape[0]
        self._data = np.ascontiguousarray(upper.data, dtype=float)
        self._starts, self._columns = upper.indptr.astype(np.int64) + 1, upper.indices.astype(np.int64) + 1
        what = f"factorising {self._n:,} unknowns"
        require_memory(_ANALYSIS_BYTES * upper.nnz, what, "A coarser mesh needs less.")
        error = self._factorise(_DEFINITE, what)
        if error == _NOT_DEFINITE:
            error = self._factorise(_INDEFINITE, what)
        if error == _OUT_OF_MEMORY:
            raise MemoryError
        if error:
            raise ArithmeticError(f"PARDISO error {error}")

    def _factorise(self, kind: int, what: str) -> int:
        self._handle, self._settings = np.zeros(64, np.int64), _settings()
        self._kind = kind
        release = weakref.finalize(self, _release, self._handle, self._settings, kind, self._n)
        error = self._call(_ANALYSE)
        if not error:
            announce(self._n, f"{text_of_size(self.bytes)}, PARDISO")
            require_memory(1024.0 * float(self._settings[16]), what, "A coarser mesh needs less.")
            error = self._call(_FACTORISE)
        if error:
            release()
        return error

    @property
    def bytes(self) -> float:
        """Memory of the factorisation, as PARDISO states it."""
        return 1024.0 * float(self._settings[15] + self._settings[16])

    def solve(self, loads: np.ndarray) -> np.ndarray:
        loads = np.array(loads, dtype=float, order="F")
        found = np.empty_like(loads)
        if not loads.size:
            return found
        error = self._call(_SOLVE, loads, found)
        if error:
            raise ArithmeticError(f"PARDISO error {error}")
        return found

    def _call(self, phase: int, loads: np.ndarray | None = None, found: np.ndarray | None = None) -> int:
        columns = 1 if loads is None or loads.ndim == 1 else loads.shape[1]
        matrix = (self._data, self._starts, self._columns)
        return _pardiso(self._handle, self._settings, self._kind, self._n, phase, matrix, columns, loads, found)


def _settings() -> np.ndarray:
    settings = np.zeros(64, np.int64)
    settings[0] = 1  # not the defaults, but:
    settings[1] = 2  # nested dissection (METIS)
    settings[9] = 13  # pivots below 1e-13 are raised: the test for singular matrices then finds them
    settings[20] = 1  # 1x1 and 2x2 pivots
    settings[33] = 1  # the same digits in every run and with any number of threads
    return settings


@cache
def _library():
    """MKL's runtime library. Sums are split alike in every run (conditional numerical reproducibility)."""
    from pypardiso import PyPardisoSolver

    library = PyPardisoSolver().libmkl
    library["MKL_CBWR_Set"](ctypes.c_int(2))  # MKL_CBWR_AUTO
    function = library["pardiso_64"]
    function.restype = None
    return function


def _pardiso(handle, settings, kind, n, phase, matrix, columns, loads, found) -> int:
    def pointer(array):
        return None if array is None else array.ctypes.data_as(ctypes.c_void_p)

    def number(value):
        return ctypes.byref(ctypes.c_int64(value))

    error = ctypes.c_int64(0)
    data, starts, indices = matrix
    _library()(
        pointer(handle),
        number(1),
        number(1),
        number(kind),
        number(phase),
        number(n),
        pointer(data),
        pointer(starts),
        pointer(indices),
        None,
        number(columns),
        pointer(settings),
        number(0),
        pointer(loads),
        pointer(found),
        ctypes.byref(error),
    )
    return error.value


def _release(handle, settings, kind, n) -> None:
    _pardiso(handle, settings, kind, n, _RELEASE, (None, None, None), 1, None, None)
