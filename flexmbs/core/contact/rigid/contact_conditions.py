"""Conditions of contacts with Coulomb friction as equations F = 0, and their derivative.

With y = W lam + b and for each contact (n, t1, t2) steps r_n, r_t > 0, a least normal force l (0 but in the expansion
phase of an impact), and the disc D(c) of radius c (Alart and Curnier 1991):

    r_n F_n = lam_n - max(l, lam_n - r_n y_n)
    r_t F_t = lam_t - P(lam_t - r_t y_t)     P: projection on D(mu max(l, lam_n - r_n y_n))
    r_t F_t = lam_t + mu lam_n d             of a contact that slides along d

r_n = 1 / W_nn, and 1 / r_t is the larger eigenvalue of W_tt. F has
the unit of y.
"""

import math

from flexmbs.core.linalg.copying import copy_vector
from flexmbs.machine_code.kernel import kernel


@kernel
def set_steps(W, work, k):
    """Steps r_n and r_t of the contacts."""
    largest = 0.0
    for row in range(3 * k):
        largest = max(largest, W[row, row])
    if not largest > 0.0:
        largest = 1.0
    for i in range(k):
        n, t = 3 * i, 3 * i + 1
        mean, half = 0.5 * (W[t, t] + W[t + 1, t + 1]), 0.5 * (W[t, t] - W[t + 1, t + 1])
        across = 0.5 * (W[t, t + 1] + W[t + 1, t])  # rounding may leave W a little asymmetric
        tangent = mean + math.sqrt(half * half + across * across)
        least = 1e-12 * largest
        work.normal_step[i] = 1.0 / (W[n, n] if W[n, n] > least else largest)
        work.tangent_step[i] = 1.0 / (tangent if tangent > least else largest)


@kernel
def apply_compliance(W, b, lam, y):
    """y = W lam + b; returns the largest sum of magnitudes in a row."""
    largest = 0.0
    for i in range(b.shape[0]):
        total, size, row = b[i], abs(b[i]), W[i]
        for j in range(b.shape[0]):
            term = row[j] * lam[j]
            total += term
            size += abs(term)
        y[i] = total
        largest = max(largest, size)
    return largest


@kernel
def errors_of_conditions(work, k, lam, y, F):
    """F at a force ``lam``; returns its sum of squares and its largest entry."""
    total, largest = 0.0, 0.0
    for i in range(k):
        n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
        r, s = work.normal_step[i], work.tangent_step[i]
        closed = lam[n] - r * y[n] > work.least[i]
        pressed = lam[n] - r * y[n] if closed else work.least[i]
        F[n] = y[n] if closed else (lam[n] - work.least[i]) / r
        if work.sliding[i] == 1:
            F[t] = (lam[t] + work.mu[i] * lam[n] * work.direction[i, 0]) / s
            F[u] = (lam[u] + work.mu[i] * lam[n] * work.direction[i, 1]) / s
        else:
            radius = work.mu[i] * pressed
            p, q = lam[t] - s * y[t], lam[u] - s * y[u]
            size = math.sqrt(p * p + q * q)
            if size <= radius or size == 0.0:
                F[t], F[u] = y[t], y[u]
            else:
                F[t], F[u] = (lam[t] - radius * p / size) / s, (lam[u] - radius * q / size) / s
        for row in range(n, n + 3):
            total += F[row] * F[row]
            if not abs(F[row]) <= largest:
                largest = abs(F[row])
    return total, largest


@kernel
def differentiate_conditions(W, work, k, lam, y, softness, J):
    """J = dF / dlam, of W with ``softness`` times 1 / r added to its diagonal."""
    for i in range(k):
        n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
        r, s = work.normal_step[i], work.tangent_step[i]
        J[n : n + 3, :] = 0.0
        closed = lam[n] - r * y[n] > work.least[i]
        if closed:
            copy_vector(W[n], J[n])
            J[n, n] += softness / r
        else:
            J[n, n] = 1.0 / r
        if work.sliding[i] == 1:
            J[t, t], J[u, u] = 1.0 / s, 1.0 / s
            J[t, n] = work.mu[i] * work.direction[i, 0] / s
            J[u, n] = work.mu[i] * work.direction[i, 1] / s
            continue
        radius = work.mu[i] * (lam[n] - r * y[n] if closed else work.least[i])
        p, q = lam[t] - s * y[t], lam[u] - s * y[u]
        size = math.sqrt(p * p + q * q)
        if size <= radius or size == 0.0:
            copy_vector(W[t], J[t])
            copy_vector(W[u], J[u])
            J[t, t] += softness / s
            J[u, u] += softness / s
            continue
        _differentiate_slip(W, work, i, closed, radius, size, p / size, q / size, softness, J)


@kernel
def _differentiate_slip(W, work, i, closed, radius, size, p, q, softness, J):
    """Rows of a contact on its cone, whose trial force has the direction (p, q)."""
    n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
    r, s, mu = work.normal_step[i], work.tangent_step[i], work.mu[i]
    part = radius / size
    pp, pq, qq = part * q * q, -part * p * q, part * p * p  # radius / size times what is across (p, q)
    for j in range(J.shape[1]):
        J[t, j] = pp * W[t, j] + pq * W[u, j]
        J[u, j] = pq * W[t, j] + qq * W[u, j]
        if closed:
            J[t, j] += mu * p * r / s * W[n, j]
            J[u, j] += mu * q * r / s * W[n, j]
    kept = (1.0 - softness) / s
    J[t, t] += 1.0 / s - kept * pp
    J[t, u] -= kept * pq
    J[u, t] -= kept * pq
    J[u, u] += 1.0 / s - kept * qq
    if closed:
        J[t, n] -= mu * p * (1.0 - softness) / s
        J[u, n] -= mu * q * (1.0 - softness) / s
