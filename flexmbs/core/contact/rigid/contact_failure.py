"""Contact problems without a solution, or with several: which contact, and at which friction (Painleve 1895).

A contact that slides along d has y_n = (W_nn - mu W_nt . d) lam_n + b_n. Where the factor is not positive, nothing
holds the contact if b_n < 0, and it may be open as well as pressed if b_n >= 0.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, errors_of_conditions
from flexmbs.core.contact.rigid.contact_newton import iterate
from flexmbs.core.contact.rigid.contact_work import NO_SOLUTION, NOT_CONVERGED, PAINLEVE
from flexmbs.core.contact.rigid.lemke_method import start_by_lemke
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.machine_code.kernel import kernel

HALVINGS = 45
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
def name_failure(W, b, work, k, proof):
    """Status of a problem without solution; ``proof``: Lemke's method ended in a ray and named the contact."""
    n = 3 * k
    lam = work.best_lam[:n]
    lam[:] = 0.0
    size = apply_compliance(W, b, lam, work.y[:n])
    _total, largest = errors_of_conditions(work, k, lam, work.y, work.F)
    work.error = largest / size if size > 0.0 else 0.0
    if not proof or work.contact < 0:
        work.contact = _contact_with_largest_error(work, k)
        return NOT_CONVERGED
    contact = work.contact
    painleve, slides = _friction_is_to_blame(W, b, work, k, contact), False
    for i in range(k):
        slides = slides or work.sliding[i] == 1
    work.contact = contact
    if not painleve:
        return NO_SOLUTION
    return PAINLEVE if slides else NOT_CONVERGED  # where all may stick, a ray is no proof


@kernel
def _contact_with_largest_error(work, k):
    worst = 0
    for row in range(3 * k):
        worst = row if abs(work.F[row]) > abs(work.F[worst]) else worst
    return worst // 3


@kernel
def _friction_is_to_blame(W, b, work, k, contact):
    """Whether there is a solution without friction; then the friction of the contact at which none is left."""
    lam, kept = work.best_lam[: 3 * k], work.mu[contact]
    if k == 1 and work.sliding[0] == 1:
        _factor, work.critical_friction = slide_factor(W, work, 0)
        return work.critical_friction <= kept
    all_mu = work.all_mu[:k]
    copy_vector(work.mu, all_mu)
    low, high = 0.0, 1.0
    work.mu[:] = 0.0
    possible = start_by_lemke(W, b, work, k, lam)
    for _halving in range(HALVINGS if possible else 0):
        middle = 0.5 * (low + high)
        for i in range(k):
            work.mu[i] = middle * all_mu[i]
        if start_by_lemke(W, b, work, k, lam):
            low = middle
        else:
            high = middle
    copy_vector(all_mu, work.mu)
    work.critical_friction = high * kept
    return possible
