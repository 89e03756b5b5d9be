"""Signed distance (m, negative inside) and its gradient for boxes and finite planes: (distance, nx, ny, nz)."""

import math

from flexmbs.core.contact.distance.round_shapes import along_and_across
from flexmbs.core.mechanics.vectors import cross, vector_at
from flexmbs.machine_code.kernel import kernel


@kernel
def beyond(x, half):
    """How far x is outside of [-half, half], with its sign; 0 inside."""
    if x > half:
        return x - half
    return min(x + half, 0.0)


@kernel
def box_distance(pool, at, x, y, z):
    """Box about the origin, along the axes."""
    hx, hy, hz = vector_at(pool, at)
    dx, dy, dz = beyond(x, hx), beyond(y, hy), beyond(z, hz)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0.0:
        return distance, dx / distance, dy / distance, dz / distance
    return leave_box(x, y, z, hx, hy, hz)


@kernel
def leave_box(x, y, z, hx, hy, hz):
    """Distance (negative) of a point inside a box from its nearest face, and that face's normal."""
    dx, dy, dz = abs(x) - hx, abs(y) - hy, abs(z) - hz
    if dx >= dy and dx >= dz:
        return dx, math.copysign(1.0, x), 0.0, 0.0
    if dy >= dz:
        return dy, 0.0, math.copysign(1.0, y), 0.0
    return dz, 0.0, 0.0, math.copysign(1.0, z)


@kernel
def rectangle_distance(pool, at, x, y, z):
    """One-sided rectangle: height above it; beside it the distance to its edge."""
    nx, ny, nz = vector_at(pool, at)
    ux, uy, uz = vector_at(pool, at + 3)
    wx, wy, wz = cross(nx, ny, nz, ux, uy, uz)
    height = nx * x + ny * y + nz * z
    du = beyond(ux * x + uy * y + uz * z, pool[at + 6])
    dw = beyond(wx * x + wy * y + wz * z, pool[at + 7])
    if du == 0.0 and dw == 0.0:
        return height, nx, ny, nz
    distance = math.sqrt(height * height + du * du + dw * dw)
    h, du, dw = height / distance, du / distance, dw / distance
    return distance, h * nx + du * ux + dw * wx, h * ny + du * uy + dw * wy, h * nz + du * uz + dw * wz


@kernel
def disc_distance(pool, at, x, y, z):
    """One-sided disc: height above it; beside it the distance to its rim."""
    nx, ny, nz = vector_at(pool, at)
    height, across, ex, ey, ez = along_and_across(nx, ny, nz, x, y, z)
    outside = across - pool[at + 3]
    if outside <= 0.0:
        return height, nx, ny, nz
    distance = math.sqrt(height * height + outside * outside)
    c, s = height / distance, outside / distance
    return distance, c * nx + s * ex, c * ny + s * ey, c * nz + s * ez
