"""User functions as C functions void f(double t, const double* inputs, double* outputs): by numba, or called back."""

from __future__ import annotations

import ctypes
import inspect
import math
import traceback
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.sensors import UserFunction
from flexmbs.mechanism.time_signals import CompiledSignals

_C_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)
_PACKAGE = str(Path(__file__).resolve().parent.parent)


def function_address(function: UserFunction, signals: CompiledSignals, example) -> int:
    """Address of the C function; ``example``: what the function returned once (None: not known, so it is called back).

    MechanismError when it must be compiled and numba cannot.
    """
    if function.compiled is not False and (function.compiled or (example is not None and not _has_memory(function))):
        try:
            compiled = _compiled(function, np.ndim(example) == 0 if example is not None else function.outputs == 1)
        except Exception as error:  # numba raises errors of any kind on what it does not know
            if function.compiled:
                raise MechanismError(f"{function.name}: numba cannot compile it: {error}") from error
        else:
            signals.keep(compiled)
            return compiled.address
    callback = _C_FUNCTION(_called_back(function, signals))
    signals.keep(callback)
    return ctypes.cast(callback, ctypes.c_void_p).value


def _has_memory(function: UserFunction) -> bool:
    """Whether the function sees a list, dict or set, of which numba would take a copy."""
    try:
        found = inspect.getclosurevars(function.function)
    except TypeError:
        return False
    seen = [*found.nonlocals.values(), *found.globals.values()]
    return any(isinstance(value, list | dict | set | bytearray) for value in seen)


def _compiled(function: UserFunction, scalar: bool):
    """C function by numba; an exception inside gives NaN (one that crossed into C would be lost)."""
    import numba
    from numba import types

    given = function.function
    inner = given if hasattr(given, "py_func") else numba.njit(given)
    arguments, at = [], 0
    for sensor in function.inputs:
        arguments.append(f"x[{at}]" if sensor.size == 1 else f"x[{at}:{at + sensor.size}]")
        at += sensor.size
    count = function.outputs
    parts = ["y[0] = found"] if scalar else [f"y[{i}] = found[{i}]" for i in range(count)]
    source = "\n".join(
        [
            "def call(t, inputs, outputs):",
            f"    x, y = carray(inputs, ({max(at, 1)},)), carray(outputs, ({count},))",
            "    try:",
            f"        found = inner({', '.join(['t', *arguments])})",
            *(f"        {part}" for part in parts),
            "    except Exception:",
            "        y[:] = nan",
        ]
    )
    scope = {"inner": inner, "carray": numba.carray, "nan": math.nan}
    exec(source, scope)
    number = types.CPointer(types.float64)
    return numba.cfunc(types.void(types.float64, number, number))(scope["call"])


def _called_back(function: UserFunction, signals: CompiledSignals):
    """The function as ctypes calls it; its exceptions are kept, as they cannot cross the compiled loop."""
    views: dict[tuple[int, int], np.ndarray] = {}

    def view(address: int | None, size: int) -> np.ndarray:
        if size == 0:
            return np.zeros(0)
        if (address, size) not in views:
            views[address, size] = np.ctypeslib.as_array((ctypes.c_double * size).from_address(address))
        return views[address, size]

    def call(t, inputs, outputs):
        y = view(outputs, function.outputs)
        if signals.interrupted:
            y[:] = math.nan
            return
        try:
            signals.calls += 1
            y[:] = function.checked(function.function(t, *function.arguments(view(inputs, function.input_size))))
        except BaseException as error:
            signals.fail(error, function.name)
            y[:] = math.nan
        finally:
            signals.calls -= 1

    return call


def exception_text(error: BaseException) -> str:
    """An exception as text, with the lines of the user's own code that led to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_PACKAGE)]
    lines = "".join(traceback.format_list(frames)).rstrip()
    last = "".join(traceback.format_exception_only(error)).strip()
    return f"{last}\n{lines}" if lines else last
