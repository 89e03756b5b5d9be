"""Margins of rigid contacts: positive while a contact stays in its mode.

Normal force of a closed contact; mu_s lam_n - |lam_t| of one that sticks; slip along its direction of one that slides.
"""

import math

from flexmbs.core.constraints.contact_slot import slip_direction
from flexmbs.core.contact.contact_kinematics import contact_point_motion
from flexmbs.core.contact.gap import contact_geometry
from flexmbs.core.laws.contact.rigid import FRICTION, STATIC_FRICTION
from flexmbs.core.laws.force.joint_slip import BIAS
from flexmbs.core.layout.switch_tables import (
    FRESH,
    HELD_GAP,
    IN_RESTING_GROUP,
    LOAD,
    NEVER,
    RESTING,
    SLIDING,
    SLIP_X,
    SLOT,
    STICKING,
    UNUSED,
)
from flexmbs.core.layout.tables import SHAPE_PAIR
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.rigid.members import slot_of
from flexmbs.core.stepping.rigid.resting_groups import remember_resting, resting_margin
from flexmbs.machine_code.kernel import kernel

NORMAL, CONE, SLIP = MARGINS = range(3)
CLOSES = -1  # in place of a margin: the gap of an open contact has vanished
LEAST_SLIP = 1e-9  # m/s
# m/s: where the direction turns fast, as of a box that spins, the last of the way to zero slip is a straight line
STOPS = 1e-10
TAKES_LOAD = 1e-9  # of the largest load
RESTS_WITHIN = 1e-9  # m, a closed contact without a load, whose neighbours hold it


@kernel
def contact_margins(tables, state, q, v, a, work, rigid, out):
    """Margins NORMAL, CONE and SLIP of the contact that each slot serves, at a motion, into ``out`` (3 switches,).

    Groups that rest have one margin, the CONE of their first member; those of joints are current.
    """
    first = len(tables.contacts)
    hide_condensed(tables, q, v, a, work)
    forward_kinematics(tables, q, v, a, state.reference, work)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind != SLOT or state.active[first + s] == UNUSED:
            continue
        c, row = state.active[first + s] - 1, tables.switches[s].row
        mode, at = state.active[c], tables.contacts[c].history_at
        if mode == RESTING or mode == SLIDING:
            contact_point_motion(tables, c, q, v, a, work)
        touch = work.touch[0]
        if state.contact_history[at + IN_RESTING_GROUP] != 0.0:
            continue
        if mode == RESTING:
            out[3 * s + NORMAL] = RESTS_WITHIN - abs(touch.gap - state.contact_history[at + HELD_GAP])
            out[3 * s + CONE] = unloaded_margin(tables, state, a, s)
            continue
        out[3 * s + NORMAL] = a[row]
        pool, numbers = tables.pool, tables.contacts[c].at
        if mode == SLIDING and pool[numbers + FRICTION] > 0.0:
            slip = 0.0
            for k in range(3):
                slip += touch.u[k] * state.contact_history[at + SLIP_X + k]
            out[3 * s + SLIP] = slip - STOPS if state.contact_history[at + FRESH] == 0.0 else slip + 0.5 * BIAS
        elif mode == STICKING:
            tangential = math.sqrt(a[row + 1] * a[row + 1] + a[row + 2] * a[row + 2])
            out[3 * s + CONE] = pool[numbers + STATIC_FRICTION] * a[row] - tangential
    margin, leader = resting_margin(tables, state, q, v, a, work, rigid)
    show_condensed(tables, a, work)
    if leader >= 0:
        out[3 * slot_of(tables, state, leader) + CONE] = margin


@kernel
def unloaded_margin(tables, state, a, s):
    """Up to when the contact of slot ``s``, which has no load, has none: by the forces of others on equal springs."""
    wish, known = 0.0, False
    for other in range(state.wishes.shape[0]):
        known = known or state.wishes[s, other] != 0.0
        if state.wishes[s, other] != 0.0:
            wish += state.wishes[s, other] * a[tables.switches[other].row]
    return TAKES_LOAD * state.largest_load - wish if known else NEVER


@kernel
def remember_contacts(tables, state, work, rigid):
    """What contacts remember of the end of a step: direction of sliding, and how they share their load.

    Returns whether one of them has come to where another point of the same two shapes takes its place.
    """
    first, some, passes_on = len(tables.contacts), False, False
    remember_resting(tables, state, work, rigid)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind != SLOT or state.active[first + s] == UNUSED:
            continue
        c = state.active[first + s] - 1
        for k in range(3):
            state.contact_history[tables.contacts[c].history_at + LOAD + k] = state.a[tables.switches[s].row + k]
        if state.active[c] != SLIDING and tables.contacts[c].kind < SHAPE_PAIR:
            continue
        if not some:
            hide_condensed(tables, state.q, state.v, state.a, work)
            forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
            some = True
        if state.active[c] == SLIDING:
            contact_point_motion(tables, c, state.q, state.v, state.a, work)
            renew_direction(work.touch[0], state.contact_history, tables.contacts[c].history_at)
        else:
            contact_geometry(tables, c, state.q, state.v, state.a, work)
        passes_on = passes_on or work.touch[0].clear > 0.0
    if some:
        show_condensed(tables, state.a, work)
    return passes_on


@kernel
def renew_direction(touch, contact_history, at):
    """Remember the direction of sliding: the one that friction has had, so that it does not jump where the slip is slow.

    What has just begun to slide keeps its first one until it is faster.
    """
    along, size = 0.0, 0.0
    for k in range(3):
        along += touch.u[k] * touch.n[k]
        size += touch.u[k] * touch.u[k]
    size = math.sqrt(max(size - along * along, 0.0))
    if size <= (10.0 * BIAS if contact_history[at + FRESH] != 0.0 else LEAST_SLIP):
        return
    contact_history[at + FRESH] = 0.0
    x, y, z = slip_direction(touch, contact_history, at)
    contact_history[at + SLIP_X], contact_history[at + SLIP_X + 1], contact_history[at + SLIP_X + 2] = x, y, z
