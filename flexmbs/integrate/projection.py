"""Constraints of a step: the factors that solve for multipliers, and the way back onto the constraints.

The stages satisfy the constraints differentiated to accelerations, which drift by the error of the method; the nearest
point (in the metric of M) that satisfies g = 0, then g' = 0, is that of the same step without the drift.  Eich, SIAM J.
Numer. Anal. 30 (1993) 1467: coordinate projection keeps the order of the method.

In a singular position constraints depend on each other for a moment.  Around it one multiplier is held: it follows its
extrapolation, and its constraint is left to the others and to the projection behind the position.
"""

from __future__ import annotations

from flexmbs.integrate.mechanics import residual
from flexmbs.integrate.state import LARGEST_PIVOT, STRAYED
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.linear import factorise, solve_scaled
from flexmbs.kernels.tables import CONSTRAINTS, WHOLE

MAX_PROJECTIONS = 8
# Constraints are lengths (m), angles (rad) and their rates: below this they are left alone.
TARGET = 1e-13
# Constraints that follow from others stay satisfied; beyond this the choice of independent ones is made anew.
STRAYED_LIMIT = 1e-9
# Fall of the smallest pivot (a square of the distance to a singular position) since the last choice of independent
# constraints at which another one is asked for, and at which a multiplier is held.
CHOOSE_AGAIN, HOLD = 1e-3, 1e-5
# Pivots of the equilibrated matrix below this are zero up to rounding.
TINY_PIVOT = 1e-13


@kernel
def factorise_constraints(tables, state, scratch):
    """Factors of S [M, -G^T; G, 0] S in ``scratch.projection``, with as few multipliers held as it takes; False: singular.

    A zero pivot of a coordinate means a coordinate without inertia.
    """
    m = state.mass.shape[0]
    state.held[:] = 0
    for _ in range(m):
        fill_projection(state, scratch)
        factorise(scratch.projection, scratch.projection_pivots, TINY_PIVOT)
        limit = max(HOLD * state.number[LARGEST_PIVOT], 2.0 * TINY_PIVOT)
        held, smallest = -1, 1e300
        for i in range(m):
            size = abs(scratch.projection[i, i])
            multiplier = tables.coordinates[tables.free[i]].multiplier != 0
            if size >= 1e299 and not multiplier:
                return False
            if multiplier and state.held[i] == 0:
                if size >= 1e299:
                    size = 0.0
                if size < limit and held < 0:
                    held = i
                smallest = min(smallest, size)
        if held < 0:
            watch_dependence(state, smallest)
            return True
        state.held[held] = 1
        state.flag[STRAYED] = 1
    return False


@kernel
def fill_projection(state, scratch):
    """The equilibrated matrix; rows and columns of held multipliers are those of the unit matrix."""
    m = state.mass.shape[0]
    for i in range(m):
        for j in range(m):
            entry = state.mass[i, j] * state.scale[i] * state.scale[j]
            if state.held[i] != 0 or state.held[j] != 0:
                entry = 1.0 if i == j else 0.0
            scratch.projection[i, j] = entry


@kernel
def watch_dependence(state, smallest):
    """Ask for another choice of independent constraints when the smallest pivot has fallen far since the last one."""
    if smallest < CHOOSE_AGAIN * state.number[LARGEST_PIVOT]:
        state.flag[STRAYED] = 1
    elif smallest < 1e299:
        state.number[LARGEST_PIVOT] = max(state.number[LARGEST_PIVOT], smallest)


@kernel
def solve_constraints(state, scratch, x):
    """Solve with the factors of :func:`factorise_constraints`; held multipliers stay."""
    for i in range(x.shape[0]):
        if state.held[i] != 0:
            x[i] = 0.0
    solve_scaled(scratch.projection, scratch.projection_pivots, state.scale, x)


@kernel
def project(tables, state, scratch, work):
    """Move the end of the step (stage 3) to g = 0, then its velocities to g' = 0."""
    for j in range(len(tables.signals)):
        for k in range(3):
            work.signal[j, k] = scratch.signal[2, j, k]
    work.extent[0] = CONSTRAINTS
    for level in range(2):
        vector = scratch.q[2] if level == 0 else scratch.v[2]
        previous = 1e300
        for _ in range(MAX_PROJECTIONS):
            size = violation(tables, state, scratch, work, level)
            if size <= TARGET or not size < 0.5 * previous:
                break
            previous = size
            solve_constraints(state, scratch, scratch.real_x)
            for i in range(len(tables.free)):
                k = tables.free[i]
                if tables.coordinates[k].multiplier == 0:
                    vector[k] += scratch.real_x[i]
    for i in range(len(tables.coordinates)):
        if tables.coordinates[i].multiplier != 0 and not abs(work.constraint[i, 0]) < STRAYED_LIMIT:
            state.flag[STRAYED] = 1  # a constraint that was left out as dependent on the others no longer is
    work.extent[0] = WHOLE


@kernel
def violation(tables, state, scratch, work, level):
    """Largest value (level 0) or rate (1) of the constraints at the end of the step; the right-hand side that mends it."""
    residual(
        tables, state.active, scratch.q[2], scratch.v[2], scratch.a[2], state.reference, work, scratch.shifted
    )
    largest = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        scratch.real_x[i] = 0.0
        if tables.coordinates[k].multiplier != 0 and state.held[i] == 0:
            value = work.constraint[k, level]
            scratch.real_x[i] = -value
            largest = max(largest, abs(value))
    return largest
