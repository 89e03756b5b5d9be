"""What sensors measure; frames, reactions and signals in ``work`` are current.

Relative motion is that of marker b as an observer on marker a sees it, in the axes of a.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.arrays import Floats, Integers
from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.energy import energy_sums
from flexmbs.core.laws.force.measure import about_axis, along_line, to_world
from flexmbs.core.layout.force_tables import (
    ACCELERATION,
    COMBINATION,
    ENERGY,
    LENGTH,
    LENGTH_RATE,
    NORMAL_LOAD,
    POSITION,
    RATE,
    REACTION,
    ROTATION_VECTOR,
    SIGNAL_VALUE,
    SPECIFIC_FORCE,
    SPIN,
    SPIN_RATE,
    TWIST,
    VALUE,
    VELOCITY,
)
from flexmbs.core.layout.tables import Tables, Workspace
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import cross, rotation_vector


@entry
def read_sensor(
    tables: Tables, number: int, active: Integers, q: Floats, v: Floats, a: Floats, work: Workspace
) -> float:
    """Value of a sensor in SI units; it also stays in ``work.record``."""
    sensor = tables.sensors[number]
    kind = sensor.kind
    if kind == VALUE:
        found = q[sensor.a]
    elif kind == RATE:
        found = v[sensor.a]
    elif kind == ACCELERATION:
        found = a[sensor.a]
    elif kind == SIGNAL_VALUE:
        found = work.signal[sensor.a, 0]
    elif kind == REACTION:
        found = work.reaction[sensor.a, sensor.component]
    elif kind == COMBINATION:
        found = 0.0
        for i in range(sensor.count):
            found += tables.pool[sensor.a + i] * q[sensor.b + i]
    elif kind == ENERGY:
        energy_sums(tables, active, q, v, a, work, work.energy)
        found = work.energy[sensor.component]
        if sensor.component == 3:
            found = work.energy[0] + work.energy[1] + work.energy[2]
    elif kind == NORMAL_LOAD:
        found = normal_load(tables, sensor, q, v, a, work)
    else:
        found = read_markers(tables, sensor, q, v, a, work)
    found = sensor.factor * found + sensor.offset
    work.record[sensor.at] = found
    return found


@kernel
def normal_load(tables, sensor, q, v, a, work):
    """Load on the bearings of a joint: size of the force plus ``arm`` times the moment across the axis.

    Where ``component`` is 0, of the force only its part across the axis.
    """
    f = work.scratch[0]
    marker_in_world(tables, sensor.b, q, v, a, work, f)
    nx, ny, nz = to_world(f, sensor.x, sensor.y, sensor.z)
    w = work.reaction[sensor.a]
    force = w[0] * w[0] + w[1] * w[1] + w[2] * w[2]
    if sensor.component == 0:
        force -= (nx * w[0] + ny * w[1] + nz * w[2]) ** 2
    moment = w[3] * w[3] + w[4] * w[4] + w[5] * w[5] - (nx * w[3] + ny * w[4] + nz * w[5]) ** 2
    return math.sqrt(max(force, 0.0)) + sensor.arm * math.sqrt(max(moment, 0.0))


@kernel
def read_markers(tables, sensor, q, v, a, work):
    """Sensors that look at the motion of marker b against marker a."""
    fa, fb = work.scratch[0], work.scratch[1]
    marker_in_world(tables, sensor.a, q, v, a, work, fa)
    marker_in_world(tables, sensor.b, q, v, a, work, fb)
    kind = sensor.kind
    if kind == LENGTH or kind == LENGTH_RATE:
        length, rate, _x, _y, _z = along_line(fa, fb)
        return length if kind == LENGTH else rate
    if kind == TWIST:
        angle, rate, _x, _y, _z = about_axis(fa, fb, sensor.x, sensor.y, sensor.z)
        return angle if sensor.component == 0 else rate
    i = sensor.component
    if kind == ROTATION_VECTOR:
        turn = work.scratch[2]
        for j in range(3):
            for k in range(3):
                turn[3 * j + k] = fa[j] * fb[k] + fa[3 + j] * fb[3 + k] + fa[6 + j] * fb[6 + k]
        x, y, z = rotation_vector(turn)
        return x if i == 0 else (y if i == 1 else z)
    if kind == SPECIFIC_FORCE:
        return fb[i] * fb[21] + fb[3 + i] * fb[22] + fb[6 + i] * fb[23]
    x, y, z = relative_motion(kind, fa, fb)
    return fa[i] * x + fa[3 + i] * y + fa[6 + i] * z


@kernel
def relative_motion(kind, fa, fb):
    """Position, velocity, acceleration, angular velocity or acceleration of frame b against a, in world axes."""
    wx, wy, wz = fa[12], fa[13], fa[14]
    if kind == SPIN:
        return fb[12] - wx, fb[13] - wy, fb[14] - wz
    if kind == SPIN_RATE:
        cx, cy, cz = cross(wx, wy, wz, fb[12], fb[13], fb[14])
        return fb[18] - fa[18] - cx, fb[19] - fa[19] - cy, fb[20] - fa[20] - cz
    px, py, pz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    if kind == POSITION:
        return px, py, pz
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    vx, vy, vz = fb[15] - fa[15], fb[16] - fa[16], fb[17] - fa[17]
    if kind == VELOCITY:
        return vx - cx, vy - cy, vz - cz
    bx, by, bz = cross(fa[18], fa[19], fa[20], px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    return fb[21] - fa[21] - bx + sx, fb[22] - fa[22] - by + sy, fb[23] - fa[23] - bz + sz


@entry
def read_all_sensors(tables: Tables, active: Integers, q: Floats, v: Floats, a: Floats, work: Workspace) -> None:
    """Fill the part of ``work.record`` that belongs to the sensors."""
    for number in range(len(tables.sensors)):
        read_sensor(tables, number, active, q, v, a, work)
