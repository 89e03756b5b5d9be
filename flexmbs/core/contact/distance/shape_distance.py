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
from flexmbs.core.mechanics.vectors import dot_at, vector_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats


@entry
def shape_distance(pool: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Distance (m, negative inside) of a point from the shape at ``at`` (kind, numbers), and its gradient."""
    if int(pool[at]) == kinds.PLACED:
        return placed_distance(pool, at + 1, x, y, z)
    return plain_distance(pool, at, x, y, z)


@kernel
def placed_distance(pool, at, x, y, z):
    """A shape whose centre and axes are not those of its marker."""
    cx, cy, cz = vector_at(pool, at)
    x, y, z = x - cx, y - cy, z - cz
    u, v, w = dot_at(pool, at + 3, x, y, z), dot_at(pool, at + 6, x, y, z), dot_at(pool, at + 9, x, y, z)
    distance, nu, nv, nw = plain_distance(pool, at + 12, u, v, w)
    nx = nu * pool[at + 3] + nv * pool[at + 6] + nw * pool[at + 9]
    ny = nu * pool[at + 4] + nv * pool[at + 7] + nw * pool[at + 10]
    nz = nu * pool[at + 5] + nv * pool[at + 8] + nw * pool[at + 11]
    return distance, nx, ny, nz


@entry
def plain_distance(pool: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """:func:`shape_distance` of a shape that has the axes of its marker."""
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
