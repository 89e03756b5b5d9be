"""Joints with friction at rest among the members of an event of rigid contacts (core.stepping.rigid.members).

Their normal forces are given, or the reactions of their bearings, which depend on all forces: these are found by turns,
and with them the parts that a spherical joint has of its cone.  With friction c d, c = mu N, against the slip that begins,
y = a - W c d along d: each part p has d_p = a_p / (W_p c + |y|).
"""

import math

from flexmbs.core.equations.iteration_matrix import unit_row
from flexmbs.core.equations.projection import fill_equilibrated
from flexmbs.core.equations.singular_positions import row_times
from flexmbs.core.laws.force.joint_slip import BIAS, joint_slip, slip_acceleration
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.friction_tables import ANCHOR, GIVEN, SLIDES_ALONG
from flexmbs.core.layout.switch_tables import COMPLIANCE, FREED, FRESH, HELD, HOLD, LOAD, LOAD_BEFORE, SLIDING, STICKING, TRANSITION
from flexmbs.core.linalg.matrix import factorise_any
from flexmbs.core.mechanics.vectors import relative_rotation
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.rigid.delassus import TINY, by_forces, unit_response
from flexmbs.core.stepping.rigid.joint_bearings import (
    DEPENDENT,
    follows_reaction,
    is_driven,
    keep_reaction,
    leave_out,
    read_all_bearings,
    renew_bearings,
)
from flexmbs.core.stepping.rigid.joint_margins import set_direction
from flexmbs.core.stepping.rigid.margins import SLIP
from flexmbs.core.stepping.rigid.members import NO_ROW, is_second, joint_of, memory_of, mode_at, place_joint, set_force
from flexmbs.core.stepping.rigid.sharing import SOFT
from flexmbs.machine_code.kernel import kernel

AT_REST = 1e-10  # m/s
MOVES = 1e-9  # m/s^2: what a powerless friction cannot hold, as that of a slider at a dead centre; below a lock holds it
NO_PART = 1e-6  # of a cone: what slides with no more of it has none to stick with
LEAST_LOAD = 1e-200  # N: without any there is no friction, but a direction


@kernel
def remember_joint_modes(tables, state, rigid):
    """Modes before an event."""
    for j in range(len(tables.joint_frictions)):
        if state.active[mode_at(tables, j)] != FREED:  # else they were remembered as it was let go
            rigid.joint_mode_before[j] = state.active[mode_at(tables, j)]


@kernel
def release_joints(tables, state, rigid):
    """Joints that stick do not resist what locks do in an instant: their friction is finite."""
    remember_joint_modes(tables, state, rigid)
    for j in range(len(tables.joint_frictions)):
        if state.active[mode_at(tables, j)] == STICKING:
            state.active[mode_at(tables, j)] = FREED
            switch = tables.switches[tables.joint_frictions[j].switch]
            for row in range(switch.row, switch.row + switch.rows):
                state.a[row] = 0.0


@kernel
def list_joints_at_rest(tables, state, work, rigid, count, cause, margin):
    """Joints at rest behind ``count`` closed contacts, with their rows: they stick for now; how many members there are.

    Others slide along their slip.
    """
    members = count
    for j in range(len(tables.joint_frictions)):
        friction, c = tables.joint_frictions[j], mode_at(tables, j)
        x, y, z = joint_slip(tables, friction, state.q, state.v, state.a, work)
        turned = c == cause and margin == SLIP and friction.motions == 1
        rests = turned or math.sqrt(x * x + y * y + z * z) <= AT_REST
        if not rests or is_driven(tables, friction):
            if rests:
                x, y, z = slip_acceleration(tables, friction, state.q, state.v, state.a, work)
            if state.active[c] != SLIDING or not goes_on(friction, state.contact_history, x, y, z):
                state.contact_history[friction.history_at + FRESH] = 0.0
                set_direction(friction, state.contact_history, x, y, z)
            state.active[c] = SLIDING
            continue
        if state.active[c] != STICKING:
            drop_anchor(tables, friction, state, work)
        rigid.mode_before[friction.switch] = rigid.joint_mode_before[j]
        members = place_joint(tables, state, rigid, j, members)
    return members


@kernel
def goes_on(friction, contact_history, x, y, z):
    """Whether a slip (x, y, z) that has just begun still goes along its first direction."""
    d = friction.history_at + SLIDES_ALONG
    along = x * contact_history[d] + y * contact_history[d + 1] + z * contact_history[d + 2]
    return contact_history[friction.history_at + FRESH] != 0.0 and 0.0 < along <= 10.0 * BIAS


