"""What all implicit methods share: weights, refreshing the tangent, judging Newton's iteration, what follows a failure.

Simplified Newton: the matrix is that of an earlier state while the iteration contracts well.  Hairer and Wanner,
Solving Ordinary Differential Equations II (1996), IV.8.
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel
from flexmbs.core.equations.return_to_constraints import settle
from flexmbs.core.equations.tangent import update_tangent
from flexmbs.core.layout.state import (
    ALL_STALE,
    CONTRACTION,
    END,
    FACTORED_STEP,
    HERE,
    HOLDING,
    LAST_CONTRACTION,
    MASS_STALE,
    NEWTON_FAILURES,
    REJECTED_LAST,
    STEP,
    TANGENT,
    VOLATILE,
    VOLATILE_STEPS,
)
from flexmbs.core.layout.tables import ACCELERATION_LEVEL, POSITION_LEVEL
from flexmbs.core.linalg.matrix import columns_of

MAX_ITERATIONS = 8
# Newton corrections below this part of their tolerance are not asked to shrink.
ROUNDING = 1e-3
GO_ON, CONVERGED, HOPELESS = range(3)


@kernel
def set_weights(tables, state, settings, scratch):
    """Reciprocal tolerances of the free coordinates and velocities at the start of the step."""
    for i in range(len(tables.free)):
        k = tables.free[i]
        size = abs(state.q[k]) + settings.floor_q[k]
        scratch.weight_q[i] = 1.0 / (settings.atol_q[k] + settings.rtol * size)
        scratch.weight_v[i] = 1.0 / (settings.atol_v[k] + settings.rtol * abs(state.v[k]))


@kernel
def refresh_tangent(tables, state, scratch, work):
    """Take the tangent anew where the last step found it stale."""
    if state.flag[TANGENT] > MASS_STALE:
        return
    held = state.flag[HOLDING]
    update_tangent(tables, state, scratch, work, 3 if state.flag[TANGENT] == ALL_STALE else 1)
    if state.flag[HOLDING] < held:
        settle(tables, state, scratch, work)
    state.number[FACTORED_STEP] = 0.0


@kernel
def after_singular(state, h):
    """Newton's matrix is singular: another step has another matrix."""
    state.number[STEP] = 0.5 * h
    state.number[FACTORED_STEP] = 0.0


@kernel
def after_failure(state, h):
    """Newton's iteration did not converge: a new tangent next, or half the step where it is new already."""
    state.count[NEWTON_FAILURES] += 1
    state.flag[VOLATILE] = VOLATILE_STEPS
    if state.flag[TANGENT] == HERE:
        state.number[STEP] = 0.5 * h
        state.flag[REJECTED_LAST] = 1
    else:
        state.flag[TANGENT] = ALL_STALE


@kernel
def judge(state, settings, iteration, size, previous, rate, slowest):
    """Whether Newton's iteration has converged: (verdict, contraction rate, slowest rate so far).

    ``size`` is the weighted norm of the last correction, ``previous`` of the one before.
    """
    if not size < 1e100:
        return HOPELESS, rate, slowest
    if iteration > 0:
        rate = size / previous if previous > 0.0 else 0.0
        if size < ROUNDING * settings.newton_tolerance:
            rate = min(rate, 0.5)  # corrections that small are rounding, and need not shrink further
        slowest = max(slowest, rate)
        left = MAX_ITERATIONS - 1 - iteration
        # the first ratio says little: a light coordinate may only start to follow the heavy ones
        if rate >= 2.0 or iteration > 1 and rate >= 1.0:
            return HOPELESS, rate, slowest
        if iteration > 1 and rate**left / (1.0 - rate) * size > settings.newton_tolerance:
            return HOPELESS, rate, slowest
    if size == 0.0 or (rate < 1.0 and rate / (1.0 - rate) * size < settings.newton_tolerance):
        state.number[CONTRACTION] = max(rate, slowest)
        # what is left is rounding: the tangent is not to blame
        state.number[LAST_CONTRACTION] = rate if size >= ROUNDING * settings.newton_tolerance else 0.0
        return CONVERGED, rate, slowest
    return GO_ON, rate, slowest


@kernel
def first_rate(state):
    """Contraction rate to begin with: the memory of earlier steps fades."""
    return max(state.number[CONTRACTION], 1e-10) ** 0.8


@kernel
def filter_right_side(tables, state, scratch, g):
    """M e_v - g K e_q into ``scratch.real_x``: what the Newton matrix of M + g D + g^2 K turns into a filtered error.

    The components of stiff modes, which the method damps, are damped in the error estimate too (Hairer and Wanner,
    IV.8).
    """
    m = len(tables.free)
    for i in range(m):
        total = 0.0
        first, end, shift = columns_of(i, m, tables.band)
        for j in range(first, end):
            at = j + shift
            total += state.mass[i, at] * scratch.error_v[j] - g * state.stiffness[i, at] * scratch.error_q[j]
        scratch.real_x[i] = 0.0 if state.held[i] != 0 else total


@kernel
def weighed_error(tables, settings, state, scratch, i, error_q, error_v):
    """Sum of squares of the errors of free coordinate ``i`` in parts of what is allowed over the step."""
    k = tables.free[i]
    size_q = max(abs(state.q[k]), abs(scratch.q[END, k])) + settings.floor_q[k]
    size_v = max(abs(state.v[k]), abs(scratch.v[END, k]))
    x = error_q / (settings.atol_q[k] + settings.rtol * size_q)
    y = error_v / (settings.atol_v[k] + settings.rtol * size_v)
    return x * x + y * y


@kernel
def driven_error(tables, state, settings, scratch, h):
    """Sum of squares of the errors of what one implicit stage integrates of coordinates driven by rate or acceleration.

    Against Hermite's quadrature of what is known at both ends; and how many such coordinates there are.
    """
    total, count = 0.0, 0
    for k in range(len(tables.coordinates)):
        level = tables.coordinates[k].level
        if tables.coordinates[k].signal < 0 or level == POSITION_LEVEL:
            continue
        count += 1
        v0, v1, a0, a1 = state.v[k], scratch.v[END, k], state.a[k], scratch.a[END, k]
        move = h * (0.5 * (v0 + v1) + h * (a0 - a1) / 12.0)
        x = (scratch.q[END, k] - state.q[k] - move) / (settings.atol_q[k] + settings.rtol * abs(scratch.q[END, k]))
        total += x * x
        if level == ACCELERATION_LEVEL:
            y = (v1 - v0 - 0.5 * h * (a0 + a1)) / (settings.atol_v[k] + settings.rtol * abs(v1))
            total += y * y
    return total, count
