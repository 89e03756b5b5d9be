"""Constraints of a step: the factors that solve for multipliers, and the way back onto the constraints.

The stages satisfy the constraints differentiated to accelerations, which drift by the error of the method; the nearest
point (in the metric of M) that satisfies g = 0, then g' = 0, is that of the same step without the drift.  Eich, SIAM J.
Numer. Anal. 30 (1993) 1467: coordinate projection keeps the order of the method.

Around a singular position a constraint row is replaced (core.equations.singular_positions): it is left alone there.
"""

from __future__ import annotations

import math

from flexmbs.core.constraints.any_rows import any_rows
from flexmbs.core.equations.end_signals import set_end_signals
from flexmbs.core.equations.iteration_matrix import unit_rows
from flexmbs.core.equations.mass_matrix import solve_mass
from flexmbs.core.equations.residual import residual
from flexmbs.core.equations.singular_positions import find_direction
from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import CONSTRAINTS, PERMANENT, WHOLE, Tables, Workspace
from flexmbs.core.linalg.dense_lu import NO_PIVOT
from flexmbs.core.linalg.matrix import columns_of, factorise_any, solve_any
from flexmbs.core.mechanics.condensed_modes import is_algebraic
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel

MAX_PROJECTIONS = 8
# Constraints are lengths (m), angles (rad) and their rates: below this, or this part of rtol, they are left alone.
TARGET, TARGET_PART = 1e-13, 1e-8
# Constraints that follow from others stay satisfied; beyond this the choice of independent ones is made anew.
VIOLATION_LIMIT = 1e-9
# The smallest singular value of the equilibrated constraints tells how near a singular position is.  Falls of it, since
# the choice of independent constraints, at which another choice is asked for (once, until it has recovered), and at
# which a row is replaced: its acceleration is extrapolated, with an error of third order in the time of the passage.
RECOVERED, RESELECT, REPLACE = 0.3, 0.1, 0.002
# Distance (rad) within which rows are replaced where steps fail or shrink; where they come back, relative to that
MAX_PASSAGE, PASSAGE_PART, EXIT = 0.05, 0.35, 0.5
SAME, TINY_STEP = 1e-4, 1e-3  # changes of singular values that are rounding; steps in parts of the one before
INVERSE_ITERATIONS = 3
# Pivots of the equilibrated matrix below this are zero up to rounding.
TINY_PIVOT = 1e-13
PASSED = 0.1 * NO_PIVOT
SINGULAR_SIZE = 1e-6  # constraints are dependent up to rounding


@kernel
def factorise_mass(tables, state, scratch):
    """Factors of the mass matrix for core.equations.mass_matrix.solve_mass; False: singular."""
    if any_rows(tables):
        return factorise_constraints(tables, state, scratch)
    scratch.projection[:] = 0.0
    for i in range(state.mass.shape[0]):
        for j in range(state.mass.shape[1]):
            scratch.projection[i, j] = state.mass[i, j]
    return factorise_any(scratch.projection, scratch.projection_pivots, tables.band, 0.0)


@entry
def factorise_constraints(tables: Tables, state: State, scratch: Scratch) -> bool:
    """Factors of S [M, -G^T; G, 0] S in ``scratch.projection``, few rows replaced; False when M is singular.

    A zero pivot of a coordinate means a coordinate without inertia.
    """
    before = state.replaced_count  # rows that are replaced come back together, behind the singular position of all
    state.replaced[:] = state.replaced_count = 0
    while True:
        fill_projection(tables, state, scratch)
        # without constraints a zero means a coordinate without inertia, and nothing is equilibrated
        tiny = TINY_PIVOT if any_rows(tables) else 0.0
        if not factorise_any(scratch.projection, scratch.projection_pivots, tables.band, tiny):
            return False
        if not coordinates_have_pivots(tables, scratch):
            return False
        weakest, size = weakest_constraint(tables, state, scratch)
        if state.replaced_count == 0:
            monitor_dependence(state, size)
        limit = max(REPLACE * state.reference_singular_value, SINGULAR_SIZE)
        early = is_in_passage(state) and size < RECOVERED * state.reference_singular_value
        done = size > limit and not early and (state.replaced_count == 0 or state.replaced_count >= before)
        if weakest < 0 or done or state.replaced_count == state.replaced_rows.shape[0]:
            break
        state.replaced[weakest] = 1
        state.replaced_rows[state.replaced_count] = weakest
        state.replaced_count += 1
    state.remaining_singular_value = size
    if state.replaced_count != 0:
        find_directions(tables, state, scratch)
    else:
        state.passage = 0.0
    return True


