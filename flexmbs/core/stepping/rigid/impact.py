"""The impact of an event: impulses of all closed contacts at once, and what they change."""

from flexmbs.core.constraints.contact_slot import put_tangents
from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, SOLVED
from flexmbs.core.laws.contact.rigid import FRICTION, IS_POISSON, RESTITUTION, TANGENTIAL_RESTITUTION
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import IMPACT, OPEN, TANGENT_AXIS
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.occurrences import new_occurrence
from flexmbs.core.stepping.rigid.delassus import by_forces
from flexmbs.core.stepping.rigid.joint_impulses import apply_impulses, energy_lost, solve_with_joints
from flexmbs.core.stepping.rigid.members import slot_of
from flexmbs.core.stepping.rigid.phases import add_impact
from flexmbs.machine_code.kernel import kernel

AT_REST = 1e-10  # m/s: approach, or parting, of a closed contact that is none
# of one that closes: a slower approach is none, a faster one rebounds, and with more than this after the impact
LEAST_APPROACH, LEAST_BOUNCE, LEAST_REBOUND = 1e-12, 1e-11, 1e-13


@kernel
def approaches(tables, state, rigid, count):
    """Whether closed contacts approach; which of them rebound stands in ``rigid.lasting`` (1)."""
    approaching = False
    rigid.impulse[:] = 0.0
    for i in range(count):
        speed = -rigid.contact_velocity[3 * i]
        closes = rigid.mode_before[slot_of(tables, state, rigid.closed[i])] == OPEN
        approaching = approaching or speed > (LEAST_APPROACH if closes else AT_REST)
        rigid.lasting[i] = 1 if speed > (LEAST_BOUNCE if closes else AT_REST) else 0
    return approaching


@kernel
def impact(tables, state, work, log, rigid, solver, count, size, plastic):
    """Change the velocities, some of which approach (:func:`approaches`); False: no solution.

    Of ``count`` contacts and joints with friction behind them, ``size`` in all; ``rigid.contact_velocity`` and
    ``rigid.delassus`` are those before it; ``plastic``: without restitution.
    """
    bouncing = False
    for i in range(count):
        at = tables.contacts[rigid.closed[i]].at
        rigid.contact_friction[i] = tables.pool[at + FRICTION]
        rebound = -tables.pool[at + RESTITUTION] * rigid.contact_velocity[3 * i]
        bounces = rigid.lasting[i] == 1 and rebound >= state.least_rebound and not plastic
        rigid.contact_restitution[i] = tables.pool[at + RESTITUTION] if bounces else 0.0
        bouncing = bouncing or bounces
        rigid.contact_tangential[i] = tables.pool[at + TANGENTIAL_RESTITUTION]
    poisson = int(tables.pool[tables.contacts[rigid.closed[0]].at + IS_POISSON])
    if poisson != 0 and bouncing:  # what the hit of another contact compresses expands too
        for i in range(count):
            rigid.contact_restitution[i] = tables.pool[tables.contacts[rigid.closed[i]].at + RESTITUTION]
    rigid.bearing_before[:] = 0.0
    rigid.joint_load[:] = 0.0
    status = solve_with_joints(tables, state, work, rigid, solver, count, size, poisson)
    if status != SOLVED and status != AMBIGUOUS:
        name_failure(rigid, status, rigid.closed[min(max(solver.contact, 0), count - 1)])
        return False
    apply_impulses(tables, state, rigid, size)
    log_impacts(tables, state, work, log, rigid, count, size)
    return True


@kernel
def log_impacts(tables, state, work, log, rigid, count, size):
    """An occurrence of each contact with an impulse; what friction in joints has taken is lost in the hardest hit."""
    hardest, first = 0, log.occurrence_count
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    for i in range(count):
        if rigid.impulse[3 * i] <= 0.0:
            continue
        c = rigid.closed[i]
        gap_in_place(tables, c, state.q, state.v, state.a, work)
        touch, axes = work.touch[0], work.scratch[0]
        axis = int(state.contact_history[tables.contacts[c].history_at + TANGENT_AXIS])
        put_tangents(touch.n, work.marker[B].R_WM, axis, axes.u, axes.v)
        if log.occurrence_count == first or rigid.impulse[3 * i] > log.occurrences[hardest].normal_impulse:
            hardest = log.occurrence_count
        row = new_occurrence(state, log, IMPACT, c)
        row.mode_before = row.mode = rigid.mode_before[slot_of(tables, state, c)]
        add_impact(state, c, rigid.impulse[3 * i], -rigid.contact_velocity[3 * i])
        row.approach_speed, row.normal_impulse = -rigid.contact_velocity[3 * i], rigid.impulse[3 * i]
        for k in range(3):
            row.normal[k], row.place[k] = touch.n[k], touch.p[k]
            row.friction_impulse[k] = rigid.impulse[3 * i + 1] * axes.u[k] + rigid.impulse[3 * i + 2] * axes.v[k]
        for j in range(3):
            r = 3 * i + j
            after = by_forces(rigid, rigid.contact_velocity, rigid.impulse, r, size)
            if j == 0:
                row.rebound_speed = after
            row.energy_lost -= 0.5 * rigid.impulse[r] * (rigid.contact_velocity[r] + after)
            for k in range(3):
                along = axes.u[k] if j == 1 else axes.v[k]
                if j > 0:
                    row.slip_before[k] += rigid.contact_velocity[r] * along
                    row.slip_after[k] += after * along
    if log.occurrence_count > first:
        log.occurrences[hardest].energy_lost += energy_lost(rigid, count, size, size)
    show_condensed(tables, state.a, work)


@kernel
def name_failure(rigid, status, contact):
    """Keep the status of a problem without a solution, and the contact that it names."""
    rigid.failed[0], rigid.failed[1] = status, contact
