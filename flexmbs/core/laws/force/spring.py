"""Spring and damper: -(k d + preload + c d'), d = x - rest; either part may be a table instead.

p0: stiffness k, p1: damping c, p2: preload.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.table import table_integral, table_value


@kernel
def spring_force(pool, element, x, rate):
    deformation = x - element.rest
    pull = element.p2
    pull += table_value(pool, element.table, deformation) if element.table >= 0 else element.p0 * deformation
    pull += table_value(pool, element.damper, rate) if element.damper >= 0 else element.p1 * rate
    return -pull


@kernel
def deformation_energy(pool, element, x):
    deformation = x - element.rest
    stored = 0.5 * element.p0 * deformation * deformation
    if element.table >= 0:
        stored = table_integral(pool, element.table, deformation)
    return stored + element.p2 * deformation
