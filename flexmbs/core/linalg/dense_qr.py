"""QR factors by Householder's reflections, of matrices that are stored by columns."""

import math

from flexmbs.core.linalg.vectors import add_multiple, dot
from flexmbs.machine_code.kernel import kernel

DEPENDENT = 1e-15  # of the largest pivot: unknowns with smaller ones stay zero


@kernel
def factorise_columns(columns, factors, n, rows):
    """Overwrite ``columns`` (n, rows) by the factors; whether they are finite.

    ``columns[j]`` then holds column j of R up to its diagonal, after it reflection j without its first number, 1.
    """
    for j in range(n):
        v = columns[j]
        for other in range(j):
            reflect(columns, factors, other, v, rows)
        norm = math.sqrt(dot(v[j:], v[j:], rows - j))
        if not norm < math.inf:
            return False
        factors[j] = 0.0
        if norm > 0.0:
            diagonal = -math.copysign(norm, v[j])
            head = v[j] - diagonal
            factors[j] = -head / diagonal
            v[j] = diagonal
            for i in range(j + 1, rows):
                v[i] /= head
    return True


@kernel
def reflect(columns, factors, j, v, rows):
    """Apply reflection j to v."""
    part = -factors[j] * (v[j] + dot(columns[j, j + 1 :], v[j + 1 :], rows - j - 1))
    v[j] += part
    add_multiple(v[j + 1 :], part, columns[j, j + 1 :], rows - j - 1)


@kernel
def solve_augmented(columns, factors, n, rows, f, h, x):
    """Solve u + B x = f, B^T u = h with B = Q R: ``f`` becomes u, ``h`` is used up (Björck 1996, 2.9.3)."""
    for j in range(n):
        reflect(columns, factors, j, f, rows)
    tiny = 0.0
    for j in range(n):
        tiny = max(tiny, DEPENDENT * abs(columns[j, j]))
    for j in range(n):
        h[j] = (h[j] - dot(columns[j], h, j)) / columns[j, j] if abs(columns[j, j]) > tiny else 0.0
    for j in range(n - 1, -1, -1):
        x[j] = (f[j] - h[j]) / columns[j, j] if abs(columns[j, j]) > tiny else 0.0
        add_multiple(f, -x[j], columns[j], j)
        f[j] = h[j]
    for j in range(n - 1, -1, -1):
        reflect(columns, factors, j, f, rows)
