"""Accelerations of a tree of rigid bodies under given forces, in time proportional to the number of bodies.

Articulated-body algorithm: Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 7, here for M a = -residual where
the residual at a = 0 is known already.  Axes of the world; what belongs to a body refers to the point of its joint (its
own marker), since a common point far away would cost digits.  Records: ARTICULATED, one per body, and COLUMN, one per
coordinate (core.layout.frames).
"""

from flexmbs.core.layout.tables import BALL, ROTATION
from flexmbs.core.mechanics.rotation import tangent
from flexmbs.core.mechanics.vectors import add, components, cross, difference, dot, elements, put, rotate, vector_at
from flexmbs.machine_code.kernel import kernel


@kernel
def solve_for_accelerations(tables, q, residual, work, a):
    """Set the free entries of ``a`` to -M(q)^-1 residual; False when a coordinate carries no inertia.

    The model is a tree of rigid bodies (core.layout.tables.is_rigid_tree) and ``work`` as the evaluation of the
    residual has left it.
    """
    inertia, columns = work.articulated, work.columns
    place_joints(tables, work)
    for b in range(len(inertia)):
        clear_inertia(inertia[b])
    for k in range(len(columns)):
        clear_column(columns[k])
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
def clear_inertia(g):
    """No inertia and no force (the acceleration is set on the way out)."""
    for i in range(3):
        for j in range(3):
            g.A[i, j] = g.B[i, j] = g.C[i, j] = 0.0
        g.moment[i] = g.force[i] = 0.0


@kernel
def clear_column(column):
    """No axis, no motion, no force."""
    column.axis = 0
    column.effort = column.inverse = 0.0
    for i in range(3):
        column.w[i] = column.v[i] = column.moment[i] = column.force[i] = 0.0


@kernel
def place_joints(tables, work):
    """Where the own marker of each (rigid) body is: the residual moves these points through the joints."""
    for b in range(1, len(tables.bodies)):
        frame = work.frame[b]
        x, y, z = components(tables.markers[tables.bodies[b].own_marker].p_BM)
        x, y, z = rotate(frame.R_WB, x, y, z)
        px, py, pz = components(frame.p_WB)
        put(work.joint_point[b], px + x, py + y, pz + z)


@kernel
def moments_about_joint(body, frame, point, pool):
    """Second moments (xx, xy, xz, yy, yz, zz) and first moments (x, y, z) of a rigid body about ``point``."""
    root, rank, at = body.root_mass, body.rank, body.x_at
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = elements(frame.R_WB)
    ox, oy, oz = difference(frame.p_WB, point)
    xx = xy = xz = yy = yz = zz = hx = hy = hz = 0.0
    for s in range(rank):
        u, v, w = pool[at + s], pool[at + rank + s], pool[at + 2 * rank + s]
        x, y, z = r0 * u + r1 * v + r2 * w, r3 * u + r4 * v + r5 * w, r6 * u + r7 * v + r8 * w
        if s == 0:  # the first function is constant over the body
            x, y, z = x + root * ox, y + root * oy, z + root * oz
            hx, hy, hz = root * x, root * y, root * z
        u, v, w = x, y, z
        if s == 1:
            u, v, w = body.sign * x, body.sign * y, body.sign * z
        xx, xy, xz, yy, yz, zz = xx + u * x, xy + u * y, xz + u * z, yy + v * y, yz + v * z, zz + w * z
    return xx, xy, xz, yy, yz, zz, hx, hy, hz


@kernel
def add_body(tables, b, work, inertia):
    """Add the inertia of rigid body ``b`` about the point of its joint."""
    body, root = tables.bodies[b], tables.bodies[b].root_mass
    xx, xy, xz, yy, yz, zz, hx, hy, hz = moments_about_joint(body, work.frame[b], work.joint_point[b], tables.pool)
    mass, A, B, C = root * root, inertia.A, inertia.B, inertia.C
    A[0, 0] += yy + zz
    A[0, 1] -= xy
    A[0, 2] -= xz
    A[1, 1] += xx + zz
    A[1, 2] -= yz
    A[2, 2] += xx + yy
    B[0, 1] -= hz
    B[0, 2] += hy
    B[1, 0] += hz
    B[1, 2] -= hx
    B[2, 0] -= hy
    B[2, 1] += hx
    C[0, 0] += mass
    C[1, 1] += mass
    C[2, 2] += mass


