"""One step of Radau IIA (order 5): prediction, simplified Newton, embedded error, interpolant."""

from __future__ import annotations

import math
from dataclasses import dataclass

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
from flexmbs.core.methods.error_norm import (
    error_norm,
    is_integrated,
    set_squared_errors,
    set_weights,
    squared_error,
)
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
    REAL_EIGENVALUE,
    S_COMPLEX,
    S_INVERSE_COMPLEX,
    S_INVERSE_REAL,
    S_REAL,
    A,
    C,
)
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

ERROR_ORDER = 4.0  # of the embedded estimate, in h
HISTORY_ROWS = 3  # what a ball's stages look like in the new chart; history_a are the stage accelerations


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of Radau IIA."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    if state.factored_step_size != h and not factorise_newton(tables, state, scratch, work, h):
        after_singular(state, h)
        return 0, 1.0, ERROR_ORDER
    iterations = newton(tables, state, settings, scratch, work, h)
    if iterations == 0:
        after_failure(state, h)
        return 0, 1.0, ERROR_ORDER
    return iterations, estimate_error(tables, state, settings, scratch, work, h), ERROR_ORDER


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Remember the stage accelerations, from which those of the next step are predicted; no step size is asked for."""
    for i in range(3):
        for k in range(state.q.shape[0]):
            state.history_a[i, k] = scratch.a[i, k]
    for axis in range(len(tables.axes)):
        if tables.axes[axis].kind == BALL:
            c = tables.axes[axis].coordinate
            for i in range(3):
                for k in range(c, c + 3):
                    state.history_q[i, k], state.history_v[i, k] = scratch.q[i, k], scratch.v[i, k]
                restate(scratch.end_q, state.history_q[i], state.history_v[i], state.history_a[i], c)
    return 0.0


@kernel
def factorise_newton(tables, state, scratch, work, h):
    """Factors of M + h lambda D + h^2 lambda^2 K for both eigenvalues; False when singular."""
    m = state.mass.shape[0]
    g = h * REAL_EIGENVALUE
    mu = h * COMPLEX_EIGENVALUE
    g2, mu2 = g * g, mu * mu
    band = tables.band
    if band > 0:  # factors have more columns than the matrices
        scratch.real[:] = 0.0
        scratch.complex[:] = 0.0
    for i in range(m):
        first, end, shift = columns_of(i, m, band)
        for j in range(first, end):
            at = j + shift
            mass, damping, stiffness = state.mass[i, at], state.damping[i, at], state.stiffness[i, at]
            both = state.scale[i] * state.scale[j]
            scratch.real[i, at] = both * (mass + g * damping + g2 * stiffness)
            scratch.complex[i, at] = both * (mass + mu * damping + mu2 * stiffness)
    unit_rows(tables, state, scratch.real)
    unit_rows(tables, state, scratch.complex)
    state.factorisations += 1
    state.factored_step_size = h
    if not factorise_any(scratch.real, scratch.real_pivots, band, 0.0) or not factorise_any(
        scratch.complex, scratch.complex_pivots, band, 0.0
    ):
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
def solve_complex(tables, state, scratch, work):
    """Overwrite ``scratch.complex_x`` by the solution with the complex Newton matrix."""
    if state.replaced_count != 0:
        solve_complex_bordered(tables, state, scratch)
    else:
        solve_scaled(scratch.complex, scratch.complex_pivots, tables.band, state.scale, scratch.complex_x)


@kernel
def predict(tables, state, scratch, work, h):
    """Stage accelerations from the last step's polynomial; signals at the stages (False when one is not finite)."""
    t = state.time
    ratio = h / state.last_step_size if state.has_prediction != 0 else 0.0
    finite = True
    for i in range(3):
        evaluate_signals(tables, t + C[i] * h, scratch.signal[i])
        for j in range(len(tables.signals)):
            for k in range(3):
                finite = finite and math.isfinite(scratch.signal[i, j, k])
        x = 1.0 + C[i] * ratio
        for k in range(state.q.shape[0]):
            if state.has_prediction != 0:
                total = 0.0
                for j in range(3):
                    weight = LAGRANGE[j, 0] + x * (LAGRANGE[j, 1] + x * LAGRANGE[j, 2])
                    total += weight * state.history_a[j, k]
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
def set_stages(tables, state, scratch, h):
    """Stage positions and velocities from the stage accelerations."""
    for i in range(3):
        for k in range(state.q.shape[0]):
            rate = A[i, 0] * scratch.a[0, k] + A[i, 1] * scratch.a[1, k] + A[i, 2] * scratch.a[2, k]
            move = A2[i, 0] * scratch.a[0, k] + A2[i, 1] * scratch.a[1, k] + A2[i, 2] * scratch.a[2, k]
            scratch.v[i, k] = state.v[k] + h * rate
            scratch.q[i, k] = state.q[k] + h * (C[i] * state.v[k] + h * move)
        impose_drivers(tables, scratch.signal[i], scratch.q[i], scratch.v[i], scratch.a[i])


