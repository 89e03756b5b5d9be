"""Joints: chains of rotations and translations about an axis, the ball, and points of curves and surfaces.

A frame (core.layout.frames.MARKER_FRAME) starts as the first marker of the joint; every axis moves it on.
"""

import math

from flexmbs.core.layout.tables import BALL, CURVE, ROTATION, SURFACE
from flexmbs.core.mechanics.curve_axes import move_along, project_on
from flexmbs.core.mechanics.rotation import quaternion_matrix, rotation_matrix, tangent, tangent_rate
from flexmbs.core.mechanics.vectors import (
    add,
    components,
    cross,
    dot,
    post_multiply,
    post_multiply_transposed,
    put,
    rotate,
    rotate_back,
)
from flexmbs.machine_code.kernel import kernel


@kernel
def through_axis(tables, axis, q, v, a, reference, number, work):
    """Move the frame ``work.marker[number]`` through a joint axis; ``work.axis`` keeps what the way back needs."""
    joint, frame, state = tables.axes[axis], work.marker[number], work.axis[axis]
    c = joint.coordinate
    if joint.kind == BALL:
        through_ball(joint, q, v, a, reference, frame, state, work.scratch[0].R)
        return
    value, rate, accel = joint.factor * q[c] + joint.offset, joint.factor * v[c], joint.factor * a[c]
    if joint.kind >= CURVE:
        motion = work.curve_motion[0]
        motion.u, motion.u_rate, motion.u_accel = value, rate, accel
        if joint.kind == SURFACE:
            k = joint.second
            motion.u, motion.u_rate, motion.u_accel = q[c], v[c], a[c]
            motion.v, motion.v_rate, motion.v_accel = q[k], v[k], a[k]
        move_along(tables, axis, number, work)
        return
    x, y, z = components(joint.direction)
    ux, uy, uz = rotate(frame.R_WM, x, y, z)
    put(state.direction, ux, uy, uz)
    if joint.kind == ROTATION:
        rotate_about(frame, x, y, z, ux, uy, uz, value, rate, accel)
    else:
        translate_along(frame, ux, uy, uz, value, rate, accel)


@kernel
def rotate_about(frame, x, y, z, ux, uy, uz, angle, rate, accel):
    """Rotate a frame about its unit axis (x, y, z), which is (ux, uy, uz) in the world (Rodrigues, row by row)."""
    wx, wy, wz = components(frame.w_WM)
    px, py, pz = cross(wx, wy, wz, ux, uy, uz)
    add(frame.alpha_WM, ux * accel + px * rate, uy * accel + py * rate, uz * accel + pz * rate)
    add(frame.w_WM, ux * rate, uy * rate, uz * rate)
    R, sine, cosine = frame.R_WM, math.sin(angle), math.cos(angle)
    rest = 1.0 - cosine
    for i, along in enumerate((ux, uy, uz)):
        p, r, s = R[i, 0], R[i, 1], R[i, 2]
        along *= rest
        R[i, 0] = cosine * p + sine * (r * z - s * y) + along * x
        R[i, 1] = cosine * r + sine * (s * x - p * z) + along * y
        R[i, 2] = cosine * s + sine * (p * y - r * x) + along * z


@kernel
def translate_along(frame, ux, uy, uz, distance, rate, accel):
    """Move a frame along the unit vector u (world axes), which turns with it."""
    wx, wy, wz = components(frame.w_WM)
    bx, by, bz = components(frame.alpha_WM)
    dx, dy, dz = ux * distance, uy * distance, uz * distance
    px, py, pz = cross(wx, wy, wz, dx, dy, dz)
    gx, gy, gz = px + 2.0 * ux * rate, py + 2.0 * uy * rate, pz + 2.0 * uz * rate
    hx, hy, hz = cross(wx, wy, wz, gx, gy, gz)
    kx, ky, kz = cross(bx, by, bz, dx, dy, dz)
    add(frame.p_WM, dx, dy, dz)
    add(frame.v_WM, px + ux * rate, py + uy * rate, pz + uz * rate)
    add(frame.a_WM, kx + hx + ux * accel, ky + hy + uy * accel, kz + hz + uz * accel)


