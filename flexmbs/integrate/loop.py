"""The step loop: error control, events and the log of finished steps.  Runs compiled, in chunks."""

from __future__ import annotations

import math

from flexmbs.integrate.calls import solve_stages, update_tangent
from flexmbs.integrate.events import first_event, onset_step, record_contact
from flexmbs.integrate.mechanics import gap_at
from flexmbs.integrate.projection import polish_multipliers, project, set_end_signals
from flexmbs.integrate.radau import MAX_ITERATIONS, error_norm, set_weights
from flexmbs.integrate.samples import any_due, next_limit, take_samples
from flexmbs.integrate.state import (
    ALL_STALE,
    CHUNK_FULL,
    DEPENDENT,
    DIVERGED,
    EVENTS,
    FACTORED_STEP,
    FINISHED,
    GOOD,
    HAS_PREDICTION,
    HERE,
    HOLDING,
    IMPULSE,
    LAST_CONTRACTION,
    MASS_STALE,
    NEWTON_FAILURES,
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
)
from flexmbs.integrate.tangent import consistent_accelerations, settle
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.rotation import (
    inverse_tangent,
    rotate_quaternion,
    rotation_between,
    tangent,
    tangent_rate,
)
from flexmbs.kernels.signals import evaluate_signals, impose_drivers
from flexmbs.kernels.tables import BALL

# Simplified Newton is kept on the same tangent while it contracts at least this fast.
GOOD_CONTRACTION = 0.05
# Where a tangent of the step before was useless, that of the next steps is taken anew at once.
VOLATILE_STEPS = 8
SAFETY = 0.9


@kernel
def impose_start(tables, state, work):
    """Put the driven coordinates where their drivers are at the present time."""
    evaluate_signals(tables, state.number[TIME], work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)


@kernel
def start(tables, state, settings, scratch, work):
    """Consistent accelerations, contacts that touch at the start, first step size; returns an outcome code."""
    impose_start(tables, state, work)
    for c in range(len(tables.contacts)):
        gap, rate = gap_at(tables, c, state.q, state.v, state.a, state.reference, work)
        if abs(gap) < 1e-12 and rate < 0.0:
            state.active[c] = 1
    if not consistent_accelerations(tables, state, scratch, work):
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
    for c in range(len(tables.contacts)):
        if state.active[c] != 0:
            begin_contact(tables, c, state, scratch, work)
    return CHUNK_FULL


@kernel
def advance(tables, state, settings, scratch, work, log, max_steps):
    """Take up to ``max_steps`` steps (or until the log is full, or ``t_end``); returns an outcome code."""
    log.filled[:] = 0
    for _ in range(max_steps):
        if state.number[TIME] >= settings.t_end:
            return FINISHED
        if log.filled[0] + 1 >= log.rows.shape[0] or log.filled[1] + len(tables.contacts) >= log.contacts.shape[0]:
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
        iterations, error = attempt(tables, state, settings, scratch, work, h)
        if iterations == 0:
            continue
        factor = growth(state, iterations, error, h)
        if error > 1.0:
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
        accept(tables, state, scratch, work, h, error)
        if last:
            state.number[TIME] = limit
        # a small change of step is not worth a new factorisation
        keep = 1.0 <= proposed / h <= 1.2 and state.number[LAST_CONTRACTION] < GOOD_CONTRACTION
        state.number[STEP] = h if keep and not last else proposed
    if contact >= 0:
        switch_contact(tables, contact, state, scratch, work, log)
    if h > 0.0:
        write_row(tables, state, log)
    for k in range(state.q.shape[0]):
        if abs(state.q[k]) > settings.largest_q[k]:
            state.flag[WORST] = k
            return DIVERGED
    if state.flag[STRAYED] != 0:
        state.flag[STRAYED] = 0
        return DEPENDENT
    return CHUNK_FULL


@kernel
def attempt(tables, state, settings, scratch, work, h):
    """Try a step of ``h``: (Newton iterations, error); on failure (0, 1), with a smaller step or a new tangent next."""
    set_weights(tables, state, settings, scratch)
    if state.flag[TANGENT] <= MASS_STALE:
        held = state.flag[HOLDING]
        update_tangent(tables, state, scratch, work, 3 if state.flag[TANGENT] == ALL_STALE else 1)
        if state.flag[HOLDING] < held:
            settle(tables, state, scratch, work)
        state.number[FACTORED_STEP] = 0.0
    iterations = solve_stages(tables, state, settings, scratch, work, h)
    if iterations < 0:
        state.number[STEP] = 0.5 * h
        return 0, 1.0
    if iterations == 0:
        state.count[NEWTON_FAILURES] += 1
        state.flag[VOLATILE] = VOLATILE_STEPS
        if state.flag[TANGENT] == HERE:
            state.number[STEP] = 0.5 * h
            state.flag[REJECTED_LAST] = 1
        else:
            state.flag[TANGENT] = ALL_STALE
        return 0, 1.0
    return iterations, error_norm(tables, state, settings, scratch, h)


