"""Frames of the two markers of a sensor, and one of three components."""

from __future__ import annotations

from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.machine_code.kernel import kernel


@kernel
def place_frames(tables, number, q, v, a, work):
    """Frames of the markers of a sensor into ``work.marker`` (A, B)."""
    sensor = tables.sensors[number]
    marker_in_world(tables, sensor.a, q, v, a, work, work.marker[A])
    marker_in_world(tables, sensor.b, q, v, a, work, work.marker[B])


@kernel
def component_of(tables, number, x, y, z):
    """The component that a sensor measures."""
    component = tables.sensors[number].component
    return x if component == 0 else (y if component == 1 else z)
