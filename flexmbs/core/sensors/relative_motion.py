"""Motion of marker b as an observer on marker a sees it, in the axes of a."""

from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.mechanics.markers import markers_in_world, relative_motion
from flexmbs.core.mechanics.rotation import rotation_vector
from flexmbs.core.mechanics.vectors import difference, relative_rotation, rotate_back
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@kernel
def component_of(tables, number, x, y, z):
    """The component that a sensor measures."""
    component = tables.sensors[number].component
    return x if component == 0 else (y if component == 1 else z)


@kernel
def in_axes_of_a(tables, number, frame_a, x, y, z):
    """The measured component of a vector in world axes."""
    x, y, z = rotate_back(frame_a.R_WM, x, y, z)
    return component_of(tables, number, x, y, z)


@entry(sensor_value)
def position(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    x, y, z = difference(frame_b.p_WM, frame_a.p_WM)
    return in_axes_of_a(tables, number, frame_a, x, y, z)


@entry(sensor_value)
def velocity(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    x, y, z, _ax, _ay, _az, _bx, _by, _bz = relative_motion(frame_a, frame_b)
    return in_axes_of_a(tables, number, frame_a, x, y, z)


@entry(sensor_value)
def acceleration(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    _vx, _vy, _vz, x, y, z, _bx, _by, _bz = relative_motion(frame_a, frame_b)
    return in_axes_of_a(tables, number, frame_a, x, y, z)


@entry(sensor_value)
def rotation(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    relative_rotation(frame_a.R_WM, frame_b.R_WM, work.scratch[0].R)
    x, y, z = rotation_vector(work.scratch[0].R)
    return component_of(tables, number, x, y, z)


@entry(sensor_value)
def angular_velocity(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    x, y, z = difference(frame_b.w_WM, frame_a.w_WM)
    return in_axes_of_a(tables, number, frame_a, x, y, z)


@entry(sensor_value)
def angular_acceleration(tables, number, q, v, a, work):
    frame_a, frame_b = markers_in_world(tables, tables.sensors[number], q, v, a, work)
    _vx, _vy, _vz, _ax, _ay, _az, x, y, z = relative_motion(frame_a, frame_b)
    return in_axes_of_a(tables, number, frame_a, x, y, z)


KINDS = (
    SensorKind("position", "m", position, MARKERS, 3),
    SensorKind("velocity", "m/s", velocity, MARKERS, 3),
    SensorKind("acceleration", "m/s2", acceleration, MARKERS, 3, of_accelerations=True),
    SensorKind("rotation", "rad", rotation, MARKERS, 3, must_turn=True),
    SensorKind("angular velocity", "rad/s", angular_velocity, MARKERS, 3, must_turn=True),
    SensorKind("angular acceleration", "rad/s2", angular_acceleration, MARKERS, 3, must_turn=True, of_accelerations=True),
)
