"""Banded LU with partial pivoting (real and complex), for the Newton matrices of long chains of bodies.

Row i of a matrix with half bandwidth ``band`` keeps columns i - band ... i + band at places 0 ... 2 band; factors need
another ``band`` places to the right for the rows that pivoting moves up.  Golub and Van Loan, Matrix Computations, 4.3.
"""

from flexmbs.core.linalg.dense_lu import NO_PIVOT
from flexmbs.machine_code.kernel import kernel


@kernel
def factorise_banded(matrix, pivots, band, tiny):
    """LU in place; False when a pivot vanishes or is not finite (``tiny``: see core.linalg.dense_lu.factorise)."""
    n = matrix.shape[0]
    for k in range(n):
        below, right = min(n, k + band + 1), min(n, k + 2 * band + 1)
        best, size = k, abs(matrix[k, band])
        for i in range(k + 1, below):
            if abs(matrix[i, k - i + band]) > size:
                best, size = i, abs(matrix[i, k - i + band])
        if not (size > 0.0 or tiny > 0.0) or not size < 1e300:
            return False
        pivots[k] = best
        if size <= tiny:
            pivots[k] = k
            matrix[k, band] = NO_PIVOT
            continue
        if best != k:
            for j in range(k, right):
                own, other = j - k + band, j - best + band
                matrix[k, own], matrix[best, other] = matrix[best, other], matrix[k, own]
        inverse = 1.0 / matrix[k, band]
        width = right - k - 1
        pivot_row = matrix[k, band + 1 : band + 1 + width]
        for i in range(k + 1, below):
            at = k - i + band
            factor = matrix[i, at] * inverse
            matrix[i, at] = factor
            if factor != 0.0:
                row = matrix[i, at + 1 : at + 1 + width]
                for j in range(width):
                    row[j] -= factor * pivot_row[j]
    return True


@kernel
def solve_banded(matrix, pivots, band, x):
    """Overwrite ``x`` by the solution; ``matrix`` and ``pivots`` come from :func:`factorise_banded`."""
    n = matrix.shape[0]
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
        for i in range(k + 1, min(n, k + band + 1)):
            x[i] -= matrix[i, k - i + band] * x[k]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, min(n, i + 2 * band + 1)):
            total -= matrix[i, j - i + band] * x[j]
        x[i] = total / matrix[i, band]
