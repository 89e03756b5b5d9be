"""Accelerations of a tree of rigid bodies under given forces, in time proportional to the number of bodies.

Articulated-body algorithm: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7, here for M a = -residual where
the residual at a = 0 is known already.  Axes of the world; what belongs to a body refers to the point of its joint (its
own marker), since a common point far away would cost digits.

A row of ``work.articulated`` (27), one per body: the articulated inertia [A, B; B^T, C], which takes an (angular,
linear) acceleration to a (moment, force), as upper triangle of A (6), B (9), upper triangle of C (6); then the moment
and force (6) that bodies further out pass on, and on the way out the acceleration of the body.
A row of ``work.columns`` (15), one per coordinate: axis with which it is eliminated; force left for it; reciprocal of
its inertia; (angular, linear) velocity of its body per unit rate (6); moment and force that accelerate it (6).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.layout.tables import BALL, ROTATION
from flexmbs.core.mechanics.rotation import tangent

AXIS, LEFT, INVERSE, TURN, ALONG = 0, 1, 2, 3, 6  # places in a row of ``work.columns``


@kernel
def solve_for_accelerations(tables, q, residual, work, a):
    """Set the free entries of ``a`` to -M(q)^-1 residual; False when a coordinate carries no inertia.

    The model is a tree of rigid bodies (core.layout.tables.is_rigid_tree) and ``work`` as the evaluation of the residual
    has left it.
    """
    inertia, columns = work.articulated, work.columns
    place_joints(tables, work)
    inertia[:] = 0.0
    columns[:] = 0.0
    for b in range(len(tables.bodies) - 1, 0, -1):
        add_body(tables, b, work, inertia[b])
        set_columns(tables, b, q, work, columns)
        if not eliminate(tables, b, residual, inertia[b], columns):
            return False
        parent = tables.markers[tables.bodies[b].parent_marker].body
        if parent != 0:
            shift(inertia[b], work.joint_point[b], work.joint_point[parent], inertia[parent])
    for b in range(1, len(tables.bodies)):
        substitute(tables, b, work, inertia, columns, a)
    for k in range(len(tables.coordinates)):
        if tables.coordinates[k].state != 0:
            a[k] = -residual[k]
    return True


@kernel
def place_joints(tables, work):
    """Where the own marker of each (rigid) body is: the residual moves these points through the joints."""
    for b in range(1, len(tables.bodies)):
        at = tables.markers[tables.bodies[b].own_marker].frame_at
        x, y, z = tables.pool[at], tables.pool[at + 1], tables.pool[at + 2]
        f = work.frame[b]
        px = f[9] + f[0] * x + f[1] * y + f[2] * z
        py = f[10] + f[3] * x + f[4] * y + f[5] * z
        pz = f[11] + f[6] * x + f[7] * y + f[8] * z
        work.joint_point[b, 0], work.joint_point[b, 1], work.joint_point[b, 2] = px, py, pz


@kernel
def add_body(tables, b, work, inertia):
    """Add the inertia of rigid body ``b`` about the point of its joint."""
    body, f, point, pool = tables.bodies[b], work.frame[b], work.joint_point[b], tables.pool
    root, rank, at = body.root_mass, body.rank, body.x_at
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]
    ox, oy, oz = root * (f[9] - point[0]), root * (f[10] - point[1]), root * (f[11] - point[2])
    xx = xy = xz = yy = yz = zz = hx = hy = hz = 0.0
    for s in range(rank):
        u, v, w = pool[at + s], pool[at + rank + s], pool[at + 2 * rank + s]
        x = r0 * u + r1 * v + r2 * w
        y = r3 * u + r4 * v + r5 * w
        z = r6 * u + r7 * v + r8 * w
        if s == 0:  # the first function is constant over the body
            x += ox
            y += oy
            z += oz
            hx, hy, hz = root * x, root * y, root * z
        xx += x * x
        xy += x * y
        xz += x * z
        yy += y * y
        yz += y * z
        zz += z * z
    mass = root * root
    inertia[0] += yy + zz
    inertia[1] -= xy
    inertia[2] -= xz
    inertia[3] += xx + zz
    inertia[4] -= yz
    inertia[5] += xx + yy
    inertia[7] -= hz
    inertia[8] += hy
    inertia[9] += hz
    inertia[11] -= hx
    inertia[12] -= hy
    inertia[13] += hx
    inertia[15] += mass
    inertia[18] += mass
    inertia[20] += mass


@kernel
def set_columns(tables, b, q, work, columns):
    """Velocity of body ``b`` per unit rate of each of its coordinates."""
    body = tables.bodies[b]
    dx = dy = dz = 0.0  # from the axis to the joint's point
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        joint, world = tables.axes[axis], work.axis[axis]
        c = joint.coordinate
        if joint.kind == BALL:
            for k in range(3):
                ex, ey, ez = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
                x, y, z = tangent(q[c], q[c + 1], q[c + 2], ex, ey, ez, -1.0)
                x, y, z = joint.factor * x, joint.factor * y, joint.factor * z
                ux = world[0] * x + world[1] * y + world[2] * z
                uy = world[3] * x + world[4] * y + world[5] * z
                uz = world[6] * x + world[7] * y + world[8] * z
                add_turn(columns[c + k], ux, uy, uz, dx, dy, dz, axis)
            continue
        x, y, z = world[0], world[1], world[2]
        ux, uy, uz = joint.factor * x, joint.factor * y, joint.factor * z
        if joint.kind == ROTATION:
            add_turn(columns[c], ux, uy, uz, dx, dy, dz, axis)
            continue
        column = columns[c]
        column[AXIS] = axis
        column[ALONG] += ux
        column[ALONG + 1] += uy
        column[ALONG + 2] += uz
        way = joint.factor * q[c] + joint.offset
        dx += x * way
        dy += y * way
        dz += z * way


@kernel
def add_turn(column, ux, uy, uz, dx, dy, dz, axis):
    """Add a turn about an axis along u from which the joint's point is d away."""
    column[AXIS] = axis
    column[TURN] += ux
    column[TURN + 1] += uy
    column[TURN + 2] += uz
    column[ALONG] += uy * dz - uz * dy
    column[ALONG + 1] += uz * dx - ux * dz
    column[ALONG + 2] += ux * dy - uy * dx


