"""Accelerations of a tree of rigid bodies on which nothing but gravity and drivers acts, from its moving frames.

The articulated-body algorithm as in core.mechanics.articulated_body, but without a residual before it: the force that a
body needs without further accelerations goes inwards together with its articulated inertia.  Bodies on one hinge, of
which long chains are made, go through one pass that keeps all numbers in registers.
"""

import math

from flexmbs.core.layout.tables import BALL, ROTATION
from flexmbs.core.mechanics.articulated_body import (
    add_body,
    add_shifted,
    clear_column,
    clear_inertia,
    eliminate,
    moments_about_joint,
    set_columns,
    shift,
    substitute,
    upper,
)
from flexmbs.core.mechanics.forward_kinematics import move_body, place_ground
from flexmbs.core.mechanics.inertia import set_rigid_wrench
from flexmbs.core.mechanics.vectors import add, components, cross, difference, dot, elements, put
from flexmbs.machine_code.kernel import kernel


@kernel
def move_free_tree(tables, q, v, a, reference, work):
    """core.mechanics.forward_kinematics of rigid bodies, but without velocities of points, on which nothing depends."""
    place_ground(work.frame[0], tables.gravity)
    for b in range(1, len(tables.bodies)):
        if is_on_hinge(tables, b):
            move_hinge(tables, b, q, v, work)
        else:
            move_body(tables, b, q, v, a, reference, work)


@kernel
def move_hinge(tables, b, q, v, work):
    """Frame of a body on a hinge from that of its parent, without the acceleration of the hinge."""
    body = tables.bodies[b]
    start, own = tables.markers[body.parent_marker], tables.markers[body.own_marker]
    parent, frame, axis = work.frame[start.body], work.frame[b], tables.axes[body.axis_start]
    # the parent's marker
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = elements(parent.R_WB)
    x, y, z = components(start.p_BM)
    dx, dy, dz = r0 * x + r1 * y + r2 * z, r3 * x + r4 * y + r5 * z, r6 * x + r7 * y + r8 * z
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = elements(start.R_BM)
    m0, m1, m2 = r0 * b0 + r1 * b3 + r2 * b6, r0 * b1 + r1 * b4 + r2 * b7, r0 * b2 + r1 * b5 + r2 * b8
    m3, m4, m5 = r3 * b0 + r4 * b3 + r5 * b6, r3 * b1 + r4 * b4 + r5 * b7, r3 * b2 + r4 * b5 + r5 * b8
    m6, m7, m8 = r6 * b0 + r7 * b3 + r8 * b6, r6 * b1 + r7 * b4 + r8 * b7, r6 * b2 + r7 * b5 + r8 * b8
    wx, wy, wz = components(parent.w_WB)
    ex, ey, ez = components(parent.alpha_WB)
    ax, ay, az = components(parent.a_WB)
    ax, ay, az = carried_acceleration(wx, wy, wz, ex, ey, ez, dx, dy, dz, ax, ay, az)
    px, py, pz = components(parent.p_WB)
    px, py, pz = px + dx, py + dy, pz + dz
    put(work.joint_point[b], px, py, pz)
    # the rotation about its axis (core.mechanics.joint_axes.rotate_about)
    x, y, z = components(axis.direction)
    ux, uy, uz = m0 * x + m1 * y + m2 * z, m3 * x + m4 * y + m5 * z, m6 * x + m7 * y + m8 * z
    put(work.axis[body.axis_start].direction, ux, uy, uz)
    angle, rate = axis.factor * q[axis.coordinate] + axis.offset, axis.factor * v[axis.coordinate]
    cx, cy, cz = cross(wx, wy, wz, ux, uy, uz)
    ex, ey, ez = ex + cx * rate, ey + cy * rate, ez + cz * rate
    wx, wy, wz = wx + ux * rate, wy + uy * rate, wz + uz * rate
    sine, cosine = math.sin(angle), math.cos(angle)
    rest = 1.0 - cosine
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = elements(own.R_BM)
    sx, sy, sz = components(own.p_BM)
    ox = oy = oz = 0.0
    for i, (h, j, k, along) in enumerate(((m0, m1, m2, ux), (m3, m4, m5, uy), (m6, m7, m8, uz))):
        g0 = cosine * h + sine * (j * z - k * y) + along * rest * x
        g1 = cosine * j + sine * (k * x - h * z) + along * rest * y
        g2 = cosine * k + sine * (h * y - j * x) + along * rest * z
        f0, f1, f2 = g0 * b0 + g1 * b1 + g2 * b2, g0 * b3 + g1 * b4 + g2 * b5, g0 * b6 + g1 * b7 + g2 * b8
        frame.R_WB[i, 0], frame.R_WB[i, 1], frame.R_WB[i, 2] = f0, f1, f2
        back = -(f0 * sx + f1 * sy + f2 * sz)
        if i == 0:
            ox = back
        elif i == 1:
            oy = back
        else:
            oz = back
    # the body's origin
    ax, ay, az = carried_acceleration(wx, wy, wz, ex, ey, ez, ox, oy, oz, ax, ay, az)
    put(frame.p_WB, px + ox, py + oy, pz + oz)
    put(frame.w_WB, wx, wy, wz)
    put(frame.alpha_WB, ex, ey, ez)
    put(frame.a_WB, ax, ay, az)


