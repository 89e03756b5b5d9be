"""Constraints of a step: the factors that solve for multipliers, and the way back onto the constraints.

The stages satisfy the constraints differentiated to accelerations, which drift by the error of the method; the nearest
point (in the metric of M) that satisfies g = 0, then g' = 0, is that of the same step without the drift.  Eich, SIAM J.
Numer. Anal. 30 (1993) 1467: coordinate projection keeps the order of the method.

Around a singular position a multiplier is held (integrate.singular); its constraint is left alone there.
"""

from __future__ import annotations

from flexmbs.integrate.mechanics import residual
from flexmbs.integrate.state import ASKED, HOLDING, LARGEST_PIVOT, STRAYED
from flexmbs.integrate.singular import find_direction
from flexmbs.kernels.jit import kernel
from flexmbs.kernels.linear import NO_PIVOT, factorise, solve_scaled
from flexmbs.kernels.tables import CONSTRAINTS, WHOLE

MAX_PROJECTIONS = 8
# Constraints are lengths (m), angles (rad) and their rates: below this they are left alone.
TARGET = 1e-13
# Constraints that follow from others stay satisfied; beyond this the choice of independent ones is made anew.
STRAYED_LIMIT = 1e-9
# Fall of the smallest pivot since the last choice of independent constraints: from there on multipliers are examined, and
# another choice is asked for (once, until the pivot has recovered).
EXAMINE, CHOOSE_AGAIN = 0.2, 1e-2
# A multiplier is held when its constraint differs from what the others imply by less than this (a sine).
HOLD = 0.02
# Pivots of the equilibrated matrix below this are zero up to rounding.
TINY_PIVOT = 1e-13
PASSED = 0.1 * NO_PIVOT


@kernel
def factorise_constraints(tables, state, scratch):
    """Factors of S [M, -G^T; G, 0] S in ``scratch.projection``, with as few multipliers held as it takes; False: singular.

    A zero pivot of a coordinate means a coordinate without inertia.
    """
    m = state.mass.shape[0]
    state.held[:] = state.flag[HOLDING] = 0
    for _ in range(m):
        fill_projection(state, scratch)
        factorise(scratch.projection, scratch.projection_pivots, TINY_PIVOT)
        if not coordinates_have_pivots(tables, scratch):
            return False
        suspect, smallest = smallest_pivot(tables, state, scratch)
        if state.flag[HOLDING] == 0:
            watch_dependence(state, smallest)
        if suspect < 0 or smallest > EXAMINE * state.number[LARGEST_PIVOT] or not dependent(tables, state, scratch, suspect):
            break
    if state.flag[HOLDING] != 0:
        hold_directions(tables, state, scratch)
    return True


@kernel
def coordinates_have_pivots(tables, scratch):
    """False when a coordinate carries no inertia, of its own or of what constraints tie to it."""
    for i in range(scratch.projection.shape[0]):
        if abs(scratch.projection[i, i]) >= PASSED and tables.coordinates[tables.free[i]].multiplier == 0:
            return False
    return True


@kernel
def smallest_pivot(tables, state, scratch):
    """Multiplier (number among the unknowns) with the smallest pivot, and the pivot; (-1, 1e300) without any."""
    which, smallest = -1, 1e300
    for i in range(scratch.projection.shape[0]):
        if tables.coordinates[tables.free[i]].multiplier == 0 or state.held[i] != 0:
            continue
        size = abs(scratch.projection[i, i])
        if size >= PASSED:
            size = 0.0
        if size < smallest:
            which, smallest = i, size
    return which, smallest


@kernel
def dependent(tables, state, scratch, i):
    """Hold multiplier ``i`` and refactor; False, with it free again, when its constraint is independent enough."""
    state.held[i] = 1
    fill_projection(state, scratch)
    factorise(scratch.projection, scratch.projection_pivots, TINY_PIVOT)
    left = left_by_others(tables, state, scratch, i)
    whole = 0.0
    for j in range(state.mass.shape[0]):
        whole += (state.mass[i, j] * state.scale[j]) ** 2
    if left < HOLD * HOLD * whole:
        state.flag[HOLDING] += 1
        return True
    state.held[i] = 0
    fill_projection(state, scratch)
    factorise(scratch.projection, scratch.projection_pivots, TINY_PIVOT)
    return False


@kernel
def left_by_others(tables, state, scratch, i):
    """Leaves w = P M^-1 G_i^T in ``scratch.real_x``, with P onto the freedoms that the other constraints leave; G_i w."""
    m = state.mass.shape[0]
    for j in range(m):
        coordinate = tables.coordinates[tables.free[j]].multiplier == 0
        scratch.real_x[j] = state.mass[i, j] if coordinate else 0.0
    solve_constraints(state, scratch, scratch.real_x)
    total = 0.0
    for j in range(m):
        if tables.coordinates[tables.free[j]].multiplier == 0:
            total += state.mass[i, j] * scratch.real_x[j]
    return total


@kernel
def hold_directions(tables, state, scratch):
    """Directions of all held multipliers."""
    for i in range(state.mass.shape[0]):
        if state.held[i] != 0:
            left_by_others(tables, state, scratch, i)
            find_direction(tables, state, i, scratch.real_x)


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
    largest = state.number[LARGEST_PIVOT]
    if smallest >= EXAMINE * largest:
        state.flag[ASKED] = 0
    if smallest < CHOOSE_AGAIN * largest and state.flag[ASKED] == 0:
        state.flag[STRAYED] = state.flag[ASKED] = 1
    elif smallest < 1e299:
        state.number[LARGEST_PIVOT] = max(largest, smallest)


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
