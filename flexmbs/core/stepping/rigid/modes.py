"""What closed rigid contacts do behind an event: part, slide, stick, or rest without a load.

A complementarity problem of the accelerations decides, of all contacts at once whose bodies neither approach nor part.
"""

import math

from flexmbs.core.constraints.contact_slot import put_tangents
from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SOLVED
from flexmbs.core.contact.rigid.static_friction import solve_accelerations
from flexmbs.core.laws.force.joint_slip import BIAS
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import (
    COMPLIANCE,
    FRESH,
    IN_RESTING_GROUP,
    LOAD,
    LOAD_BEFORE,
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
from flexmbs.core.stepping.rigid.joint_bearings import MOST_ROUNDS
from flexmbs.core.stepping.rigid.joint_members import change_of_loads, set_joint_mode
from flexmbs.core.stepping.rigid.members import joint_of, kinetic_friction, memory_of, mode_at, slot_of, static_friction
from flexmbs.core.stepping.rigid.phases import end_phase
from flexmbs.core.stepping.rigid.resting_groups import ENDS, ENDS_NEARLY, STAYS, find_resting, keep_resting, share_among_sticking
from flexmbs.core.stepping.rigid.sharing import DEPENDENT, fix_shares, rows_off, share_as_springs
from flexmbs.core.stepping.rigid.slots import open_contact
from flexmbs.machine_code.kernel import kernel

NO_SLIP = 1e-7  # m/s
NO_LOAD = 1e-9  # of the forces that hold back the free accelerations: a margin that has just vanished
NOBODY = -1
NO_LOAD_ON_SPRINGS = 1e-5  # ... of contacts that share a load as springs
AT_LIMIT_ON_SPRINGS = 1e-4  # ... and have just reached their cone: by how much springs may move it
# Changes of normal forces of joints in a round, in the last one, and where forces hold all and only which ones is not settled
# (margins tell whether they do), of the largest; rounds after which they go from one side to the other, and part of a change then
LOADS_SETTLED, NEARLY_SETTLED, HELD_NEARLY = 1e-10, 1e-3, 0.03
ENOUGH_ROUNDS, DAMPED = 10, 0.5
GIVES_WAY = 10.0  # times the largest force on a spring
BEYOND = 1e-4, 1e-3, 1e-2  # of b: where what ends a rest is decided, one after the other until something begins
NORMAL, CONE, SLIP = range(3)  # margins (core.stepping.rigid.margins)


@kernel
def choose_modes(tables, state, work, log, rigid, solver, count, members, total, cause, margin):
    """Modes of ``count`` closed contacts and the joints behind them, ``members`` in all; False: there is no solution.

    From their velocities and free accelerations; behind them are joints that slide, ``total`` in all. ``cause``: the member
    whose ``margin`` has vanished, which decides where both modes fit.
    """
    keep_fresh(tables, state, work, rigid, count, cause)
    ended = STAYS
    if total == count:
        for r in range(3 * members):
            rigid.contact_free[r] = rigid.contact_acceleration[r]
    if cause >= 0 and margin == CONE and state.contact_history[memory_of(tables, cause) + IN_RESTING_GROUP] != 0.0:
        ended, cause = ENDS, NOBODY
    leads = cause >= 0 and margin == CONE  # its own forces have come to their limit: nothing is to be decided beyond it
    for attempt in range(MOST_ROUNDS):
        if attempt == ENOUGH_ROUNDS and ended == ENDS:
            ended = ENDS_NEARLY
        moving, lasting = find_forces(tables, state, rigid, solver, count, members, ended, leads)
        if moving < 0:
            return False
        part = 1.0 if attempt < ENOUGH_ROUNDS else DAMPED
        change = change_of_loads(tables, state, work, rigid, count, members, total, part) if total > count else 0.0
        settled = LOADS_SETTLED if attempt < MOST_ROUNDS - 1 else NEARLY_SETTLED
        if change <= (HELD_NEARLY if moving == 0 and attempt >= 2 * ENOUGH_ROUNDS else settled):
            set_modes(tables, state, work, log, rigid, members, moving, lasting, cause, margin)
            share_among_sticking(tables, rigid, moving)
            keep_resting(tables, state, rigid, members)
            for i in range(members, total):
                state.active[mode_at(tables, rigid.joint_of[i])] = SLIDING
            return True
    rigid.jammed[0] = joint_of(tables, rigid.closed[count])
    return False


@kernel
def find_forces(tables, state, rigid, solver, count, members, ended, leads):
    """Forces and modes of the members that last: how many move and last, those that move first; -1: no solution."""
    lasting = list_lasting(rigid, count, members)
    rigid.contact_force[: 3 * members] = 0.0
    state.holding_slack = 0.0
    moving = find_resting(tables, state, rigid, lasting, ended)
    if leads:
        rigid.beyond[:] = 0.0
    for beyond in BEYOND:
        if moving == 0:
            break
        status = solve_moving(tables, rigid, solver, moving, beyond)
        if status != SOLVED and status != AMBIGUOUS:
            c = rigid.closed[rigid.lasting[max(solver.contact, 0)]]
            name_failure(rigid, status, c)
            rigid.jammed[0] = joint_of(tables, c)
            return -1, lasting
        if ended == STAYS or begins(rigid, moving):
            break
    stay_unloaded(rigid, solver, moving)
    share_as_springs(tables, state, rigid, solver, moving)
    for i in range(lasting):
        for k in range(3):
            if i < moving:
                rigid.contact_force[3 * rigid.lasting[i] + k] = rigid.chosen_force[3 * i + k]
            else:
                rigid.chosen_force[3 * i + k] = rigid.contact_force[3 * rigid.lasting[i] + k]
    for i in range(moving, lasting):
        rough = static_friction(tables, rigid.closed[rigid.lasting[i]]) > 0.0
        rigid.contact_mode[i] = STICKING if rough else SLIDING
    return moving, lasting


@kernel
def solve_moving(tables, rigid, solver, moving, beyond):
    """The complementarity problem of the first ``moving`` of the lasting contacts; its status."""
    size = 3 * moving
    pick(rigid, moving)
    for i in range(moving):
        rigid.contact_friction[i] = kinetic_friction(tables, rigid.closed[rigid.lasting[i]])
        rigid.contact_static[i] = static_friction(tables, rigid.closed[rigid.lasting[i]])
        for k in range(3):
            rigid.chosen_free[3 * i + k] += beyond * rigid.beyond[3 * rigid.lasting[i] + k]
    return solve_accelerations(
        rigid.chosen_delassus,
        rigid.chosen_free[:size],
        rigid.contact_friction[:moving],
        rigid.contact_static[:moving],
        rigid.contact_sliding[:moving],
        rigid.contact_direction[:moving],
        rigid.chosen_force[:size],
        rigid.contact_mode[:moving],
        solver,
    )


@kernel
def stay_unloaded(rigid, solver, moving):
    """Contacts that part by no more than the springs under others give way have no load, but are closed."""
    largest = largest_force(rigid, moving)
    for i in range(moving):
        if rigid.contact_mode[i] == OPEN and solver.y[3 * i] <= GIVES_WAY * rigid.spring[rigid.lasting[i]] * largest:
            rigid.contact_mode[i] = RESTING


@kernel
def begins(rigid, moving):
    """Whether a contact of a group at its limit slides or opens."""
    for i in range(moving):
        at = 3 * rigid.lasting[i]
        ends = rigid.contact_sliding[i] == 0 and (
            rigid.beyond[at] != 0.0 or rigid.beyond[at + 1] != 0.0 or rigid.beyond[at + 2] != 0.0
        )
        if ends and (rigid.contact_mode[i] == OPEN or rigid.contact_mode[i] == SLIDING and rigid.contact_static[i] > 0.0):
            return True
    return False


@kernel
def keep_fresh(tables, state, work, rigid, count, cause):
    """Along which contacts that have just begun to slide rub, where another one takes load again without a hit: they go on so.

    With other directions it would have none, and take it again for ever.
    """
    rigid.fresh_direction[:] = 0.0
    some = False
    if cause < 0 or rigid.mode_before[slot_of(tables, state, cause)] != RESTING:
        return
    for i in range(count):
        at = tables.contacts[rigid.closed[i]].history_at
        fresh = rigid.mode_before[slot_of(tables, state, rigid.closed[i])] == SLIDING and state.contact_history[at + FRESH] != 0.0
        if rigid.impulse[3 * i] != 0.0:
            return
        some = some or fresh and rigid.closed[i] != cause
    if not some:
        return
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    for i in range(count):
        c, at = rigid.closed[i], tables.contacts[rigid.closed[i]].history_at
        if rigid.mode_before[slot_of(tables, state, c)] != SLIDING or state.contact_history[at + FRESH] == 0.0 or c == cause:
            continue
        gap_in_place(tables, c, state.q, state.v, state.a, work)
        touch, axes = work.touch[0], work.scratch[0]
        put_tangents(touch.n, work.marker[B].R_WM, int(state.contact_history[at + TANGENT_AXIS]), axes.u, axes.v)
        for k in range(3):
            direction = BIAS * state.contact_history[at + SLIP_X + k]  # core.constraints.contact_slot.slip_direction
            rigid.fresh_direction[i, 0] += direction * axes.u[k]
            rigid.fresh_direction[i, 1] += direction * axes.v[k]
        rigid.fresh_direction[i, 0] += rigid.contact_velocity[3 * i + 1]
        rigid.fresh_direction[i, 1] += rigid.contact_velocity[3 * i + 2]
    show_condensed(tables, state.a, work)


@kernel
def list_lasting(rigid, count, members):
    """Closed contacts whose bodies do not part, and joints, in ``rigid.lasting``; how many. After an impact its law says so."""
    lasting = 0
    for i in range(members):
        rigid.contact_mode_of[i] = OPEN
        bounced = i < count and rigid.impulse[3 * i] > 0.0 and rigid.contact_restitution[i] > 0.0
        if rigid.contact_velocity[3 * i] > (LEAST_REBOUND if bounced else AT_REST):
            continue
        rigid.lasting[lasting] = i
        ux, uy = rigid.contact_velocity[3 * i + 1], rigid.contact_velocity[3 * i + 2]
        if i < count and (rigid.fresh_direction[i, 0] != 0.0 or rigid.fresh_direction[i, 1] != 0.0):
            ux, uy = rigid.fresh_direction[i, 0], rigid.fresh_direction[i, 1]
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
        rigid.chosen_delassus[3 * i, 3 * i] += rigid.spring[rigid.lasting[i]]


@kernel
def set_modes(tables, state, work, log, rigid, members, moving, lasting, cause, margin):
    """Modes as solved, except where a margin has just vanished; numbers that the rows need.

    Where a normal force has vanished, all contacts part whose loads have vanished with it: accelerations that are zero
    without forces cannot tell. What has just begun to slide, and is at its limit, goes on as another one begins.
    """
    largest = largest_force(rigid, moving)
    for i in range(lasting):
        n, u, v = rigid.chosen_force[3 * i], rigid.chosen_force[3 * i + 1], rigid.chosen_force[3 * i + 2]
        c, mode = rigid.closed[rigid.lasting[i]], rigid.contact_mode[i]
        tangential = math.sqrt(u * u + v * v)
        before = rigid.mode_before[slot_of(tables, state, c)]
        loaded = i < moving and rigid.by_springs[i] == 0 and (c == cause or before == SLIDING or before == STICKING)
        loaded = loaded and joint_of(tables, c) < 0
        zero = NO_LOAD if rigid.spring[rigid.lasting[i]] == 0.0 else NO_LOAD_ON_SPRINGS
        if cause >= 0 and margin == NORMAL and loaded and n <= zero * largest:
            mode = OPEN
        begun = joint_of(tables, c) >= 0 and cause >= 0 and before == SLIDING
        if (c == cause or begun) and margin == CONE and mode == STICKING and i < moving:
            limit = rigid.contact_static[i] * n
            near = zero if zero == NO_LOAD else AT_LIMIT_ON_SPRINGS
            if tangential > 0.0 and limit - tangential <= near * max(limit, largest):
                mode = SLIDING
        if mode == SLIDING and rigid.contact_sliding[i] == 0 and tangential > 0.0:
            rigid.contact_direction[i, 0], rigid.contact_direction[i, 1] = -u / tangential, -v / tangential
        rigid.contact_mode_of[rigid.lasting[i]] = mode
        rigid.direction_of[rigid.lasting[i], 0] = rigid.contact_direction[i, 0]
        rigid.direction_of[rigid.lasting[i], 1] = rigid.contact_direction[i, 1]
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    soft = fix_shares(tables, state, work, rigid, members)
    turned = cause if margin == SLIP else NOBODY
    for i in range(members):
        if joint_of(tables, rigid.closed[i]) >= 0:
            set_joint_mode(tables, state, work, rigid, i, soft)
        else:
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
        u, v = rigid.contact_velocity[3 * i + 1], rigid.contact_velocity[3 * i + 2]
        state.contact_history[at + FRESH] = 1.0 if mode == SLIDING and u * u + v * v <= NO_SLIP * NO_SLIP else 0.0
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
            state.contact_history[at + LOAD_BEFORE + k] = rigid.contact_force[3 * i + k]
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
