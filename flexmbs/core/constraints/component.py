"""One component of a marker's position relative to another marker, in the axes of that one, prescribed or held."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.constraints.prescribed import subtract_signal
from flexmbs.core.contact.gap import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.rotation import cross


@kernel
def add_component(tables, c, q, v, a, work, residual):
    """Row and forces of number ``c``: e_i . R_A^T (p_B - p_A) = s(t) (derivatives: core.constraints.closure)."""
    constraint = tables.constraints[c]
    row, i = constraint.row, constraint.component
    fa, fb = work.scratch[0], work.scratch[1]
    marker_in_world(tables, constraint.a, q, v, a, work, fa)
    marker_in_world(tables, constraint.b, q, v, a, work, fb)
    px, py, pz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    vx, vy, vz = fb[15] - fa[15], fb[16] - fa[16], fb[17] - fa[17]
    cx, cy, cz = cross(fa[12], fa[13], fa[14], px, py, pz)
    bx, by, bz = cross(fa[18], fa[19], fa[20], px, py, pz)
    sx, sy, sz = cross(fa[12], fa[13], fa[14], cx - 2.0 * vx, cy - 2.0 * vy, cz - 2.0 * vz)
    x, y, z = fa[i], fa[3 + i], fa[6 + i]
    work.constraint[row, 0] = x * px + y * py + z * pz
    work.constraint[row, 1] = x * (vx - cx) + y * (vy - cy) + z * (vz - cz)
    residual[row] = x * (fb[21] - fa[21] - bx + sx) + y * (fb[22] - fa[22] - by + sy) + z * (fb[23] - fa[23] - bz + sz)
    subtract_signal(tables, c, row, work, residual)
    fx, fy, fz = x * a[row], y * a[row], z * a[row]
    mx, my, mz = cross(px, py, pz, fx, fy, fz)
    reaction = work.reaction[len(tables.bodies) + c]
    reaction[0], reaction[1], reaction[2] = fx, fy, fz
    add_force(tables, constraint.b, q, fb, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
    add_force(tables, constraint.a, q, fa, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
