"""A linear coupling of coordinates: sum_i c_i q_i = s(t); gears, racks, screws, belts and couplers are made of it."""

from flexmbs.core.constraints.prescribed import subtract_signal
from flexmbs.core.constraints.term_sums import add_sum
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.machine_code.kernel import kernel


@kernel
def add_coupling(tables, c, q, v, a, work, residual):
    """Row and forces of coupling number ``c``."""
    coupling = tables.constraints[c]
    row = coupling.row
    value, rate, accel = add_sum(tables, coupling.start, coupling.end, row, q, v, a, residual)
    work.reaction[len(tables.bodies) + c].force[0] = a[row]  # a force along no axis
    work.constraint[row, POSITION_LEVEL], work.constraint[row, VELOCITY_LEVEL] = value, rate
    residual[row] = accel
    subtract_signal(tables, c, row, work, residual)
