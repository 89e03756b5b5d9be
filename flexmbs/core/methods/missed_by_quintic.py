"""What the quintic that results interpolate with misses of a long step: how many rows inside the step are needed."""

import math

from flexmbs.core.equations.quintic_interpolation import interpolate
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.methods.error_norm import position_weight, velocity_weight
from flexmbs.machine_code.kernel import kernel


@kernel
def missed_by_quintic(tables, state, settings, scratch, h, middle, quarter):
    """Weighted rms of what the quintic of the step misses: positions in the middle, velocities at a quarter.

    ``middle``, ``quarter``: the intermediate rows that hold the motion there.
    """
    interpolate(tables, state, scratch, h, 0.5)
    total = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        if not is_algebraic(tables.coordinates[k]):
            missed = scratch.point_q[k] - scratch.intermediate_q[middle, k]
            total += (missed * position_weight(settings, scratch, k, abs(scratch.point_q[k]))) ** 2
    interpolate(tables, state, scratch, h, 0.25)
    for i in range(len(tables.free)):
        k = tables.free[i]
        if not is_algebraic(tables.coordinates[k]):
            missed = scratch.point_v[k] - scratch.intermediate_v[quarter, k]
            total += (missed * velocity_weight(settings, scratch, k, abs(scratch.point_v[k]))) ** 2
    return math.sqrt(total / (2.0 * max(len(tables.free) - scratch.algebraic, 1)))
