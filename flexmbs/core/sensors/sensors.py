"""What sensors measure; frames, reactions and signals in ``work`` are current.

Relative motion is that of marker b as an observer on marker a sees it, in the axes of a.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.arrays import Floats, Integers
from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.energy import energy_sums
from flexmbs.core.laws.force.measure import about_axis, along_line
from flexmbs.core.layout.force_tables import (
    ANGLE,
    ANGLE_RATE,
    ANGULAR_ACCELERATION,
    ANGULAR_VELOCITY,
    COORDINATE_ACCELERATION,
    COORDINATE_RATE,
    COORDINATE_VALUE,
    DISTANCE,
    DISTANCE_RATE,
    ENERGY,
    MODAL_SUM,
    NORMAL_LOAD,
    POSITION,
    REACTION,
    ROTATION_VECTOR,
    SIGNAL_VALUE,
    SPECIFIC_FORCE,
    VELOCITY,
)
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import ELASTIC, GRAVITY, KINETIC, TOTAL, VALUE, Tables, Workspace
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import rotation_vector
from flexmbs.core.mechanics.vectors import (
    components,
    cross,
    difference,
    relative_rotation,
    rotate,
    rotate_back,
)


@entry
def read_sensor(
    tables: Tables, number: int, active: Integers, q: Floats, v: Floats, a: Floats, work: Workspace
) -> float:
    """Value of a sensor in SI units; it also stays in ``work.record``."""
    sensor = tables.sensors[number]
    kind = sensor.kind
    if kind == COORDINATE_VALUE:
        found = q[sensor.a]
    elif kind == COORDINATE_RATE:
        found = v[sensor.a]
    elif kind == COORDINATE_ACCELERATION:
        found = a[sensor.a]
    elif kind == SIGNAL_VALUE:
        found = work.signal[sensor.a, VALUE]
    elif kind == REACTION:
        i, reaction = sensor.component, work.reaction[sensor.a]
        found = reaction.force[i] if i < 3 else reaction.moment[i - 3]
    elif kind == MODAL_SUM:
        found = 0.0
        for i in range(sensor.count):
            found += tables.pool[sensor.a + i] * q[sensor.b + i]
    elif kind == ENERGY:
        energy_sums(tables, active, q, v, a, work, work.energy)
        if sensor.component == TOTAL:
            found = work.energy[KINETIC] + work.energy[GRAVITY] + work.energy[ELASTIC]
        else:
            found = work.energy[sensor.component]
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


@kernel
def read_markers(tables, sensor, q, v, a, work):
    """Sensors that look at the motion of marker b against marker a."""
    frame_a, frame_b = work.marker[A], work.marker[B]
    marker_in_world(tables, sensor.a, q, v, a, work, frame_a)
    marker_in_world(tables, sensor.b, q, v, a, work, frame_b)
    kind = sensor.kind
    if kind == DISTANCE or kind == DISTANCE_RATE:
        length, rate, _x, _y, _z = along_line(frame_a, frame_b)
        return length if kind == DISTANCE else rate
    if kind == ANGLE or kind == ANGLE_RATE:
        angle, rate, _x, _y, _z = about_axis(frame_a, frame_b, sensor.axis)
        return angle if kind == ANGLE else rate
    if kind == ROTATION_VECTOR:
        R_AB = work.scratch[0].R
        relative_rotation(frame_a.R_WM, frame_b.R_WM, R_AB)
        x, y, z = rotation_vector(R_AB)
    elif kind == SPECIFIC_FORCE:
        x, y, z = components(frame_b.a_WM)
        x, y, z = rotate_back(frame_b.R_WM, x, y, z)
    else:
        x, y, z = relative_motion(kind, frame_a, frame_b)
        x, y, z = rotate_back(frame_a.R_WM, x, y, z)
    return x if sensor.component == 0 else (y if sensor.component == 1 else z)


@kernel
def relative_motion(kind, frame_a, frame_b):
    """Position, velocity, acceleration, angular velocity or acceleration of frame b against a, in world axes."""
    wx, wy, wz = components(frame_a.w_WM)
    if kind == ANGULAR_VELOCITY:
        return difference(frame_b.w_WM, frame_a.w_WM)
    if kind == ANGULAR_ACCELERATION:
        x, y, z = components(frame_b.w_WM)
        cx, cy, cz = cross(wx, wy, wz, x, y, z)
        x, y, z = difference(frame_b.alpha_WM, frame_a.alpha_WM)
        return x - cx, y - cy, z - cz
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    if kind == POSITION:
        return px, py, pz
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    if kind == VELOCITY:
        return vx - cx, vy - cy, vz - cz
    x, y, z = components(frame_a.alpha_WM)
    bx, by, bz = cross(x, y, z, px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
    return ax - bx + sx, ay - by + sy, az - bz + sz


@entry
def read_all_sensors(tables: Tables, active: Integers, q: Floats, v: Floats, a: Floats, work: Workspace) -> None:
    """Fill the part of ``work.record`` that belongs to the sensors."""
    for number in range(len(tables.sensors)):
        read_sensor(tables, number, active, q, v, a, work)
