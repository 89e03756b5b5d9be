"""A massless inextensible cable that runs over markers without friction: sum of n_i |p_(i+1) - p_i| = L(t).

n_i is the number of parts of the cable between two markers (more than one in a tackle).
"""

import math

from flexmbs.core.layout.frames import A, B
from flexmbs.core.layout.tables import POSITION_LEVEL, VELOCITY_LEVEL
from flexmbs.core.mechanics.marker_forces import add_force
from flexmbs.core.mechanics.markers import marker_in_world
from flexmbs.core.mechanics.vectors import components, difference, put
from flexmbs.machine_code.kernel import kernel


@kernel
def add_cable(tables, c, q, v, a, work, residual):
    """Row and forces of cable number ``c``; minus the multiplier is the tension, N."""
    cable = tables.constraints[c]
    row = cable.row
    frame_a, frame_b = work.marker[A], work.marker[B]
    length, rate, accel = cable.length, 0.0, 0.0
    if cable.signal >= 0:
        length, rate, accel = components(work.signal[cable.signal])
    value, speed, change = -length, -rate, -accel
    for i in range(cable.start, cable.end - 1):
        first, second, parts = tables.terms[i].coordinate, tables.terms[i + 1].coordinate, tables.terms[i].factor
        marker_in_world(tables, first, q, v, a, work, frame_a)
        marker_in_world(tables, second, q, v, a, work, frame_b)
        dx, dy, dz = difference(frame_b.p_WM, frame_a.p_WM)
        ux, uy, uz = difference(frame_b.v_WM, frame_a.v_WM)
        ax, ay, az = difference(frame_b.a_WM, frame_a.a_WM)
        size = math.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx / size, dy / size, dz / size
        along = dx * ux + dy * uy + dz * uz
        value += parts * size
        speed += parts * along
        change += parts * dx * ax + parts * dy * ay + parts * dz * az
        change += parts * (ux * ux + uy * uy + uz * uz - along * along) / size
        force = parts * a[row]
        fx, fy, fz = force * dx, force * dy, force * dz
        add_force(tables, second, q, frame_b, fx, fy, fz, 0.0, 0.0, 0.0, work, residual)
        add_force(tables, first, q, frame_a, -fx, -fy, -fz, 0.0, 0.0, 0.0, work, residual)
        put(work.reaction[len(tables.bodies) + c].force, fx, fy, fz)  # at the last marker
    work.constraint[row, POSITION_LEVEL], work.constraint[row, VELOCITY_LEVEL] = value, speed
    residual[row] = change
