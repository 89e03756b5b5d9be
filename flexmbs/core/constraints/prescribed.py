"""What a prescribing constraint is equal to: a function of time at position, velocity or acceleration level."""

from flexmbs.core.layout.tables import ACCEL, POSITION_LEVEL, RATE, VALUE, VELOCITY_LEVEL
from flexmbs.machine_code.kernel import kernel


@kernel
def subtract_signal(tables, c, row, work, residual):
    """Subtract the signal of constraint ``c`` and its derivatives from a row; below its level nothing is prescribed."""
    constraint = tables.constraints[c]
    s = constraint.signal
    if constraint.level == POSITION_LEVEL:
        if s >= 0:
            work.constraint[row, POSITION_LEVEL] -= work.signal[s, VALUE]
            work.constraint[row, VELOCITY_LEVEL] -= work.signal[s, RATE]
            residual[row] -= work.signal[s, ACCEL]
        return
    work.constraint[row, POSITION_LEVEL] = 0.0
    if constraint.level == VELOCITY_LEVEL:
        if s >= 0:
            work.constraint[row, VELOCITY_LEVEL] -= work.signal[s, VALUE]
            residual[row] -= work.signal[s, RATE]
        return
    work.constraint[row, VELOCITY_LEVEL] = 0.0
    if s >= 0:
        residual[row] -= work.signal[s, VALUE]
