"""Generalised-alpha, on the Lie group for rotations; HHT and Newmark are choices of its parameters.

    (1 - alpha_m) a_n+1 + alpha_m a_n = (1 - alpha_f) v'_n+1 + alpha_f v'_n
    v_n+1 = v_n + h (1 - gamma) a_n + h gamma a_n+1
    q_n+1 = q_n o exp(h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_n+1)
Chung, Hulbert, J. Appl. Mech. 60 (1993) 371; Arnold, Bruels, Multibody System Dynamics 18 (2007) 185; Bruels, Cardona,
Arnold, Mech. Mach. Theory 48 (2012) 121; Arnold, Bruels, Cardona, Numer. Math. 129 (2015) 149.

The algorithmic acceleration a_n is that of the time t_n + (alpha_m - alpha_f) h up to second order, so another step
size moves it along v' (without this, order 2 is lost at every change of the step).  The first step, which has no a_n,
is one of the trapezoidal rule.  The local error is the difference from the integrals of the parabola through v' at the
last three times.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.layout.state import INDEX_3
from flexmbs.core.layout.tables import BALL
from flexmbs.core.linalg.matrix import columns_of, solve_scaled
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.core.mechanics.rotation import cross
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.error_norm import set_weights
from flexmbs.core.methods.integrator import Integrator, check_formulation, check_number
from flexmbs.core.methods.method_interface import Method
from flexmbs.core.methods.newton_iteration import refresh_tangent
from flexmbs.core.methods.one_stage import filter_errors, norm_of_errors, solve_stage
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

ERROR_ORDER = 3.0
# Rows of State.history_a: algorithmic acceleration a_n; true acceleration of the step before; both in the axes of balls
ALGORITHMIC, BEFORE = 0, 1
HISTORY_ROWS = 2
# Settings.parameters
ALPHA_M, ALPHA_F, BETA, GAMMA = range(4)


@kernel
def weights_of(state, settings):
    """alpha_m, alpha_f, beta, gamma of this step."""
    if state.has_prediction == 0:
        return 0.0, 0.0, 0.25, 0.5
    p = settings.parameters
    return p[ALPHA_M], p[ALPHA_F], p[BETA], p[GAMMA]


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of generalised-alpha."""
    set_weights(tables, state, settings, scratch)
    refresh_tangent(tables, state, scratch, work)
    alpha_m, alpha_f, beta, gamma = weights_of(state, settings)
    ratio = h / state.last_step_size if state.has_prediction != 0 else 0.0
    share = 1.0 / (1.0 - alpha_m)
    for k in range(state.q.shape[0]):
        true = state.a[k]
        old = true
        scratch.unknown_a[k] = true
        if state.has_prediction != 0:
            old += ratio * (state.history_a[ALGORITHMIC, k] - true)
            scratch.unknown_a[k] += ratio * (true - state.history_a[BEFORE, k])
        known = share * (alpha_f * true - alpha_m * old)
        scratch.known_v[k] = state.v[k] + h * ((1.0 - gamma) * old + gamma * known)
        scratch.known_q[k] = state.q[k] + h * state.v[k] + h * h * ((0.5 - beta) * old + beta * known)
        scratch.algorithmic_a[k] = old
    share *= 1.0 - alpha_f
    iterations = solve_stage(tables, state, settings, scratch, work, h, h * gamma * share, h * h * beta * share, 1)
    if iterations == 0:
        return 0, 1.0, ERROR_ORDER
    error = estimate_error(tables, state, settings, scratch, work, h, h * gamma * share)
    return iterations, error, ERROR_ORDER


@kernel
def project_on_tangent(tables, state, scratch, error):
    """Overwrite an error by its filtered part along the constraints.

    Positions of index 3 satisfy g = 0, and what its accelerations make good of the velocities across, which miss
    g' = 0 by O(h^2) of the step before, is no error of the motion; it does not fall with h when a step is cut.
    """
    m = len(tables.free)
    for i in range(m):
        scratch.real_x[i] = 0.0
        if tables.coordinates[tables.free[i]].multiplier == 0:
            first, end, shift = columns_of(i, m, tables.band)
            for j in range(first, end):
                scratch.real_x[i] += state.mass[i, j + shift] * error[j]
    solve_scaled(scratch.real, scratch.real_pivots, tables.band, state.scale, scratch.real_x)
    for i in range(m):
        error[i] = 0.0 if is_algebraic(tables.coordinates[tables.free[i]]) else scratch.real_x[i]


