"""Coulomb's impulses of friction in joints: part of the problem of an impact, and behind locks that close.

A joint with friction is a contact of the problem (core.contact.rigid.impact_law) whose normal impulse N is given: that
of its bearing, which depends on all impulses, so that it is found by iteration.  Its friction, below mu N, opposes the
slip after the impact; whatever N is, it takes energy.  A given normal force is finite, and has no impulse.
"""

import math

from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SOLVED
from flexmbs.core.contact.rigid.impact_law import REDUCED, solve_impact
from flexmbs.core.equations.singular_positions import row_times
from flexmbs.core.layout.switch_tables import FREED, HELD, HOLD
from flexmbs.core.layout.tables import IMPULSES, VELOCITY_LEVEL, WHOLE
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.stepping.rigid.delassus import by_forces, evaluate, fill_delassus
from flexmbs.core.stepping.rigid.joint_bearings import (
    DEPENDENT,
    MOST_ROUNDS,
    follows_reaction,
    leave_out,
    read_all_bearings,
    read_bearings,
    renew_bearings,
)
from flexmbs.core.stepping.rigid.members import NO_ROW, mode_at, place_joint
from flexmbs.machine_code.kernel import kernel

HALVINGS, ROUNDING = 30, 1e-13  # of a factor on restitutions; energy gained, of the energies that are exchanged
JAMS = 100.0  # times the load without friction: it grows without bound, or nearly so
SETTLED = 1e-13  # of the bearings' impulses, relative to the largest
NO_SLIP = 1e-12  # m/s


@kernel
def begin_impulses(tables, state, work, rigid):
    """Until :func:`end_impulses` equations have no finite forces, and joints no friction."""
    work.extent[0] = IMPULSES
    for j in range(len(tables.joint_frictions)):
        rigid.joint_mode_kept[j] = state.active[mode_at(tables, j)]
        state.active[mode_at(tables, j)] = FREED


@kernel
def end_impulses(tables, state, work, rigid):
    """Modes and forces as before :func:`begin_impulses`."""
    work.extent[0] = WHOLE
    for j in range(len(tables.joint_frictions)):
        state.active[mode_at(tables, j)] = rigid.joint_mode_kept[j]


@kernel
def list_joints(tables, state, rigid, count):
    """Joints with friction behind ``count`` contacts, with their rows, which act; how many contacts and joints there are."""
    size = count
    for j in range(len(tables.joint_frictions)):
        if follows_reaction(tables, j):
            size = place_joint(tables, state, rigid, j, size)
    return size


@kernel
def prepare_joints(tables, state, scratch, work, rigid, count):
    """Places of joints with friction behind ``count`` contacts, W of all, slips, bearings' impulses; how many, -1: singular."""
    size = list_joints(tables, state, rigid, count)
    if not fill_delassus(tables, state, scratch, work, rigid, size):
        return -1
    evaluate(tables, state, scratch, work)
    largest = 0.0
    for r in range(3 * size):
        if rigid.row[r] != NO_ROW:
            rigid.contact_velocity[r] = rigid.row_scale[r] * work.constraint[rigid.row[r], VELOCITY_LEVEL]
            largest = max(largest, rigid.delassus[r, r])
    for r in range(3 * count, 3 * size):
        if rigid.row[r] == NO_ROW or rigid.delassus[r, r] <= DEPENDENT * largest:
            leave_out(rigid, r, size)
            rigid.contact_velocity[r], rigid.delassus[r, r] = 0.0, max(largest, 1e-300)
    for i in range(count, size):
        rigid.contact_friction[i] = tables.joint_frictions[rigid.joint_of[i]].dynamic
        rigid.contact_restitution[i] = rigid.contact_tangential[i] = 0.0
        rigid.joint_share[i] = 1.0
    read_all_bearings(tables, state, scratch, work, rigid, size)
    return size


