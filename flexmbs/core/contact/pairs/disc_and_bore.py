"""An end of a cylinder inside of a bore."""

from flexmbs.core.contact.distance.disc_in_bore import disc_in_bore
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import add, components, difference, put, rotate, vector_at
from flexmbs.machine_code.entry import entry

# numbers: centre and axis of the disc (axes of a), its radius, axis of the bore (axes of b), its radius
CENTRE, AXIS, RADIUS, BORE_AXIS, BORE = 0, 3, 6, 7, 10


@entry(pair_geometry)
def disc_and_bore(tables, contact, work):
    """One gap, at the point of the rim that is closest to the wall."""
    at, pool = tables.contacts[contact].numbers_at, tables.pool
    frame_a, frame_b, touch = work.marker[A], work.marker[B], work.touch[0]
    cx, cy, cz = vector_at(pool, at + CENTRE)
    cx, cy, cz = rotate(frame_a.R_WM, cx, cy, cz)
    ax, ay, az = vector_at(pool, at + AXIS)
    ax, ay, az = rotate(frame_a.R_WM, ax, ay, az)
    bx, by, bz = vector_at(pool, at + BORE_AXIS)
    bx, by, bz = rotate(frame_b.R_WM, bx, by, bz)
    dx, dy, dz = difference(frame_a.p_WM, frame_b.p_WM)
    gap, nx, ny, nz, x, y, z = disc_in_bore(dx + cx, dy + cy, dz + cz, ax, ay, az, pool[at + RADIUS], bx, by, bz, pool[at + BORE])
    touch.gap = gap
    put(touch.n, nx, ny, nz)
    deep = 0.5 * gap
    put(touch.p, x - deep * nx, y - deep * ny, z - deep * nz)
    px, py, pz = components(frame_b.p_WM)
    add(touch.p, px, py, pz)
