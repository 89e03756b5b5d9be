"""The step loop: error control, events and the log of finished steps.  Runs compiled, in chunks."""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.equations.projection import finish
from flexmbs.core.equations.rotation_charts import MOST_TURN, largest_turn, new_chart
from flexmbs.core.equations.tangent import consistent_accelerations, update_tangent
from flexmbs.core.layout.state import (
    ACCURACY,
    ALL_STALE,
    ATTEMPT,
    CHUNK_FULL,
    CREEPING,
    DEPENDENT,
    DIVERGED,
    END,
    EVENTS,
    FACTORED_STEP,
    FINISHED,
    GOOD,
    HAS_PREDICTION,
    HOLDING,
    IMPULSE,
    INNER_ROWS,
    KEEP,
    LAST_CONTRACTION,
    MASS_STALE,
    NOT_FINITE,
    OLD_ERROR,
    OLD_STEP,
    PEAK,
    PEAK_TIME,
    REJECTED_LAST,
    REJECTIONS,
    SINGULAR,
    START,
    STEP,
    STEPS,
    STRAYED,
    TANGENT,
    TIME,
    UNDERFLOW,
    VOLATILE,
    WORST,
    Log,
    Scratch,
    Settings,
    State,
)
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.implicit import MAX_ITERATIONS
from flexmbs.core.methods.interface import attempt_step, find_inner_rows, keep_step
from flexmbs.core.stepping.contact_events import first_event, onset_step, record_contact
from flexmbs.core.stepping.controller_samples import any_due, next_limit, take_samples

SAFETY = 0.9
# So many steps in a row shorter than this part of the run do not lead to its end.
MOST_CREEPING, CREEP = 5000, 1e-10


@entry
def impose_start(tables: Tables, state: State, work: Workspace) -> None:
    """Put the driven coordinates where their drivers are at the present time."""
    evaluate_signals(tables, state.number[TIME], work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)


@entry
def start(tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace) -> int:
    """Consistent accelerations, contacts that touch at the start, first step size; returns an outcome code."""
    impose_start(tables, state, work)
    for c in range(len(tables.contacts)):
        gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        if abs(gap) < 1e-12 and rate < 0.0:
            state.active[c] = 1
    # explicit methods need no more than the mass matrix
    if not consistent_accelerations(tables, state, scratch, work, 1 if settings.explicit != 0 else 3):
        return SINGULAR
    size = slope = 1e-300
    for i in range(len(tables.free)):
        k = tables.free[i]
        weight_q = 1.0 / (settings.atol_q[k] + settings.rtol * (abs(state.q[k]) + settings.floor_q[k]))
        weight_v = 1.0 / (settings.atol_v[k] + settings.rtol * abs(state.v[k]))
        size += (state.q[k] * weight_q) ** 2 + (state.v[k] * weight_v) ** 2
        slope += (state.v[k] * weight_q) ** 2 + (state.a[k] * weight_v) ** 2
    h = 0.01 * math.sqrt(size / slope)
    if size < 1e-10 or slope < 1e-10:
        h = 1e-6
    # the first step may at most use up the tolerance with its leading term
    h = min(h, max(1e-3, 10.0 / math.sqrt(slope)))
    state.number[STEP] = min(h, settings.max_step)
    state.number[OLD_ERROR] = 1.0
    state.number[ACCURACY] = settings.rtol
    for c in range(len(tables.contacts)):
        if state.active[c] != 0:
            begin_contact(tables, c, state, scratch, work)
    return CHUNK_FULL


@entry
def advance(
    tables: Tables, state: State, settings: Settings, scratch: Scratch, work: Workspace, log: Log, max_steps: int
) -> int:
    """Take up to ``max_steps`` steps (or until the log is full, or ``t_end``); returns an outcome code."""
    log.filled[:] = 0
    for _ in range(max_steps):
        if state.number[TIME] >= settings.t_end:
            return FINISHED
        last = log.rows.shape[0] - 1 - scratch.inner.shape[0]
        if log.filled[0] >= last or log.filled[1] + len(tables.contacts) >= log.contacts.shape[0]:
            return CHUNK_FULL
        if any_due(tables, state):
            if not take_samples(tables, state, scratch, work):
                return NOT_FINITE
            write_row(tables, state, log)
        outcome = step(tables, state, settings, scratch, work, log)
        if outcome != CHUNK_FULL:
            return outcome
    return FINISHED if state.number[TIME] >= settings.t_end else CHUNK_FULL


