"""Explicit Runge-Kutta pairs for trees that are not stiff: in the chart of a step, q' = v and v' = a(t, q, v).

Two pairs (core.methods.explicit_coefficients): one of order 5 for loose tolerances, one of order 8 for tight ones.
Both end with the accelerations at the end of the step, which the next step begins with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods import method_interface as interface
from flexmbs.core.methods.error_norm import MIN_ERROR, clear_errors, error_norm, is_integrated, squared_error
from flexmbs.core.methods.explicit_coefficients import ORDER, STAGES, TIGHT, A, C, E, F, pair_for
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.intermediate_rows import INTERMEDIATE_ROWS, fill_intermediate_rows
from flexmbs.core.methods.method_interface import Method
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

EXPLICIT_STAGES = 16  # with those of the dense output


@entry(interface.attempt_step)
def attempt_step(tables, state, settings, scratch, work, h):
    """A step of the explicit pair for the tolerance; iterations are 1."""
    pair = pair_for(settings)
    q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
    state.last_convergence_rate = 1.0  # there are no factors for which the step size should be kept
    for i in range(STAGES[pair]):
        set_stage(state, scratch, pair, i, h)
        evaluate_signals(tables, state.time + C[pair, i] * h, work.signal)
        if not signals_are_finite(tables, work):
            state.step_size = 0.5 * h
            return 0, 1.0, float(ORDER[pair])
        impose_drivers(tables, work.signal, q, v, a)
        # the state knows its accelerations unless something has just switched
        if i > 0 or state.has_prediction == 0:
            if not find_accelerations(tables, state, scratch, work, q, v, a):
                state.step_size = 0.5 * h
                return 0, 1.0, float(ORDER[pair])
        for k in range(q.shape[0]):
            scratch.stage_v[i, k] = v[k]
            scratch.stage_a[i, k] = a[k]
    for j in range(len(tables.signals)):
        for k in range(3):
            scratch.end_signal[j, k] = work.signal[j, k]
    error = estimate_error(tables, state, settings, scratch, work, pair, h)
    if not error < 1e100:
        state.step_size = 0.1 * h
        return 0, 1.0, float(ORDER[pair])
    return 1, error, float(ORDER[pair])


@kernel
def signals_are_finite(tables, work):
    """False where a function of time has no value, such as behind the end of a table."""
    for j in range(len(tables.signals)):
        for k in range(3):
            if not math.isfinite(work.signal[j, k]):
                return False
    return True


@entry(interface.update_history)
def update_history(tables, state, settings, scratch, h):
    """Nothing is remembered, and no step size is asked for."""
    return 0.0


@kernel
def set_stage(state, scratch, pair, i, h):
    """Positions and velocities of stage ``i`` from the stages before it."""
    for k in range(state.q.shape[0]):
        scratch.end_q[k] = state.q[k]
        scratch.end_v[k] = state.v[k]
        scratch.end_a[k] = state.a[k]
    for j in range(i):
        part = h * A[pair, i, j]
        if part == 0.0:
            continue
        for k in range(state.q.shape[0]):
            scratch.end_q[k] += part * scratch.stage_v[j, k]
            scratch.end_v[k] += part * scratch.stage_a[j, k]


@kernel
def estimate_error(tables, state, settings, scratch, work, pair, h):
    """Norm of the error of unknown positions and velocities, and of what is integrated of driven ones.

    E^2 / sqrt(E^2 + 0.01 F^2), E and F the norms of both estimates, as in DOP853.
    """
    clear_errors(scratch)
    fine = coarse = 0.0
    for k in range(len(tables.coordinates)):
        if tables.coordinates[k].signal >= 0 and not is_integrated(tables, k):
            continue
        eq = fq = ev = fv = 0.0
        for i in range(STAGES[pair]):
            rate, accel = scratch.stage_v[i, k], scratch.stage_a[i, k]
            eq += E[pair, i] * rate
            fq += F[pair, i] * rate
            ev += E[pair, i] * accel
            fv += F[pair, i] * accel
        coarse += squared_error(tables, state, settings, scratch, k, h * fq, h * fv)
        scratch.squared_error[k] = squared_error(tables, state, settings, scratch, k, h * eq, h * ev)
        fine += scratch.squared_error[k]
    size = error_norm(tables, state, settings, scratch, work)
    if fine == 0.0:
        return MIN_ERROR
    return max(size * math.sqrt(fine / (fine + 0.01 * coarse)), MIN_ERROR)


METHOD = Method(
    "explicit",
    attempt_step,
    update_history,
    fill_intermediate_rows,
    explicit_stages=EXPLICIT_STAGES,
    matrices=0,
    intermediate_rows=INTERMEDIATE_ROWS,
)


@dataclass(frozen=True)
class Explicit(Integrator):
    """Explicit Runge-Kutta pairs of order 5 and, for tight tolerances, 8: for non-stiff trees without closed loops.

    Bogacki and Shampine 1996; Dormand and Prince in Hairer, Norsett and Wanner I (1993).
    """

    method = METHOD
    trees_only = True

    def internal(self, rtol: float) -> float:
        # The error estimate and the error of the motion decrease with the same power of the step. The dense output of
        # order 8 has order 7, which the estimate does not cover.
        return 0.3 * rtol if 0.3 * rtol >= TIGHT else 0.03 * rtol
