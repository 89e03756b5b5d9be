"""Rows of the log inside a long step, so that what a result says between two rows is as good as the rows.

Results interpolate by the quintic through position, velocity and acceleration at two rows: its error is K (x (1 - x))^3
in positions, K = h^6 / 720 times the sixth derivative, which a high-order method with long steps does not control.

Order 8 has a polynomial of order 7 of its own (core.methods.dense_output_coefficients), which gives rows at halves or quarters of
the step.  Order 5: in the middle the quintic misses the velocity by O(h^6) only.  The acceleration there, from the
equations of motion, differs from that of the quintic by -3/8 K / h^2: that gives K, hence the position in the middle to
O(h^8), and what halving leaves of the error.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.equations.quintic_interpolation import interpolate
from flexmbs.core.layout.state import END, TIME
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.dense_output_coefficients import A_MORE, NODES, STAGES, D
from flexmbs.core.methods.explicit import pair_for
from flexmbs.core.methods.explicit_coefficients import HIGH
from flexmbs.core.methods.interface import find_inner_rows

MOST_ROWS = 3
# What halving leaves of K: 1/64^2 in positions; in velocities the largest slope of (x (1 - x))^3 over 2^5.
LEFT_Q = 1.0 / 4096.0
LEFT_V = 0.0537 / 32.0
OWN = 13  # stages of order 8 without those of its polynomial
# What the quintic may miss, in parts of the tolerance, when no row or one row in the middle is added: 2^6 of the last.
MISSED_BY_ONE, MISSED_BY_TWO = 1.0, 50.0


@entry(find_inner_rows)
def fill_inner(tables, state, settings, scratch, work, h):
    """Rows at h/2 or at h/4, h/2 and 3h/4 into ``scratch.inner`` (row, q v a, n); returns how many."""
    if pair_for(settings) == HIGH:
        return fill_from_polynomial(tables, state, settings, scratch, work, h)
    inner = scratch.inner
    q0, v0, a0 = state.q, state.v, state.a
    q1, v1, a1 = scratch.q[END], scratch.v[END], scratch.a[END]
    missed, left = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, 0.0, h, inner[1])
    if missed <= 1.0 or not math.isfinite(left):
        return 0
    if left <= 1.0:
        for part in range(3):
            copy_vector(inner[1, part], inner[0, part])
        return 1
    q, v, a, half = inner[1, 0], inner[1, 1], inner[1, 2], 0.5 * h
    _missed, first = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q, v, a, 0.0, half, inner[0])
    _missed, last = fill_middle(tables, state, settings, scratch, work, q, v, a, q1, v1, a1, half, half, inner[2])
    return MOST_ROWS if math.isfinite(first + last) else 0


@kernel
def fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, out):
    """Motion half way between two points ``h`` apart.

    Weighted rms of what the quintic between the two misses, and of what those on both sides of the middle will miss.
    """
    q, v, a = out[0], out[1], out[2]
    n = q.shape[0]
    for k in range(n):
        q[k] = 0.5 * (q0[k] + q1[k]) + 0.15625 * h * (v0[k] - v1[k]) + 0.015625 * h * h * (a0[k] + a1[k])
        v[k] = 1.875 / h * (q1[k] - q0[k]) - 0.4375 * (v0[k] + v1[k]) + 0.03125 * h * (a1[k] - a0[k])
    evaluate_signals(tables, state.number[TIME] + begin + 0.5 * h, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    if not find_accelerations(tables, state, scratch, work, q, v, a):
        return math.inf, math.inf
    missed_by_one = missed_by_two = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        defect = h * h * (a[k] - 1.5 / h * (v1[k] - v0[k]) + 0.25 * (a0[k] + a1[k]))
        missed = -8.0 / 3.0 * defect
        q[k] += missed / 64.0
        weight_q = 1.0 / (settings.atol_q[k] + settings.rtol * (abs(q[k]) + settings.floor_q[k]))
        weight_v = 1.0 / (settings.atol_v[k] + settings.rtol * abs(v[k]))
        position, velocity = LEFT_Q * missed * weight_q, LEFT_V * missed / h * weight_v
        missed_by_two += position**2 + velocity**2
        missed_by_one += (64.0 * position) ** 2 + (32.0 * velocity) ** 2
    count = 2.0 * max(len(tables.free), 1)
    return math.sqrt(missed_by_one / count), math.sqrt(missed_by_two / count)


@kernel
def fill_from_polynomial(tables, state, settings, scratch, work, h):
    """Rows from the polynomial of order 8's stages: as many as the quintic between rows needs to keep the tolerance."""
    if not find_more_stages(tables, state, scratch, work, h):
        return 0
    inner = scratch.inner
    for row in range(MOST_ROWS):
        evaluate_polynomial(state, scratch, h, 0.25 * (row + 1), inner[row])
    missed = missed_by_quintic(tables, state, settings, scratch, h)
    if missed <= MISSED_BY_ONE:
        return 0
    if missed <= MISSED_BY_TWO:
        for part in range(3):
            copy_vector(inner[1, part], inner[0, part])
        return 1 if accelerate(tables, state, scratch, work, 0.5 * h, inner[0]) else 0
    for row in range(MOST_ROWS):
        if not accelerate(tables, state, scratch, work, 0.25 * h * (row + 1), inner[row]):
            return 0
    return MOST_ROWS


