"""The step loop: steps, rejected and accepted, until the time is over.  Runs compiled, in chunks.

Where a step is accepted: core.stepping.accept_step.  How long the next one is: core.stepping.step_size_control.  What
its error is: the method (core.methods), whose norm is core.methods.error_norm.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.contact.groups import occupy
from flexmbs.core.contact.rigid.contact_work import ContactWork
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.finish_constraints import room_in_passage
from flexmbs.core.equations.rotation_charts import MAX_ROTATION, largest_rotation
from flexmbs.core.equations.tangent import consistent_accelerations
from flexmbs.core.laws.force.measure import longest_step
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import (
    CHUNK_FULL,
    DEPENDENT,
    DIVERGED,
    FINISHED,
    NOT_FINITE,
    SINGULAR,
    TOO_MANY_CONTACTS,
    TOUCHES_NOW,
    UNDERFLOW,
    Log,
    Scratch,
    Settings,
    State,
)
from flexmbs.core.layout.switch_tables import IMPACT
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.method_interface import attempt_step, fill_intermediate_rows
from flexmbs.core.methods.motion_scales import set_motion_scales, update_speeds
from flexmbs.core.stepping.accept_step import accept_step
from flexmbs.core.stepping.contact_episodes import begin_contact, pass_rest, renew_after_jump, resolve_onset, switch_contact
from flexmbs.core.stepping.contact_events import NO_ROOM, first_event, step_to_event
from flexmbs.core.stepping.contact_search import AT_REST
from flexmbs.core.stepping.controller_samples import any_due, next_limit, take_samples
from flexmbs.core.stepping.driver_steps import resolved_step
from flexmbs.core.stepping.rigid.joint_margins import renew_joint_directions
from flexmbs.core.stepping.rigid.joint_members import release_joints
from flexmbs.core.stepping.rigid.margins import CLOSES, remember_contacts
from flexmbs.core.stepping.rigid.members import member_of
from flexmbs.core.stepping.rigid.resolve import finish_flight, has_room, resolve
from flexmbs.core.stepping.step_size_control import first_step_size, next_step_size, step_size_factor
from flexmbs.core.stepping.switch_events import NO_MARGIN, fill_margins, find_margin, watches_margins
from flexmbs.core.stepping.user_events import any_time_has_come, happen, start_at_stops
from flexmbs.core.stepping.write_log_rows import write_intermediate_rows, write_row
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

NO_CAUSE = -1
# A run whose steps are shorter than this part of it, so many in a row, would never end.
MAX_SHORT_STEPS, SHORT_STEP = 5000, 1e-10
# A step with a smaller error, in parts of the tolerance, was limited by something else.
LIMITED_BY_ERROR = 1e-2


@entry
def impose_start(tables: Tables, state: State, work: Workspace) -> None:
    """Put the driven coordinates where their drivers are at the present time."""
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)


@entry
def start(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    rigid: RigidContacts,
    solver: ContactWork,
) -> int:
    """Consistent accelerations, contacts that touch at the start, first step size; returns an outcome code."""
    impose_start(tables, state, work)
    mark_touching(tables, state, work)
    if not first_accelerations(tables, state, settings, scratch, work):
        return SINGULAR
    update_speeds(tables, state, settings, work)
    set_motion_scales(tables, state, settings, scratch)
    state.step_size = first_step_size(tables, state, settings, scratch)
    state.last_error = 1.0
    state.rtol = settings.rtol
    for c in range(len(tables.contacts)):
        if state.active[c] == TOUCHES_NOW and tables.contacts[c].rigid != 0:
            state.active[c] = 0  # rigid contacts without a gap close below
        elif state.active[c] == TOUCHES_NOW and tables.contacts[c].group < 0:
            state.active[c] = 1
            begin_contact(tables, c, state, settings, scratch, work)
            renew_after_jump(tables, c, state, settings, scratch, work)
        elif state.active[c] != 0 and tables.contacts[c].rigid == 0:
            occupy(tables, c, state.active[c], work)
            resolve_onset(tables, c, state, settings, scratch, work)
    return start_rigid(tables, state, settings, scratch, work, log, rigid, solver)


@kernel
def start_rigid(tables, state, settings, scratch, work, log, rigid, solver):
    """Impacts and modes of the rigid contacts that touch at the start, and of joints with friction.

    A row before them if there are impacts.
    """
    start_at_stops(tables, state)
    some = len(tables.joint_frictions) > 0
    for c in range(len(tables.contacts)):
        some = some or tables.contacts[c].rigid != 0
    if some:
        release_joints(tables, state, rigid)  # they stick where they are, wherever that was
        write_row(tables, state, log)
        outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, NO_CAUSE, 0)
        if not any_impact(log):
            log.row_count = 0
            for i in range(log.occurrence_count):
                log.occurrences[i].row = 0
        return outcome
    return CHUNK_FULL


@kernel
def any_impact(log):
    """Whether there is an impact in the log."""
    for i in range(log.occurrence_count):
        if log.occurrences[i].kind == IMPACT:
            return True
    return False


@kernel
def mark_touching(tables, state, work):
    """Contacts that touch at the start, and whose bodies approach, are to begin."""
    if len(tables.contacts) == 0:
        return
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    for c in range(len(tables.contacts)):
        if tables.contacts[c].group >= 0 or tables.contacts[c].rigid != 0:
            continue
        gap, rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
        if state.active[c] == 0 and abs(gap) < 1e-12 and rate < 0.0:
            state.active[c] = TOUCHES_NOW
    show_condensed(tables, state.a, work)


@kernel
def first_accelerations(tables, state, settings, scratch, work):
    """Accelerations at the start; False when the mass matrix is singular.

    Explicit methods need no matrices, which cost a residual per unknown: theirs are found as in their stages.
    """
    if settings.explicit == 0:
        return consistent_accelerations(tables, state, scratch, work, 3)
    return find_accelerations(tables, state, scratch, work, state.q, state.v, state.a)


@entry
def advance(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    rigid: RigidContacts,
    solver: ContactWork,
    max_steps: int,
) -> int:
    """Take up to ``max_steps`` steps (or until the log is full, or ``t_end``); returns an outcome code."""
    log.filled[:] = 0
    copy_matrix(state.sharing, work.sharing)
    for _ in range(max_steps):
        if state.time >= settings.t_end:
            return FINISHED
        last = log.rows.shape[0] - 5 - scratch.intermediate_q.shape[0]
        if log.row_count >= last or not has_room(tables, log):
            return CHUNK_FULL
        if any_due(tables, state):
            if not take_samples(tables, state, settings, scratch, work):
                return NOT_FINITE
            write_row(tables, state, log)
        if any_time_has_come(tables, state):
            outcome = make_happen(tables, state, settings, scratch, work, log, rigid, solver, -1)
            write_row(tables, state, log)
            if outcome != CHUNK_FULL:
                return outcome
        if state.next_flight > 0.0:
            finish_flight(tables, state, work, log)
            outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, NO_CAUSE, 0)
            write_row(tables, state, log)
        else:
            outcome = step(tables, state, settings, scratch, work, log, rigid, solver)
        if outcome != CHUNK_FULL:
            return outcome
    return FINISHED if state.time >= settings.t_end else CHUNK_FULL


@kernel
def step(tables, state, settings, scratch, work, log, rigid, solver):
    """One accepted step, with as many rejected ones before it as it takes, and the event at its end."""
    set_motion_scales(tables, state, settings, scratch)
    if watches_margins(tables):
        fill_margins(tables, state, state.q, state.v, state.a, state.time, scratch, work, rigid, rigid.margin[0], True)
    outcome, h, error, proposed, limit, last, rows, contact, kind, margin = find_step(tables, state, settings, scratch, work, rigid)
    if outcome != CHUNK_FULL:
        return outcome
    passes_on = False
    if h > 0.0:
        if (contact >= 0 or margin >= 0 or len(tables.contacts) == 0) and scratch.fill_intermediate_rows != 0:
            rows = fill_intermediate_rows(scratch.fill_intermediate_rows, tables, state, settings, scratch, work, h)
        write_intermediate_rows(tables, state, scratch, log, h, rows)
        wanted = accept_step(tables, state, settings, scratch, work, h, error, rows)
        # the method has a choice of its own, such as another order; a step that an event has cut short tells nothing
        # of the next one, least of all where little of it was left
        if wanted > 0.0 and contact < 0 and margin == NO_MARGIN:
            room = 0.8 * MAX_ROTATION / max(largest_rotation(tables, scratch.end_q), 1e-3)
            proposed = h * min(wanted, room)
        if last:
            state.time = limit
        state.step_size = next_step_size(state, settings, proposed, h, last)
        if len(tables.switches) > 0:
            passes_on = remember_contacts(tables, state, work, rigid) and contact < 0 and margin == NO_MARGIN
            renew_joint_directions(tables, state, work)
    outcome = finish_event(tables, state, settings, scratch, work, log, rigid, solver, h, contact, kind, margin)
    if passes_on:
        outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, NO_CAUSE, 0)
        write_row(tables, state, log)
    if outcome != CHUNK_FULL:
        return outcome
    # also those of no length, in which contacts that touch at one instant begin and end one by one
    state.short_steps = state.short_steps + 1 if h < SHORT_STEP * settings.t_end else 0
    if state.short_steps >= MAX_SHORT_STEPS + 2 * len(tables.contacts) and not last:
        return UNDERFLOW
    for k in range(state.q.shape[0]):
        if abs(state.q[k]) > settings.largest_q[k]:
            state.worst_coordinate = k
            return DIVERGED
    if state.reselect_constraints != 0:
        state.reselect_constraints = 0
        return DEPENDENT
    return CHUNK_FULL


@kernel
def find_step(tables, state, settings, scratch, work, rigid):
    """Attempt steps until one is accurate enough, up to its first event.

    Returns the outcome, its length and error, the proposed next one, the time at which it must end at the latest,
    whether it ends there, its rows inside, the contact of its event (-1: none) with what vanishes, and the margin that
    vanishes (-1: none).
    """
    while True:
        t, h = state.time, min(state.step_size, settings.max_step, longest_step(tables, state))
        limit = next_limit(tables, state, settings)
        h = resolved_step(tables, state, settings, scratch, work, min(h, limit - t))
        last = t + 1.0001 * h >= limit
        if last:
            h = limit - t
        elif limit < settings.t_end and t + 2.0 * h > limit:
            h = 0.5 * (limit - t)  # two like steps to the next sample instead of a long and a short one
        if not math.isfinite(h):
            return NOT_FINITE, h, 0.0, h, limit, last, 0, -1, 0, NO_MARGIN
        if not last and h <= 2e-15 * max(abs(t), 1e-10) or state.step_size < 1e-14 * settings.t_end:
            return UNDERFLOW, h, 0.0, h, limit, last, 0, -1, 0, NO_MARGIN
        iterations, error, order = attempt_step(scratch.attempt_step, tables, state, settings, scratch, work, h)
        if iterations == 0:
            continue
        if error > LIMITED_BY_ERROR:
            state.decided[state.worst_coordinate] += 1
        rotation = largest_rotation(tables, scratch.end_q)
        room = 0.8 * MAX_ROTATION / max(rotation, 1e-3)  # a longer step would turn a ball too far for its chart
        factor = min(step_size_factor(state, settings, iterations, error, order, h), room)
        passage = room_in_passage(tables, state, settings, scratch, h)
        if error > 1.0 or rotation > MAX_ROTATION or passage < 1.0 or not error >= 0.0:
            state.steps_rejected += 1
            state.last_step_rejected = 1
            state.step_size = h * min(factor, 0.9 * passage)
            continue
        proposed = h * (min(1.0, factor) if state.last_step_rejected != 0 else factor)
        rows = 0
        if len(tables.contacts) + len(tables.events) > 0 and scratch.fill_intermediate_rows != 0:
            rows = fill_intermediate_rows(scratch.fill_intermediate_rows, tables, state, settings, scratch, work, h)
        x, contact, kind = first_event(tables, state, scratch, work, h, rows)
        if contact == NO_ROOM:
            return TOO_MANY_CONTACTS, h, error, proposed, limit, last, rows, contact, kind, NO_MARGIN
        if contact >= 0:
            last = False
            h = step_to_event(tables, contact, kind, state, settings, scratch, work, h, x)
            if h < 0.0:
                continue
        margin = NO_MARGIN
        if h > 0.0 and watches_margins(tables):
            whole, rows_inside = h, rows if contact < 0 else 0
            h, margin = find_margin(tables, state, settings, scratch, work, rigid, h, rows_inside)
            if h < 0.0:
                continue
            if margin != NO_MARGIN:
                last, contact = False, -1
            elif h < whole:  # ended early, at a row where an event seemed to have happened
                last, rows = False, 0
        return CHUNK_FULL, h, error, proposed, limit, last, rows, contact, kind, margin


@kernel
def finish_event(tables, state, settings, scratch, work, log, rigid, solver, h, contact, kind, margin):
    """What happens at the end of a step of ``h``: a contact, a margin, or nothing; an outcome."""
    unilateral = contact >= 0 and tables.contacts[contact].rigid != 0
    jumps = contact >= 0 and kind != AT_REST and (tables.contacts[contact].jumps != 0 or unilateral)
    jumps = jumps or margin != NO_MARGIN
    if h > 0.0 and jumps:
        write_row(tables, state, log)  # accelerations before and after the jump
    outcome = CHUNK_FULL
    if margin != NO_MARGIN:
        outcome = pass_margin(tables, state, settings, scratch, work, log, rigid, solver, margin)
    elif unilateral:
        outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, contact, CLOSES)
    elif contact >= 0 and kind == AT_REST:
        pass_rest(state)
    elif contact >= 0:
        switch_contact(tables, contact, state, settings, scratch, work, log)
        if len(tables.joint_frictions) > 0:
            outcome = resolve(tables, state, settings, scratch, work, log, rigid, solver, NO_CAUSE, 0)
    if h > 0.0 or jumps or contact >= 0 and kind != AT_REST:  # also of those that touch at one instant: the books read who does
        write_row(tables, state, log)
    return outcome


@kernel
def pass_margin(tables, state, settings, scratch, work, log, rigid, solver, margin):
    """A margin has vanished: of a switch, or of an event of the user; an outcome."""
    s = margin // 3
    if s < len(tables.switches):
        cause = member_of(tables, state, s)
        return resolve(tables, state, settings, scratch, work, log, rigid, solver, cause, margin % 3)
    e = margin - 3 * len(tables.switches)
    return make_happen(tables, state, settings, scratch, work, log, rigid, solver, e)


@kernel
def make_happen(tables, state, settings, scratch, work, log, rigid, solver, e):
    """Event ``e`` of the user happens (-1: those whose time has come), then joints with friction settle; an outcome."""
    release_joints(tables, state, rigid)
    outcome = happen(tables, state, settings, scratch, work, log, rigid, solver, e)
    if outcome == CHUNK_FULL and len(tables.joint_frictions) > 0:
        return resolve(tables, state, settings, scratch, work, log, rigid, solver, NO_CAUSE, 0)
    return outcome
