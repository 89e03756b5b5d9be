"""IDA of SUNDIALS, the library that scikit-sundae brings, called directly: equations are compiled callbacks.

scikit-sundae itself calls Python for every residual, which costs more than most residuals here; its interface serves
the tests (tests/verification/test_against_ida.py), this one the clock.  IDA forms its Jacobian by differences, and uses
its dense solver, both of which are its defaults.
"""

from __future__ import annotations

import ctypes
import time
from ctypes import POINTER, byref, c_double, c_int, c_int64, c_long, c_void_p
from functools import cache
from pathlib import Path

import numba
import numpy as np
from first_order import EVALUATIONS, FirstOrder, gap, implicit
from numba import types

from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.machine_code.numba_types import block_at, pointer

RESIDUAL = types.int32(types.float64, types.voidptr, types.voidptr, types.voidptr, types.voidptr)
ROOT = types.int32(types.float64, types.voidptr, types.voidptr, types.CPointer(types.float64), types.voidptr)
NORMAL, ROOT_FOUND = 1, 2  # IDA_NORMAL, IDA_ROOT_RETURN
MOST_STEPS = 5_000_000
# SUNDIALS functions used, and what they return; arguments are given as ctypes values.
VOID_POINTERS = ("N_VNew_Serial", "N_VGetArrayPointer", "SUNDenseMatrix", "SUNLinSol_Dense", "IDACreate")

tables_at, workspace_at = block_at(Tables), block_at(Workspace)


@numba.njit
def floats_at(address, count):
    """(count,) floats at an address."""
    return numba.carray(pointer(address), (count,), numba.float64)


@numba.njit
def integers_at(address, count):
    """(count,) integers at an address."""
    return numba.carray(pointer(address), (count,), numba.int64)


@cache
def library() -> dict:
    """SUNDIALS functions by name; ImportError when scikit-sundae or its libraries are not there."""
    import sksundae

    site = Path(sksundae.__file__).parents[1]
    folders = [site / "scikit_sundae.libs", site / "sksundae" / ".dylibs"]
    found = {}
    for part in ("core", "nvecserial", "sunmatrixdense", "sunlinsoldense", "ida"):
        paths = [path for folder in folders for path in folder.glob(f"libsundials_{part}*")]
        if not paths:
            raise ImportError(f"scikit-sundae brings no library of SUNDIALS named '{part}'")
        found[part] = ctypes.CDLL(str(paths[0]), mode=ctypes.RTLD_GLOBAL)
    where = {
        "N_VGetArrayPointer": "core",
        "N_VNew_Serial": "nvecserial",
        "SUNDenseMatrix": "sunmatrixdense",
        "SUNLinSol_Dense": "sunlinsoldense",
        "SUNContext_Create": "core",
        "SUNContext_ClearErrHandlers": "core",
        "N_VDestroy": "core",
    }
    names = (
        *where,
        "IDACreate",
        "IDAInit",
        "IDAReInit",
        "IDASVtolerances",
        "IDASetLinearSolver",
        "IDASetMaxNumSteps",
        "IDASetId",
        "IDASetSuppressAlg",
        "IDASolve",
        "IDASetStopTime",
        "IDARootInit",
        "IDAGetNumSteps",
        "IDAFree",
    )
    functions = {name: getattr(found[where.get(name, "ida")], name) for name in names}
    for name in VOID_POINTERS:
        functions[name].restype = c_void_p
    functions["N_VGetArrayPointer"].argtypes = [c_void_p]
    return functions


def vector_reader(total: int):
    """Compiled function from an N_Vector to its (total,) values."""
    data = library()["N_VGetArrayPointer"]

    @numba.njit
    def vector(address):
        return floats_at(numba.int64(data(address)), total)

    return vector


def equations_callback(equations: FirstOrder):
    """The implicit form of a model as a C function."""
    tables, work = equations.model.tables.address, equations.work.address
    n, c, size = len(equations.own), len(equations.rows), len(equations.q)
    vector, alpha = vector_reader(len(equations.y)), equations.alpha
    own, rows, active, q, v, a, out, counts = (
        getattr(equations, name).ctypes.data for name in ("own", "rows", "active", "q", "v", "a", "out", "counts")
    )
    contacts, reference = len(equations.active), np.zeros((0, 4))

    @numba.cfunc(RESIDUAL)
    def callback(t, y, rate, result, _data):
        implicit(
            tables_at(tables),
            workspace_at(work),
            integers_at(own, n),
            integers_at(rows, c),
            integers_at(active, contacts),
            reference,
            floats_at(q, size),
            floats_at(v, size),
            floats_at(a, size),
            floats_at(out, size),
            alpha,
            integers_at(counts, 1),
            t,
            vector(y),
            vector(rate),
            vector(result),
        )
        return 0

    return callback


