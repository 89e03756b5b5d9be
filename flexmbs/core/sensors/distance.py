"""Distance of two markers and its rate; strain is the distance, scaled (``factor`` and ``offset`` of the sensor)."""

from flexmbs.core.laws.force.measure import along_line
from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry


@entry(sensor_value)
def distance(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    length, _rate, _x, _y, _z = along_line(frame_a, frame_b)
    return length


@entry(sensor_value)
def distance_rate(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    _length, rate, _x, _y, _z = along_line(frame_a, frame_b)
    return rate


KINDS = (
    SensorKind("distance", "m", distance, MARKERS),
    SensorKind("distance rate", "m/s", distance_rate, MARKERS),
    SensorKind("strain", "", distance, MARKERS),
)