@kernel
def estimate_error(tables, state, settings, scratch, work, h, g):
    """Norm of the local error, filtered by the Newton matrix; 1 is the tolerance."""
    m = len(tables.free)
    before = state.last_step_size
    for i in range(m):
        k = tables.free[i]
        scratch.error_q[i] = scratch.error_v[i] = 0.0
        if is_algebraic(tables.coordinates[k]):
            continue
        slope = (scratch.unknown_a[k] - state.a[k]) / h
        if state.has_prediction == 0:  # of first order only: the first step is a short one
            scratch.error_v[i] = h * h * slope / 6.0
            scratch.error_q[i] = h * h * h * slope / 6.0
            continue
        bend = (slope - (state.a[k] - state.history_a[BEFORE, k]) / before) / (h + before)
        rate = h * (state.a[k] + h * (slope / 2.0 - h * bend / 6.0))
        move = h * (state.v[k] + h * (state.a[k] / 2.0 + h * (slope / 6.0 - h * bend / 12.0)))
        scratch.error_v[i] = scratch.own_v[k] - state.v[k] - rate
        scratch.error_q[i] = scratch.end_q[k] - state.q[k] - move
    subtract_commutators(tables, state, scratch, h)
    if settings.formulation == INDEX_3 and any_rows(tables):
        project_on_tangent(tables, state, scratch, scratch.error_q)
        project_on_tangent(tables, state, scratch, scratch.error_v)
    else:
        filter_errors(tables, state, scratch, g)
    return norm_of_errors(tables, state, settings, scratch, work, h)


@kernel
def subtract_commutators(tables, state, scratch, h):
    """The rotation vector of a varying angular velocity has the term h^3 / 12 w x w' (Magnus)."""
    for axis in range(len(tables.axes)):
        if tables.axes[axis].kind != BALL:
            continue
        c = tables.axes[axis].coordinate
        v, a = state.v, state.a
        turn = cross(v[c], v[c + 1], v[c + 2], a[c], a[c + 1], a[c + 2])
        for i in range(len(tables.free)):
            for part in range(3):
                if tables.free[i] == c + part:
                    scratch.error_q[i] -= h * h * h / 12.0 * turn[part]


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Remember the algorithmic acceleration at the end, and the true one at the start; no step size is asked for."""
    alpha_m, alpha_f, _beta, _gamma = weights_of(state, settings)
    first = state.has_prediction == 0
    delay = settings.parameters[ALPHA_M] - settings.parameters[ALPHA_F]
    for k in range(state.q.shape[0]):
        true, here = state.a[k], scratch.unknown_a[k]
        if first:
            state.history_a[ALGORITHMIC, k] = here + delay * (here - true)
        else:
            known = alpha_f * true - alpha_m * scratch.algorithmic_a[k]
            state.history_a[ALGORITHMIC, k] = ((1.0 - alpha_f) * here + known) / (1.0 - alpha_m)
        state.history_a[BEFORE, k] = true
    return 0.0


METHOD = Method("generalised_alpha", attempt_step, update_history, history_rows=HISTORY_ROWS)


class _SecondOrder(Integrator):
    method = METHOD
    # a change of the step size changes the algorithmic acceleration by the same factor, including its stiff part
    max_growth = 2.0

    def internal(self, rtol: float) -> float:
        # the error of a step decreases as h^3, that of the motion as h^2
        return 0.3 * rtol**1.5

    def min_tolerance(self, constrained: bool) -> float:
        # steps of order 2 become so short that rounding of the constraints, divided by h^2, disturbs the accelerations
        return 2e-12 if constrained else super().min_tolerance(constrained)


@dataclass(frozen=True)
class GeneralisedAlpha(_SecondOrder):
    """Generalised-alpha, order 2, on the Lie group for rotations, with adjustable damping of high frequencies.

    Attributes
    ----------
    rho_inf : spectral radius at infinite frequency, from 0 (annihilation in one step) to 1 (no numerical damping)
    formulation : of constraints: "index 2" (stabilised: positions and velocities satisfy them) or "index 3" (positions)

    Chung and Hulbert, J. Appl. Mech. 60 (1993) 371.
    """

    rho_inf: float = 0.8
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        check_number("rho_inf", self.rho_inf, 0.0, 1.0)
        check_formulation(self.formulation, "index 2", "index 3")

    def parameters(self, rtol: float) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        rho = self.rho_inf
        return _without_loss_of_order((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0))


@dataclass(frozen=True)
class HHT(_SecondOrder):
    """Hilber-Hughes-Taylor: ``alpha`` from -1/3 (most damping) to 0 (none).  Earthq. Eng. Struct. Dyn. 5 (1977) 283."""

    alpha: float = -0.1
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        check_number("alpha", self.alpha, -1.0 / 3.0, 0.0)
        check_formulation(self.formulation, "index 2", "index 3")

    def parameters(self, rtol: float) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        return _without_loss_of_order(0.0, -self.alpha)


@dataclass(frozen=True)
class Newmark(_SecondOrder):
    """Newmark's method; the default is the trapezoidal rule (order 2); gamma > 1/2 reduces the order to 1.

    J. Eng. Mech. Div. ASCE 85 (1959) 67.
    """

    beta: float = 0.25
    gamma: float = 0.5
    formulation: str = "index 2"

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, 0.5, 1.0)
        check_number("beta", self.beta, 0.5 * self.gamma, 1.0)  # smaller values are not unconditionally stable
        check_formulation(self.formulation, "index 2", "index 3")

    def parameters(self, rtol: float) -> np.ndarray:
        """alpha_m, alpha_f, beta, gamma."""
        return np.array([0.0, 0.0, self.beta, self.gamma])


def _without_loss_of_order(alpha_m: float, alpha_f: float) -> np.ndarray:
    """The parameters for order 2 with the largest damping of high frequencies."""
    gamma = 0.5 + alpha_f - alpha_m
    return np.array([alpha_m, alpha_f, 0.25 * (gamma + 0.5) ** 2, gamma])
