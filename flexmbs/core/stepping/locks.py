"""Locks that close at an instant: the balance of momentum with all of them at once, and who carries the load.

M (v+ - v-) = G^T p, G v+ = 0 with the rows of all constraints and locks that are on.  Rigid contacts take part in what
follows (core.stepping.rigid.resolve): two projections, onto the locks and then onto the contacts with the locks kept,
are the projection onto both.
"""

from flexmbs.core.equations.iteration_matrix import unit_row
from flexmbs.core.equations.projection import fill_projection
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.switch_tables import (
    ACTS,
    FREED,
    FRICTION_HOLD,
    HELD,
    HELD_BY_OTHERS,
    HOLD,
    LET_GO,
    LOCKED,
    OF_CONSTRAINT,
    RELEASED,
    SLOT,
)
from flexmbs.core.layout.tables import COUPLING
from flexmbs.core.linalg.dense_lu import NO_PIVOT
from flexmbs.core.linalg.matrix import columns_of, factorise_any, solve_scaled
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.rigid.delassus import TINY, place_unknowns
from flexmbs.core.stepping.rigid.joint_impulses import begin_impulses, end_impulses, lock_loss, rub_behind_locks
from flexmbs.machine_code.kernel import kernel

STILL = 1e-9  # rate, rad/s or m/s, and part of the largest, that a lock leaves where it cannot hold
LOWEST, SLOWEST = 1e-13, 1e-12  # rebound from a stop: height, of its largest distance so far; speed
NO_LOCK = -1
NOT_SOLVED = -2


@kernel
def remember_locks(tables, state, rigid):
    """Flags of all switches before the actions of events."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        rigid.lock_before[s], rigid.lock_restitution[s] = state.active[first + s], 0.0


@kernel
def lock(tables, state, s):
    """Hold switch ``s`` where it is."""
    first, switch = len(tables.contacts), tables.switches[s]
    if state.active[first + s] != FREED:
        return
    state.active[first + s] = HELD
    state.contact_history[switch.anchor_at] = held_sum(tables, s, state.q)


@kernel
def rebound(tables, state, rigid, s, restitution, reach):
    """A stop is hit: what it holds rebounds, or rests where the rebound would be as low as rounding."""
    rate, accel = held_sum(tables, s, state.v), held_sum(tables, s, state.a)
    lock(tables, state, s)
    back = restitution * rate
    low = accel * rate > 0.0 and back * back < 2.0 * abs(accel) * LOWEST * reach
    rigid.lock_restitution[s] = 0.0 if low or abs(back) < SLOWEST else restitution


@kernel
def free(tables, state, s):
    """Let go what switch ``s`` holds."""
    switch = tables.switches[s]
    state.active[len(tables.contacts) + s] = LET_GO if switch.kind == OF_CONSTRAINT else FREED
    for row in range(switch.row, switch.row + switch.rows):
        state.a[row] = 0.0


@kernel
def held_sum(tables, s, vector):
    """The sum of coordinates, or of their rates, that switch ``s`` can hold."""
    total, switch = 0.0, tables.switches[s]
    for i in range(switch.start, switch.end):
        total += tables.terms[i].factor * vector[tables.terms[i].coordinate]
    return total


@kernel
def locks_have_changed(tables, state, rigid):
    """Whether an action has closed or opened a lock."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind != SLOT and state.active[first + s] != rigid.lock_before[s]:
            return True
    return False


@kernel
def settle_locks(tables, state, scratch, work, log, rigid, solver):
    """Velocities behind the locks that have closed; -1, -2 (no solution) or the lock that cannot hold."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD:
            rigid.lock_rate[s] = held_sum(tables, s, state.v)
            if state.active[first + s] == HELD_BY_OTHERS:
                state.active[first + s] = HELD
    switch_couplings(tables, state)
    begin_impulses(tables, state, work, rigid)
    update_tangent(tables, state, scratch, work, 1)
    place_unknowns(tables, rigid)
    if not choose_locks(tables, state, scratch, rigid):
        end_impulses(tables, state, work, rigid)
        return NOT_SOLVED
    scratch.real_x[:] = 0.0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD and state.active[first + s] == HELD:
            jump = -(1.0 + rigid.lock_restitution[s]) * rigid.lock_rate[s]
            scratch.real_x[rigid.place[tables.switches[s].row]] = jump
    solve_scaled(scratch.projection, scratch.projection_pivots, tables.band, state.scale, scratch.real_x)
    for i in range(len(tables.free)):
        k = tables.free[i]
        rigid.lock_change[i] = scratch.real_x[i]
        if not is_algebraic(tables.coordinates[k]):
            state.v[k] += scratch.real_x[i]
    lost = 0.0
    if len(tables.joint_frictions) > 0:
        lost = rub_behind_locks(tables, state, scratch, work, rigid, solver)
    end_impulses(tables, state, work, rigid)
    log_locks(tables, state, log, rigid, lost)
    for s in range(len(tables.switches)):
        if rigid.lock_restitution[s] > 0.0:
            free(tables, state, s)
    return moving_lock(tables, state, rigid)


@kernel
def switch_couplings(tables, state):
    """Couplings all of whose coordinates are locked carry nothing; others act."""
    first = len(tables.contacts)
    for c in range(len(tables.constraints)):
        constraint = tables.constraints[c]
        if constraint.kind != COUPLING or constraint.switch < 0:
            continue
        all_held = True
        for i in range(constraint.start, constraint.end):
            all_held = all_held and is_held(tables, state, tables.terms[i].coordinate)
        state.active[first + constraint.switch] = LET_GO if all_held else ACTS


@kernel
def is_held(tables, state, coordinate):
    """Whether a lock holds this coordinate alone."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        switch = tables.switches[s]
        alone = switch.kind == HOLD and switch.end - switch.start == 1
        if alone and state.active[first + s] != FREED and tables.terms[switch.start].coordinate == coordinate:
            return True
    return False


