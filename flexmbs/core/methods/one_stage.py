"""One implicit stage at the end of a step: what generalised-alpha and BDF have in common.

Both make positions and velocities at the end linear in the acceleration there,
    v = c_v + beta_v a,    q = c_q + beta_q a + u,
and solve M a + h - G^T lam = 0 with the constraints in one of these formulations:
    index 3:            g(q) = 0, u = 0; its row is divided by beta_q
    stabilised index 2: g'(q, v) = 0, its row divided by beta_v, and g(q) = 0 by u = M^-1 G^T mu
    stabilised index 1: the same, where the integral of lam is one more variable whose error is controlled
Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12 (1985) 77; Gear, SIAM J. Sci. Stat. Comput. 9 (1988) 39; scaling of
the rows: Bottasso, Dopico, Trainelli, Multibody System Dynamics 19 (2008) 3.

In the scratch arrays ``known_q`` and ``known_v`` are c_q and c_v, ``correction_q`` is u, ``unknown_a`` a, ``own_v`` v
at the end.  With ``on_group`` these are angular velocities and accelerations of balls in their own axes (on the Lie
group: R = R_n exp(q~)), not rates of the rotation vector.
"""

import math

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.end_signals import set_end_signals
from flexmbs.core.equations.iteration_matrix import fill_real
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.rotation_charts import chart_rates
from flexmbs.core.layout.state import INDEX_3
from flexmbs.core.layout.tables import BALL
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.matrix import factorise_any, solve_scaled
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.error_norm import error_norm, is_integrated, set_squared_errors, squared_error
from flexmbs.core.methods.newton_iteration import (
    CONVERGED,
    DIVERGING,
    MAX_ITERATIONS,
    after_failure,
    after_singular,
    convergence,
    filter_right_side,
    initial_rate,
)
from flexmbs.machine_code.kernel import kernel

# A matrix is kept while beta_v is within this part of that which it was made for.
REUSE_WITHIN = 0.2


@kernel
def solve_stage(tables, state, settings, scratch, work, h, beta_v, beta_q, on_group):
    """Newton's iteration for the end of the step; its number of iterations, or 0 with the next attempt prepared."""
    if not end_signals_are_finite(tables, state, scratch, work, h):
        after_failure(tables, state, h)
        return 0
    factored = state.factored_step_size
    if factored == 0.0 or abs(beta_v / factored - 1.0) > REUSE_WITHIN:
        fill_real(tables, state, scratch, beta_v, beta_q)
        state.factorisations += 1
        state.factored_step_size = factored = beta_v
        if not factorise_any(scratch.real, scratch.real_pivots, tables.band, 0.0):
            after_singular(state, h)
            return 0
    iterations = iterate(tables, state, settings, scratch, work, beta_v, beta_q, factored, on_group)
    if iterations == 0:
        after_failure(tables, state, h)
    return iterations


@kernel
def end_signals_are_finite(tables, state, scratch, work, h):
    """Evaluate functions of time at the end of the step, and prescribe the accelerations of driven coordinates."""
    evaluate_signals(tables, state.time + h, scratch.end_signal)
    for j in range(len(tables.signals)):
        for k in range(3):
            if not math.isfinite(scratch.end_signal[j, k]):
                return False
    set_end_signals(tables, scratch, work)
    for k in range(len(tables.coordinates)):
        s = tables.coordinates[k].signal
        if s >= 0:
            scratch.unknown_a[k] = scratch.end_signal[s, 2 - tables.coordinates[k].level]
    return True


@kernel
def iterate(tables, state, settings, scratch, work, beta_v, beta_q, factored, on_group):
    """Simplified Newton; returns iterations used, or 0 when it does not converge."""
    previous = slowest = 0.0
    rate = initial_rate(state)
    # what a matrix for another step makes of a correction (Brown, Byrne, Hindmarsh, SIAM J. Sci. Stat. 10 (1989) 1038)
    stale = 2.0 / (1.0 + beta_v / factored)
    scratch.correction_q[:] = 0.0
    for i in range(len(tables.free)):
        if state.replaced[i] != 0:  # a constraint that is left alone near a singular position exerts no force
            scratch.unknown_a[tables.free[i]] = 0.0
    for iteration in range(MAX_ITERATIONS):
        place_end(tables, scratch, beta_v, beta_q, on_group)
        q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
        residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.residual)
        state.residual_evaluations += 1
        state.newton_iterations += 1
        square = correct_accelerations(tables, state, settings, scratch, work, beta_v, beta_q, stale)
        if settings.formulation != INDEX_3 and any_rows(tables):
            square += correct_positions(tables, state, scratch, work)
        size = math.sqrt(square / (2.0 * max(len(tables.free) - scratch.algebraic, 1)))
        verdict, rate, slowest = convergence(state, settings, iteration, size, previous, rate, slowest)
        if verdict == DIVERGING:
            return 0
        if verdict == CONVERGED:
            place_end(tables, scratch, beta_v, beta_q, on_group)
            return iteration + 1
        previous = size
    return 0


