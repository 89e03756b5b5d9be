"""Joint axes along curves and surfaces: a frame moved by a point of a spline, or by the frame that follows it.

The frame of a curve c(s) has x = c' / |c'|, y = up × x normalised, z = x × y, with the direction ``up`` of the
curve's header; R(s) has these as columns. Its rate is R' = R kappa~, with (in the axes of R)

    kappa = (z . m' / |m|, -z . c'' / |c'|, y . c'' / |c'|),   m = up × c',

and kappa' follows from y' = kappa_x z - kappa_z x, z' = kappa_y x - kappa_x y, |c'|' = x . c'', |m|' = y . m':
derivatives of the very frame that is used, whether |c'| is exactly 1 or not.

Frames are 24 numbers (R, p, omega, v, alpha, a in world axes) as in ``core.mechanics.joint_axes``. ``world`` (24 numbers) serves
as scratch and then keeps in its first nine what the way back needs.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.arrays import Floats
from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.layout.tables import CURVE, INVERSE_CURVE, Tables
from flexmbs.core.mechanics.rotation import cross
from flexmbs.core.mechanics.splines import curve_point, surface_point

WORLD_SIZE = 24  # numbers that ``world`` holds


@entry
def move_along(tables: Tables, axis: int, motion: Floats, frame: Floats, world: Floats) -> None:
    """Move ``frame`` (24) through a joint axis along a curve or surface.

    ``motion`` (6): two coordinates, their rates, their accelerations; ``world`` (24) keeps what the way back needs.
    """
    joint = tables.axes[axis]
    s, t, sd, td, sdd, tdd = motion[0], motion[1], motion[2], motion[3], motion[4], motion[5]
    if joint.kind == CURVE:
        through_curve(tables.pool, joint.at, joint.follow, s, sd, sdd, frame, world)
    elif joint.kind == INVERSE_CURVE:
        through_inverse_curve(tables.pool, joint.at, joint.follow, s, sd, sdd, frame, world)
    else:
        through_surface(tables.pool, joint.at, s, t, sd, td, sdd, tdd, frame, world)


@entry
def project_on(tables: Tables, axis: int, world: Floats, load: Floats, force: Floats) -> None:
    """The way back: ``load`` holds point (3) and wrench (6), ``force`` gets the generalised forces (1 or 2)."""
    kind = tables.axes[axis].kind
    if kind == CURVE or kind == INVERSE_CURVE:
        force[0] = back_through_curve(world, load[0:3], load[3:9])
    else:
        force[0], force[1] = back_through_surface(world, load[0:3], load[3:9])


@kernel
def curve_frame(pool, at, s, out):
    """The frame that follows a curve at parameter ``s``.

    out[0:12] = c, c', c'', c'''; out[12:21] = R (row by row); returns kappa and kappa' (3 + 3 numbers, axes of R).
    """
    curve_point(pool, at, s, out)
    upx, upy, upz = pool[at + 5], pool[at + 6], pool[at + 7]
    ax, ay, az = out[6], out[7], out[8]
    bx, by, bz = out[9], out[10], out[11]
    speed = math.sqrt(out[3] * out[3] + out[4] * out[4] + out[5] * out[5])
    xx, xy, xz = out[3] / speed, out[4] / speed, out[5] / speed
    mx, my, mz = cross(upx, upy, upz, out[3], out[4], out[5])
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
    out[12], out[13], out[14] = xx, yx, zx
    out[15], out[16], out[17] = xy, yy, zy
    out[18], out[19], out[20] = xz, yz, zz
    return kx, ky, kz, lx, ly, lz


@kernel
def through_curve(pool, at, follow, s, sd, sdd, f, world):
    """Move frame ``f`` to the point of the curve at s(t) with rates ``sd``, ``sdd``; follow != 0: turn it too.

    ``world`` (24) keeps dp/ds, dtheta/ds and the displacement (world axes) for :func:`back_through_curve`.
    """
    if follow == 0:
        curve_point(pool, at, s, world)
        _shift_along_curve(f, world, sd, sdd, 1.0)
        return
    kx, ky, kz, lx, ly, lz = curve_frame(pool, at, s, world)
    rx, ry, rz = _in_world(f, world[3], world[4], world[5])
    dx, dy, dz = _in_world(f, world[0], world[1], world[2])
    ax, ay, az = _curve_acceleration(f, world, sd, sdd)
    shift_frame(f, dx, dy, dz, sd * rx, sd * ry, sd * rz, ax, ay, az)
    _post_multiply(f, world)
    wx, wy, wz = _in_world(f, kx, ky, kz)
    ex, ey, ez = _in_world(f, lx * sd * sd + kx * sdd, ly * sd * sd + ky * sdd, lz * sd * sd + kz * sdd)
    px, py, pz = cross(f[12], f[13], f[14], wx * sd, wy * sd, wz * sd)
    for i, (spin, change) in enumerate(((wx, px + ex), (wy, py + ey), (wz, pz + ez))):
        f[12 + i] += spin * sd
        f[18 + i] += change
    _keep(world, rx, ry, rz, wx, wy, wz, dx, dy, dz)


@kernel
def through_inverse_curve(pool, at, follow, s, sd, sdd, f, world):
    """Move frame ``f`` by the inverse of what :func:`through_curve` does; the way back is the same function.

    The moved frame g is the one whose curve (point, or frame with follow != 0) at s is where ``f`` was.
    """
    if follow == 0:
        curve_point(pool, at, s, world)
        _shift_along_curve(f, world, sd, sdd, -1.0)
        return
    kx, ky, kz, lx, ly, lz = curve_frame(pool, at, s, world)
    wx, wy, wz = _in_world(f, kx, ky, kz)
    ex, ey, ez = _in_world(f, lx * sd * sd + kx * sdd, ly * sd * sd + ky * sdd, lz * sd * sd + kz * sdd)
    f[12] -= wx * sd
    f[13] -= wy * sd
    f[14] -= wz * sd
    px, py, pz = cross(f[12], f[13], f[14], wx * sd, wy * sd, wz * sd)
    f[18] -= px + ex
    f[19] -= py + ey
    f[20] -= pz + ez
    _post_multiply_transposed(f, world)
    dx, dy, dz = _in_world(f, world[0], world[1], world[2])
    rx, ry, rz = _in_world(f, world[3], world[4], world[5])
    ax, ay, az = _curve_acceleration(f, world, sd, sdd)
    shift_frame(f, -dx, -dy, -dz, -sd * rx, -sd * ry, -sd * rz, -ax, -ay, -az)
    # at a fixed frame before, the moved origin slides along the curve and swings about where f was
    qx, qy, qz = cross(wx, wy, wz, dx, dy, dz)
    _keep(world, qx - rx, qy - ry, qz - rz, -wx, -wy, -wz, -dx, -dy, -dz)


@kernel
def back_through_curve(world, point, wrench):
    """Generalised force of the wrench (force, moment about ``point``) on s; ``point`` and moment move before the axis.

    For :func:`through_curve` and :func:`through_inverse_curve`, with or without follow.
    """
    force = world[0] * wrench[0] + world[1] * wrench[1] + world[2] * wrench[2]
    force += world[3] * wrench[3] + world[4] * wrench[4] + world[5] * wrench[5]
    _shift_wrench(world, point, wrench)
    return force


@kernel
def through_surface(pool, at, u, v, ud, vd, udd, vdd, f, world):
    """Move frame ``f`` (without turning it) to the point of the surface at u(t), v(t) with their rates.

    ``world`` (24) keeps dp/du, dp/dv and the displacement (world axes) for :func:`back_through_surface`.
    """
    surface_point(pool, at, u, v, world)
    _shift_along_surface(f, world, ud, vd, udd, vdd, 1.0)


@kernel
def through_inverse_surface(pool, at, u, v, ud, vd, udd, vdd, f, world):
    """Move frame ``f`` (without turning it) so that the surface's point at u, v is where ``f`` was."""
    surface_point(pool, at, u, v, world)
    _shift_along_surface(f, world, ud, vd, udd, vdd, -1.0)


