"""Loads spread over flexible bodies (pressure, line loads that follow the line), expanded to first order in q.

With amplitude s: force s (R0 + R1 q), moment s (M0 + M1 q) about the frame, modal forces s (Q0 + Q1 q), all in body
axes (flexmbs.mechanism.distributed_loads computes them from the fields of the body, of second order too).
"""

from flexmbs.core.layout.tables import VALUE
from flexmbs.core.mechanics.vectors import add, components, put, rotate, vector_at
from flexmbs.machine_code.kernel import kernel

FORCE, MOMENT, MODAL_FORCES = 0, 3, 6  # places in a row of a load's fields


@kernel
def add_spread_loads(tables, q, work, residual):
    for i in range(len(tables.spread_loads)):
        load = tables.spread_loads[i]
        body, pool, total = tables.bodies[load.body], tables.pool, work.scratch[0]
        n, start, width = body.modes, body.modal_start, MODAL_FORCES + body.modes
        amplitude = work.signal[load.signal, VALUE]
        put(total.force, 0.0, 0.0, 0.0)
        put(total.moment, 0.0, 0.0, 0.0)
        for row in range(1 + n):
            factor = amplitude if row == 0 else amplitude * q[start + row - 1]
            at = load.field_at + row * width
            x, y, z = vector_at(pool, at + FORCE)
            add(total.force, factor * x, factor * y, factor * z)
            x, y, z = vector_at(pool, at + MOMENT)
            add(total.moment, factor * x, factor * y, factor * z)
            for k in range(n):
                residual[start + k] -= factor * pool[at + MODAL_FORCES + k]
        R_WB, wrench = work.frame[load.body].R_WB, work.wrench[load.body]
        fx, fy, fz = components(total.force)
        fx, fy, fz = rotate(R_WB, fx, fy, fz)
        mx, my, mz = components(total.moment)
        mx, my, mz = rotate(R_WB, mx, my, mz)
        add(wrench.force, -fx, -fy, -fz)
        add(wrench.moment, -mx, -my, -mz)
