"""Which rigid contacts are closed, and the slots that serve them: three rows of the constraints each."""

from __future__ import annotations

from flexmbs.core.contact.gap import gap_in_place
from flexmbs.core.layout.frames import B
from flexmbs.core.layout.switch_tables import (
    COMPLIANCE,
    OPEN,
    ROWS_OFF,
    SLOT,
    SLOT_OF,
    STICKING,
    TANGENT_AXIS,
    UNUSED,
)
from flexmbs.core.mechanics.condensed_modes import hide_condensed, show_condensed
from flexmbs.core.mechanics.forward_kinematics import forward_kinematics
from flexmbs.core.mechanics.vectors import components
from flexmbs.core.stepping.rigid.phases import begin_phase
from flexmbs.machine_code.kernel import kernel

CLOSED = 1e-11  # m: gaps that close within it of each other close together


@kernel
def close_contacts(tables, state, work, rigid):
    """Give a slot to each rigid contact without a gap; how many slots are used.

    Where there are too few, -1; nothing has changed then.
    """
    hide_condensed(tables, state.q, state.v, state.a, work)
    forward_kinematics(tables, state.q, state.v, state.a, state.reference, work)
    if not enough_slots(tables, state, work):
        show_condensed(tables, state.a, work)
        return -1
    used = 0
    for c in range(len(tables.contacts)):
        if tables.contacts[c].rigid == 0:
            continue
        before = state.active[c]
        if before == OPEN:
            gap, _rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
            if gap > CLOSED:
                continue
            take_slot(tables, state, c, work)
            begin_phase(state, c)
        at = tables.contacts[c].history_at
        state.active[c] = STICKING
        state.contact_history[at + COMPLIANCE] = state.contact_history[at + ROWS_OFF] = 0.0
        rigid.mode_before[slot_of(tables, state, c)] = before
        used += 1
    show_condensed(tables, state.a, work)
    return used


@kernel
def enough_slots(tables, state, work):
    """Whether there is a free slot for each open rigid contact without a gap."""
    first, free = len(tables.contacts), 0
    for s in range(len(tables.switches)):
        if tables.switches[s].kind == SLOT and state.active[first + s] == UNUSED:
            free += 1
    for c in range(first):
        if tables.contacts[c].rigid != 0 and state.active[c] == OPEN:
            gap, _rate = gap_in_place(tables, c, state.q, state.v, state.a, work)
            if gap <= CLOSED:
                free -= 1
    return free >= 0


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
def least_aligned(n, R):
    """The axis of a frame that is least along ``n``."""
    nx, ny, nz = components(n)
    which, least = 0, 2.0
    for k in range(2, -1, -1):  # of two the last: the tangents of a planar mechanism are then in and across its plane
        along = abs(R[0, k] * nx + R[1, k] * ny + R[2, k] * nz)
        if along < least - 1e-9:
            which, least = k, along
    return which


@kernel
def slot_of(tables, state, c):
    """The slot that serves contact ``c``."""
    return int(state.contact_history[tables.contacts[c].history_at + SLOT_OF])


@kernel
def open_contact(tables, state, c):
    """Contact ``c`` is open from now on; its slot is free, and its multipliers are zero."""
    s = slot_of(tables, state, c)
    row = tables.switches[s].row
    state.active[len(tables.contacts) + s] = UNUSED
    state.active[c] = OPEN
    state.a[row] = state.a[row + 1] = state.a[row + 2] = 0.0
