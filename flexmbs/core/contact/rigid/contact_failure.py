"""Contact problems without a solution, or with several: which contact, and at which friction (Painleve 1895).

A contact that slides along d has y_n = (W_nn - mu W_nt . d) lam_n + b_n. Where the factor is not positive, nothing
holds the contact if b_n < 0, and it may be open as well as pressed if b_n >= 0.
"""

import math

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance
from flexmbs.core.contact.rigid.contact_newton import find_error, iterate
from flexmbs.core.contact.rigid.contact_work import NO_SOLUTION, NOT_CONVERGED, PAINLEVE
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.machine_code.kernel import kernel

DIFFERENT = 1e-8  # of y, relative: another solution


@kernel
def slide_factor(W, work, i):
    """Of a sliding contact dy_n / dlam_n, and the friction at which it vanishes (infinite: at none)."""
    n = 3 * i
    along = W[n, n + 1] * work.direction[i, 0] + W[n, n + 2] * work.direction[i, 1]
    return W[n, n] - work.mu[i] * along, W[n, n] / along if along > 0.0 else math.inf


@kernel
def is_ambiguous(W, b, work, k, lam):
    """Whether another solution is found by opening or pressing a sliding contact whose factor is not positive."""
    n = 3 * k
    other = work.best_lam[:n]
    error = work.error
    for i in range(k):
        if work.sliding[i] == 0:
            continue
        factor, critical = slide_factor(W, work, i)
        if factor > 0.0:
            continue
        size = apply_compliance(W, b, lam, work.y[:n])
        rate = work.y[3 * i]
        copy_vector(lam, other)
        normal = 0.0 if lam[3 * i] > 0.0 else -rate / factor if factor < 0.0 else 1e9 * rate * work.normal_step[i]
        other[3 * i] = normal
        other[3 * i + 1] = -work.mu[i] * normal * work.direction[i, 0]
        other[3 * i + 2] = -work.mu[i] * normal * work.direction[i, 1]
        found = iterate(W, b, work, k, other)
        different = abs(work.y[3 * i] - rate) > DIFFERENT * size
        apply_compliance(W, b, lam, work.y[:n])
        work.error = error
        if found and different:
            work.contact, work.critical_friction = i, critical
            return True
    return False


@kernel
def name_failure(W, b, work, k, lam, part):
    """Status of a problem without solution that has one with a ``part`` of the friction only (negative: with none).

    ``lam``, in: the forces there, out: zero.
    """
    worst, slides = 0, False
    for i in range(k):
        worst = i if lam[3 * i] / work.normal_step[i] > lam[3 * worst] / work.normal_step[worst] else worst
        slides = slides or work.sliding[i] == 1
    work.contact, work.critical_friction = worst, part * work.mu[worst]
    if k == 1 and slides:
        _factor, work.critical_friction = slide_factor(W, work, 0)
    lam[:] = 0.0
    find_error(W, b, work, k, lam)
    if part < 0.0:
        return NO_SOLUTION
    return PAINLEVE if slides else NOT_CONVERGED  # where all may stick there is a solution
