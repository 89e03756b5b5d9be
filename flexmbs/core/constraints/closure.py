"""A joint that closes a loop: the frame that its axes lead to from marker a must be that of marker b.

With E the end of the axes from marker a (which have coordinates of their own, without inertia):
    d = R_A^T (p_B - p_E) = 0,    rho = axial(R_E^T R_B) = 0    (axes of A and of E)
three rows each; a joint that ends with a ball has the first three only.  Derivatives, with the relative angular
velocity w = R_E^T (w_B - w_E) and R = R_E^T R_B, R' = w~ R:
    d'' = R_A^T (a_BE - alpha_A x p_BE - 2 w_A x v_BE + w_A x (w_A x p_BE))
    rho' = C w,  rho'' = C w' + C' w,  C = (tr(R) I - R) / 2    (from axial(w~ R) = C w for every matrix R).
"""

from flexmbs.core.layout.frames import END, A, B
from flexmbs.core.layout.tables import COSINE, OPENINGS, POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.joint_axes import back_through_axis, through_axis
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import (
    components,
    cross,
    difference,
    elements,
    put,
    relative_rotation,
    rotate,
    rotate_back,
    vector_at,
)
from flexmbs.machine_code.kernel import kernel


@kernel
def add_closure(tables, c, q, v, a, work, residual):
    """Rows and forces of closure number ``c``."""
    closure = tables.constraints[c]
    marker_in_world(tables, closure.a, q, v, a, work, work.marker[A])
    work.marker[END] = work.marker[A]
    for axis in range(closure.start, closure.end):
        # a chain that closes a loop holds no ball, so no reference quaternions are read
        through_axis(tables, axis, q, v, a, work.joint_point, END, work)
    marker_in_world(tables, closure.b, q, v, a, work, work.marker[B])
    position_rows(closure.row, work, residual)
    if closure.rows == 6:
        rotation_rows(closure.row + 3, work, residual)
    apply_closure(tables, c, q, a, work, residual)


