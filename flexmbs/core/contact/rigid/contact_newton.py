"""Semismooth Newton iteration for the conditions of contacts (Alart and Curnier 1991), safeguarded by a line search.

W may be singular (more contacts than the bodies can tell apart). In the derivative, not in the conditions, a small part
of its diagonal is added to it: steps are then those of an iteration of proximal points, and from lam = 0 they lead
close to the smallest of all solutions (Tikhonov). The part shrinks where it slows the iteration.
"""

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, differentiate_conditions, errors_of_conditions
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.machine_code.kernel import kernel

SOFTNESS, LEAST_SOFTNESS = 1e-6, 1e-14  # relative to the diagonal of W
SLOW = 0.03  # the errors fall by less than this: less softness
STEPS, HALVINGS = 60, 8
ACCURACY = 1e-13  # of y, relative to the largest sum of magnitudes in W lam + b
ROUNDING = 1e-15  # at which the iteration ends; more steps only shake what W cannot see


@kernel
def iterate(W, b, work, k, lam):
    """Solve F(lam) = 0 from the given ``lam``; returns whether the errors are within ``ACCURACY``."""
    n = 3 * k
    y, F = work.y[:n], work.off[:n]
    softness, opened = SOFTNESS, 0
    size = max(apply_compliance(W, b, lam, y), work.least_size)
    total, largest = errors_of_conditions(work, k, lam, y, F)
    work.error = largest / size if size > 0.0 else min(largest, 1.0)  # b = 0: least forces may still be missing
    for _step in range(STEPS):
        if not largest > ROUNDING * size:
            return True
        before = work.error
        work.newton_steps += 1
        if not _find_step(W, work, k, lam, softness):
            return before <= ACCURACY
        found, fallen = _search(W, b, work, k, lam, total)
        if not found:
            if before <= ACCURACY or opened == k or not _open(work, k, lam):
                return before <= ACCURACY
            opened, fallen = opened + 1, 1.0
        size = max(apply_compliance(W, b, lam, y), work.least_size)
        total, largest = errors_of_conditions(work, k, lam, y, F)
        work.error = largest / size
        if before <= ACCURACY and work.error > 0.3 * before:
            return True
        if fallen > SLOW * SLOW:
            softness = max(0.01 * softness, LEAST_SOFTNESS)
    return work.error <= ACCURACY


@kernel
def _open(work, k, lam):
    """Move ``lam`` by the whole step, but open contacts that would pull then; whether there are any.

    Where two contacts are nearly in one place every shorter step that opens one has larger errors than where it begins.
    """
    some = False
    for i in range(k):
        least, after = work.least[i], lam[3 * i] + work.step[3 * i]
        some = some or lam[3 * i] > least and after < least
        for row in range(3 * i, 3 * i + 3):
            lam[row] = (least if row == 3 * i else 0.0) if after < least else lam[row] + work.step[row]
    return some


@kernel
def find_error(W, b, work, k, lam):
    """y, and the largest error of the conditions, relative to the largest sum of magnitudes in it, ``work.error``."""
    size = max(apply_compliance(W, b, lam, work.y), work.least_size)
    _total, largest = errors_of_conditions(work, k, lam, work.y, work.off)
    work.error = largest / size if size > 0.0 else 0.0
    return work.error


@kernel
def _find_step(W, work, k, lam, softness):
    n = 3 * k
    J = work.matrix[:n, :n]
    differentiate_conditions(W, work, k, lam, work.y, softness, J)
    if not factorise(J, work.pivots, 0.0):
        return False
    step = work.step[:n]
    for row in range(n):
        step[row] = -work.off[row]
    solve(J, work.pivots, step)
    return True


@kernel
def _search(W, b, work, k, lam, total):
    """Shorten the step until the errors fall; ``lam`` is moved. Returns (found, part of the squares that is left)."""
    n = 3 * k
    trial, part = work.trial_lam[:n], 1.0
    for _halving in range(HALVINGS):
        for row in range(n):
            trial[row] = lam[row] + part * work.step[row]
        apply_compliance(W, b, trial, work.trial_y[:n])
        left, _largest = errors_of_conditions(work, k, trial, work.trial_y, work.trial_off)
        if left <= (1.0 - 1e-3 * part) * total:
            copy_vector(trial, lam)
            return True, left / total
        part *= 0.5
    return False, 1.0
