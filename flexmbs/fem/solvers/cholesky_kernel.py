"""Sums of the blocks of a sparse Cholesky factorisation, compiled."""

from __future__ import annotations

from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.signature import Floats, Floats2, Integers


@entry
def add_columns(
    panel: Floats2, values: Floats, rows: Integers, starts: Integers, first: int, count: int, place: Integers,
    front: Integers,
) -> bool:  # fmt: skip
    """Add columns of a sparse lower triangle to a panel (columns, rows), column by column; whether all rows are there.

    Parameters
    ----------
    panel : (count, m) that is added to; row place[i] of the front stands for row i of the matrix
    values, rows, starts : the triangle, by columns
    first : column that panel[0] stands for
    front : (m,) rows of the matrix that the front has
    """
    complete = True
    for j in range(count):
        for at in range(starts[first + j], starts[first + j + 1]):
            row = place[rows[at]]
            if row < front.shape[0] and front[row] == rows[at]:
                panel[j, row] += values[at]
            else:
                complete = False
    return complete


@entry
def add_update(panel: Floats2, rest: Floats2, update: Floats2, where: Integers) -> None:
    """Add the lower triangle of an update (k, k) to panel (w, w + r) and rest (r, r), all column by column.

    ``where`` (k,) are the rows of the front, rising; those below w are columns of the panel.
    """
    width = panel.shape[0]
    k = update.shape[0]
    for j in range(k):
        column = where[j]
        if column < width:
            for i in range(j, k):
                panel[column, where[i]] += update[j, i]
        else:
            for i in range(j, k):
                rest[column - width, where[i] - width] += update[j, i]


@entry
def subtract_rows(x: Floats2, rows: Integers, values: Floats2) -> None:
    """Subtract values (k, c) from the rows (k,) of x (n, c)."""
    for i in range(rows.shape[0]):
        row = rows[i]
        for j in range(x.shape[1]):
            x[row, j] -= values[i, j]
