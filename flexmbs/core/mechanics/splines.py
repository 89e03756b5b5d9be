"""Points of splines: curves of one parameter and surfaces of two, with their derivatives.

A curve in ``pool``, from ``at`` on (``mechanism.geometry.curves.Curve.pool_values``; n intervals, polynomials of
degree 5):

    INTERVALS     n
    START, END    parameter (arc length, m) at both ends; of a closed curve their difference is the period
    CLOSED        1 when closed, else 0
    WIDTH         width of the intervals when all are equal, else 0 (then the interval is searched by halving)
    UP            (3) direction "up" of the frame that follows the curve (see ``core.mechanics.curve_axes``)
    CURVE_HEADER  n + 1 parameters where intervals begin and end
    behind them   18 per interval: six coefficients of x, of y, of z; powers 0 to 5 of (s - start of the interval)

A surface (``mechanism.geometry.surfaces.Surface.pool_values``; m times n patches, degree 5 in both directions):

    PATCHES_U, PATCHES_V  m, n
    U_START, U_END        u at both ends; V_START, V_END: v
    U_CLOSED, V_CLOSED    1 when closed, else 0
    U_WIDTH, V_WIDTH      width of the intervals when all are equal, else 0
    SURFACE_HEADER        m + 1 values of u, then n + 1 values of v, where patches begin and end
    behind them           108 per patch (patch i, j is number i n + j): 36 of x, of y, of z; of each the coefficient of
                          (u - u_i)^a (v - v_j)^b is number 6 a + b

Beyond its ends an open curve continues by its Taylor polynomial of third order, a surface by one of second order in
each direction: the derivatives that are returned are those of the continued position.
"""

import math

import numpy as np

from flexmbs.machine_code.kernel import kernel

INTERVALS, START, END, CLOSED, WIDTH, UP = range(6)
PATCHES_U, PATCHES_V, U_START, U_END, V_START, V_END, U_CLOSED, V_CLOSED, U_WIDTH, V_WIDTH = range(10)
TERMS = 6  # coefficients of a polynomial
CURVE_HEADER, CURVE_INTERVAL = 8, 3 * TERMS
SURFACE_HEADER, SURFACE_PATCH = 10, 3 * TERMS**2


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
def _coefficients(pool, at):
    """Coefficients of the powers 0 to 5."""
    return pool[at], pool[at + 1], pool[at + 2], pool[at + 3], pool[at + 4], pool[at + 5]


@kernel
def curve_point(pool, at, s, point):
    """Point of the curve at parameter ``s`` and three derivatives, into ``point`` (core.layout.frames.CURVE_POINT)."""
    count = int(pool[at + INTERVALS])
    start, end = pool[at + START], pool[at + END]
    if math.isnan(s):  # a number that is none has no interval
        for k in range(3):
            point.c[k] = point.c_s[k] = point.c_ss[k] = point.c_sss[k] = s
        return
    if pool[at + CLOSED] != 0.0:
        s = _wrapped(s, start, end)
    inside = min(max(s, start), end)
    beyond = s - inside
    i = _interval_of(pool, at + CURVE_HEADER, count, pool[at + WIDTH], inside)
    x = inside - pool[at + CURVE_HEADER + i]
    base = at + CURVE_HEADER + count + 1 + CURVE_INTERVAL * i
    for k in range(3):
        c0, c1, c2, c3, c4, c5 = _coefficients(pool, base + TERMS * k)
        p0 = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
        p1 = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
        p2 = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
        p3 = 6.0 * c3 + x * (24.0 * c4 + x * 60.0 * c5)
        point.c[k] = p0 + beyond * (p1 + beyond * (0.5 * p2 + beyond * p3 / 6.0))
        point.c_s[k] = p1 + beyond * (p2 + 0.5 * beyond * p3)
        point.c_ss[k] = p2 + beyond * p3
        point.c_sss[k] = p3


@kernel
def _continued(c0, c1, c2, c3, c4, c5, x, beyond):
    """Value and two derivatives of a polynomial at ``x``, continued ``beyond`` it to second order."""
    p0 = c0 + x * (c1 + x * (c2 + x * (c3 + x * (c4 + x * c5))))
    p1 = c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))
    p2 = 2.0 * c2 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))
    return p0 + beyond * (p1 + 0.5 * beyond * p2), p1 + beyond * p2, p2


@kernel
def surface_point(pool, at, u, v, point):
    """x and its derivatives at the parameters ``u``, ``v`` into ``point`` (core.layout.frames.SURFACE_POINT)."""
    m, n = int(pool[at + PATCHES_U]), int(pool[at + PATCHES_V])
    if math.isnan(u) or math.isnan(v):
        for k in range(3):
            point.x[k] = point.x_u[k] = point.x_v[k] = point.x_uu[k] = point.x_uv[k] = point.x_vv[k] = u + v
        return
    if pool[at + U_CLOSED] != 0.0:
        u = _wrapped(u, pool[at + U_START], pool[at + U_END])
    if pool[at + V_CLOSED] != 0.0:
        v = _wrapped(v, pool[at + V_START], pool[at + V_END])
    u_in = min(max(u, pool[at + U_START]), pool[at + U_END])
    v_in = min(max(v, pool[at + V_START]), pool[at + V_END])
    u_breaks = at + SURFACE_HEADER
    v_breaks = u_breaks + m + 1
    i = _interval_of(pool, u_breaks, m, pool[at + U_WIDTH], u_in)
    j = _interval_of(pool, v_breaks, n, pool[at + V_WIDTH], v_in)
    x, y = u_in - pool[u_breaks + i], v_in - pool[v_breaks + j]
    base = v_breaks + n + 1 + SURFACE_PATCH * (i * n + j)
    for k in range(3):
        b = base + TERMS**2 * k
        p0, q0, r0 = _row(pool, b, y, v - v_in)  # of each power of u: value, first, second derivative in v
        p1, q1, r1 = _row(pool, b + TERMS, y, v - v_in)
        p2, q2, r2 = _row(pool, b + 2 * TERMS, y, v - v_in)
        p3, q3, r3 = _row(pool, b + 3 * TERMS, y, v - v_in)
        p4, q4, r4 = _row(pool, b + 4 * TERMS, y, v - v_in)
        p5, q5, r5 = _row(pool, b + 5 * TERMS, y, v - v_in)
        point.x[k], point.x_u[k], point.x_uu[k] = _continued(p0, p1, p2, p3, p4, p5, x, u - u_in)
        point.x_v[k], point.x_uv[k], _ = _continued(q0, q1, q2, q3, q4, q5, x, u - u_in)
        point.x_vv[k], _, _ = _continued(r0, r1, r2, r3, r4, r5, x, u - u_in)


@kernel
def _row(pool, at, y, beyond):
    c0, c1, c2, c3, c4, c5 = _coefficients(pool, at)
    return _continued(c0, c1, c2, c3, c4, c5, y, beyond)
