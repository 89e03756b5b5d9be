"""Inertia of a body with a second-order displacement field, all terms of the ansatz kept.

With R mass-orthonormal functions as the inertia basis of a body (reduction.body.InertiaFields), its points are
r = X + sum_a q_a P_a + sum_r s_r Z_r with quadratic forms s_r (core.mechanics.quadratic_forms), and every integral
over the body is a sum over the basis:
    acceleration  b = a_B + (alpha~ + w~ w~) r + 2 w~ r' + r''          (r', r'': relative to the body frame)
    force = int b dm,  moment = int r x b dm,  modal force_a = int dr/dq_a . b dm   (body axes).
"""

from __future__ import annotations

from flexmbs.core.layout.tables import ACCEL, FORCE, RATE, VALUE
from flexmbs.core.mechanics.vectors import components, elements, put, rotate, rotate_back
from flexmbs.machine_code.kernel import kernel


@kernel
def deform(tables, b, q, v, a, work):
    """Fill ``work.r``, ``work.rate`` and ``work.accel`` (relative to the body frame) of body ``b``.

    The rows of P and Z are sorted by component, so that each entry of r is one dot product over rows.
    """
    body = tables.bodies[b]
    rank, pool = body.rank, tables.pool
    weigh_rows(tables, b, q, v, a, work)
    first, at = 0, body.row_at
    for k in range(3):
        count = body.rows_x if k == 0 else (body.rows_y if k == 1 else body.rows_z)
        w0 = work.weight[VALUE, first : first + count]
        w1 = work.weight[RATE, first : first + count]
        w2 = work.weight[ACCEL, first : first + count]
        for s in range(rank):
            vector = pool[at : at + count]
            x = u = w = 0.0
            for i in range(count):
                coefficient = vector[i]
                x += coefficient * w0[i]
                u += coefficient * w1[i]
                w += coefficient * w2[i]
            work.r[k, s] = pool[body.x_at + k * rank + s] + x
            work.rate[k, s] = u
            work.accel[k, s] = w
            at += count
        first += count


@kernel
def weigh_rows(tables, b, q, v, a, work):
    """What multiplies each row in r, r' and r'': q_a or a quadratic form, and the time derivatives."""
    body = tables.bodies[b]
    start = body.modal_start
    weight = work.weight
    for i in range(body.row_end - body.row_start):
        row = tables.rows[body.row_start + i]
        if row.form < 0:
            k = start + row.mode
            weight[VALUE, i], weight[RATE, i], weight[ACCEL, i] = q[k], v[k], a[k]
        else:
            k = body.form_start + row.form
            weight[VALUE, i], weight[RATE, i] = work.form[VALUE, k], work.form[RATE, k]
            weight[ACCEL, i] = work.form[ACCEL, k]


@kernel
def add_inertia(tables, b, q, v, a, work, residual):
    """Set the wrench of body ``b`` to its inertia force (world axes) and add its modal inertia forces."""
    body = tables.bodies[b]
    if body.row_end == body.row_start:
        set_rigid_wrench(tables, b, work)
        return
    deform(tables, b, q, v, a, work)
    rank, frame = body.rank, work.frame[b]
    wx, wy, wz, ax, ay, az, ox, oy, oz = in_body(frame)
    c00, c11, c22 = -(wy * wy + wz * wz), -(wx * wx + wz * wz), -(wx * wx + wy * wy)
    c01, c10 = wx * wy - az, wx * wy + az
    c02, c20 = wx * wz + ay, wx * wz - ay
    c12, c21 = wy * wz - ax, wy * wz + ax
    x, y, z = work.r[0], work.r[1], work.r[2]
    u, w, t = work.rate[0], work.rate[1], work.rate[2]
    bx, by, bz = work.accel[0], work.accel[1], work.accel[2]
    bx[0] += body.root_mass * ox
    by[0] += body.root_mass * oy
    bz[0] += body.root_mass * oz
    mx = my = mz = 0.0
    for s in range(rank):
        bx[s] += c00 * x[s] + c01 * y[s] + c02 * z[s] + 2.0 * (wy * t[s] - wz * w[s])
        by[s] += c10 * x[s] + c11 * y[s] + c12 * z[s] + 2.0 * (wz * u[s] - wx * t[s])
        bz[s] += c20 * x[s] + c21 * y[s] + c22 * z[s] + 2.0 * (wx * w[s] - wy * u[s])
        mx += y[s] * bz[s] - z[s] * by[s]
        my += z[s] * bx[s] - x[s] * bz[s]
        mz += x[s] * by[s] - y[s] * bx[s]
    gx, gy, gz = body.root_mass * bx[0], body.root_mass * by[0], body.root_mass * bz[0]
    set_wrench(work.wrench[b], frame.R_WB, gx, gy, gz, mx, my, mz)
    add_modal_inertia(tables, b, work, residual)


