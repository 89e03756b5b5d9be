"""Explicit Runge-Kutta behind C functions (core.equations.calls); importing this compiles or loads them."""

from __future__ import annotations

from flexmbs.core.abi.kernel import c_function
from flexmbs.core.equations.words import scratch_at, settings_at, state_at
from flexmbs.core.methods.explicit import attempt_step, update_history
from flexmbs.core.methods.intermediate_rows import fill_intermediate_rows
from flexmbs.core.parts.words import WORDS, tables_at, workspace_at


@c_function(WORDS)
def attempt_entry(tables, state, settings, scratch, work, _first, _second, _third):
    """flexmbs.core.equations.calls.attempt_step."""
    mechanism, now, choices, own = tables_at(tables), state_at(state), settings_at(settings), scratch_at(scratch)
    h = own.answer[0]
    iterations, error, order = attempt_step(mechanism, now, choices, own, workspace_at(work), h)
    own.answer[0], own.answer[1], own.answer[2] = iterations, error, order


@c_function(WORDS)
def history_entry(tables, state, settings, scratch, _first, _second, _third, _fourth):
    """flexmbs.core.equations.calls.update_history."""
    mechanism, now, choices, own = tables_at(tables), state_at(state), settings_at(settings), scratch_at(scratch)
    own.answer[0] = update_history(mechanism, now, choices, own, own.answer[0])


@c_function(WORDS)
def intermediate_entry(tables, state, settings, scratch, work, _first, _second, _third):
    """flexmbs.core.equations.calls.fill_intermediate_rows."""
    mechanism, now, choices, own = tables_at(tables), state_at(state), settings_at(settings), scratch_at(scratch)
    h = own.answer[0]
    own.answer[0] = fill_intermediate_rows(mechanism, now, choices, own, workspace_at(work), h)