@kernel
def solve_with_joints(tables, state, work, rigid, solver, count, size, poisson):
    """Impulses of contacts and joints that gain no energy; the status of the contact problem.

    Restitutions are reduced where it would be gained, as without joints (core.contact.rigid.impact_law).
    """
    status = settle_bearings(tables, state, work, rigid, solver, count, size, poisson)
    if size == count or not gains_energy(rigid, count, size):
        return status
    for i in range(count):
        rigid.restitution_stated[0, i], rigid.restitution_stated[1, i] = rigid.contact_restitution[i], rigid.contact_tangential[i]
    low, high = 0.0, 1.0
    for halving in range(HALVINGS + 1):
        part = low if halving == HALVINGS else 0.5 * (low + high)
        for i in range(count):
            rigid.contact_restitution[i] = part * rigid.restitution_stated[0, i]
            rigid.contact_tangential[i] = part * rigid.restitution_stated[1, i]
        status = settle_bearings(tables, state, work, rigid, solver, count, size, poisson)
        if (status == SOLVED or status == AMBIGUOUS) and not gains_energy(rigid, count, size):
            low = part
        else:
            high = part
    return status


@kernel
def gains_energy(rigid, count, size):
    """Whether the present impulses gain energy beyond rounding."""
    exchanged = 0.0
    for r in range(3 * count):
        exchanged += abs(rigid.impulse[r] * rigid.contact_velocity[r])
    return energy_lost(rigid, 0, size, size) < -ROUNDING * exchanged


@kernel
def energy_lost(rigid, first, end, size):
    """Energy, J, that the impulses at the contacts and joints ``first`` to ``end`` of ``size`` have taken."""
    lost = 0.0
    for r in range(3 * first, 3 * end):
        if rigid.row[r] != NO_ROW:
            lost -= (
                0.5
                * rigid.impulse[r]
                * (rigid.contact_velocity[r] + by_forces(rigid, rigid.contact_velocity, rigid.impulse, r, size))
            )
    return lost


@kernel
def settle_bearings(tables, state, work, rigid, solver, count, size, poisson):
    """Impulses of contacts and joints whose bearings' impulses belong to them; the status of the contact problem.

    Where friction raises its own load without bound (a joint jams), the joints stick if that is consistent; else their
    friction is left out in this instant.
    """
    most, status = 0.0, SOLVED
    for attempt in range(MOST_ROUNDS):
        status = solve_for_loads(rigid, solver, count, size, poisson)
        if status != SOLVED and status != AMBIGUOUS:
            if attempt == 0:
                return status
            break
        if not renew_loads(tables, state, work, rigid, solver, count, size):
            return status
        largest = 0.0
        for i in range(count, size):
            largest = max(largest, rigid.joint_load[rigid.joint_of[i]])
        most = max(most, JAMS * largest) if attempt == 0 else most
        if largest > most:
            break
    for attempt in range(2):
        rigid.joint_load[:] = most if attempt == 0 else 0.0
        rigid.joint_share[:] = 1.0
        status = solve_for_loads(rigid, solver, count, size, poisson)
        if status == SOLVED or status == AMBIGUOUS:
            renew_loads(tables, state, work, rigid, solver, count, size)
            if stick_within_cones(rigid, count, size, most):
                break
    return status


@kernel
def stick_within_cones(rigid, count, size, tried):
    """Whether all joints stick, with less friction than their load, and the one that was ``tried``, allow."""
    for i in range(count, size):
        if rigid.joint_load[rigid.joint_of[i]] > tried:
            return False
        friction = math.hypot(rigid.impulse[3 * i + 1], rigid.impulse[3 * i + 2])
        if friction > rigid.contact_friction[i] * min(rigid.joint_load[rigid.joint_of[i]], 0.5 * tried):
            return False
    return True


@kernel
def solve_for_loads(rigid, solver, count, size, poisson):
    """Impulses of contacts and joints of the present bearings' impulses; the status of the contact problem."""
    for i in range(count, size):
        normal = rigid.joint_share[i] * rigid.joint_load[rigid.joint_of[i]]
        rigid.contact_velocity[3 * i] = -rigid.delassus[3 * i, 3 * i] * normal
    status = solve_impact(
        rigid.delassus,
        rigid.contact_velocity[: 3 * size],
        rigid.contact_friction[:size],
        rigid.contact_restitution[:size],
        rigid.contact_tangential[:size],
        poisson,
        rigid.impulse[: 3 * size],
        rigid.contact_mode[:size],
        solver,
    )
    return status - (status & REDUCED)


