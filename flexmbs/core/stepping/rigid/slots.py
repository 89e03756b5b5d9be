"""Which rigid contacts are closed, and the slots that serve them: three rows of the constraints each."""

from flexmbs.core.constraints.contact_slot import least_aligned
from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import COMPLIANCE, HELD_GAP, OPEN, ROWS_OFF, SLOT, SLOT_OF, STICKING, TANGENT_AXIS, UNUSED
from flexmbs.core.layout.tables import SHAPE_PAIR
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.stepping.rigid.members import slot_of
from flexmbs.core.stepping.rigid.phases import begin_phase, end_phase
from flexmbs.machine_code.kernel import kernel

CLOSED = 1e-11  # m: gaps that close within it of each other close together
# but not those of bodies that fly: they part, or need longer for a gap that is more than rounding (m, of sizes of 1 m)
FLIES, AT_ONCE, ROUNDING = 1e-9, 1e-8, 1e-14  # m/s, s, m


@kernel
def close_contacts(tables, state, work, rigid, cause):
    """Give a slot to each rigid contact without a gap; how many slots are used.

    Where there are too few, -1; nothing has changed then. ``cause``: the contact whose gap has just closed; -1: none.
    """
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    if not enough_slots(tables, state, work, cause):
        show_condensed(tables, state.a, work)
        return -1
    used = 0
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid == 0:
            continue
        before = state.active[c]
        if before == OPEN:
            if not has_closed(tables, state, c, work, cause):
                continue
            take_slot(tables, state, c, work)
            begin_phase(state, c)
            gap = work.touch[0].gap
            state.contact_history[tables.contacts[c].history_at + HELD_GAP] = gap if gap < -CLOSED else 0.0
        at = tables.contacts[c].history_at
        state.active[c] = STICKING
        state.contact_history[at + COMPLIANCE] = state.contact_history[at + ROWS_OFF] = 0.0
        rigid.mode_before[slot_of(tables, state, c)] = before
        used += 1
    show_condensed(tables, state.a, work)
    return used


@kernel
def enough_slots(tables, state, work, cause):
    """Whether there is a free slot for each open rigid contact without a gap."""
    first, free = len(tables.contacts), 0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == SLOT and state.active[first + s] == UNUSED:
            free += 1
    for c in range(first):
        if tables.contacts[c].rigid != 0 and state.active[c] == OPEN:
            if has_closed(tables, state, c, work, cause):
                free -= 1
    return free >= 0


@kernel
def has_closed(tables, state, c, work, cause):
    """Whether open contact ``c`` closes in this instant, in which that of ``cause`` does; evaluates its geometry."""
    gap, rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
    if c != cause and work.touch[0].clear > 0.0:  # another point has its place
        return False
    if c != cause and gap < -CLOSED:  # it parted with the depth with which it had been found
        return gap <= state.contact_history[tables.contacts[c].history_at + HELD_GAP] + CLOSED
    if c == cause or gap > CLOSED or abs(rate) <= FLIES:
        return gap <= CLOSED
    size, p = 1.0, work.touch[0].p
    for k in range(3):
        size = max(size, abs(p[k]))
    return gap <= ROUNDING * size + AT_ONCE * max(-rate, 0.0)


@kernel
def pass_on(tables, state, work, log):
    """Open the closed contacts whose place another point of the same two shapes takes; whether there were any."""
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    some = False
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid != 0 and state.active[c] != OPEN and passes_on(tables, state, c, work):
            end_phase(state, log, c, 0.0)
            open_contact(tables, state, c)
            some = True
    show_condensed(tables, state.a, work)
    return some


@kernel
def passes_on(tables, state, c, work):
    """Whether closed contact ``c`` has come to where another point of the same two shapes takes its place."""
    if tables.contacts[c].kind < SHAPE_PAIR:
        return False
    gap_in_place(tables, c, state.q, state.v, state.a, work)
    return work.touch[0].clear > 0.0


@kernel
def take_slot(tables, state, c, work):
    """A free slot for contact ``c``, whose geometry was evaluated last."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == SLOT and state.active[first + s] == UNUSED:
            state.active[first + s] = 1 + c
            at = tables.contacts[c].history_at
            state.contact_history[at + SLOT_OF] = s
            state.contact_history[at + TANGENT_AXIS] = least_aligned(work.touch[0].n, work.marker[B].R_WM)
            return


@kernel
def open_contact(tables, state, c):
    """Contact ``c`` is open from now on; its slot is free, and its multipliers are zero."""
    s = slot_of(tables, state, c)
    row = tables.switches[s].row
    state.active[len(tables.contacts) + s] = UNUSED
    state.active[c] = OPEN
    state.a[row] = state.a[row + 1] = state.a[row + 2] = 0.0
