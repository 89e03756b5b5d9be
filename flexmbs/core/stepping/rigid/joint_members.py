"""Joints with friction at rest among the members of an event of rigid contacts (core.stepping.rigid.members).

Their normal forces are given, or the reactions of their bearings, which depend on all forces: these are found by iteration.
"""

from __future__ import annotations

import math

from flexmbs.core.equations.iteration_matrix import unit_row
from flexmbs.core.equations.projection import fill_equilibrated
from flexmbs.core.equations.singular_positions import row_times
from flexmbs.core.laws.force.joint_slip import joint_slip, slip_acceleration
from flexmbs.core.layout.friction_tables import GIVEN
from flexmbs.core.layout.switch_tables import COMPLIANCE, FREED, HELD, HOLD, LOAD, LOAD_BEFORE, SLIDING, STICKING
from flexmbs.core.linalg.matrix import factorise_any
from flexmbs.core.stepping.rigid.delassus import TINY, unit_response
from flexmbs.core.stepping.rigid.joint_impulses import DEPENDENT, NO_ROW, read_bearings, renew_bearings
from flexmbs.core.stepping.rigid.joint_margins import set_direction
from flexmbs.core.stepping.rigid.joint_modes import AT_REST, drop_anchor, is_driven, mode_at
from flexmbs.core.stepping.rigid.margins import SLIP
from flexmbs.core.stepping.rigid.members import are_members, joint_of, set_force
from flexmbs.machine_code.kernel import kernel

LOADS_SETTLED = 1e-10  # of the largest: change of normal forces in a round
MOVES = 1e-9  # m/s^2: what a powerless friction cannot hold, as that of a slider at a dead centre; below a lock holds it
LEAST_LOAD = 1e-200  # N: without any there is no friction, but a direction


@kernel
def remember_joint_modes(tables, state, rigid):
    """Modes before an event."""
    for j in range(len(tables.joint_frictions)):
        if state.active[mode_at(tables, j)] != FREED:  # else they were remembered as it was let go
            rigid.joint_mode_before[j] = state.active[mode_at(tables, j)]


@kernel
def list_joints_at_rest(tables, state, work, rigid, count, cause, margin):
    """Joints at rest behind ``count`` closed contacts, with their rows: they stick for now; how many members there are.

    Others slide along their slip.
    """
    members = count
    if not are_members(tables):
        return members
    for j in range(len(tables.joint_frictions)):
        friction, c = tables.joint_frictions[j], mode_at(tables, j)
        x, y, z = joint_slip(tables, friction, state.q, state.v, state.a, work)
        turned = c == cause and margin == SLIP and friction.motions == 1
        rests = turned or math.sqrt(x * x + y * y + z * z) <= AT_REST
        if not rests or is_driven(tables, friction):
            state.active[c] = SLIDING
            if rests:
                x, y, z = slip_acceleration(tables, friction, state.q, state.v, state.a, work)
            set_direction(friction, state.contact_history, x, y, z)
            continue
        if state.active[c] != STICKING:
            drop_anchor(tables, friction, state, work)
        state.active[c] = STICKING
        state.contact_history[friction.history_at + COMPLIANCE] = 0.0
        rigid.closed[members], rigid.joint_of[members] = c, j
        row, r = tables.switches[friction.switch].row, 3 * members
        rigid.mode_before[friction.switch] = rigid.joint_mode_before[j]
        rigid.row[r] = rigid.row[r + 2] = NO_ROW
        rigid.row[r + 1], rigid.row_scale[r + 1] = row, friction.first_radius
        if friction.motions == 2:
            rigid.row[r + 2], rigid.row_scale[r + 2] = row + 1, friction.second_radius
        members += 1
    return members