@kernel
def eliminate(tables, b, residual, inertia, columns):
    """Make the coordinates of body ``b`` give way, last axis first; False when one has no inertia."""
    body = tables.bodies[b]
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        joint = tables.axes[axis]
        for k in range(2 if joint.kind == BALL else 0, -1, -1):
            c = joint.coordinate + k
            if columns[c, AXIS] == axis and tables.coordinates[c].signal < 0:
                if not eliminate_coordinate(inertia, columns[c], residual[c]):
                    return False
    return True


@kernel
def eliminate_coordinate(g, m, residual):
    """Take from inertia ``g`` what a coordinate yields, with everything loaded before anything is stored."""
    a0, a1, a2, a3, a4, a5 = g[0], g[1], g[2], g[3], g[4], g[5]
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = g[6], g[7], g[8], g[9], g[10], g[11], g[12], g[13], g[14]
    c0, c1, c2, c3, c4, c5 = g[15], g[16], g[17], g[18], g[19], g[20]
    p, q, r, x, y, z = m[3], m[4], m[5], m[6], m[7], m[8]
    left = -residual - (p * g[21] + q * g[22] + r * g[23] + x * g[24] + y * g[25] + z * g[26])
    u0 = a0 * p + a1 * q + a2 * r + b0 * x + b1 * y + b2 * z
    u1 = a1 * p + a3 * q + a4 * r + b3 * x + b4 * y + b5 * z
    u2 = a2 * p + a4 * q + a5 * r + b6 * x + b7 * y + b8 * z
    u3 = b0 * p + b3 * q + b6 * r + c0 * x + c1 * y + c2 * z
    u4 = b1 * p + b4 * q + b7 * r + c1 * x + c3 * y + c4 * z
    u5 = b2 * p + b5 * q + b8 * r + c2 * x + c4 * y + c5 * z
    pivot = p * u0 + q * u1 + r * u2 + x * u3 + y * u4 + z * u5
    if not pivot > 0.0:
        return False
    inverse = 1.0 / pivot
    m[LEFT], m[INVERSE] = left, inverse
    m[9], m[10], m[11], m[12], m[13], m[14] = u0, u1, u2, u3, u4, u5
    v0, v1, v2, v3, v4, v5 = inverse * u0, inverse * u1, inverse * u2, inverse * u3, inverse * u4, inverse * u5
    g[0], g[1], g[2] = a0 - v0 * u0, a1 - v0 * u1, a2 - v0 * u2
    g[3], g[4], g[5] = a3 - v1 * u1, a4 - v1 * u2, a5 - v2 * u2
    g[6], g[7], g[8] = b0 - v0 * u3, b1 - v0 * u4, b2 - v0 * u5
    g[9], g[10], g[11] = b3 - v1 * u3, b4 - v1 * u4, b5 - v1 * u5
    g[12], g[13], g[14] = b6 - v2 * u3, b7 - v2 * u4, b8 - v2 * u5
    g[15], g[16], g[17] = c0 - v3 * u3, c1 - v3 * u4, c2 - v3 * u5
    g[18], g[19], g[20] = c3 - v4 * u4, c4 - v4 * u5, c5 - v5 * u5
    g[21] += v0 * left
    g[22] += v1 * left
    g[23] += v2 * left
    g[24] += v3 * left
    g[25] += v4 * left
    g[26] += v5 * left
    return True


