"""The contact problem: forces, open and closed, sliding and sticking contacts of one instant.

    y = W lam + b,    of each contact (n, t1, t2):    y_n >= 0, lam_n >= l, y_n (lam_n - l) = 0,
    |lam_t| <= mu lam_n,   y_t = -s lam_t with s >= 0, and s = 0 inside the cone;   or, sliding:   lam_t = -mu lam_n d

with y accelerations and lam forces, or velocities and impulses. W = G M^-1 G^T is symmetric, perhaps singular.

Newton's method from lam = 0 solves nearly all problems. Where it fails, mostly with redundant contacts, it starts again
from the solutions of problems with given friction (docs/contact_dynamics.md).
"""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, set_steps
from flexmbs.core.contact.rigid.contact_failure import is_ambiguous, name_failure
from flexmbs.core.contact.rigid.contact_newton import find_error, iterate
from flexmbs.core.contact.rigid.contact_work import AMBIGUOUS, OPEN, RESTING, SLIDING, SOLVED, STICKING, ContactWork
from flexmbs.core.contact.rigid.given_friction import iterate_given_friction
from flexmbs.core.contact.rigid.smallest_forces import find_smaller_forces
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats, Floats2, Integers

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
    lam : (3k,), out: the forces
    mode : (k,), out: OPEN, SLIDING, STICKING or RESTING (closed, without force)
    work : for at least k contacts; ``work.y`` is W lam + b, further results in :class:`ContactWork`

    Status: SOLVED; AMBIGUOUS: solved, but with ``work.contact``, which slides, open as well as pressed; PAINLEVE: there
    is no solution, since the friction of ``work.contact`` is at least ``work.critical_friction`` (of one contact
    W_nn / (W_nt . d); of several, with all coefficients in proportion); NO_SOLUTION: there is none without friction
    either; NOT_CONVERGED: none was found, the errors are largest at ``work.contact``. Without a solution lam is zero.
    """
    k = mu.shape[0]
    work.least_size = 0.0
    for i in range(k):
        work.mu[i], work.sliding[i], work.least[i] = mu[i], sliding[i], 0.0
        work.direction[i, 0], work.direction[i, 1] = direction[i, 0], direction[i, 1]
    return solve_conditions(W, b, work, k, lam, mode)


@entry
def solve_conditions(W: Floats2, b: Floats, work: ContactWork, k: int, lam: Floats, mode: Integers) -> int:
    """:func:`solve_contacts` with coefficients, least forces and directions that stand in ``work``."""
    work.contact, work.critical_friction, work.error = -1, 0.0, 0.0
    work.newton_steps = work.rounds = work.parts_of_friction = 0
    set_steps(W, work, k)
    lam[:] = 0.0
    part = 1.0 if iterate(W, b, work, k, lam) else iterate_given_friction(W, b, work, k, lam)
    if part == 1.0:
        find_smaller_forces(W, b, work, k, lam)
        settle_modes(W, b, work, k, lam, mode)
        return AMBIGUOUS if is_ambiguous(W, b, work, k, lam) else SOLVED
    mode[:] = OPEN
    return name_failure(W, b, work, k, lam, part)


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
    find_error(W, b, work, k, lam)
