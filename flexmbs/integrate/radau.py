"""One step of Radau IIA (order 5): prediction, simplified Newton, embedded error, interpolant."""

from __future__ import annotations

import math

from flexmbs.integrate.mechanics import residual
from flexmbs.integrate.radau_coefficients import (
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
from flexmbs.integrate.singular import aim, factorise_border, hold_stage, solve_bordered, unit_rows
from flexmbs.integrate.state import (
    CONTRACTION,
    FACTORED_STEP,
    FACTORISATIONS,
    HAS_PREDICTION,
    HOLDING,
    LAST_CONTRACTION,
    NEWTON_ITERATIONS,
    OLD_STEP,
    RESIDUALS,
    TIME,
    WORST,
)
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.newton_matrix import columns_of, factorise_any
from flexmbs.kernels.signals import evaluate_signals, impose_drivers
from flexmbs.kernels.tables import ACCELERATION_LEVEL, POSITION_LEVEL

MAX_ITERATIONS = 8
# Newton corrections below this part of their tolerance are not asked to shrink.
ROUNDING = 1e-3


@kernel
def factorise_newton(tables, state, scratch, h):
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
    state.count[FACTORISATIONS] += 1
    state.number[FACTORED_STEP] = h
    if not factorise_any(scratch.real, scratch.real_pivots, band, 0.0) or not factorise_any(
        scratch.complex, scratch.complex_pivots, band, 0.0
    ):
        return False
    return state.flag[HOLDING] == 0 or factorise_borders(tables, state, scratch)


@kernel
def factorise_borders(tables, state, scratch):
    """What both Newton matrices need near singular positions (integrate.singular)."""
    return factorise_border(
        tables, state, scratch.real, scratch.real_pivots, scratch.border_real, scratch.schur_real,
        scratch.schur_real_pivots,
    ) and factorise_border(
        tables, state, scratch.complex, scratch.complex_pivots, scratch.border_complex, scratch.schur_complex,
        scratch.schur_complex_pivots,
    )  # fmt: skip


@kernel
def solve_real(tables, state, scratch):
    """Overwrite ``scratch.real_x`` by the solution with the real Newton matrix."""
    solve_bordered(
        tables, state, scratch.real, scratch.real_pivots, scratch.border_real, scratch.schur_real,
        scratch.schur_real_pivots, scratch.part_real, scratch.real_x,
    )  # fmt: skip


@kernel
def solve_complex(tables, state, scratch):
    """Overwrite ``scratch.complex_x`` by the solution with the complex Newton matrix."""
    solve_bordered(
        tables, state, scratch.complex, scratch.complex_pivots, scratch.border_complex, scratch.schur_complex,
        scratch.schur_complex_pivots, scratch.part_complex, scratch.complex_x,
    )  # fmt: skip


@kernel
def predict(tables, state, scratch, work, h):
    """Stage accelerations from the last step's polynomial; signals at the stages (False when one is not finite)."""
    t = state.number[TIME]
    ratio = h / state.number[OLD_STEP] if state.flag[HAS_PREDICTION] != 0 else 0.0
    finite = True
    for i in range(3):
        evaluate_signals(tables, t + C[i] * h, scratch.signal[i])
        for j in range(len(tables.signals)):
            for k in range(3):
                finite = finite and math.isfinite(scratch.signal[i, j, k])
        x = 1.0 + C[i] * ratio
        for k in range(state.q.shape[0]):
            if state.flag[HAS_PREDICTION] != 0:
                total = 0.0
                for j in range(3):
                    weight = LAGRANGE[j, 0] + x * (LAGRANGE[j, 1] + x * LAGRANGE[j, 2])
                    total += weight * state.stage_a[j, k]
                scratch.a[i, k] = total
            else:
                scratch.a[i, k] = state.a[k]
            s = tables.coordinates[k].signal
            if s >= 0:  # set_stages integrates these where the motion is not prescribed itself
                scratch.a[i, k] = scratch.signal[i, s, 2 - tables.coordinates[k].level]
    if state.flag[HOLDING] != 0:
        aim(tables, state, scratch)
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
def set_weights(tables, state, settings, scratch):
    """Reciprocal tolerances of the free coordinates and velocities at the start of the step."""
    for i in range(len(tables.free)):
        k = tables.free[i]
        size = abs(state.q[k]) + settings.floor_q[k]
        scratch.weight_q[i] = 1.0 / (settings.atol_q[k] + settings.rtol * size)
        scratch.weight_v[i] = 1.0 / (settings.atol_v[k] + settings.rtol * abs(state.v[k]))


@kernel
def newton_update(tables, state, scratch, h):
    """Solve for the change of the stage accelerations; returns its weighted size in positions and velocities."""
    m = len(tables.free)
    for i in range(m):
        r0, r1, r2 = scratch.stage_residual[0, i], scratch.stage_residual[1, i], scratch.stage_residual[2, i]
        scratch.real_x[i] = -(S_INVERSE_REAL[0] * r0 + S_INVERSE_REAL[1] * r1 + S_INVERSE_REAL[2] * r2)
        scratch.complex_x[i] = -(S_INVERSE_COMPLEX[0] * r0 + S_INVERSE_COMPLEX[1] * r1 + S_INVERSE_COMPLEX[2] * r2)
    solve_real(tables, state, scratch)
    solve_complex(tables, state, scratch)
    total = 0.0
    worst = 0.0
    for i in range(m):
        k = tables.free[i]
        x, z = scratch.real_x[i], scratch.complex_x[i]
        d0 = S_REAL[0] * x + 2.0 * (S_COMPLEX[0] * z).real
        d1 = S_REAL[1] * x + 2.0 * (S_COMPLEX[1] * z).real
        d2 = S_REAL[2] * x + 2.0 * (S_COMPLEX[2] * z).real
        if state.held[i] != 0:  # the forces along held directions are kept apart
            for slot in range(state.flag[HOLDING]):
                if state.holder[slot] == i:
                    scratch.push[0, slot] += d0
                    scratch.push[1, slot] += d1
                    scratch.push[2, slot] += d2
            continue
        scratch.a[0, k] += d0
        scratch.a[1, k] += d1
        scratch.a[2, k] += d2
        part = 0.0
        for j in range(3):
            rate = h * (A[j, 0] * d0 + A[j, 1] * d1 + A[j, 2] * d2) * scratch.weight_v[i]
            move = h * h * (A2[j, 0] * d0 + A2[j, 1] * d1 + A2[j, 2] * d2) * scratch.weight_q[i]
            part += rate * rate + move * move
        if not part <= worst:
            worst = part
            state.flag[WORST] = k
        total += part
    return math.sqrt(total / (6.0 * max(m - scratch.multipliers, 1)))


@kernel
def newton(tables, state, settings, scratch, work, h):
    """Simplified Newton on the stages (Hairer-Wanner IV.8); returns iterations used, or 0 when it does not converge."""
    if not predict(tables, state, scratch, work, h):
        return 0
    previous = slowest = 0.0
    rate = max(state.number[CONTRACTION], 1e-10) ** 0.8  # the memory of earlier steps fades
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
            if state.flag[HOLDING] != 0:
                hold_stage(tables, state, scratch, i)
        state.count[RESIDUALS] += 3
        state.count[NEWTON_ITERATIONS] += 1
        size = newton_update(tables, state, scratch, h)
        if not size < 1e100:
            return 0
        if iteration > 0:
            rate = size / previous if previous > 0.0 else 0.0
            if size < ROUNDING * settings.newton_tolerance:
                rate = min(rate, 0.5)  # corrections that small are rounding, and need not shrink further
            slowest = max(slowest, rate)
            left = MAX_ITERATIONS - 1 - iteration
            # the first ratio says little: a light coordinate may only start to follow the heavy ones
            if rate >= 2.0 or iteration > 1 and rate >= 1.0:
                return 0
            if iteration > 1 and rate**left / (1.0 - rate) * size > settings.newton_tolerance:
                return 0
        if size == 0.0 or (rate < 1.0 and rate / (1.0 - rate) * size < settings.newton_tolerance):
            set_stages(tables, state, scratch, h)
            state.number[CONTRACTION] = max(rate, slowest)
            state.number[LAST_CONTRACTION] = rate
            return iteration + 1
        previous = size
    return 0


@kernel
def error_norm(tables, state, settings, scratch, h):
    """Weighted size of the embedded error estimate, filtered by the real Newton matrix; 1 is the tolerance."""
    m = len(tables.free)
    g = REAL_EIGENVALUE
    for i in range(m):
        k = tables.free[i]
        position = h * state.v[k]
        velocity = h * state.a[k]
        for j in range(3):
            position += ERROR_WEIGHTS[j] * (scratch.q[j, k] - state.q[k])
            velocity += ERROR_WEIGHTS[j] * (scratch.v[j, k] - state.v[k])
        scratch.error_q[i] = g * position
        scratch.error_v[i] = g * velocity
        if tables.coordinates[k].multiplier != 0:
            scratch.error_q[i] = scratch.error_v[i] = 0.0
    for i in range(m):
        total = 0.0
        first, end, shift = columns_of(i, m, tables.band)
        for j in range(first, end):
            at = j + shift
            total += state.mass[i, at] * scratch.error_v[j] - h * g * state.stiffness[i, at] * scratch.error_q[j]
        scratch.real_x[i] = 0.0 if state.held[i] != 0 else total
    solve_real(tables, state, scratch)
    total = 0.0
    worst = -1.0
    for i in range(m):
        k = tables.free[i]
        size_q = max(abs(state.q[k]), abs(scratch.q[2, k])) + settings.floor_q[k]
        size_v = max(abs(state.v[k]), abs(scratch.v[2, k]))
        x = (scratch.error_q[i] + h * g * scratch.real_x[i]) / (settings.atol_q[k] + settings.rtol * size_q)
        y = scratch.real_x[i] / (settings.atol_v[k] + settings.rtol * size_v)
        part = x * x + y * y
        total += part
        if part > worst:
            worst = part
            state.flag[WORST] = k
    driven, count = driven_error(tables, state, settings, scratch, h)
    return max(math.sqrt((total + driven) / (2.0 * max(m - scratch.multipliers + count, 1))), 1e-10)


@kernel
def driven_error(tables, state, settings, scratch, h):
    """Sum of squares of what is integrated of coordinates driven by rate or acceleration; and how many there are."""
    total, count = 0.0, 0
    for k in range(len(tables.coordinates)):
        level = tables.coordinates[k].level
        if tables.coordinates[k].signal < 0 or level == POSITION_LEVEL:
            continue
        count += 1
        position, velocity = h * state.v[k], h * state.a[k]
        for j in range(3):
            position += ERROR_WEIGHTS[j] * (scratch.q[j, k] - state.q[k])
            velocity += ERROR_WEIGHTS[j] * (scratch.v[j, k] - state.v[k])
        x = REAL_EIGENVALUE * position / (settings.atol_q[k] + settings.rtol * abs(scratch.q[2, k]))
        total += x * x
        if level == ACCELERATION_LEVEL:
            y = REAL_EIGENVALUE * velocity / (settings.atol_v[k] + settings.rtol * abs(scratch.v[2, k]))
            total += y * y
    return total, count


@kernel
def interpolate(state, scratch, h, x):
    """Point x (0 to 1) of the step's collocation polynomial, into ``scratch.point_*``."""
    for k in range(state.q.shape[0]):
        accel = rate = move = 0.0
        for j in range(3):
            l0, l1, l2 = LAGRANGE[j, 0], LAGRANGE[j, 1], LAGRANGE[j, 2]
            stage = scratch.a[j, k]
            accel += stage * (l0 + x * (l1 + x * l2))
            rate += stage * x * (l0 + x * (l1 / 2.0 + x * l2 / 3.0))
            move += stage * x * x * (l0 / 2.0 + x * (l1 / 6.0 + x * l2 / 12.0))
        scratch.point_a[k] = accel
        scratch.point_v[k] = state.v[k] + h * rate
        scratch.point_q[k] = state.q[k] + h * (x * state.v[k] + h * move)
