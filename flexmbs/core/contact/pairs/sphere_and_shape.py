"""A sphere or point of body a against a shape with a distance function: end of a capsule, corner of a box."""

from flexmbs.core.contact.distance.shape_distance import shape_distance
from flexmbs.core.contact.pair_geometry import pair_geometry
from flexmbs.core.layout.frames import A, B
from flexmbs.core.mechanics.vectors import add, components, put, rotate, rotate_back, vector_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

CENTRE, RADIUS, SHAPE = 0, 3, 4  # numbers: centre (axes of a), radius, where the shape stands in the pool


@kernel
def seen_from(frame, x, y, z):
    """A point of the world in the axes of a marker, from its origin."""
    px, py, pz = components(frame.p_WM)
    return rotate_back(frame.R_WM, x - px, y - py, z - pz)


@kernel
def touch_of_sphere(pool, shape, frame_b, x, y, z, radius, touch):
    """Gap, normal and contact point of a sphere about a point of the world."""
    bx, by, bz = seen_from(frame_b, x, y, z)
    distance, nx, ny, nz = shape_distance(pool, shape, bx, by, bz)
    nx, ny, nz = rotate(frame_b.R_WM, nx, ny, nz)
    deep = 0.5 * (radius + distance)
    touch.gap = distance - radius
    put(touch.n, nx, ny, nz)
    put(touch.p, x - deep * nx, y - deep * ny, z - deep * nz)


@entry(pair_geometry)
def sphere_and_shape(tables, contact, work):
    """One gap, along the gradient of the distance at the centre."""
    at, pool = tables.contacts[contact].numbers_at, tables.pool
    frame_a, touch = work.marker[A], work.touch[0]
    x, y, z = vector_at(pool, at + CENTRE)
    x, y, z = rotate(frame_a.R_WM, x, y, z)
    put(touch.p, x, y, z)
    x, y, z = components(frame_a.p_WM)
    add(touch.p, x, y, z)
    x, y, z = components(touch.p)
    touch_of_sphere(pool, int(pool[at + SHAPE]), work.marker[B], x, y, z, pool[at + RADIUS], touch)
