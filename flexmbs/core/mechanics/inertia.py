"""Inertia of a body with a second-order displacement field, all terms of the ansatz kept.

With R mass-orthonormal functions as the inertia basis of a body (reduction.flexible_body.InertiaFields), its points are
r = X + sum_a q_a P_a + sum_r s_r Z_r with quadratic forms s_r (core.mechanics.quadratic_forms), and every integral
over the body is a sum over the basis:
    acceleration  b = a_B + (alpha~ + w~ w~) r + 2 w~ r' + r''          (r', r'': relative to the body frame)
    force = int b dm,  moment = int r x b dm,  modal force_a = int dr/dq_a . b dm   (body axes).

b at a function needs r, r' and r'' at this function only.  Blocks of four functions are therefore taken through all of
it one after the other: their coefficients are read once from memory, for three motions, and again for the forces on
the fields while they are in the first cache (model.inertia_layout).
"""

from flexmbs.core.layout.tables import ACCEL, COLUMNS, DIAGONAL_MATRIX, FORCE, FULL_MATRIX, RATE, VALUE
from flexmbs.core.mechanics.vectors import components, elements, put, rotate, rotate_back
from flexmbs.machine_code.kernel import kernel


@kernel
def deform(tables, b, work):
    """Fill ``work.r``, ``work.rate`` and ``work.accel`` (relative to the body frame) of body ``b``."""
    body = tables.bodies[b]
    for j in range(body.block_start, body.block_end):
        deform_block(tables, body, j, work)


@kernel
def deform_block(tables, body, j, work):
    """:func:`deform` for the four functions of block ``j``: three dot products for each, in one pass."""
    block, pool, start = tables.blocks[j], tables.pool, body.place_start
    s, at, run = COLUMNS * (j - body.block_start), block.at, block.run
    for k in range(3):
        x = body.x_at + k * body.rank + s
        x0, x1, x2, x3 = pool[x], pool[x + 1], pool[x + 2], pool[x + 3]
        u0 = u1 = u2 = u3 = t0 = t1 = t2 = t3 = 0.0
        while run < block.ends[k]:
            count, first = tables.runs[run].count, start + tables.runs[run].first
            w0 = work.weight[VALUE, first : first + count]
            w1 = work.weight[RATE, first : first + count]
            w2 = work.weight[ACCEL, first : first + count]
            part = pool[at : at + COLUMNS * count]
            # column by column, so that the twelve sums, three weights and a coefficient fill the registers of AVX2
            for i in range(count):
                value, rate, accel = w0[i], w1[i], w2[i]
                c = part[i]
                x0 += c * value
                u0 += c * rate
                t0 += c * accel
                c = part[count + i]
                x1 += c * value
                u1 += c * rate
                t1 += c * accel
                c = part[2 * count + i]
                x2 += c * value
                u2 += c * rate
                t2 += c * accel
                c = part[3 * count + i]
                x3 += c * value
                u3 += c * rate
                t3 += c * accel
            at += COLUMNS * count
            run += 1
        work.r[k, s], work.r[k, s + 1], work.r[k, s + 2], work.r[k, s + 3] = x0, x1, x2, x3
        work.rate[k, s], work.rate[k, s + 1], work.rate[k, s + 2], work.rate[k, s + 3] = u0, u1, u2, u3
        work.accel[k, s], work.accel[k, s + 1], work.accel[k, s + 2], work.accel[k, s + 3] = t0, t1, t2, t3


@kernel
def add_forces_of_block(tables, body, j, work):
    """Add int w_s b_k dm, times the coefficients of each field, to the force on it; b is in ``work.accel``."""
    block, pool, start = tables.blocks[j], tables.pool, body.place_start
    s, at, run = COLUMNS * (j - body.block_start), block.at, block.run
    for k in range(3):
        b0, b1, b2, b3 = work.accel[k, s], work.accel[k, s + 1], work.accel[k, s + 2], work.accel[k, s + 3]
        while run < block.ends[k]:
            count, first = tables.runs[run].count, start + tables.runs[run].first
            force = work.weight[FORCE, first : first + count]
            part = pool[at : at + COLUMNS * count]
            for i in range(count):
                added = b0 * part[i] + b1 * part[count + i]
                force[i] += added + b2 * part[2 * count + i] + b3 * part[3 * count + i]
            at += COLUMNS * count
            run += 1