@kernel
def growth(state, iterations, error, h):
    """Factor for the step size (Gustafsson's predictive controller, Hairer-Wanner IV.8)."""
    safety = SAFETY * (2.0 * MAX_ITERATIONS + 1.0) / (2.0 * MAX_ITERATIONS + iterations)
    factor = safety * error**-0.25
    if error <= 1.0 and state.number[OLD_STEP] > 0.0 and state.flag[HAS_PREDICTION] != 0:
        memory = (state.number[OLD_ERROR] / error) ** 0.25 * h / state.number[OLD_STEP]
        factor = min(factor, safety * error**-0.25 * memory)
    return min(8.0, max(0.1, factor))


@kernel
def hit(tables, c, state, settings, scratch, work, h, x):
    """Repeat the step so that it ends on the event of contact ``c``.

    Returns its length; 0 when the event is now; -1 when Newton failed, with a smaller step prepared.
    """
    tolerance = 1e300
    for k in range(state.q.shape[0]):
        tolerance = min(tolerance, 1e-3 * (settings.atol_q[k] + 1e-13))
    target = x * h
    for _ in range(6):
        if target <= 1e-15 * max(1e-3, state.number[TIME]):
            return 0.0
        if solve_stages(tables, state, settings, scratch, work, target) <= 0:
            state.number[STEP] = 0.5 * target
            state.number[FACTORED_STEP] = 0.0
            state.flag[TANGENT] = ALL_STALE
            return -1.0
        gap, rate = gap_at(tables, c, scratch.q[2], scratch.v[2], scratch.a[2], state.reference, work)
        if abs(gap) <= tolerance or rate == 0.0:
            break
        change = -gap / rate
        if abs(change) < 1e-14 * max(target, 1e-3) or target + change > 1.01 * h:
            break
        target = max(target + change, 0.5 * target)
    return target


@kernel
def accept(tables, state, scratch, work, h, error):
    """Move the state to the end of the step and start a new chart for the balls."""
    record_contact(tables, state, scratch, work, h)
    if len(tables.constraints) > 0:
        set_end_signals(tables, scratch, work)
        if state.flag[HOLDING] == 0:
            polish_multipliers(tables, state, scratch, work)
        project(tables, state, scratch, work)
    state.flag[TANGENT] = min(state.flag[TANGENT], GOOD)
    for k in range(state.q.shape[0]):
        state.q[k] = scratch.q[2, k]
        state.v[k] = scratch.v[2, k]
        state.a[k] = scratch.a[2, k]
        for i in range(3):
            state.stage_a[i, k] = scratch.a[i, k]
    new_chart(tables, state, scratch)
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
    elif state.number[LAST_CONTRACTION] > GOOD_CONTRACTION:
        state.flag[TANGENT] = MASS_STALE  # all of it only when Newton fails


@kernel
def new_chart(tables, state, scratch):
    """Fold the rotation vectors of the balls into their quaternions; rates become angular velocities."""
    q, v, a = state.q, state.v, state.a
    for axis in range(len(tables.axes)):
        joint = tables.axes[axis]
        if joint.kind != BALL:
            continue
        c = joint.coordinate
        x, y, z = q[c], q[c + 1], q[c + 2]
        for i in range(3):
            restate_stage(state, scratch, c, i)
        rotate_quaternion(state.reference[joint.ball], x, y, z, state.reference[joint.ball])
        sx, sy, sz = tangent(x, y, z, a[c], a[c + 1], a[c + 2], -1.0)
        tx, ty, tz = tangent_rate(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
        wx, wy, wz = tangent(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
        v[c], v[c + 1], v[c + 2] = wx, wy, wz
        a[c], a[c + 1], a[c + 2] = sx + tx, sy + ty, sz + tz
        q[c] = q[c + 1] = q[c + 2] = 0.0


@kernel
def restate_stage(state, scratch, c, i):
    """Acceleration of the ball at coordinate ``c`` in stage ``i`` as the chart of the step's end sees it."""
    x, y, z = scratch.q[i, c], scratch.q[i, c + 1], scratch.q[i, c + 2]
    ux, uy, uz = scratch.v[i, c], scratch.v[i, c + 1], scratch.v[i, c + 2]
    wx, wy, wz = tangent(x, y, z, ux, uy, uz, -1.0)
    ax, ay, az = tangent(x, y, z, scratch.a[i, c], scratch.a[i, c + 1], scratch.a[i, c + 2], -1.0)
    bx, by, bz = tangent_rate(x, y, z, ux, uy, uz, -1.0)
    px, py, pz = rotation_between(scratch.q[2, c], scratch.q[2, c + 1], scratch.q[2, c + 2], x, y, z)
    rx, ry, rz = inverse_tangent(px, py, pz, wx, wy, wz, -1.0)
    cx, cy, cz = tangent_rate(px, py, pz, rx, ry, rz, -1.0)
    sx, sy, sz = inverse_tangent(px, py, pz, ax + bx - cx, ay + by - cy, az + bz - cz, -1.0)
    state.stage_a[i, c], state.stage_a[i, c + 1], state.stage_a[i, c + 2] = sx, sy, sz


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
