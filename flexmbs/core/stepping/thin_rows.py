"""Which rows of the log the interpolation of a result reproduces from its neighbours, so that they need not be stored.

Between stored rows, coordinates follow quintic Hermite polynomials of position, velocity and acceleration
(flexmbs.result.interpolation). Rows are kept greedily: a stretch from the row kept last grows until the polynomial
across it misses one of the rows in between.
"""

from __future__ import annotations

from flexmbs.core.layout.log_rows import TIME
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

# How a coordinate is interpolated: by a quintic of position, velocity and acceleration, its velocity by a
# cubic (user states), the same with a bounded turn (balls), its position linearly (condensed modes).
QUINTIC, CUBIC_RATE, TURNING, LINEAR = range(4)
PROBES = 12  # rows of a stretch that are compared, evenly spread
LARGEST_TURN = 1.0  # rad of a ball across a stretch: its rotation vector is interpolated, and unique up to pi


@entry
def thin_rows(
    rows: Floats2,
    begin: int,
    end: int,
    kinds: Integers,
    at_q: int,
    at_v: int,
    at_a: int,
    limit_q: Floats,
    limit_v: Floats,
    needed: Integers,
    longest: int,
    kept: Integers,
) -> int:
    """Set ``kept`` (rows,) to 1 for rows to store among ``rows[:end]``; returns the row kept last.

    Row 0 has been kept, rows up to ``begin`` have passed. ``limit_q``, ``limit_v`` (n,): what the interpolation may
    miss; ``needed`` (rows,): 1 for rows to keep anyway; ``longest``: stretch in rows. Interpolation never crosses rows
    of one time.
    """
    last = 0
    for i in range(begin, end):
        together = i - last <= longest and rows[i, TIME] > rows[i - 1, TIME]
        if together and i - last > 1:
            together = is_reproduced(rows, last, i, kinds, at_q, at_v, at_a, limit_q, limit_v)
        if not together and i - 1 > last:
            kept[i - 1] = 1
            last = i - 1
        if needed[i] != 0 or rows[i, TIME] <= rows[i - 1, TIME]:
            kept[i] = 1
            last = i
    return last


@kernel
def is_reproduced(rows, first, last, kinds, at_q, at_v, at_a, limit_q, limit_v):
    """Whether the interpolation from row ``first`` to ``last`` passes the rows between them within the limits."""
    h = rows[last, TIME] - rows[first, TIME]
    between = last - first - 1
    probes = min(between, PROBES)
    for k in range(kinds.shape[0]):
        kind = kinds[k]
        x0, x1 = rows[first, at_q + k], rows[last, at_q + k]
        d0, d1 = h * rows[first, at_v + k], h * rows[last, at_v + k]
        c0, c1 = h * h * rows[first, at_a + k], h * h * rows[last, at_a + k]
        if kind == TURNING and max(abs(d0), abs(d1)) > LARGEST_TURN:
            return False
        for probe in range(probes):
            i = first + 1 + (probe * (between - 1)) // max(probes - 1, 1)
            s = (rows[i, TIME] - rows[first, TIME]) / h
            r = 1.0 - s
            if kind == LINEAR:
                if abs(r * x0 + s * x1 - rows[i, at_q + k]) > limit_q[k]:
                    return False
                continue
            if kind == QUINTIC:
                x = r**3 * ((1.0 + 3.0 * s + 6.0 * s * s) * x0 + s * (1.0 + 3.0 * s) * d0 + 0.5 * s * s * c0)
                x += s**3 * ((1.0 + 3.0 * r + 6.0 * r * r) * x1 - r * (1.0 + 3.0 * r) * d1 + 0.5 * r * r * c1)
                if abs(x - rows[i, at_q + k]) > limit_q[k]:
                    return False
                d = 30.0 * s * s * r * r * (x1 - x0)
                d += r * r * (1.0 + 2.0 * s - 15.0 * s * s) * d0 + s * s * (1.0 + 2.0 * r - 15.0 * r * r) * d1
                d += 0.5 * s * r * r * (2.0 - 5.0 * s) * c0 - 0.5 * r * s * s * (2.0 - 5.0 * r) * c1
            else:
                d = (1.0 + 2.0 * s) * r * r * d0 + s * r * r * c0 + s * s * (3.0 - 2.0 * s) * d1 - s * s * r * c1
            if abs(d / h - rows[i, at_v + k]) > limit_v[k]:
                return False
    return True
