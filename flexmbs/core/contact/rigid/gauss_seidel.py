"""Projected Gauss-Seidel sweeps over contacts (Jean 1999; Acary and Brogliato 2008, 13.7): a start for Newton's method."""

from __future__ import annotations

import math

from flexmbs.machine_code.kernel import kernel

TOO_LARGE = 1e100


@kernel
def sweep(W, b, work, k, lam, sweeps):
    """Improve ``lam`` in place, contact after contact; False when it grows without bound."""
    for _count in range(sweeps):
        work.sweeps += 1
        for i in range(k):
            n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
            pressed = max(work.least[i], lam[n] - work.normal_step[i] * _row(W, b, lam, n))
            if not pressed < TOO_LARGE:
                return False
            lam[n] = pressed
            if work.sliding[i] == 1:
                lam[t] = -work.mu[i] * pressed * work.direction[i, 0]
                lam[u] = -work.mu[i] * pressed * work.direction[i, 1]
                continue
            s, radius = work.tangent_step[i], work.mu[i] * pressed
            p, q = lam[t] - s * _row(W, b, lam, t), lam[u] - s * _row(W, b, lam, u)
            size = math.sqrt(p * p + q * q)
            part = radius / size if size > radius else 1.0
            lam[t], lam[u] = part * p, part * q
    return True


@kernel
def _row(W, b, lam, row):
    total, line = b[row], W[row]
    for j in range(b.shape[0]):
        total += line[j] * lam[j]
    return total