@kernel
def set_columns(tables, b, q, work, columns):
    """Velocity of body ``b`` per unit rate of each of its coordinates."""
    body = tables.bodies[b]
    dx = dy = dz = 0.0  # from the axis to the joint's point
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        joint, state = tables.axes[axis], work.axis[axis]
        c = joint.coordinate
        if joint.kind == BALL:
            tx, ty, tz = vector_at(q, c)
            for k in range(3):
                ex, ey, ez = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
                x, y, z = tangent(tx, ty, tz, ex, ey, ez, -1.0)
                ux, uy, uz = rotate(state.R_WM, joint.factor * x, joint.factor * y, joint.factor * z)
                add_rotation(columns[c + k], ux, uy, uz, dx, dy, dz, axis)
            continue
        x, y, z = components(state.direction)
        ux, uy, uz = joint.factor * x, joint.factor * y, joint.factor * z
        if joint.kind == ROTATION:
            add_rotation(columns[c], ux, uy, uz, dx, dy, dz, axis)
            continue
        column = columns[c]
        column.axis = axis
        add(column.v, ux, uy, uz)
        way = joint.factor * q[c] + joint.offset
        dx += x * way
        dy += y * way
        dz += z * way


@kernel
def add_rotation(column, ux, uy, uz, dx, dy, dz, axis):
    """Add a rotation about an axis along u from which the joint's point is d away."""
    column.axis = axis
    vx, vy, vz = cross(ux, uy, uz, dx, dy, dz)
    add(column.w, ux, uy, uz)
    add(column.v, vx, vy, vz)


@kernel
def eliminate(tables, b, residual, inertia, columns):
    """Make the coordinates of body ``b`` give way, last axis first; False when one has no inertia."""
    body = tables.bodies[b]
    for axis in range(body.axis_end - 1, body.axis_start - 1, -1):
        joint = tables.axes[axis]
        for k in range(2 if joint.kind == BALL else 0, -1, -1):
            c = joint.coordinate + k
            if columns[c].axis == axis and tables.coordinates[c].signal < 0:
                if not eliminate_coordinate(inertia, columns[c], residual[c]):
                    return False
    return True


@kernel
def upper(matrix):
    """The upper triangle of a symmetric matrix, row by row."""
    return matrix[0, 0], matrix[0, 1], matrix[0, 2], matrix[1, 1], matrix[1, 2], matrix[2, 2]


@kernel
def eliminate_coordinate(g, m, residual):
    """Take from inertia ``g`` what a coordinate yields, with everything loaded before anything is stored."""
    a0, a1, a2, a3, a4, a5 = upper(g.A)
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = elements(g.B)
    c0, c1, c2, c3, c4, c5 = upper(g.C)
    p, q, r = components(m.w)
    x, y, z = components(m.v)
    effort = -residual - (dot(g.moment, p, q, r) + dot(g.force, x, y, z))
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
    m.effort, m.inverse = effort, inverse
    put(m.moment, u0, u1, u2)
    put(m.force, u3, u4, u5)
    v0, v1, v2, v3, v4, v5 = inverse * u0, inverse * u1, inverse * u2, inverse * u3, inverse * u4, inverse * u5
    put_upper(g.A, a0 - v0 * u0, a1 - v0 * u1, a2 - v0 * u2, a3 - v1 * u1, a4 - v1 * u2, a5 - v2 * u2)
    for i, (x0, x1, x2) in enumerate(
        (
            (b0 - v0 * u3, b1 - v0 * u4, b2 - v0 * u5),
            (b3 - v1 * u3, b4 - v1 * u4, b5 - v1 * u5),
            (b6 - v2 * u3, b7 - v2 * u4, b8 - v2 * u5),
        )
    ):
        g.B[i, 0], g.B[i, 1], g.B[i, 2] = x0, x1, x2
    put_upper(g.C, c0 - v3 * u3, c1 - v3 * u4, c2 - v3 * u5, c3 - v4 * u4, c4 - v4 * u5, c5 - v5 * u5)
    add(g.moment, v0 * effort, v1 * effort, v2 * effort)
    add(g.force, v3 * effort, v4 * effort, v5 * effort)
    return True