@kernel
def position_rows(row, work, residual):
    """d, d' and d'' into three rows."""
    frame_a, frame_b, end = work.marker[A], work.marker[B], work.marker[END]
    px, py, pz = difference(frame_b.p_WM, end.p_WM)
    vx, vy, vz = difference(frame_b.v_WM, end.v_WM)
    ax, ay, az = difference(frame_b.a_WM, end.a_WM)
    wx, wy, wz = components(frame_a.w_WM)
    bx, by, bz = components(frame_a.alpha_WM)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    bx, by, bz = cross(bx, by, bz, px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    px, py, pz = rotate_back(frame_a.R_WM, px, py, pz)
    vx, vy, vz = rotate_back(frame_a.R_WM, vx - cx, vy - cy, vz - cz)
    ax, ay, az = rotate_back(frame_a.R_WM, ax - bx + sx, ay - by + sy, az - bz + sz)
    put_rows(row, work.constraint, residual, px, py, pz, vx, vy, vz, ax, ay, az)


@kernel
def put_rows(row, constraint, residual, px, py, pz, vx, vy, vz, ax, ay, az):
    """Three rows: values, rates, second derivatives."""
    for i, (value, rate, accel) in enumerate(((px, vx, ax), (py, vy, ay), (pz, vz, az))):
        constraint[row + i, POSITION_LEVEL] = value
        constraint[row + i, VELOCITY_LEVEL] = rate
        residual[row + i] = accel


@kernel
def rotation_rows(row, work, residual):
    """rho, rho' and rho'' into three rows; leaves R = R_EB in ``work.scratch``."""
    frame_b, end, R = work.marker[B], work.marker[END], work.scratch[0].R
    relative_rotation(end.R_WM, frame_b.R_WM, R)
    dx, dy, dz = difference(frame_b.w_WM, end.w_WM)
    wx, wy, wz = components(end.w_WM)
    kx, ky, kz = cross(wx, wy, wz, dx, dy, dz)
    ex, ey, ez = difference(frame_b.alpha_WM, end.alpha_WM)
    wx, wy, wz = rotate_back(end.R_WM, dx, dy, dz)
    ux, uy, uz = rotate_back(end.R_WM, ex - kx, ey - ky, ez - kz)
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = elements(R)
    trace = r00 + r11 + r22
    for i in range(3):
        work.constraint[row + i, COSINE] = 0.5 * (trace - 1.0)
    px, py, pz = 0.5 * (r21 - r12), 0.5 * (r02 - r20), 0.5 * (r10 - r01)
    if work.extent[0] == OPENINGS:
        put_rows(row, work.constraint, residual, px, py, pz, wx, wy, wz, ux, uy, uz)
        return
    # rows of R' = w~ R
    s00, s01, s02 = wy * r20 - wz * r10, wy * r21 - wz * r11, wy * r22 - wz * r12
    s10, s11, s12 = wz * r00 - wx * r20, wz * r01 - wx * r21, wz * r02 - wx * r22
    s20, s21, s22 = wx * r10 - wy * r00, wx * r11 - wy * r01, wx * r12 - wy * r02
    rate = s00 + s11 + s22
    vx = 0.5 * (trace * wx - r00 * wx - r01 * wy - r02 * wz)
    vy = 0.5 * (trace * wy - r10 * wx - r11 * wy - r12 * wz)
    vz = 0.5 * (trace * wz - r20 * wx - r21 * wy - r22 * wz)
    ax = 0.5 * (trace * ux - r00 * ux - r01 * uy - r02 * uz + rate * wx - s00 * wx - s01 * wy - s02 * wz)
    ay = 0.5 * (trace * uy - r10 * ux - r11 * uy - r12 * uz + rate * wy - s10 * wx - s11 * wy - s12 * wz)
    az = 0.5 * (trace * uz - r20 * ux - r21 * uy - r22 * uz + rate * wz - s20 * wx - s21 * wy - s22 * wz)
    put_rows(row, work.constraint, residual, px, py, pz, vx, vy, vz, ax, ay, az)


@kernel
def apply_closure(tables, c, q, a, work, residual):
    """Forces of the multipliers on both markers and the axes between them (frames and R are in ``work``)."""
    closure = tables.constraints[c]
    frame_a, frame_b, end = work.marker[A], work.marker[B], work.marker[END]
    x, y, z = vector_at(a, closure.row)
    fx, fy, fz = rotate(frame_a.R_WM, x, y, z)
    mx = my = mz = 0.0
    if closure.rows == 6:
        x, y, z = vector_at(a, closure.row + 3)
        R = work.scratch[0].R
        trace = R[0, 0] + R[1, 1] + R[2, 2]
        ux, uy, uz = rotate_back(R, x, y, z)
        ux, uy, uz = 0.5 * (trace * x - ux), 0.5 * (trace * y - uy), 0.5 * (trace * z - uz)
        mx, my, mz = rotate(end.R_WM, ux, uy, uz)
    px, py, pz = difference(frame_b.p_WM, end.p_WM)
    dx, dy, dz = cross(px, py, pz, fx, fy, fz)
    add_force(tables, closure.b, q, frame_b, fx, fy, fz, mx, my, mz, work, residual)
    reaction = work.reaction[len(tables.bodies) + c]
    put(reaction.force, fx, fy, fz)
    put(reaction.moment, mx, my, mz)
    # back through the axes: the wrench that the end of the chain needs, about the point where it is
    wrench, point = work.scratch[0], end.p_WM
    put(wrench.force, fx, fy, fz)
    put(wrench.moment, mx, my, mz)
    for axis in range(closure.end - 1, closure.start - 1, -1):
        back_through_axis(tables, axis, q, point, wrench, residual, work)
    mx, my, mz = components(wrench.moment)
    add_force(tables, closure.a, q, frame_a, -fx, -fy, -fz, -mx - dx, -my - dy, -mz - dz, work, residual)
