"""User functions of sensors, called by address, and the states whose rates they give.

Their outputs stand in ``work.signal`` behind the functions of time, so that loads, elements and states take either.
"""

from __future__ import annotations

import math

from flexmbs.core.layout.tables import FAULT_FUNCTION, FAULT_INPUTS, FAULT_TIME, VALUE, Tables, Workspace
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.sensors.sensors import read_sensor
from flexmbs.machine_code.entry import entry, interface
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Integers


@interface
def user_function(t: float, inputs: Floats, outputs: Floats) -> None:
    """Outputs of a user's function of time (s) and of the values of its sensors."""


@entry
def evaluate_functions(
    tables: Tables, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace
) -> None:
    """Outputs of all user functions that are not sampled, in an order in which none needs a later one."""
    for number in range(len(tables.functions)):
        if tables.functions[number].sampled == 0:
            evaluate_function(tables, number, active, contact_history, q, v, a, work)


@entry
def sample_function(
    tables: Tables, number: int, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace
) -> None:
    """Call one user function after the residual was evaluated at the same state (a sampled controller)."""
    hide_condensed(tables, q, v, a, work)
    evaluate_function(tables, number, active, contact_history, q, v, a, work)
    show_condensed(tables, a, work)


@kernel
def evaluate_function(tables, number, active, contact_history, q, v, a, work):
    """Read the inputs of one user function, call it, and put its outputs where forces find them."""
    function = tables.functions[number]
    inputs, outputs = work.input[function.input_start : function.input_end], work.output[0 : function.outputs]
    finite = True
    for i in range(len(inputs)):
        inputs[i] = read_sensor(tables, tables.inputs[function.input_start + i], active, contact_history, q, v, a, work)
        finite = finite and math.isfinite(inputs[i])
    time = work.signal[function.time, VALUE]
    if function.address > 0:
        user_function(function.address, time, inputs, outputs)
    for i in range(function.outputs):
        if function.address <= 0:
            outputs[i] = inputs[i] if function.address == 0 else 0.0
        elif finite and not math.isfinite(outputs[i]):
            note_fault(number, time, inputs, work)
        work.signal[len(tables.signals) + function.output + i, VALUE] = outputs[i]
        work.record[function.at + i] = outputs[i]


@kernel
def note_fault(number, time, inputs, work):
    """Remember which function gave no finite number, when, and what it was given."""
    work.fault[FAULT_FUNCTION], work.fault[FAULT_TIME] = number, time
    for i in range(len(inputs)):
        work.fault[FAULT_INPUTS + i] = inputs[i]


@kernel
def add_states(tables, v, a, work, residual):
    """Equations of the user states: rate minus what the function or lag says; held outputs of controllers stay."""
    for i in range(len(tables.states)):
        state = tables.states[i]
        residual[state.coordinate] = a[state.coordinate]
        if state.signal < 0:
            continue
        if state.lag > 0.0:
            residual[state.coordinate] -= (work.signal[state.signal, VALUE] - v[state.coordinate]) / state.lag
        else:
            residual[state.coordinate] -= work.signal[state.signal, VALUE]
