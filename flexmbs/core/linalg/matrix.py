"""Matrices of the unknowns, dense or banded, behind one set of functions.

``band`` = 0: a square array.  Else the half bandwidth: row i keeps columns i - band to i + band
(core.linalg.banded_lu).
"""

import math

from flexmbs.core.linalg.banded_lu import factorise_banded, solve_banded
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.machine_code.kernel import kernel


@kernel
def columns_of(i, n, band):
    """First and last + 1 column of row ``i``, and what to add to a column for its place in the row."""
    if band == 0:
        return 0, n, 0
    return max(0, i - band), min(n, i + band + 1), band - i


@kernel
def factorise_any(matrix, pivots, band, tiny):
    """LU in place; False when singular or not finite."""
    if band == 0:
        return factorise(matrix, pivots, tiny)
    return factorise_banded(matrix, pivots, band, tiny)


@kernel
def solve_any(matrix, pivots, band, x):
    """Overwrite ``x`` by the solution."""
    if band == 0:
        solve(matrix, pivots, x)
    else:
        solve_banded(matrix, pivots, band, x)


@kernel
def solve_scaled(matrix, pivots, band, scale, x):
    """:func:`solve_any` with a matrix that was factorised as S A S, S = diag(scale)."""
    for i in range(x.shape[0]):
        x[i] *= scale[i]
    solve_any(matrix, pivots, band, x)
    for i in range(x.shape[0]):
        x[i] *= scale[i]


@kernel
def equilibrate(matrix, band, scale):
    """Fill ``scale`` with powers of two for which the largest entry of every row and column of S A S is about 1.

    Ruiz, A scaling algorithm to equilibrate both rows and columns norms in matrices, RAL-TR-2001-034.
    """
    n = matrix.shape[0]
    scale[:] = 1.0
    for _ in range(4):
        for i in range(n):
            first, end, shift = columns_of(i, n, band)
            largest = 0.0
            for j in range(first, end):
                _first, _end, back = columns_of(j, n, band)
                largest = max(largest, abs(matrix[i, j + shift]) * scale[j], abs(matrix[j, i + back]) * scale[j])
            largest *= scale[i]
            if largest > 0.0 and largest < 1e300:
                scale[i] *= 2.0 ** -math.floor(0.5 * math.log2(largest) + 0.5)
