"""A capsule against a shape with a distance function: the point of its core that is closest, crowned along it."""

from flexmbs.core.contact.distance.segment_core import closest_on_segment
from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.contact.pairs.sphere_and_shape import seen_from
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import components, put, rotate, rotate_back, vector_at
from flexmbs.machine_code.entry import entry

# numbers: half of the core (axes of a), radius, crown, where the shape stands in the pool
HALF, RADIUS, CROWN, SHAPE = 0, 3, 4, 5


@entry(pair_geometry)
def capsule_and_shape(tables, contact, work):
    """One gap, at the point of the crowned core that is closest."""
    at, pool = tables.contacts[contact].numbers_at, tables.pool
    frame_a, frame_b, touch = work.marker[A], work.marker[B], work.touch[0]
    shape, radius, crown = int(pool[at + SHAPE]), pool[at + RADIUS], pool[at + CROWN]
    hx, hy, hz = vector_at(pool, at + HALF)
    hx, hy, hz = rotate(frame_a.R_WM, hx, hy, hz)
    tx, ty, tz = rotate_back(frame_b.R_WM, hx, hy, hz)
    cx, cy, cz = components(frame_a.p_WM)
    x, y, z = seen_from(frame_b, cx, cy, cz)
    s = closest_on_segment(pool, shape, x, y, z, tx, ty, tz, crown)
    distance, nx, ny, nz = shape_distance(pool, shape, x + s * tx, y + s * ty, z + s * tz)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    touch.gap = distance + crown * s * s - radius
    deep = 0.5 * (radius + distance)
    put(touch.n, nx, ny, nz)
    put(touch.p, cx + s * hx - deep * nx, cy + s * hy - deep * ny, cz + s * hz - deep * nz)
