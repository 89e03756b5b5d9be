"""Angle between an axis of marker a and the same axis of marker b, from 0 to pi: an inclinometer."""

import math

from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.mechanics.vectors import components, cross, rotate
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry


@entry(sensor_value)
def inclination(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    nx, ny, nz = components(tables.sensors[number].axis)
    ax, ay, az = rotate(frame_a.R_WM, nx, ny, nz)
    bx, by, bz = rotate(frame_b.R_WM, nx, ny, nz)
    cx, cy, cz = cross(ax, ay, az, bx, by, bz)
    # accurate at all angles, unlike the arc cosine near 0
    return math.atan2(math.sqrt(cx * cx + cy * cy + cz * cz), ax * bx + ay * by + az * bz)


KINDS = (SensorKind("inclination", "rad", inclination, MARKERS, must_turn=True),)
