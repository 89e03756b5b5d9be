"""Matrices of the unknowns, block by block (core.layout.time_stepping)."""

from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.linalg.matrix import columns_of
from flexmbs.machine_code.kernel import kernel


@kernel
def factorise_blocks(tables, state, stepping, damping, stiffness):
    """Factors of M + damping D + stiffness K with the rows of constraints, equilibrated; False when it is singular."""
    for b in range(stepping.block_start.shape[0] - 1):
        fill_block(tables, state, stepping, b, damping, stiffness)
        start, end = stepping.block_start[b], stepping.block_start[b + 1]
        if not factorise(stepping.factors[start:end, : end - start], stepping.pivots[start:end], 0.0):
            return False
    return True


@kernel
def fill_block(tables, state, stepping, b, damping, stiffness):
    """The matrix of block ``b``; rows of constraints hold G alone, those that are replaced are unit rows."""
    m, start, end = len(tables.free), stepping.block_start[b], stepping.block_start[b + 1]
    for r in range(end - start):
        i = stepping.block_unknowns[start + r]
        first, last, shift = columns_of(i, m, tables.band)
        constraint = tables.coordinates[tables.free[i]].multiplier != 0
        for c in range(end - start):
            j = stepping.block_unknowns[start + c]
            value = 0.0
            if state.replaced[i] != 0 or state.replaced[j] != 0:
                value = 1.0 if i == j else 0.0
            elif first <= j < last:
                value = state.mass[i, j + shift]
                if not constraint:
                    value += damping * state.damping[i, j + shift] + stiffness * state.stiffness[i, j + shift]
                value *= state.scale[i] * state.scale[j]
            stepping.factors[start + r, c] = value


@kernel
def solve_block(state, stepping, b, x):
    """Overwrite ``x`` (size of the block,) by the solution."""
    start, end = stepping.block_start[b], stepping.block_start[b + 1]
    for r in range(end - start):
        i = stepping.block_unknowns[start + r]
        x[r] = 0.0 if state.replaced[i] != 0 else x[r] * state.scale[i]
    solve(stepping.factors[start:end, : end - start], stepping.pivots[start:end], x)
    for r in range(end - start):
        x[r] *= state.scale[stepping.block_unknowns[start + r]]


@kernel
def solve_blocks(state, stepping, x):
    """Overwrite ``x`` (free,) by the solution."""
    for b in range(stepping.block_start.shape[0] - 1):
        start, end = stepping.block_start[b], stepping.block_start[b + 1]
        part = stepping.part[: end - start]
        for r in range(end - start):
            part[r] = x[stepping.block_unknowns[start + r]]
        solve_block(state, stepping, b, part)
        for r in range(end - start):
            x[stepping.block_unknowns[start + r]] = part[r]
