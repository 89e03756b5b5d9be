"""A massless rigid rod between two markers: g = (d . d - L(t)^2) / (2 L), d = p_B - p_A, smooth where d vanishes."""

from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import markers_in_world
from flexmbs.core.mechanics.vectors import components, difference, put
from flexmbs.machine_code.kernel import kernel


@kernel
def add_distance(tables, c, q, v, a, work, residual):
    """Row and forces of rod number ``c``; the multiplier is the force along the rod, N (positive: it pushes)."""
    rod = tables.constraints[c]
    row, scale = rod.row, 1.0 / rod.length
    frame_a, frame_b = markers_in_world(tables, rod, q, v, a, work)
    dx, dy, dz = difference(frame_b.p_WM, frame_a.p_WM)
    ux, uy, uz = difference(frame_b.v_WM, frame_a.v_WM)
    ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
    length, rate, accel = rod.length, 0.0, 0.0
    if rod.signal >= 0:
        length, rate, accel = components(work.signal[rod.signal])
    work.constraint[row, POSITION_LEVEL] = 0.5 * scale * (dx * dx + dy * dy + dz * dz - length * length)
    work.constraint[row, VELOCITY_LEVEL] = scale * (dx * ux + dy * uy + dz * uz - length * rate)
    speed = ux * ux + uy * uy + uz * uz - rate * rate
    residual[row] = scale * (dx * ax + dy * ay + dz * az + speed - length * accel)
    force = scale * a[row]
    fx, fy, fz = force * dx, force * dy, force * dz
    put(work.reaction[len(tables.bodies) + c].force, fx, fy, fz)
    add_force(tables, rod.b, q, frame_b, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
    add_force(tables, rod.a, q, frame_a, -fx, -fy, -fz, 0.0, 0.0, 0.0, work, residual)
