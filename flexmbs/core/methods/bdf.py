"""Backward differentiation formulas of order 1 to 6 with variable steps.

y' at the end of a step from the present and earlier values, for positions and velocities; order and step from estimates
of the local error.

The predictor is the polynomial through the present and earlier values, in divided differences; a modified Newton
iteration corrects it (core.methods.one_stage), as in Gear's and ADAMS' stiff integrators.  Brenan, Campbell, Petzold,
Numerical Solution of Initial-Value Problems in DAEs (1996), ch. 5; Byrne, Hindmarsh, ACM TOMS 1 (1975) 71.

Rows of the history are earlier points, the last first; positions of balls as the present chart sees them.
"""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.equations.rotation_charts import largest_rotation, restate
from flexmbs.core.layout.state import INDEX_1
from flexmbs.core.layout.tables import BALL
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.bdf_coefficients import difference_constant, differentiation, error_constant, extrapolation
from flexmbs.core.methods.error_norm import clear_errors, error_norm, set_weights
from flexmbs.core.methods.integrator import Integrator, check_formulation
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.newton_iteration import refresh_tangent
from flexmbs.core.methods.one_stage import add_quadrature_errors, has_rough_rate, solve_stage
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

MAX_ORDER = 6
HISTORY_ROWS = MAX_ORDER + 1  # with the present point enough for the error of order 6 + 1
MAX_HISTORY_ROTATION = 2.5  # rad: earlier points further away than this are forgotten
NO_ESTIMATE = 1e300
# An estimate of another order must promise this much more than that of the present one (the part of CVODE's
# BIAS1 and BIAS3); larger steps at least MIN_GROWTH.
LOWER_BIAS, HIGHER_BIAS, MIN_GROWTH, MAX_GROWTH = 1.3, 1.4, 1.2, 2.0
# Orders from 3 on are unstable for oscillations in a lobe beside the imaginary axis: at the border of stability every
# few steps one is rejected.  A rejection adds REJECTION_SCORE, an accepted step takes one back; at SCORE_LIMIT only
# orders 1 and 2, which are stable there, are allowed for MIN_LOW_ORDER steps, for twice as many the next time.
REJECTION_SCORE, SCORE_LIMIT, MIN_LOW_ORDER, MAX_LOW_ORDER = 6, 24, 100, 20000


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of BDF."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    restart_history(state, h)
    order = choose_order(state)
    alpha, weights = scratch.differentiation_weights, scratch.prediction_weights
    beta = differentiation(state.history_t, order, h, alpha)
    extrapolation(state.history_t, order + 1, h, weights)
    for k in range(state.q.shape[0]):
        known_v, known_q = alpha[0] * state.v[k], alpha[0] * state.q[k]
        guess_v = weights[0] * state.v[k]
        for i in range(1, order):
            known_v += alpha[i] * state.history_v[i - 1, k]
            known_q += alpha[i] * state.history_q[i - 1, k]
        for i in range(1, order + 1):
            guess_v += weights[i] * state.history_v[i - 1, k]
        scratch.known_v[k] = -beta * known_v
        scratch.known_q[k] = beta * scratch.known_v[k] - beta * known_q
        scratch.unknown_a[k] = guess_v / beta + known_v
    iterations = solve_stage(tables, state, settings, scratch, work, h, beta, beta * beta, 0)
    if iterations == 0:
        return 0, 1.0, 1.0
    higher = lower = NO_ESTIMATE
    if state.history_length > order and order < order_limit(state, settings):
        higher = error_of_order(tables, state, settings, scratch, work, h, order + 1, order)
    if order > 1:
        lower = error_of_order(tables, state, settings, scratch, work, h, order - 1, order)
    current = error_of_order(tables, state, settings, scratch, work, h, order, order)  # the last: it keeps the worst one
    state.current_order_error, state.lower_order_error, state.higher_order_error = current, lower, higher
    return iterations, current, order + 1.0


@kernel
def restart_history(state, h):
    """After a start or an event: a point before the present one, on the tangent of the motion."""
    if state.has_prediction != 0:
        return
    state.order = state.initial_phase = 1
    state.history_length = state.steps_at_order = 0
    state.history_t[0] = -h
    for k in range(state.q.shape[0]):
        state.history_q[0, k] = state.q[k] - h * state.v[k]
        state.history_v[0, k] = state.v[k] - h * state.a[k]


@kernel
def choose_order(state):
    """Order of this attempt: a repeated one takes a lower order when that promised more."""
    order, rejected = state.order, state.current_order_error
    if state.last_step_rejected != 0 and state.current_order_error > 1.0:
        state.current_order_error = 1.0  # each rejection counts once
        state.initial_phase = 0
        if order > 2:
            state.rejection_score += REJECTION_SCORE
        if order > 1 and state.lower_order_error < rejected:
            order -= 1
    state.order = order
    return order


@kernel
def order_limit(state, settings):
    """The largest order that is allowed at present."""
    return min(settings.max_order, 2) if state.low_order_steps_left > 0 else settings.max_order


@kernel
def detect_instability(state):
    """Turn to orders 1 and 2 for a while where higher ones seem to be at their border of stability."""
    state.rejection_score = max(state.rejection_score - 1, 0)
    state.low_order_steps_left = max(state.low_order_steps_left - 1, 0)
    if state.rejection_score >= SCORE_LIMIT:
        state.low_order_duration = min(max(2 * state.low_order_duration, MIN_LOW_ORDER), MAX_LOW_ORDER)
        state.low_order_steps_left = state.low_order_duration
        state.rejection_score = 0
        state.order = min(state.order, 2)
        state.steps_at_order = 0