def gap_callback(equations: FirstOrder, contact: int):
    """The gap of a contact as a C function."""
    tables, work = equations.model.tables.address, equations.work.address
    n, c, size, vector = len(equations.own), len(equations.rows), len(equations.q), vector_reader(len(equations.y))
    own, rows, q, v, a = (getattr(equations, name).ctypes.data for name in ("own", "rows", "q", "v", "a"))
    reference = np.zeros((0, 4))

    @numba.cfunc(ROOT)
    def callback(t, y, _rate, result, _data):
        result[0] = gap(
            tables_at(tables),
            workspace_at(work),
            integers_at(own, n),
            integers_at(rows, c),
            reference,
            floats_at(q, size),
            floats_at(v, size),
            floats_at(a, size),
            contact,
            t,
            vector(y),
        )
        return 0

    return callback


def ordinary_callback(right_side, total: int):
    """y' - f(t, y) as a C function, of a compiled ``right_side(t, y, result)``; and its counter (1,)."""
    counts, vector = np.zeros(1, dtype=np.int64), vector_reader(total)
    at = counts.ctypes.data

    @numba.cfunc(RESIDUAL)
    def callback(t, y, rate, result, _data):
        found, given = vector(result), vector(rate)
        right_side(t, vector(y), found)
        integers_at(at, 1)[0] += 1
        for i in range(total):
            found[i] = given[i] - found[i]
        return 0

    return callback, counts


class Ida:
    """One integration: y, and seconds of the solve alone."""

    def __init__(self, callback, y, rate, rtol: float, atol, algebraic=None, root=None):
        self.lib, self.size = library(), len(y)
        self.context = c_void_p()
        assert self.lib["SUNContext_Create"](c_int(0), byref(self.context)) == 0
        self.lib["SUNContext_ClearErrHandlers"](self.context)
        self.y, self.rate = self._vector(y), self._vector(rate)
        self.memory = c_void_p(self.lib["IDACreate"](self.context))
        self.callback, self.root = callback, root  # compiled code must outlive the solver
        self._do("IDAInit", c_void_p(callback.address), c_double(0.0), self.y, self.rate)
        self._do("IDASVtolerances", c_double(rtol), self._vector(np.broadcast_to(atol, len(y))))
        matrix = c_void_p(self.lib["SUNDenseMatrix"](c_int64(len(y)), c_int64(len(y)), self.context))
        solver = c_void_p(self.lib["SUNLinSol_Dense"](self.y, matrix, self.context))
        self._do("IDASetLinearSolver", solver, matrix)
        self._do("IDASetMaxNumSteps", c_long(MOST_STEPS))
        if algebraic is not None:
            differential = np.ones(len(y))
            differential[algebraic] = 0.0
            self._do("IDASetId", self._vector(differential))
            self._do("IDASetSuppressAlg", c_int(1))
        if root is not None:
            self._do("IDARootInit", c_int(1), c_void_p(root.address))

    def _vector(self, values) -> c_void_p:
        vector = c_void_p(self.lib["N_VNew_Serial"](c_int64(self.size), self.context))
        self._values(vector)[:] = values
        return vector

    def _values(self, vector) -> np.ndarray:
        address = self.lib["N_VGetArrayPointer"](vector)
        return np.ctypeslib.as_array(ctypes.cast(address, POINTER(c_double)), (self.size,))

    def _do(self, name: str, *arguments) -> int:
        outcome = self.lib[name](self.memory, *arguments)
        if outcome < 0:
            raise ArithmeticError(f"{name} returned {outcome}")
        return outcome

    def solve(self, t_end: float, switch=None) -> tuple[np.ndarray, float, int]:
        """(y, seconds, steps) at ``t_end``; at roots ``switch()`` is called and the integration starts anew."""
        now, steps, begin = c_double(), 0, time.perf_counter()
        to_end = (c_double(t_end), byref(now), self.y, self.rate, c_int(NORMAL))
        self._do("IDASetStopTime", c_double(t_end))
        while self._do("IDASolve", *to_end) == ROOT_FOUND:
            steps += self.steps()
            switch()
            self._do("IDAReInit", now, self.y, self.rate)
            self._do("IDASetStopTime", c_double(t_end))
        seconds = time.perf_counter() - begin
        return self._values(self.y).copy(), seconds, steps + self.steps()

    def steps(self) -> int:
        taken = c_long()
        self._do("IDAGetNumSteps", byref(taken))
        return taken.value


def solve_model(equations: FirstOrder, callback, t_end: float, rtol: float, atol: float, root=None):
    """(y, seconds, evaluations) of a model with at most one contact."""
    equations.counts[:] = 0
    equations.active[:] = 0
    run = Ida(callback, equations.y, equations.rate, rtol, equations.absolute(atol), equations.algebraic(), root)

    def switch():
        equations.active[0] = 1 - equations.active[0]

    y, seconds, _steps = run.solve(t_end, switch)
    return y, seconds, int(equations.counts[EVALUATIONS])
