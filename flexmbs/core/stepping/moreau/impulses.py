"""The contact problem of a step: coefficients, start, solution, and what becomes of it (forces, modes, occurrences)."""

import math

from flexmbs.core.laws.contact.rigid import FRICTION, STATIC_FRICTION
from flexmbs.core.layout.switch_tables import IMPACT, SLIDING, SLOT_OF, STEP_FORCE, STEP_MODE, STICKING, TIME_STEPPED
from flexmbs.core.methods.moreau import MOST_SWEEPS, TOLERANCE
from flexmbs.core.stepping.moreau.closed_contacts import mode_before, open_stepped
from flexmbs.core.stepping.moreau.sweeps import present_speed, solve_impulses, start_sweeps
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.machine_code.kernel import kernel

ROUNDS = 3  # of coefficients of friction: static or kinetic
ROUNDING = 1e-14  # m/s
INSIDE = 1e-9  # of the cone: what is nearer to it slides
AT_REST = 1e-10  # m/s: approach that is none
SUDDEN = 2.0  # an approach so much faster than what forces do in a step is an impact


@kernel
def find_impulses(tables, state, settings, stepping, h):
    """Impulses of the closed contacts of a step of ``h``; ``stepping.change`` with them."""
    free_change = stepping.right_side
    for i in range(stepping.change.shape[0]):
        free_change[i] = stepping.change[i]
    for i in range(stepping.count):
        start_contact(tables, state, stepping, i, h)
    size = start_sweeps(tables, stepping)
    tolerance = max(settings.parameters[TOLERANCE] * size, ROUNDING)
    left = 0.0
    for _ in range(ROUNDS):
        left = solve_impulses(tables, stepping, free_change, int(settings.parameters[MOST_SWEEPS]), tolerance)
        for i in range(stepping.count):
            for d in range(3):
                stepping.speed_after[i, d] = present_speed(stepping, free_change, i, d)
        if not renew_limits(tables, stepping, tolerance):
            break
    if left > tolerance:
        stepping.unsolved += 1
        stepping.worst = max(stepping.worst, left)


@kernel
def start_contact(tables, state, stepping, i, h):
    """Coefficient of friction and first impulse of contact number ``i``: that of the step before."""
    c = stepping.closed[i]
    at, pool = tables.contacts[c].history_at, tables.contacts[c].at
    sticks = mode_before(tables, state, c) == STICKING
    stepping.limit[i] = tables.pool[pool + (STATIC_FRICTION if sticks else FRICTION)]
    for d in range(3):
        total = 0.0
        for k in range(3):
            total += h * state.contact_history[at + STEP_FORCE + k] * stepping.axes[i, d, k]
        stepping.impulse[i, d] = total
    stepping.impulse[i, 0] = max(stepping.impulse[i, 0], 0.0)


@kernel
def slips(stepping, i):
    """Whether contact number ``i`` is on its cone of friction."""
    u, v = stepping.impulse[i, 1], stepping.impulse[i, 2]
    return not math.sqrt(u * u + v * v) < (1.0 - INSIDE) * stepping.limit[i] * stepping.impulse[i, 0]


@kernel
def renew_limits(tables, stepping, tolerance):
    """Kinetic friction where a contact slips after all, static where its slip turns over; whether any changed."""
    changed = False
    for i in range(stepping.count):
        at = tables.contacts[stepping.closed[i]].at
        kinetic, static = tables.pool[at + FRICTION], tables.pool[at + STATIC_FRICTION]
        if kinetic == static or stepping.impulse[i, 0] == 0.0 or not slips(stepping, i):
            continue
        turned = 0.0
        for d in range(1, 3):
            turned += stepping.speed_before[i, d] * stepping.speed_after[i, d]
        wanted = static if turned < 0.0 and stepping.limit[i] == kinetic else kinetic
        changed = changed or wanted != stepping.limit[i]
        stepping.limit[i] = wanted
    return changed


@kernel
def keep_impulses(tables, state, log, stepping, h):
    """Mean forces and modes of the closed contacts, for results and for the next step; impacts in the log."""
    for i in range(stepping.count):
        c, normal = stepping.closed[i], stepping.impulse[i, 0]
        if normal <= 0.0:
            if tables.contacts[c].group < 0:
                open_stepped(tables, state, c)
            continue
        at = tables.contacts[c].history_at
        before, mode = mode_before(tables, state, c), SLIDING if slips(stepping, i) else STICKING
        if tables.contacts[c].group < 0:
            state.active[c] = mode
        state.contact_history[at + STEP_MODE], state.contact_history[at + SLOT_OF] = mode, TIME_STEPPED
        for k in range(3):
            force = 0.0
            for d in range(3):
                force += stepping.impulse[i, d] * stepping.axes[i, d, k] / h
            state.contact_history[at + STEP_FORCE + k] = force
        speed = -stepping.speed_before[i, 0]
        by_forces = abs(stepping.speed_free[i, 0] - stepping.speed_before[i, 0])
        if speed > AT_REST and speed > SUDDEN * by_forces and log.occurrence_count < log.occurrences.shape[0]:
            log_impact(tables, state, log, stepping, i, before, mode)


@kernel
def log_impact(tables, state, log, stepping, i, before, mode):
    """An occurrence of contact number ``i``, whose bodies approached before the step."""
    c = stepping.closed[i]
    row = new_occurrence(state, log, IMPACT, c)
    if tables.contacts[c].group >= 0:
        row.pair = state.active[c]
    row.mode_before, row.mode = before, mode
    row.approach_speed, row.normal_impulse = -stepping.speed_before[i, 0], stepping.impulse[i, 0]
    row.rebound_speed = stepping.speed_after[i, 0]
    for d in range(3):
        row.energy_lost -= 0.5 * stepping.impulse[i, d] * (stepping.speed_before[i, d] + stepping.speed_after[i, d])
    for k in range(3):
        row.normal[k], row.place[k] = stepping.axes[i, 0, k], stepping.place[i, k]
        for d in range(1, 3):
            row.friction_impulse[k] += stepping.impulse[i, d] * stepping.axes[i, d, k]
            row.slip_before[k] += stepping.speed_before[i, d] * stepping.axes[i, d, k]
            row.slip_after[k] += stepping.speed_after[i, d] * stepping.axes[i, d, k]