@kernel
def carried_acceleration(wx, wy, wz, ex, ey, ez, dx, dy, dz, ax, ay, az):
    """a + e × d + w × (w × d): acceleration of a point that is d away on the same body."""
    px, py, pz = cross(wx, wy, wz, dx, dy, dz)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    fx, fy, fz = cross(ex, ey, ez, dx, dy, dz)
    return ax + cx + fx, ay + cy + fy, az + cz + fz


@kernel
def solve_free_tree(tables, work, q, a):
    """Set the free entries of ``a`` to what they add to the motion in ``work``; False: a coordinate without inertia.

    :func:`move_free_tree` has left frames and joints in ``work``, with the accelerations of driven coordinates alone.
    """
    a[:] = 0.0
    for b in range(1, len(tables.bodies)):
        clear_inertia(work.articulated[b])
    for b in range(len(tables.bodies) - 1, 0, -1):
        done = pass_hinge(tables, b, work) if is_on_hinge(tables, b) else pass_joint(tables, b, q, work, a)
        if not done:
            return False
    for b in range(1, len(tables.bodies)):
        if is_on_hinge(tables, b):
            turn_hinge(tables, b, work, a)
        else:
            substitute(tables, b, work, work.articulated, work.columns, a)
    return True


@kernel
def is_on_hinge(tables, b):
    """Whether one undriven rotation holds body ``b``."""
    body = tables.bodies[b]
    if body.axis_end - body.axis_start != 1:
        return False
    axis = tables.axes[body.axis_start]
    return axis.kind == ROTATION and tables.coordinates[axis.coordinate].signal < 0


@kernel
def pass_joint(tables, b, q, work, nothing):
    """Inertia and force of body ``b`` on any joint inwards to its parent; ``nothing`` holds zeros."""
    body, own, frame, point = tables.bodies[b], work.articulated[b], work.frame[b], work.joint_point[b]
    set_rigid_wrench(tables, b, work)
    fx, fy, fz = components(work.wrench[b].force)
    mx, my, mz = components(work.wrench[b].moment)
    dx, dy, dz = difference(frame.p_WB, point)
    px, py, pz = cross(dx, dy, dz, fx, fy, fz)
    add(own.moment, mx + px, my + py, mz + pz)
    add(own.force, fx, fy, fz)
    add_body(tables, b, work, own)
    for axis in range(body.axis_start, body.axis_end):
        joint = tables.axes[axis]
        for k in range(3 if joint.kind == BALL else 1):
            clear_column(work.columns[joint.coordinate + k])
    set_columns(tables, b, q, work, work.columns)
    if not eliminate(tables, b, nothing, own, work.columns):
        return False
    parent = tables.markers[body.parent_marker].body
    if parent != 0:
        shift(own, point, work.joint_point[parent], work.articulated[parent])
    return True