@kernel
def back_through_surface(world, point, wrench):
    """Generalised forces of the wrench on u and v; ``point`` and the moment move before the axis."""
    on_u = world[0] * wrench[0] + world[1] * wrench[1] + world[2] * wrench[2]
    on_v = world[3] * wrench[0] + world[4] * wrench[1] + world[5] * wrench[2]
    _shift_wrench(world, point, wrench)
    return on_u, on_v


@kernel
def shift_frame(f, dx, dy, dz, rx, ry, rz, ax, ay, az):
    """Move the origin of ``f`` by d, which changes relative to ``f`` at velocity r and acceleration a (world axes)."""
    px, py, pz = cross(f[12], f[13], f[14], dx, dy, dz)
    hx, hy, hz = cross(f[12], f[13], f[14], px + 2.0 * rx, py + 2.0 * ry, pz + 2.0 * rz)
    kx, ky, kz = cross(f[18], f[19], f[20], dx, dy, dz)
    f[9] += dx
    f[10] += dy
    f[11] += dz
    f[15] += px + rx
    f[16] += py + ry
    f[17] += pz + rz
    f[21] += kx + hx + ax
    f[22] += ky + hy + ay
    f[23] += kz + hz + az


@kernel
def _in_world(f, x, y, z):
    return f[0] * x + f[1] * y + f[2] * z, f[3] * x + f[4] * y + f[5] * z, f[6] * x + f[7] * y + f[8] * z