@kernel
def add_inertia(tables, b, work):
    """Set the wrench of body ``b`` to its inertia force (world axes) and add its inertia forces on its fields."""
    body = tables.bodies[b]
    if body.block_end == body.block_start:
        set_rigid_wrench(tables, b, work)
        return
    frame = work.frame[b]
    wx, wy, wz, ax, ay, az, ox, oy, oz = in_body(frame)
    c00, c11, c22 = -(wy * wy + wz * wz), -(wx * wx + wz * wz), -(wx * wx + wy * wy)
    c01, c10 = wx * wy - az, wx * wy + az
    c02, c20 = wx * wz + ay, wx * wz - ay
    c12, c21 = wy * wz - ax, wy * wz + ax
    x, y, z = work.r[0], work.r[1], work.r[2]
    u, w, t = work.rate[0], work.rate[1], work.rate[2]
    bx, by, bz = work.accel[0], work.accel[1], work.accel[2]
    mx = my = mz = gx = gy = gz = 0.0
    for j in range(body.block_start, body.block_end):
        deform_block(tables, body, j, work)
        first = COLUMNS * (j - body.block_start)
        if first == 0:
            bx[0] += body.root_mass * ox
            by[0] += body.root_mass * oy
            bz[0] += body.root_mass * oz
        for s in range(first, first + COLUMNS):
            bx[s] += c00 * x[s] + c01 * y[s] + c02 * z[s] + 2.0 * (wy * t[s] - wz * w[s])
            by[s] += c10 * x[s] + c11 * y[s] + c12 * z[s] + 2.0 * (wz * u[s] - wx * t[s])
            bz[s] += c20 * x[s] + c21 * y[s] + c22 * z[s] + 2.0 * (wx * w[s] - wy * u[s])
            mx += y[s] * bz[s] - z[s] * by[s]
            my += z[s] * bx[s] - x[s] * bz[s]
            mz += x[s] * by[s] - y[s] * bx[s]
        if first == 0:
            gx, gy, gz = body.root_mass * bx[0], body.root_mass * by[0], body.root_mass * bz[0]
        add_forces_of_block(tables, body, j, work)
    set_wrench(work.wrench[b], frame.R_WB, gx, gy, gz, mx, my, mz)


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
        if i == 1:
            x, y, z = body.sign * x, body.sign * y, body.sign * z
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
def add_elasticity(tables, b, q, v, residual):
    """Add Ke q + De q' of body ``b``."""
    body = tables.bodies[b]
    start, n = body.modal_start, body.modes
    positions, rates, forces = q[start : start + n], v[start : start + n], residual[start : start + n]
    add_product(tables.pool, body.stiffness_at, body.stiffness_kind, positions, forces)
    add_product(tables.pool, body.damping_at, body.damping_kind, rates, forces)


@kernel
def add_product(pool, at, kind, x, out):
    """out += A x with the matrix A at ``at`` in the pool, all of it, its diagonal, or nothing."""
    n = len(x)
    if kind == DIAGONAL_MATRIX:
        for i in range(n):
            out[i] += pool[at + i * (n + 1)] * x[i]
    elif kind == FULL_MATRIX:
        for i in range(n):
            row, total = pool[at + i * n : at + (i + 1) * n], 0.0
            for j in range(n):
                total += row[j] * x[j]
            out[i] += total


@kernel
def kinetic_energy(tables, b, work):
    """1/2 int |v|^2 dm of body ``b`` (frames and fields must be current); leaves r in ``work``."""
    body = tables.bodies[b]
    if body.block_end > body.block_start:
        deform(tables, b, work)
    else:
        place_rigid(tables, body, work)
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
        total += (body.sign if s == 1 else 1.0) * (vx * vx + vy * vy + vz * vz)
    return 0.5 * total


@kernel
def place_rigid(tables, body, work):
    """``work.r``, ``work.rate`` and ``work.accel`` of a body that does not deform."""
    for k in range(3):
        for s in range(body.rank):
            work.r[k, s] = tables.pool[body.x_at + k * body.rank + s]
            work.rate[k, s] = work.accel[k, s] = 0.0
