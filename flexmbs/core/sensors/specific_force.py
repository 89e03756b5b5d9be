"""What an accelerometer at marker b shows, in the axes of b."""

from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.mechanics.vectors import components, rotate_back
from flexmbs.core.sensors.relative_motion import component_of
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry


@entry(sensor_value)
def specific_force(tables, number, q, v, a, work):
    _frame_a, frame = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    x, y, z = components(frame.a_WM)
    x, y, z = rotate_back(frame.R_WM, x, y, z)
    return component_of(tables, number, x, y, z)


KINDS = (SensorKind("specific force", "m/s2", specific_force, MARKERS, 3, must_turn=True, of_accelerations=True),)