@kernel
def _curve_acceleration(f, world, sd, sdd):
    """c'' sd^2 + c' sdd in world axes."""
    square = sd * sd
    return _in_world(
        f,
        world[6] * square + world[3] * sdd,
        world[7] * square + world[4] * sdd,
        world[8] * square + world[5] * sdd,
    )


@kernel
def _shift_along_curve(f, world, sd, sdd, sign):
    """Move ``f`` by sign times the point c in ``world``, without turning it."""
    dx, dy, dz = _in_world(f, sign * world[0], sign * world[1], sign * world[2])
    rx, ry, rz = _in_world(f, sign * world[3], sign * world[4], sign * world[5])
    ax, ay, az = _curve_acceleration(f, world, sd, sdd)
    shift_frame(f, dx, dy, dz, sd * rx, sd * ry, sd * rz, sign * ax, sign * ay, sign * az)
    _keep(world, rx, ry, rz, 0.0, 0.0, 0.0, dx, dy, dz)


@kernel
def _shift_along_surface(f, world, ud, vd, udd, vdd, sign):
    """Move ``f`` by sign times the point x in ``world``, without turning it."""
    dx, dy, dz = _in_world(f, sign * world[0], sign * world[1], sign * world[2])
    ux, uy, uz = _in_world(f, sign * world[3], sign * world[4], sign * world[5])
    vx, vy, vz = _in_world(f, sign * world[6], sign * world[7], sign * world[8])
    uu, uv, vv = sign * ud * ud, sign * 2.0 * ud * vd, sign * vd * vd
    ax, ay, az = _in_world(
        f,
        uu * world[9] + uv * world[12] + vv * world[15],
        uu * world[10] + uv * world[13] + vv * world[16],
        uu * world[11] + uv * world[14] + vv * world[17],
    )
    ax, ay, az = ax + ux * udd + vx * vdd, ay + uy * udd + vy * vdd, az + uz * udd + vz * vdd
    shift_frame(f, dx, dy, dz, ux * ud + vx * vd, uy * ud + vy * vd, uz * ud + vz * vd, ax, ay, az)
    _keep(world, ux, uy, uz, vx, vy, vz, dx, dy, dz)


@kernel
def _keep(world, rx, ry, rz, wx, wy, wz, dx, dy, dz):
    world[0], world[1], world[2] = rx, ry, rz
    world[3], world[4], world[5] = wx, wy, wz
    world[6], world[7], world[8] = dx, dy, dz


@kernel
def _shift_wrench(world, point, wrench):
    mx, my, mz = cross(world[6], world[7], world[8], wrench[0], wrench[1], wrench[2])
    wrench[3] += mx
    wrench[4] += my
    wrench[5] += mz
    point[0] -= world[6]
    point[1] -= world[7]
    point[2] -= world[8]


@kernel
def _post_multiply(f, world):
    """Rotation of ``f`` times the matrix in world[12:21]."""
    for i in range(3):
        x, y, z = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        for j in range(3):
            f[3 * i + j] = x * world[12 + j] + y * world[15 + j] + z * world[18 + j]


@kernel
def _post_multiply_transposed(f, world):
    """Rotation of ``f`` times the transposed matrix in world[12:21]."""
    for i in range(3):
        x, y, z = f[3 * i], f[3 * i + 1], f[3 * i + 2]
        for j in range(3):
            f[3 * i + j] = x * world[12 + 3 * j] + y * world[13 + 3 * j] + z * world[14 + 3 * j]
