"""A joint that closes a loop: the frame that its axes lead to from marker a must be that of marker b.

With E the end of the axes from marker a (which have coordinates of their own, without inertia):
    d = R_A^T (p_B - p_E) = 0,    rho = axial(R_E^T R_B) = 0    (axes of A and of E)
three rows each; a joint that ends with a ball has the first three only.  Derivatives, with the relative angular
velocity w = R_E^T (w_B - w_E) and R = R_E^T R_B, R' = w~ R:
    d'' = R_A^T (a_BE - alpha_A x p_BE - 2 w_A x v_BE + w_A x (w_A x p_BE))
    rho' = C w,  rho'' = C w' + C' w,  C = (tr(R) I - R) / 2    (from axial(w~ R) = C w for every matrix R).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.layout.tables import OPENINGS
from flexmbs.core.mechanics.joint_axes import back_through_axis, through_axis
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import cross


@kernel
def add_closure(tables, c, q, v, a, work, residual):
    """Rows and forces of closure number ``c``."""
    closure = tables.constraints[c]
    fa, fb, fe, turn = work.scratch[0], work.scratch[1], work.scratch[2], work.scratch[3]
    marker_in_world(tables, closure.a, q, v, a, work, fa)
    for i in range(24):
        fe[i] = fa[i]
    for axis in range(closure.start, closure.end):
        # a chain that closes a loop holds no ball, so no reference quaternions are read
        through_axis(tables, axis, q, v, a, work.frame, fe, work.axis[axis], turn, work)
    marker_in_world(tables, closure.b, q, v, a, work, fb)
    position_rows(closure.row, fa, fe, fb, work, residual)
    if closure.rows == 6:
        rotation_rows(closure.row + 3, fe, fb, work, residual, turn)
    apply_closure(tables, c, q, a, work, residual)


@kernel
def position_rows(row, fa, fe, fb, work, residual):
    """d, d' and d'' into three rows."""
    px, py, pz = fb[9] - fe[9], fb[10] - fe[10], fb[11] - fe[11]
    vx, vy, vz = fb[15] - fe[15], fb[16] - fe[16], fb[17] - fe[17]
    wx, wy, wz = fa[12], fa[13], fa[14]
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    bx, by, bz = cross(fa[18], fa[19], fa[20], px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    ax, ay, az = fb[21] - fe[21] - bx + sx, fb[22] - fe[22] - by + sy, fb[23] - fe[23] - bz + sz
    for i in range(3):
        x, y, z = fa[i], fa[3 + i], fa[6 + i]
        work.constraint[row + i, 0] = x * px + y * py + z * pz
        work.constraint[row + i, 1] = x * (vx - cx) + y * (vy - cy) + z * (vz - cz)
        residual[row + i] = x * ax + y * ay + z * az


@kernel
def rotation_rows(row, fe, fb, work, residual, turn):
    """rho, rho' and rho'' into three rows; leaves R (9) in ``turn``."""
    for i in range(3):
        for j in range(3):
            turn[3 * i + j] = fe[i] * fb[j] + fe[3 + i] * fb[3 + j] + fe[6 + i] * fb[6 + j]
    dx, dy, dz = fb[12] - fe[12], fb[13] - fe[13], fb[14] - fe[14]
    kx, ky, kz = cross(fe[12], fe[13], fe[14], dx, dy, dz)
    ex, ey, ez = fb[18] - fe[18] - kx, fb[19] - fe[19] - ky, fb[20] - fe[20] - kz
    wx, wy, wz = fe[0] * dx + fe[3] * dy + fe[6] * dz, fe[1] * dx + fe[4] * dy + fe[7] * dz, 0.0
    wz = fe[2] * dx + fe[5] * dy + fe[8] * dz
    ux, uy = fe[0] * ex + fe[3] * ey + fe[6] * ez, fe[1] * ex + fe[4] * ey + fe[7] * ez
    uz = fe[2] * ex + fe[5] * ey + fe[8] * ez
    trace = turn[0] + turn[4] + turn[8]
    for i in range(3):
        work.constraint[row + i, 2] = 0.5 * (trace - 1.0)
    work.constraint[row, 0] = 0.5 * (turn[7] - turn[5])
    work.constraint[row + 1, 0] = 0.5 * (turn[2] - turn[6])
    work.constraint[row + 2, 0] = 0.5 * (turn[3] - turn[1])
    if work.extent[0] == OPENINGS:
        work.constraint[row, 1], work.constraint[row + 1, 1], work.constraint[row + 2, 1] = wx, wy, wz
        residual[row], residual[row + 1], residual[row + 2] = ux, uy, uz
        return
    # rows of R' = w~ R
    r00, r01, r02 = wy * turn[6] - wz * turn[3], wy * turn[7] - wz * turn[4], wy * turn[8] - wz * turn[5]
    r10, r11, r12 = wz * turn[0] - wx * turn[6], wz * turn[1] - wx * turn[7], wz * turn[2] - wx * turn[8]
    r20, r21, r22 = wx * turn[3] - wy * turn[0], wx * turn[4] - wy * turn[1], wx * turn[5] - wy * turn[2]
    rate = r00 + r11 + r22
    work.constraint[row, 1] = 0.5 * (trace * wx - turn[0] * wx - turn[1] * wy - turn[2] * wz)
    work.constraint[row + 1, 1] = 0.5 * (trace * wy - turn[3] * wx - turn[4] * wy - turn[5] * wz)
    work.constraint[row + 2, 1] = 0.5 * (trace * wz - turn[6] * wx - turn[7] * wy - turn[8] * wz)
    residual[row] = 0.5 * (
        trace * ux - turn[0] * ux - turn[1] * uy - turn[2] * uz + rate * wx - r00 * wx - r01 * wy - r02 * wz
    )
    residual[row + 1] = 0.5 * (
        trace * uy - turn[3] * ux - turn[4] * uy - turn[5] * uz + rate * wy - r10 * wx - r11 * wy - r12 * wz
    )
    residual[row + 2] = 0.5 * (
        trace * uz - turn[6] * ux - turn[7] * uy - turn[8] * uz + rate * wz - r20 * wx - r21 * wy - r22 * wz
    )


@kernel
def apply_closure(tables, c, q, a, work, residual):
    """Forces of the multipliers on both markers and the axes between them (frames and R are in ``work.scratch``)."""
    closure = tables.constraints[c]
    fa, fb, fe, turn = work.scratch[0], work.scratch[1], work.scratch[2], work.scratch[3]
    x, y, z = a[closure.row], a[closure.row + 1], a[closure.row + 2]
    fx = fa[0] * x + fa[1] * y + fa[2] * z
    fy = fa[3] * x + fa[4] * y + fa[5] * z
    fz = fa[6] * x + fa[7] * y + fa[8] * z
    mx = my = mz = 0.0
    if closure.rows == 6:
        x, y, z = a[closure.row + 3], a[closure.row + 4], a[closure.row + 5]
        trace = turn[0] + turn[4] + turn[8]
        ux = 0.5 * (trace * x - turn[0] * x - turn[3] * y - turn[6] * z)
        uy = 0.5 * (trace * y - turn[1] * x - turn[4] * y - turn[7] * z)
        uz = 0.5 * (trace * z - turn[2] * x - turn[5] * y - turn[8] * z)
        mx = fe[0] * ux + fe[1] * uy + fe[2] * uz
        my = fe[3] * ux + fe[4] * uy + fe[5] * uz
        mz = fe[6] * ux + fe[7] * uy + fe[8] * uz
    dx, dy, dz = cross(fb[9] - fe[9], fb[10] - fe[10], fb[11] - fe[11], fx, fy, fz)
    add_force(tables, closure.b, q, fb, fx, fy, fz, mx, my, mz, work, residual)
    reaction = work.reaction[len(tables.bodies) + c]
    reaction[0], reaction[1], reaction[2] = fx, fy, fz
    reaction[3], reaction[4], reaction[5] = mx, my, mz
    # back through the axes: the wrench that the end of the chain needs, about the point where it is
    wrench, point = fe[0:6], fe[9:12]
    wrench[0], wrench[1], wrench[2] = fx, fy, fz
    wrench[3], wrench[4], wrench[5] = mx, my, mz
    for axis in range(closure.end - 1, closure.start - 1, -1):
        back_through_axis(tables, axis, q, work.axis[axis], point, wrench, residual, work)
    add_force(
        tables, closure.a, q, fa, -fx, -fy, -fz, -wrench[3] - dx, -wrench[4] - dy, -wrench[5] - dz, work, residual
    )
