"""Rotation of marker b against marker a about an axis of a, and its rate (core.laws.force.measure)."""

from flexmbs.core.laws.force.measure import about_axis
from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry


@entry(sensor_value)
def angle(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    found, _rate, _x, _y, _z = about_axis(frame_a, frame_b, tables.sensors[number].axis)
    return found


@entry(sensor_value)
def angle_rate(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    _found, rate, _x, _y, _z = about_axis(frame_a, frame_b, tables.sensors[number].axis)
    return rate


KINDS = (
    SensorKind("angle", "rad", angle, MARKERS, must_turn=True, counts_turns=True),
    SensorKind("angle rate", "rad/s", angle_rate, MARKERS, must_turn=True),
)
