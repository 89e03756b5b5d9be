"""Factorisation by PARDISO of Intel's MKL, which pypardiso brings (extra ``fast``)."""

from __future__ import annotations

import ctypes
import weakref
from functools import cache

import numpy as np
from scipy import sparse

from flexmbs.fem.solvers.factor_base import Factor, announce
from flexmbs.fem.solvers.memory import require_memory, text_of_size

_DEFINITE, _INDEFINITE = 2, -2  # "mtype": real symmetric matrices; both take the upper triangle
_ANALYSE, _FACTORISE, _SOLVE, _RELEASE = 11, 22, 33, -1  # "phase"
_NOT_DEFINITE, _NO_MEMORY = -4, -2  # "error"

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
        if error == _NO_MEMORY:
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
