"""Markers on bodies: motion of a marker relative to its body and in the world, and the way back for forces.

In its body (axes of B) a marker moves with u = Phi q + sum Zu s and th = Psi q + sum Zr s, and
R_BM = exp(th~) R0 (docs/notation.md); that motion is in ``work.marker_in_body``.
The fields of a marker stand in the order of ``work.weight``: three rows of displacement, three of rotation.
"""

from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import ACCEL, FORCE, RATE, VALUE
from flexmbs.core.mechanics.rotation import rotation_matrix, tangent, tangent_rate
from flexmbs.core.mechanics.vectors import add, components, cross, difference, elements, put, rotate
from flexmbs.machine_code.kernel import kernel


@kernel
def marker_motion(tables, m, work):
    """Fill ``work.marker_in_body`` for marker ``m``; velocities and accelerations vanish on rigid markers."""
    marker, local, pool = tables.markers[m], work.marker_in_body[0], tables.pool
    place_undeformed(marker, local)
    if marker.flexible == 0:
        return
    body = tables.bodies[marker.body]
    x, u, s = weighed(pool, marker.fields_at, body, 0, work)
    y, v, t = weighed(pool, marker.fields_at, body, 1, work)
    z, w, r = weighed(pool, marker.fields_at, body, 2, work)
    add(local.p_BM, x, y, z)
    put(local.v_BM, u, v, w)
    put(local.a_BM, s, t, r)
    tx, rx, sx = weighed(pool, marker.fields_at, body, 3, work)
    ty, ry, sy = weighed(pool, marker.fields_at, body, 4, work)
    tz, rz, sz = weighed(pool, marker.fields_at, body, 5, work)
    rotate_marker(local, work.scratch[0].R, tx, ty, tz)
    wx, wy, wz = tangent(tx, ty, tz, rx, ry, rz, 1.0)
    ax, ay, az = tangent(tx, ty, tz, sx, sy, sz, 1.0)
    bx, by, bz = tangent_rate(tx, ty, tz, rx, ry, rz, 1.0)
    put(local.w_BM, wx, wy, wz)
    put(local.alpha_BM, ax + bx, ay + by, az + bz)


@kernel
def place_undeformed(marker, local):
    """The marker at rest where it is in the undeformed body."""
    for i in range(3):
        local.p_BM[i] = marker.p_BM[i]
        for j in range(3):
            local.R_BM[i, j] = marker.R_BM[i, j]
    put(local.w_BM, 0.0, 0.0, 0.0)
    put(local.v_BM, 0.0, 0.0, 0.0)
    put(local.alpha_BM, 0.0, 0.0, 0.0)
    put(local.a_BM, 0.0, 0.0, 0.0)


@kernel
def weighed(pool, at, body, row, work):
    """A component of the motion of a marker and its two derivatives: one row of its fields with ``work.weight``."""
    start, end = body.place_start, body.place_end
    first = at + row * (end - start)
    fields = pool[first : first + (end - start)]
    values, rates, accels = work.weight[VALUE, start:end], work.weight[RATE, start:end], work.weight[ACCEL, start:end]
    x = u = t = 0.0
    for i in range(end - start):
        x += fields[i] * values[i]
        u += fields[i] * rates[i]
        t += fields[i] * accels[i]
    return x, u, t


@kernel
def weighed_value(pool, at, body, row, work):
    """The first number of :func:`weighed` alone."""
    start, end = body.place_start, body.place_end
    first = at + row * (end - start)
    fields, values = pool[first : first + (end - start)], work.weight[VALUE, start:end]
    x = 0.0
    for i in range(end - start):
        x += fields[i] * values[i]
    return x


@kernel
def rotate_marker(local, R, tx, ty, tz):
    """R_BM = exp(th~) R_BM; ``R`` (3, 3) serves as scratch."""
    rotation_matrix(tx, ty, tz, R)
    for j in range(3):
        x, y, z = rotate(R, local.R_BM[0, j], local.R_BM[1, j], local.R_BM[2, j])
        local.R_BM[0, j], local.R_BM[1, j], local.R_BM[2, j] = x, y, z


@kernel
def add_modal_force(tables, m, fx, fy, fz, mx, my, mz, work):
    """Add the generalised force on the modes and forms of the marker's body: force f, moment m there, body axes."""
    marker = tables.markers[m]
    if marker.flexible == 0:
        return
    pool, body, at = tables.pool, tables.bodies[marker.body], marker.fields_at
    tx, ty = weighed_value(pool, at, body, 3, work), weighed_value(pool, at, body, 4, work)
    tz = weighed_value(pool, at, body, 5, work)
    mx, my, mz = tangent(tx, ty, tz, mx, my, mz, -1.0)
    start, end = body.place_start, body.place_end
    size = end - start
    force = work.weight[FORCE, start:end]
    u0, u1, u2 = pool[at : at + size], pool[at + size : at + 2 * size], pool[at + 2 * size : at + 3 * size]
    at += 3 * size
    r0, r1, r2 = pool[at : at + size], pool[at + size : at + 2 * size], pool[at + 2 * size : at + 3 * size]
    for i in range(size):
        force[i] += u0[i] * fx + u1[i] * fy + u2[i] * fz + r0[i] * mx + r1[i] * my + r2[i] * mz


