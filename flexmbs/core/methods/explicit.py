"""Explicit Runge-Kutta pairs for trees that are not stiff: in the chart of a step, q' = v and v' = a(t, q, v).

Two pairs (core.methods.explicit_coefficients): one of order 5 for loose tolerances, one of order 8 for tight ones.  Both
end with the accelerations at the end of the step, which the next step begins with.
"""

from __future__ import annotations

import math

from flexmbs.core.abi.kernel import entry, kernel
from flexmbs.core.equations.accelerations import find_accelerations
from flexmbs.core.layout.state import END, HAS_PREDICTION, LAST_CONTRACTION, STEP, TIME, WORST
from flexmbs.core.layout.tables import ACCELERATION_LEVEL, POSITION_LEVEL
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.core.methods.explicit_coefficients import HIGH, LOW, ORDER, STAGES, A, C, E, F
from flexmbs.core.methods.interface import attempt_step, keep_step

HISTORY = 0
MOST_STAGES = 16  # with those of the dense output
# Relative tolerance of a step below which order 8 needs fewer evaluations than order 5 (docs/work_precision.md).
TIGHT = 2e-8
SMALLEST_ERROR = 1e-10


@kernel
def pair_for(settings):
    """Number of the pair (core.methods.explicit_coefficients) for the tolerance of the run."""
    return HIGH if settings.rtol < TIGHT else LOW


@entry(attempt_step)
def attempt_explicit(tables, state, settings, scratch, work, h):
    """Try a step of ``h``: (1, error in parts of the tolerance, power of h with which it falls); (0, 1, .) failed."""
    pair = pair_for(settings)
    q, v, a = scratch.q[END], scratch.v[END], scratch.a[END]
    state.number[LAST_CONTRACTION] = 1.0  # there are no factors for which the step size should be kept
    for i in range(STAGES[pair]):
        set_stage(state, scratch, pair, i, h)
        evaluate_signals(tables, state.number[TIME] + C[pair, i] * h, work.signal)
        if not signals_are_finite(tables, work):
            state.number[STEP] = 0.5 * h
            return 0, 1.0, float(ORDER[pair])
        impose_drivers(tables, work.signal, q, v, a)
        # the state knows its accelerations unless something has just switched
        if i > 0 or state.flag[HAS_PREDICTION] == 0:
            if not find_accelerations(tables, state, scratch, work, q, v, a):
                state.number[STEP] = 0.5 * h
                return 0, 1.0, float(ORDER[pair])
        for k in range(q.shape[0]):
            scratch.stages[i, 0, k] = v[k]
            scratch.stages[i, 1, k] = a[k]
    for j in range(len(tables.signals)):
        for k in range(3):
            scratch.signal[END, j, k] = work.signal[j, k]
    error = error_norm(tables, state, settings, scratch, pair, h)
    if not error < 1e100:
        state.number[STEP] = 0.1 * h
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


@entry(keep_step)
def keep_explicit(tables, state, settings, scratch, h):
    """Nothing is remembered; no step size is asked for."""
    return 0.0


@kernel
def set_stage(state, scratch, pair, i, h):
    """Positions and velocities of stage ``i`` from the stages before it."""
    for k in range(state.q.shape[0]):
        scratch.q[END, k] = state.q[k]
        scratch.v[END, k] = state.v[k]
        scratch.a[END, k] = state.a[k]
    for j in range(i):
        part = h * A[pair, i, j]
        if part == 0.0:
            continue
        for k in range(state.q.shape[0]):
            scratch.q[END, k] += part * scratch.stages[j, 0, k]
            scratch.v[END, k] += part * scratch.stages[j, 1, k]


@kernel
def error_norm(tables, state, settings, scratch, pair, h):
    """Weighted rms of the error of unknown positions and velocities, and of what is integrated of driven ones."""
    fine = coarse = 0.0
    count, worst = 0, -1.0
    for k in range(len(tables.coordinates)):
        driven, level = tables.coordinates[k].signal >= 0, tables.coordinates[k].level
        if driven and level == POSITION_LEVEL:
            continue
        count += 1
        eq = fq = ev = fv = 0.0
        for i in range(STAGES[pair]):
            rate, accel = scratch.stages[i, 0, k], scratch.stages[i, 1, k]
            eq += E[pair, i] * rate
            fq += F[pair, i] * rate
            ev += E[pair, i] * accel
            fv += F[pair, i] * accel
        size_q = max(abs(state.q[k]), abs(scratch.q[END, k])) + settings.floor_q[k]
        size_v = max(abs(state.v[k]), abs(scratch.v[END, k]))
        weight_q = h / (settings.atol_q[k] + settings.rtol * size_q)
        weight_v = h / (settings.atol_v[k] + settings.rtol * size_v)
        if driven and level != ACCELERATION_LEVEL:
            weight_v = 0.0
        part = (weight_q * eq) ** 2 + (weight_v * ev) ** 2
        fine += part
        coarse += (weight_q * fq) ** 2 + (weight_v * fv) ** 2
        if part > worst:
            worst = part
            state.flag[WORST] = k
    if fine == 0.0:
        return SMALLEST_ERROR
    return max(fine / math.sqrt((fine + 0.01 * coarse) * 2.0 * count), SMALLEST_ERROR)