@kernel
def place_end(tables, scratch, beta_v, beta_q, on_group):
    """Positions, velocities and accelerations at the end of the step."""
    q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
    for k in range(q.shape[0]):
        a[k] = scratch.unknown_a[k]
        v[k] = scratch.known_v[k] + beta_v * a[k]
        q[k] = scratch.known_q[k] + beta_q * a[k] + scratch.correction_q[k]
    impose_drivers(tables, scratch.end_signal, q, v, a)
    copy_vector(v, scratch.own_v)
    if on_group != 0:
        for axis in range(len(tables.axes)):
            if tables.axes[axis].kind == BALL:
                chart_rates(q, v, a, tables.axes[axis].coordinate)


@kernel
def correct_accelerations(tables, state, settings, scratch, work, beta_v, beta_q, stale):
    """One Newton correction of accelerations and multipliers; sum of its squares in weighted velocities, positions."""
    m = len(tables.free)
    for i in range(m):
        k = tables.free[i]
        if tables.coordinates[k].multiplier == 0:
            scratch.real_x[i] = -stale * scratch.residual[k]
        elif state.replaced[i] != 0:
            scratch.real_x[i] = 0.0
        elif settings.formulation == INDEX_3:
            scratch.real_x[i] = -work.constraint[k, 0] / beta_q
        else:
            scratch.real_x[i] = -work.constraint[k, 1] / beta_v
    solve_scaled(scratch.real, scratch.real_pivots, tables.band, state.scale, scratch.real_x)
    total = 0.0
    worst = -1.0
    for i in range(m):
        k = tables.free[i]
        change = scratch.real_x[i]
        scratch.unknown_a[k] += change
        rate, move = beta_v * change * scratch.weight_v[i], beta_q * change * scratch.weight_q[i]
        if has_rough_rate(tables, settings, k):
            rate = move
        unit = tables.coordinates[k].unit
        if unit != 0.0:  # a condensed mode: its value says where it is
            rate, move = 0.0, unit * change * scratch.weight_q[i]
        part = rate * rate + move * move
        if not part <= worst:
            worst = part
            state.worst_coordinate = k
        total += part
    return total


@kernel
def has_rough_rate(tables, settings, k):
    """Whether the velocity of coordinate ``k`` is a difference of positions: with index 3, rounding over h."""
    return settings.formulation == INDEX_3 and any_rows(tables) and tables.coordinates[k].state == 0


@kernel
def correct_positions(tables, state, scratch, work):
    """Move u so that the positions satisfy g = 0: the nearest ones in the metric of M; its weighted sum of squares."""
    m = len(tables.free)
    for i in range(m):
        k = tables.free[i]
        multiplier = tables.coordinates[k].multiplier != 0
        scratch.real_x[i] = -work.constraint[k, 0] if multiplier and state.replaced[i] == 0 else 0.0
    solve_mass(tables, state, scratch, scratch.real_x)
    total = 0.0
    for i in range(m):
        k = tables.free[i]
        if not is_algebraic(tables.coordinates[k]):
            scratch.correction_q[k] += scratch.real_x[i]
            total += (scratch.real_x[i] * scratch.weight_q[i]) ** 2
    return total


@kernel
def filter_errors(tables, state, scratch, g):
    """Damp the errors of stiff components as the method damps the components (newton_iteration.filter_right_side)."""
    filter_right_side(tables, state, scratch, g)
    solve_scaled(scratch.real, scratch.real_pivots, tables.band, state.scale, scratch.real_x)
    for i in range(len(tables.free)):
        scratch.error_v[i] = scratch.real_x[i]
        scratch.error_q[i] += g * scratch.real_x[i]


@kernel
def norm_of_errors(tables, state, settings, scratch, work, h):
    """Norm of ``scratch.error_q`` and ``error_v``, and of what is integrated of driven coordinates."""
    set_squared_errors(tables, state, settings, scratch)
    add_quadrature_errors(tables, state, settings, scratch, h)
    return error_norm(tables, state, settings, scratch, work)


@kernel
def add_quadrature_errors(tables, state, settings, scratch, h):
    """Errors of what the stage integrates of coordinates driven by rate or acceleration, into ``squared_error``.

    Against Hermite's quadrature of what is known at both ends.
    """
    for k in range(len(tables.coordinates)):
        if is_integrated(tables, k):
            v0, v1, a0, a1 = state.v[k], scratch.end_v[k], state.a[k], scratch.end_a[k]
            error_q = scratch.end_q[k] - state.q[k] - h * (0.5 * (v0 + v1) + h * (a0 - a1) / 12.0)
            error_v = v1 - v0 - 0.5 * h * (a0 + a1)
            scratch.squared_error[k] = squared_error(tables, state, settings, scratch, k, error_q, error_v)
