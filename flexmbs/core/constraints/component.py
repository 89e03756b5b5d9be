"""One component of a marker's position relative to another marker, in the axes of that one, prescribed or held."""

from __future__ import annotations

from flexmbs.core.constraints.prescribed import subtract_signal
from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, cross, difference, put
from flexmbs.machine_code.kernel import kernel


@kernel
def add_component(tables, c, q, v, a, work, residual):
    """Row and forces of number ``c``: e_i . R_A^T (p_B - p_A) = s(t) (derivatives: core.constraints.closure)."""
    constraint = tables.constraints[c]
    row, i = constraint.row, constraint.component
    frame_a, frame_b = work.marker[A], work.marker[B]
    marker_in_world(tables, constraint.a, q, v, a, work, frame_a)
    marker_in_world(tables, constraint.b, q, v, a, work, frame_b)
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    vx, vy, vz = difference(frame_b.v_WM, frame_a.v_WM)
    ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
    wx, wy, wz = components(frame_a.w_WM)
    bx, by, bz = components(frame_a.alpha_WM)
    cx, cy, cz = cross(wx, wy, wz, px, py, pz)
    bx, by, bz = cross(bx, by, bz, px, py, pz)
    sx, sy, sz = cross(wx, wy, wz, cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    x, y, z = frame_a.R_WM[0, i], frame_a.R_WM[1, i], frame_a.R_WM[2, i]
    work.constraint[row, POSITION_LEVEL] = x * px + y * py + z * pz
    work.constraint[row, VELOCITY_LEVEL] = x * (vx - cx) + y * (vy - cy) + z * (vz - cz)
    residual[row] = x * (ax - bx + sx) + y * (ay - by + sy) + z * (az - bz + sz)
    subtract_signal(tables, c, row, work, residual)
    fx, fy, fz = x * a[row], y * a[row], z * a[row]
    mx, my, mz = cross(px, py, pz, fx, fy, fz)
    put(work.reaction[len(tables.bodies) + c].force, fx, fy, fz)
    add_force(tables, constraint.b, q, frame_b, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
    add_force(tables, constraint.a, q, frame_a, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
