"""Convex bodies with a smooth surface, by their support function: gap, normal and contact point of two of them.

The support function of a body about its centre is a sum of terms sqrt(alpha + beta (n . a)^2) (ellipsoids of
revolution with axis a) and a radius: Minkowski sums of segments, discs and balls. A cylinder is segment + disc + ball,
a box three segments + ball; a small alpha of a segment crowns its sides, a ball rounds its edges. Numbers of a body in
the pool: radius, number of terms, and of each term alpha (m2), beta (m2), axis (3).

The gap of two bodies at the distance d (from b to a) is the maximum over unit vectors n of n . d - h_a(-n) - h_b(n)
(R. Schneider, Convex Bodies, 2014, 1.7; all bodies here are symmetric about their centres, h(-n) = h(n)). It also holds
while they penetrate. As a maximum its derivative by the pose is that at fixed n: the force along n is conservative.
"""

import math

from flexmbs.core.contact.distance.round_shapes import perpendicular
from flexmbs.core.mechanics.vectors import cross, rotate, vector_at
from flexmbs.machine_code.kernel import kernel

TERM = 5  # numbers of a term
# Bodies are first blown up to nearly balls, by this part of their size, then ever less: Newton's method stays close.
SOFTENING = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 0.0)
STEPS, LAST_STEPS = 6, 40  # of Newton's method in each stage, in the last one
HALVINGS = 12
ROUNDING = 1e-8  # change of n below which Newton's method converges at once, or not any more


@kernel
def support_height(pool, at, R, nx, ny, nz, soft):
    """Support function without the radius, of a body whose axes are turned by ``R``, for a unit vector n."""
    height = 0.0
    for k in range(int(pool[at + 1])):
        term = at + 2 + TERM * k
        alpha, beta = pool[term], pool[term + 1]
        ax, ay, az = vector_at(pool, term + 2)
        ax, ay, az = rotate(R, ax, ay, az)
        p = ax * nx + ay * ny + az * nz
        height += math.sqrt(alpha + beta * p * p + soft * soft * max(alpha, alpha + beta))
    return height


@kernel
def support_point(pool, at, R, nx, ny, nz):
    """The point of the body farthest along n, from its centre."""
    x, y, z = pool[at] * nx, pool[at] * ny, pool[at] * nz
    for k in range(int(pool[at + 1])):
        term = at + 2 + TERM * k
        alpha, beta = pool[term], pool[term + 1]
        ax, ay, az = vector_at(pool, term + 2)
        ax, ay, az = rotate(R, ax, ay, az)
        p = ax * nx + ay * ny + az * nz
        height = math.sqrt(alpha + beta * p * p)
        n, a = alpha / height, beta * p / height
        x, y, z = x + n * nx + a * ax, y + n * ny + a * ay, z + n * nz + a * az
    return x, y, z


@kernel
def support_bend(pool, at, R, nx, ny, nz, sx, sy, sz, tx, ty, tz, soft):
    """Derivatives of :func:`support_height` along two tangents s, t: first (s, t), second (ss, st, tt)."""
    h_s = h_t = h_ss = h_st = h_tt = 0.0
    for k in range(int(pool[at + 1])):
        term = at + 2 + TERM * k
        alpha, beta = pool[term], pool[term + 1]
        alpha += soft * soft * max(alpha, alpha + beta)
        ax, ay, az = vector_at(pool, term + 2)
        ax, ay, az = rotate(R, ax, ay, az)
        p, s, t = ax * nx + ay * ny + az * nz, ax * sx + ay * sy + az * sz, ax * tx + ay * ty + az * tz
        height = math.sqrt(alpha + beta * p * p)
        bend, part = alpha / height, beta / (height * height)
        h_s += beta * p * s / height
        h_t += beta * p * t / height
        h_ss += bend * (1.0 + part * s * s)
        h_st += bend * part * s * t
        h_tt += bend * (1.0 + part * t * t)
    return h_s, h_t, h_ss, h_st, h_tt


@kernel
def separation(pool, at_a, R_a, at_b, R_b, dx, dy, dz, nx, ny, nz, soft):
    """Distance along n between the bodies without their radii."""
    across = nx * dx + ny * dy + nz * dz
    return across - support_height(pool, at_a, R_a, nx, ny, nz, soft) - support_height(pool, at_b, R_b, nx, ny, nz, soft)


@kernel
def newton_step(pool, at_a, R_a, at_b, R_b, dx, dy, dz, nx, ny, nz, soft, value):
    """A better n, the change of n, and the separation there."""
    sx, sy, sz = perpendicular(nx, ny, nz)
    tx, ty, tz = cross(nx, ny, nz, sx, sy, sz)
    a_s, a_t, a_ss, a_st, a_tt = support_bend(pool, at_a, R_a, nx, ny, nz, sx, sy, sz, tx, ty, tz, soft)
    b_s, b_t, b_ss, b_st, b_tt = support_bend(pool, at_b, R_b, nx, ny, nz, sx, sy, sz, tx, ty, tz, soft)
    g_s, g_t = dx * sx + dy * sy + dz * sz - a_s - b_s, dx * tx + dy * ty + dz * tz - a_t - b_t
    inward = max(value, 0.0)
    h_ss, h_st, h_tt = a_ss + b_ss + inward, a_st + b_st, a_tt + b_tt + inward
    if value < 0.0 and min(h_ss, h_tt) + value > 0.0 and (h_ss + value) * (h_tt + value) > h_st * h_st:
        h_ss, h_tt = h_ss + value, h_tt + value
    determinant = h_ss * h_tt - h_st * h_st
    if determinant <= 0.0:
        return nx, ny, nz, 0.0, value
    s, t = (h_tt * g_s - h_st * g_t) / determinant, (h_ss * g_t - h_st * g_s) / determinant
    size = math.sqrt(s * s + t * t)
    factor = 1.0 if size < 1.0 else 1.0 / size
    for _ in range(HALVINGS):
        x = nx + factor * (s * sx + t * tx)
        y = ny + factor * (s * sy + t * ty)
        z = nz + factor * (s * sz + t * tz)
        length = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
        new = separation(pool, at_a, R_a, at_b, R_b, dx, dy, dz, x, y, z, soft)
        if new >= value or size < 1e-6:
            return x, y, z, factor * size, new
        factor *= 0.5
    return nx, ny, nz, 0.0, value


@kernel
def convex_gap(pool, at_a, R_a, at_b, R_b, dx, dy, dz):
    """Gap (m) and unit normal from b to a of two bodies, d from the centre of b to that of a."""
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    nx, ny, nz = (dx / length, dy / length, dz / length) if length > 0.0 else (0.0, 0.0, 1.0)
    value = 0.0
    for stage in range(len(SOFTENING)):
        soft = SOFTENING[stage]
        value = separation(pool, at_a, R_a, at_b, R_b, dx, dy, dz, nx, ny, nz, soft)
        last = math.inf
        for _ in range(STEPS if soft > 0.0 else LAST_STEPS):
            nx, ny, nz, change, value = newton_step(pool, at_a, R_a, at_b, R_b, dx, dy, dz, nx, ny, nz, soft, value)
            if change < 1e-15 or (soft > 0.0 and change < 1e-3) or (last < ROUNDING and change >= 0.1 * last):
                break
            last = change
    return value - pool[at_a] - pool[at_b], nx, ny, nz
