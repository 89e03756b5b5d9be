"""Markers on bodies: motion of the marker relative to its body, and the way back for forces.

Relative motion ``local`` (body axes): R (9), p, omega, v, alpha, a of the marker frame in the body frame, with
u = Phi q + sum Zu s and th = Psi q + sum Zr s (s: ``work.form``), R_BM = exp(th) R0 (docs/notation.md).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.mechanics.rotation import rotation_matrix, tangent, tangent_rate


@kernel
def marker_motion(tables, m, q, v, a, work):
    """Fill ``work.local`` for marker ``m``; velocities and accelerations vanish on rigid markers."""
    marker = tables.markers[m]
    local = work.local
    pool = tables.pool
    at = marker.frame_at
    for i in range(3):
        local[9 + i] = pool[at + i]
    for i in range(9):
        local[i] = pool[at + 3 + i]
    for i in range(12, 24):
        local[i] = 0.0
    if marker.flexible == 0:
        return
    body = tables.bodies[marker.body]
    n, start = body.modes, body.modal_start
    phi, psi = marker.field_at, marker.field_at + 3 * n
    tx = ty = tz = rx = ry = rz = sx = sy = sz = 0.0
    for i in range(n):
        qi, vi, ai = q[start + i], v[start + i], a[start + i]
        for k in range(3):
            shape = pool[phi + 3 * i + k]
            local[9 + k] += shape * qi
            local[15 + k] += shape * vi
            local[21 + k] += shape * ai
        px, py, pz = pool[psi + 3 * i], pool[psi + 3 * i + 1], pool[psi + 3 * i + 2]
        tx += px * qi
        ty += py * qi
        tz += pz * qi
        rx += px * vi
        ry += py * vi
        rz += pz * vi
        sx += px * ai
        sy += py * ai
        sz += pz * ai
    zu = psi + 3 * n
    zr = zu + 3 * (body.form_end - body.form_start)
    for p in range(body.form_end - body.form_start):
        r = body.form_start + p
        square, rate, accel = work.form[0, r], work.form[1, r], work.form[2, r]
        for k in range(3):
            shape = pool[zu + 3 * p + k]
            local[9 + k] += shape * square
            local[15 + k] += shape * rate
            local[21 + k] += shape * accel
        px, py, pz = pool[zr + 3 * p], pool[zr + 3 * p + 1], pool[zr + 3 * p + 2]
        tx += px * square
        ty += py * square
        tz += pz * square
        rx += px * rate
        ry += py * rate
        rz += pz * rate
        sx += px * accel
        sy += py * accel
        sz += pz * accel
    _turn(local, tx, ty, tz)
    local[12], local[13], local[14] = tangent(tx, ty, tz, rx, ry, rz, 1.0)
    ax, ay, az = tangent(tx, ty, tz, sx, sy, sz, 1.0)
    bx, by, bz = tangent_rate(tx, ty, tz, rx, ry, rz, 1.0)
    local[18], local[19], local[20] = ax + bx, ay + by, az + bz


@kernel
def _turn(local, tx, ty, tz):
    """R_BM = exp(th) R0, with R0 in ``local[0:9]``; ``local[24:33]`` serves as scratch."""
    turn = local[24:33]
    rotation_matrix(tx, ty, tz, turn)
    for j in range(3):
        c0, c1, c2 = local[j], local[3 + j], local[6 + j]
        for i in range(3):
            local[3 * i + j] = turn[3 * i] * c0 + turn[3 * i + 1] * c1 + turn[3 * i + 2] * c2


@kernel
def add_modal_force(tables, m, q, fx, fy, fz, mx, my, mz, work, residual):
    """Add the generalised force on the modes and forms of the marker's body: force f, moment m there, body axes."""
    marker = tables.markers[m]
    if marker.flexible == 0:
        return
    pool = tables.pool
    body = tables.bodies[marker.body]
    n, start = body.modes, body.modal_start
    count = body.form_end - body.form_start
    phi, psi = marker.field_at, marker.field_at + 3 * n
    zu = psi + 3 * n
    zr = zu + 3 * count
    tx = ty = tz = 0.0
    for i in range(n):
        tx += pool[psi + 3 * i] * q[start + i]
        ty += pool[psi + 3 * i + 1] * q[start + i]
        tz += pool[psi + 3 * i + 2] * q[start + i]
    for p in range(count):
        square = work.form[0, body.form_start + p]
        tx += pool[zr + 3 * p] * square
        ty += pool[zr + 3 * p + 1] * square
        tz += pool[zr + 3 * p + 2] * square
    mx, my, mz = tangent(tx, ty, tz, mx, my, mz, -1.0)
    for i in range(n):
        u, r = phi + 3 * i, psi + 3 * i
        residual[start + i] += pool[u] * fx + pool[u + 1] * fy + pool[u + 2] * fz
        residual[start + i] += pool[r] * mx + pool[r + 1] * my + pool[r + 2] * mz
    for p in range(count):
        u, r = zu + 3 * p, zr + 3 * p
        power = pool[u] * fx + pool[u + 1] * fy + pool[u + 2] * fz
        power += pool[r] * mx + pool[r + 1] * my + pool[r + 2] * mz
        work.form[3, body.form_start + p] += power


