"""User functions: each is called once at the start state, then its address is given to the kernels."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.tables import FAULT_FUNCTION, FAULT_INPUTS, FAULT_TIME
from flexmbs.mechanism.sensors import UserFunction
from flexmbs.mechanism.user_functions import exception_text, function_address
from flexmbs.model.compiled_model import Model


def bound(model: Model, t: float) -> Model:
    """``model`` with the addresses of all user functions in its tables.

    Each function is called once with its sensor values at the start, in order of dependence. Functions that depend on
    accelerations or reactions (not known yet) and controllers (which may have memory) are not called.

    Raises
    ------
    MechanismError
        A function raises an exception, or returns numbers that are not finite or not as many as stated.
    """
    if not model.user_functions:
        return model
    evaluator = Evaluator(model)
    table = model.tables.functions
    for number, function in enumerate(model.user_functions):
        if function is None:
            continue
        example = None
        if not table["sampled"][number] and not function.depends_on_accelerations:
            evaluator.residual(model.q, model.v, np.zeros_like(model.q), model.reference, t)
            inputs = evaluator.work.input[table["input_start"][number] : table["input_end"][number]]
            example = _start_value(function, t, inputs)
        table["address"][number] = function_address(function, model.signals, example)
    return model


def _start_value(function: UserFunction, t: float, inputs: np.ndarray):
    """What the function returns at the start; MechanismError if it fails or is not finite."""
    try:
        result = function.function(t, *function.arguments(inputs))
    except Exception as error:
        raise MechanismError(f"{function.name} fails at the start: {exception_text(error)}") from error
    if not np.all(np.isfinite(function.checked(result))):
        raise MechanismError(f"{function.name} returns {result!r} at the start, with inputs {inputs.tolist()}")
    return result


def fault_of(model: Model, work) -> tuple[str, float, Exception | None]:
    """(text, time, exception) of the user function that last returned a non-finite number; empty text if none did."""
    number = int(work.fault[FAULT_FUNCTION])
    if number < 0:
        return "", 0.0, None
    function, time = model.user_functions[number], float(work.fault[FAULT_TIME])
    table = model.tables.functions
    inputs = work.fault[FAULT_INPUTS:][: table["input_end"][number] - table["input_start"][number]]
    if table["sampled"][number]:  # it may have memory, so it is not called again
        return f"{function.name} returned a number that is not finite, with inputs {inputs.tolist()}", time, None
    try:
        result = getattr(function.function, "py_func", function.function)(time, *function.arguments(inputs))
    except Exception as error:
        return f"{function.name} raised {exception_text(error)}\n", time, error
    return f"{function.name} returned {result!r} with inputs {inputs.tolist()}", time, None
