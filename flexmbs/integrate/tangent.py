"""Tangent matrices of the residual at the start of a step, by differences of the residual itself.

The mass matrix is exact (the residual is linear in the accelerations); damping and stiffness are one-sided differences,
good enough for the simplified Newton iteration, which never changes what it converges to.
"""

from __future__ import annotations

import math

from flexmbs.integrate.mechanics import residual
from flexmbs.integrate.state import CONTRACTION, GOOD, HERE, RESIDUALS, TANGENT, TANGENTS, TIME
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.linear import factorise, solve
from flexmbs.kernels.signals import evaluate_signals, impose_drivers

INCREMENT = 1e-7


@kernel
def update_tangent(tables, state, scratch, work, kinds):
    """Fill the tangent matrices of the free coordinates at the current state: only the mass (``kinds`` = 1) or all (3).

    A changing mass matrix is the usual reason for slow convergence, and costs a third of the whole tangent.
    """
    q, v, a = state.q, state.v, state.a
    evaluate_signals(tables, state.number[TIME], work.signal)
    impose_drivers(tables, work.signal, q, v, a)
    residual(tables, state.active, q, v, a, state.reference, work, scratch.residual)
    for j in range(len(tables.free)):
        k = tables.free[j]
        for kind in range(kinds):
            vector = a if kind == 0 else (v if kind == 1 else q)
            matrix = state.mass if kind == 0 else (state.damping if kind == 1 else state.stiffness)
            old = vector[k]
            # a power of two times the scale: old + step is then exact
            step = 1.0 if kind == 0 else INCREMENT * max(1.0, abs(old))
            vector[k] = old + step
            step = vector[k] - old
            residual(tables, state.active, q, v, a, state.reference, work, scratch.shifted)
            vector[k] = old
            for i in range(len(tables.free)):
                row = tables.free[i]
                matrix[i, j] = (scratch.shifted[row] - scratch.residual[row]) / step
    state.count[RESIDUALS] += 1 + kinds * len(tables.free)
    state.count[TANGENTS] += 1
    state.flag[TANGENT] = HERE if kinds == 3 else GOOD
    state.number[CONTRACTION] = 1.0


@kernel
def consistent_accelerations(tables, state, scratch, work):
    """Accelerations that satisfy the equations of motion at the current state; False when M is singular."""
    m = len(tables.free)
    for i in range(m):
        state.a[tables.free[i]] = 0.0
    update_tangent(tables, state, scratch, work, 3)
    for i in range(m):
        scratch.real_x[i] = -scratch.residual[tables.free[i]]
        for j in range(m):
            scratch.real[i, j] = state.mass[i, j]
    if not factorise(scratch.real, scratch.real_pivots):
        return False
    solve(scratch.real, scratch.real_pivots, scratch.real_x)
    for i in range(m):
        state.a[tables.free[i]] = scratch.real_x[i]
        if not math.isfinite(scratch.real_x[i]):
            return False
    return True
