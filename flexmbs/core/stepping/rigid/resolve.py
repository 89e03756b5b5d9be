"""An event of rigid contacts: impacts change the velocities, then the accelerations decide who slides, sticks or parts.

Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts (1996); Acary and Brogliato, Numerical Methods for
Nonsmooth Dynamical Systems (2008), ch. 3. Bounces that become ever shorter (Zeno) are followed in closed form.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.contact_kinematics import contact_point_motion, relative_acceleration
from flexmbs.core.contact.rigid.contact_work import ContactWork
from flexmbs.core.equations.projection import TINY_PIVOT, fill_projection, move_back, violation
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.rotation_charts import new_chart
from flexmbs.core.layout.rigid_contacts import RigidContacts
from flexmbs.core.layout.state import CHATTERS, CHUNK_FULL, JAMMED, NO_CONTACT_SLOT, SINGULAR, Log, Scratch, Settings, State
from flexmbs.core.layout.switch_tables import IMPACT, SLIP_X
from flexmbs.core.layout.tables import VELOCITY_LEVEL, Tables, Workspace
from flexmbs.core.linalg.matrix import columns_of, factorise_any
from flexmbs.core.mechanics.condensed_modes import hide_condensed, is_algebraic, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.mechanics.vectors import dot
from flexmbs.core.stepping.restart import restart
from flexmbs.core.stepping.rigid.delassus import (
    by_forces,
    evaluate,
    fill_delassus,
    free_accelerations,
    list_closed,
    read_velocities,
)
from flexmbs.core.stepping.rigid.impact import approaches, impact
from flexmbs.core.stepping.rigid.joint_impulses import begin_impulses, end_impulses, prepare_joints
from flexmbs.core.stepping.rigid.joint_members import (
    list_joints_at_rest,
    list_sliding_joints,
    log_joints,
    prepare_members,
    remember_joint_modes,
)
from flexmbs.core.stepping.rigid.margins import CLOSES, SLIP
from flexmbs.core.stepping.rigid.modes import choose_modes
from flexmbs.core.stepping.rigid.slots import close_contacts, pass_on
from flexmbs.core.stepping.write_log_rows import write_row
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# A flight is followed in closed form while it is that short against the step that the error allows, and that low (m);
# one that is lower than gaps are good for, if it is no longer than such a step.
SHORT_FLIGHT, LOW_FLIGHT = 1e-3, 1e-11
FLIGHT_IN_STEP, LOWEST_FLIGHT = 0.3, 1e-13
LEAST_HEIGHT = 1e-14  # m: rounding of gaps of bodies of 1 m; a sequence of rocking that is lower would never decay
LOW_HIT, MOST_LOW_HITS = 1e-9, 10  # m, as far as a contact without load may be off; of hits in a row that take nothing higher
LEAST_GAP, LEAST_SLIP = 1e-12, 1e-13  # m, m/s: what a closed contact is off its rows
NO_CAUSE = -1
# Events within AT_ONCE (of the time, or s): after so many all impacts are plastic; after so many the run stops.
AT_ONCE, BOUNCES_AT_ONCE, MOST_AT_ONCE = 1e-12, 40, 400


@entry
def resolve(
    tables: Tables,
    state: State,
    settings: Settings,
    scratch: Scratch,
    work: Workspace,
    log: Log,
    rigid: RigidContacts,
    solver: ContactWork,
    cause: int,
    margin: int,
) -> int:
    """Impacts, then the modes of all closed contacts at the present state; an outcome.

    Joints with friction at rest are decided with them (core.stepping.rigid.members). ``cause``: the member whose ``margin``
    (core.stepping.rigid.margins) has vanished, or whose gap (CLOSES); -1: none.
    """
    state.events += 1
    rigid.jammed[0] = -1.0
    remember_joint_modes(tables, state, rigid)
    closing = cause if margin == CLOSES else NO_CAUSE
    crowd = events_at_once(state)
    if crowd > MOST_AT_ONCE:
        return CHATTERS
    if margin == SLIP and 0 <= cause < len(tables.contacts):
        slide_to_rest(tables, state, work, cause)
    while True:
        passed = pass_on(tables, state, work, log)
        if close_contacts(tables, state, work, rigid, closing) < 0:
            return NO_CONTACT_SLOT
        closing = NO_CAUSE
        count = list_closed(tables, state, rigid)
        members, total, regular = list_members(tables, state, scratch, work, rigid, count, cause, margin)
        if members == 0:
            log_joints(tables, state, log, rigid)
            if (passed or len(tables.joint_frictions) > 0) and not restart(tables, state, scratch, work):
                return SINGULAR
            break
        if not regular:
            return SINGULAR
        evaluate(tables, state, scratch, work)
        read_velocities(work, rigid, count)
        begin = log.occurrence_count
        hit = approaches(tables, state, rigid, count)
        if hit:
            outcome = collide(tables, state, scratch, work, log, rigid, solver, count, crowd > BOUNCES_AT_ONCE)
            if outcome != CHUNK_FULL:
                return outcome
            if has_finite_forces(tables):
                members, total, regular = list_members(tables, state, scratch, work, rigid, count, cause, margin)
                if not regular:
                    return SINGULAR
            evaluate(tables, state, scratch, work)
            read_velocities(work, rigid, count)
        free_accelerations(tables, state, scratch, work, rigid, total)
        if total > count:
            prepare_members(tables, state, scratch, work, rigid, count, members, total)
        if hit:
            count_low_hits(state, rigid, count)
        stay_where_low(rigid, count, crowd > BOUNCES_AT_ONCE)
        if not choose_modes(tables, state, work, log, rigid, solver, count, members, total, cause, margin):
            return JAMMED
        log_joints(tables, state, log, rigid)
        for i in range(begin, log.occurrence_count):
            log.occurrences[i].mode = state.active[log.occurrences[i].source]
        if not restart(tables, state, scratch, work):
            return SINGULAR
        if end_jumps(tables, state, scratch, work, log, begin) and not restart(tables, state, scratch, work):
            return SINGULAR
        flight = next_bounce(tables, state, rigid, count, total)
        if not hit or flight <= 0.0:
            break
        state.next_flight = flight
        if log.row_count + 4 >= log.rows.shape[0] or not has_room(tables, log):
            break
        write_row(tables, state, log)
        finish_flight(tables, state, work, log)
    return CHUNK_FULL


@kernel
def list_members(tables, state, scratch, work, rigid, count, cause, margin):
    """Joints behind ``count`` closed contacts, and W: how many are members, how many slide behind these, False: M is singular."""
    members = list_joints_at_rest(tables, state, work, rigid, count, cause, margin)
    if members == 0:
        return 0, 0, True
    total = list_sliding_joints(tables, state, rigid, members)
    return members, total, fill_delassus(tables, state, scratch, work, rigid, total)


@kernel
def collide(tables, state, scratch, work, log, rigid, solver, count, plastic):
    """The impact of ``count`` closed contacts, in which no force is finite; an outcome."""
    size, finite = count, has_finite_forces(tables)
    if finite:
        begin_impulses(tables, state, work, rigid)
        size = prepare_joints(tables, state, scratch, work, rigid, count)
    solved = size >= 0 and impact(tables, state, work, log, rigid, solver, count, size, plastic)
    if finite:
        end_impulses(tables, state, work, rigid)
    return SINGULAR if size < 0 else CHUNK_FULL if solved else JAMMED


@kernel
def end_jumps(tables, state, scratch, work, log, begin):
    """Put closed contacts on their surface, and those that stick to rest: to the next step what is left is a jump.

    Whether anything was left. Positions that are as near as those of any step stay, which the books read as a motion.
    The energy of the velocities that end belongs to the first impact of the event, whose occurrences ``begin`` there.
    """
    q, v, a = state.q, state.v, state.a
    residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
    off, moves = violation(tables, state, work, 0) > LEAST_GAP, violation(tables, state, work, 1) > LEAST_SLIP
    if off:
        move_back(tables, state, scratch, work, 0, state.q)
        new_chart(tables, state)
    if moves and factorise_without_friction(tables, state, scratch):
        move_back(tables, state, scratch, work, 1, state.v)
        if begin < log.occurrence_count and log.occurrences[begin].kind == IMPACT:
            for i in range(len(tables.free)):
                k = tables.free[i]
                if tables.coordinates[k].multiplier != 0 and state.replaced[i] == 0:
                    log.occurrences[begin].energy_lost -= 0.5 * scratch.real_x[i] * work.constraint[k, VELOCITY_LEVEL]
    return off or moves


@kernel
def factorise_without_friction(tables, state, scratch):
    """Factors of the projection with forces along the rows alone; False: singular.

    What holds back a contact that parts would else pull it forward.
    """
    m = len(tables.free)
    fill_projection(tables, state, scratch)
    for i in range(m):
        first, end, shift = columns_of(i, m, tables.band)
        for j in range(first, end):
            if tables.coordinates[tables.free[i]].multiplier == 0 and tables.coordinates[tables.free[j]].multiplier != 0:
                _first, _end, back = columns_of(j, m, tables.band)
                scratch.projection[i, j + shift] = -state.mass[j, i + back] * state.scale[i] * state.scale[j]
    return factorise_any(scratch.projection, scratch.projection_pivots, tables.band, TINY_PIVOT)


@kernel
def count_low_hits(state, rigid, count):
    """Count hits in a row behind which no contact parts by more than LOW_HIT, from one that rebounds faster than that before.

    So the bounces of one contact, each slower than the last, do not count, but sequences that begin anew, also by higher
    hits, and chatter that friction keeps up. Behind many of them what is no faster than ``state.least_rebound`` does not rebound.
    """
    fall = fastest = 0.0
    for i in range(count):
        fall = max(fall, abs(rigid.contact_acceleration[3 * i]))
        fastest = max(fastest, rigid.contact_velocity[3 * i])
    low = math.sqrt(2.0 * fall * LOW_HIT)
    if fastest > low:  # behind low ones a sequence begins anew
        state.low_hits = state.low_hits + 1 if 0.0 < state.rebound <= low else max(state.low_hits - 1, 0)
    elif state.low_hits > 0 or fastest > state.rebound:
        state.low_hits += 1
    state.rebound = fastest
    state.least_rebound = low if state.low_hits > MOST_LOW_HITS else 0.0


@kernel
def stay_where_low(rigid, count, crowded):
    """Where a hit makes another closed contact part by less than LEAST_HEIGHT, none parts by less: accelerations decide.

    So the ever smaller hits of a body that rocks from edge to edge end; bounces as such are followed by flights. After
    many events at once (``crowded``) all stay that would part by less than these.
    """
    rocks, fall, height = crowded, 0.0, LOW_FLIGHT if crowded else LEAST_HEIGHT
    for i in range(count):
        fall = max(fall, abs(rigid.contact_acceleration[3 * i]))
    for again in range(2):
        for i in range(count):
            speed = rigid.contact_velocity[3 * i]
            if speed > 0.0 and speed * speed <= 2.0 * fall * height:
                rocks = rocks or rigid.impulse[3 * i] == 0.0
                if rocks and again == 1:
                    rigid.contact_velocity[3 * i] = 0.0


@kernel
def has_finite_forces(tables):
    """Whether accelerations depend on forces that follow them, as friction in joints or a sensor: these have no impulse."""
    return len(tables.joint_frictions) > 0 or len(tables.functions) > 0


@kernel
def finish_flight(tables, state, work, log):
    """Move the state on to the next bounce of a sequence."""
    fly(tables, state, work, state.next_flight)
    state.next_flight = 0.0
    write_row(tables, state, log)


@kernel
def events_at_once(state):
    """How many events of rigid contacts there have been within a time that is as good as an instant."""
    if state.time - state.instant > AT_ONCE * max(1.0, state.time):
        state.instant, state.events_at_once = state.time, 0
    state.events_at_once += 1
    return state.events_at_once


@kernel
def has_room(tables, log):
    """Whether the log has room for what all contacts, switches and events can do in one instant."""
    contacts = len(tables.contacts)
    most = 2 * contacts + 4 * (len(tables.switches) + len(tables.events)) + 8
    few = log.occurrence_count + most >= log.occurrences.shape[0]
    return not few and log.contact_count + contacts + 1 < log.contacts.shape[0]


@kernel
def next_bounce(tables, state, rigid, count, total):
    """Time, s, until the first of the contacts that just bounced closes again, where that is soon; 0: none does.

    Its gap is a parabola meanwhile.
    """
    soonest = 0.0
    for r in range(3 * count):  # also of contacts that have opened
        rigid.contact_acceleration[r] = by_forces(rigid, rigid.contact_free, rigid.contact_force, r, total)
    for i in range(count):
        c = rigid.closed[i]
        if state.active[c] != 0:
            continue
        speed, fall = rigid.contact_velocity[3 * i], -rigid.contact_acceleration[3 * i]
        if speed <= 0.0 or fall <= 0.0:
            continue
        flight = 2.0 * speed / fall
        height, part = 0.5 * speed * speed / fall, flight / state.step_size
        low = height <= LOW_FLIGHT and part <= SHORT_FLIGHT
        if not (low or height <= LOWEST_FLIGHT and part <= FLIGHT_IN_STEP):
            continue
        if soonest == 0.0 or flight < soonest:
            soonest = flight
    return soonest


@kernel
def slide_to_rest(tables, state, work, c):
    """Move the state on to where the slip of contact ``c``, which is as good as zero, vanishes."""
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    contact_point_motion(tables, c, state.q, state.v, state.a, work)
    at, touch = tables.contacts[c].history_at + SLIP_X, work.touch[0]
    x, y, z = state.contact_history[at], state.contact_history[at + 1], state.contact_history[at + 2]
    ax, ay, az = relative_acceleration(work)
    slip, rate = dot(touch.u, x, y, z), ax * x + ay * y + az * z
    show_condensed(tables, state.a, work)
    if slip > 0.0 and rate < 0.0 and slip < -SHORT_FLIGHT * state.step_size * rate:
        fly(tables, state, work, -slip / rate)


@kernel
def fly(tables, state, work, flight):
    """Move the state by a short ``flight`` (s) with constant accelerations."""
    for k in range(state.q.shape[0]):
        if not is_algebraic(tables.coordinates[k]) and tables.coordinates[k].state == 0:
            state.q[k] += flight * (state.v[k] + 0.5 * flight * state.a[k])
            state.v[k] += flight * state.a[k]
    state.time += flight
    evaluate_signals(tables, state.time, work.signal)
    impose_drivers(tables, work.signal, state.q, state.v, state.a)
    new_chart(tables, state)
