"""Characteristics as piecewise cubics in the pool: number of pieces, where each begins, five coefficients each.

Piece i has value c0 + c1 s + c2 s^2 + c3 s^3 and antiderivative c4 + c0 s + c1 s^2/2 + ..., s = x - x_i.  The first
piece also holds below its beginning, the last one for ever (flexmbs.mechanism.characteristics makes both straight).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel


@kernel
def find_piece(pool, at, x):
    """Where the coefficients of the piece at ``x`` are, and x from its beginning."""
    count = int(pool[at])
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if x < pool[at + 1 + middle]:
            high = middle
        else:
            low = middle
    return at + 1 + count + 5 * low, x - pool[at + 1 + low]


@kernel
def table_value(pool, at, x):
    k, s = find_piece(pool, at, x)
    return pool[k] + s * (pool[k + 1] + s * (pool[k + 2] + s * pool[k + 3]))


@kernel
def table_integral(pool, at, x):
    k, s = find_piece(pool, at, x)
    return pool[k + 4] + s * (pool[k] + s * (pool[k + 1] / 2.0 + s * (pool[k + 2] / 3.0 + s * pool[k + 3] / 4.0)))
