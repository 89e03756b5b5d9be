"""How far contacts that all stick are from their limit: the margin of any forces that could hold them.

Redundant contacts may share a load in many ways. They hold as long as one of these fulfils Coulomb's law in each contact.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.cone_program import solve_cone_program
from flexmbs.core.layout.cone_work import ConeWork
from flexmbs.core.linalg.orthonormal_rows import find_row_basis
from flexmbs.core.linalg.vectors import dot, subtract_part
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2

DEPENDENT = 1e-10  # of the largest diagonal of W
DEPENDENT_ROW = 1e-9  # of the longest row of F
ROUNDING = 1e-13  # a load below, of the forces in its sum, is none
LEFT = 1e-12  # of the load: what is outside the rows that carry it
MOST = 10.0  # loads; bodies that are wedged could have any margin


@entry
def holding_margin_of(W: Floats2, mu: Floats, lam: Floats, out: Floats, work: ConeWork) -> float:
    """:func:`holding_margin` of k contacts with the Delassus matrix W (3k, 3k)."""
    k = mu.shape[0]
    return holding_margin(work.F, k, factor_delassus(W, 3 * k, work.F), mu, lam, out, work)


@kernel
def factor_delassus(W, n, F):
    """F (n, p) with F F^T = W of n rows, which may depend on each other, by Cholesky's factors with pivots; returns p."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, W[i, i])
    for p in range(n):
        best, most = -1, DEPENDENT * largest
        for i in range(n):
            left = W[i, i] - dot(F[i], F[i], p)
            if left > most:
                best, most = i, left
        if best < 0:
            return p
        for i in range(n):
            F[i, p] = (W[i, best] - dot(F[i], F[best], p)) / math.sqrt(most)
    return n


@kernel
def holding_margin(F, k, p, mu, lam, out, work):
    """Largest s (N) with F^T f = F^T lam and f_n - |f_t| / mu >= s (f_n >= s without friction) in all k contacts.

    Contacts hold where s >= 0. ``out`` (3k,): such forces f. F (3k, p) has the rows n, t1, t2 of each contact, F F^T = W.
    s is at most MOST loads F^T lam, counted as a force on the contact with the longest rows. Where contacts without
    friction leave a part of the load to nobody, s is minus that part or less. ``work.error``, relative to the load, says
    how far it is to be trusted; usually 1e-14.

    Solved in the dual, a virtual motion nu of least power with F_n nu >= mu |F_t nu| everywhere and sum of F_n nu <= 1.
    """
    AT, q, z = work.AT, work.q, work.z
    out[:] = 0.0
    n, load, unit = _reduce(F, k, p, mu, lam, work)
    lost = math.sqrt(dot(work.residual, work.residual, p))
    if n == 0:
        work.steps, work.error = 0, 0.0
        return -lost / unit if lost > 0.0 else 0.0
    AT[:, 0] = 0.0
    m, lines = 1, 1
    for cones in (False, True):
        lines = m if cones else lines
        for row in range(3 * k):
            if (mu[row // 3] > 0.0) == cones and (cones or row % 3 == 0):
                part = (mu[row // 3] if row % 3 > 0 else 1.0) / unit
                for j in range(n):
                    AT[j, m] = part * dot(F[row], work.QR[j], p)
                    AT[j, 0] -= AT[j, m] if row % 3 == 0 else 0.0
                m += 1
    for j in range(n):
        q[j] = q[j] / load + MOST * AT[j, 0]
    work.P[:] = 0.0
    work.g[:] = 0.0
    work.g[0] = 1.0
    solve_cone_program(work, m, n, lines)
    s, force, m = MOST - z[0], load / unit, 1
    for cones in (False, True):
        for row in range(3 * k):
            if (mu[row // 3] > 0.0) == cones and (cones or row % 3 == 0):
                out[row] = force * (mu[row // 3] * z[m] if row % 3 > 0 else z[m] + s)
                m += 1
    return min(force * s, -lost / unit) if lost > LEFT * load else force * s


@kernel
def motion_at_limit(k, mu, out, work):
    """``out`` (3k,) = F nu of the program solved last: the virtual motion in which contacts reach their limit, of any size."""
    m = 1
    out[:] = 0.0
    for cones in (False, True):
        for row in range(3 * k):
            if (mu[row // 3] > 0.0) == cones and (cones or row % 3 == 0):
                out[row] = work.s[m] / (mu[row // 3] if row % 3 > 0 else 1.0)
                m += 1


@kernel
def _reduce(F, k, p, mu, lam, work):
    """The load r = F^T lam in an orthonormal basis of the rows that carry it: ``q``; what is outside: ``residual``.

    Returns the number of rows in the basis, which stands in ``QR``, 0 where there is no load; |r|; length of the
    longest rows of a contact.
    """
    rows, r, longest, total, count = work.AT, work.residual, 0.0, 0.0, 0
    r[:] = 0.0
    for i in range(k):
        square = 0.0
        for row in range(3 * i, 3 * i + 3):
            carries = mu[i] > 0.0 or row == 3 * i
            for j in range(p):
                r[j] += lam[row] * F[row, j]
                rows[count, j] = F[row, j]
            count += 1 if carries else 0
            square += dot(F[row], F[row], p)
            total += abs(lam[row]) * math.sqrt(dot(F[row], F[row], p))
        longest = max(longest, math.sqrt(square))
    load = math.sqrt(dot(r, r, p))
    if load <= ROUNDING * total:
        r[:] = 0.0
        return 0, 0.0, longest
    n = find_row_basis(rows, count, p, DEPENDENT_ROW, work.QR)
    for j in range(n):
        work.q[j] = subtract_part(r, work.QR[j], p)
    return n, load, longest
