"""Passing singular positions, where constraints depend on each other for a moment.

There one row of G vanishes on the freedoms that the others leave, with a direction w in which the mechanism could branch
off, and its multiplier has a pole.  Around the position the row is replaced: the acceleration along w follows the
extrapolation of the steps before (the branch on which the mechanism is), held there by a force along M w:
    -(M w) p  in the equations of motion,    (M w)^T (a - a_extrapolated) = 0  in place of the row.
Behind the position the projection puts what this has missed right.
"""

from __future__ import annotations

import math

from flexmbs.kernels.jit import kernel


@kernel
def find_direction(tables, state, i, x):
    """Keep M w of the held multiplier ``i``; ``x`` holds w before its scaling, of the freedoms that other rows leave.

    w = P M^-1 G_i^T, with G_i w = w^T M w its squared length; where that vanishes the multiplier is just left alone.
    """
    m = state.mass.shape[0]
    square = 0.0
    for j in range(m):
        state.direction[i, j] = 0.0
        if tables.coordinates[tables.free[j]].multiplier == 0:
            square += state.mass[i, j] * x[j]
    if not square > 1e-24:
        return
    scale = 1.0 / math.sqrt(square)
    for j in range(m):
        if tables.coordinates[tables.free[j]].multiplier != 0:
            continue
        total = 0.0
        for k in range(m):
            if tables.coordinates[tables.free[k]].multiplier == 0:
                total += state.mass[j, k] * x[k]
        state.direction[i, j] = total * scale


@kernel
def fill_held_rows(state, scratch):
    """Rows and columns of held multipliers in the Newton matrices."""
    m = state.mass.shape[0]
    for i in range(m):
        if state.held[i] == 0:
            continue
        size = 0.0
        for j in range(m):
            size = max(size, abs(state.direction[i, j]))
        for j in range(m):
            entry = state.direction[i, j] * state.scale[j]
            scratch.real[i, j], scratch.real[j, i] = entry, -entry
            scratch.complex[i, j], scratch.complex[j, i] = entry, -entry
        if size == 0.0:
            scratch.real[i, i] = scratch.complex[i, i] = 1.0
    for i in range(m):
        state.scale[i] = 1.0 if state.held[i] != 0 else state.scale[i]


@kernel
def aim(tables, state, scratch):
    """Remember the extrapolated acceleration along each held direction, in all stages; no force holds it yet."""
    for i in range(state.held.shape[0]):
        for s in range(3):
            scratch.push[s, i] = scratch.aim[s, i] = 0.0
        if state.held[i] == 0:
            continue
        for s in range(3):
            scratch.a[s, tables.free[i]] = 0.0
            for j in range(state.held.shape[0]):
                scratch.aim[s, i] += state.direction[i, j] * scratch.a[s, tables.free[j]]


@kernel
def hold_stage(tables, state, scratch, s):
    """Add the holding forces to the residual of stage ``s``, and put the equations of held directions in it."""
    m = state.held.shape[0]
    for i in range(m):
        if state.held[i] == 0:
            continue
        along = -scratch.aim[s, i]
        for j in range(m):
            along += state.direction[i, j] * scratch.a[s, tables.free[j]]
            scratch.stage_residual[s, j] -= state.direction[i, j] * scratch.push[s, i]
        scratch.stage_residual[s, i] = along