@kernel
def marker_in_world(tables, m, q, v, a, work, out):
    """Fill the frame ``out`` with the motion of marker ``m``; frames of bodies and forms in ``work`` are current."""
    marker = tables.markers[m]
    if marker.flexible == 0:
        attach_rigid(work.frame[marker.body], marker, out)
        return
    marker_motion(tables, m, work)
    attach(work.frame[marker.body], work.marker_in_body[0], out)


@kernel
def attach_rigid(body, marker, out):
    """:func:`attach` for a marker that stays where it is in its body.

    Everything is loaded before anything is stored, so that the compiler need not fear that the arrays overlap.
    """
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = elements(body.R_WB)
    px, py, pz = components(body.p_WB)
    vx, vy, vz = components(body.v_WB)
    ax, ay, az = components(body.a_WB)
    wx, wy, wz = components(body.w_WB)
    bx, by, bz = components(body.alpha_WB)
    x, y, z = components(marker.p_BM)
    dx, dy, dz = r0 * x + r1 * y + r2 * z, r3 * x + r4 * y + r5 * z, r6 * x + r7 * y + r8 * z
    for j in range(3):
        x, y, z = marker.R_BM[0, j], marker.R_BM[1, j], marker.R_BM[2, j]
        out.R_WM[0, j] = r0 * x + r1 * y + r2 * z
        out.R_WM[1, j] = r3 * x + r4 * y + r5 * z
        out.R_WM[2, j] = r6 * x + r7 * y + r8 * z
    ux, uy, uz, cx, cy, cz = carried(wx, wy, wz, bx, by, bz, dx, dy, dz)
    put(out.p_WM, px + dx, py + dy, pz + dz)
    put(out.w_WM, wx, wy, wz)
    put(out.v_WM, vx + ux, vy + uy, vz + uz)
    put(out.alpha_WM, bx, by, bz)
    put(out.a_WM, ax + cx, ay + cy, az + cz)


