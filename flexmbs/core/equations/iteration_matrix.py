"""Newton matrices: what the methods factorise."""

from flexmbs.core.linalg.matrix import columns_of
from flexmbs.machine_code.kernel import kernel


@kernel
def unit_rows(tables, state, matrix):
    """Rows and columns of replaced constraints (core.equations.singular_positions) as in the unit matrix."""
    for slot in range(state.replaced_count):
        unit_row(tables, matrix, state.replaced_rows[slot])


@kernel
def unit_row(tables, matrix, i):
    """Row and column ``i`` as in the unit matrix: what the unknown is does not follow from the matrix."""
    m = matrix.shape[0]
    first, end, shift = columns_of(i, m, tables.band)
    for j in range(first, end):
        _first, _end, back = columns_of(j, m, tables.band)
        matrix[i, j + shift] = 1.0 if i == j else 0.0
        matrix[j, i + back] = 1.0 if i == j else 0.0


@kernel
def fill_real(tables, state, scratch, damping, stiffness):
    """S [M + damping D + stiffness K, -G^T; G, 0] S into ``scratch.real``: rows of constraints hold G alone.

    So the matrix of a step that goes to zero is that of the accelerations, whatever the formulation of the constraints.
    """
    m = state.mass.shape[0]
    if tables.band > 0:
        scratch.real[:] = 0.0  # factors have more columns than the matrices
    for i in range(m):
        first, end, shift = columns_of(i, m, tables.band)
        constraint = tables.coordinates[tables.free[i]].multiplier != 0
        for j in range(first, end):
            at = j + shift
            value = state.mass[i, at]
            if not constraint:
                value += damping * state.damping[i, at] + stiffness * state.stiffness[i, at]
            scratch.real[i, at] = value * state.scale[i] * state.scale[j]
    unit_rows(tables, state, scratch.real)
