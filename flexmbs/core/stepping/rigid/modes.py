"""What closed rigid contacts do behind an event: part, slide, stick, or rest without a load.

A complementarity problem of the accelerations decides, of all contacts at once whose bodies neither approach nor part.
"""

from __future__ import annotations

import math

from flexmbs.core.constraints.contact_slot import put_tangents
from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SOLVED
from flexmbs.core.contact.rigid.static_friction import solve_accelerations
from flexmbs.core.laws.contact.rigid import FRICTION, STATIC_FRICTION
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import (
    COMPLIANCE,
    LOAD,
    OPEN,
    RESTING,
    ROWS_OFF,
    SLIDING,
    SLIP_X,
    STICKING,
    TANGENT_AXIS,
    TRANSITION,
)
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.rigid.impact import AT_REST, LEAST_REBOUND, name_failure
from flexmbs.core.stepping.rigid.phases import end_phase
from flexmbs.core.stepping.rigid.slots import open_contact, slot_of
from flexmbs.machine_code.kernel import kernel

NO_SLIP = 1e-7  # m/s
NO_LOAD = 1e-9  # of the forces that hold back the free accelerations: a margin that has just vanished
SOFT = 1e-10  # compliance of contacts that share a load in no definite way, of the diagonal of W
DEPENDENT = 1e-10  # of the diagonal: what is left of a row that depends on others
NOBODY = -1
NORMAL, CONE, SLIP = range(3)  # margins (core.stepping.rigid.margins)


@kernel
def choose_modes(tables, state, work, log, rigid, solver, count, cause, margin):
    """Modes of the closed contacts from their velocities and free accelerations; False: there is no solution.

    ``cause``: the contact whose ``margin`` has vanished, which decides where both modes fit.
    """
    lasting = list_lasting(rigid, count)
    for r in range(3 * count):
        rigid.contact_free[r] = rigid.contact_acceleration[r]
        rigid.contact_force[r] = 0.0
    if lasting > 0:
        size = 3 * lasting
        pick(rigid, lasting)
        for i in range(lasting):
            at = tables.contacts[rigid.closed[rigid.lasting[i]]].at
            rigid.contact_friction[i] = tables.pool[at + FRICTION]
            rigid.contact_static[i] = tables.pool[at + STATIC_FRICTION]
        status = solve_accelerations(
            rigid.chosen_delassus,
            rigid.chosen_free[:size],
            rigid.contact_friction[:lasting],
            rigid.contact_static[:lasting],
            rigid.contact_sliding[:lasting],
            rigid.contact_direction[:lasting],
            rigid.chosen_force[:size],
            rigid.contact_mode[:lasting],
            solver,
        )
        if status != SOLVED and status != AMBIGUOUS:
            name_failure(rigid, status, rigid.closed[rigid.lasting[max(solver.contact, 0)]])
            return False
        for i in range(lasting):
            for k in range(3):
                rigid.contact_force[3 * rigid.lasting[i] + k] = rigid.chosen_force[3 * i + k]
    set_modes(tables, state, work, log, rigid, count, lasting, cause, margin)
    return True


@kernel
def list_lasting(rigid, count):
    """Closed contacts whose bodies do not part, in ``rigid.lasting``; how many. After an impact its law says so."""
    lasting = 0
    for i in range(count):
        rigid.contact_mode_of[i] = OPEN
        bounced = rigid.impulse[3 * i] > 0.0 and rigid.contact_restitution[i] > 0.0
        if rigid.contact_velocity[3 * i] > (LEAST_REBOUND if bounced else AT_REST):
            continue
        rigid.lasting[lasting] = i
        ux, uy = rigid.contact_velocity[3 * i + 1], rigid.contact_velocity[3 * i + 2]
        slip = math.sqrt(ux * ux + uy * uy)
        rigid.contact_sliding[lasting] = 1 if slip > NO_SLIP else 0
        rigid.contact_direction[lasting, 0] = ux / slip if slip > NO_SLIP else 0.0
        rigid.contact_direction[lasting, 1] = uy / slip if slip > NO_SLIP else 0.0
        lasting += 1
    return lasting


@kernel
def pick(rigid, lasting):
    """W and free accelerations of the lasting contacts."""
    for i in range(lasting):
        for k in range(3):
            r = 3 * rigid.lasting[i] + k
            rigid.chosen_free[3 * i + k] = rigid.contact_acceleration[r]
            rigid.chosen_force[3 * i + k] = 0.0
            for j in range(lasting):
                for m in range(3):
                    rigid.chosen_delassus[3 * i + k, 3 * j + m] = rigid.delassus[r, 3 * rigid.lasting[j] + m]


