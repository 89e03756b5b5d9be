"""Points of splines: curves of one parameter and surfaces of two, with their derivatives.

A curve in ``pool``, from ``at`` on (``mechanism.geometry.curves.Curve.pool_values``; n intervals, polynomials of degree 5):

    0            n
    1, 2         parameter (arc length, m) at the start and at the end; of a closed curve their difference is the period
    3            1 when closed, else 0
    4            width of the intervals when all are equal, else 0 (then the interval is searched by halving)
    5, 6, 7      direction "up" of the frame that follows the curve (see ``core.mechanics.curve_axes``)
    8 ...        n + 1 parameters where intervals begin and end
    9 + n ...    18 per interval: six coefficients of x, of y, of z; powers 0 to 5 of (s - start of the interval)

A surface (``mechanism.geometry.surfaces.Surface.pool_values``; m times n patches, degree 5 in both directions):

    0, 1         m, n
    2, 3         u at the start and at the end
    4, 5         v at the start and at the end
    6, 7         1 when closed in u, in v
    8, 9         width of the intervals of u, of v when all are equal, else 0
    10 ...       m + 1 values of u, then n + 1 values of v, where patches begin and end
    12 + m + n   108 per patch (patch i, j is number i n + j): 36 of x, of y, of z; of each the coefficient of
                 (u - u_i)^a (v - v_j)^b is number 6 a + b

Beyond its ends an open curve continues by its Taylor polynomial of third order, a surface by one of second order in
each direction: the derivatives that are returned are those of the continued position.
"""

from __future__ import annotations

import math

import numpy as np

from flexmbs.core.abi.kernel import kernel

CURVE_HEADER = 8
CURVE_INTERVAL = 18
SURFACE_HEADER = 10
SURFACE_PATCH = 108


@kernel
def _wrapped(s, start, end):
    period = end - start
    return s - period * np.floor((s - start) / period)


@kernel
def _interval_of(pool, breaks, count, width, s):
    """Number of the interval that holds ``s`` (finite, between the first and the last break)."""
    if width > 0.0:
        return min(max(int((s - pool[breaks]) / width), 0), count - 1)
    low, high = 0, count
    while high - low > 1:
        middle = (low + high) // 2
        if s < pool[breaks + middle]:
            high = middle
        else:
            low = middle
    return low


@kernel
def curve_point(pool, at, s, out):
    """out[0:3] = c, out[3:6] = c', out[6:9] = c'', out[9:12] = c''' of the curve at parameter ``s``."""
    count = int(pool[at])
    start, end = pool[at + 1], pool[at + 2]
    if pool[at + 3] != 0.0:
        s = _wrapped(s, start, end)
    if math.isnan(s):  # a number that is none has no interval
        for k in range(12):
            out[k] = s
        return
    inside = min(max(s, start), end)
    beyond = s - inside
    i = _interval_of(pool, at + CURVE_HEADER, count, pool[at + 4], inside)
    x = inside - pool[at + CURVE_HEADER + i]
    base = at + CURVE_HEADER + count + 1 + CURVE_INTERVAL * i
    for k in range(3):
        b = base + 6 * k
        c2, c3, c4, c5 = pool[b + 2], pool[b + 3], pool[b + 4], pool[b + 5]
        p0 = pool[b] + x * (pool[b + 1] + x * (c2 + x * (c3 + x * (c4 + x * c5))))
        p1 = pool[b + 1] + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
        p2 = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
        p3 = 6.0 * c3 + x * (24.0 * c4 + x * 60.0 * c5)
        out[k] = p0 + beyond * (p1 + beyond * (0.5 * p2 + beyond * p3 / 6.0))
        out[3 + k] = p1 + beyond * (p2 + 0.5 * beyond * p3)
        out[6 + k] = p2 + beyond * p3
        out[9 + k] = p3


@kernel
def _continued(c0, c1, c2, c3, c4, c5, x, beyond):
    """Value and two derivatives of a polynomial at ``x``, continued ``beyond`` it to second order."""
    p0 = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
    p1 = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
    p2 = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
    return p0 + beyond * (p1 + 0.5 * beyond * p2), p1 + beyond * p2, p2


@kernel
def surface_point(pool, at, u, v, out):
    """out = x, x_u, x_v, x_uu, x_uv, x_vv (3 numbers each) of the surface at parameters ``u``, ``v``."""
    m, n = int(pool[at]), int(pool[at + 1])
    if pool[at + 6] != 0.0:
        u = _wrapped(u, pool[at + 2], pool[at + 3])
    if pool[at + 7] != 0.0:
        v = _wrapped(v, pool[at + 4], pool[at + 5])
    if math.isnan(u) or math.isnan(v):
        for k in range(18):
            out[k] = u + v
        return
    u_in = min(max(u, pool[at + 2]), pool[at + 3])
    v_in = min(max(v, pool[at + 4]), pool[at + 5])
    u_breaks = at + SURFACE_HEADER
    v_breaks = u_breaks + m + 1
    i = _interval_of(pool, u_breaks, m, pool[at + 8], u_in)
    j = _interval_of(pool, v_breaks, n, pool[at + 9], v_in)
    x, y = u_in - pool[u_breaks + i], v_in - pool[v_breaks + j]
    base = v_breaks + n + 1 + SURFACE_PATCH * (i * n + j)
    for k in range(3):
        b = base + 36 * k
        p0, q0, r0 = _row(pool, b, y, v - v_in)  # of each power of u: value, first, second derivative in v
        p1, q1, r1 = _row(pool, b + 6, y, v - v_in)
        p2, q2, r2 = _row(pool, b + 12, y, v - v_in)
        p3, q3, r3 = _row(pool, b + 18, y, v - v_in)
        p4, q4, r4 = _row(pool, b + 24, y, v - v_in)
        p5, q5, r5 = _row(pool, b + 30, y, v - v_in)
        out[k], out[3 + k], out[9 + k] = _continued(p0, p1, p2, p3, p4, p5, x, u - u_in)
        out[6 + k], out[12 + k], _ = _continued(q0, q1, q2, q3, q4, q5, x, u - u_in)
        out[15 + k], _, _ = _continued(r0, r1, r2, r3, r4, r5, x, u - u_in)


@kernel
def _row(pool, b, y, beyond):
    return _continued(pool[b], pool[b + 1], pool[b + 2], pool[b + 3], pool[b + 4], pool[b + 5], y, beyond)
