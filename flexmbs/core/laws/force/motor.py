"""Motor with a torque-speed curve T(speed): u T(speed) forwards (command u >= 0), u T(-speed) backwards."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.table import table_value


@kernel
def motor_force(pool, element, command, rate):
    return command * table_value(pool, element.table, rate if command >= 0.0 else -rate)
