"""A convex body with a smooth surface above a plane: end of a cylinder, torus."""

from flexmbs.core.contact.distance.convex_bodies import support_height, support_point
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import add, components, difference, put, rotate, vector_at
from flexmbs.machine_code.entry import entry

CENTRE, NORMAL, BODY = 0, 3, 6  # numbers: centre (axes of a), normal (axes of b), where the body stands in the pool


@entry(pair_geometry)
def convex_body_and_plane(tables, contact, work):
    """One gap, at the lowest point."""
    at, pool = tables.contacts[contact].numbers_at, tables.pool
    frame_a, frame_b, touch = work.marker[A], work.marker[B], work.touch[0]
    body = int(pool[at + BODY])
    nx, ny, nz = vector_at(pool, at + NORMAL)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    cx, cy, cz = vector_at(pool, at + CENTRE)
    cx, cy, cz = rotate(frame_a.R_WM, cx, cy, cz)
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    height = nx * (dx + cx) + ny * (dy + cy) + nz * (dz + cz)
    gap = height - support_height(pool, body, frame_a.R_WM, nx, ny, nz, 0.0) - pool[body]
    sx, sy, sz = support_point(pool, body, frame_a.R_WM, nx, ny, nz)  # symmetric about the centre
    touch.gap = gap
    put(touch.n, nx, ny, nz)
    deep = 0.5 * gap
    put(touch.p, cx - sx - deep * nx, cy - sy - deep * ny, cz - sz - deep * nz)
    x, y, z = components(frame_a.p_WM)
    add(touch.p, x, y, z)