@kernel
def choose_locks(tables, state, scratch, rigid):
    """Factors of the mass matrix with independent locks, of which the others follow; False: singular."""
    first = len(tables.contacts)
    status = factorise_locks(tables, state, scratch, rigid)
    if status >= 0:
        return status > 0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD and state.active[first + s] == HELD:
            state.active[first + s] = HELD_BY_OTHERS
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD and state.active[first + s] == HELD_BY_OTHERS:
            state.active[first + s] = HELD
            status = factorise_locks(tables, state, scratch, rigid)
            if status < 0:
                state.active[first + s] = HELD_BY_OTHERS
    return factorise_locks(tables, state, scratch, rigid) != 0


@kernel
def factorise_locks(tables, state, scratch, rigid):
    """1: factorised; -1: a row depends on others; 0: singular.  Contacts and locks held by others are left out."""
    m, first = len(tables.free), len(tables.contacts)
    fill_projection(tables, state, scratch)
    for s in range(len(tables.switches)):
        switch = tables.switches[s]
        if switch.kind == SLOT or (switch.kind == HOLD and state.active[first + s] == HELD_BY_OTHERS):
            for row in range(switch.row, switch.row + switch.rows):
                unit_row(tables, scratch.projection, rigid.place[row])
    if not factorise_any(scratch.projection, scratch.projection_pivots, tables.band, TINY):
        return 0
    for i in range(m):
        start, end, shift = columns_of(i, m, tables.band)
        if abs(scratch.projection[i, i + shift]) >= 0.1 * NO_PIVOT:
            return -1
    return 1


@kernel
def moving_lock(tables, state, rigid):
    """A lock that still moves, because what moves it is prescribed; -1: none."""
    first, largest = len(tables.contacts), 0.0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD:
            largest = max(largest, abs(rigid.lock_rate[s]))
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD and state.active[first + s] == HELD_BY_OTHERS:
            if abs(held_sum(tables, s, state.v)) > STILL * (1.0 + largest):
                return s
    return NO_LOCK


@kernel
def log_locks(tables, state, log, rigid, lost):
    """Occurrences: locks that have closed, those that were hit while closed, and what was released.

    ``lost``: energy that friction in joints has taken meanwhile, J, which is lost in the first of them.
    """
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        before, now = rigid.lock_before[s], state.active[first + s]
        kind = tables.switches[s].kind
        if kind == SLOT or kind == FRICTION_HOLD or log.occurrence_count >= log.occurrences.shape[0]:
            continue
        if tables.switches[s].kind == OF_CONSTRAINT:
            if before == ACTS and now == LET_GO and not is_coupling(tables, s):
                log_lock(state, log, RELEASED, s, HELD, FREED, 0.0, 0.0, 0.0)
            continue
        impulse = rigid.lock_change[rigid.place[tables.switches[s].row]] if now == HELD else 0.0
        if now != FREED and (before == FREED or impulse != 0.0):
            restitution = rigid.lock_restitution[s]
            mode = FREED if restitution > 0.0 else HELD
            log_lock(state, log, LOCKED, s, min(before, HELD), mode, rigid.lock_rate[s], impulse, restitution)
            log.occurrences[log.occurrence_count - 1].energy_lost += lost
            lost = 0.0
        elif now == FREED and before != FREED:
            log_lock(state, log, RELEASED, s, HELD, FREED, 0.0, 0.0, 0.0)


@kernel
def is_coupling(tables, s):
    """Whether switch ``s`` belongs to a coupling, which locks switch."""
    for c in range(len(tables.constraints)):
        if tables.constraints[c].switch == s:
            return tables.constraints[c].kind == COUPLING
    return False


@kernel
def log_lock(state, log, kind, s, before, now, rate, impulse, restitution):
    """An occurrence: ``normal_impulse`` is that on the coordinate, ``approach_speed`` its rate before."""
    row = new_occurrence(state, log, kind, s)
    row.mode_before, row.mode = before, now
    row.approach_speed, row.rebound_speed, row.normal_impulse = rate, restitution * rate, impulse
    row.energy_lost = lock_loss(impulse, rate, restitution)