@kernel
def set_modes(tables, state, work, log, rigid, count, lasting, cause, margin):
    """Modes as solved, except where a margin has just vanished; numbers that the rows need.

    Where a normal force has vanished, all contacts part whose loads have vanished with it: accelerations that are zero
    without forces cannot tell.
    """
    largest = largest_force(rigid, lasting)
    for i in range(lasting):
        n, u, v = rigid.chosen_force[3 * i], rigid.chosen_force[3 * i + 1], rigid.chosen_force[3 * i + 2]
        c, mode = rigid.closed[rigid.lasting[i]], rigid.contact_mode[i]
        tangential = math.sqrt(u * u + v * v)
        before = rigid.mode_before[slot_of(tables, state, c)]
        loaded = c == cause or before == SLIDING or before == STICKING
        if cause >= 0 and margin == NORMAL and loaded and n <= NO_LOAD * largest:
            mode = OPEN
        if c == cause and margin == CONE and mode == STICKING:
            limit = rigid.contact_static[i] * n
            if tangential > 0.0 and limit - tangential <= NO_LOAD * max(limit, largest):
                mode = SLIDING
        if mode == SLIDING and rigid.contact_sliding[i] == 0 and tangential > 0.0:
            rigid.contact_direction[i, 0], rigid.contact_direction[i, 1] = -u / tangential, -v / tangential
        rigid.contact_mode_of[rigid.lasting[i]] = mode
        rigid.direction_of[rigid.lasting[i], 0] = rigid.contact_direction[i, 0]
        rigid.direction_of[rigid.lasting[i], 1] = rigid.contact_direction[i, 1]
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    soft = softness(rigid, count)
    turned = cause if margin == SLIP else NOBODY
    for i in range(count):
        set_mode(tables, state, work, log, rigid, i, soft, turned)
    show_condensed(tables, state.a, work)


@kernel
def largest_force(rigid, lasting):
    """The largest force of a contact, N, or that would hold back its free acceleration by itself."""
    largest = 0.0
    for r in range(3 * lasting):
        largest = max(largest, abs(rigid.chosen_force[r]))
        mobility, n = rigid.chosen_delassus[r, r], r - r % 3
        if mobility > DEPENDENT * rigid.chosen_delassus[n, n]:
            largest = max(largest, abs(rigid.chosen_free[r]) / mobility)
    return largest


@kernel
def set_mode(tables, state, work, log, rigid, i, soft, turned):
    """Mode and numbers of the closed contact number ``i``; the slip of contact ``turned`` has vanished."""
    c, mode, back = rigid.closed[i], rigid.contact_mode_of[i], False
    at, before = tables.contacts[c].history_at, rigid.mode_before[slot_of(tables, state, c)]
    gap_in_place(tables, c, state.q, state.v, state.a, work)
    touch, axes = work.touch[0], work.scratch[0]
    put_tangents(touch.n, work.marker[B].R_WM, int(state.contact_history[at + TANGENT_AXIS]), axes.u, axes.v)
    if mode == OPEN:
        end_phase(state, log, c, rigid.contact_velocity[3 * i])
        open_contact(tables, state, c)
    else:
        state.active[c] = mode
        state.contact_history[at + COMPLIANCE] = soft
        state.contact_history[at + ROWS_OFF] = rows_off(rigid, i)
        x, y = rigid.direction_of[i, 0], rigid.direction_of[i, 1]
        along = 0.0
        for k in range(3):
            direction = x * axes.u[k] + y * axes.v[k]
            along += direction * state.contact_history[at + SLIP_X + k]
            state.contact_history[at + SLIP_X + k] = direction
        back = mode == SLIDING and along < 0.0
        row = tables.switches[slot_of(tables, state, c)].row
        for k in range(3):
            state.a[row + k] = state.contact_history[at + LOAD + k] = rigid.contact_force[3 * i + k]
        if mode == SLIDING or mode == RESTING:
            state.a[row + 1] = state.a[row + 2] = 0.0
        if mode == RESTING:
            state.a[row] = 0.0
    if mode != before or c == turned or back:
        log_transition(state, work, log, rigid, i, before, mode)


@kernel
def log_transition(state, work, log, rigid, i, before, mode):
    """A change of mode of the closed contact number ``i``, whose geometry was evaluated last, in the log."""
    row, touch, axes = new_occurrence(state, log, TRANSITION, rigid.closed[i]), work.touch[0], work.scratch[0]
    row.mode_before, row.mode = before, mode
    for k in range(3):
        row.normal[k], row.place[k] = touch.n[k], touch.p[k]
        slip = rigid.contact_velocity[3 * i + 1] * axes.u[k] + rigid.contact_velocity[3 * i + 2] * axes.v[k]
        row.slip_before[k] = row.slip_after[k] = slip


@kernel
def rows_off(rigid, i):
    """1, 2 or 3: the first, second or both tangents along which the contact cannot move."""
    off, normal = 0.0, rigid.delassus[3 * i, 3 * i]
    if rigid.delassus[3 * i + 1, 3 * i + 1] <= DEPENDENT * normal:
        off += 1.0
    if rigid.delassus[3 * i + 2, 3 * i + 2] <= DEPENDENT * normal:
        off += 2.0
    return off


@kernel
def softness(rigid, count):
    """Compliance of the rows that are on, 1/kg, where they depend on each other; else 0. By Cholesky's factors."""
    rows, largest = 0, 0.0
    for i in range(count):
        off = int(rows_off(rigid, i))
        for k in range(3):
            mode = rigid.contact_mode_of[i]
            if mode == OPEN or mode == RESTING or (k > 0 and mode == SLIDING) or (k == 1 and off % 2 == 1):
                continue
            if k == 2 and off >= 2:
                continue
            rigid.on_row[rows] = 3 * i + k
            largest = max(largest, rigid.delassus[3 * i + k, 3 * i + k])
            rows += 1
    for j in range(rows):
        for i in range(j, rows):
            total = rigid.delassus[rigid.on_row[i], rigid.on_row[j]]
            for k in range(j):
                total -= rigid.cholesky[i, k] * rigid.cholesky[j, k]
            if i == j:
                if total <= DEPENDENT * rigid.delassus[rigid.on_row[i], rigid.on_row[i]]:
                    return SOFT * largest
                rigid.cholesky[j, j] = math.sqrt(total)
            else:
                rigid.cholesky[i, j] = total / rigid.cholesky[j, j]
    return 0.0