@kernel
def newton_update(tables, state, scratch, work, h):
    """Solve for the change of the stage accelerations; returns its weighted size in positions and velocities."""
    m = len(tables.free)
    for i in range(m):
        r0, r1, r2 = scratch.stage_residual[0, i], scratch.stage_residual[1, i], scratch.stage_residual[2, i]
        scratch.real_x[i] = -(S_INVERSE_REAL[0] * r0 + S_INVERSE_REAL[1] * r1 + S_INVERSE_REAL[2] * r2)
        scratch.complex_x[i] = -(S_INVERSE_COMPLEX[0] * r0 + S_INVERSE_COMPLEX[1] * r1 + S_INVERSE_COMPLEX[2] * r2)
    solve_real(tables, state, scratch, work)
    solve_complex(tables, state, scratch, work)
    total = 0.0
    worst = 0.0
    for i in range(m):
        k = tables.free[i]
        x, z = scratch.real_x[i], scratch.complex_x[i]
        d0 = S_REAL[0] * x + 2.0 * (S_COMPLEX[0] * z).real
        d1 = S_REAL[1] * x + 2.0 * (S_COMPLEX[1] * z).real
        d2 = S_REAL[2] * x + 2.0 * (S_COMPLEX[2] * z).real
        if state.replaced[i] != 0:  # forces in place of replaced rows are kept apart
            for slot in range(state.replaced_count):
                if state.replaced_rows[slot] == i:
                    scratch.replacement_force[0, slot] += d0
                    scratch.replacement_force[1, slot] += d1
                    scratch.replacement_force[2, slot] += d2
            continue
        scratch.a[0, k] += d0
        scratch.a[1, k] += d1
        scratch.a[2, k] += d2
        part = 0.0
        unit = tables.coordinates[k].unit
        if unit != 0.0:  # a condensed mode: its value says where it is
            part = (unit * scratch.weight_q[i]) ** 2 * (d0 * d0 + d1 * d1 + d2 * d2)
        for j in range(3 if unit == 0.0 else 0):
            rate = h * (A[j, 0] * d0 + A[j, 1] * d1 + A[j, 2] * d2) * scratch.weight_v[i]
            move = h * h * (A2[j, 0] * d0 + A2[j, 1] * d1 + A2[j, 2] * d2) * scratch.weight_q[i]
            part += rate * rate + move * move
        if not part <= worst:
            worst = part
            state.worst_coordinate = k
        total += part
    return math.sqrt(total / (6.0 * max(m - scratch.algebraic, 1)))


@kernel
def newton(tables, state, settings, scratch, work, h):
    """Simplified Newton on the stages (Hairer-Wanner IV.8); returns iterations used, or 0 when it does not converge."""
    if not predict(tables, state, scratch, work, h):
        return 0
    previous = slowest = 0.0
    rate = initial_rate(state)
    for iteration in range(MAX_ITERATIONS):
        set_stages(tables, state, scratch, h)
        for i in range(3):
            for j in range(len(tables.signals)):
                for k in range(3):
                    work.signal[j, k] = scratch.signal[i, j, k]
            residual(
                tables, state.active, scratch.q[i], scratch.v[i], scratch.a[i], state.reference, work, scratch.residual
            )
            for j in range(len(tables.free)):
                scratch.stage_residual[i, j] = scratch.residual[tables.free[j]]
            if state.replaced_count != 0:
                replace_rows(tables, state, scratch, i)
        state.residual_evaluations += 3
        state.newton_iterations += 1
        size = newton_update(tables, state, scratch, work, h)
        verdict, rate, slowest = convergence(state, settings, iteration, size, previous, rate, slowest)
        if verdict == DIVERGING:
            return 0
        if verdict == CONVERGED:
            set_stages(tables, state, scratch, h)
            return iteration + 1
        previous = size
    return 0


@kernel
def embedded_error(state, scratch, k, h):
    """Difference of the embedded solution in the position and velocity of coordinate ``k`` (IV.8.20), not filtered."""
    position = h * state.v[k]
    velocity = h * state.a[k]
    for j in range(3):
        position += ERROR_WEIGHTS[j] * (scratch.q[j, k] - state.q[k])
        velocity += ERROR_WEIGHTS[j] * (scratch.v[j, k] - state.v[k])
    return REAL_EIGENVALUE * position, REAL_EIGENVALUE * velocity


@kernel
def estimate_error(tables, state, settings, scratch, work, h):
    """Norm of the embedded error estimate, filtered by the real Newton matrix; 1 is the tolerance."""
    m = len(tables.free)
    g = REAL_EIGENVALUE
    for i in range(m):
        k = tables.free[i]
        scratch.error_q[i], scratch.error_v[i] = embedded_error(state, scratch, k, h)
        if is_algebraic(tables.coordinates[k]):
            scratch.error_q[i] = scratch.error_v[i] = 0.0
    filter_right_side(tables, state, scratch, h * g)
    solve_real(tables, state, scratch, work)
    for i in range(m):
        scratch.error_q[i] += h * g * scratch.real_x[i]
        scratch.error_v[i] = scratch.real_x[i]
    set_squared_errors(tables, state, settings, scratch)
    for k in range(len(tables.coordinates)):
        if is_integrated(tables, k):
            error_q, error_v = embedded_error(state, scratch, k, h)
            scratch.squared_error[k] = squared_error(tables, state, settings, scratch, k, error_q, error_v)
    return error_norm(tables, state, scratch)


METHOD = Method("radau", attempt_step, update_history, history_rows=HISTORY_ROWS)


@dataclass(frozen=True)
class Radau(Integrator):
    """Radau IIA of order 5, implicit: for stiff mechanisms, contacts, closed loops."""

    method = METHOD

    def internal(self, rtol: float) -> float:
        # The estimate decreases as h^4, the error as h^5 or faster: loose tolerances would be missed, tight ones are
        # met with a margin.
        return rtol * max(1.0, rtol / 1e-6) ** -0.3

    def newton_part(self, rtol: float) -> float:
        return min(0.03, rtol**0.5)  # Hairer and Wanner 1996, IV.8

    def reuse_rate(self, unknowns: int) -> float:
        return 0.05 if unknowns < 6 else 0.12
