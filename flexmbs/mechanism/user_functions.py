"""User functions as C functions void f(double t, const double* inputs, double* outputs), compiled or called back."""

from __future__ import annotations

import math
import traceback
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.sensors.user_functions import user_function
from flexmbs.machine_code.switches import PLAIN_PYTHON
from flexmbs.machine_code.user_code import CannotCompileError
from flexmbs.mechanism.sensors import UserFunction
from flexmbs.mechanism.time_signals import CompiledSignals, warn_of_callback

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def function_address(function: UserFunction, signals: CompiledSignals, example) -> int:
    """Address of the C function; ``example``: a value that it returned (None: unknown, so it is called back).

    MechanismError if it must be compiled and numba cannot.
    """
    compilable = not PLAIN_PYTHON and function.compiled is not False
    if compilable and (function.compiled or example is not None):
        try:
            compiled = _compiled(function, np.ndim(example) == 0 if example is not None else function.outputs == 1)
        except CannotCompileError as error:
            if function.compiled:
                raise MechanismError(f"{function.name}: numba cannot compile it: {error}") from error
            warn_of_callback(function.function, error, f"{function.name} (compiled=False accepts it)")
        else:
            signals.keep(compiled)
            return compiled.address
    callback = user_function.call_back(_called_back(function, signals))
    signals.keep(callback)
    return callback.address


def _compiled(function: UserFunction, scalar: bool):
    """C function by numba; an exception inside gives NaN."""
    arguments, at = [], 0
    for sensor in function.inputs:
        arguments.append(f"inputs[{at}]" if sensor.size == 1 else f"inputs[{at}:{at + sensor.size}]")
        at += sensor.size
    count = function.outputs
    parts = ["outputs[0] = found"] if scalar else [f"outputs[{i}] = found[{i}]" for i in range(count)]
    source = "\n".join(
        ["def call(t, inputs, outputs):", f"    found = inner({', '.join(['t', *arguments])})", *(f"    {part}" for part in parts)]
    )
    scope = {"inner": function.function}
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
