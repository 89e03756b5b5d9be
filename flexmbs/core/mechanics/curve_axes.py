"""Joint axes along curves and surfaces: a frame moved by a point of a spline, or by the frame that follows it.

The frame of a curve c(s) has x = c' / |c'|, y = up × x normalised, z = x × y, with the direction ``up`` of the
curve's header; R(s) has these as columns. Its rate is R' = R kappa~, with (in the axes of R)

    kappa = (z . m' / |m|, -z . c'' / |c'|, y . c'' / |c'|),   m = up × c',

and kappa' follows from y' = kappa_x z - kappa_z x, z' = kappa_y x - kappa_x y, |c'|' = x . c'', |m|' = y . m':
derivatives of the very frame that is used, whether |c'| is exactly 1 or not.

Records: core.layout.frames. ``frame`` is a MARKER_FRAME, ``state`` the AXIS_STATE that the way back needs, ``point`` a
CURVE_POINT or SURFACE_POINT that serves as scratch.
"""

from __future__ import annotations

import math

from flexmbs.core.layout.tables import CURVE, INVERSE_CURVE, Tables, Workspace
from flexmbs.core.mechanics.splines import UP, curve_point, surface_point
from flexmbs.core.mechanics.vectors import (
    add,
    components,
    cross,
    dot,
    post_multiply,
    post_multiply_transposed,
    put,
    rotate,
    vector_at,
)
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@entry
def move_along(tables: Tables, axis: int, number: int, work: Workspace) -> None:
    """Move the frame ``work.marker[number]`` through a joint axis along a curve or surface by ``work.curve_motion``."""
    joint, pool = tables.axes[axis], tables.pool
    frame, state, motion = work.marker[number], work.axis[axis], work.curve_motion[0]
    u, u_rate, u_accel = motion.u, motion.u_rate, motion.u_accel
    if joint.kind == CURVE:
        through_curve(pool, joint.at, joint.follow, u, u_rate, u_accel, frame, state, work.curve_point[0])
    elif joint.kind == INVERSE_CURVE:
        through_inverse_curve(pool, joint.at, joint.follow, u, u_rate, u_accel, frame, state, work.curve_point[0])
    else:
        v, v_rate, v_accel = motion.v, motion.v_rate, motion.v_accel
        point = work.surface_point[0]
        through_surface(pool, joint.at, u, v, u_rate, v_rate, u_accel, v_accel, frame, state, point)


@entry
def project_on(tables: Tables, axis: int, work: Workspace) -> None:
    """The way back: ``work.curve_wrench`` moves before the axis, ``work.curve_motion`` gets the generalised forces."""
    kind, state = tables.axes[axis].kind, work.axis[axis]
    motion, wrench = work.curve_motion[0], work.curve_wrench[0]
    if kind == CURVE or kind == INVERSE_CURVE:
        motion.force_u = back_through_curve(state, wrench.point, wrench)
    else:
        motion.force_u, motion.force_v = back_through_surface(state, wrench.point, wrench)


@kernel
def curve_frame(pool, at, s, point):
    """Fill ``point`` at parameter ``s``, with the frame R that follows the curve.

    Returns kappa and kappa' (3 + 3 numbers, axes of R).
    """
    curve_point(pool, at, s, point)
    upx, upy, upz = vector_at(pool, at + UP)
    tx, ty, tz = components(point.c_s)
    ax, ay, az = components(point.c_ss)
    bx, by, bz = components(point.c_sss)
    speed = math.sqrt(tx * tx + ty * ty + tz * tz)
    xx, xy, xz = tx / speed, ty / speed, tz / speed
    mx, my, mz = cross(upx, upy, upz, tx, ty, tz)
    size = math.sqrt(mx * mx + my * my + mz * mz)
    yx, yy, yz = mx / size, my / size, mz / size
    zx, zy, zz = cross(xx, xy, xz, yx, yy, yz)
    m1x, m1y, m1z = cross(upx, upy, upz, ax, ay, az)
    m2x, m2y, m2z = cross(upx, upy, upz, bx, by, bz)
    kx = (zx * m1x + zy * m1y + zz * m1z) / size
    ky = -(zx * ax + zy * ay + zz * az) / speed
    kz = (yx * ax + yy * ay + yz * az) / speed
    y1x, y1y, y1z = kx * zx - kz * xx, kx * zy - kz * xy, kx * zz - kz * xz
    z1x, z1y, z1z = ky * xx - kx * yx, ky * xy - kx * yy, ky * xz - kx * yz
    speed_rate = xx * ax + xy * ay + xz * az
    size_rate = yx * m1x + yy * m1y + yz * m1z
    lx = (z1x * m1x + z1y * m1y + z1z * m1z + zx * m2x + zy * m2y + zz * m2z - kx * size_rate) / size
    ly = -(z1x * ax + z1y * ay + z1z * az + zx * bx + zy * by + zz * bz + ky * speed_rate) / speed
    lz = (y1x * ax + y1y * ay + y1z * az + yx * bx + yy * by + yz * bz - kz * speed_rate) / speed
    for i, (x, y, z) in enumerate(((xx, yx, zx), (xy, yy, zy), (xz, yz, zz))):
        point.R[i, 0], point.R[i, 1], point.R[i, 2] = x, y, z
    return kx, ky, kz, lx, ly, lz