@kernel
def through_ball(joint, q, v, a, reference, frame, state, R):
    """The coordinates rotate marker b against marker a; ``state`` keeps the axes of b, in which they are stated.

    With factor -1 the frame comes from b and leaves with the axes of a: the inverse rotation, and the angular velocity
    of b against a taken off.  ``R`` (3, 3) serves as scratch.
    """
    c, sign = joint.coordinate, joint.factor
    x, y, z = q[c], q[c + 1], q[c + 2]
    rx, ry, rz = tangent(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
    sx, sy, sz = tangent(x, y, z, a[c], a[c + 1], a[c + 2], -1.0)
    tx, ty, tz = tangent_rate(x, y, z, v[c], v[c + 1], v[c + 2], -1.0)
    if joint.factor > 0.0:
        quaternion_matrix(reference[joint.ball], R)
        post_multiply(frame.R_WM, R)
        rotation_matrix(x, y, z, R)
        post_multiply(frame.R_WM, R)
    for i in range(3):
        for j in range(3):
            state.R_WM[i, j] = frame.R_WM[i, j]
    add_rotation_rate(frame, sign * rx, sign * ry, sign * rz, sign * (sx + tx), sign * (sy + ty), sign * (sz + tz))
    if joint.factor < 0.0:
        rotation_matrix(-x, -y, -z, R)
        post_multiply(frame.R_WM, R)
        quaternion_matrix(reference[joint.ball], R)
        post_multiply_transposed(frame.R_WM, R)


@kernel
def add_rotation_rate(frame, rx, ry, rz, sx, sy, sz):
    """Add a relative angular velocity r and its derivative s, given in the present axes of the frame."""
    rx, ry, rz = rotate(frame.R_WM, rx, ry, rz)
    sx, sy, sz = rotate(frame.R_WM, sx, sy, sz)
    wx, wy, wz = components(frame.w_WM)
    px, py, pz = cross(wx, wy, wz, rx, ry, rz)
    add(frame.alpha_WM, px + sx, py + sy, pz + sz)
    add(frame.w_WM, rx, ry, rz)


@kernel
def back_through_axis(tables, axis, q, point, wrench, residual, work):
    """Project the wrench (moment about ``point``) on the coordinate, and move ``point`` before the axis."""
    joint, state = tables.axes[axis], work.axis[axis]
    c = joint.coordinate
    if joint.kind == BALL:
        mx, my, mz = components(wrench.moment)
        mx, my, mz = rotate_back(state.R_WM, mx, my, mz)
        mx, my, mz = tangent(q[c], q[c + 1], q[c + 2], mx, my, mz, 1.0)
        residual[c] += joint.factor * mx
        residual[c + 1] += joint.factor * my
        residual[c + 2] += joint.factor * mz
        return
    ux, uy, uz = components(state.direction)
    if joint.kind == ROTATION:
        residual[c] += joint.factor * dot(wrench.moment, ux, uy, uz)
        return
    if joint.kind >= CURVE:
        back_through_shape(tables, axis, point, wrench, residual, work)
        return
    residual[c] += joint.factor * dot(wrench.force, ux, uy, uz)
    x = joint.factor * q[c] + joint.offset
    dx, dy, dz = ux * x, uy * x, uz * x
    fx, fy, fz = components(wrench.force)
    mx, my, mz = cross(dx, dy, dz, fx, fy, fz)
    add(wrench.moment, mx, my, mz)
    add(point, -dx, -dy, -dz)


@kernel
def back_through_shape(tables, axis, point, wrench, residual, work):
    """:func:`back_through_axis` along a curve or surface."""
    joint, back, motion = tables.axes[axis], work.curve_wrench[0], work.curve_motion[0]
    for i in range(3):
        back.point[i], back.force[i], back.moment[i] = point[i], wrench.force[i], wrench.moment[i]
    project_on(tables, axis, work)
    for i in range(3):
        point[i], wrench.force[i], wrench.moment[i] = back.point[i], back.force[i], back.moment[i]
    if joint.kind == SURFACE:
        residual[joint.coordinate] += motion.force_u
        residual[joint.second] += motion.force_v
    else:
        residual[joint.coordinate] += joint.factor * motion.force_u
