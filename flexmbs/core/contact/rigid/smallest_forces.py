"""The smallest forces among those of redundant contacts: W is singular, y and the modes are what they are."""

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, differentiate_conditions
from flexmbs.core.contact.rigid.contact_newton import iterate
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.machine_code.kernel import kernel

SOFTNESS = 1e-3  # large, so that rounding, of 1e-16 / SOFTNESS, is small
REFINEMENTS = 12
DIFFERENT = 1e-13  # part of the forces
LARGER = 1.0 + 1e-9


@kernel
def find_smaller_forces(W, b, work, k, lam):
    """Replace ``lam`` by the solution nearest to the smallest one (Tikhonov) with the same contacts active.

    Earlier iterates, with other contacts active, may have left forces in lam that change no y. They are absent in the
    limit of (J + softness) x = J lam, where J is the derivative of the conditions at the solution.
    """
    n = 3 * k
    x, error = work.best_lam[:n], work.step[:n]
    apply_compliance(W, b, lam, work.y[:n])
    J, soft = work.softened[:n, :n], work.matrix[:n, :n]
    differentiate_conditions(W, work, k, lam, work.y, 0.0, J)
    differentiate_conditions(W, work, k, lam, work.y, SOFTNESS, soft)
    if not factorise(soft, work.pivots, 0.0):
        return
    x[:] = 0.0
    for _count in range(REFINEMENTS):
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += J[i, j] * (lam[j] - x[j])
            error[i] = total
        solve(soft, work.pivots, error)
        for i in range(n):
            x[i] += error[i]
    if _is_different(work, k, lam, x) and iterate(W, b, work, k, x):
        if _size(work, k, x) < LARGER * _size(work, k, lam):
            copy_vector(x, lam)


@kernel
def _is_different(work, k, lam, x):
    difference = 0.0
    for i in range(k):
        for row in range(3 * i, 3 * i + 3):
            difference += (x[row] - lam[row]) * (x[row] - lam[row]) / work.normal_step[i]
    return difference > DIFFERENT * DIFFERENT * _size(work, k, lam)


@kernel
def _size(work, k, lam):
    total = 0.0
    for i in range(k):
        for row in range(3 * i, 3 * i + 3):
            total += lam[row] * lam[row] / work.normal_step[i]
    return total
