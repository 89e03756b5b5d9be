"""Putting a state back on its constraints."""

from __future__ import annotations

from flexmbs.core.abi.kernel import entry
from flexmbs.core.equations.projection import project
from flexmbs.core.equations.tangent import consistent_accelerations, update_tangent
from flexmbs.core.layout.state import CREEPING, END, FACTORED_STEP, HAS_PREDICTION, OLD_STEP, STEP, TIME, Scratch, State
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.signals import evaluate_signals


@entry
def settle(tables: Tables, state: State, scratch: Scratch, work: Workspace) -> bool:
    """Put the state itself back on its constraints, and find the accelerations there.

    Behind a singular position, and after another choice of independent constraints.
    """
    evaluate_signals(tables, state.number[TIME], scratch.signal[END])
    copy_vector(state.q, scratch.q[END])
    copy_vector(state.v, scratch.v[END])
    project(tables, state, scratch, work, 2)
    for i in range(state.q.shape[0]):
        state.q[i], state.v[i] = scratch.q[END, i], scratch.v[END, i]
        if tables.coordinates[i].multiplier != 0:
            state.a[i] = 0.0
    state.flag[HAS_PREDICTION] = 0
    return consistent_accelerations(tables, state, scratch, work, 3)


@entry
def restart_constraints(tables: Tables, state: State, scratch: Scratch, work: Workspace) -> bool:
    """After another choice of independent constraints: accelerations and multipliers anew, no memory of old ones."""
    state.number[FACTORED_STEP] = 0.0
    state.flag[CREEPING] = 0
    if state.number[OLD_STEP] > 0.0:
        state.number[STEP] = max(state.number[STEP], 0.1 * state.number[OLD_STEP])
    update_tangent(tables, state, scratch, work, 3)
    return settle(tables, state, scratch, work)
