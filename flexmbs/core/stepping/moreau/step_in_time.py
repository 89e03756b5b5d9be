"""The loop of steps in time: velocities at the middle of a step, impulses of what touches there, positions at its end.

    q_m = q + h/2 v,   M (v+ - v) = h f + G^T P,   q+ = q + h/2 (v + v+)

with forces f, directions G and mass matrix M at q_m. The impulses P of the contacts that touch at q_m obey Newton's law
in their speeds, 0 <= P_n, u_n+ + e u_n >= 0, one of them zero, and Coulomb's law of friction. Constraints are rows of
the matrix; positions and velocities are projected on them at the end of the step.
"""

from __future__ import annotations

import math

from flexmbs.core.equations.projection import project
from flexmbs.core.equations.rotation_charts import MAX_ROTATION, new_chart
from flexmbs.core.equations.tangent import consistent_accelerations
from flexmbs.core.laws.force.measure import keep_turns, longest_step
from flexmbs.core.layout.state import (
    ALL_STALE,
    CHUNK_FULL,
    DIVERGED,
    FINISHED,
    NOT_FINITE,
    SINGULAR,
    TOO_MANY_CONTACTS,
    Log,
    Scratch,
    Settings,
    State,
)
from flexmbs.core.layout.tables import BALL, Tables, Workspace
from flexmbs.core.layout.time_stepping import TimeStepping
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.stepping.controller_samples import any_due, next_limit, take_samples
from flexmbs.core.stepping.moreau.closed_contacts import find_closed
from flexmbs.core.stepping.moreau.free_motion import find_free_change, place_midpoint
from flexmbs.core.stepping.moreau.impulses import find_impulses, keep_impulses
from flexmbs.core.stepping.write_log_rows import write_row
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@entry
def start_in_time(
    tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, log: Log, stepping: TimeStepping
) -> int:
    """Accelerations at the start, without forces of contacts; an outcome code."""
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)
    state.rtol, state.step_size, state.last_error = settings.rtol, settings.max_step, 1.0
    return CHUNK_FULL if consistent_accelerations(tables, state, scratch, work, 1) else SINGULAR


@entry
def advance_in_time(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    stepping: TimeStepping,
    max_steps: int,
) -> int:
    """Take up to ``max_steps`` steps (or until the log is full, or ``t_end``); returns an outcome code."""
    log.filled[:] = 0
    for _ in range(max_steps):
        if state.time >= settings.t_end:
            return FINISHED
        crowded = log.occurrence_count > 0 and log.occurrence_count + stepping.most + 8 >= log.occurrences.shape[0]
        if log.row_count >= log.rows.shape[0] - 2 or crowded:
            return CHUNK_FULL
        if any_due(tables, state):
            if not take_samples(tables, state, settings, scratch, work):
                return NOT_FINITE
            write_row(tables, state, log)
        outcome = step_in_time(tables, state, settings, scratch, work, log, stepping)
        if outcome != CHUNK_FULL:
            return outcome
    return FINISHED if state.time >= settings.t_end else CHUNK_FULL


@kernel
def step_in_time(tables, state, settings, scratch, work, log, stepping):
    """One step; an outcome code."""
    limit = next_limit(tables, state, settings)
    h, last = min(settings.max_step, longest_step(tables, state)), False
    if state.time + 1.0001 * h >= limit:
        h, last = limit - state.time, True
    while turn_in(tables, state, h) > 0.5 * MAX_ROTATION:
        h, last = 0.5 * h, False
    place_midpoint(tables, state, scratch, work, h)
    if not find_free_change(tables, state, scratch, work, stepping, h):
        move_state(state, scratch.point_q, scratch.point_v)
        return SINGULAR
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    if not find_closed(tables, state, work, stepping):
        move_state(state, scratch.point_q, scratch.point_v)
        return TOO_MANY_CONTACTS
    find_impulses(tables, state, settings, stepping, h)
    state.time += h
    keep_impulses(tables, state, log, stepping, h)
    finish_step(tables, state, scratch, work, stepping, h)
    if last:
        state.time = limit
    state.steps_accepted += 1
    state.last_step_size = state.step_size = h
    state.tangent_status = ALL_STALE
    write_row(tables, state, log)
    for k in range(state.q.shape[0]):
        if not math.isfinite(state.q[k] + state.v[k]):
            return NOT_FINITE
        if abs(state.q[k]) > settings.largest_q[k]:
            state.worst_coordinate = k
            return DIVERGED
    return CHUNK_FULL


@kernel
def turn_in(tables, state, h):
    """The largest rotation of a ball in ``h``, rad."""
    fastest = 0.0
    for axis in range(len(tables.axes)):
        if tables.axes[axis].kind == BALL:
            k = tables.axes[axis].coordinate
            fastest = max(fastest, abs(state.v[k]), abs(state.v[k + 1]), abs(state.v[k + 2]))
    return fastest * h


@kernel
def move_state(state, q, v):
    """Put positions and velocities of the state."""
    for k in range(state.q.shape[0]):
        state.q[k], state.v[k] = q[k], v[k]


@kernel
def finish_step(tables, state, scratch, work, stepping, h):
    """Positions and velocities at the end of a step, where ``state.time`` is already; constraints."""
    q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
    for k in range(state.q.shape[0]):
        q[k], v[k], a[k] = scratch.point_q[k], scratch.point_v[k], state.a[k]
        if tables.coordinates[k].signal >= 0:  # driven by its rate or acceleration: what follows from it
            v[k] += h * a[k]
    evaluate_signals(tables, state.time, scratch.end_signal)
    impose_drivers(tables, scratch.end_signal, q, v, a)
    for i in range(len(tables.free)):
        k = tables.free[i]
        a[k] = stepping.change[i] / h
        if not is_algebraic(tables.coordinates[k]):
            v[k] += stepping.change[i]
    for k in range(state.q.shape[0]):
        if not is_algebraic(tables.coordinates[k]) and tables.coordinates[k].state == 0:
            q[k] = scratch.point_q[k] + 0.5 * h * (scratch.point_v[k] + v[k])
    impose_drivers(tables, scratch.end_signal, q, v, a)
    if len(tables.constraints) > 0:
        project(tables, state, scratch, work, 2)
    move_state(state, q, v)
    for k in range(state.q.shape[0]):
        state.a[k] = a[k]
    new_chart(tables, state)
    keep_turns(tables, state.time, state.q, state.v, state.a, state.reference, work, state.contact_history)
