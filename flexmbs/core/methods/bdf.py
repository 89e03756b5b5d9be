"""Backward differentiation formulas of order 1 to 6 with variable steps.

y' at the end of a step from the present and earlier values, for positions and velocities; order and step from estimates
of the local error.

The predictor is the polynomial through the present and earlier values, in divided differences; a modified Newton
iteration corrects it (core.methods.one_stage), as in Gear's and ADAMS' stiff integrators.  Brenan, Campbell, Petzold,
Numerical Solution of Initial-Value Problems in DAEs (1996), ch. 5; Byrne, Hindmarsh, ACM TOMS 1 (1975) 71.

Rows of the history are earlier points, the last first; positions of balls as the present chart sees them.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.equations.rotation_charts import largest_turn, restate
from flexmbs.core.layout.state import (
    CAPPED,
    DEPTH,
    END,
    HAS_PREDICTION,
    HIGHER_ERROR,
    LOWER_ERROR,
    ORDER,
    PRESENT_ERROR,
    RAISING,
    REJECTED_LAST,
    SENTENCE,
    SINCE,
    STRIKES,
    WORST,
)
from flexmbs.core.layout.tables import BALL
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.methods.bdf_weights import difference_constant, differentiation, error_constant, extrapolation
from flexmbs.core.methods.implicit import driven_error, refresh_tangent, set_weights
from flexmbs.core.methods.interface import attempt_step, keep_step
from flexmbs.core.methods.one_stage import INDEX_1, has_rough_rate, solve_stage

MOST_ORDER = 6
HISTORY = MOST_ORDER + 1  # rows: with the present point enough for the error of order 6 + 1
MOST_TURN = 2.5  # rad: earlier points further away than this are forgotten
NO_ESTIMATE = 1e300
# An estimate of another order must promise this much more than that of the present one; larger steps at least GAIN.
LOWER_BIAS, HIGHER_BIAS, GAIN, MOST_GROWTH = 1.3, 1.4, 1.2, 2.0
# Orders from 3 on are unstable for oscillations in a lobe beside the imaginary axis: at the border of stability every
# few steps one is rejected.  A rejection counts STRIKE, an accepted step takes one back; at MOST_STRIKES only orders 1
# and 2, which are stable there, are allowed for SHORTEST steps, for twice as many the next time.
STRIKE, MOST_STRIKES, SHORTEST, LONGEST = 6, 24, 100, 20000


@entry(attempt_step)
def attempt_bdf(tables, state, settings, scratch, work, h):
    """A step of BDF."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    begin(state, settings, h)
    order = choose_order(state)
    weights = scratch.weights
    beta = differentiation(state.history_t, order, h, weights[0])
    extrapolation(state.history_t, order + 1, h, weights[1])
    for k in range(state.q.shape[0]):
        known_v, known_q = weights[0, 0] * state.v[k], weights[0, 0] * state.q[k]
        guess_v = weights[1, 0] * state.v[k]
        for i in range(1, order):
            known_v += weights[0, i] * state.history_v[i - 1, k]
            known_q += weights[0, i] * state.history_q[i - 1, k]
        for i in range(1, order + 1):
            guess_v += weights[1, i] * state.history_v[i - 1, k]
        scratch.v[0, k] = -beta * known_v
        scratch.q[0, k] = beta * scratch.v[0, k] - beta * known_q
        scratch.a[0, k] = guess_v / beta + known_v
    iterations = solve_stage(tables, state, settings, scratch, work, h, beta, beta * beta, 0)
    if iterations == 0:
        return 0, 1.0, 1.0
    present = error_of_order(tables, state, settings, scratch, h, order, order)
    lower = error_of_order(tables, state, settings, scratch, h, order - 1, order) if order > 1 else NO_ESTIMATE
    higher = NO_ESTIMATE
    if state.flag[DEPTH] > order and order < largest_order(state, settings):
        higher = error_of_order(tables, state, settings, scratch, h, order + 1, order)
    state.number[PRESENT_ERROR], state.number[LOWER_ERROR], state.number[HIGHER_ERROR] = present, lower, higher
    return iterations, present, order + 1.0


