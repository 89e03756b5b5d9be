"""Dense LU with partial pivoting for the small Newton matrices (real and complex), row by row for SIMD."""

from flexmbs.machine_code.kernel import kernel

NO_PIVOT = 1e300  # stands for a pivot that vanishes: its unknown stays as it is


@kernel
def factorise(matrix, pivots, tiny):
    """LU in place; returns False when a pivot vanishes or is not finite.

    With ``tiny`` > 0 pivots up to it are passed over: in a singular position of a mechanism constraints depend on each
    other for a moment, and the iteration, whose residual is exact, may leave that direction alone.
    """
    n = matrix.shape[0]
    for k in range(n):
        best, size = k, abs(matrix[k, k])
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > size:
                best, size = i, abs(matrix[i, k])
        if not (size > 0.0 or tiny > 0.0) or not size < 1e300:
            return False
        pivots[k] = best
        if size <= tiny:
            pivots[k] = k
            matrix[k, k] = NO_PIVOT
            continue
        if best != k:
            for j in range(n):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
        inverse = 1.0 / matrix[k, k]
        pivot_row = matrix[k]
        for i in range(k + 1, n):
            factor = matrix[i, k] * inverse
            matrix[i, k] = factor
            if factor != 0.0:
                row = matrix[i]
                for j in range(k + 1, n):
                    row[j] -= factor * pivot_row[j]
    return True


@kernel
def solve(matrix, pivots, x):
    """Overwrite ``x`` by the solution; ``matrix`` and ``pivots`` come from :func:`factorise`."""
    n = matrix.shape[0]
    for k in range(n):
        p = pivots[k]
        if p != k:
            x[k], x[p] = x[p], x[k]
    for i in range(1, n):
        total = x[i]
        row = matrix[i]
        for j in range(i):
            total -= row[j] * x[j]
        x[i] = total
    for i in range(n - 1, -1, -1):
        total = x[i]
        row = matrix[i]
        for j in range(i + 1, n):
            total -= row[j] * x[j]
        x[i] = total / row[i]
