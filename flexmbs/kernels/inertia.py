"""Inertia of a body with a second-order displacement field, all terms of the ansatz kept.

The body is a cloud of R mass-orthonormal functions (reduction.body.InertiaFields): r = X + sum_a q_a P_a +
sum q_a q_b Z_ab, T_a = dr/dq_a, so every integral over the body is a sum over the cloud:
    acceleration  b = a_B + (alpha~ + w~ w~) r + 2 w~ T q' + T q'' + 2 sum Z_ab q_a' q_b'
    force = int b dm,  moment = int r x b dm,  modal force_a = int T_a . b dm   (body axes).
"""

from __future__ import annotations

from flexmbs.kernels.jit import kernel


@kernel
def deform(tables, b, q, v, work):
    """Fill ``work.T`` (dr/dq), ``work.r`` and ``work.rate`` = T q' of body ``b``."""
    body = tables.bodies[b]
    rank, start, pool = body.rank, body.modal_start, tables.pool
    rows = body.row_end - body.row_start
    for i in range(rows):
        at = body.p_at + i * rank
        for s in range(rank):
            work.T[i, s] = pool[at + s]
    for z in range(body.quad_end - body.quad_start):
        quad = tables.quads[body.quad_start + z]
        at = body.z_at + z * rank
        qa, qb = q[start + quad.a], q[start + quad.b]
        if quad.a == quad.b:
            for s in range(rank):
                work.T[quad.row_a, s] += 2.0 * qa * pool[at + s]
        else:
            for s in range(rank):
                coefficient = pool[at + s]
                work.T[quad.row_a, s] += qb * coefficient
                work.T[quad.row_b, s] += qa * coefficient
    for k in range(3):
        for s in range(rank):
            work.r[k, s] = pool[body.x_at + k * rank + s]
            work.rate[k, s] = 0.0
    for i in range(rows):
        row = tables.rows[body.row_start + i]
        k, half, rate = row.component, 0.5 * q[start + row.mode], v[start + row.mode]
        at = body.p_at + i * rank
        for s in range(rank):
            # q_a (P_a + T_a) / 2 sums to P q + Z q q, because T = P + 2 Z q
            work.r[k, s] += half * (pool[at + s] + work.T[i, s])
            work.rate[k, s] += rate * work.T[i, s]


@kernel
def add_inertia(tables, b, q, v, a, work, residual):
    """Set the wrench of body ``b`` to its inertia force (world axes) and add its modal inertia forces."""
    body = tables.bodies[b]
    deform(tables, b, q, v, work)
    rank, start, pool = body.rank, body.modal_start, tables.pool
    rows = body.row_end - body.row_start
    f = work.frame[b]
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
    for s in range(rank):
        bx[s] = c00 * x[s] + c01 * y[s] + c02 * z[s] + 2.0 * (wy * t[s] - wz * w[s])
        by[s] = c10 * x[s] + c11 * y[s] + c12 * z[s] + 2.0 * (wz * u[s] - wx * t[s])
        bz[s] = c20 * x[s] + c21 * y[s] + c22 * z[s] + 2.0 * (wx * w[s] - wy * u[s])
    for k in range(3):
        work.accel[k, 0] += body.root_mass * (f[k] * f[21] + f[3 + k] * f[22] + f[6 + k] * f[23])
    for i in range(rows):
        row = tables.rows[body.row_start + i]
        k, accel = row.component, a[start + row.mode]
        for s in range(rank):
            work.accel[k, s] += accel * work.T[i, s]
    for i in range(body.quad_end - body.quad_start):
        quad = tables.quads[body.quad_start + i]
        k, product = quad.component, 2.0 * v[start + quad.a] * v[start + quad.b]
        at = body.z_at + i * rank
        for s in range(rank):
            work.accel[k, s] += product * pool[at + s]
    for i in range(rows):
        row = tables.rows[body.row_start + i]
        k, total = row.component, 0.0
        for s in range(rank):
            total += work.T[i, s] * work.accel[k, s]
        residual[start + row.mode] += total
    mx = my = mz = 0.0
    for s in range(rank):
        mx += y[s] * bz[s] - z[s] * by[s]
        my += z[s] * bx[s] - x[s] * bz[s]
        mz += x[s] * by[s] - y[s] * bx[s]
    gx, gy, gz = body.root_mass * bx[0], body.root_mass * by[0], body.root_mass * bz[0]
    for i in range(3):
        work.wrench[b, i] = f[3 * i] * gx + f[3 * i + 1] * gy + f[3 * i + 2] * gz
        work.wrench[b, 3 + i] = f[3 * i] * mx + f[3 * i + 1] * my + f[3 * i + 2] * mz


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
def kinetic_energy(tables, b, q, v, work):
    """1/2 int |v|^2 dm of body ``b`` (frames must be current); leaves r in ``work``."""
    deform(tables, b, q, v, work)
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
