"""An interior-point method for contacts: a start for Newton's method where contacts are redundant.

With slacks p = y_n and s >= 0, z = lam_n - l and g = (mu lam_n)^2 - |lam_t|^2 it follows

    y_n = p,   p z = tau,      y_t + s lam_t = 0,   s g = tau

as tau goes to zero, by Newton steps that stay inside (the complementarity of Acary and Brogliato 2008, 3.9; steps as in
Wright 1997). Of the many forces that redundant contacts may have these stay away from the edges of their cones, so that
Newton's method knows which stick.
"""

from __future__ import annotations

import math

from flexmbs.core.contact.rigid.contact_conditions import apply_compliance, errors_of_conditions
from flexmbs.core.contact.rigid.contact_newton import ACCURACY, iterate
from flexmbs.core.contact.rigid.contact_work import FREE, OPEN, SLIDING, STICKING
from flexmbs.core.linalg.copying import copy_vector
from flexmbs.core.linalg.dense_lu import factorise, solve
from flexmbs.machine_code.kernel import kernel

STEPS = 120
STAY = 0.99  # part of the way to the edge
TRY, AGAIN = 1e-5, 1e-2  # Newton's method is tried when tau has fallen so far, and after each further such fall
END = 1e-15
SOFTNESS = 1e-12
# Size of the first forces and slacks, least part of tau that is kept, s g as a part of p z
STARTS = ((1.0, 0.0, 1.0), (10.0, 0.2, 0.01), (10.0, 0.2, 100.0), (100.0, 0.4, 1e-3), (100.0, 0.4, 0.1), (100.0, 0.4, 10.0))
SHORT = 1e-3  # part of a step
CLEAR, NEAR = 100.0, 1e-3  # how much larger one of slip and distance to the cone is, if the mode is clear


@kernel
def iterate_interior_points(W, b, work, k, lam):
    """Overwrite ``lam`` by a solution; whether one was found. Where steps get stuck, again from further inside."""
    for start, centring, weight in STARTS:
        if _follow_path(W, b, work, k, lam, start, centring, weight):
            return True
    return False


@kernel
def _follow_path(W, b, work, k, lam, start, least_centring, weight):
    n = 3 * k
    _begin(b, work, k, start, weight, lam)
    first, limit, length, stuck = 0.0, TRY, 1.0, 0
    inner = work.anchor[:n]
    for step in range(STEPS):
        apply_compliance(W, b, lam, work.y[:n])
        gap = _mean_complementarity(work, k, lam, weight)
        first = gap if step == 0 else first
        stuck = stuck + 1 if length < SHORT else 0
        if not gap < 1e12 * first or stuck > 3:
            return False
        if gap <= limit * first or step == STEPS - 1:
            limit = AGAIN * gap / first
            copy_vector(lam, inner)
            if iterate(W, b, work, k, lam) or _cross_over(W, b, work, k, lam, inner):
                return True
            copy_vector(inner, lam)
            apply_compliance(W, b, lam, work.y[:n])
            if gap <= END * first:
                return False
        centring = 0.1 if length > 0.8 else (0.3 if length > 0.3 else (0.7 if length > 0.05 else 2.0))
        work.interior_points += 1
        tau = max(centring, least_centring) * gap
        if not _find_step(W, work, k, lam, tau, weight):
            return False
        length = _step_inside(work, k, lam, tau, weight)
    return False


@kernel
def _has_cone(work, i):
    return work.sliding[i] == 0 and work.mu[i] > 0.0


@kernel
def _begin(b, work, k, start, weight, lam):
    """Forces inside their cones and slacks, of the size of the problem."""
    size = 0.0
    for row in range(3 * k):
        size = max(size, abs(b[row]))
    size = start * size if size > 0.0 else 1.0
    lam[:] = 0.0
    for i in range(k):
        lam[3 * i] = work.least[i] + size * work.normal_step[i]
        work.normal_slack[i] = size
        work.slip_slack[i] = weight / work.tangent_step[i]
        if work.sliding[i] == 1:
            lam[3 * i + 1] = -work.mu[i] * lam[3 * i] * work.direction[i, 0]
            lam[3 * i + 2] = -work.mu[i] * lam[3 * i] * work.direction[i, 1]


@kernel
def _inside(work, i, lam):
    """z and g of a contact."""
    n = 3 * i
    z, radius = lam[n] - work.least[i], work.mu[i] * lam[n]
    return z, radius * radius - lam[n + 1] * lam[n + 1] - lam[n + 2] * lam[n + 2]


@kernel
def _mean_complementarity(work, k, lam, weight):
    total, count = 0.0, 0
    for i in range(k):
        z, g = _inside(work, i, lam)
        total += work.normal_slack[i] * z
        count += 1
        if _has_cone(work, i):
            total += work.slip_slack[i] * g / weight
            count += 1
    return total / count