@kernel
def marker_in_world(tables, m, q, v, a, work, out):
    """Fill ``out`` (24) with the motion of marker ``m`` in world axes; frames and forms in ``work`` are current."""
    f = work.frame[tables.markers[m].body]
    if tables.markers[m].flexible == 0:
        attach_rigid(f, tables.pool, tables.markers[m].frame_at, out)
        return
    marker_motion(tables, m, q, v, a, work)
    attach(f, work.local, out)


@kernel
def attach_rigid(f, pool, at, out):
    """:func:`attach` for a marker that stays where it is in its body: position and rotation from ``pool[at]`` on.

    Everything is loaded before anything is stored, so that the compiler need not fear that the arrays overlap.
    """
    f0, f1, f2, f3, f4, f5, f6, f7, f8 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]
    x, y, z = pool[at], pool[at + 1], pool[at + 2]
    dx, dy, dz = f0 * x + f1 * y + f2 * z, f3 * x + f4 * y + f5 * z, f6 * x + f7 * y + f8 * z
    for j in range(3):
        x, y, z = pool[at + 3 + j], pool[at + 6 + j], pool[at + 9 + j]
        out[j], out[3 + j], out[6 + j] = f0 * x + f1 * y + f2 * z, f3 * x + f4 * y + f5 * z, f6 * x + f7 * y + f8 * z
    move_rigidly(f, dx, dy, dz, out)


@kernel
def detach_rigid(f, pool, at, out):
    """:func:`detach` for a marker that stays where it is in its body."""
    f0, f1, f2, f3, f4, f5, f6, f7, f8 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]
    for j in range(3):
        x, y, z = pool[at + 3 + 3 * j], pool[at + 4 + 3 * j], pool[at + 5 + 3 * j]
        out[j], out[3 + j], out[6 + j] = f0 * x + f1 * y + f2 * z, f3 * x + f4 * y + f5 * z, f6 * x + f7 * y + f8 * z
    x, y, z = -pool[at], -pool[at + 1], -pool[at + 2]
    dx = out[0] * x + out[1] * y + out[2] * z
    dy = out[3] * x + out[4] * y + out[5] * z
    dz = out[6] * x + out[7] * y + out[8] * z
    move_rigidly(f, dx, dy, dz, out)


