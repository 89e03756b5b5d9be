"""Motion of marker b as an observer on marker a sees it, in the axes of a."""

from __future__ import annotations

from flexmbs.core.layout.force_tables import MARKERS
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.rotation import rotation_vector
from flexmbs.core.mechanics.vectors import components, cross, difference, relative_rotation, rotate_back
from flexmbs.core.sensors.marker_frames import component_of, place_frames
from flexmbs.core.sensors.sensor_kind import SensorKind, sensor_value
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@kernel
def in_axes_of_a(tables, number, work, x, y, z):
    """The measured component of a vector in world axes."""
    x, y, z = rotate_back(work.marker[A].R_WM, x, y, z)
    return component_of(tables, number, x, y, z)


@entry(sensor_value)
def position(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    x, y, z = difference(work.marker[B].p_WM, work.marker[A].p_WM)
    return in_axes_of_a(tables, number, work, x, y, z)


@entry(sensor_value)
def velocity(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    frame_a, frame_b = work.marker[A], work.marker[B]
    wx, wy, wz = components(frame_a.w_WM)
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    return in_axes_of_a(tables, number, work, vx - cx, vy - cy, vz - cz)


@entry(sensor_value)
def acceleration(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    frame_a, frame_b = work.marker[A], work.marker[B]
    wx, wy, wz = components(frame_a.w_WM)
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    x, y, z = components(frame_a.alpha_WM)
    bx, by, bz = cross(x, y, z, px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
    return in_axes_of_a(tables, number, work, ax - bx + sx, ay - by + sy, az - bz + sz)


@entry(sensor_value)
def rotation(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    R_AB = work.scratch[0].R
    relative_rotation(work.marker[A].R_WM, work.marker[B].R_WM, R_AB)
    x, y, z = rotation_vector(R_AB)
    return component_of(tables, number, x, y, z)


@entry(sensor_value)
def angular_velocity(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    x, y, z = difference(work.marker[B].w_WM, work.marker[A].w_WM)
    return in_axes_of_a(tables, number, work, x, y, z)


@entry(sensor_value)
def angular_acceleration(tables, number, q, v, a, work):
    place_frames(tables, number, q, v, a, work)
    frame_a, frame_b = work.marker[A], work.marker[B]
    wx, wy, wz = components(frame_a.w_WM)
    x, y, z = components(frame_b.w_WM)
    cx, cy, cz = cross(wx, wy, wz, x, y, z)
    x, y, z = difference(frame_b.alpha_WM, frame_a.alpha_WM)
    return in_axes_of_a(tables, number, work, x - cx, y - cy, z - cz)


KINDS = (
    SensorKind("position", "m", position, MARKERS, 3),
    SensorKind("velocity", "m/s", velocity, MARKERS, 3),
    SensorKind("acceleration", "m/s2", acceleration, MARKERS, 3, of_accelerations=True),
    SensorKind("rotation", "rad", rotation, MARKERS, 3, must_turn=True),
    SensorKind("angular velocity", "rad/s", angular_velocity, MARKERS, 3, must_turn=True),
    SensorKind("angular acceleration", "rad/s2", angular_acceleration, MARKERS, 3, must_turn=True, of_accelerations=True),
)