@kernel
def error_of_order(tables, state, settings, scratch, work, h, order, taken):
    """Weighted size of the local error that BDF of ``order`` makes; the step was of order ``taken``.

    Velocities of index 3 count by how far they move positions in the step: their own errors fall too slowly with it
    (Brenan, Campbell, Petzold 1996, 5.4).
    """
    weights = scratch.error_weights
    extrapolation(state.history_t, order + 1, h, weights)
    if order == taken:
        constant = error_constant(state.history_t, order, h)
    else:
        constant = difference_constant(state.history_t, order, h)
    clear_errors(scratch)
    for i in range(len(tables.free)):
        k = tables.free[i]
        q, v = scratch.end_q[k] - weights[0] * state.q[k], scratch.end_v[k] - weights[0] * state.v[k]
        for j in range(1, order + 1):
            q -= weights[j] * state.history_q[j - 1, k]
            v -= weights[j] * state.history_v[j - 1, k]
        if is_algebraic(tables.coordinates[k]):
            impulse = settings.formulation == INDEX_1 and tables.coordinates[k].multiplier != 0
            scratch.squared_error[k] = impulse_error(state, settings, scratch, i, constant * v) if impulse else 0.0
        else:
            x = constant * q * scratch.weight_q[i]
            rough = has_rough_rate(tables, settings, k)
            y = constant * v * (h * scratch.weight_q[i] if rough else scratch.weight_v[i])
            scratch.squared_error[k] = x * x + y * y
            scratch.missed_q[k], scratch.missed_v[k] = constant * q, 0.0 if rough else constant * v
    add_quadrature_errors(tables, state, settings, scratch, h)
    return error_norm(tables, state, settings, scratch, work)


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


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Remember the present point, as the chart of the end sees it; choose order and growth factor of the next step."""
    rows = state.history_t.shape[0]
    for i in range(min(rows - 1, state.history_length), 0, -1):
        state.history_t[i] = state.history_t[i - 1] - h
        for k in range(state.q.shape[0]):
            state.history_q[i, k], state.history_v[i, k] = state.history_q[i - 1, k], state.history_v[i - 1, k]
    state.history_t[0] = -h
    for k in range(state.q.shape[0]):
        state.history_q[0, k], state.history_v[0, k] = state.q[k], state.v[k]
    state.history_length = min(state.history_length + 1, rows)
    forget_far_points(tables, state, scratch)
    state.steps_at_order += 1
    factor = next_factor(state, settings)
    detect_instability(state)
    return factor


@kernel
def forget_far_points(tables, state, scratch):
    """Earlier rotations as the new chart sees them; points from which a ball has turned too far are left out."""
    for i in range(state.history_length):
        for axis in range(len(tables.axes)):
            if tables.axes[axis].kind == BALL:
                c = tables.axes[axis].coordinate
                state.history_a[i, c : c + 3] = 0.0  # nothing is kept there
                restate(scratch.end_q, state.history_q[i], state.history_v[i], state.history_a[i], c)
    for i in range(1, state.history_length):
        if largest_rotation(tables, state.history_q[i]) > MAX_HISTORY_ROTATION:
            state.history_length = i
            break
    state.order = min(state.order, state.history_length)


@kernel
def next_factor(state, settings):
    """Factor for the next step, with its order in ``state.order``."""
    order = state.order
    present = (2.0 * state.current_order_error) ** (-1.0 / (order + 1.0))
    if state.initial_phase != 0:
        falling = state.lower_order_error >= state.current_order_error
        if falling and order < order_limit(state, settings) and present >= 1.0:
            if state.history_length > order:
                state.order = order + 1
            return min(present, MAX_GROWTH)
        state.initial_phase = 0
    if present < 0.9:
        state.steps_at_order = 0
        return present
    if state.steps_at_order <= order:
        return 1.0
    best, chosen = present, order
    if order > 1 and state.lower_order_error < NO_ESTIMATE:
        lower = (2.0 * LOWER_BIAS * state.lower_order_error) ** (-1.0 / order)
        if lower > best:
            best, chosen = lower, order - 1
    if state.higher_order_error < NO_ESTIMATE and state.history_length > order:
        higher = (2.0 * HIGHER_BIAS * state.higher_order_error) ** (-1.0 / (order + 2.0))
        if higher > best:
            best, chosen = higher, order + 1
    if chosen == order and best < MIN_GROWTH:
        return 1.0
    state.order = chosen
    state.steps_at_order = 0
    return min(best, MAX_GROWTH)


METHOD = Method("bdf", attempt_step, update_history, history_rows=HISTORY_ROWS)


@dataclass(frozen=True)
class BDF(Integrator):
    """Backward differentiation formulas with variable order and step size.

    Attributes
    ----------
    formulation : of constraints: "SI2" (stabilised index 2), "SI1" (the same with the integrals of the multipliers
        under error control) or "I3" (index 3: positions only)
    max_order : from 1 to 6; orders above 2 are not stable for undamped oscillations with some step sizes
    """

    formulation: str = "SI2"
    max_order: int = 5
    method = METHOD

    def __post_init__(self) -> None:
        check_formulation(self.formulation, "SI2", "SI1", "I3")
        if self.max_order not in range(1, 7):
            raise MechanismError(f"max_order = {self.max_order!r} must be a whole number from 1 to 6")

    @property
    def projection_levels(self) -> int:
        return 1 if self.formulation == "I3" else 2

    def internal(self, rtol: float) -> float:
        # at order k the error of a step decreases as h^(k+1), that of the motion as h^k
        return 0.1 * rtol**1.2

    def min_tolerance(self, constrained: bool) -> float:
        return 2e-12  # below, rounding dominates the first steps, which have order 1
