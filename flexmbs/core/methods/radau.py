"""One step of Radau IIA of order 5, 9 or 13: prediction, simplified Newton, embedded error, choice of the order.

High orders need far fewer evaluations where accuracy limits the step, above all for vibrations without damping
(core.methods.radau_order chooses).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.equations.iteration_matrix import unit_rows
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.rotation_charts import restate
from flexmbs.core.equations.singular_positions import (
    factorise_borders,
    replace_rows,
    set_targets,
    solve_complex_bordered,
    solve_real_bordered,
)
from flexmbs.core.layout.tables import BALL
from flexmbs.core.linalg.matrix import columns_of, factorise_any, solve_scaled
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.error_norm import error_norm, is_integrated, set_squared_errors, set_weights, squared_error
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.newton_iteration import (
    CONVERGED,
    DIVERGING,
    MAX_ITERATIONS,
    after_failure,
    after_singular,
    convergence,
    filter_right_side,
    initial_rate,
    refresh_tangent,
)
from flexmbs.core.methods.radau_coefficients import (
    A2,
    COMPLEX_EIGENVALUE,
    ERROR_WEIGHTS,
    LAGRANGE,
    MAX_PAIRS,
    MAX_STAGES,
    REAL_EIGENVALUE,
    S_COMPLEX,
    S_INVERSE_COMPLEX,
    S_INVERSE_REAL,
    S_REAL,
    STAGES,
    A,
    C,
)
from flexmbs.core.methods.radau_order import allowed_order, choose_order, restart_choice
from flexmbs.core.methods.radau_rows import INTERMEDIATE_ROWS, fill_intermediate_rows
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

# Orders 9 and 13 keep their long steps only if Newton's iteration leaves that much less than with order 5.
HIGH_ORDER_NEWTON = 30.0


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of Radau IIA."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    f = allowed_order(tables, state, settings)
    if f != state.order:
        state.order = f
        restart_choice(state)
    order = STAGES[f] + 1.0  # of the embedded estimate, in h
    if state.factored_step_size != h and not factorise_newton(tables, state, scratch, work, f, h):
        after_singular(state, h)
        return 0, 1.0, order
    iterations = newton(tables, state, settings, scratch, work, f, h)
    if iterations == 0:
        after_failure(tables, state, h)
        return 0, 1.0, order
    return iterations, settings.parameters[f] * estimate_error(tables, state, settings, scratch, work, f, h), order


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Remember the stage accelerations, from which those of the next step are predicted; choose its order."""
    s = STAGES[state.order]
    for i in range(s):
        for k in range(state.q.shape[0]):
            state.history_a[i, k] = scratch.a[i, k]
    for axis in range(len(tables.axes)):
        if tables.axes[axis].kind == BALL:
            c = tables.axes[axis].coordinate
            for i in range(s):
                for k in range(c, c + 3):
                    state.history_q[i, k], state.history_v[i, k] = scratch.q[i, k], scratch.v[i, k]
                restate(scratch.end_q, state.history_q[i], state.history_v[i], state.history_a[i], c)
    state.history_length = s
    choose_order(tables, state, settings, h)
    return 0.0


@kernel
def factorise_newton(tables, state, scratch, work, f, h):
    """Factors of M + h lambda D + h^2 lambda^2 K for all eigenvalues; False when singular."""
    m = state.mass.shape[0]
    g = h * REAL_EIGENVALUE[f]
    g2 = g * g
    band = tables.band
    pairs = STAGES[f] // 2
    if band > 0:  # factors have more columns than the matrices
        scratch.real[:] = 0.0
        scratch.complex[:] = 0.0
    for p in range(pairs):
        mu = h * COMPLEX_EIGENVALUE[f, p]
        mu2 = mu * mu
        for i in range(m):
            first, end, shift = columns_of(i, m, band)
            for j in range(first, end):
                at = j + shift
                mass, damping, stiffness = state.mass[i, at], state.damping[i, at], state.stiffness[i, at]
                both = state.scale[i] * state.scale[j]
                if p == 0:
                    scratch.real[i, at] = both * (mass + g * damping + g2 * stiffness)
                scratch.complex[p, i, at] = both * (mass + mu * damping + mu2 * stiffness)
        unit_rows(tables, state, scratch.complex[p])
    unit_rows(tables, state, scratch.real)
    state.factorisations += 1
    state.factored_step_size = h
    if not factorise_any(scratch.real, scratch.real_pivots, band, 0.0):
        return False
    for p in range(pairs):
        if not factorise_any(scratch.complex[p], scratch.complex_pivots[p], band, 0.0):
            return False
    return state.replaced_count == 0 or factorise_borders(tables, state, scratch)


@kernel
def solve_real(tables, state, scratch, work):
    """Overwrite ``scratch.real_x`` by the solution with the real Newton matrix."""
    if state.replaced_count != 0:
        solve_real_bordered(tables, state, scratch)
    else:
        solve_scaled(scratch.real, scratch.real_pivots, tables.band, state.scale, scratch.real_x)