@kernel
def detach_rigid(frame, marker, out):
    """:func:`detach` for a marker that stays where it is in its body."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = elements(frame.R_WM)
    px, py, pz = components(frame.p_WM)
    vx, vy, vz = components(frame.v_WM)
    ax, ay, az = components(frame.a_WM)
    wx, wy, wz = components(frame.w_WM)
    bx, by, bz = components(frame.alpha_WM)
    x, y, z = components(marker.p_BM)
    for j in range(3):
        u, v, w = marker.R_BM[j, 0], marker.R_BM[j, 1], marker.R_BM[j, 2]
        out.R_WB[0, j] = r0 * u + r1 * v + r2 * w
        out.R_WB[1, j] = r3 * u + r4 * v + r5 * w
        out.R_WB[2, j] = r6 * u + r7 * v + r8 * w
    dx, dy, dz = rotate(out.R_WB, -x, -y, -z)
    ux, uy, uz, cx, cy, cz = carried(wx, wy, wz, bx, by, bz, dx, dy, dz)
    put(out.p_WB, px + dx, py + dy, pz + dz)
    put(out.w_WB, wx, wy, wz)
    put(out.v_WB, vx + ux, vy + uy, vz + uz)
    put(out.alpha_WB, bx, by, bz)
    put(out.a_WB, ax + cx, ay + cy, az + cz)


@kernel
def carried(wx, wy, wz, bx, by, bz, dx, dy, dz):
    """Velocity w x d and acceleration alpha x d + w x (w x d) of a point d away on the same rigid body."""
    ux, uy, uz = cross(wx, wy, wz, dx, dy, dz)
    return (
        ux,
        uy,
        uz,
        by * dz - bz * dy + wy * uz - wz * uy,
        bz * dx - bx * dz + wz * ux - wx * uz,
        bx * dy - by * dx + wx * uy - wy * ux,
    )


@kernel
def attach(body, local, out):
    """Motion of a marker in the world from that of its body and its own in the body."""
    for i in range(3):
        r0, r1, r2 = body.R_WB[i, 0], body.R_WB[i, 1], body.R_WB[i, 2]
        for j in range(3):
            out.R_WM[i, j] = r0 * local.R_BM[0, j] + r1 * local.R_BM[1, j] + r2 * local.R_BM[2, j]
    dx, dy, dz, rx, ry, rz, ux, uy, uz, sx, sy, sz, tx, ty, tz = in_world(body.R_WB, local)
    wx, wy, wz = components(body.w_WB)
    bx, by, bz = components(body.alpha_WB)
    px, py, pz = components(body.p_WB)
    vx, vy, vz = components(body.v_WB)
    ax, ay, az = components(body.a_WB)
    cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
    ex, ey, ez = cx + 2.0 * ux, cy + 2.0 * uy, cz + 2.0 * uz
    put(out.p_WM, dx + px, dy + py, dz + pz)
    put(out.w_WM, rx + wx, ry + wy, rz + wz)
    put(out.v_WM, ux + (vx + cx), uy + (vy + cy), uz + (vz + cz))
    put(out.alpha_WM, sx + (bx + wy * rz - wz * ry), sy + (by + wz * rx - wx * rz), sz + (bz + wx * ry - wy * rx))
    put(
        out.a_WM,
        tx + (ax + by * dz - bz * dy + wy * ez - wz * ey),
        ty + (ay + bz * dx - bx * dz + wz * ex - wx * ez),
        tz + (az + bx * dy - by * dx + wx * ey - wy * ex),
    )


@kernel
def in_world(R_WB, local):
    """p, w, v, alpha and a of a marker in its body, three numbers each, in world axes."""
    px, py, pz = components(local.p_BM)
    wx, wy, wz = components(local.w_BM)
    vx, vy, vz = components(local.v_BM)
    bx, by, bz = components(local.alpha_BM)
    ax, ay, az = components(local.a_BM)
    px, py, pz = rotate(R_WB, px, py, pz)
    wx, wy, wz = rotate(R_WB, wx, wy, wz)
    vx, vy, vz = rotate(R_WB, vx, vy, vz)
    bx, by, bz = rotate(R_WB, bx, by, bz)
    ax, ay, az = rotate(R_WB, ax, ay, az)
    return px, py, pz, wx, wy, wz, vx, vy, vz, bx, by, bz, ax, ay, az


@kernel
def detach(frame, local, out):
    """Motion of a body from the motion ``frame`` of one of its markers: the inverse of :func:`attach`."""
    for i in range(3):
        r0, r1, r2 = frame.R_WM[i, 0], frame.R_WM[i, 1], frame.R_WM[i, 2]
        for j in range(3):
            out.R_WB[i, j] = r0 * local.R_BM[j, 0] + r1 * local.R_BM[j, 1] + r2 * local.R_BM[j, 2]
    dx, dy, dz, rx, ry, rz, ux, uy, uz, sx, sy, sz, tx, ty, tz = in_world(out.R_WB, local)
    wx, wy, wz = components(frame.w_WM)
    bx, by, bz = components(frame.alpha_WM)
    px, py, pz = components(frame.p_WM)
    vx, vy, vz = components(frame.v_WM)
    ax, ay, az = components(frame.a_WM)
    wx, wy, wz = wx - rx, wy - ry, wz - rz
    bx = bx - sx - (wy * rz - wz * ry)
    by = by - sy - (wz * rx - wx * rz)
    bz = bz - sz - (wx * ry - wy * rx)
    cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
    ex, ey, ez = cx + 2.0 * ux, cy + 2.0 * uy, cz + 2.0 * uz
    put(out.p_WB, px - dx, py - dy, pz - dz)
    put(out.w_WB, wx, wy, wz)
    put(out.v_WB, vx - cx - ux, vy - cy - uy, vz - cz - uz)
    put(out.alpha_WB, bx, by, bz)
    put(
        out.a_WB,
        ax - tx - (by * dz - bz * dy) - (wy * ez - wz * ey),
        ay - ty - (bz * dx - bx * dz) - (wz * ex - wx * ez),
        az - tz - (bx * dy - by * dx) - (wx * ey - wy * ex),
    )


@kernel
def markers_in_world(tables, pair, q, v, a, work):
    """Frames of the markers ``a`` and ``b`` of a record, which are in ``work.marker`` (A, B)."""
    marker_in_world(tables, pair.a, q, v, a, work, work.marker[A])
    marker_in_world(tables, pair.b, q, v, a, work, work.marker[B])
    return work.marker[A], work.marker[B]


@kernel
def relative_motion(frame_a, frame_b):
    """Velocity, acceleration and angular acceleration of b as a sees them, three numbers each, world axes."""
    wx, wy, wz = components(frame_a.w_WM)
    bx, by, bz = components(frame_a.alpha_WM)
    dx, dy, dz = difference(frame_b.p_WM, frame_a.p_WM)
    cx, cy, cz = cross(wx, wy, wz, dx, dy, dz)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    vx, vy, vz = vx - cx, vy - cy, vz - cz
    bx, by, bz = cross(bx, by, bz, dx, dy, dz)
    kx, ky, kz = cross(wx, wy, wz, 2.0 * vx + cx, 2.0 * vy + cy, 2.0 * vz + cz)
    ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
    ox, oy, oz = components(frame_b.w_WM)
    ox, oy, oz = cross(wx, wy, wz, ox, oy, oz)
    px, py, pz = difference(frame_b.alpha_WM, frame_a.alpha_WM)
    return vx, vy, vz, ax - bx - kx, ay - by - ky, az - bz - kz, px - ox, py - oy, pz - oz