@kernel
def set_rigid_wrench(tables, b, work):
    """:func:`add_inertia` of a body that does not deform: its r = X stays as it is."""
    body, frame, pool = tables.bodies[b], work.frame[b], tables.pool
    rank, at, root = body.rank, body.x_at, body.root_mass
    wx, wy, wz, ax, ay, az, ox, oy, oz = in_body(frame)
    ox, oy, oz = root * ox, root * oy, root * oz
    c00, c11, c22 = -(wy * wy + wz * wz), -(wx * wx + wz * wz), -(wx * wx + wy * wy)
    c01, c10 = wx * wy - az, wx * wy + az
    c02, c20 = wx * wz + ay, wx * wz - ay
    c12, c21 = wy * wz - ax, wy * wz + ax
    gx = gy = gz = mx = my = mz = 0.0
    for i in range(rank):
        x, y, z = pool[at + i], pool[at + rank + i], pool[at + 2 * rank + i]
        bx, by, bz = c00 * x + c01 * y + c02 * z, c10 * x + c11 * y + c12 * z, c20 * x + c21 * y + c22 * z
        if i == 0:
            bx, by, bz = bx + ox, by + oy, bz + oz
            gx, gy, gz = root * bx, root * by, root * bz
        mx += y * bz - z * by
        my += z * bx - x * bz
        mz += x * by - y * bx
    set_wrench(work.wrench[b], frame.R_WB, gx, gy, gz, mx, my, mz)


@kernel
def in_body(frame):
    """Angular velocity, angular acceleration and acceleration of a body's frame, three numbers each, in body axes."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = elements(frame.R_WB)
    x, y, z = components(frame.w_WB)
    wx, wy, wz = r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z
    x, y, z = components(frame.alpha_WB)
    bx, by, bz = r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z
    x, y, z = components(frame.a_WB)
    ax, ay, az = r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z
    return wx, wy, wz, bx, by, bz, ax, ay, az


@kernel
def set_wrench(wrench, R_WB, fx, fy, fz, mx, my, mz):
    """Set a wrench (world axes) to a force and a moment in body axes."""
    fx, fy, fz = rotate(R_WB, fx, fy, fz)
    mx, my, mz = rotate(R_WB, mx, my, mz)
    put(wrench.force, fx, fy, fz)
    put(wrench.moment, mx, my, mz)


@kernel
def add_modal_inertia(tables, b, work, residual):
    """Add int P_a . b dm to the residual and int Z_r . b dm to the force on form r; b is in ``work.accel``."""
    body = tables.bodies[b]
    rank, start, pool = body.rank, body.modal_start, tables.pool
    first, at = 0, body.row_at
    for k in range(3):
        count = body.rows_x if k == 0 else (body.rows_y if k == 1 else body.rows_z)
        force = work.weight[FORCE, first : first + count]
        force[:] = 0.0
        for s in range(rank):
            vector = pool[at : at + count]
            accel = work.accel[k, s]
            for i in range(count):
                force[i] += accel * vector[i]
            at += count
        first += count
    for i in range(body.row_end - body.row_start):
        row = tables.rows[body.row_start + i]
        if row.form < 0:
            residual[start + row.mode] += work.weight[FORCE, i]
        else:
            work.form[FORCE, body.form_start + row.form] += work.weight[FORCE, i]


@kernel
def add_elasticity(tables, b, q, v, residual):
    """Add Ke q + De q' of body ``b``."""
    body = tables.bodies[b]
    n, start, pool = body.modes, body.modal_start, tables.pool
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += pool[body.stiffness_at + i * n + j] * q[start + j]
            total += pool[body.damping_at + i * n + j] * v[start + j]
        residual[start + i] += total


@kernel
def kinetic_energy(tables, b, q, v, a, work):
    """1/2 int |v|^2 dm of body ``b`` (frames must be current); leaves r in ``work``."""
    deform(tables, b, q, v, a, work)
    body = tables.bodies[b]
    frame = work.frame[b]
    x, y, z = components(frame.w_WB)
    wx, wy, wz = rotate_back(frame.R_WB, x, y, z)
    x, y, z = components(frame.v_WB)
    ox, oy, oz = rotate_back(frame.R_WB, x, y, z)
    total = 0.0
    for s in range(body.rank):
        vx = work.rate[0, s] + wy * work.r[2, s] - wz * work.r[1, s]
        vy = work.rate[1, s] + wz * work.r[0, s] - wx * work.r[2, s]
        vz = work.rate[2, s] + wx * work.r[1, s] - wy * work.r[0, s]
        if s == 0:
            vx += body.root_mass * ox
            vy += body.root_mass * oy
            vz += body.root_mass * oz
        total += vx * vx + vy * vy + vz * vz
    return 0.5 * total