@kernel
def solve_complex(tables, state, scratch, p):
    """Overwrite row ``p`` of ``scratch.complex_x`` by the solution with complex Newton matrix ``p``."""
    if state.replaced_count != 0:  # order 5, which has one
        solve_complex_bordered(tables, state, scratch)
    else:
        solve_scaled(scratch.complex[p], scratch.complex_pivots[p], tables.band, state.scale, scratch.complex_x[p])


@kernel
def predict(tables, state, scratch, work, f, h):
    """Stage accelerations from the last step's polynomial; signals at the stages (False when one is not finite)."""
    t = state.time
    ratio = h / state.last_step_size if state.has_prediction != 0 else 0.0
    finite = True
    known = state.history_length  # stages of the last step, which may have been of another order
    last = known // 2 - 1
    weight = scratch.prediction_weight
    for i in range(STAGES[f]):
        evaluate_signals(tables, t + C[f, i] * h, scratch.signal[i])
        for j in range(len(tables.signals)):
            for k in range(3):
                finite = finite and math.isfinite(scratch.signal[i, j, k])
        x = 1.0 + C[f, i] * ratio
        if state.has_prediction != 0:
            for j in range(known):
                value = LAGRANGE[last, j]
                for k in range(known):
                    if k != j:
                        value *= x - C[last, k]
                weight[j] = value
        for k in range(state.q.shape[0]):
            if state.has_prediction != 0:
                total = 0.0
                for j in range(known):
                    total += weight[j] * state.history_a[j, k]
                scratch.a[i, k] = total
            else:
                scratch.a[i, k] = state.a[k]
            s = tables.coordinates[k].signal
            if s >= 0:  # set_stages integrates these where the motion is not prescribed itself
                scratch.a[i, k] = scratch.signal[i, s, 2 - tables.coordinates[k].level]
    if state.replaced_count != 0:
        set_targets(tables, state, scratch)
    return finite


@kernel
def set_stages(tables, state, scratch, f, h):
    """Stage positions and velocities from the stage accelerations."""
    for i in range(STAGES[f]):
        for k in range(state.q.shape[0]):
            rate = A[f, i, 0] * scratch.a[0, k] + A[f, i, 1] * scratch.a[1, k] + A[f, i, 2] * scratch.a[2, k]
            move = A2[f, i, 0] * scratch.a[0, k] + A2[f, i, 1] * scratch.a[1, k] + A2[f, i, 2] * scratch.a[2, k]
            for j in range(3, STAGES[f]):
                rate += A[f, i, j] * scratch.a[j, k]
                move += A2[f, i, j] * scratch.a[j, k]
            scratch.v[i, k] = state.v[k] + h * rate
            scratch.q[i, k] = state.q[k] + h * (C[f, i] * state.v[k] + h * move)
        impose_drivers(tables, scratch.signal[i], scratch.q[i], scratch.v[i], scratch.a[i])


@kernel
def newton_update(tables, state, scratch, work, f, h):
    """Solve for the change of the stage accelerations; returns its weighted size in positions and velocities."""
    m, s = len(tables.free), STAGES[f]
    pairs = s // 2
    for i in range(m):
        total = 0.0
        for j in range(s):
            total += S_INVERSE_REAL[f, j] * scratch.stage_residual[j, i]
        scratch.real_x[i] = -total
        for p in range(pairs):
            value = S_INVERSE_COMPLEX[f, p, 0] * scratch.stage_residual[0, i]
            for j in range(1, s):
                value += S_INVERSE_COMPLEX[f, p, j] * scratch.stage_residual[j, i]
            scratch.complex_x[p, i] = -value
    solve_real(tables, state, scratch, work)
    for p in range(pairs):
        solve_complex(tables, state, scratch, p)
    total = 0.0
    worst = 0.0
    change = scratch.stage_change
    for i in range(m):
        k = tables.free[i]
        for j in range(s):
            value = S_REAL[f, j] * scratch.real_x[i]
            for p in range(pairs):
                value += 2.0 * (S_COMPLEX[f, j, p] * scratch.complex_x[p, i]).real
            change[j] = value
        if state.replaced[i] != 0:  # forces in place of replaced rows are kept apart
            for slot in range(state.replaced_count):
                if state.replaced_rows[slot] == i:
                    for j in range(s):
                        scratch.replacement_force[j, slot] += change[j]
            continue
        part = 0.0
        unit = tables.coordinates[k].unit
        for j in range(s):
            scratch.a[j, k] += change[j]
            if unit != 0.0:  # a condensed mode: its value says where it is
                part += (unit * scratch.weight_q[i] * change[j]) ** 2
        for j in range(s if unit == 0.0 else 0):
            rate = A[f, j, 0] * change[0]
            move = A2[f, j, 0] * change[0]
            for i_stage in range(1, s):
                rate += A[f, j, i_stage] * change[i_stage]
                move += A2[f, j, i_stage] * change[i_stage]
            rate *= h * scratch.weight_v[i]
            move *= h * h * scratch.weight_q[i]
            part += rate * rate + move * move
        if not part <= worst:
            worst = part
            state.worst_coordinate = k
        total += part
    return math.sqrt(total / (2.0 * s * max(m - scratch.algebraic, 1)))


