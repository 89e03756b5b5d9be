"""Rows of the log inside a long step, so that what a result says between two rows is as good as the rows.

Results interpolate by the quintic through position, velocity and acceleration at two rows: its error is K (x (1 - x))^3
in positions, K = h^6 / 720 times the sixth derivative, which a high-order method with long steps does not control.

Order 8 has a polynomial of order 7 of its own (core.methods.dense_output_coefficients), which gives rows at halves or
quarters of the step.  Order 5: in the middle the quintic misses the velocity by O(h^6) only.  The acceleration there,
from the equations of motion, differs from that of the quintic by -3/8 K / h^2: that gives K, hence the position in the
middle to O(h^8), and what halving leaves of the error.
"""

import math

from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.dense_output_coefficients import A_MORE, NODES, STAGES, D
from flexmbs.core.methods.error_norm import position_weight, velocity_weight
from flexmbs.core.methods.explicit_coefficients import HIGH, pair_for
from flexmbs.core.methods.missed_by_quintic import missed_by_quintic
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

INTERMEDIATE_ROWS, QUARTER, MIDDLE = 3, 0, 1
# What halving leaves of K: 1/64^2 in positions; in velocities the largest slope of (x (1 - x))^3 over 2^5.
LEFT_Q = 1.0 / 4096.0
LEFT_V = 0.0537 / 32.0
OWN_STAGES = 13  # stages of order 8 without those of its polynomial
# What the quintic may miss, in parts of the tolerance, when no row or one row in the middle is added: 2^6 of the last.
MISSED_BY_ONE, MISSED_BY_TWO = 1.0, 50.0


@entry(interface.fill_intermediate_rows)
def fill_intermediate_rows(tables, state, settings, scratch, work, h):
    """Rows at h/2 or at h/4, h/2 and 3h/4 into ``scratch.intermediate_q``, ``_v``, ``_a``; returns how many."""
    if pair_for(settings) == HIGH:
        return fill_from_polynomial(tables, state, settings, scratch, work, h)
    q0, v0, a0 = state.q, state.v, state.a
    q1, v1, a1 = scratch.end_q, scratch.end_v, scratch.end_a
    missed, left = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, 0.0, h, MIDDLE)
    if missed <= 1.0 or not math.isfinite(left):
        return 0
    if left <= 1.0:
        keep_middle_alone(scratch)
        return 1
    q, v, a = scratch.intermediate_q[MIDDLE], scratch.intermediate_v[MIDDLE], scratch.intermediate_a[MIDDLE]
    half = 0.5 * h
    _missed, first = fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q, v, a, 0.0, half, 0)
    _missed, last = fill_middle(tables, state, settings, scratch, work, q, v, a, q1, v1, a1, half, half, 2)
    return INTERMEDIATE_ROWS if math.isfinite(first + last) else 0


@kernel
def keep_middle_alone(scratch):
    """The row in the middle of the step becomes the first one."""
    copy_vector(scratch.intermediate_q[MIDDLE], scratch.intermediate_q[0])
    copy_vector(scratch.intermediate_v[MIDDLE], scratch.intermediate_v[0])
    copy_vector(scratch.intermediate_a[MIDDLE], scratch.intermediate_a[0])


@kernel
def fill_middle(tables, state, settings, scratch, work, q0, v0, a0, q1, v1, a1, begin, h, row):
    """Motion half way between two points ``h`` apart, into a row.

    Weighted rms of what the quintic between the two misses, and of what those on both sides of the middle will miss.
    """
    q, v, a = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
    n = q.shape[0]
    for k in range(n):
        q[k] = 0.5 * (q0[k] + q1[k]) + 0.15625 * h * (v0[k] - v1[k]) + 0.015625 * h * h * (a0[k] + a1[k])
        v[k] = 1.875 / h * (q1[k] - q0[k]) - 0.4375 * (v0[k] + v1[k]) + 0.03125 * h * (a1[k] - a0[k])
    evaluate_signals(tables, state.time + begin + 0.5 * h, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    if not find_accelerations(tables, state, scratch, work, q, v, a):
        return math.inf, math.inf
    missed_by_one = missed_by_two = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        defect = h * h * (a[k] - 1.5 / h * (v1[k] - v0[k]) + 0.25 * (a0[k] + a1[k]))
        missed = -8.0 / 3.0 * defect
        q[k] += missed / 64.0
        weight_q = position_weight(settings, scratch, k, abs(q[k]))
        weight_v = velocity_weight(settings, scratch, k, abs(v[k]))
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
    for row in range(INTERMEDIATE_ROWS):
        evaluate_polynomial(state, scratch, h, 0.25 * (row + 1), row)
    missed = missed_by_quintic(tables, state, settings, scratch, h, MIDDLE, QUARTER)
    if missed <= MISSED_BY_ONE:
        return 0
    if missed <= MISSED_BY_TWO:
        keep_middle_alone(scratch)
        return 1 if accelerate(tables, state, scratch, work, 0.5 * h, 0) else 0
    for row in range(INTERMEDIATE_ROWS):
        if not accelerate(tables, state, scratch, work, 0.25 * h * (row + 1), row):
            return 0
    return INTERMEDIATE_ROWS


@kernel
def accelerate(tables, state, scratch, work, ahead, row):
    """Accelerations of a row ``ahead`` of the start of the step by the equations of motion; False when not finite."""
    q, v, a = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
    evaluate_signals(tables, state.time + ahead, work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    return find_accelerations(tables, state, scratch, work, q, v, a)


@kernel
def find_more_stages(tables, state, scratch, work, h):
    """The three stages of the polynomial; False when one is not finite.  The first intermediate row is used."""
    q, v, a = scratch.intermediate_q[0], scratch.intermediate_v[0], scratch.intermediate_a[0]
    for more in range(STAGES - OWN_STAGES):
        for k in range(q.shape[0]):
            q[k], v[k], a[k] = state.q[k], state.v[k], state.a[k]
            for j in range(OWN_STAGES + more):
                q[k] += h * A_MORE[more, j] * scratch.stage_v[j, k]
                v[k] += h * A_MORE[more, j] * scratch.stage_a[j, k]
        if not accelerate(tables, state, scratch, work, NODES[more] * h, 0):
            return False
        for k in range(q.shape[0]):
            scratch.stage_v[OWN_STAGES + more, k], scratch.stage_a[OWN_STAGES + more, k] = v[k], a[k]
    return True


@kernel
def evaluate_polynomial(state, scratch, h, x, row):
    """Positions and velocities at point ``x`` of the step; those at its start for the accelerations to begin with."""
    q, v, a = scratch.intermediate_q[row], scratch.intermediate_v[row], scratch.intermediate_a[row]
    for k in range(state.q.shape[0]):
        q[k] = state.q[k] + polynomial(scratch.stage_v, h, x, k, scratch.end_q[k] - state.q[k])
        v[k] = state.v[k] + polynomial(scratch.stage_a, h, x, k, scratch.end_v[k] - state.v[k])
        a[k] = state.a[k]


@kernel
def polynomial(slopes, h, x, k, change):
    """Change of entry ``k`` since the start of the step, from ``slopes`` (stages, n) and its change in all of it."""
    first, last = h * slopes[0, k], h * slopes[OWN_STAGES - 1, k]
    value = 0.0
    for i in range(7):
        if i < 4:
            f = 0.0
            for j in range(STAGES):
                f += h * D[3 - i, j] * slopes[j, k]
        elif i == 4:
            f = 2.0 * change - last - first
        else:
            f = first - change if i == 5 else change
        value = (value + f) * (x if i % 2 == 0 else 1.0 - x)
    return value
