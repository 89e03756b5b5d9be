"""Gauss-Seidel sweeps over contacts (Jean 1999; Acary and Brogliato 2008, 13.7): a start for Newton's method."""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.single_contact import solve_single
from flexmbs.machine_code.kernel import kernel

TOO_LARGE = 1e100


@kernel
def sweep(W, b, work, k, lam, sweeps):
    """Solve contact after contact, ``sweeps`` times, in place; False when a force grows without bound."""
    for _count in range(sweeps):
        work.sweeps += 1
        for i in range(k):
            n = 3 * i
            qn, q1, q2 = _without(W, b, lam, n, n), _without(W, b, lam, n + 1, n), _without(W, b, lam, n + 2, n)
            if work.sliding[i] == 1:
                _slide(W, work, i, qn, lam)
                continue
            r, s = work.normal_step[i], work.tangent_step[i]
            found, fn, f1, f2 = solve_single(W, n, qn, q1, q2, work.least[i], work.mu[i], r, s)
            if found:
                lam[n], lam[n + 1], lam[n + 2] = fn, f1, f2
            else:
                _project(W, work, i, qn, q1, q2, lam)
            if not abs(lam[n]) < TOO_LARGE:
                return False
    return True


@kernel
def _slide(W, work, i, qn, lam):
    n, mu = 3 * i, work.mu[i]
    slope = W[n, n] - mu * (W[n, n + 1] * work.direction[i, 0] + W[n, n + 2] * work.direction[i, 1])
    step = 1.0 / slope if slope > 1e-12 * W[n, n] else work.normal_step[i]
    lam[n] = max(work.least[i], -qn * step)
    lam[n + 1], lam[n + 2] = -mu * lam[n] * work.direction[i, 0], -mu * lam[n] * work.direction[i, 1]


@kernel
def _project(W, work, i, qn, q1, q2, lam):
    """A projected step where the contact alone has no solution."""
    n, r, s = 3 * i, work.normal_step[i], work.tangent_step[i]
    p, q, fn = lam[n + 1], lam[n + 2], lam[n]
    fn = max(work.least[i], -r * (qn + W[n, n + 1] * p + W[n, n + 2] * q))
    y1 = q1 + W[n + 1, n] * fn + W[n + 1, n + 1] * p + W[n + 1, n + 2] * q
    y2 = q2 + W[n + 2, n] * fn + W[n + 2, n + 1] * p + W[n + 2, n + 2] * q
    p, q = p - s * y1, q - s * y2
    size, radius = math.sqrt(p * p + q * q), work.mu[i] * fn
    part = radius / size if size > radius else 1.0
    lam[n], lam[n + 1], lam[n + 2] = fn, part * p, part * q


@kernel
def _without(W, b, lam, row, at):
    """W lam + b in a row, without the force of the contact whose rows begin at ``at``."""
    total, line = b[row], W[row]
    for j in range(at):
        total += line[j] * lam[j]
    for j in range(at + 3, b.shape[0]):
        total += line[j] * lam[j]
    return total