@kernel
def list_sliding_joints(tables, state, rigid, members):
    """Joints that slide, with a normal force by their reaction, behind the members; how many there are in all.

    Their friction is a load, which follows the forces of all: so their rows must not act, nor their friction.
    """
    total = members
    for j in range(len(tables.joint_frictions)):
        if state.active[mode_at(tables, j)] == SLIDING and follows_reaction(tables, j):
            total = place_joint(tables, state, rigid, j, total)
    return total


@kernel
def drop_anchor(tables, friction, state, work):
    """Hold the joint where it is."""
    at, row = friction.history_at + ANCHOR, tables.switches[friction.switch].row
    for i in range(friction.motions):
        k = friction.first if i == 0 else friction.second
        state.contact_history[at + i] = state.q[k]
        state.v[k] = 0.0  # up to rounding it is
    for i in range(tables.switches[friction.switch].rows):
        state.a[row + i] = 0.0
    if friction.motions == 0:
        joint_slip(tables, friction, state.q, state.v, state.a, work)
        R = work.scratch[0].R
        relative_rotation(work.marker[A].R_WM, work.marker[B].R_WM, R)
        for i in range(9):
            state.contact_history[at + i] = R[i // 3, i % 3]


@kernel
def prepare_members(tables, state, scratch, work, rigid, count, members, total):
    """Complete W of the joints behind ``count`` contacts, and find the normal forces that they have without contact forces.

    A motion that nothing can change, as that of a joint whose slide is locked, has no friction.
    """
    largest, follow = 0.0, False
    find_free_mobilities(tables, state, scratch, rigid, count, members)
    for r in range(3 * total):
        largest = max(largest, rigid.delassus[r, r])
    for r in range(3 * count, 3 * members):
        rigid.contact_velocity[r] = 0.0
        if rigid.delassus[r, r] <= DEPENDENT * max(largest, rigid.beyond[r]):
            leave_out(rigid, r, total)
            rigid.contact_acceleration[r] = 0.0
    for i in range(count, total):
        mobility = max(rigid.delassus[3 * i + 1, 3 * i + 1], rigid.delassus[3 * i + 2, 3 * i + 2])
        for r in range(3 * i, 3 * i + 3):
            if rigid.row[r] == NO_ROW:
                rigid.delassus[r, r] = mobility if mobility > 0.0 else largest
        follow = follow or tables.joint_frictions[rigid.joint_of[i]].load != GIVEN
    for j in range(len(tables.joint_frictions)):
        if tables.joint_frictions[j].load != GIVEN:
            keep_reaction(tables, work, rigid, j)
    rigid.bearing[: 3 * total] = 0.0
    if follow:
        read_all_bearings(tables, state, scratch, work, rigid, total)
    for r in range(3 * total):
        rigid.contact_force[r], rigid.contact_free[r] = 0.0, rigid.contact_acceleration[r]
    rigid.resting[:] = 0
    rigid.joint_angle[:] = -1.0
    change_of_loads(tables, state, work, rigid, count, members, total, 1.0)


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
def change_of_loads(tables, state, work, rigid, count, members, total, part):
    """Renew the normal forces of joints by all forces, and the friction of those that slide; their largest relative change.

    ``part`` of a change is made, so that what goes from one side to the other settles.
    """
    largest, change = renew_bearings(tables, state, work, rigid, rigid.contact_force, count, total, part)
    for i in range(count, members):
        if is_second(tables, rigid.closed[i]) and rigid.resting[i] + rigid.resting[i - 1] < 2:  # any parts that hold will do
            change = max(change, change_of_parts(tables, rigid, i - 1, total))
        elif tables.joint_frictions[rigid.joint_of[i]].motions != 0:
            rigid.joint_share[i] = 1.0
    for i in range(count, members):
        load = max(rigid.joint_share[i] * rigid.joint_load[rigid.joint_of[i]], LEAST_LOAD)
        rigid.contact_free[3 * i] = -rigid.delassus[3 * i, 3 * i] * load
    rub(tables, state, rigid, members, total)
    return change / largest if largest > 0.0 else 0.0


@kernel
def rub(tables, state, rigid, members, total):
    """Friction of the joints that slide, behind ``members``: b = free accelerations of the members with it."""
    for i in range(members, total):
        friction = tables.joint_frictions[rigid.joint_of[i]]
        most, at = friction.dynamic * rigid.joint_load[rigid.joint_of[i]], friction.history_at + SLIDES_ALONG
        second = is_second(tables, rigid.closed[i])
        rigid.contact_force[3 * i] = 0.0
        for k in range(2):
            along = state.contact_history[at + 2] * (1 - k) if second else state.contact_history[at + k]
            rigid.contact_force[3 * i + 1 + k] = -most * along if rigid.row[3 * i + 1 + k] != NO_ROW else 0.0
    for r in range(3 * members):
        rigid.contact_acceleration[r] = rigid.contact_free[r]
        for c in range(3 * members, 3 * total):
            rigid.contact_acceleration[r] += rigid.delassus[r, c] * rigid.contact_force[c]


@kernel
def change_of_parts(tables, rigid, i, members):
    """Renew the parts that members ``i`` and ``i`` + 1 have of a cone, by secants; change of their normal forces, N."""
    load = rigid.joint_load[rigid.joint_of[i]]
    about, z = slip_of(rigid, i, members), slip_of(rigid, i + 1, members)
    slip = math.hypot(about, z)
    brake = tables.joint_frictions[rigid.joint_of[i]].dynamic * load
    about, z = part_of_cone(rigid, i, about, brake, slip), part_of_cone(rigid, i + 1, z, brake, slip)
    before, angle = math.atan2(rigid.joint_share[i], rigid.joint_share[i + 1]), math.atan2(about, z)
    change, last = angle - before, rigid.joint_angle[rigid.joint_of[i]]
    if last[0] != before and last[1] != change:
        secant = before - change * (before - last[0]) / (change - last[1])
        angle = secant if 0.0 <= secant <= 0.5 * math.pi else angle
    last[0], last[1] = before, change
    rigid.joint_share[i], rigid.joint_share[i + 1] = math.sin(angle), math.cos(angle)
    return load * abs(change)


@kernel
def slip_of(rigid, i, members):
    """Acceleration of member ``i`` along its tangents by the forces of all, m/s^2."""
    square = 0.0
    for r in range(3 * i + 1, 3 * i + 3):
        square += by_forces(rigid, rigid.contact_free, rigid.contact_force, r, members) ** 2
    return math.sqrt(square)


@kernel
def part_of_cone(rigid, i, slip, brake, whole_slip):
    """d of member ``i``, whose friction ``brake`` d leaves it the acceleration ``slip`` of ``whole_slip``."""
    n = 3 * i
    mobility = max(rigid.delassus[n + 1, n + 1], rigid.delassus[n + 2, n + 2])
    free = slip + mobility * math.hypot(rigid.contact_force[n + 1], rigid.contact_force[n + 2])
    return free / max(mobility * brake + whole_slip, 1e-300)


@kernel
def set_joint_mode(tables, state, work, rigid, i, soft):
    """Mode and numbers of member ``i``, a joint, and of the one behind it if they are the parts of a spherical joint."""
    c = rigid.closed[i]
    if is_second(tables, c):
        return
    friction, sticks, dead, alive = tables.joint_frictions[joint_of(tables, c)], True, False, 0.0
    parts, f = 2 if friction.motions == 0 else 1, rigid.contact_force
    for p in range(parts):
        sticks = sticks and (rigid.contact_mode_of[i + p] == STICKING or rigid.joint_share[i + p] < NO_PART)
        for r in range(3 * (i + p) + 1, 3 * (i + p) + 3):
            if rigid.row[r] != NO_ROW:
                alive = max(alive, rigid.delassus[r, r])
            elif r % 3 <= (2 if friction.motions != 1 and p == 0 else 1):
                dead = True
    mode = STICKING if sticks else SLIDING
    x, y, z = -f[3 * i + 1], -f[3 * i + 2], -f[3 * i + 4] if parts == 2 else 0.0
    if alive == 0.0 or mode == SLIDING and x == 0.0 and y == 0.0 and z == 0.0:
        x, y, z = slip_acceleration(tables, friction, state.q, state.v, state.a, work)
        if alive == 0.0:
            mode = SLIDING if math.sqrt(x * x + y * y + z * z) > MOVES else FREED
    state.active[c] = mode
    for p in range(parts):
        at = memory_of(tables, rigid.closed[i + p])
        state.contact_history[at + COMPLIANCE] = max(soft, SOFT * alive) if dead else soft
        for k in range(3):
            force = f[3 * (i + p) + k]
            state.contact_history[at + LOAD + k] = state.contact_history[at + LOAD_BEFORE + k] = force
            set_force(tables, state, state.a, rigid.closed[i + p], k, force if mode == STICKING else 0.0)
    state.contact_history[friction.history_at + FRESH] = 1.0 if mode == SLIDING and friction.motions != 1 else 0.0
    if mode == SLIDING:
        set_direction(friction, state.contact_history, x, y, z)


@kernel
def log_joints(tables, state, log, rigid):
    """Changes of mode in the log; ``source`` is the switch, behind the contacts."""
    for j in range(len(tables.joint_frictions)):
        mode, before = state.active[mode_at(tables, j)], rigid.joint_mode_before[j]
        if mode != before and mode != FREED and log.occurrence_count < log.occurrences.shape[0]:
            found = new_occurrence(state, log, TRANSITION, mode_at(tables, j))
            found.mode_before, found.mode = before, mode
            rigid.joint_mode_before[j] = mode