@kernel
def distance_of_singularity(state):
    """How far the mechanism is from the singular position, rad; negative behind it."""
    distance = state.singular_value / max(state.fall, 1e-300)
    return distance if state.singular_value <= state.singular_value_before else -distance


@kernel
def is_in_passage(state):
    """Whether the mechanism is so near a singular position that rows are to be replaced."""
    return state.passage > 0.0 and -EXIT * state.passage < distance_of_singularity(state) <= state.passage


@kernel
def replaces_early(tables, state, h):
    """Whether rows are to be replaced from here on, where a step ``h`` near a singular position has failed or is short.

    Over a passage of s (rad) the extrapolation misses s^3 of the acceleration, s^4 of the velocity; rounding of the steps
    before it grows with the square of its length in such steps.
    """
    distance = distance_of_singularity(state)
    behind = distance < 0.0  # there shorter steps do, up to where rounding fails them
    near = abs(distance) < min(MAX_PASSAGE, PASSAGE_PART * state.rtol**0.2)
    near = near and state.remaining_singular_value < RECOVERED * state.reference_singular_value
    if len(tables.switches) > 0 or not near or behind and h > TINY_STEP * state.last_step_size:
        return False
    state.passage = max(state.passage, -1.2 / EXIT * distance if behind else 1.01 * distance)
    return True


@kernel
def coordinates_have_pivots(tables, scratch):
    """False when a coordinate carries no inertia, of its own or of what constraints tie to it.

    Not told in a band, where unknowns are mixed and a dependent constraint may show at a coordinate.
    """
    if tables.band > 0:
        return True
    m = scratch.projection.shape[0]
    for i in range(m):
        _first, _end, shift = columns_of(i, m, tables.band)
        if abs(scratch.projection[i, i + shift]) >= PASSED and tables.coordinates[tables.free[i]].multiplier == 0:
            return False
    return True


@kernel
def weakest_constraint(tables, state, scratch):
    """Smallest singular value of the equilibrated constraints, and the multiplier that takes most part in it.

    Inverse iteration with the factors, whose block of multipliers is the inverse of G M^-1 G^T.
    """
    x = scratch.real_x
    m = x.shape[0]
    for i in range(m):
        x[i] = 1.0 + 0.5 * math.sin(7.0 * i)
    square, which = 1e300, -1
    for _ in range(INVERSE_ITERATIONS):
        total = 0.0
        for i in range(m):
            if tables.coordinates[tables.free[i]].multiplier != PERMANENT or state.replaced[i] != 0:
                x[i] = 0.0
            total += x[i] * x[i]
        if total == 0.0:
            return -1, 1e300
        for i in range(m):
            x[i] /= math.sqrt(total)
        solve_any(scratch.projection, scratch.projection_pivots, tables.band, x)
        largest = total = 0.0
        for i in range(m):
            if tables.coordinates[tables.free[i]].multiplier == PERMANENT and state.replaced[i] == 0:
                _first, _end, shift = columns_of(i, m, tables.band)
                if not abs(x[i]) < 1e200 or scratch.projection[i, i + shift] == NO_PIVOT:
                    return i, 0.0
                total += x[i] * x[i]
                if abs(x[i]) > largest:
                    largest, which = abs(x[i]), i
        square = 1.0 / math.sqrt(max(total, 1e-300))
    return which, math.sqrt(square)


@kernel
def project_row(tables, state, scratch, i):
    """w = P M^-1 G_i^T into ``scratch.real_x``, with P onto the freedoms that the other constraints leave."""
    m = state.mass.shape[0]
    scratch.real_x[:] = 0.0
    first, end, shift = columns_of(i, m, tables.band)
    for j in range(first, end):
        if tables.coordinates[tables.free[j]].multiplier == 0:
            scratch.real_x[j] = state.mass[i, j + shift]
    solve_mass(tables, state, scratch, scratch.real_x)


