"""The contact problem: forces, open and closed, sliding and sticking contacts of one instant.

    y = W lam + b,    of each contact (n, t1, t2):    y_n >= 0, lam_n >= l, y_n (lam_n - l) = 0,
    |lam_t| <= mu lam_n,   y_t = -s lam_t with s >= 0, and s = 0 inside the cone;   or, sliding:   lam_t = -mu lam_n d

with y accelerations and lam forces, or velocities and impulses. W = G M^-1 G^T is symmetric, perhaps singular.

Newton's method from lam = 0 solves nearly all problems. Where it fails, mostly with redundant contacts, it starts again
from inner points, then after sweeps of Gauss and Seidel, from the given guess, and from the solution of Lemke's method
with pyramids for cones (docs/contact_dynamics.md).
"""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, errors_of_conditions, set_steps
from flexmbs.core.contact.rigid.contact_failure import is_ambiguous, name_failure
from flexmbs.core.contact.rigid.contact_newton import iterate
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, OPEN, RESTING, SLIDING, SOLVED, STICKING, ContactWork
from flexmbs.core.contact.rigid.gauss_seidel import sweep
from flexmbs.core.contact.rigid.interior_points import iterate_interior_points
from flexmbs.core.contact.rigid.lemke_method import start_by_lemke
from flexmbs.core.contact.rigid.smallest_forces import find_smaller_forces
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

SWEEPS = (20, 200)
ROUGH, ROUGH_SWEEPS = 1e-7, 5000  # errors, relative as ``ContactWork.error``, that are accepted in the last resort
ZERO = 1e-12  # of y and of forces, relative: what is smaller is zero up to rounding


@entry
def solve_contacts(
    W: Floats2, b: Floats, mu: Floats, sliding: Integers, direction: Floats2, lam: Floats, mode: Integers, work: ContactWork
) -> int:
    """Solve the contact problem of k contacts; returns the status.

    Parameters
    ----------
    W : (3k, 3k), b : (3k,)
    mu : (k,), coefficients of friction
    sliding : (k,), 1: the contact slides along its ``direction``, (k, 2), a unit vector
    lam : (3k,), in: a guess, used where others do not lead to a solution; out: the forces
    mode : (k,), out: OPEN, SLIDING, STICKING or RESTING (closed, without force)
    work : for at least k contacts; ``work.y`` is W lam + b, further results in :class:`ContactWork`

    Status: SOLVED; AMBIGUOUS: solved, but with ``work.contact``, which slides, open as well as pressed; PAINLEVE: there
    is no solution, since the friction of ``work.contact`` is at least ``work.critical_friction`` (of one contact
    W_nn / (W_nt . d); of several, with all coefficients in proportion); NO_SOLUTION: there is none without friction
    either; NOT_CONVERGED: none was found, the errors are largest at ``work.contact``. Without a solution lam is zero.
    """
    k = mu.shape[0]
    for i in range(k):
        work.mu[i], work.sliding[i], work.least[i] = mu[i], sliding[i], 0.0
        work.direction[i, 0], work.direction[i, 1] = direction[i, 0], direction[i, 1]
    return solve_conditions(W, b, work, k, lam, mode)


@entry
def solve_conditions(W: Floats2, b: Floats, work: ContactWork, k: int, lam: Floats, mode: Integers) -> int:
    """:func:`solve_contacts` with coefficients, least forces and directions that stand in ``work``."""
    work.contact, work.critical_friction, work.error = -1, 0.0, 0.0
    work.newton_steps, work.sweeps, work.lemke_steps = 0, 0, 0
    work.interior_points = 0
    set_steps(W, work, k)
    guess = work.given[: 3 * k]
    copy_vector(lam, guess)
    found, proof = _find_solution(W, b, work, k, lam, guess)
    if found:
        find_smaller_forces(W, b, work, k, lam)
        settle_modes(W, b, work, k, lam, mode)
        return AMBIGUOUS if is_ambiguous(W, b, work, k, lam) else SOLVED
    if not proof and roughly_solved(W, b, work, k, lam, mode):
        return SOLVED
    lam[:] = 0.0
    mode[:] = OPEN
    return name_failure(W, b, work, k, proof)


@kernel
def _find_solution(W, b, work, k, lam, guess):
    """Newton's method from one start after the other; (found, whether Lemke's method says that there is none)."""
    lam[:] = 0.0
    if iterate(W, b, work, k, lam):
        return True, False
    if iterate_interior_points(W, b, work, k, lam):
        return True, False
    lam[:] = 0.0
    for count in SWEEPS:
        if not sweep(W, b, work, k, lam, count):
            break
        kept = work.best_lam[: 3 * k]
        copy_vector(lam, kept)
        if iterate(W, b, work, k, lam):
            return True, False
        copy_vector(kept, lam)
    copy_vector(guess, lam)
    if iterate(W, b, work, k, lam):
        return True, False
    possible = start_by_lemke(W, b, work, k, lam)
    if possible:
        if iterate(W, b, work, k, lam):
            return True, False
        if start_by_lemke(W, b, work, k, lam) and sweep(W, b, work, k, lam, SWEEPS[1]):
            if iterate(W, b, work, k, lam):
                return True, False
    return False, not possible


@kernel
def roughly_solved(W, b, work, k, lam, mode):
    """What sweeps of Gauss and Seidel reach where nothing else does, if that is within ROUGH of the conditions."""
    lam[:] = 0.0
    if not sweep(W, b, work, k, lam, ROUGH_SWEEPS):
        return False
    settle_modes(W, b, work, k, lam, mode)
    return work.error <= ROUGH


@kernel
def settle_modes(W, b, work, k, lam, mode):
    """Modes of the contacts by the terms of the conditions that are active; open ones carry exactly nothing."""
    n = 3 * k
    y = work.y[:n]
    size = apply_compliance(W, b, lam, y)
    zero = ZERO * size
    for i in range(k):
        at = 3 * i
        r, s = work.normal_step[i], work.tangent_step[i]
        if lam[at] - r * y[at] <= work.least[i]:
            lam[at] = work.least[i]
        load = lam[at] - work.least[i]
        if load <= r * zero:
            mode[i] = RESTING if y[at] <= zero else OPEN
        elif work.sliding[i] == 1 or work.mu[i] == 0.0:
            mode[i] = SLIDING
        else:
            p, q = lam[at + 1] - s * y[at + 1], lam[at + 2] - s * y[at + 2]
            inside = math.sqrt(p * p + q * q) <= work.mu[i] * lam[at]
            slip = math.sqrt(y[at + 1] * y[at + 1] + y[at + 2] * y[at + 2])
            mode[i] = STICKING if inside or slip <= zero else SLIDING
        if lam[at] == 0.0:
            lam[at + 1], lam[at + 2] = 0.0, 0.0
        elif work.sliding[i] == 1:
            lam[at + 1] = -work.mu[i] * lam[at] * work.direction[i, 0]
            lam[at + 2] = -work.mu[i] * lam[at] * work.direction[i, 1]
    size = apply_compliance(W, b, lam, y)
    _total, largest = errors_of_conditions(work, k, lam, y, work.F)
    work.error = largest / size if size > 0.0 else 0.0
