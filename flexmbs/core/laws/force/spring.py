"""Spring and damper: -(k d + preload + c d'), d = x - rest; either part may be a table instead."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.table import table_integral, table_value

STIFFNESS, DAMPING, PRELOAD = range(3)  # numbers of the law in an element's record


@kernel
def spring_force(pool, element, x, rate):
    deformation = x - element.rest
    pull = element.p[PRELOAD]
    if element.table >= 0:
        pull += table_value(pool, element.table, deformation)
    else:
        pull += element.p[STIFFNESS] * deformation
    if element.damper >= 0:
        pull += table_value(pool, element.damper, rate)
    else:
        pull += element.p[DAMPING] * rate
    return -pull


@kernel
def deformation_energy(pool, element, x):
    deformation = x - element.rest
    stored = 0.5 * element.p[STIFFNESS] * deformation * deformation
    if element.table >= 0:
        stored = table_integral(pool, element.table, deformation)
    return stored + element.p[PRELOAD] * deformation