@kernel
def shift(g, here, there, out):
    """Add what a body passes on, about ``here``, to that of its parent, about ``there``.

    With d = here - there: C' = C, B' = B + d~ C, A' = A - B d~ + d~ B'^T.
    """
    x, y, z = here[0] - there[0], here[1] - there[1], here[2] - there[2]
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = g[6], g[7], g[8], g[9], g[10], g[11], g[12], g[13], g[14]
    c0, c1, c2, c3, c4, c5 = g[15], g[16], g[17], g[18], g[19], g[20]
    n0, n1, n2 = b0 + y * c2 - z * c1, b1 + y * c4 - z * c3, b2 + y * c5 - z * c4
    n3, n4, n5 = b3 + z * c0 - x * c2, b4 + z * c1 - x * c4, b5 + z * c2 - x * c5
    n6, n7, n8 = b6 + x * c1 - y * c0, b7 + x * c3 - y * c1, b8 + x * c4 - y * c2
    out[0] += g[0] - (b1 * z - b2 * y) + y * n2 - z * n1
    out[1] += g[1] - (b2 * x - b0 * z) + y * n5 - z * n4
    out[2] += g[2] - (b0 * y - b1 * x) + y * n8 - z * n7
    out[3] += g[3] - (b5 * x - b3 * z) + z * n3 - x * n5
    out[4] += g[4] - (b3 * y - b4 * x) + z * n6 - x * n8
    out[5] += g[5] - (b6 * y - b7 * x) + x * n7 - y * n6
    out[6] += n0
    out[7] += n1
    out[8] += n2
    out[9] += n3
    out[10] += n4
    out[11] += n5
    out[12] += n6
    out[13] += n7
    out[14] += n8
    out[15] += c0
    out[16] += c1
    out[17] += c2
    out[18] += c3
    out[19] += c4
    out[20] += c5
    fx, fy, fz = g[24], g[25], g[26]
    out[21] += g[21] + y * fz - z * fy
    out[22] += g[22] + z * fx - x * fz
    out[23] += g[23] + x * fy - y * fx
    out[24] += fx
    out[25] += fy
    out[26] += fz


@kernel
def substitute(tables, b, work, inertia, columns, a):
    """Accelerations of the coordinates of body ``b`` and of the body, from that of its parent."""
    body = tables.bodies[b]
    parent = tables.markers[body.parent_marker].body
    g = inertia[b, 21:27]
    g0 = g1 = g2 = g3 = g4 = g5 = 0.0
    if parent != 0:
        p, r, h = work.joint_point[b], work.joint_point[parent], inertia[parent, 21:27]
        x, y, z = p[0] - r[0], p[1] - r[1], p[2] - r[2]
        g0, g1, g2 = h[0], h[1], h[2]
        g3, g4, g5 = h[3] + g1 * z - g2 * y, h[4] + g2 * x - g0 * z, h[5] + g0 * y - g1 * x
    for axis in range(body.axis_start, body.axis_end):
        joint = tables.axes[axis]
        for k in range(3 if joint.kind == BALL else 1):
            c = joint.coordinate + k
            m = columns[c]
            if m[AXIS] != axis or tables.coordinates[c].signal >= 0:
                continue
            left = m[LEFT] - (m[9] * g0 + m[10] * g1 + m[11] * g2 + m[12] * g3 + m[13] * g4 + m[14] * g5)
            change = m[INVERSE] * left
            a[c] = change
            g0 += m[3] * change
            g1 += m[4] * change
            g2 += m[5] * change
            g3 += m[6] * change
            g4 += m[7] * change
            g5 += m[8] * change
    g[0], g[1], g[2], g[3], g[4], g[5] = g0, g1, g2, g3, g4, g5
