"""Passing singular positions, where constraints depend on each other for a moment.

There one row of G vanishes on the freedoms that the others leave, with a direction w in which the mechanism could
branch off, and its multiplier has a pole.  Around it the row is replaced: the acceleration along w follows the
extrapolation of the steps before (the branch on which the mechanism is), kept there by a force p along M w:
    -(M w) p  in the equations of motion,    (M w)^T (a - a_extrapolated) = 0  in place of the row.
Behind the position the projection puts what this has missed right.

Rows and columns M w are full.  They border the Newton matrix A, in which replaced rows are those of the unit matrix:
[A, -d; d^T, 0] is solved by A^-1 d and the Schur complement d^T A^-1 d (Golub, Van Loan, Matrix Computations, 2.1.4).
"""

from __future__ import annotations

import math

from flexmbs.core.layout.state import Scratch, State
from flexmbs.core.layout.tables import Tables
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.linalg.matrix import columns_of, solve_scaled
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel


@kernel
def find_direction(tables, state, i, slot, x):
    """Keep M w of the replaced row ``i``; ``x`` holds w before its scaling, of the freedoms that other rows leave.

    w = P M^-1 G_i^T, with G_i w = w^T M w its squared length; where that vanishes nothing is prescribed along it.
    """
    m = state.mass.shape[0]
    direction = state.replacement_direction[slot]
    direction[:] = 0.0
    state.replaced_rows[slot] = i
    square = row_times(tables, state, i, x)
    if not square > 1e-24:
        return
    scale = 1.0 / math.sqrt(square)
    for j in range(m):
        if tables.coordinates[tables.free[j]].multiplier == 0:
            direction[j] = scale * row_times(tables, state, j, x)


@kernel
def row_times(tables, state, i, x):
    """Row ``i`` of the mass matrix (G_i for a multiplier) times the coordinates in ``x``."""
    first, end, shift = columns_of(i, state.mass.shape[0], tables.band)
    total = 0.0
    for j in range(first, end):
        if tables.coordinates[tables.free[j]].multiplier == 0:
            total += state.mass[i, j + shift] * x[j]
    return total


@kernel
def factorise_border(tables, state, matrix, pivots, border, schur, schur_pivots):
    """A^-1 d of every direction into ``border``, and the factors of d^T A^-1 d; False when singular."""
    count = state.replaced_count
    m = border.shape[1]
    for slot in range(count):
        for j in range(m):
            border[slot, j] = state.replacement_direction[slot, j]
        solve_scaled(matrix, pivots, tables.band, state.scale, border[slot])
    for r in range(count):
        for s in range(count):
            schur[r, s] = 0.0
            for j in range(m):
                schur[r, s] += state.replacement_direction[r, j] * border[s, j]
        if schur[r, r] == 0.0:  # nothing is prescribed along this one
            schur[r, r] = 1.0
    return factorise(schur[:count, :count], schur_pivots, 0.0)


@kernel
def solve_bordered(tables, state, matrix, pivots, border, schur, schur_pivots, part, x):
    """Overwrite ``x`` by the solution; the places of replaced rows hold the forces p."""
    count = state.replaced_count
    m = x.shape[0]
    for slot in range(count):
        part[slot] = x[state.replaced_rows[slot]]
        x[state.replaced_rows[slot]] = 0.0
    solve_scaled(matrix, pivots, tables.band, state.scale, x)
    if count == 0:
        return
    for slot in range(count):
        for j in range(m):
            part[slot] -= state.replacement_direction[slot, j] * x[j]
    solve(schur[:count, :count], schur_pivots, part[:count])
    for slot in range(count):
        for j in range(m):
            x[j] += border[slot, j] * part[slot]
    for slot in range(count):
        x[state.replaced_rows[slot]] = part[slot]


@entry
def set_targets(tables: Tables, state: State, scratch: Scratch) -> None:
    """Remember the extrapolated acceleration along the direction of each replaced row, in all stages; no force yet."""
    for slot in range(state.replaced_count):
        for s in range(3):
            scratch.replacement_force[s, slot] = scratch.target_acceleration[s, slot] = 0.0
            scratch.a[s, tables.free[state.replaced_rows[slot]]] = 0.0
            for j in range(state.replacement_direction.shape[1]):
                scratch.target_acceleration[s, slot] += state.replacement_direction[slot, j] * scratch.a[s, tables.free[j]]


@entry
def replace_rows(tables: Tables, state: State, scratch: Scratch, s: int) -> None:
    """Add the forces to the residual of stage ``s``; the equations of the directions take the place of the rows."""
    for slot in range(state.replaced_count):
        along = -scratch.target_acceleration[s, slot]
        for j in range(state.replacement_direction.shape[1]):
            along += state.replacement_direction[slot, j] * scratch.a[s, tables.free[j]]
            scratch.stage_residual[s, j] -= state.replacement_direction[slot, j] * scratch.replacement_force[s, slot]
        scratch.stage_residual[s, state.replaced_rows[slot]] = along


@entry
def factorise_borders(tables: Tables, state: State, scratch: Scratch) -> bool:
    """What both Newton matrices of Radau IIA need near singular positions."""
    return factorise_border(
        tables, state, scratch.real, scratch.real_pivots, scratch.border_real, scratch.schur_real, scratch.schur_real_pivots
    ) and factorise_border(
        tables,
        state,
        scratch.complex[0],
        scratch.complex_pivots[0],
        scratch.border_complex,
        scratch.schur_complex,
        scratch.schur_complex_pivots,
    )


@entry
def solve_real_bordered(tables: Tables, state: State, scratch: Scratch) -> None:
    """Overwrite ``scratch.real_x`` by the solution with the real Newton matrix."""
    solve_bordered(
        tables,
        state,
        scratch.real,
        scratch.real_pivots,
        scratch.border_real,
        scratch.schur_real,
        scratch.schur_real_pivots,
        scratch.part_real,
        scratch.real_x,
    )


@entry
def solve_complex_bordered(tables: Tables, state: State, scratch: Scratch) -> None:
    """Overwrite ``scratch.complex_x`` by the solution with the complex Newton matrix."""
    solve_bordered(
        tables,
        state,
        scratch.complex[0],
        scratch.complex_pivots[0],
        scratch.border_complex,
        scratch.schur_complex,
        scratch.schur_complex_pivots,
        scratch.part_complex,
        scratch.complex_x[0],
    )