@kernel
def begin(state, settings, h):
    """After a start or an event: a point before the present one, on the tangent of the motion."""
    if state.flag[HAS_PREDICTION] != 0:
        return
    state.flag[ORDER] = state.flag[RAISING] = 1
    state.flag[DEPTH] = state.flag[SINCE] = 0
    state.history_t[0] = -h
    for k in range(state.q.shape[0]):
        state.history_q[0, k] = state.q[k] - h * state.v[k]
        state.history_v[0, k] = state.v[k] - h * state.a[k]


@kernel
def choose_order(state):
    """Order of this attempt: a repeated one takes a lower order when that promised more."""
    order, rejected = state.flag[ORDER], state.number[PRESENT_ERROR]
    if state.flag[REJECTED_LAST] != 0 and state.number[PRESENT_ERROR] > 1.0:
        state.number[PRESENT_ERROR] = 1.0  # each rejection counts once
        state.flag[RAISING] = 0
        if order > 2:
            state.flag[STRIKES] += STRIKE
        if order > 1 and state.number[LOWER_ERROR] < rejected:
            order -= 1
    state.flag[ORDER] = order
    return order


@kernel
def largest_order(state, settings):
    """The largest order that is allowed at present."""
    return min(settings.most_order, 2) if state.flag[CAPPED] > 0 else settings.most_order


@kernel
def watch_stability(state):
    """Turn to orders 1 and 2 for a while where higher ones seem to be at their border of stability."""
    state.flag[STRIKES] = max(state.flag[STRIKES] - 1, 0)
    state.flag[CAPPED] = max(state.flag[CAPPED] - 1, 0)
    if state.flag[STRIKES] >= MOST_STRIKES:
        state.flag[SENTENCE] = min(max(2 * state.flag[SENTENCE], SHORTEST), LONGEST)
        state.flag[CAPPED] = state.flag[SENTENCE]
        state.flag[STRIKES] = 0
        state.flag[ORDER] = min(state.flag[ORDER], 2)
        state.flag[SINCE] = 0


@kernel
def error_of_order(tables, state, settings, scratch, h, order, taken):
    """Weighted size of the local error that BDF of ``order`` makes; the step was of order ``taken``.

    Velocities of index 3 count by how far they move positions in the step: their own errors fall too slowly with it
    (Brenan, Campbell, Petzold 1996, 5.4).
    """
    weights = scratch.weights[2]
    extrapolation(state.history_t, order + 1, h, weights)
    if order == taken:
        constant = error_constant(state.history_t, order, h)
    else:
        constant = difference_constant(state.history_t, order, h)
    total = 0.0
    worst, which = -1.0, -1
    for i in range(len(tables.free)):
        k = tables.free[i]
        q, v = scratch.q[END, k] - weights[0] * state.q[k], scratch.v[END, k] - weights[0] * state.v[k]
        for j in range(1, order + 1):
            q -= weights[j] * state.history_q[j - 1, k]
            v -= weights[j] * state.history_v[j - 1, k]
        if is_algebraic(tables.coordinates[k]):
            impulse = settings.formulation == INDEX_1 and tables.coordinates[k].multiplier != 0
            part = impulse_error(state, settings, scratch, i, constant * v) if impulse else 0.0
        else:
            x = constant * q * scratch.weight_q[i]
            y = constant * v * (h * scratch.weight_q[i] if has_rough_rate(tables, settings, k) else scratch.weight_v[i])
            part = x * x + y * y
        total += part
        if part > worst:
            worst, which = part, k
    if order == taken:
        state.flag[WORST] = which
    driven, count = driven_error(tables, state, settings, scratch, h)
    return max(math.sqrt((total + driven) / (2.0 * max(len(tables.free) - scratch.algebraic + count, 1))), 1e-10)


