"""The closest point of a smooth triangle: Newton's method on its parameters, kept inside by its active edges."""

import math

from flexmbs.core.contact.distance.gregory_patch import patch_component
from flexmbs.machine_code.kernel import kernel

ITERATIONS = 30
HALVINGS = 8
SMALL = 1e-15  # change of a parameter that no longer counts


@kernel
def half_square(pool, at, x, y, z, u, v):
    """Half of the squared distance r^2 to the point s(u, v) of the patch, with its derivatives.

    The first by u and v; of the second the parts r . s_uu, r . s_uv, r . s_vv, and s_u . s_u, s_u . s_v, s_v . s_v.
    """
    value = g_u = g_v = h_uu = h_uv = h_vv = m_uu = m_uv = m_vv = 0.0
    for k in range(3):
        s, s_u, s_v, s_uu, s_uv, s_vv = patch_component(pool, at, k, u, v)
        r = s - (x if k == 0 else (y if k == 1 else z))
        value += 0.5 * r * r
        g_u += r * s_u
        g_v += r * s_v
        m_uu += s_u * s_u
        m_uv += s_u * s_v
        m_vv += s_v * s_v
        h_uu += r * s_uu
        h_uv += r * s_uv
        h_vv += r * s_vv
    return value, g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv


@kernel
def newton_direction(g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv):
    """Newton's step; that of Gauss and Newton where the distance is not convex."""
    uu, uv, vv = m_uu + h_uu, m_uv + h_uv, m_vv + h_vv
    if not (uu > 0.0 and uu * vv - uv * uv > 1e-6 * (m_uu * m_vv - m_uv * m_uv)):
        uu, uv, vv = m_uu, m_uv, m_vv
    determinant = uu * vv - uv * uv
    if determinant <= 0.0:
        return 0.0, 0.0
    return -(vv * g_u - uv * g_v) / determinant, -(uu * g_v - uv * g_u) / determinant


@kernel
def edge_step(g, h, m):
    """Newton's step along an edge."""
    bend = m + h if m + h > 1e-6 * m else m
    return -g / bend if bend > 0.0 else 0.0


@kernel
def leaves(u, v, du, dv):
    """Whether a step leaves the triangle at once."""
    return (u <= 0.0 and du < 0.0) or (v <= 0.0 and dv < 0.0) or (u + v >= 1.0 and du + dv > 0.0)


@kernel
def step_within(u, v, g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv):
    """Newton's step in the triangle, along an edge where it would leave it; (0, 0) where a corner is the minimum."""
    du, dv = newton_direction(g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv)
    if not leaves(u, v, du, dv):
        return du, dv
    # along the edge through which it leaves; from a corner, along the one that is not blocked, if it leads downhill
    for any_edge in (False, True):
        if u <= 0.0 and (any_edge or du < 0.0):
            along = edge_step(g_v, h_vv, m_vv)
            if not leaves(u, v, 0.0, along):
                return 0.0, along
        if v <= 0.0 and (any_edge or dv < 0.0):
            along = edge_step(g_u, h_uu, m_uu)
            if not leaves(u, v, along, 0.0):
                return along, 0.0
        if u + v >= 1.0 and (any_edge or du + dv > 0.0):
            along = edge_step(g_u - g_v, h_uu - 2.0 * h_uv + h_vv, m_uu - 2.0 * m_uv + m_vv)
            if not leaves(u, v, along, -along):
                return along, -along
    return 0.0, 0.0


@kernel
def moved_within(u, v, du, dv):
    """The end of a step, cut off where it reaches an edge, on which it then lies exactly."""
    factor, edge = 1.0, 0
    if du < 0.0 and u + du < 0.0:
        factor, edge = -u / du, 1
    if dv < 0.0 and v + factor * dv < 0.0:
        factor, edge = -v / dv, 2
    if du + dv > 0.0 and u + v + factor * (du + dv) > 1.0:
        factor, edge = (1.0 - u - v) / (du + dv), 3
    on_far_edge = u + v >= 1.0 and du + dv == 0.0
    u, v = max(u + factor * du, 0.0), max(v + factor * dv, 0.0)
    if edge == 1:
        u = 0.0
    if edge == 2:
        v = 0.0
    if edge == 3 or on_far_edge:
        u = min(u, 1.0)
        v = 1.0 - u
    return u, v


@kernel
def closest_on_patch(pool, at, x, y, z, u, v):
    """(u, v) of the closest point near the start (u, v), and half of the squared distance."""
    value, g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv = half_square(pool, at, x, y, z, u, v)
    for _ in range(ITERATIONS):
        du, dv = step_within(u, v, g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv)
        size = abs(du) + abs(dv)
        if size <= SMALL:
            break
        old, old_u, old_v = value, u, v
        for _halving in range(HALVINGS):
            u, v = moved_within(old_u, old_v, du, dv)
            value, g_u, g_v, h_uu, h_uv, h_vv, m_uu, m_uv, m_vv = half_square(pool, at, x, y, z, u, v)
            if value <= old or size < 1e-6:
                break
            du, dv, size = 0.5 * du, 0.5 * dv, 0.5 * size
        if math.fabs(u - old_u) + math.fabs(v - old_v) <= SMALL:
            break
    return u, v, value


@kernel
def closest_on_triangle(pool, at, x, y, z):
    """(b1, b2) of the closest point of the flat triangle of the corners, and its distance."""
    ux, uy, uz = pool[at + 3] - pool[at], pool[at + 4] - pool[at + 1], pool[at + 5] - pool[at + 2]
    vx, vy, vz = pool[at + 6] - pool[at], pool[at + 7] - pool[at + 1], pool[at + 8] - pool[at + 2]
    x, y, z = x - pool[at], y - pool[at + 1], z - pool[at + 2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    xu, xv = x * ux + y * uy + z * uz, x * vx + y * vy + z * vz
    determinant = uu * vv - uv * uv
    u, v = (vv * xu - uv * xv) / determinant, (uu * xv - uv * xu) / determinant
    if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
        x, y, z = x - u * ux - v * vx, y - u * uy - v * vy, z - u * uz - v * vz
        return u, v, math.sqrt(x * x + y * y + z * z)
    best, best_u, best_v = 1e300, 0.0, 0.0
    for edge in range(3):
        if edge == 0:
            u, v = max(0.0, min(1.0, xu / uu)), 0.0
        elif edge == 1:
            u, v = 0.0, max(0.0, min(1.0, xv / vv))
        else:
            v = max(0.0, min(1.0, (xv - xu + uu - uv) / (uu - 2.0 * uv + vv)))
            u = 1.0 - v
        distance = u * u * uu + 2.0 * u * v * uv + v * v * vv - 2.0 * (u * xu + v * xv)
        if distance < best:
            best, best_u, best_v = distance, u, v
    return best_u, best_v, math.sqrt(max(0.0, best + x * x + y * y + z * z))