@kernel
def find_directions(tables, state, scratch):
    """Directions of all replaced rows."""
    for slot in range(state.replaced_count):
        i = state.replaced_rows[slot]
        project_row(tables, state, scratch, i)
        find_direction(tables, state, i, slot, scratch.real_x)


@kernel
def fill_projection(tables, state, scratch):
    """The equilibrated matrix; replaced rows and their columns are those of the unit matrix."""
    fill_equilibrated(tables, state, scratch)
    unit_rows(tables, state, scratch.projection)


@kernel
def fill_equilibrated(tables, state, scratch):
    """S [M, -G^T; G, 0] S into ``scratch.projection``, with all constraint rows."""
    m = state.mass.shape[0]
    if tables.band > 0:
        scratch.projection[:] = 0.0
    for i in range(m):
        first, end, shift = columns_of(i, m, tables.band)
        for j in range(first, end):
            scratch.projection[i, j + shift] = state.mass[i, j + shift] * state.scale[i] * state.scale[j]


@kernel
def monitor_dependence(state, size):
    """Ask for another choice of independent constraints when the smallest singular value has fallen since then."""
    largest = state.reference_singular_value
    if abs(size - state.singular_value) > SAME * size and state.moved_since_tangent > 0.0:  # at another position
        state.fall = abs(size - state.singular_value) / state.moved_since_tangent
        state.singular_value_before = state.singular_value
    state.singular_value = size
    if size >= RECOVERED * largest:
        state.reselection_requested = 0
    if size < RESELECT * 0.5**state.reselection_requested * largest:
        state.reselect_constraints = 1
        state.reselection_requested += 1
    elif size < 1e299:
        state.reference_singular_value = max(largest, size)


@entry
def project(tables: Tables, state: State, scratch: Scratch, work: Workspace, levels: int) -> bool:
    """Move the end of the step to g = 0 and (with two ``levels``) its velocities to g' = 0; False where g stays open."""
    set_end_signals(tables, scratch, work)
    work.extent[0] = CONSTRAINTS
    target = max(TARGET, TARGET_PART * state.rtol)
    open_q, open_v, previous_q, previous_v = True, levels > 1, 1e300, 1e300
    for _ in range(MAX_PROJECTIONS):
        q, v, a = scratch.end_q, scratch.end_v, scratch.end_a
        residual(tables, state.active, state.contact_history, q, v, a, state.reference, work, scratch.shifted_residual)
        size_q, size_v = violation(tables, state, work, 0), violation(tables, state, work, 1)
        moved = open_q  # velocities are judged anew behind a move of positions
        open_q = open_q and size_q > target and size_q < 0.5 * previous_q
        open_v = levels > 1 and size_v > target and (moved or size_v < 0.5 * previous_v)
        if not open_q and not open_v:
            break
        previous_q, previous_v = size_q, size_v
        if open_q:
            move_back(tables, state, scratch, work, 0, scratch.end_q)
        if open_v:
            move_back(tables, state, scratch, work, 1, scratch.end_v)
    for i in range(len(tables.coordinates)):
        if tables.coordinates[i].multiplier == PERMANENT and not abs(work.constraint[i, 0]) < VIOLATION_LIMIT:
            state.reselect_constraints = 1  # a constraint that was left out as dependent on the others no longer is
    work.extent[0] = WHOLE
    return violation(tables, state, work, 0) < VIOLATION_LIMIT


@kernel
def violation(tables, state, work, level):
    """Largest value (level 0) or rate (1) of the constraints as last evaluated."""
    largest = 0.0
    for i in range(len(tables.free)):
        k = tables.free[i]
        if tables.coordinates[k].multiplier != 0 and state.replaced[i] == 0:
            largest = max(largest, abs(work.constraint[k, level]))
    return largest


@kernel
def move_back(tables, state, scratch, work, level, vector):
    """Move coordinates (level 0) or rates (1) to where the constraints are zero, in the metric of M."""
    for i in range(len(tables.free)):
        k = tables.free[i]
        multiplier = tables.coordinates[k].multiplier != 0
        scratch.real_x[i] = -work.constraint[k, level] if multiplier and state.replaced[i] == 0 else 0.0
    solve_mass(tables, state, scratch, scratch.real_x)
    for i in range(len(tables.free)):
        k = tables.free[i]
        if not is_algebraic(tables.coordinates[k]):
            vector[k] += scratch.real_x[i]