@kernel
def newton(tables, state, settings, scratch, work, f, h):
    """Simplified Newton on the stages (Hairer-Wanner IV.8); returns iterations used, or 0 when it does not converge."""
    if not predict(tables, state, scratch, work, f, h):
        return 0
    s = STAGES[f]
    previous = slowest = 0.0
    rate = initial_rate(state)
    for iteration in range(MAX_ITERATIONS):
        set_stages(tables, state, scratch, f, h)
        for i in range(s):
            for j in range(len(tables.signals)):
                for k in range(3):
                    work.signal[j, k] = scratch.signal[i, j, k]
            q, v, a = scratch.q[i], scratch.v[i], scratch.a[i]
            residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
            for j in range(len(tables.free)):
                scratch.stage_residual[i, j] = scratch.residual[tables.free[j]]
            if state.replaced_count != 0:
                replace_rows(tables, state, scratch, i)
        state.residual_evaluations += s
        state.newton_iterations += 1
        size = newton_update(tables, state, scratch, work, f, h) * (1.0 if f == 0 else HIGH_ORDER_NEWTON)
        verdict, rate, slowest = convergence(state, settings, iteration, size, previous, rate, slowest)
        if verdict == DIVERGING:
            return 0
        if verdict == CONVERGED:
            set_stages(tables, state, scratch, f, h)
            return iteration + 1
        previous = size
    return 0


@kernel
def embedded_error(state, scratch, f, k, h):
    """Difference of the embedded solution in the position and velocity of coordinate ``k`` (IV.8.20), not filtered."""
    position = h * state.v[k]
    velocity = h * state.a[k]
    for j in range(STAGES[f]):
        position += ERROR_WEIGHTS[f, j] * (scratch.q[j, k] - state.q[k])
        velocity += ERROR_WEIGHTS[f, j] * (scratch.v[j, k] - state.v[k])
    return REAL_EIGENVALUE[f] * position, REAL_EIGENVALUE[f] * velocity


@kernel
def estimate_error(tables, state, settings, scratch, work, f, h):
    """Norm of the embedded error estimate, filtered by the real Newton matrix; 1 is the tolerance."""
    m = len(tables.free)
    g = h * REAL_EIGENVALUE[f]
    for i in range(m):
        k = tables.free[i]
        scratch.error_q[i], scratch.error_v[i] = embedded_error(state, scratch, f, k, h)
        if is_algebraic(tables.coordinates[k]):
            scratch.error_q[i] = scratch.error_v[i] = 0.0
    filter_right_side(tables, state, scratch, g)
    solve_real(tables, state, scratch, work)
    for i in range(m):
        scratch.error_q[i] += g * scratch.real_x[i]
        scratch.error_v[i] = scratch.real_x[i]
    set_squared_errors(tables, state, settings, scratch)
    for k in range(len(tables.coordinates)):
        if is_integrated(tables, k):
            error_q, error_v = embedded_error(state, scratch, f, k, h)
            scratch.squared_error[k] = squared_error(tables, state, settings, scratch, k, error_q, error_v)
    return error_norm(tables, state, settings, scratch, work)


METHOD = Method(
    "radau",
    attempt_step,
    update_history,
    fill_intermediate_rows,
    history_rows=MAX_STAGES,
    stages=MAX_STAGES,
    matrices=MAX_PAIRS,
    intermediate_rows=INTERMEDIATE_ROWS,
)


@dataclass(frozen=True)
class Radau(Integrator):
    """Radau IIA, implicit and stable at any stiffness: for stiff mechanisms, contacts, closed loops.

    Attributes
    ----------
    max_order : 5, 9 or 13; a run begins with order 5 and takes the order that needs the fewest evaluations. With
        contacts, in loops of rigid bodies, and near singular positions, it is 5.
    """

    max_order: int = 13
    method = METHOD

    def __post_init__(self) -> None:
        if self.max_order not in (5, 9, 13):
            raise MechanismError(f"max_order = {self.max_order!r} must be 5, 9 or 13")

    def internal(self, rtol: float) -> float:
        # The estimate decreases as h^4, the error as h^5 or faster: loose tolerances would be missed, tight ones are
        # met with a margin.
        return rtol * max(1.0, rtol / 1e-6) ** -0.3

    def parameters(self, rtol: float) -> np.ndarray:
        # factors of the errors of orders 5, 9, 13: the higher ones meet loose tolerances without the margin
        return np.array([1.0, self.internal(rtol) / rtol, self.internal(rtol) / rtol])

    def newton_part(self, rtol: float) -> float:
        return min(0.03, rtol**0.5)  # Hairer and Wanner 1996, IV.8

    def reuse_rate(self, unknowns: int) -> float:
        return 0.05 if unknowns < 6 else 0.12
