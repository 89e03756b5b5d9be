"""Faces of 6 and 8 nodes as polynomials, and the point of a face that is closest to a given one.

    x(u, v) = c0 + c1 u + c2 v + c3 u^2 + c4 u v + c5 v^2 + c6 u^2 v + c7 u v^2

with 0 <= u, v, u + v <= 1 on triangles (c6 = c7 = 0) and -1 <= u, v <= 1 on quadrilaterals.
"""

import math

from flexmbs.core.contact.surfaces.layout import COEFFICIENTS, HIT, RING, WEIGHTS
from flexmbs.machine_code.kernel import kernel

TRIANGLE = 6
INSIDE, ON_EDGE, ON_CORNER = 0, 1, 2
# numbers of the closest point on a face, from cache[HIT] on
U, V, SQUARED, WHERE, PLACE = range(5)
ITERATIONS = 30
CONVERGED = 1e-13


@kernel
def fill_polynomial(count, cache):
    """Coefficients of the face from its nodes in ``cache[RING:]`` (count, 3), corners first."""
    x = cache[RING : RING + 24]
    c = cache[COEFFICIENTS : COEFFICIENTS + 24]
    for i in range(3):
        x0, x1, x2, x3, x4, x5 = x[i], x[3 + i], x[6 + i], x[9 + i], x[12 + i], x[15 + i]
        if count == TRIANGLE:
            c[i] = x0
            c[3 + i] = 4.0 * x3 - 3.0 * x0 - x1
            c[6 + i] = 4.0 * x5 - 3.0 * x0 - x2
            c[9 + i] = 2.0 * (x0 + x1) - 4.0 * x3
            c[12 + i] = 4.0 * (x0 - x3 + x4 - x5)
            c[15 + i] = 2.0 * (x0 + x2) - 4.0 * x5
            c[18 + i] = c[21 + i] = 0.0
        else:
            x6, x7 = x[18 + i], x[21 + i]
            corners = 0.25 * (x0 + x1 + x2 + x3)
            c[i] = 0.5 * (x4 + x5 + x6 + x7) - corners
            c[3 + i] = 0.5 * (x5 - x7)
            c[6 + i] = 0.5 * (x6 - x4)
            c[9 + i] = corners - 0.5 * (x4 + x6)
            c[12 + i] = 0.25 * (x0 - x1 + x2 - x3)
            c[15 + i] = corners - 0.5 * (x5 + x7)
            c[18 + i] = 0.25 * (x2 + x3 - x0 - x1) - 0.5 * (x6 - x4)
            c[21 + i] = 0.25 * (x1 + x2 - x0 - x3) - 0.5 * (x5 - x7)


@kernel
def component(c, i, u, v):
    """Component ``i`` of x with its derivatives by u and v: x, x_u, x_v, x_uu, x_uv, x_vv."""
    a, b, d, e, f, g, h, k = c[i], c[3 + i], c[6 + i], c[9 + i], c[12 + i], c[15 + i], c[18 + i], c[21 + i]
    return (
        a + u * (b + u * (e + v * h) + v * (f + v * k)) + v * (d + v * g),
        b + 2.0 * u * (e + v * h) + v * (f + v * k),
        d + u * (f + u * h + 2.0 * v * k) + 2.0 * v * g,
        2.0 * (e + v * h),
        f + 2.0 * (u * h + v * k),
        2.0 * (g + u * k),
    )


@kernel
def shape_values(count, u, v, cache):
    """Values of the shape functions of the nodes into ``cache[WEIGHTS:]``."""
    N = cache[WEIGHTS : WEIGHTS + 8]
    if count == TRIANGLE:
        w = 1.0 - u - v
        N[0], N[1], N[2] = w * (2.0 * w - 1.0), u * (2.0 * u - 1.0), v * (2.0 * v - 1.0)
        N[3], N[4], N[5] = 4.0 * w * u, 4.0 * u * v, 4.0 * v * w
        return
    for i in range(4):
        a, b = (u if i == 1 or i == 2 else -u), (v if i > 1 else -v)
        N[i] = 0.25 * (1.0 + a) * (1.0 + b) * (a + b - 1.0)
    N[4], N[6] = 0.5 * (1.0 - u * u) * (1.0 - v), 0.5 * (1.0 - u * u) * (1.0 + v)
    N[5], N[7] = 0.5 * (1.0 + u) * (1.0 - v * v), 0.5 * (1.0 - u) * (1.0 - v * v)


