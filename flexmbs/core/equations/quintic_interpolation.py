"""Motion between the ends of a step: the quintic through positions, velocities and accelerations at both."""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.layout.state import END


@kernel
def interpolate(tables, state, scratch, h, x):
    """Point x (0 to 1) of the step into ``scratch.point_*``: error O(h^6) beside that of the method.

    In the chart of the step, where balls are at zero and their rates are angular velocities at its start.
    """
    x2, x3 = x * x, x * x * x
    for k in range(state.q.shape[0]):
        v0, a0 = h * state.v[k], h * h * state.a[k]
        v1, a1 = h * scratch.v[END, k], h * h * scratch.a[END, k]
        # what the parabola from the start misses at the end
        gap = scratch.q[END, k] - state.q[k] - v0 - 0.5 * a0
        slope, bend = v1 - v0 - a0, a1 - a0
        c3 = 10.0 * gap - 4.0 * slope + 0.5 * bend
        c4 = -15.0 * gap + 7.0 * slope - bend
        c5 = 6.0 * gap - 3.0 * slope + 0.5 * bend
        scratch.point_q[k] = state.q[k] + x * v0 + 0.5 * x2 * a0 + x3 * (c3 + x * (c4 + x * c5))
        scratch.point_v[k] = (v0 + x * a0 + x2 * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5))) / h
        scratch.point_a[k] = (a0 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / (h * h)
    # a condensed mode has a value where others have their acceleration, and no rates
    for i in range(len(tables.condensed)):
        k = tables.condensed[i]
        scratch.point_a[k] = state.a[k] + x * (scratch.a[END, k] - state.a[k])
