"""Loads spread over flexible bodies (pressure, line loads that follow the line), expanded to first order in q.

With amplitude s: force s (R0 + R1 q), moment s (M0 + M1 q) about the frame, modal forces s (Q0 + Q1 q), all in body
axes (flexmbs.mechanism.distributed_loads computes them from the fields of the body, of second order too).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.laws.force.measure import to_world


@kernel
def add_spread_loads(tables, q, work, residual):
    for i in range(len(tables.spread_loads)):
        load = tables.spread_loads[i]
        body, pool = tables.bodies[load.body], tables.pool
        n, start, width = body.modes, body.modal_start, 6 + body.modes
        amplitude = work.signal[load.signal, 0]
        w = work.scratch[0]
        for k in range(6):
            w[k] = 0.0
        for row in range(1 + n):
            factor = amplitude if row == 0 else amplitude * q[start + row - 1]
            at = load.field_at + row * width
            for k in range(6):
                w[k] += factor * pool[at + k]
            for k in range(n):
                residual[start + k] -= factor * pool[at + 6 + k]
        f = work.frame[load.body]
        fx, fy, fz = to_world(f, w[0], w[1], w[2])
        mx, my, mz = to_world(f, w[3], w[4], w[5])
        for k, part in enumerate((fx, fy, fz, mx, my, mz)):
            work.wrench[load.body, k] -= part
