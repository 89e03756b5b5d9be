"""Inertia of a body with a second-order displacement field, all terms of the ansatz kept.

The body is a cloud of R mass-orthonormal functions (reduction.body.InertiaFields): r = X + sum_a q_a P_a +
sum_r s_r Z_r with quadratic forms s_r (core.mechanics.quadratic_forms), so every integral over the body is a sum over the cloud:
    acceleration  b = a_B + (alpha~ + w~ w~) r + 2 w~ r' + r''          (r', r'': relative to the body frame)
    force = int b dm,  moment = int r x b dm,  modal force_a = int dr/dq_a . b dm   (body axes).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel


@kernel
def deform(tables, b, q, v, a, work):
    """Fill ``work.r``, ``work.rate`` and ``work.accel`` (relative to the body frame) of body ``b``.

    The rows of P and Z are sorted by component, so that each entry of the cloud is one dot product over rows.
    """
    body = tables.bodies[b]
    rank, pool = body.rank, tables.pool
    weigh_rows(tables, b, q, v, a, work)
    first, at = 0, body.row_at
    for k in range(3):
        count = body.row_1 if k == 0 else (body.row_2 if k == 1 else body.row_3)
        w0 = work.weight[0, first : first + count]
        w1 = work.weight[1, first : first + count]
        w2 = work.weight[2, first : first + count]
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
            weight[0, i], weight[1, i], weight[2, i] = q[start + row.mode], v[start + row.mode], a[start + row.mode]
        else:
            r = body.form_start + row.form
            weight[0, i], weight[1, i], weight[2, i] = work.form[0, r], work.form[1, r], work.form[2, r]


@kernel
def add_inertia(tables, b, q, v, a, work, residual):
    """Set the wrench of body ``b`` to its inertia force (world axes) and add its modal inertia forces."""
    body = tables.bodies[b]
    if body.row_end == body.row_start:
        set_rigid_wrench(tables, b, work)
        return
    deform(tables, b, q, v, a, work)
    rank, f = body.rank, work.frame[b]
    wx, wy = f[0] * f[12] + f[3] * f[13] + f[6] * f[14], f[1] * f[12] + f[4] * f[13] + f[7] * f[14]
    wz = f[2] * f[12] + f[5] * f[13] + f[8] * f[14]
    ax, ay = f[0] * f[18] + f[3] * f[19] + f[6] * f[20], f[1] * f[18] + f[4] * f[19] + f[7] * f[20]
    az = f[2] * f[18] + f[5] * f[19] + f[8] * f[20]
    c00, c11, c22 = -(wy * wy + wz * wz), -(wx * wx + wz * wz), -(wx * wx + wy * wy)
    c01, c10 = wx * wy - az, wx * wy + az
    c02, c20 = wx * wz + ay, wx * wz - ay
    c12, c21 = wy * wz - ax, wy * wz + ax
    x, y, z = work.r[0], work.r[1], work.r[2]
    u, w, t = work.rate[0], work.rate[1], work.rate[2]
    bx, by, bz = work.accel[0], work.accel[1], work.accel[2]
    bx[0] += body.root_mass * (f[0] * f[21] + f[3] * f[22] + f[6] * f[23])
    by[0] += body.root_mass * (f[1] * f[21] + f[4] * f[22] + f[7] * f[23])
    bz[0] += body.root_mass * (f[2] * f[21] + f[5] * f[22] + f[8] * f[23])
    mx = my = mz = 0.0
    for s in range(rank):
        bx[s] += c00 * x[s] + c01 * y[s] + c02 * z[s] + 2.0 * (wy * t[s] - wz * w[s])
        by[s] += c10 * x[s] + c11 * y[s] + c12 * z[s] + 2.0 * (wz * u[s] - wx * t[s])
        bz[s] += c20 * x[s] + c21 * y[s] + c22 * z[s] + 2.0 * (wx * w[s] - wy * u[s])
        mx += y[s] * bz[s] - z[s] * by[s]
        my += z[s] * bx[s] - x[s] * bz[s]
        mz += x[s] * by[s] - y[s] * bx[s]
    gx, gy, gz = body.root_mass * bx[0], body.root_mass * by[0], body.root_mass * bz[0]
    for i in range(3):
        work.wrench[b, i] = f[3 * i] * gx + f[3 * i + 1] * gy + f[3 * i + 2] * gz
        work.wrench[b, 3 + i] = f[3 * i] * mx + f[3 * i + 1] * my + f[3 * i + 2] * mz
    add_modal_inertia(tables, b, work, residual)


@kernel
def set_rigid_wrench(tables, b, work):
    """:func:`add_inertia` of a body that does not deform: its cloud X stays as it is."""
    body, f, pool = tables.bodies[b], work.frame[b], tables.pool
    rank, at, root = body.rank, body.x_at, body.root_mass
    f0, f1, f2, f3, f4, f5, f6, f7, f8 = f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]
    p, r, s = f[12], f[13], f[14]
    wx, wy, wz = f0 * p + f3 * r + f6 * s, f1 * p + f4 * r + f7 * s, f2 * p + f5 * r + f8 * s
    p, r, s = f[18], f[19], f[20]
    ax, ay, az = f0 * p + f3 * r + f6 * s, f1 * p + f4 * r + f7 * s, f2 * p + f5 * r + f8 * s
    p, r, s = root * f[21], root * f[22], root * f[23]
    ox, oy, oz = f0 * p + f3 * r + f6 * s, f1 * p + f4 * r + f7 * s, f2 * p + f5 * r + f8 * s
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
    wrench = work.wrench[b]
    wrench[0], wrench[1], wrench[2] = (
        f0 * gx + f1 * gy + f2 * gz, f3 * gx + f4 * gy + f5 * gz, f6 * gx + f7 * gy + f8 * gz
    )  # fmt: skip
    wrench[3], wrench[4], wrench[5] = (
        f0 * mx + f1 * my + f2 * mz, f3 * mx + f4 * my + f5 * mz, f6 * mx + f7 * my + f8 * mz
    )  # fmt: skip


@kernel
def add_modal_inertia(tables, b, work, residual):
    """Add int P_a . b dm to the residual and int Z_r . b dm to the force on form r; b is in ``work.accel``."""
    body = tables.bodies[b]
    rank, start, pool = body.rank, body.modal_start, tables.pool
    first, at = 0, body.row_at
    for k in range(3):
        count = body.row_1 if k == 0 else (body.row_2 if k == 1 else body.row_3)
        force = work.weight[3, first : first + count]
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
            residual[start + row.mode] += work.weight[3, i]
        else:
            work.form[3, body.form_start + row.form] += work.weight[3, i]


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
    f = work.frame[b]
    wx, wy = f[0] * f[12] + f[3] * f[13] + f[6] * f[14], f[1] * f[12] + f[4] * f[13] + f[7] * f[14]
    wz = f[2] * f[12] + f[5] * f[13] + f[8] * f[14]
    total = 0.0
    for s in range(body.rank):
        vx = work.rate[0, s] + wy * work.r[2, s] - wz * work.r[1, s]
        vy = work.rate[1, s] + wz * work.r[0, s] - wx * work.r[2, s]
        vz = work.rate[2, s] + wx * work.r[1, s] - wy * work.r[0, s]
        if s == 0:
            vx += body.root_mass * (f[0] * f[15] + f[3] * f[16] + f[6] * f[17])
            vy += body.root_mass * (f[1] * f[15] + f[4] * f[16] + f[7] * f[17])
            vz += body.root_mass * (f[2] * f[15] + f[5] * f[16] + f[8] * f[17])
        total += vx * vx + vy * vy + vz * vz
    return 0.5 * total
