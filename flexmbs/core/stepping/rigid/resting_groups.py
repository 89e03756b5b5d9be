"""Groups of closed contacts that rest: all of them stick as long as any forces inside their cones hold them.

Contacts that share a load in no definite way (four corners of a box) stay at rest while one admissible share exists, not
until the share of the equations of motion leaves a cone.  Groups are contacts coupled through W; one without any slip rests.
Those whose forces are definite are no such groups: each contact has its own margins.
How far it is from its limit, core.contact.rigid.holding says; with the rows F of W = F F^T its load is r = F^T lam of any
forces lam that balance it: those of the equations of motion, or, with accelerations b without contact forces, F r = -b.

At the limit itself all accelerations are zero, and nothing tells what begins.  So that is decided a little beyond it: b goes on
as it did in the last step.
"""

import math

from flexmbs.core.contact.rigid.holding import factor_delassus, holding_margin, motion_at_limit
from flexmbs.core.laws.force.joint_slip import pressing_force
from flexmbs.core.layout.switch_tables import FRICTION_HOLD, IN_RESTING_GROUP, LOAD, LOAD_BEFORE, SLOT, STICKING, UNUSED
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.stepping.rigid.joint_bearings import follows_reaction
from flexmbs.core.stepping.rigid.members import (
    force_on,
    is_second,
    joint_of,
    member_of,
    memory_of,
    second_part,
    set_force,
    static_friction,
)
from flexmbs.core.stepping.rigid.sharing import DEPENDENT
from flexmbs.machine_code.kernel import kernel

BAND = 1e-9  # of the largest force: what a group may lack before it lets go
LATELY = 1e-6  # s: after a rest has ended nothing rests by the band alone, as what opens then may touch again by rounding
EASY = 1e-3  # of the largest force: forces of the equations of motion with so much to spare need no program
LEAST_LOAD = 1e-3  # of the largest force so far: bands refer to no less
COUPLED = 1e-12  # of the diagonals of W
SPRING = 1e-8  # of the diagonal of W: compliance of redundant contacts in the problem that decides what begins
LEAST_CHANGE = 1e-9  # of the largest force, in a step: less tells no direction
STAYS, ENDS, ENDS_NEARLY = range(3)
ROUNDS_OF_PARTS = 12
MOST_TURNS, REACTION_SETTLED = 30, 1e-11  # of forces that hold and normal forces by them; change, of the largest force
UNHELD = 1e-6  # of b: what no contact force can hold


@kernel
def find_resting(tables, state, rigid, lasting, ended):
    """Move contacts of groups that rest to the end of ``rigid.lasting``; how many others stand before them.

    ``ended``: of what rests none has come to its limit (STAYS), some has (ENDS), or as nearly as normal forces of joints tell
    (ENDS_NEARLY).  ``rigid.contact_force``: forces of what rests;
    ``rigid.beyond``: of groups at their limit where it is passed, in parts of the largest b.
    """
    label_groups(rigid, lasting)
    if ended != STAYS:
        state.rest_ended = state.time
    rigid.resting[:] = 0
    rigid.spring[:] = 0.0
    rigid.beyond[:] = 0.0
    for group in range(lasting):
        count, rests = 0, True
        for i in range(lasting):
            if rigid.group[rigid.lasting[i]] == group:
                rigid.member[count] = rigid.lasting[i]
                count += 1
                rests = rests and rigid.contact_sliding[i] == 0
        if count > 0:
            pick_members(tables, rigid, count)
            make_springs(tables, rigid, count)
            p = factor_redundant(rigid, count)
            if p > 0:
                if rests:
                    hold_group(tables, state, rigid, count, p, lasting, ended)
                elif ended != STAYS:
                    end_set(tables, state, rigid, group, lasting)
    moving = 0
    for i in range(lasting):
        if rigid.resting[rigid.lasting[i]] == 0:
            rigid.lasting[i], rigid.lasting[moving] = rigid.lasting[moving], rigid.lasting[i]
            rigid.contact_sliding[i], rigid.contact_sliding[moving] = rigid.contact_sliding[moving], rigid.contact_sliding[i]
            for k in range(2):
                kept = rigid.contact_direction[moving, k]
                rigid.contact_direction[moving, k] = rigid.contact_direction[i, k]
                rigid.contact_direction[i, k] = kept
            moving += 1
    return moving