@kernel
def accelerate(tables, state, scratch, work, ahead, row):
    """Accelerations of a row ``ahead`` of the start of the step by the equations of motion; False when not finite."""
    evaluate_signals(tables, state.number[TIME] + ahead, work.signal)
    impose_drivers(tables, work.signal, row[0], row[1], row[2])
    return find_accelerations(tables, state, scratch, work, row[0], row[1], row[2])


@kernel
def find_more_stages(tables, state, scratch, work, h):
    """The three stages of the polynomial; False when one is not finite.  ``scratch.inner[0]`` is used."""
    q, v, a = scratch.inner[0, 0], scratch.inner[0, 1], scratch.inner[0, 2]
    for more in range(STAGES - OWN):
        for k in range(q.shape[0]):
            q[k], v[k], a[k] = state.q[k], state.v[k], state.a[k]
            for j in range(OWN + more):
                q[k] += h * A_MORE[more, j] * scratch.stages[j, 0, k]
                v[k] += h * A_MORE[more, j] * scratch.stages[j, 1, k]
        if not accelerate(tables, state, scratch, work, NODES[more] * h, scratch.inner[0]):
            return False
        for k in range(q.shape[0]):
            scratch.stages[OWN + more, 0, k], scratch.stages[OWN + more, 1, k] = v[k], a[k]
    return True


@kernel
def evaluate_polynomial(state, scratch, h, x, row):
    """Positions and velocities at point ``x`` of the step; those at its start for the accelerations to begin with."""
    for k in range(state.q.shape[0]):
        row[0, k] = state.q[k] + polynomial(scratch, h, x, 0, k, scratch.q[END, k] - state.q[k])
        row[1, k] = state.v[k] + polynomial(scratch, h, x, 1, k, scratch.v[END, k] - state.v[k])
        row[2, k] = state.a[k]


@kernel
def polynomial(scratch, h, x, part, k, change):
    """Change since the start of the step; ``part`` 0: of positions, 1: of velocities."""
    first, last = h * scratch.stages[0, part, k], h * scratch.stages[OWN - 1, part, k]
    value = 0.0
    for i in range(7):
        if i < 4:
            f = 0.0
            for j in range(STAGES):
                f += h * D[3 - i, j] * scratch.stages[j, part, k]
        elif i == 4:
            f = 2.0 * change - last - first
        else:
            f = first - change if i == 5 else change
        value = (value + f) * (x if i % 2 == 0 else 1.0 - x)
    return value


@kernel
def missed_by_quintic(tables, state, settings, scratch, h):
    """Weighted rms of what the quintic of the step misses: positions in the middle, velocities at a quarter."""
    interpolate(tables, state, scratch, h, 0.5)
    total = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        size = abs(scratch.point_q[k]) + settings.floor_q[k]
        total += ((scratch.point_q[k] - scratch.inner[1, 0, k]) / (settings.atol_q[k] + settings.rtol * size)) ** 2
    interpolate(tables, state, scratch, h, 0.25)
    for i in range(len(tables.free)):
        k = tables.free[i]
        size = abs(scratch.point_v[k])
        total += ((scratch.point_v[k] - scratch.inner[0, 1, k]) / (settings.atol_v[k] + settings.rtol * size)) ** 2
    return math.sqrt(total / (2.0 * max(len(tables.free), 1)))
