"""Characteristics as piecewise cubics in the pool: number of pieces, where each begins, five coefficients each.

Piece i has value c0 + c1 s + c2 s^2 + c3 s^3 and antiderivative c4 + c0 s + c1 s^2/2 + ..., s = x - x_i.  The first
piece also holds below its beginning, the last one for ever (flexmbs.mechanism.characteristics makes both straight).
"""

from __future__ import annotations

from flexmbs.core.abi.kernel import kernel

COUNT, BEGINS = 0, 1  # places from ``at`` on
C0, C1, C2, C3, C4, PIECE_SIZE = range(6)  # places in the coefficients of a piece


@kernel
def find_piece(pool, at, x):
    """Where the coefficients of the piece at ``x`` are, and x from its beginning."""
    count, begins = int(pool[at + COUNT]), at + BEGINS
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if x < pool[begins + middle]:
            high = middle
        else:
            low = middle
    return begins + count + PIECE_SIZE * low, x - pool[begins + low]


@kernel
def table_value(pool, at, x):
    k, s = find_piece(pool, at, x)
    return pool[k + C0] + s * (pool[k + C1] + s * (pool[k + C2] + s * pool[k + C3]))


@kernel
def table_integral(pool, at, x):
    k, s = find_piece(pool, at, x)
    c0, c1, c2, c3 = pool[k + C0], pool[k + C1], pool[k + C2], pool[k + C3]
    return pool[k + C4] + s * (c0 + s * (c1 / 2.0 + s * (c2 / 3.0 + s * c3 / 4.0)))
