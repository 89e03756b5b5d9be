"""Signed distance (m, negative inside) and its gradient for shapes with an axis.

All kernels return (distance, nx, ny, nz). Where the gradient is not unique (on an axis, in a centre) one of its values
is returned, always the same.
"""

import math

from flexmbs.core.mechanics.vectors import vector_at
from flexmbs.machine_code.kernel import kernel


@kernel
def perpendicular(ax, ay, az):
    """A unit vector perpendicular to the unit vector a."""
    if abs(ax) <= abs(ay) and abs(ax) <= abs(az):
        x, y, z = 0.0, az, -ay
    elif abs(ay) <= abs(az):
        x, y, z = -az, 0.0, ax
    else:
        x, y, z = ay, -ax, 0.0
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@kernel
def along_and_across(ax, ay, az, x, y, z):
    """Height along the unit vector a, distance from the axis, and the unit vector away from it."""
    height = ax * x + ay * y + az * z
    x, y, z = x - height * ax, y - height * ay, z - height * az
    across = math.sqrt(x * x + y * y + z * z)
    if across <= 1e-14 * abs(height) or across == 0.0:
        ex, ey, ez = perpendicular(ax, ay, az)
        return height, 0.0, ex, ey, ez
    return height, across, x / across, y / across, z / across


@kernel
def half_space_distance(pool, at, x, y, z):
    """Half space below the plane through the origin."""
    nx, ny, nz = vector_at(pool, at)
    return nx * x + ny * y + nz * z, nx, ny, nz


@kernel
def ball_distance(pool, at, x, y, z):
    """Ball about the origin."""
    distance = math.sqrt(x * x + y * y + z * z)
    if distance == 0.0:
        return -pool[at], 0.0, 0.0, 1.0
    return distance - pool[at], x / distance, y / distance, z / distance


@kernel
def cavity_distance(pool, at, x, y, z):
    """Everything outside a sphere about the origin."""
    distance, nx, ny, nz = ball_distance(pool, at, x, y, z)
    return -distance, -nx, -ny, -nz


@kernel
def capsule_distance(pool, at, x, y, z):
    """Cylinder with two half balls on its ends."""
    ax, ay, az = vector_at(pool, at)
    half = pool[at + 3]
    height, across, ex, ey, ez = along_and_across(ax, ay, az, x, y, z)
    beyond = height - max(-half, min(half, height))
    distance = math.sqrt(beyond * beyond + across * across)
    if distance == 0.0:
        return -pool[at + 4], ex, ey, ez
    c, s = beyond / distance, across / distance
    return distance - pool[at + 4], c * ax + s * ex, c * ay + s * ey, c * az + s * ez


@kernel
def profile_distance(outside, beyond):
    """Distance to a quadrant outside <= 0, beyond <= 0, and its derivatives by both."""
    if outside > 0.0 and beyond > 0.0:
        distance = math.sqrt(outside * outside + beyond * beyond)
        return distance, outside / distance, beyond / distance
    if outside >= beyond:
        return outside, 1.0, 0.0
    return beyond, 0.0, 1.0


@kernel
def cylinder_distance(pool, at, x, y, z, side):
    """Cylinder with flat ends (``side`` 1), or a bore through a plate (-1)."""
    ax, ay, az = vector_at(pool, at)
    height, across, ex, ey, ez = along_and_across(ax, ay, az, x, y, z)
    distance, s, c = profile_distance(side * (across - pool[at + 4]), abs(height) - pool[at + 3])
    s *= side
    if height < 0.0:
        c = -c
    return distance, c * ax + s * ex, c * ay + s * ey, c * az + s * ez


@kernel
def torus_distance(pool, at, x, y, z):
    """Ring of a round tube."""
    ax, ay, az = vector_at(pool, at)
    height, across, ex, ey, ez = along_and_across(ax, ay, az, x, y, z)
    outside = across - pool[at + 3]
    distance = math.sqrt(outside * outside + height * height)
    if distance == 0.0:
        return -pool[at + 4], ax, ay, az
    c, s = height / distance, outside / distance
    return distance - pool[at + 4], c * ax + s * ex, c * ay + s * ey, c * az + s * ez
