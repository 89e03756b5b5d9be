"""Motion and forces of points of surfaces: the point of a face that was found closest, and points given by number."""

from flexmbs.core.contact.surfaces.closest_point import FOUND
from flexmbs.core.contact.surfaces.deformed_surface import add_node_force, header, node_velocity
from flexmbs.core.contact.surfaces.layout import FACE, ITEMS_AT, NEAREST, WEIGHTS
from flexmbs.core.mechanics.vectors import components, cross, rotate, rotate_back
from flexmbs.machine_code.kernel import kernel


@kernel
def carried_velocity(frame, x, y, z):
    """Velocity of a point (world axes) that is fixed in a frame."""
    px, py, pz = components(frame.p_WM)
    vx, vy, vz = components(frame.v_WM)
    wx, wy, wz = components(frame.w_WM)
    rx, ry, rz = cross(wx, wy, wz, x - px, y - py, z - pz)
    return vx + rx, vy + ry, vz + rz


@kernel
def face_velocity(pool, s, frame, cache):
    """Velocity of the closest point relative to its body, world axes; its shape functions are in the cache."""
    at = s + header(pool, s, ITEMS_AT) + FACE * int(cache[NEAREST + FOUND])
    x = y = z = 0.0
    for i in range(int(pool[at])):
        vx, vy, vz = node_velocity(pool, s, int(pool[at + 1 + i]), cache)
        weight = cache[WEIGHTS + i]
        x, y, z = x + weight * vx, y + weight * vy, z + weight * vz
    return rotate(frame.R_WM, x, y, z)


@kernel
def add_face_force(pool, s, frame, fx, fy, fz, cache):
    """Add the generalised forces of a force (N, world axes) at the closest point."""
    at = s + header(pool, s, ITEMS_AT) + FACE * int(cache[NEAREST + FOUND])
    x, y, z = rotate_back(frame.R_WM, fx, fy, fz)
    for i in range(int(pool[at])):
        weight = cache[WEIGHTS + i]
        add_node_force(pool, s, int(pool[at + 1 + i]), weight * x, weight * y, weight * z, cache)


@kernel
def to_frame(frame, x, y, z):
    """A point (world axes) in the axes of a frame, from its origin."""
    px, py, pz = components(frame.p_WM)
    return rotate_back(frame.R_WM, x - px, y - py, z - pz)


@kernel
def to_world(frame, x, y, z):
    """A point (axes of a frame, from its origin) in the world."""
    px, py, pz = components(frame.p_WM)
    x, y, z = rotate(frame.R_WM, x, y, z)
    return px + x, py + y, pz + z