@kernel
def put_upper(matrix, xx, xy, xz, yy, yz, zz):
    """Set the upper triangle of a symmetric matrix."""
    matrix[0, 0], matrix[0, 1], matrix[0, 2] = xx, xy, xz
    matrix[1, 1], matrix[1, 2], matrix[2, 2] = yy, yz, zz


@kernel
def add_upper(matrix, xx, xy, xz, yy, yz, zz):
    """Add to the upper triangle of a symmetric matrix."""
    matrix[0, 0] += xx
    matrix[0, 1] += xy
    matrix[0, 2] += xz
    matrix[1, 1] += yy
    matrix[1, 2] += yz
    matrix[2, 2] += zz


@kernel
def shift(g, here, there, out):
    """Add what a body passes on, about ``here``, to that of its parent, about ``there``."""
    x, y, z = difference(here, there)
    A, B, C = upper(g.A), elements(g.B), upper(g.C)
    add_shifted(A, B, C, components(g.force), components(g.moment), x, y, z, out)


@kernel
def add_shifted(A, B, C, force, moment, x, y, z, out):
    """:func:`shift` by d = (x, y, z) of an inertia and a force that are held as numbers.

    C' = C, B' = B + d~ C, A' = A - B d~ + d~ B'^T.
    """
    a0, a1, a2, a3, a4, a5 = A
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = B
    c0, c1, c2, c3, c4, c5 = C
    n0, n1, n2 = b0 + y * c2 - z * c1, b1 + y * c4 - z * c3, b2 + y * c5 - z * c4
    n3, n4, n5 = b3 + z * c0 - x * c2, b4 + z * c1 - x * c4, b5 + z * c2 - x * c5
    n6, n7, n8 = b6 + x * c1 - y * c0, b7 + x * c3 - y * c1, b8 + x * c4 - y * c2
    add_upper(
        out.A,
        a0 - (b1 * z - b2 * y) + y * n2 - z * n1,
        a1 - (b2 * x - b0 * z) + y * n5 - z * n4,
        a2 - (b0 * y - b1 * x) + y * n8 - z * n7,
        a3 - (b5 * x - b3 * z) + z * n3 - x * n5,
        a4 - (b3 * y - b4 * x) + z * n6 - x * n8,
        a5 - (b6 * y - b7 * x) + x * n7 - y * n6,
    )
    add(out.B[0], n0, n1, n2)
    add(out.B[1], n3, n4, n5)
    add(out.B[2], n6, n7, n8)
    add_upper(out.C, c0, c1, c2, c3, c4, c5)
    fx, fy, fz = force
    mx, my, mz = moment
    px, py, pz = cross(x, y, z, fx, fy, fz)
    add(out.moment, mx + px, my + py, mz + pz)
    add(out.force, fx, fy, fz)


@kernel
def substitute(tables, b, work, inertia, columns, a):
    """Accelerations of the coordinates of body ``b`` and of the body, from that of its parent."""
    body, own = tables.bodies[b], inertia[b]
    parent = tables.markers[body.parent_marker].body
    wx = wy = wz = vx = vy = vz = 0.0  # angular and linear acceleration of the body
    if parent != 0:
        dx, dy, dz = difference(work.joint_point[b], work.joint_point[parent])
        wx, wy, wz = components(inertia[parent].alpha)
        vx, vy, vz = components(inertia[parent].a)
        px, py, pz = cross(wx, wy, wz, dx, dy, dz)
        vx, vy, vz = vx + px, vy + py, vz + pz
    for axis in range(body.axis_start, body.axis_end):
        joint = tables.axes[axis]
        for k in range(3 if joint.kind == BALL else 1):
            c = joint.coordinate + k
            column = columns[c]
            if column.axis != axis or tables.coordinates[c].signal >= 0:
                continue
            change = column.inverse * (column.effort - (dot(column.moment, wx, wy, wz) + dot(column.force, vx, vy, vz)))
            a[c] = change
            x, y, z = components(column.w)
            wx, wy, wz = wx + x * change, wy + y * change, wz + z * change
            x, y, z = components(column.v)
            vx, vy, vz = vx + x * change, vy + y * change, vz + z * change
    put(own.alpha, wx, wy, wz)
    put(own.a, vx, vy, vz)
