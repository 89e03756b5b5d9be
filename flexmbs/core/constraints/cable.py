"""A massless inextensible cable that runs over markers without friction: sum of n_i |p_(i+1) - p_i| = L(t).

n_i is the number of parts of the cable between two markers (more than one in a tackle).
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.contact.gap import add_force
from flexmbs.core.mechanics.markers import marker_in_world


@kernel
def add_cable(tables, c, q, v, a, work, residual):
    """Row and forces of cable number ``c``; minus the multiplier is the tension, N."""
    cable = tables.constraints[c]
    row = cable.row
    fa, fb = work.scratch[0], work.scratch[1]
    length, rate, accel = cable.length, 0.0, 0.0
    if cable.signal >= 0:
        length, rate, accel = work.signal[cable.signal, 0], work.signal[cable.signal, 1], work.signal[cable.signal, 2]
    value, speed, change = -length, -rate, -accel
    for i in range(cable.start, cable.end - 1):
        first, second, parts = tables.terms[i].coordinate, tables.terms[i + 1].coordinate, tables.terms[i].factor
        marker_in_world(tables, first, q, v, a, work, fa)
        marker_in_world(tables, second, q, v, a, work, fb)
        dx, dy, dz = fb[9] - fa[9], fb[10] - fa[10], fb[11] - fa[11]
        ux, uy, uz = fb[15] - fa[15], fb[16] - fa[16], fb[17] - fa[17]
        size = math.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx / size, dy / size, dz / size
        along = dx * ux + dy * uy + dz * uz
        value += parts * size
        speed += parts * along
        change += parts * dx * (fb[21] - fa[21]) + parts * dy * (fb[22] - fa[22]) + parts * dz * (fb[23] - fa[23])
        change += parts * (ux * ux + uy * uy + uz * uz - along * along) / size
        force = parts * a[row]
        fx, fy, fz = force * dx, force * dy, force * dz
        add_force(tables, second, q, fb, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
        add_force(tables, first, q, fa, -fx, -fy, -fz, 0.0, 0.0, 0.0, work, residual)
        reaction = work.reaction[len(tables.bodies) + c]  # at the last marker
        reaction[0], reaction[1], reaction[2] = fx, fy, fz
    work.constraint[row, 0], work.constraint[row, 1], residual[row] = value, speed, change