@kernel
def move_rigidly(f, dx, dy, dz, out):
    """Motion (``out[9:24]``) of the point d away from that of ``f`` on the same rigid body."""
    px, py, pz, vx, vy, vz, ax, ay, az = f[9], f[10], f[11], f[15], f[16], f[17], f[21], f[22], f[23]
    wx, wy, wz, bx, by, bz = f[12], f[13], f[14], f[18], f[19], f[20]
    cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    out[9], out[10], out[11] = px + dx, py + dy, pz + dz
    out[12], out[13], out[14] = wx, wy, wz
    out[15], out[16], out[17] = vx + cx, vy + cy, vz + cz
    out[18], out[19], out[20] = bx, by, bz
    out[21] = ax + by * dz - bz * dy + wy * cz - wz * cy
    out[22] = ay + bz * dx - bx * dz + wz * cx - wx * cz
    out[23] = az + bx * dy - by * dx + wx * cy - wy * cx


@kernel
def attach(f, local, out):
    """Motion of a marker in world axes from its body's frame ``f`` and its motion in the body."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = f[3 * i] * local[j] + f[3 * i + 1] * local[3 + j] + f[3 * i + 2] * local[6 + j]
    _to_world(f, local, out)
    dx, dy, dz = out[9], out[10], out[11]
    wx, wy, wz = f[12], f[13], f[14]
    rx, ry, rz = out[12], out[13], out[14]  # omega of the marker relative to the body
    ux, uy, uz = out[15], out[16], out[17]  # velocity relative to the body
    cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    out[9] += f[9]
    out[10] += f[10]
    out[11] += f[11]
    out[12] += wx
    out[13] += wy
    out[14] += wz
    out[15] += f[15] + cx
    out[16] += f[16] + cy
    out[17] += f[17] + cz
    out[18] += f[18] + wy * rz - wz * ry
    out[19] += f[19] + wz * rx - wx * rz
    out[20] += f[20] + wx * ry - wy * rx
    ex, ey, ez = cx + 2.0 * ux, cy + 2.0 * uy, cz + 2.0 * uz
    out[21] += f[21] + f[19] * dz - f[20] * dy + wy * ez - wz * ey
    out[22] += f[22] + f[20] * dx - f[18] * dz + wz * ex - wx * ez
    out[23] += f[23] + f[18] * dy - f[19] * dx + wx * ey - wy * ex


@kernel
def _to_world(f, local, out):
    for k in range(9, 24, 3):
        x, y, z = local[k], local[k + 1], local[k + 2]
        for i in range(3):
            out[k + i] = f[3 * i] * x + f[3 * i + 1] * y + f[3 * i + 2] * z


@kernel
def detach(f, local, out):
    """Motion of a body's frame from the motion ``f`` of one of its markers: the inverse of :func:`attach`."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = f[3 * i] * local[3 * j] + f[3 * i + 1] * local[3 * j + 1] + f[3 * i + 2] * local[3 * j + 2]
    _to_world(out, local, out)
    dx, dy, dz = out[9], out[10], out[11]
    rx, ry, rz = out[12], out[13], out[14]
    ux, uy, uz = out[15], out[16], out[17]
    wx, wy, wz = f[12] - rx, f[13] - ry, f[14] - rz
    bx = f[18] - out[18] - (wy * rz - wz * ry)
    by = f[19] - out[19] - (wz * rx - wx * rz)
    bz = f[20] - out[20] - (wx * ry - wy * rx)
    cx, cy, cz = wy * dz - wz * dy, wz * dx - wx * dz, wx * dy - wy * dx
    ex, ey, ez = cx + 2.0 * ux, cy + 2.0 * uy, cz + 2.0 * uz
    out[9] = f[9] - dx
    out[10] = f[10] - dy
    out[11] = f[11] - dz
    out[12], out[13], out[14] = wx, wy, wz
    out[15] = f[15] - cx - ux
    out[16] = f[16] - cy - uy
    out[17] = f[17] - cz - uz
    out[21] = f[21] - out[21] - (by * dz - bz * dy) - (wy * ez - wz * ey)
    out[22] = f[22] - out[22] - (bz * dx - bx * dz) - (wz * ex - wx * ez)
    out[23] = f[23] - out[23] - (bx * dy - by * dx) - (wx * ey - wy * ex)
    out[18], out[19], out[20] = bx, by, bz
