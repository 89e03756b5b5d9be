"""Rows of the log inside a long step, so that what a result says between two rows is as good as the rows.

Results interpolate by the quintic through position, velocity and acceleration at two rows: its error is K (x (1 - x))^3
in positions, K = h^6 / 720 times the sixth derivative, which a high-order method with long steps does not control.
In the middle the quintic misses the velocity by O(h^6) only.  The acceleration there, from the equations of motion,
differs from that of the quintic by -3/8 K / h^2: that gives K, hence the position in the middle to O(h^8), and what
halving leaves of the error.  The velocity in the middle is not corrected: at a tolerance of 1e-9 it may be the largest
error of a run.
"""

from __future__ import annotations

import math

from flexmbs.integrate.accelerations import find_accelerations
from flexmbs.integrate.state import END, TIME
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.signals import evaluate_signals, impose_drivers

MOST_ROWS = 3
# What halving leaves of K: 1/64^2 in positions; in velocities the largest slope of (x (1 - x))^3 over 2^5.
LEFT_Q = 1.0 / 4096.0
LEFT_V = 0.0537 / 32.0


@kernel
def fill_inner(tables, state, settings, scratch, work, h):
    """Rows at h/2 or at h/4, h/2 and 3h/4 into ``scratch.inner`` (row, q v a, n); returns how many (0: not finite)."""
    inner = scratch.inner
    q0, v0, a0 = state.q, state.v, state.a
    q1, v1, a1 = scratch.q[END], scratch.v[END], scratch.a[END]
    size = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, 0.0, h, inner[1])
    if not math.isfinite(size):
        return 0
    if size <= 1.0:
        for part in range(3):
            inner[0, part, :] = inner[1, part]
        return 1
    q, v, a, half = inner[1, 0], inner[1, 1], inner[1, 2], 0.5 * h
    first = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q, v, a, 0.0, half, inner[0])
    last = fill_middle(tables, state, settings, scratch, work, q, v, a, q1, v1, a1, half, half, inner[2])
    return MOST_ROWS if math.isfinite(first + last) else 0


@kernel
def fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, out):
    """Motion half way between two points ``h`` apart; the weighted rms of what the quintics beside it will miss."""
    q, v, a = out[0], out[1], out[2]
    n = q.shape[0]
    for k in range(n):
        q[k] = 0.5 * (q0[k] + q1[k]) + 0.15625 * h * (v0[k] - v1[k]) + 0.015625 * h * h * (a0[k] + a1[k])
        v[k] = 1.875 / h * (q1[k] - q0[k]) - 0.4375 * (v0[k] + v1[k]) + 0.03125 * h * (a1[k] - a0[k])
    evaluate_signals(tables, state.number[TIME] + begin + 0.5 * h, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    if not find_accelerations(tables, state, scratch, work, q, v, a):
        return math.inf
    total = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        defect = h * h * (a[k] - 1.5 / h * (v1[k] - v0[k]) + 0.25 * (a0[k] + a1[k]))
        missed = -8.0 / 3.0 * defect
        q[k] += missed / 64.0
        weight_q = 1.0 / (settings.atol_q[k] + settings.rtol * (abs(q[k]) + settings.floor_q[k]))
        weight_v = 1.0 / (settings.atol_v[k] + settings.rtol * abs(v[k]))
        total += (LEFT_Q * missed * weight_q) ** 2 + (LEFT_V * missed / h * weight_v) ** 2
    return math.sqrt(total / (2.0 * max(len(tables.free), 1)))
