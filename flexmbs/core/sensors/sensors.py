"""What sensors measure; frames, reactions and signals in ``work`` are current.

Sensors of coordinates and of markers are called by address (core.sensors.kinds); the others refer to more than these.
"""

from __future__ import annotations

import math

from flexmbs.core.energy import energy_sums
from flexmbs.core.laws.force.measure import counted
from flexmbs.core.layout.force_tables import ENERGY, MODAL_SUM, NORMAL_LOAD, REACTION, SIGNAL_VALUE
from flexmbs.core.layout.frames import A
from flexmbs.core.layout.tables import ELASTIC, GRAVITY, KINETIC, TOTAL, VALUE, Tables, Workspace
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, rotate
from flexmbs.core.sensors.sensor_kind import sensor_value
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Integers


@entry
def read_sensor(
    tables: Tables, number: int, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace
) -> float:
    """Value of a sensor in SI units; it also stays in ``work.record``."""
    sensor = tables.sensors[number]
    kind = sensor.kind
    if kind == SIGNAL_VALUE:
        found = work.signal[sensor.a, VALUE]
    elif kind == REACTION:
        i, reaction = sensor.component, work.reaction[sensor.a]
        found = reaction.force[i] if i < 3 else reaction.moment[i - 3]
    elif kind == MODAL_SUM:
        found = 0.0
        for i in range(sensor.count):
            found += tables.pool[sensor.a + i] * q[sensor.b + i]
    elif kind == ENERGY:
        energy_sums(tables, active, contact_history, q, v, a, work, work.energy)
        if sensor.component == TOTAL:
            found = work.energy[KINETIC] + work.energy[GRAVITY] + work.energy[ELASTIC]
        else:
            found = work.energy[sensor.component]
    elif kind == NORMAL_LOAD:
        found = normal_load(tables, sensor, q, v, a, work)
    else:
        found = sensor_value(sensor.value, tables, number, q, v, a, work)
        if sensor.turn >= 0:
            found = counted(tables, sensor.turn, found, q, contact_history)
    found = sensor.factor * found + sensor.offset
    work.record[sensor.at] = found
    return found


@kernel
def normal_load(tables, sensor, q, v, a, work):
    """Load on the bearings of a joint: size of the force plus ``arm`` times the moment across the axis.

    Where ``component`` is 0, of the force only its part across the axis.
    """
    frame, reaction = work.marker[A], work.reaction[sensor.a]
    marker_in_world(tables, sensor.b, q, v, a, work, frame)
    nx, ny, nz = components(sensor.axis)
    nx, ny, nz = rotate(frame.R_WM, nx, ny, nz)
    fx, fy, fz = components(reaction.force)
    mx, my, mz = components(reaction.moment)
    force = fx * fx + fy * fy + fz * fz
    if sensor.component == 0:
        force -= (nx * fx + ny * fy + nz * fz) ** 2
    moment = mx * mx + my * my + mz * mz - (nx * mx + ny * my + nz * mz) ** 2
    return math.sqrt(max(force, 0.0)) + sensor.arm * math.sqrt(max(moment, 0.0))


@entry
def read_all_sensors(
    tables: Tables, active: Integers, contact_history: Floats, q: Floats, v: Floats, a: Floats, work: Workspace
) -> None:
    """Fill the part of ``work.record`` that belongs to the sensors."""
    for number in range(len(tables.sensors)):
        read_sensor(tables, number, active, contact_history, q, v, a, work)
