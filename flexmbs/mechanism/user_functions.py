"""User functions as C functions void f(double t, const double* inputs, double* outputs), compiled or called back."""

from __future__ import annotations

import inspect
import math
import traceback
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.sensors.user_functions import user_function
from flexmbs.machine_code.switches import PLAIN_PYTHON
from flexmbs.mechanism.sensors import UserFunction
from flexmbs.mechanism.time_signals import CompiledSignals

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def function_address(function: UserFunction, signals: CompiledSignals, example) -> int:
    """Address of the C function; ``example``: a value that it returned (None: unknown, so it is called back).

    MechanismError if it must be compiled and numba cannot.
    """
    compilable = not PLAIN_PYTHON and function.compiled is not False
    if compilable and (function.compiled or (example is not None and not _has_memory(function))):
        try:
            compiled = _compiled(function, np.ndim(example) == 0 if example is not None else function.outputs == 1)
        except Exception as error:  # numba raises exceptions of any type for unsupported code
            if function.compiled:
                raise MechanismError(f"{function.name}: numba cannot compile it: {error}") from error
        else:
            signals.keep(compiled)
            return compiled.address
    callback = user_function.call_back(_called_back(function, signals))
    signals.keep(callback)
    return callback.address


def _has_memory(function: UserFunction) -> bool:
    """Whether the function refers to a list, dict or set, which numba would copy."""
    try:
        found = inspect.getclosurevars(function.function)
    except TypeError:
        return False
    seen = [*found.nonlocals.values(), *found.globals.values()]
    return any(isinstance(value, list | dict | set | bytearray) for value in seen)


def _compiled(function: UserFunction, scalar: bool):
    """C function by numba; an exception inside gives NaN."""
    import numba

    given = function.function
    inner = given if hasattr(given, "py_func") else numba.njit(given)
    arguments, at = [], 0
    for sensor in function.inputs:
        arguments.append(f"inputs[{at}]" if sensor.size == 1 else f"inputs[{at}:{at + sensor.size}]")
        at += sensor.size
    count = function.outputs
    parts = ["outputs[0] = found"] if scalar else [f"outputs[{i}] = found[{i}]" for i in range(count)]
    source = "\n".join(
        ["def call(t, inputs, outputs):", f"    found = inner({', '.join(['t', *arguments])})", *(f"    {part}" for part in parts)]
    )
    scope = {"inner": inner}
    exec(source, scope)
    return user_function.compile(scope["call"])


def _called_back(function: UserFunction, signals: CompiledSignals):
    """The function as the compiled loop calls it; its exceptions are kept, as they cannot cross that loop."""

    def call(t, inputs, outputs):
        if signals.interrupted:
            outputs[:] = math.nan
            return
        try:
            signals.calls += 1
            outputs[:] = function.checked(function.function(t, *function.arguments(inputs)))
        except BaseException as error:
            signals.fail(error, function.name)
            outputs[:] = math.nan
        finally:
            signals.calls -= 1

    return call


def exception_text(error: BaseException) -> str:
    """An exception as text, with the lines of the user's own code that led to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(_PACKAGE)]
    lines = "".join(traceback.format_list(frames)).rstrip()
    last = "".join(traceback.format_exception_only(error)).strip()
    return f"{last}\n{lines}" if lines else last
