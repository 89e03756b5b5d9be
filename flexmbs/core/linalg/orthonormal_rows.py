"""An orthonormal basis of the rows of a matrix, by Gram and Schmidt's method with pivots."""

import math

from flexmbs.core.linalg.vectors import dot, subtract_part
from flexmbs.machine_code.kernel import kernel


@kernel
def find_row_basis(rows, count, p, tolerance, basis):
    """Fill ``basis`` (n, p), which spans the first ``count`` rows up to ``tolerance`` of the longest; returns n.

    ``rows`` is overwritten.
    """
    n, longest = 0, 0.0
    while n < min(count, p):
        best, most = 0, 0.0
        for i in range(count):
            size = math.sqrt(dot(rows[i], rows[i], p))
            if size > most:
                best, most = i, size
        longest = most if n == 0 else longest
        if not most > tolerance * longest:
            break
        for j in range(p):
            basis[n, j] = rows[best, j] / most
        for other in range(n):  # again, since a row that has become short has lost its right angles
            subtract_part(basis[n], basis[other], p)
        size = math.sqrt(dot(basis[n], basis[n], p))
        for j in range(p):
            basis[n, j] /= size
            rows[best, j] = 0.0
        for i in range(count):
            subtract_part(rows[i], basis[n], p)
        n += 1
    return n
