"""Joints: chains of rotations and translations about an axis, the ball, and points of curves and surfaces.

Each function moves a frame (24 numbers: R, p, omega, v, alpha, a in world axes) through one joint axis.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.layout.tables import BALL, CURVE, ROTATION, SURFACE
from flexmbs.core.mechanics.curve_axes import move_along, project_on
from flexmbs.core.mechanics.rotation import (
    cross,
    quaternion_matrix,
    rotation_matrix,
    tangent,
    tangent_rate,
)


@kernel
def through_axis(tables, axis, q, v, a, reference, f, world, turn, work):
    """Move frame ``f`` through joint axis number ``axis``; ``world`` (24) keeps what the way back needs."""
    joint = tables.axes[axis]
    c = joint.coordinate
    if joint.kind == BALL:
        _through_ball(joint, q, v, a, reference, f, world, turn)
        return
    x, xd, xdd = joint.factor * q[c] + joint.offset, joint.factor * v[c], joint.factor * a[c]
    if joint.kind >= CURVE:
        m = work.motion
        m[0], m[2], m[4] = x, xd, xdd
        if joint.kind == SURFACE:
            m[0], m[2], m[4] = q[c], v[c], a[c]
            m[1], m[3], m[5] = q[joint.second], v[joint.second], a[joint.second]
        move_along(tables, axis, m, f, world)
        return
    ux = f[0] * joint.x + f[1] * joint.y + f[2] * joint.z
    uy = f[3] * joint.x + f[4] * joint.y + f[5] * joint.z
    uz = f[6] * joint.x + f[7] * joint.y + f[8] * joint.z
    world[0], world[1], world[2] = ux, uy, uz
    if joint.kind == ROTATION:
        px, py, pz = cross(f[12], f[13], f[14], ux, uy, uz)
        for i, (axis_i, turn_i) in enumerate(((ux, px), (uy, py), (uz, pz))):
            f[18 + i] += axis_i * xdd + turn_i * xd
            f[12 + i] += axis_i * xd
        _turn_about(f, joint.x, joint.y, joint.z, ux, uy, uz, math.sin(x), math.cos(x))
        return
    dx, dy, dz = ux * x, uy * x, uz * x
    px, py, pz = cross(f[12], f[13], f[14], dx, dy, dz)
    gx, gy, gz = px + 2.0 * ux * xd, py + 2.0 * uy * xd, pz + 2.0 * uz * xd
    hx, hy, hz = cross(f[12], f[13], f[14], gx, gy, gz)
    kx, ky, kz = cross(f[18], f[19], f[20], dx, dy, dz)
    f[9] += dx
    f[10] += dy
    f[11] += dz
    f[15] += px + ux * xd
    f[16] += py + uy * xd
    f[17] += pz + uz * xd
    f[21] += kx + hx + ux * xdd
    f[22] += ky + hy + uy * xdd
    f[23] += kz + hz + uz * xdd


@kernel
def _through_ball(joint, q, v, a, reference, f, world, turn):
    """The coordinates turn marker b against marker a; ``world`` keeps the axes of b, in which they are stated.

    With factor -1 the frame comes from b and leaves with the axes of a: the inverse rotation, and b's spin taken off.
    """
    c = joint.coordinate
    rx, ry, rz = tangent(q[c], q[c + 1], q[c + 2], v[c], v[c + 1], v[c + 2], -1.0)
    sx, sy, sz = tangent(q[c], q[c + 1], q[c + 2], a[c], a[c + 1], a[c + 2], -1.0)
    tx, ty, tz = tangent_rate(q[c], q[c + 1], q[c + 2], v[c], v[c + 1], v[c + 2], -1.0)
    if joint.factor > 0.0:
        quaternion_matrix(reference[joint.ball], turn)
        _post_multiply(f, turn)
        rotation_matrix(q[c], q[c + 1], q[c + 2], turn)
        _post_multiply(f, turn)
    for i in range(9):
        world[i] = f[i]
    sign = joint.factor
    _add_spin(f, sign * rx, sign * ry, sign * rz, sign * (sx + tx), sign * (sy + ty), sign * (sz + tz))
    if joint.factor < 0.0:
        rotation_matrix(-q[c], -q[c + 1], -q[c + 2], turn)
        _post_multiply(f, turn)
        quaternion_matrix(reference[joint.ball], turn)
        _post_multiply_transposed(f, turn)


@kernel
def back_through_axis(tables, axis, q, world, point, wrench, residual, work):
    """Project the wrench (force, moment about ``point``) on the coordinate, and move ``point`` before the axis."""
    joint = tables.axes[axis]
    c = joint.coordinate
    if joint.kind == BALL:
        mx = world[0] * wrench[3] + world[3] * wrench[4] + world[6] * wrench[5]
        my = world[1] * wrench[3] + world[4] * wrench[4] + world[7] * wrench[5]
        mz = world[2] * wrench[3] + world[5] * wrench[4] + world[8] * wrench[5]
        mx, my, mz = tangent(q[c], q[c + 1], q[c + 2], mx, my, mz, 1.0)
        residual[c] += joint.factor * mx
        residual[c + 1] += joint.factor * my
        residual[c + 2] += joint.factor * mz
        return
    if joint.kind == ROTATION:
        residual[c] += joint.factor * (world[0] * wrench[3] + world[1] * wrench[4] + world[2] * wrench[5])
        return
    if joint.kind >= CURVE:
        back = work.back
        for i in range(3):
            back[i] = point[i]
        for i in range(6):
            back[3 + i] = wrench[i]
        project_on(tables, axis, world, back, work.motion)
        for i in range(3):
            point[i] = back[i]
        for i in range(6):
            wrench[i] = back[3 + i]
        if joint.kind == SURFACE:
            residual[c] += work.motion[0]
            residual[joint.second] += work.motion[1]
        else:
            residual[c] += joint.factor * work.motion[0]
        return
    residual[c] += joint.factor * (world[0] * wrench[0] + world[1] * wrench[1] + world[2] * wrench[2])
    x = joint.factor * q[c] + joint.offset
    dx, dy, dz = world[0] * x, world[1] * x, world[2] * x
    mx, my, mz = cross(dx, dy, dz, wrench[0], wrench[1], wrench[2])
    wrench[3] += mx
    wrench[4] += my
    wrench[5] += mz
    point[0] -= dx
    point[1] -= dy
    point[2] -= dz


@kernel
def _turn_about(f, x, y, z, ux, uy, uz, sine, cosine):
    """Turn frame ``f`` about its unit axis (x, y, z), which is (ux, uy, uz) in the world (Rodrigues, row by row)."""
    rest = 1.0 - cosine
    for i, along in enumerate((ux, uy, uz)):
        p, r, s = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        along *= rest
        f[3 * i] = cosine * p + sine * (r * z - s * y) + along * x
        f[3 * i + 1] = cosine * r + sine * (s * x - p * z) + along * y
        f[3 * i + 2] = cosine * s + sine * (p * y - r * x) + along * z


@kernel
def _post_multiply(f, turn):
    for i in range(3):
        x, y, z = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        for j in range(3):
            f[3 * i + j] = x * turn[j] + y * turn[3 + j] + z * turn[6 + j]


@kernel
def _post_multiply_transposed(f, turn):
    for i in range(3):
        x, y, z = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        for j in range(3):
            f[3 * i + j] = x * turn[3 * j] + y * turn[3 * j + 1] + z * turn[3 * j + 2]


@kernel
def _add_spin(f, rx, ry, rz, sx, sy, sz):
    """Add relative angular velocity r and its derivative s, given in the present axes of frame ``f``."""
    wx = f[0] * rx + f[1] * ry + f[2] * rz
    wy = f[3] * rx + f[4] * ry + f[5] * rz
    wz = f[6] * rx + f[7] * ry + f[8] * rz
    px, py, pz = cross(f[12], f[13], f[14], wx, wy, wz)
    f[18] += px + f[0] * sx + f[1] * sy + f[2] * sz
    f[19] += py + f[3] * sx + f[4] * sy + f[5] * sz
    f[20] += pz + f[6] * sx + f[7] * sy + f[8] * sz
    f[12] += wx
    f[13] += wy
    f[14] += wz