@kernel
def pass_hinge(tables, b, work):
    """:func:`pass_joint` of a body on a hinge, whose point does not move with it."""
    body, frame, g = tables.bodies[b], work.frame[b], work.articulated[b]
    point = work.joint_point[b]
    # the body about the point of its joint: products of inertia, first moment h
    xx, xy, xz, yy, yz, zz, hx, hy, hz = moments_about_joint(body, frame, point, tables.pool)
    ox, oy, oz = difference(frame.p_WB, point)
    a0, a1, a2, a3, a4, a5 = yy + zz, -xy, -xz, xx + zz, -yz, xx + yy
    mass = body.root_mass * body.root_mass
    # the force that it needs, and its moment
    wx, wy, wz = components(frame.w_WB)
    px, py, pz = components(frame.alpha_WB)
    qx, qy, qz = components(frame.a_WB)
    qx, qy, qz = carried_acceleration(wx, wy, wz, px, py, pz, -ox, -oy, -oz, qx, qy, qz)  # of the point
    ex, ey, ez = cross(wx, wy, wz, hx, hy, hz)
    ix, iy, iz = cross(wx, wy, wz, ex, ey, ez)
    jx, jy, jz = cross(px, py, pz, hx, hy, hz)
    fx, fy, fz = mass * qx + ix + jx, mass * qy + iy + jy, mass * qz + iz + jz
    ex, ey, ez = a0 * wx + a1 * wy + a2 * wz, a1 * wx + a3 * wy + a4 * wz, a2 * wx + a4 * wy + a5 * wz
    ix, iy, iz = cross(wx, wy, wz, ex, ey, ez)
    jx, jy, jz = cross(hx, hy, hz, qx, qy, qz)
    mx = a0 * px + a1 * py + a2 * pz + ix + jx
    my = a1 * px + a3 * py + a4 * pz + iy + jy
    mz = a2 * px + a4 * py + a5 * pz + iz + jz
    # with what bodies further out need
    g0, g1, g2, g3, g4, g5 = upper(g.A)
    a0, a1, a2, a3, a4, a5 = a0 + g0, a1 + g1, a2 + g2, a3 + g3, a4 + g4, a5 + g5
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = elements(g.B)
    b1, b2, b3, b5, b6, b7 = b1 - hz, b2 + hy, b3 + hz, b5 - hx, b6 - hy, b7 + hx
    c0, c1, c2, c3, c4, c5 = upper(g.C)
    c0, c3, c5 = c0 + mass, c3 + mass, c5 + mass
    mx, my, mz = mx + g.moment[0], my + g.moment[1], mz + g.moment[2]
    fx, fy, fz = fx + g.force[0], fy + g.force[1], fz + g.force[2]
    # the hinge gives way
    axis = tables.axes[body.axis_start]
    x, y, z = components(work.axis[body.axis_start].direction)
    x, y, z = axis.factor * x, axis.factor * y, axis.factor * z
    u0, u1, u2 = a0 * x + a1 * y + a2 * z, a1 * x + a3 * y + a4 * z, a2 * x + a4 * y + a5 * z
    u3, u4, u5 = b0 * x + b3 * y + b6 * z, b1 * x + b4 * y + b7 * z, b2 * x + b5 * y + b8 * z
    pivot, effort = x * u0 + y * u1 + z * u2, -(mx * x + my * y + mz * z)
    if not pivot > 0.0:
        return False
    inverse = 1.0 / pivot
    column = work.columns[axis.coordinate]
    column.effort, column.inverse = effort, inverse
    put(column.w, x, y, z)
    put(column.moment, u0, u1, u2)
    put(column.force, u3, u4, u5)
    parent = tables.markers[body.parent_marker].body
    if parent == 0:
        return True
    v0, v1, v2, v3, v4, v5 = inverse * u0, inverse * u1, inverse * u2, inverse * u3, inverse * u4, inverse * u5
    a0, a1, a2, a3, a4, a5 = a0 - v0 * u0, a1 - v0 * u1, a2 - v0 * u2, a3 - v1 * u1, a4 - v1 * u2, a5 - v2 * u2
    b0, b1, b2, b3, b4 = b0 - v0 * u3, b1 - v0 * u4, b2 - v0 * u5, b3 - v1 * u3, b4 - v1 * u4
    b5, b6, b7, b8 = b5 - v1 * u5, b6 - v2 * u3, b7 - v2 * u4, b8 - v2 * u5
    c0, c1, c2, c3, c4, c5 = c0 - v3 * u3, c1 - v3 * u4, c2 - v3 * u5, c3 - v4 * u4, c4 - v4 * u5, c5 - v5 * u5
    mx, my, mz = mx + v0 * effort, my + v1 * effort, mz + v2 * effort
    fx, fy, fz = fx + v3 * effort, fy + v4 * effort, fz + v5 * effort
    A, B, C = (a0, a1, a2, a3, a4, a5), (b0, b1, b2, b3, b4, b5, b6, b7, b8), (c0, c1, c2, c3, c4, c5)
    x, y, z = difference(point, work.joint_point[parent])
    add_shifted(A, B, C, (fx, fy, fz), (mx, my, mz), x, y, z, work.articulated[parent])
    return True


@kernel
def turn_hinge(tables, b, work, a):
    """Acceleration of the hinge of body ``b`` and of the body, from that of its parent."""
    body, own = tables.bodies[b], work.articulated[b]
    parent = tables.markers[body.parent_marker].body
    wx = wy = wz = vx = vy = vz = 0.0
    if parent != 0:
        dx, dy, dz = difference(work.joint_point[b], work.joint_point[parent])
        wx, wy, wz = components(work.articulated[parent].alpha)
        px, py, pz = cross(wx, wy, wz, dx, dy, dz)
        vx, vy, vz = components(work.articulated[parent].a)
        vx, vy, vz = vx + px, vy + py, vz + pz
    c = tables.axes[body.axis_start].coordinate
    column = work.columns[c]
    change = column.inverse * (column.effort - (dot(column.moment, wx, wy, wz) + dot(column.force, vx, vy, vz)))
    a[c] = change
    x, y, z = components(column.w)
    put(own.alpha, wx + x * change, wy + y * change, wz + z * change)
    put(own.a, vx, vy, vz)
