"""A massless rigid rod between two markers: g = (d . d - L(t)^2) / (2 L), d = p_B - p_A, smooth where d vanishes."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.mechanics.markers import marker_in_world


@kernel
def add_distance(tables, c, q, v, a, work, residual):
    """Row and forces of rod number ``c``; the multiplier is the force along the rod, N (positive: it pushes)."""
    rod = tables.constraints[c]
    row, scale = rod.row, 1.0 / rod.length
    fa, fb = work.scratch[0], work.scratch[1]
    marker_in_world(tables, rod.a, q, v, a, work, fa)
    marker_in_world(tables, rod.b, q, v, a, work, fb)
    dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
    ux, uy, uz = fb[15] - fa[15], fb[16] - fa[16], fb[17] - fa[17]
    ax, ay, az = fb[21] - fa[21], fb[22] - fa[22], fb[23] - fa[23]
    length, rate, accel = rod.length, 0.0, 0.0
    if rod.signal >= 0:
        length, rate, accel = work.signal[rod.signal, 0], work.signal[rod.signal, 1], work.signal[rod.signal, 2]
    work.constraint[row, 0] = 0.5 * scale * (dx * dx + dy * dy + dz * dz - length * length)
    work.constraint[row, 1] = scale * (dx * ux + dy * uy + dz * uz - length * rate)
    speed = ux * ux + uy * uy + uz * uz - rate * rate
    residual[row] = scale * (dx * ax + dy * ay + dz * az + speed - length * accel)
    force = scale * a[row]
    fx, fy, fz = force * dx, force * dy, force * dz
    reaction = work.reaction[len(tables.bodies) + c]
    reaction[0], reaction[1], reaction[2] = fx, fy, fz
    add_force(tables, rod.b, q, fb, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
    add_force(tables, rod.a, q, fa, -fx, -fy, -fz, 0.0, 0.0, 0.0, work, residual)
