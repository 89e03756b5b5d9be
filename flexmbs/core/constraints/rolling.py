"""A thin disc, or a ball, that rolls on a plane without slipping.

Seen from the plane marker A (normal n; d = p_B - p_A, v and a its derivatives in A, w the relative angular velocity and
w' its derivative in A), the point of the rim that touches is r u away from the centre of the disc,
    u = -(n - c e) / s,  c = n . e,  s = sqrt(1 - c^2)      (axle e; of a ball u = -n).
The velocity of the material point there vanishes, h = v + r w x u = 0.  Along n it is the derivative of the distance
of the rim from the plane, g = n . d - r s: a holonomic constraint; along the two tangents it is not integrable.
    h' = a + r (w' x u + w x u'),  u' = (c' e + c e') / s - u s' / s,  c' = n . e',  s' = -c c' / s,  e' = w x e.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.layout.tables import DISC
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import cross


@kernel
def add_rolling(tables, c, q, v, a, work, residual):
    """Three rows and their forces; ``start``: the tangents and the normal in A and the axle in B, in the pool."""
    constraint = tables.constraints[c]
    row, r = constraint.row, constraint.length
    fa, fb, axes = work.scratch[0], work.scratch[1], work.scratch[2]
    marker_in_world(tables, constraint.a, q, v, a, work, fa)
    marker_in_world(tables, constraint.b, q, v, a, work, fb)
    for i in range(4):
        f = fa if i < 3 else fb
        at = constraint.start + 3 * i
        x, y, z = tables.pool[at], tables.pool[at + 1], tables.pool[at + 2]
        for k in range(3):
            axes[3 * i + k] = f[3 * k] * x + f[3 * k + 1] * y + f[3 * k + 2] * z
    dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    s, ux, uy, uz, tx, ty, tz = to_rim(constraint.component, fa, fb, axes)
    wx, wy, wz = fb[12] - fa[12], fb[13] - fa[13], fb[14] - fa[14]
    # motion relative to A: velocity, acceleration, angular acceleration
    cx, cy, cz = cross(fa[12], fa[13], fa[14], dx, dy, dz)
    vx, vy, vz = fb[15] - fa[15] - cx, fb[16] - fa[16] - cy, fb[17] - fa[17] - cz
    bx, by, bz = cross(fa[18], fa[19], fa[20], dx, dy, dz)
    kx, ky, kz = cross(fa[12], fa[13], fa[14], 2.0 * vx + cx, 2.0 * vy + cy, 2.0 * vz + cz)
    ax, ay, az = fb[21] - fa[21] - bx - kx, fb[22] - fa[22] - by - ky, fb[23] - fa[23] - bz - kz
    px, py, pz = cross(fa[12], fa[13], fa[14], fb[12], fb[13], fb[14])
    px, py, pz = fb[18] - fa[18] - px, fb[19] - fa[19] - py, fb[20] - fa[20] - pz
    # the material point of the rim
    mx, my, mz = cross(wx, wy, wz, ux, uy, uz)
    gx, gy, gz = cross(px, py, pz, ux, uy, uz)
    hx, hy, hz = cross(wx, wy, wz, tx, ty, tz)
    for i in range(3):
        x, y, z = axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]
        k = row if i == 2 else row + 1 + i
        work.constraint[k, 0] = 0.0
        work.constraint[k, 1] = x * (vx + r * mx) + y * (vy + r * my) + z * (vz + r * mz)
        residual[k] = x * (ax + r * (gx + hx)) + y * (ay + r * (gy + hy)) + z * (az + r * (gz + hz))
    work.constraint[row, 0] = axes[6] * dx + axes[7] * dy + axes[8] * dz - r * s
    fx = axes[6] * a[row] + axes[0] * a[row + 1] + axes[3] * a[row + 2]
    fy = axes[7] * a[row] + axes[1] * a[row + 1] + axes[4] * a[row + 2]
    fz = axes[8] * a[row] + axes[2] * a[row + 1] + axes[5] * a[row + 2]
    mx, my, mz = cross(r * ux, r * uy, r * uz, fx, fy, fz)
    nx, ny, nz = cross(dx, dy, dz, fx, fy, fz)
    reaction = work.reaction[len(tables.bodies) + c]
    reaction[0], reaction[1], reaction[2] = fx, fy, fz
    reaction[3], reaction[4], reaction[5] = mx, my, mz
    add_force(tables, constraint.b, q, fb, fx, fy, fz, mx, my, mz, work, residual)
    add_force(tables, constraint.a, q, fa, -fx, -fy, -fz, -mx - nx, -my - ny, -mz - nz, work, residual)


@kernel
def to_rim(kind, fa, fb, axes):
    """s, u and u' (derivative in A) from the world directions in ``axes``: tangents, normal (6:9), axle (9:12)."""
    nx, ny, nz = axes[6], axes[7], axes[8]
    if kind != DISC:
        return 1.0, -nx, -ny, -nz, 0.0, 0.0, 0.0
    ex, ey, ez = axes[9], axes[10], axes[11]
    rx, ry, rz = cross(fb[12] - fa[12], fb[13] - fa[13], fb[14] - fa[14], ex, ey, ez)
    cosine, change = nx * ex + ny * ey + nz * ez, nx * rx + ny * ry + nz * rz
    # |n x e| loses no digits where the disc nearly lies flat
    qx, qy, qz = cross(nx, ny, nz, ex, ey, ez)
    s = math.sqrt(qx * qx + qy * qy + qz * qz)
    shrink = -cosine * change / s
    ux, uy, uz = (cosine * ex - nx) / s, (cosine * ey - ny) / s, (cosine * ez - nz) / s
    tx = (change * ex + cosine * rx - ux * shrink) / s
    ty = (change * ey + cosine * ry - uy * shrink) / s
    tz = (change * ez + cosine * rz - uz * shrink) / s
    return s, ux, uy, uz, tx, ty, tz
