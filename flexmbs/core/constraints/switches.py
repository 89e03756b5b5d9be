"""Constraints that are switched: their rows read lam = 0 while they are off, so that nothing changes size.

What is on stands in ``active`` behind the contacts, the numbers that switching sets in ``contact_history``
(core.layout.switch_tables).
"""

from flexmbs.core.constraints.contact_slot import add_contact_rows, leave_out_row
from flexmbs.core.constraints.hold import add_hold
from flexmbs.core.constraints.sticking_joint import add_sticking
from flexmbs.core.layout.switch_tables import FREED, FRICTION_HOLD, HELD_BY_OTHERS, LET_GO, OF_CONSTRAINT, SLOT, STICKING, UNUSED
from flexmbs.machine_code.kernel import kernel


@kernel
def add_switches(tables, active, contact_history, q, v, a, work, residual):
    """Rows and forces of all switches."""
    first = len(tables.contacts)
    for s in range(len(tables.switches)):
        switch, on = tables.switches[s], active[first + s]
        if switch.kind == OF_CONSTRAINT:
            continue
        if switch.kind == SLOT:
            if on != UNUSED:
                add_contact_rows(tables, switch.row, on - 1, active, contact_history, q, v, a, work, residual)
                continue
        elif switch.kind == FRICTION_HOLD:
            if on == STICKING:
                add_sticking(tables, s, active, contact_history, q, v, a, work, residual)
                continue
        elif on != FREED and on != HELD_BY_OTHERS:
            add_hold(tables, s, on, contact_history, q, v, a, work, residual)
            continue
        for row in range(switch.row, switch.row + switch.rows):
            leave_out_row(row, a, work, residual)


@kernel
def leave_out_constraint(tables, c, active, a, work, residual):
    """Whether constraint ``c`` has been let go; its rows are those of multipliers that are zero then."""
    constraint = tables.constraints[c]
    if constraint.switch < 0 or active[len(tables.contacts) + constraint.switch] != LET_GO:
        return False
    for row in range(constraint.row, constraint.row + constraint.rows):
        leave_out_row(row, a, work, residual)
    reaction = work.reaction[len(tables.bodies) + c]
    for k in range(3):
        reaction.force[k] = reaction.moment[k] = 0.0
    return True