@kernel
def through_curve(pool, at, follow, s, rate, accel, frame, state, point):
    """Move ``frame`` to the point of the curve at s(t) with its ``rate`` and ``accel``; follow != 0: turn it too.

    ``state`` keeps dp/ds, dtheta/ds and the displacement (world axes) for :func:`back_through_curve`.
    """
    if follow == 0:
        curve_point(pool, at, s, point)
        shift_along_curve(frame, state, point, rate, accel, 1.0)
        return
    kx, ky, kz, lx, ly, lz = curve_frame(pool, at, s, point)
    rx, ry, rz = in_world(frame, point.c_s, 1.0)
    dx, dy, dz = in_world(frame, point.c, 1.0)
    ax, ay, az = curve_acceleration(frame, point, rate, accel)
    shift_frame(frame, dx, dy, dz, rate * rx, rate * ry, rate * rz, ax, ay, az)
    post_multiply(frame.R_WM, point.R)
    wx, wy, wz = rotate(frame.R_WM, kx, ky, kz)
    ex, ey, ez = curvature_acceleration(frame, kx, ky, kz, lx, ly, lz, rate, accel)
    ox, oy, oz = components(frame.w_WM)
    px, py, pz = cross(ox, oy, oz, wx * rate, wy * rate, wz * rate)
    add(frame.w_WM, wx * rate, wy * rate, wz * rate)
    add(frame.alpha_WM, px + ex, py + ey, pz + ez)
    keep_curve(state, rx, ry, rz, wx, wy, wz, dx, dy, dz)


@kernel
def through_inverse_curve(pool, at, follow, s, rate, accel, frame, state, point):
    """Move ``frame`` by the inverse of what :func:`through_curve` does; the way back is the same function.

    The moved frame g is the one whose curve (point, or frame with follow != 0) at s is where ``frame`` was.
    """
    if follow == 0:
        curve_point(pool, at, s, point)
        shift_along_curve(frame, state, point, rate, accel, -1.0)
        return
    kx, ky, kz, lx, ly, lz = curve_frame(pool, at, s, point)
    wx, wy, wz = rotate(frame.R_WM, kx, ky, kz)
    ex, ey, ez = curvature_acceleration(frame, kx, ky, kz, lx, ly, lz, rate, accel)
    add(frame.w_WM, -wx * rate, -wy * rate, -wz * rate)
    ox, oy, oz = components(frame.w_WM)
    px, py, pz = cross(ox, oy, oz, wx * rate, wy * rate, wz * rate)
    add(frame.alpha_WM, -(px + ex), -(py + ey), -(pz + ez))
    post_multiply_transposed(frame.R_WM, point.R)
    dx, dy, dz = in_world(frame, point.c, 1.0)
    rx, ry, rz = in_world(frame, point.c_s, 1.0)
    ax, ay, az = curve_acceleration(frame, point, rate, accel)
    shift_frame(frame, -dx, -dy, -dz, -rate * rx, -rate * ry, -rate * rz, -ax, -ay, -az)
    # at a fixed frame before, the moved origin slides along the curve and swings about where the frame was
    qx, qy, qz = cross(wx, wy, wz, dx, dy, dz)
    keep_curve(state, qx - rx, qy - ry, qz - rz, -wx, -wy, -wz, -dx, -dy, -dz)


@kernel
def back_through_curve(state, point, wrench):
    """Generalised force of the wrench (moment about ``point``) on s; ``point`` and moment move before the axis.

    For :func:`through_curve` and :func:`through_inverse_curve`, with or without follow.
    """
    fx, fy, fz = components(wrench.force)
    mx, my, mz = components(wrench.moment)
    force = dot(state.p_u, fx, fy, fz) + dot(state.rotation_u, mx, my, mz)
    shift_wrench(state, point, wrench)
    return force


@kernel
def through_surface(pool, at, u, v, u_rate, v_rate, u_accel, v_accel, frame, state, point):
    """Move ``frame`` (without turning it) to the point of the surface at u(t), v(t) with their rates.

    ``state`` keeps dp/du, dp/dv and the displacement (world axes) for :func:`back_through_surface`.
    """
    surface_point(pool, at, u, v, point)
    shift_along_surface(frame, state, point, u_rate, v_rate, u_accel, v_accel, 1.0)


