"""Two convex bodies with smooth surfaces: boxes, cylinders, plates."""

from flexmbs.core.contact.distance.convex_bodies import convex_gap, support_point
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import components, difference, put, rotate, vector_at
from flexmbs.machine_code.entry import entry

# numbers: centres (axes of a and of b), where the bodies stand in the pool
CENTRE_A, CENTRE_B, BODY_A, BODY_B = 0, 3, 6, 7


@entry(pair_geometry)
def convex_pair(tables, contact, work):
    """One gap, along the direction of the largest separation."""
    at, pool = tables.contacts[contact].numbers_at, tables.pool
    frame_a, frame_b, touch = work.marker[A], work.marker[B], work.touch[0]
    body_a, body_b = int(pool[at + BODY_A]), int(pool[at + BODY_B])
    ax, ay, az = vector_at(pool, at + CENTRE_A)
    ax, ay, az = rotate(frame_a.R_WM, ax, ay, az)
    bx, by, bz = vector_at(pool, at + CENTRE_B)
    bx, by, bz = rotate(frame_b.R_WM, bx, by, bz)
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    gap, nx, ny, nz = convex_gap(pool, body_a, frame_a.R_WM, body_b, frame_b.R_WM, dx + ax - bx, dy + ay - by, dz + az - bz)
    x, y, z = support_point(pool, body_b, frame_b.R_WM, nx, ny, nz)
    px, py, pz = components(frame_b.p_WM)
    touch.gap = gap
    put(touch.n, nx, ny, nz)
    deep = 0.5 * gap
    put(touch.p, px + bx + x + deep * nx, py + by + y + deep * ny, pz + bz + z + deep * nz)