@kernel
def clamped(count, u, v):
    """(u, v) moved into the domain of the face."""
    if count != TRIANGLE:
        return min(max(u, -1.0), 1.0), min(max(v, -1.0), 1.0)
    u, v = max(u, 0.0), max(v, 0.0)
    if u + v > 1.0:
        over = 0.5 * (u + v - 1.0)
        u, v = u - over, v - over
        if u < 0.0:
            return 0.0, 1.0
        if v < 0.0:
            return 1.0, 0.0
    return u, v


@kernel
def closest_on_face(count, px, py, pz, cache):
    """The point of a face that is closest to p, into ``cache[HIT:]``: u, v, squared distance, where it is.

    WHERE is INSIDE, ON_EDGE with the edge in PLACE, or ON_CORNER with the corner there.  The polynomial must be filled.
    """
    hit = cache[HIT : HIT + 5]
    if not closest_inside(count, px, py, pz, cache):
        hit[SQUARED] = math.inf
        for edge in range(3 if count == TRIANGLE else 4):
            closest_on_edge(count, edge, px, py, pz, cache)


@kernel
def start_of_search(count, px, py, pz, cache):
    """(u, v) of the node or the middle of the face that is closest to p."""
    x = cache[RING : RING + 24]
    corners = 3 if count == TRIANGLE else 4
    mx, my, mz = 0.0, 0.0, 0.0
    least, best = math.inf, 0
    for i in range(count):
        dx, dy, dz = x[3 * i] - px, x[3 * i + 1] - py, x[3 * i + 2] - pz
        if i >= corners:
            mx, my, mz = mx + dx / corners, my + dy / corners, mz + dz / corners
        squared = dx * dx + dy * dy + dz * dz
        if squared < least:
            least, best = squared, i
    middle = mx * mx + my * my + mz * mz < least
    if count == TRIANGLE:
        if middle:
            return 1.0 / 3.0, 1.0 / 3.0
        u = 1.0 if best == 1 else (0.5 if best == 3 or best == 4 else 0.0)
        v = 1.0 if best == 2 else (0.5 if best == 4 or best == 5 else 0.0)
        return u, v
    if middle:
        return 0.0, 0.0
    u = 0.0 if best == 4 or best == 6 else (1.0 if best == 1 or best == 2 or best == 5 else -1.0)
    v = 0.0 if best == 5 or best == 7 else (1.0 if best == 2 or best == 3 or best == 6 else -1.0)
    return u, v


@kernel
def closest_inside(count, px, py, pz, cache):
    """Newton's method for the foot of the perpendicular from p; False when it is not inside the face."""
    c, hit = cache[COEFFICIENTS : COEFFICIENTS + 24], cache[HIT : HIT + 5]
    u, v = start_of_search(count, px, py, pz, cache)
    outside = 0
    for _ in range(ITERATIONS):
        x, xu, xv, xuu, xuv, xvv = component(c, 0, u, v)
        y, yu, yv, yuu, yuv, yvv = component(c, 1, u, v)
        z, zu, zv, zuu, zuv, zvv = component(c, 2, u, v)
        x, y, z = x - px, y - py, z - pz
        gu, gv = x * xu + y * yu + z * zu, x * xv + y * yv + z * zv
        uu, uv, vv = xu * xu + yu * yu + zu * zu, xu * xv + yu * yv + zu * zv, xv * xv + yv * yv + zv * zv
        full = uu + x * xuu + y * yuu + z * zuu
        mixed, other = uv + x * xuv + y * yuv + z * zuv, vv + x * xvv + y * yvv + z * zvv
        if full > 0.0 and full * other - mixed * mixed > 1e-6 * uu * vv:
            uu, uv, vv = full, mixed, other  # else Gauss and Newton's, which always descends
        size = uu * vv - uv * uv
        if not size > 0.0:
            return False
        du, dv = (uv * gv - vv * gu) / size, (uv * gu - uu * gv) / size
        new_u, new_v = clamped(count, u + du, v + dv)
        left = new_u != u + du or new_v != v + dv
        change = abs(new_u - u) + abs(new_v - v)
        u, v = new_u, new_v
        outside = outside + 1 if left else 0
        if outside > 1 and (change <= 1e-3 or outside > 5):
            return False
        if not left and abs(du) + abs(dv) <= CONVERGED:
            break
    if outside > 0:
        return False
    hit[U], hit[V], hit[SQUARED], hit[WHERE], hit[PLACE] = u, v, x * x + y * y + z * z, INSIDE, 0.0
    return True


