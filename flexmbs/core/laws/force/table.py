"""Characteristics as piecewise cubics among the parameters of a law.

Number of pieces, where each begins, five coefficients each.

Piece i has value c0 + c1 s + c2 s^2 + c3 s^3 and antiderivative c4 + c0 s + c1 s^2/2 + ..., s = x - x_i.  The first
piece also holds below its beginning, the last one for ever (flexmbs.mechanism.characteristics makes both straight).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from flexmbs.machine_code.kernel import kernel

COUNT, BEGINS = 0, 1  # places from ``at`` on
C0, C1, C2, C3, C4, PIECE_SIZE = range(6)  # places in the coefficients of a piece


@runtime_checkable
class Table(Protocol):
    """What a law takes for a characteristic (:class:`flexmbs.mechanism.characteristics.Characteristic`)."""

    def packed(self) -> np.ndarray:
        """The numbers that :func:`table_value` and :func:`table_integral` read."""


@kernel
def find_piece(numbers, at, x):
    """Where the coefficients of the piece at ``x`` are, and x from its beginning."""
    count, begins = int(numbers[at + COUNT]), at + BEGINS
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if x < numbers[begins + middle]:
            high = middle
        else:
            low = middle
    return begins + count + PIECE_SIZE * low, x - numbers[begins + low]


@kernel
def table_value(numbers, at, x):
    k, s = find_piece(numbers, at, x)
    return numbers[k + C0] + s * (numbers[k + C1] + s * (numbers[k + C2] + s * numbers[k + C3]))


@kernel
def table_integral(numbers, at, x):
    k, s = find_piece(numbers, at, x)
    c0, c1, c2, c3 = numbers[k + C0], numbers[k + C1], numbers[k + C2], numbers[k + C3]
    return numbers[k + C4] + s * (c0 + s * (c1 / 2.0 + s * (c2 / 3.0 + s * c3 / 4.0)))