@kernel
def through_inverse_surface(pool, at, u, v, u_rate, v_rate, u_accel, v_accel, frame, state, point):
    """Move ``frame`` (without turning it) so that the surface's point at u, v is where ``frame`` was."""
    surface_point(pool, at, u, v, point)
    shift_along_surface(frame, state, point, u_rate, v_rate, u_accel, v_accel, -1.0)


@kernel
def back_through_surface(state, point, wrench):
    """Generalised forces of the wrench on u and v; ``point`` and the moment move before the axis."""
    fx, fy, fz = components(wrench.force)
    on_u, on_v = dot(state.p_u, fx, fy, fz), dot(state.p_v, fx, fy, fz)
    shift_wrench(state, point, wrench)
    return on_u, on_v


@kernel
def shift_frame(frame, dx, dy, dz, rx, ry, rz, ax, ay, az):
    """Move the origin of a frame by d, which changes relative to it at velocity r and acceleration a (world axes)."""
    wx, wy, wz = components(frame.w_WM)
    bx, by, bz = components(frame.alpha_WM)
    px, py, pz = cross(wx, wy, wz, dx, dy, dz)
    hx, hy, hz = cross(wx, wy, wz, px + 2.0 * rx, py + 2.0 * ry, pz + 2.0 * rz)
    kx, ky, kz = cross(bx, by, bz, dx, dy, dz)
    add(frame.p_WM, dx, dy, dz)
    add(frame.v_WM, px + rx, py + ry, pz + rz)
    add(frame.a_WM, kx + hx + ax, ky + hy + ay, kz + hz + az)


@kernel
def in_world(frame, vector, sign):
    """sign times a vector in the axes of the frame, in world axes."""
    x, y, z = components(vector)
    return rotate(frame.R_WM, sign * x, sign * y, sign * z)


@kernel
def curve_acceleration(frame, point, rate, accel):
    """c'' rate^2 + c' accel in world axes."""
    ax, ay, az = components(point.c_ss)
    tx, ty, tz = components(point.c_s)
    square = rate * rate
    return rotate(frame.R_WM, ax * square + tx * accel, ay * square + ty * accel, az * square + tz * accel)


@kernel
def curvature_acceleration(frame, kx, ky, kz, lx, ly, lz, rate, accel):
    """kappa' rate^2 + kappa accel in world axes."""
    square = rate * rate
    return rotate(frame.R_WM, lx * square + kx * accel, ly * square + ky * accel, lz * square + kz * accel)


@kernel
def shift_along_curve(frame, state, point, rate, accel, sign):
    """Move ``frame`` by sign times the point of the curve, without turning it."""
    dx, dy, dz = in_world(frame, point.c, sign)
    rx, ry, rz = in_world(frame, point.c_s, sign)
    ax, ay, az = curve_acceleration(frame, point, rate, accel)
    shift_frame(frame, dx, dy, dz, rate * rx, rate * ry, rate * rz, sign * ax, sign * ay, sign * az)
    keep_curve(state, rx, ry, rz, 0.0, 0.0, 0.0, dx, dy, dz)


@kernel
def shift_along_surface(frame, state, point, u_rate, v_rate, u_accel, v_accel, sign):
    """Move ``frame`` by sign times the point of the surface, without turning it."""
    dx, dy, dz = in_world(frame, point.x, sign)
    ux, uy, uz = in_world(frame, point.x_u, sign)
    vx, vy, vz = in_world(frame, point.x_v, sign)
    ax, ay, az = in_world(frame, point.x_uu, sign * u_rate * u_rate)
    bx, by, bz = in_world(frame, point.x_uv, sign * 2.0 * u_rate * v_rate)
    cx, cy, cz = in_world(frame, point.x_vv, sign * v_rate * v_rate)
    ax += bx + cx + ux * u_accel + vx * v_accel
    ay += by + cy + uy * u_accel + vy * v_accel
    az += bz + cz + uz * u_accel + vz * v_accel
    rx, ry, rz = ux * u_rate + vx * v_rate, uy * u_rate + vy * v_rate, uz * u_rate + vz * v_rate
    shift_frame(frame, dx, dy, dz, rx, ry, rz, ax, ay, az)
    put(state.p_u, ux, uy, uz)
    put(state.p_v, vx, vy, vz)
    put(state.shift, dx, dy, dz)


@kernel
def keep_curve(state, rx, ry, rz, wx, wy, wz, dx, dy, dz):
    """Keep the derivatives r of the position and w of the rotation by the coordinate, and the displacement d."""
    put(state.p_u, rx, ry, rz)
    put(state.rotation_u, wx, wy, wz)
    put(state.shift, dx, dy, dz)


@kernel
def shift_wrench(state, point, wrench):
    """Move ``point`` and the moment back by the displacement of the axis."""
    dx, dy, dz = components(state.shift)
    fx, fy, fz = components(wrench.force)
    mx, my, mz = cross(dx, dy, dz, fx, fy, fz)
    add(wrench.moment, mx, my, mz)
    add(point, -dx, -dy, -dz)