@kernel
def closest_on_edge(count, edge, px, py, pz, cache):
    """Keep the closest point of edge ``edge`` if it is closer than what ``cache[HIT:]`` holds."""
    ring, hit = cache[RING : RING + 24], cache[HIT : HIT + 5]
    corners = 3 if count == TRIANGLE else 4
    first, last, middle = 3 * edge, 3 * ((edge + 1) % corners), 3 * (corners + edge)
    ax, ay, az = ring[first] - px, ring[first + 1] - py, ring[first + 2] - pz
    ex, ey, ez = ring[last] - px, ring[last + 1] - py, ring[last + 2] - pz
    mx, my, mz = ring[middle] - px, ring[middle + 1] - py, ring[middle + 2] - pz
    # a + b t + c t^2 for 0 <= t <= 1
    bx, by, bz = 4.0 * mx - 3.0 * ax - ex, 4.0 * my - 3.0 * ay - ey, 4.0 * mz - 3.0 * az - ez
    cx, cy, cz = 2.0 * (ax + ex) - 4.0 * mx, 2.0 * (ay + ey) - 4.0 * my, 2.0 * (az + ez) - 4.0 * mz
    t, least = 0.5, mx * mx + my * my + mz * mz
    if ax * ax + ay * ay + az * az < least:
        t, least = 0.0, ax * ax + ay * ay + az * az
    if ex * ex + ey * ey + ez * ez < least:
        t = 1.0
    for _ in range(ITERATIONS):
        x, y, z = ax + t * (bx + t * cx), ay + t * (by + t * cy), az + t * (bz + t * cz)
        dx, dy, dz = bx + 2.0 * t * cx, by + 2.0 * t * cy, bz + 2.0 * t * cz
        slope, size = x * dx + y * dy + z * dz, dx * dx + dy * dy + dz * dz
        curvature = size + 2.0 * (x * cx + y * cy + z * cz)
        if not curvature > 1e-3 * size:
            curvature = size
        if not curvature > 0.0:
            break
        old, t = t, min(max(t - slope / curvature, 0.0), 1.0)
        if abs(t - old) <= CONVERGED:
            break
    x, y, z = ax + t * (bx + t * cx), ay + t * (by + t * cy), az + t * (bz + t * cz)
    squared = x * x + y * y + z * z
    if squared >= hit[SQUARED]:
        return
    hit[SQUARED] = squared
    hit[WHERE], hit[PLACE] = ON_EDGE, edge
    if t == 0.0 or t == 1.0:
        hit[WHERE], hit[PLACE] = ON_CORNER, edge if t == 0.0 else (edge + 1) % corners
    hit[U], hit[V] = place_on_edge(count, edge, t)


@kernel
def place_on_edge(count, edge, t):
    """(u, v) at ``t`` (0 to 1) along an edge."""
    if count == TRIANGLE:
        if edge == 0:
            return t, 0.0
        return (1.0 - t, t) if edge == 1 else (0.0, 1.0 - t)
    w = 2.0 * t - 1.0
    if edge == 0:
        return w, -1.0
    if edge == 1:
        return 1.0, w
    return (-w, 1.0) if edge == 2 else (-1.0, -w)