@kernel
def prepare_members(tables, state, scratch, work, rigid, count, members):
    """Complete W of the joints behind ``count`` contacts, and find the normal forces that they have without contact forces.

    A motion that nothing can change, as that of a joint whose slide is locked, has no friction.
    """
    largest, follow = 0.0, False
    find_free_mobilities(tables, state, scratch, rigid, count, members)
    for r in range(3 * members):
        largest = max(largest, rigid.delassus[r, r])
    for r in range(3 * count, 3 * members):
        if rigid.delassus[r, r] <= DEPENDENT * max(largest, rigid.beyond[r]):
            rigid.row[r], rigid.contact_acceleration[r] = NO_ROW, 0.0
            rigid.delassus[r, : 3 * members] = 0.0
            rigid.delassus[: 3 * members, r] = 0.0
        rigid.contact_velocity[r] = rigid.contact_force[r] = 0.0
    for i in range(count, members):
        mobility = max(rigid.delassus[3 * i + 1, 3 * i + 1], rigid.delassus[3 * i + 2, 3 * i + 2])
        for r in range(3 * i, 3 * i + 3):
            if rigid.row[r] == NO_ROW:
                rigid.delassus[r, r] = mobility if mobility > 0.0 else largest
        follow = follow or tables.joint_frictions[rigid.joint_of[i]].load != GIVEN
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].load != GIVEN:
            reaction = work.reaction[tables.joint_frictions[j].reaction]
            for k in range(3):
                rigid.bearing_before[j, k], rigid.bearing_before[j, 3 + k] = reaction.force[k], reaction.moment[k]
    rigid.bearing[:] = 0.0
    for r in range(3 * members):
        if follow and rigid.row[r] != NO_ROW:
            read_bearings(
                tables, state, scratch, work, rigid, rigid.response[r], rigid.row[r], rigid.row_scale[r], rigid.bearing[r]
            )
    rigid.contact_force[: 3 * members] = 0.0
    loads_change(tables, state, work, rigid, count, members)


@kernel
def find_free_mobilities(tables, state, scratch, rigid, count, members):
    """Acceleration by a unit force on each row of joints if no lock held anything, in ``rigid.beyond``; zero without locks."""
    some = False
    rigid.beyond[:] = 0.0
    for s in range(len(tables.switches)):
        some = some or tables.switches[s].kind == HOLD and state.active[len(tables.contacts) + s] == HELD
    if not some:
        return
    fill_equilibrated(tables, state, scratch)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD:
            unit_row(tables, scratch.projection, rigid.place[tables.switches[s].row])
    for r in range(3 * members):
        if rigid.row[r] != NO_ROW:
            unit_row(tables, scratch.projection, rigid.place[rigid.row[r]])
    if factorise_any(scratch.projection, scratch.projection_pivots, tables.band, TINY):
        for r in range(3 * count, 3 * members):
            if rigid.row[r] != NO_ROW:
                place = rigid.place[rigid.row[r]]
                unit_response(tables, state, scratch, place, scratch.real_x)
                rigid.beyond[r] = rigid.row_scale[r] ** 2 * row_times(tables, state, place, scratch.real_x)


@kernel
def loads_change(tables, state, work, rigid, count, members):
    """Renew the normal forces of joints by those of all members; whether they have changed."""
    changed = renew_bearings(tables, state, work, rigid, rigid.contact_velocity, rigid.contact_force, count, members)
    for i in range(count, members):
        load = max(rigid.joint_load[rigid.joint_of[i]], LEAST_LOAD)
        rigid.contact_acceleration[3 * i] = rigid.contact_free[3 * i] = -rigid.delassus[3 * i, 3 * i] * load
    return changed > LOADS_SETTLED


@kernel
def set_joint_mode(tables, state, work, rigid, i, soft):
    """Mode and numbers of member ``i``, a joint."""
    c = rigid.closed[i]
    friction = tables.joint_frictions[joint_of(tables, c)]
    at, x, y, z = friction.history_at, rigid.direction_of[i, 0], rigid.direction_of[i, 1], 0.0
    mode = STICKING if rigid.contact_mode_of[i] == STICKING else SLIDING
    powerless = rigid.row[3 * i + 1] == NO_ROW and rigid.row[3 * i + 2] == NO_ROW
    if powerless or mode == SLIDING and x == 0.0 and y == 0.0:
        x, y, z = slip_acceleration(tables, friction, state.q, state.v, state.a, work)
        if powerless:
            mode = SLIDING if math.sqrt(x * x + y * y + z * z) > MOVES else FREED
    state.active[c] = mode
    state.contact_history[at + COMPLIANCE] = soft
    for k in range(3):
        force = rigid.contact_force[3 * i + k]
        state.contact_history[at + LOAD + k] = state.contact_history[at + LOAD_BEFORE + k] = force
        set_force(tables, state.a, friction.switch, k, force if mode == STICKING else 0.0)
    if mode == SLIDING:
        set_direction(friction, state.contact_history, x, y, z)