@kernel
def label_groups(rigid, lasting):
    """``rigid.group`` of each lasting contact among the closed ones: the place of the first contact of its group."""
    for i in range(lasting):
        own = rigid.lasting[i]
        rigid.group[own] = i
        for j in range(i):
            other = rigid.lasting[j]
            if rigid.group[other] != rigid.group[own] and are_coupled(rigid, own, other):
                low, high = min(rigid.group[other], rigid.group[own]), max(rigid.group[other], rigid.group[own])
                for m in range(i + 1):
                    if rigid.group[rigid.lasting[m]] == high:
                        rigid.group[rigid.lasting[m]] = low


@kernel
def are_coupled(rigid, i, j):
    """Whether forces of one closed contact accelerate the other."""
    own, other, most = 0.0, 0.0, 0.0
    for k in range(3):
        own, other = max(own, rigid.delassus[3 * i + k, 3 * i + k]), max(other, rigid.delassus[3 * j + k, 3 * j + k])
        for m in range(3):
            most = max(most, abs(rigid.delassus[3 * i + k, 3 * j + m]))
    return most > COUPLED * math.sqrt(own * other)


@kernel
def pick_members(tables, rigid, count):
    """W, accelerations without contact forces, and static friction of the ``count`` closed contacts ``rigid.member``."""
    for i in range(count):
        rigid.contact_static[i] = static_friction(tables, rigid.closed[rigid.member[i]])
        for k in range(3):
            r = 3 * rigid.member[i] + k
            rigid.chosen_free[3 * i + k] = rigid.contact_acceleration[r]
            for j in range(count):
                for m in range(3):
                    rigid.chosen_delassus[3 * i + k, 3 * j + m] = rigid.delassus[r, 3 * rigid.member[j] + m]


@kernel
def make_springs(tables, rigid, count):
    """Springs under the members: of all shares of their normal forces the problem then has that of equal springs.

    None where normal forces have one share, which springs would shift.
    """
    largest = 0.0
    for i in range(count):
        largest = max(largest, rigid.chosen_delassus[3 * i, 3 * i])
        for j in range(count):
            rigid.sliding_matrix[i, j] = rigid.chosen_delassus[3 * i, 3 * j]
    if factor_delassus(rigid.sliding_matrix, count, rigid.F) == count:
        return
    for i in range(count):
        if joint_of(tables, rigid.closed[rigid.member[i]]) < 0:
            rigid.spring[rigid.member[i]] = SPRING * largest


