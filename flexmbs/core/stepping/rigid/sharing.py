"""How closed contacts share a load that more of them carry than it takes: what changes no motion stays as it is.

The forces lam of contacts whose rows depend on each other are definite but for Q lam, with W = F F^T of the rows that are on and
Q = 1 - F (F^T F)^-1 F^T the projection on what no motion sees.  Their equations become  G a + ... + c Q (lam - lam_0) = 0, with
lam_0 at the start of the step and c as large as W: regular, without any compliance in what moves.
"""

from __future__ import annotations

from flexmbs.core.contact.rigid.holding import factor_delassus
from flexmbs.core.layout.switch_tables import OPEN, RESTING, SLIDING
from flexmbs.core.linalg.copying import copy_matrix
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.core.stepping.rigid.slots import slot_of
from flexmbs.machine_code.kernel import kernel

SOFT = 1e-10  # compliance where differences of the equations rely on which unknowns are coupled, of the diagonal of W
DEPENDENT = 1e-10  # of the diagonal: a row along which the contact cannot move


@kernel
def rows_off(rigid, i):
    """1, 2 or 3: the first, second or both tangents along which the contact cannot move."""
    off, normal = 0.0, rigid.delassus[3 * i, 3 * i]
    if rigid.delassus[3 * i + 1, 3 * i + 1] <= DEPENDENT * normal:
        off += 1.0
    if rigid.delassus[3 * i + 2, 3 * i + 2] <= DEPENDENT * normal:
        off += 2.0
    return off


@kernel
def fix_shares(tables, state, work, rigid, count):
    """Compliance of the rows that are on, 1/kg, where they depend on each other; else 0.

    Then lam is definite but for Q lam, Q = 1 - F (F^T F)^-1 F^T with their W = F F^T. That part stays as it is: in ``work.sharing``
    stands Q as large as W. (Not where differences of the equations rely on which unknowns are coupled.)
    """
    rows, largest = 0, 0.0
    work.sharing[:] = 0.0
    state.sharing[:] = 0.0
    for i in range(count):
        off = int(rows_off(rigid, i))
        for k in range(3):
            mode = rigid.contact_mode_of[i]
            if mode == OPEN or mode == RESTING or (k > 0 and mode == SLIDING) or (k == 1 and off % 2 == 1):
                continue
            if k == 2 and off >= 2:
                continue
            rigid.on_row[rows] = 3 * i + k
            largest = max(largest, rigid.delassus[3 * i + k, 3 * i + k])
            rows += 1
    for i in range(rows):
        for j in range(rows):
            rigid.chosen_delassus[i, j] = rigid.delassus[rigid.on_row[i], rigid.on_row[j]]
    p = factor_delassus(rigid.chosen_delassus, rows, rigid.F)
    if p == rows:
        return 0.0
    if len(tables.shift_start) == 0 and work.sharing.shape[0] > 0:
        fill_sharing(tables, state, work, rigid, rows, p, largest)
    copy_matrix(work.sharing, state.sharing)
    return SOFT * largest


@kernel
def fill_sharing(tables, state, work, rigid, rows, p, size):
    """``work.sharing`` = ``size`` Q of the rows ``rigid.on_row``, with F in ``rigid.F``."""
    F, square, x = rigid.F, rigid.cholesky[:p, :p], rigid.chosen_change[:p]
    for i in range(p):
        for j in range(p):
            square[i, j] = 0.0
            for r in range(rows):
                square[i, j] += F[r, i] * F[r, j]
    factorise(square, rigid.pivots[:p], 0.0)
    for j in range(rows):
        for i in range(p):
            x[i] = F[j, i]
        solve(square, rigid.pivots[:p], x)
        column = 3 * slot_of(tables, state, rigid.closed[rigid.on_row[j] // 3]) + rigid.on_row[j] % 3
        for r in range(rows):
            total = 1.0 if r == j else 0.0
            for i in range(p):
                total -= F[r, i] * x[i]
            row = 3 * slot_of(tables, state, rigid.closed[rigid.on_row[r] // 3]) + rigid.on_row[r] % 3
            work.sharing[row, column] = size * total
