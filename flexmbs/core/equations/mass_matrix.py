"""Solving with the mass matrix of the unknowns, whose factors core.equations.projection makes."""

from flexmbs.core.linalg.matrix import solve_scaled
from flexmbs.machine_code.kernel import kernel


@kernel
def solve_mass(tables, state, scratch, x):
    """Solve with the factors of core.equations.projection.factorise_mass; multipliers of replaced rows stay."""
    if state.replaced_count != 0:
        for i in range(x.shape[0]):
            if state.replaced[i] != 0:
                x[i] = 0.0
    solve_scaled(scratch.projection, scratch.projection_pivots, tables.band, state.scale, x)
