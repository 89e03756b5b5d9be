"""A thin disc, or a ball, that rolls on a plane without slipping.

Seen from the plane marker A (normal n; d = p_B - p_A, v and a its derivatives in A, w the relative angular velocity and
w' its derivative in A), the point of the rim that touches is r u away from the centre of the disc,
    u = -(n - c e) / s,  c = n . e,  s = sqrt(1 - c^2)      (axle e; of a ball u = -n).
The velocity of the material point there vanishes, h = v + r w x u = 0.  Along n it is the derivative of the distance
of the rim from the plane, g = n . d - r s: a holonomic constraint; along the two tangents it is not integrable.
    h' = a + r (w' x u + w x u'),  u' = (c' e + c e') / s - u s' / s,  c' = n . e',  s' = -c c' / s,  e' = w x e.
"""

import math

from flexmbs.core.layout.tables import DISC, POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import markers_in_world, relative_motion
from flexmbs.core.mechanics.vectors import components, cross, difference, dot, put, rotate
from flexmbs.machine_code.kernel import kernel


@kernel
def add_rolling(tables, c, q, v, a, work, residual):
    """Three rows and their forces; u, v, n and e of the record in world axes into ``work.scratch``."""
    constraint = tables.constraints[c]
    row, r = constraint.row, constraint.length
    frame_a, frame_b = markers_in_world(tables, constraint, q, v, a, work)
    axes = work.scratch[0]
    place(constraint.u_A, frame_a, axes.u)
    place(constraint.v_A, frame_a, axes.v)
    place(constraint.n_A, frame_a, axes.n)
    place(constraint.e_B, frame_b, axes.e)
    dx, dy, dz = difference(frame_b.p_WM, frame_a.p_WM)
    wx, wy, wz = difference(frame_b.w_WM, frame_a.w_WM)
    vx, vy, vz, ax, ay, az, px, py, pz = relative_motion(frame_a, frame_b)
    s, ux, uy, uz, tx, ty, tz = to_rim(constraint.component, wx, wy, wz, axes)
    # velocity and acceleration of the material point of the rim
    mx, my, mz = cross(wx, wy, wz, ux, uy, uz)
    gx, gy, gz = cross(px, py, pz, ux, uy, uz)
    hx, hy, hz = cross(wx, wy, wz, tx, ty, tz)
    vx, vy, vz = vx + r * mx, vy + r * my, vz + r * mz
    ax, ay, az = ax + r * (gx + hx), ay + r * (gy + hy), az + r * (gz + hz)
    put_row(row, axes.n, vx, vy, vz, ax, ay, az, work, residual)
    put_row(row + 1, axes.u, vx, vy, vz, ax, ay, az, work, residual)
    put_row(row + 2, axes.v, vx, vy, vz, ax, ay, az, work, residual)
    work.constraint[row, POSITION_LEVEL] = dot(axes.n, dx, dy, dz) - r * s
    fx = axes.n[0] * a[row] + axes.u[0] * a[row + 1] + axes.v[0] * a[row + 2]
    fy = axes.n[1] * a[row] + axes.u[1] * a[row + 1] + axes.v[1] * a[row + 2]
    fz = axes.n[2] * a[row] + axes.u[2] * a[row + 1] + axes.v[2] * a[row + 2]
    mx, my, mz = cross(r * ux, r * uy, r * uz, fx, fy, fz)
    nx, ny, nz = cross(dx, dy, dz, fx, fy, fz)
    reaction = work.reaction[len(tables.bodies) + c]
    put(reaction.force, fx, fy, fz)
    put(reaction.moment, mx, my, mz)
    add_force(tables, constraint.b, q, frame_b, fx, fy, fz, mx, my, mz, work, residual)
    add_force(tables, constraint.a, q, frame_a, -fx, -fy, -fz, -mx - nx, -my - ny, -mz - nz, work, residual)


@kernel
def put_row(row, direction, vx, vy, vz, ax, ay, az, work, residual):
    """Velocity and acceleration along a direction: of a row that has no position."""
    work.constraint[row, POSITION_LEVEL] = 0.0
    work.constraint[row, VELOCITY_LEVEL] = dot(direction, vx, vy, vz)
    residual[row] = dot(direction, ax, ay, az)


@kernel
def place(direction, frame, out):
    """A direction in the axes of a frame, in world axes."""
    x, y, z = components(direction)
    x, y, z = rotate(frame.R_WM, x, y, z)
    put(out, x, y, z)


@kernel
def to_rim(kind, wx, wy, wz, axes):
    """s, u and u' (derivative in A) from the relative angular velocity w and the normal n and axle e in ``axes``."""
    nx, ny, nz = components(axes.n)
    if kind != DISC:
        return 1.0, -nx, -ny, -nz, 0.0, 0.0, 0.0
    ex, ey, ez = components(axes.e)
    rx, ry, rz = cross(wx, wy, wz, ex, ey, ez)
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
