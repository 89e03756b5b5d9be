"""Putting a state back on its constraints."""

from __future__ import annotations

from flexmbs.core.equations.projection import project
from flexmbs.core.equations.tangent import consistent_accelerations, update_tangent
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.signals import evaluate_signals
from flexmbs.machine_code.entry import entry


@entry
def return_to_constraints(tables: Tables, state: State, scratch: Scratch, work: Workspace) -> bool:
    """Put the state itself back on its constraints, and find the accelerations there.

    Behind a singular position, and after another choice of independent constraints.
    """
    evaluate_signals(tables, state.time, scratch.end_signal)
    copy_vector(state.q, scratch.end_q)
    copy_vector(state.v, scratch.end_v)
    project(tables, state, scratch, work, 2)
    for i in range(state.q.shape[0]):
        state.q[i], state.v[i] = scratch.end_q[i], scratch.end_v[i]
        if tables.coordinates[i].multiplier != 0:
            state.a[i] = 0.0
    state.has_prediction = 0
    return consistent_accelerations(tables, state, scratch, work, 3)


@entry
def restart_constraints(tables: Tables, state: State, scratch: Scratch, work: Workspace) -> bool:
    """After another choice of independent constraints: accelerations and multipliers anew, no memory of old ones."""
    state.factored_step_size = state.passage = 0.0
    state.short_steps = 0
    if state.last_step_size > 0.0:
        state.step_size = max(state.step_size, 0.1 * state.last_step_size)
    reference, state.reference_singular_value = state.reference_singular_value, 0.0  # scales are those of other constraints
    update_tangent(tables, state, scratch, work, 3)
    state.reference_singular_value = max(reference, state.reference_singular_value)
    state.fall = 0.0  # a singular position of the old choice need not be one of the mechanism
    return return_to_constraints(tables, state, scratch, work)