@kernel
def hold_group(tables, state, rigid, count, p, lasting, ended):
    """Whether forces hold the group ``rigid.member``: then it rests, unless that ends; otherwise where it begins to move."""
    if not balance(rigid, 3 * count, p):
        return
    s, mu = -math.inf, rigid.contact_static[:count]
    for _ in range(ROUNDS_OF_PARTS):
        better = holding_margin(rigid.F, count, p, mu, rigid.chosen_force, rigid.chosen_change, rigid)
        if better <= s:
            break
        s = better
        for r in range(3 * count):
            rigid.contact_force[3 * rigid.member[r // 3] + r % 3] = rigid.chosen_change[r]
        if not shift_parts(tables, rigid, count) or not balance(rigid, 3 * count, p):
            break
    load = LEAST_LOAD * state.largest_load
    for r in range(3 * count):
        load = max(load, abs(rigid.contact_force[3 * rigid.member[r // 3] + r % 3]))
    lately = 0.0 < state.rest_ended and state.time - state.rest_ended < LATELY
    state.holding_slack = max(state.holding_slack, -2.0 * s)  # no second event for the same reason
    ends = ended != STAYS and s < (EASY if ended == ENDS_NEARLY else -0.5 * BAND) * load
    if s >= (0.0 if lately else -BAND * load) and not ends:
        for i in range(count):
            rigid.resting[rigid.member[i]] = 1
    elif s >= -EASY * load:
        put_beyond(tables, state, rigid, count, p, s, load, lasting, ends)


@kernel
def shift_parts(tables, rigid, count):
    """Shift the parts that spherical joints have of their cones towards those that the motion at the limit asks for.

    The power of friction against a motion is greatest where it is along it. Whether there are such joints.
    """
    some = False
    for i in range(1, count):
        if is_second(tables, rigid.closed[rigid.member[i]]) and rigid.member[i - 1] == rigid.member[i] - 1:
            if not some:
                motion_at_limit(count, rigid.contact_static, rigid.chosen_change, rigid)
            some, motion, b = True, rigid.chosen_change, rigid.chosen_free
            about, z = math.hypot(motion[3 * i - 2], motion[3 * i - 1]), abs(motion[3 * i + 1])
            own, other = b[3 * i - 3] / rigid.chosen_delassus[3 * i - 3, 3 * i - 3], b[3 * i] / rigid.chosen_delassus[3 * i, 3 * i]
            size, load = max(math.hypot(about, z), 1e-300), math.hypot(own, other)
            about, z = about / size - own / load, z / size - other / load
            size = max(math.hypot(about, z), 1e-300)
            b[3 * i - 3] = -rigid.chosen_delassus[3 * i - 3, 3 * i - 3] * load * about / size
            b[3 * i] = -rigid.chosen_delassus[3 * i, 3 * i] * load * z / size
    return some


@kernel
def end_set(tables, state, rigid, group, lasting):
    """Of a group in which some slide: where those that stick and share their loads begin to move, if they lack forces."""
    count, load = 0, LEAST_LOAD * state.largest_load
    for i in range(lasting):
        at = memory_of(tables, rigid.closed[rigid.lasting[i]])
        shares = state.contact_history[at + IN_RESTING_GROUP] != 0.0 and rigid.contact_sliding[i] == 0
        if rigid.group[rigid.lasting[i]] == group and shares:
            rigid.member[count] = rigid.lasting[i]
            for k in range(3):
                rigid.chosen_force[3 * count + k] = state.contact_history[at + LOAD + k]
                load = max(load, abs(rigid.chosen_force[3 * count + k]))
            count += 1
    if count == 0:
        return
    pick_members(tables, rigid, count)
    p = factor_delassus(rigid.chosen_delassus, 3 * count, rigid.F)
    s = holding_margin(rigid.F, count, p, rigid.contact_static[:count], rigid.chosen_force, rigid.held_force, rigid)
    state.holding_slack = max(state.holding_slack, -2.0 * s)
    if s < -0.5 * BAND * load:
        put_beyond(tables, state, rigid, count, p, s, load, lasting, True)


@kernel
def factor_redundant(rigid, count):
    """``rigid.F`` of the members picked last; its columns, 0 where their forces are definite."""
    p, movable = factor_delassus(rigid.chosen_delassus, 3 * count, rigid.F), 0
    for r in range(3 * count):
        movable += 1 if rigid.chosen_delassus[r, r] > DEPENDENT * rigid.chosen_delassus[r - r % 3, r - r % 3] else 0
    return p if p < movable else 0


@kernel
def share_among_sticking(tables, rigid, moving):
    """Contacts of a group that stick behind an event rest together if their forces are not definite, whatever others do.

    As the four under a box on another one that slides, or an edge over which a body tips.
    """
    for i in range(moving):
        count, first = 0, True
        for j in range(moving):
            if rigid.group[rigid.lasting[j]] == rigid.group[rigid.lasting[i]]:
                first = first and j >= i
                if rigid.contact_mode_of[rigid.lasting[j]] == STICKING:
                    rigid.member[count] = rigid.lasting[j]
                    count += 1
        if not first or count < 2:
            continue
        pick_members(tables, rigid, count)
        if factor_redundant(rigid, count) > 0:
            for j in range(count):
                rigid.resting[rigid.member[j]] = 1


@kernel
def balance(rigid, n, p):
    """``rigid.chosen_force`` (n,), the least forces f with F^T f = r, F r = -b; whether there are any."""
    F, b, f, square = rigid.F, rigid.chosen_free, rigid.chosen_force, rigid.cholesky[:p, :p]
    r = rigid.held_force[:p]
    for i in range(p):
        r[i] = 0.0
        for row in range(n):
            r[i] -= F[row, i] * b[row]
        for j in range(p):
            square[i, j] = 0.0
            for row in range(n):
                square[i, j] += F[row, i] * F[row, j]
    if p == 0 or not factorise(square, rigid.on_row[:p], 0.0):
        return False
    solve(square, rigid.on_row[:p], r)
    left, most = 0.0, 0.0
    for row in range(n):
        total = b[row]
        for j in range(p):
            total += F[row, j] * r[j]
        left, most = max(left, abs(total)), max(most, abs(b[row]))
    solve(square, rigid.on_row[:p], r)
    for row in range(n):
        f[row] = 0.0
        for j in range(p):
            f[row] += F[row, j] * r[j]
    return left <= UNHELD * most


@kernel
def put_beyond(tables, state, rigid, count, p, s, load, lasting, ends):
    """``rigid.beyond`` of the group whose members are at their limit, b by the load that the margin ``s`` loses at its pace.

    From the forces lam of the last two steps on the members: b = -W lam.  Where they do not say (a load that jumps), along
    the virtual motion in which the limit is reached.
    """
    change, largest = 0.0, 0.0
    for r in range(3 * count):
        largest = max(largest, abs(rigid.chosen_free[r]))
    along_motion(rigid, count, largest)
    for i in range(count):
        at = memory_of(tables, rigid.closed[rigid.member[i]])
        for k in range(3):
            before, now = state.contact_history[at + LOAD_BEFORE + k], state.contact_history[at + LOAD + k]
            rigid.chosen_force[3 * i + k] = before
            rigid.chosen_change[3 * i + k] = now - before
            change = max(change, abs(now - before))
    if not (ends and change > LEAST_CHANGE * load):
        return
    mu = rigid.contact_static[:count]
    lost = holding_margin(rigid.F, count, p, mu, rigid.chosen_force, rigid.held_force, rigid) - s
    if not lost > LEAST_CHANGE * load:
        return
    for i in range(lasting):
        if rigid.group[rigid.lasting[i]] != rigid.group[rigid.member[0]]:
            continue
        for r in range(3 * rigid.lasting[i], 3 * rigid.lasting[i] + 3):
            total = 0.0
            for c in range(3 * count):
                total += rigid.delassus[r, 3 * rigid.member[c // 3] + c % 3] * rigid.chosen_change[c]
            rigid.beyond[r] = -total * load / lost


@kernel
def along_motion(rigid, count, size):
    """``rigid.beyond`` of a group: the motion in which the limit is reached, as large as ``size``."""
    motion, most = rigid.chosen_change, 0.0
    motion_at_limit(count, rigid.contact_static, motion, rigid)
    for r in range(3 * count):
        most = max(most, abs(motion[r]))
    for r in range(3 * count):
        rigid.beyond[3 * rigid.member[r // 3] + r % 3] = motion[r] * size / max(most, 1e-300)


@kernel
def keep_resting(tables, state, rigid, count):
    """Keep which of ``count`` members rest in groups, and their rows F, for their margin between events."""
    members = 0
    for i in range(count):
        state.contact_history[memory_of(tables, rigid.closed[i]) + IN_RESTING_GROUP] = rigid.resting[i] * (1.0 + rigid.group[i])
        if rigid.resting[i] == 1:
            rigid.member[members] = i
            members += 1
    for r in range(3 * members):
        for j in range(len(tables.joint_frictions)):
            for k in range(6):
                state.holding_bearing[r, j, k] = rigid.bearing[3 * rigid.member[r // 3] + r % 3, j, k]
    pick_members(tables, rigid, members)
    state.held_rank = factor_delassus(rigid.chosen_delassus, 3 * members, state.holding) if members > 0 else 0


@kernel
def list_resting(tables, state, rigid):
    """The members that rest in ``rigid.member``, and their groups in ``rigid.group``; how many."""
    first, count = len(tables.contacts), 0
    for kind in (SLOT, FRICTION_HOLD):
        for s in range(len(tables.switches)):
            on, c = state.active[first + s], member_of(tables, state, s)
            if tables.switches[s].kind != kind or not (on != UNUSED if kind == SLOT else on == STICKING):
                continue
            ball = kind == FRICTION_HOLD and tables.joint_frictions[joint_of(tables, c)].motions == 0
            for part in range(2 if ball else 1):
                c = second_part(tables, c) if part == 1 else c
                group = state.contact_history[memory_of(tables, c) + IN_RESTING_GROUP]
                if group != 0.0:
                    rigid.member[count], rigid.group[count] = c, int(group)
                    count += 1
    return count


@kernel
def resting_margin(tables, state, q, v, a, work, rigid):
    """Least margin of all groups that rest at a motion, N; the first member (-1: none). Margins of joints are current.

    ``rigid.held_force``: admissible forces, in that order, or those of the equations of motion, if these are easily so.
    """
    count, margin = list_resting(tables, state, rigid), math.inf
    for i in range(count):
        new = True
        for j in range(i):
            new = new and rigid.group[j] != rigid.group[i]
        if new:
            margin = min(margin, margin_of_group(tables, state, q, v, a, work, rigid, count, rigid.group[i]))
    return margin, rigid.member[0] if count > 0 else -1


@kernel
def margin_of_group(tables, state, q, v, a, work, rigid, resting, group):
    """Margin of one ``group`` of the contacts that rest; normal forces of joints are those by the forces that hold it."""
    count, load, slack, p = 0, LEAST_LOAD * state.largest_load, math.inf, state.held_rank
    for i in range(resting):
        if rigid.group[i] != group:
            continue
        mu, f = static_friction(tables, rigid.member[i]), rigid.chosen_force
        rigid.contact_static[count], rigid.on_row[count] = mu, i
        for k in range(3):
            f[3 * count + k] = rigid.held_force[3 * i + k] = force_on(tables, state, a, rigid, rigid.member[i], k)
            load = max(load, abs(f[3 * count + k]))
            for j in range(p):
                rigid.F[3 * count + k, j] = state.holding[3 * i + k, j]
        tangential = math.sqrt(f[3 * count + 1] * f[3 * count + 1] + f[3 * count + 2] * f[3 * count + 2])
        slack = min(slack, f[3 * count] - tangential / mu if mu > 0.0 else f[3 * count])
        count += 1
    if slack > EASY * load:
        return slack
    s = 0.0
    for _ in range(MOST_TURNS):
        s = holding_margin(rigid.F, count, p, rigid.contact_static[:count], rigid.chosen_force, rigid.chosen_change, rigid)
        if not change_of_reactions(tables, state, q, v, a, work, rigid, count) > REACTION_SETTLED * load:
            break
    for i in range(count):
        for k in range(3):
            rigid.held_force[3 * rigid.on_row[i] + k] = rigid.chosen_change[3 * i + k]
    return s + BAND * load + state.holding_slack


@kernel
def change_of_reactions(tables, state, q, v, a, work, rigid, count):
    """Renew the normal forces of joints in a group by the forces that hold it, in ``rigid.chosen_force``; largest change, N."""
    largest = 0.0
    for i in range(count):
        j = joint_of(tables, rigid.member[rigid.on_row[i]])
        if j < 0 or not follows_reaction(tables, j):
            continue
        reaction, before = work.reaction[tables.joint_frictions[j].reaction], rigid.bearing_before[j]
        for k in range(3):
            reaction.force[k], reaction.moment[k] = before[k], before[3 + k]
            for r in range(3 * count):
                held = 3 * rigid.on_row[r // 3] + r % 3
                change = rigid.chosen_change[r] - rigid.held_force[held]
                reaction.force[k] += change * state.holding_bearing[held, j, k]
                reaction.moment[k] += change * state.holding_bearing[held, j, 3 + k]
        load = pressing_force(tables, tables.joint_frictions[j], q, v, a, work)
        for k in range(3):
            reaction.force[k], reaction.moment[k] = before[k], before[3 + k]
        load *= rigid.chosen_force[3 * i] / max(rigid.joint_load[j], 1e-300)
        rigid.joint_load[j] *= load / max(rigid.chosen_force[3 * i], 1e-300)
        largest = max(largest, abs(load - rigid.chosen_force[3 * i]))
        rigid.chosen_force[3 * i] = load
    return largest


@kernel
def remember_resting(tables, state, work, rigid):
    """At the end of a step: forces of the equations of motion become admissible ones, from where they go on."""
    resting_margin(tables, state, state.q, state.v, state.a, work, rigid)
    for i in range(list_resting(tables, state, rigid)):
        at = memory_of(tables, rigid.member[i])
        for k in range(3):
            force = rigid.held_force[3 * i + k]
            state.contact_history[at + LOAD_BEFORE + k] = state.contact_history[at + LOAD + k]
            set_force(tables, state, state.a, rigid.member[i], k, force)
            state.contact_history[at + LOAD + k] = force
            state.largest_load = max(state.largest_load, abs(force))