@kernel
def step(tables, state, settings, scratch, work, log):
    """One accepted step, with as many rejected ones before it as it takes."""
    while True:
        t, h = state.number[TIME], min(state.number[STEP], settings.max_step)
        limit = next_limit(tables, state, settings)
        last = t + 1.0001 * h >= limit
        if last:
            h = limit - t
        elif limit < settings.t_end and t + 2.0 * h > limit:
            h = 0.5 * (limit - t)  # two like steps to the next sample instead of a long and a short one
        if not math.isfinite(h):
            return NOT_FINITE
        if not last and h <= 2e-15 * max(abs(t), 1e-10) or state.number[STEP] < 1e-14 * settings.t_end:
            return UNDERFLOW
        iterations, error, order = attempt_step(scratch.entries[ATTEMPT], tables, state, settings, scratch, work, h)
        if iterations == 0:
            continue
        turn = largest_turn(tables, scratch.q[END])
        room = 0.8 * MOST_TURN / max(turn, 1e-3)  # a longer step would turn a ball too far for its chart
        factor = min(growth(state, settings, iterations, error, order, h), room)
        if error > 1.0 or turn > MOST_TURN or not error >= 0.0:
            state.count[REJECTIONS] += 1
            state.flag[REJECTED_LAST] = 1
            state.number[STEP] = h * factor
            continue
        proposed = h * (min(1.0, factor) if state.flag[REJECTED_LAST] != 0 else factor)
        x, contact = first_event(tables, state, scratch, work, h)
        if contact >= 0:
            last = False
            h = hit(tables, contact, state, settings, scratch, work, h, x)
            if h < 0.0:
                continue
        break
    if h > 0.0:
        write_inner(tables, state, settings, scratch, work, log, h)
        wanted = accept(tables, state, settings, scratch, work, h, error)
        if wanted > 0.0:  # the method has a choice of its own, such as another order
            proposed = h * min(wanted, room)
        if last:
            state.number[TIME] = limit
        # a small change of step is not worth a new factorisation
        same = 1.0 <= proposed / h <= 1.2 and state.number[LAST_CONTRACTION] < settings.contraction
        state.number[STEP] = h if same and not last else proposed
    if contact >= 0:
        switch_contact(tables, contact, state, scratch, work, log)
    if h > 0.0:
        write_row(tables, state, log)
        state.flag[CREEPING] = state.flag[CREEPING] + 1 if h < CREEP * settings.t_end else 0
        if state.flag[CREEPING] >= MOST_CREEPING and not last:
            return UNDERFLOW
    for k in range(state.q.shape[0]):
        if abs(state.q[k]) > settings.largest_q[k]:
            state.flag[WORST] = k
            return DIVERGED
    if state.flag[STRAYED] != 0:
        state.flag[STRAYED] = 0
        return DEPENDENT
    return CHUNK_FULL


@kernel
def growth(state, settings, iterations, error, order, h):
    """Factor for the step size (Gustafsson's predictive controller, Hairer-Wanner IV.8); the error falls as h^order."""
    if not error < 1e100:
        return 0.1
    safety = SAFETY * (2.0 * MAX_ITERATIONS + 1.0) / (2.0 * MAX_ITERATIONS + iterations)
    factor = safety * error ** (-1.0 / order)
    if error <= 1.0 and state.number[OLD_STEP] > 0.0 and state.flag[HAS_PREDICTION] != 0:
        memory = (state.number[OLD_ERROR] / error) ** (1.0 / order) * h / state.number[OLD_STEP]
        factor = min(factor, factor * memory)
    return min(settings.most_growth, max(0.1, factor))


@kernel
def hit(tables, c, state, settings, scratch, work, h, x):
    """Repeat the step so that it ends on the event of contact ``c``.

    Returns its length; 0 when the event is now; -1 when Newton failed, with a smaller step prepared.
    """
    tolerance = 1e300
    for k in range(state.q.shape[0]):
        tolerance = min(tolerance, 1e-3 * (settings.atol_q[k] + 1e-13))
    target = reached = x * h
    for _ in range(6):
        if target <= 1e-15 * max(1e-3, state.number[TIME]):
            return 0.0
        iterations, _error, _order = attempt_step(
            scratch.entries[ATTEMPT], tables, state, settings, scratch, work, target
        )
        if iterations == 0:
            state.number[STEP] = 0.5 * target
            state.number[FACTORED_STEP] = 0.0
            state.flag[TANGENT] = ALL_STALE
            return -1.0
        reached = target
        gap, rate = gap_at(tables, c, scratch.q[END], scratch.v[END], scratch.a[END], state.reference, work)
        if abs(gap) <= tolerance or rate == 0.0:
            break
        change = -gap / rate
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > 1.01 * h:
            break
        target = max(target + change, 0.5 * target)
    return reached


