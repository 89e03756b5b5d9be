"""The laws of elements by number: force along the coordinate (positive drives it up), and stored energy."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.friction import friction_force
from flexmbs.core.laws.force.motor import motor_force
from flexmbs.core.laws.force.spring import deformation_energy, spring_force
from flexmbs.core.laws.force.stop import stop_energy, stop_force
from flexmbs.core.layout.force_tables import FRICTION_LAW, MOTOR_LAW, SPRING_LAW, STOP_LAW
from flexmbs.core.layout.tables import VALUE

FACTOR = 0  # number of an applied force in an element's record: force per value of the signal


@kernel
def law_force(tables, element, x, rate, work):
    """Force (N or N m) of an element at coordinate ``x`` (m or rad) and its rate."""
    if element.law == SPRING_LAW:
        return spring_force(tables.pool, element, x, rate)
    if element.law == FRICTION_LAW:
        return friction_force(element, work.signal[element.signal, VALUE], rate)
    if element.law == STOP_LAW:
        return stop_force(element, x, rate)
    if element.law == MOTOR_LAW:
        return motor_force(tables.pool, element, work.signal[element.signal, VALUE], rate)
    return element.p[FACTOR] * work.signal[element.signal, VALUE]


@kernel
def law_energy(tables, element, x):
    """Energy (J) that an element stores at coordinate ``x``."""
    if element.law == SPRING_LAW:
        return deformation_energy(tables.pool, element, x)
    if element.law == STOP_LAW:
        return stop_energy(element, x)
    return 0.0