@kernel
def _cross_over(W, b, work, k, lam, inner):
    """Newton's method with the modes that the inner point suggests, also of contacts that stick at their limit.

    Those are counted first as slipping, then as sticking.
    """
    n = 3 * k
    for mode in (SLIDING, STICKING):
        copy_vector(inner, lam)
        apply_compliance(W, b, lam, work.y[:n])
        for i in range(k):
            work.frozen[i] = _suggested_mode(work, i, lam, mode)
        found = iterate(W, b, work, k, lam)
        for i in range(k):
            work.frozen[i] = FREE
        if found:
            size = apply_compliance(W, b, lam, work.y[:n])
            _total, largest = errors_of_conditions(work, k, lam, work.y, work.F)
            if largest <= ACCURACY * size:
                return True
    return False


@kernel
def _suggested_mode(work, i, lam, undecided):
    n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
    if lam[n] - work.least[i] <= work.normal_step[i] * work.y[n]:
        return OPEN
    if not _has_cone(work, i):
        return SLIDING
    slip = work.tangent_step[i] * math.sqrt(work.y[t] * work.y[t] + work.y[u] * work.y[u])
    left = work.mu[i] * lam[n] - math.sqrt(lam[t] * lam[t] + lam[u] * lam[u])
    if left > CLEAR * slip and left > NEAR * work.mu[i] * lam[n]:
        return STICKING
    return SLIDING if slip > CLEAR * left else undecided


@kernel
def _find_step(W, work, k, lam, tau, weight):
    n_rows = 3 * k
    J, step = work.matrix[:n_rows, :n_rows], work.step[:n_rows]
    for i in range(k):
        n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
        mu, r = work.mu[i], work.tangent_step[i]
        z, g = _inside(work, i, lam)
        J[n : n + 3, :] = 0.0
        copy_vector(W[n], J[n])
        J[n, n] += work.normal_slack[i] / z + SOFTNESS / work.normal_step[i]
        step[n] = tau / z - work.y[n]
        if not _has_cone(work, i):
            d, e = (work.direction[i, 0], work.direction[i, 1]) if work.sliding[i] == 1 else (0.0, 0.0)
            J[t, t], J[u, u] = 1.0 / r, 1.0 / r
            J[t, n], J[u, n] = mu * d / r, mu * e / r
            step[t], step[u] = -(lam[t] + mu * lam[n] * d) / r, -(lam[u] + mu * lam[n] * e) / r
            continue
        copy_vector(W[t], J[t])
        copy_vector(W[u], J[u])
        s, p, q = work.slip_slack[i], lam[t], lam[u]
        part = 2.0 * s / g
        J[t, t] += s + part * p * p + SOFTNESS / r
        J[t, u] += part * p * q
        J[u, t] += part * p * q
        J[u, u] += s + part * q * q + SOFTNESS / r
        J[t, n] -= part * mu * mu * lam[n] * p
        J[u, n] -= part * mu * mu * lam[n] * q
        step[t] = -work.y[t] - p * weight * tau / g
        step[u] = -work.y[u] - q * weight * tau / g
    if not factorise(J, work.pivots, 0.0):
        return False
    solve(J, work.pivots, step)
    return True


@kernel
def _step_inside(work, k, lam, tau, weight):
    """Move forces and slacks as far as they stay inside, at most by the whole step; returns the part of it."""
    length, step = 1.0, work.step
    for i in range(k):
        n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
        z, g = _inside(work, i, lam)
        p, s = work.normal_slack[i], work.slip_slack[i]
        dp = tau / z - p - p / z * step[n]
        length = min(length, _part_to_zero(z, step[n]), _part_to_zero(p, dp))
        if _has_cone(work, i):
            mu2 = work.mu[i] * work.mu[i]
            dg = 2.0 * (mu2 * lam[n] * step[n] - lam[t] * step[t] - lam[u] * step[u])
            bend = mu2 * step[n] * step[n] - step[t] * step[t] - step[u] * step[u]
            ds = weight * tau / g - s - s / g * dg
            length = min(length, _part_to_zero(s, ds), _part_to_root(g, dg, bend))
    for i in range(k):
        n, t, u = 3 * i, 3 * i + 1, 3 * i + 2
        z, g = _inside(work, i, lam)
        p, s = work.normal_slack[i], work.slip_slack[i]
        work.normal_slack[i] += length * (tau / z - p - p / z * step[n])
        if _has_cone(work, i):
            dg = 2.0 * (work.mu[i] * work.mu[i] * lam[n] * step[n] - lam[t] * step[t] - lam[u] * step[u])
            work.slip_slack[i] += length * (weight * tau / g - s - s / g * dg)
    for row in range(3 * k):
        lam[row] += length * step[row]
    return length


@kernel
def _part_to_zero(value, change):
    return STAY * value / -change if change < -STAY * value else 1.0


@kernel
def _part_to_root(value, slope, bend):
    """STAY of the least positive x with value + slope x + bend x^2 = 0; at most 1."""
    discriminant = slope * slope - 4.0 * bend * value
    if discriminant < 0.0:
        return 1.0
    root = math.sqrt(discriminant)
    below = -slope + root if slope < 0.0 else -slope - root  # 2 value / below is the root that rounding spares
    first = 2.0 * value / below if below != 0.0 else math.inf
    second = below / (2.0 * bend) if bend != 0.0 else math.inf
    least = min(first if first > 0.0 else math.inf, second if second > 0.0 else math.inf)
    return min(1.0, STAY * least)
