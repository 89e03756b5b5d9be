"""Signed distance of a point from a shape of any kind."""

from __future__ import annotations

from flexmbs.core.contact.distance import kinds
from flexmbs.core.contact.distance.flat_shapes import box_distance, disc_distance, rectangle_distance
from flexmbs.core.contact.distance.round_shapes import (
    ball_distance,
    capsule_distance,
    cavity_distance,
    cylinder_distance,
    half_space_distance,
    torus_distance,
)
from flexmbs.core.contact.distance.triangulated_surface import surface_distance
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.signature import Floats


@entry
def shape_distance(pool: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Distance (m, negative inside) of a point from the shape at ``at`` (kind, numbers), and its gradient."""
    kind = int(pool[at])
    if kind == kinds.HALF_SPACE:
        return half_space_distance(pool, at + 1, x, y, z)
    if kind == kinds.BALL:
        return ball_distance(pool, at + 1, x, y, z)
    if kind == kinds.CAVITY:
        return cavity_distance(pool, at + 1, x, y, z)
    if kind == kinds.CAPSULE:
        return capsule_distance(pool, at + 1, x, y, z)
    if kind == kinds.CYLINDER:
        return cylinder_distance(pool, at + 1, x, y, z, 1.0)
    if kind == kinds.BORE:
        return cylinder_distance(pool, at + 1, x, y, z, -1.0)
    if kind == kinds.TORUS:
        return torus_distance(pool, at + 1, x, y, z)
    if kind == kinds.BOX:
        return box_distance(pool, at + 1, x, y, z)
    if kind == kinds.RECTANGLE:
        return rectangle_distance(pool, at + 1, x, y, z)
    if kind == kinds.DISC:
        return disc_distance(pool, at + 1, x, y, z)
    return surface_distance(pool, at + 1, x, y, z)
