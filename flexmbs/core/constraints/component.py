"""One component of a marker's position relative to another marker, in the axes of that one, prescribed or held."""

from flexmbs.core.constraints.prescribed import subtract_signal
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import markers_in_world, relative_motion
from flexmbs.core.mechanics.vectors import cross, difference, put
from flexmbs.machine_code.kernel import kernel


@kernel
def add_component(tables, c, q, v, a, work, residual):
    """Row and forces of number ``c``: e_i . R_A^T (p_B - p_A) = s(t) (derivatives: core.constraints.closure)."""
    constraint = tables.constraints[c]
    row, i = constraint.row, constraint.component
    frame_a, frame_b = markers_in_world(tables, constraint, q, v, a, work)
    px, py, pz = difference(frame_b.p_WM, frame_a.p_WM)
    vx, vy, vz, ax, ay, az, _x, _y, _z = relative_motion(frame_a, frame_b)
    x, y, z = frame_a.R_WM[0, i], frame_a.R_WM[1, i], frame_a.R_WM[2, i]
    work.constraint[row, POSITION_LEVEL] = x * px + y * py + z * pz
    work.constraint[row, VELOCITY_LEVEL] = x * vx + y * vy + z * vz
    residual[row] = x * ax + y * ay + z * az
    subtract_signal(tables, c, row, work, residual)
    fx, fy, fz = x * a[row], y * a[row], z * a[row]
    mx, my, mz = cross(px, py, pz, fx, fy, fz)
    put(work.reaction[len(tables.bodies) + c].force, fx, fy, fz)
    add_force(tables, constraint.b, q, frame_b, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
    add_force(tables, constraint.a, q, frame_a, -fx, -fy, -fz, -mx, -my, -mz, work, residual)
