"""A sum of coordinates held where it was: a lock, a latch, a joint that sticks."""

from flexmbs.core.constraints.term_sums import add_sum
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.machine_code.kernel import kernel


@kernel
def add_hold(tables, s, on, contact_history, q, v, a, work, residual):
    """Row and forces of switch ``s``: sum c_i q_i = anchor; its multiplier is the generalised force on the sum."""
    switch = tables.switches[s]
    row = switch.row
    value, rate, accel = add_sum(tables, switch.start, switch.end, row, q, v, a, residual)
    work.constraint[row, POSITION_LEVEL] = value - contact_history[switch.anchor_at]
    work.constraint[row, VELOCITY_LEVEL] = rate
    residual[row] = accel