@kernel
def accept(tables, state, settings, scratch, work, h, error):
    """Move the state to the end of the step and start a new chart for the balls; the factor that the method wants."""
    record_contact(tables, state, scratch, work, h)
    if len(tables.constraints) > 0:
        finish(tables, state, scratch, work, settings.levels)
    wanted = keep_step(scratch.entries[KEEP], tables, state, settings, scratch, h)
    state.flag[TANGENT] = min(state.flag[TANGENT], GOOD)
    for k in range(state.q.shape[0]):
        state.q[k] = scratch.q[END, k]
        state.v[k] = scratch.v[END, k]
        state.a[k] = scratch.a[END, k]
    new_chart(tables, state)
    state.number[TIME] += h
    state.number[OLD_STEP] = h
    state.number[OLD_ERROR] = max(error, 1e-2)
    state.flag[HAS_PREDICTION] = 1
    state.flag[REJECTED_LAST] = 0
    state.count[STEPS] += 1
    if state.flag[HOLDING] > 0:
        state.flag[TANGENT] = ALL_STALE
    elif state.flag[VOLATILE] > 0:
        state.flag[TANGENT] = ALL_STALE
        state.flag[VOLATILE] -= 1
    elif state.number[LAST_CONTRACTION] > settings.contraction:
        state.flag[TANGENT] = MASS_STALE  # all of it only when Newton fails
    return wanted


@kernel
def switch_contact(tables, c, state, scratch, work, log):
    """Start or end contact ``c`` at the present time."""
    state.count[EVENTS] += 1
    state.flag[HAS_PREDICTION] = 0
    if state.active[c] == 0:
        state.active[c] = 1
        begin_contact(tables, c, state, scratch, work)
        return
    state.active[c] = 0
    state.flag[TANGENT] = ALL_STALE
    if state.number[TIME] <= state.episode[c, START]:
        return  # grazing: it parted in the instant in which it touched
    row = log.contacts[log.filled[1]]
    row[0] = c
    row[1], row[2] = state.episode[c, START], state.number[TIME]
    row[3], row[4], row[5] = state.episode[c, PEAK], state.episode[c, PEAK_TIME], state.episode[c, IMPULSE]
    log.filled[1] += 1


@kernel
def begin_contact(tables, c, state, scratch, work):
    """Open the record of contact ``c`` and choose a step that resolves its start."""
    state.episode[c, START] = state.number[TIME]
    state.episode[c, IMPULSE] = state.episode[c, PEAK] = 0.0
    state.episode[c, PEAK_TIME] = state.number[TIME]
    update_tangent(tables, state, scratch, work, 3)
    state.number[STEP] = min(state.number[STEP], onset_step(tables, c, state, scratch, work))
    state.number[FACTORED_STEP] = 0.0


@kernel
def write_row(tables, state, log):
    """Append t, q, the quaternions of the balls, v, a and the contact flags to the log."""
    row = log.rows[log.filled[0]]
    row[0] = state.number[TIME]
    n = state.q.shape[0]
    at = 1
    for k in range(n):
        row[at + k] = state.q[k]
    at += n
    for ball in range(state.reference.shape[0]):
        for i in range(4):
            row[at + i] = state.reference[ball, i]
        at += 4
    for k in range(n):
        row[at + k] = state.v[k]
        row[at + n + k] = state.a[k]
    at += 2 * n
    for c in range(state.active.shape[0]):
        row[at + c] = state.active[c]
    log.filled[0] += 1


@kernel
def write_inner(tables, state, settings, scratch, work, log, h):
    """Rows inside the step, of methods whose steps are long; the state is as before."""
    if scratch.entries[INNER_ROWS] == 0:
        return
    count = find_inner_rows(scratch.entries[INNER_ROWS], tables, state, settings, scratch, work, h)
    if count == 0:
        return
    n, t = state.q.shape[0], state.number[TIME]
    for k in range(n):
        scratch.point_q[k], scratch.point_v[k], scratch.point_a[k] = state.q[k], state.v[k], state.a[k]
    copy_matrix(state.reference, scratch.turns)
    for row in range(count):
        for k in range(n):
            state.q[k], state.v[k] = scratch.inner[row, 0, k], scratch.inner[row, 1, k]
            state.a[k] = scratch.inner[row, 2, k]
        state.number[TIME] = t + h * (row + 1.0) / (count + 1.0)
        new_chart(tables, state)
        write_row(tables, state, log)
        copy_matrix(scratch.turns, state.reference)
    for k in range(n):
        state.q[k], state.v[k], state.a[k] = scratch.point_q[k], scratch.point_v[k], scratch.point_a[k]
    state.number[TIME] = t