@kernel
def renew_loads(tables, state, work, rigid, solver, count, size):
    """Normal impulses of the joints by all impulses; whether they have changed."""
    largest, change = renew_bearings(tables, state, work, rigid, rigid.impulse, count, size, 1.0)
    for i in range(count, size - 1):
        if rigid.joint_of[i] == rigid.joint_of[i + 1]:  # a spherical joint shares its cone
            slip = solver.velocity[3 * i + 1 : 3 * i + 5]
            about, z = math.hypot(slip[0], slip[1]), abs(slip[3])
            some = math.hypot(about, z) > NO_SLIP
            for part in range(2):
                share = (about if part == 0 else z) / math.hypot(about, z) if some else 1.0
                change = max(change, rigid.joint_load[rigid.joint_of[i]] * abs(share - rigid.joint_share[i + part]))
                rigid.joint_share[i + part] = share
    return change > SETTLED * largest


@kernel
def apply_impulses(tables, state, rigid, size):
    """Change the velocities by the impulses ``rigid.impulse`` (3 size,) of closed contacts and joints."""
    for r in range(3 * size):
        if rigid.impulse[r] == 0.0 or rigid.row[r] == NO_ROW:
            continue
        for i in range(len(tables.free)):
            k = tables.free[i]
            if not is_algebraic(tables.coordinates[k]):
                state.v[k] += rigid.impulse[r] * rigid.response[r, i]


@kernel
def rub_behind_locks(tables, state, scratch, work, rigid, solver):
    """Friction of the joints in the instant in which locks close; energy that it has taken, J.

    ``rigid.lock_change``: velocities and impulses by the locks, in: without, out: with this friction, against which they
    hold. Newton's restitution of a stop and friction together can gain energy (Kane and Levinson 1985): there is no
    friction in the instant then, and none where the mass matrix with the rows of joints is singular.
    """
    rigid.joint_load[:] = 0.0
    read_bearings(tables, state, scratch, work, rigid, rigid.lock_change, NO_ROW, 0.0, rigid.bearing_before)
    size = prepare_joints(tables, state, scratch, work, rigid, 0)
    if size <= 0:
        return 0.0
    rigid.impulse[:] = 0.0
    solver.velocity[:] = 0.0
    renew_loads(tables, state, work, rigid, solver, 0, size)
    status = solve_with_joints(tables, state, work, rigid, solver, 0, size, 0)
    if status != SOLVED and status != AMBIGUOUS:
        return 0.0
    lost = energy_lost(rigid, 0, size, size)
    for r in range(3 * size):
        if rigid.row[r] != NO_ROW:  # slip before the locks
            slip = rigid.row_scale[r] * row_times(tables, state, rigid.place[rigid.row[r]], rigid.lock_change)
            lost += 0.5 * rigid.impulse[r] * slip
    total = lost
    for i in range(len(tables.free)):
        rigid.lock_trial[i] = rigid.lock_change[i]
        for r in range(3 * size):
            rigid.lock_trial[i] += rigid.impulse[r] * rigid.response[r, i]
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == HOLD and state.active[len(tables.contacts) + s] == HELD:
            impulse = rigid.lock_trial[rigid.place[tables.switches[s].row]]
            total += lock_loss(impulse, rigid.lock_rate[s], rigid.lock_restitution[s])
    if total < 0.0:
        return 0.0
    apply_impulses(tables, state, rigid, size)
    copy_vector(rigid.lock_trial, rigid.lock_change)
    return lost


@kernel
def lock_loss(impulse, rate, restitution):
    """Energy, J, that the impulse of a lock takes from a coordinate of that rate before."""
    return 0.0 - 0.5 * impulse * (1.0 - restitution) * rate