@kernel
def impulse_error(state, settings, scratch, i, error):
    """Square of the error of a multiplier's integral (an impulse) in parts of what velocities are allowed.

    An impulse on row i of S [M, -G^T; G, 0] S, whose entries are about 1, changes scaled velocities by as much.
    """
    allowed = 0.0
    for j in range(scratch.weight_v.shape[0]):
        if scratch.weight_v[j] > 0.0:
            allowed = max(allowed, 1.0 / (scratch.weight_v[j] * state.scale[j]))
    return (error / (state.scale[i] * allowed)) ** 2 if allowed > 0.0 else 0.0


@entry(keep_step)
def keep_bdf(tables, state, settings, scratch, h):
    """Remember the present point, as the chart of the end sees it; choose order and growth factor of the next step."""
    rows = state.history_t.shape[0]
    for i in range(min(rows - 1, state.flag[DEPTH]), 0, -1):
        state.history_t[i] = state.history_t[i - 1] - h
        for k in range(state.q.shape[0]):
            state.history_q[i, k], state.history_v[i, k] = state.history_q[i - 1, k], state.history_v[i - 1, k]
    state.history_t[0] = -h
    for k in range(state.q.shape[0]):
        state.history_q[0, k], state.history_v[0, k] = state.q[k], state.v[k]
    state.flag[DEPTH] = min(state.flag[DEPTH] + 1, rows)
    forget_far(tables, state, scratch)
    state.flag[SINCE] += 1
    factor = next_factor(state, settings)
    watch_stability(state)
    return factor


@kernel
def forget_far(tables, state, scratch):
    """Earlier rotations as the new chart sees them; points from which a ball has turned too far are left out."""
    for i in range(state.flag[DEPTH]):
        for axis in range(len(tables.axes)):
            if tables.axes[axis].kind == BALL:
                c = tables.axes[axis].coordinate
                state.history_a[i, c : c + 3] = 0.0  # nothing is kept there
                restate(scratch.q[END], state.history_q[i], state.history_v[i], state.history_a[i], c)
    for i in range(1, state.flag[DEPTH]):
        if largest_turn(tables, state.history_q[i]) > MOST_TURN:
            state.flag[DEPTH] = i
            break
    state.flag[ORDER] = min(state.flag[ORDER], state.flag[DEPTH])


@kernel
def next_factor(state, settings):
    """Factor for the next step, with its order in ``state.flag[ORDER]``."""
    order = state.flag[ORDER]
    present = (2.0 * state.number[PRESENT_ERROR]) ** (-1.0 / (order + 1.0))
    if state.flag[RAISING] != 0:
        falling = state.number[LOWER_ERROR] >= state.number[PRESENT_ERROR]
        if falling and order < largest_order(state, settings) and present >= 1.0:
            if state.flag[DEPTH] > order:
                state.flag[ORDER] = order + 1
            return min(present, MOST_GROWTH)
        state.flag[RAISING] = 0
    if present < 0.9:
        state.flag[SINCE] = 0
        return present
    if state.flag[SINCE] <= order:
        return 1.0
    best, chosen = present, order
    if order > 1 and state.number[LOWER_ERROR] < NO_ESTIMATE:
        lower = (2.0 * LOWER_BIAS * state.number[LOWER_ERROR]) ** (-1.0 / order)
        if lower > best:
            best, chosen = lower, order - 1
    if state.number[HIGHER_ERROR] < NO_ESTIMATE and state.flag[DEPTH] > order:
        higher = (2.0 * HIGHER_BIAS * state.number[HIGHER_ERROR]) ** (-1.0 / (order + 2.0))
        if higher > best:
            best, chosen = higher, order + 1
    if chosen == order and best < GAIN:
        return 1.0
    state.flag[ORDER] = chosen
    state.flag[SINCE] = 0
    return min(best, MOST_GROWTH)
