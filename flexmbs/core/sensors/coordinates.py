"""Coordinate of a joint, its rate and acceleration."""

from flexmbs.core.layout.force_tables import COORDINATE
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry


@entry(sensor_value)
def coordinate(tables, number, q, v, a, work):
    return q[tables.sensors[number].a]


@entry(sensor_value)
def coordinate_rate(tables, number, q, v, a, work):
    return v[tables.sensors[number].a]


@entry(sensor_value)
def coordinate_acceleration(tables, number, q, v, a, work):
    return a[tables.sensors[number].a]


VALUE = SensorKind("coordinate", "", coordinate, COORDINATE)
RATE = SensorKind("rate", "/s", coordinate_rate, COORDINATE)
ACCELERATION = SensorKind("acceleration", "/s2", coordinate_acceleration, COORDINATE, of_accelerations=True)
KINDS = (VALUE, RATE, ACCELERATION)
