"""Motor with a torque-speed curve T(speed): u T(speed) forwards (command u >= 0), u T(-speed) backwards."""

from __future__ import annotations

from flexmbs.kernels.forces.table import table_value
from flexmbs.kernels.jit import kernel


@kernel
def motor_force(pool, element, command, rate):
    return command * table_value(pool, element.table, rate if command >= 0.0 else -rate)
