"""The point of a deformed surface that is closest to a given one, its signed gap and its normal."""

from __future__ import annotations

import math

from flexmbs.core.contact.surfaces.deformed_surface import box_entry, header, node_position, refresh
from flexmbs.core.contact.surfaces.face_polynomial import (
    INSIDE,
    ON_EDGE,
    PLACE,
    SQUARED,
    TRIANGLE,
    WHERE,
    U,
    V,
    closest_on_face,
    component,
    fill_polynomial,
    shape_values,
)
from flexmbs.core.contact.surfaces.layout import (
    BRANCH,
    COEFFICIENTS,
    DISTANCES,
    FACE,
    FIRST,
    HIT,
    ITEMS_AT,
    LAST,
    LEFT,
    NEAREST,
    NORMALS_AT,
    RIGHT,
    RING,
    STACK,
    TREE_AT,
)
from flexmbs.core.mechanics.vectors import cross, dot_at
from flexmbs.machine_code.entry import entry
from flexmbs.machine_code.kernel import kernel
from flexmbs.machine_code.signature import Floats

FOUND = 5  # behind the numbers of a closest point in cache[NEAREST:]: its face
NEAR = 1e-9  # distance, in parts of the size of a face: closer points have no direction of their own


@kernel
def box_distance(cache, box, px, py, pz):
    """Distance of a point from a box, 0 inside."""
    dx = max(abs(px - cache[box]) - cache[box + 3], 0.0)
    dy = max(abs(py - cache[box + 1]) - cache[box + 4], 0.0)
    dz = max(abs(pz - cache[box + 2]) - cache[box + 5], 0.0)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def boxes_distance(cache, box, x, y, z, hx, hy, hz):
    """Distance of two boxes with parallel axes, one of them at (x, y, z) with half sizes h; 0 where they overlap."""
    dx = max(abs(x - cache[box]) - cache[box + 3] - hx, 0.0)
    dy = max(abs(y - cache[box + 1]) - cache[box + 4] - hy, 0.0)
    dz = max(abs(z - cache[box + 2]) - cache[box + 5] - hz, 0.0)
    return math.sqrt(dx * dx + dy * dy + dz * dz)


@kernel
def distance_of_box(pool, s, x, y, z, hx, hy, hz, bound, cache):
    """Lower bound of the distance of a box (axes of the body) from the surface; ``bound`` where it is larger."""
    stack, at = STACK, 1
    tree = s + header(pool, s, TREE_AT)
    cache[stack] = 0.0
    least = bound
    while at > 0:
        at -= 1
        branch = int(cache[stack + at])
        far = boxes_distance(cache, box_entry(pool, s, branch, cache), x, y, z, hx, hy, hz)
        if far >= least:
            continue
        left = int(pool[tree + BRANCH * branch + LEFT])
        if left < 0:
            least = far
            if least == 0.0:
                return 0.0
            continue
        cache[stack + at], cache[stack + at + 1] = left, pool[tree + BRANCH * branch + RIGHT]
        at += 2
    return least


@kernel
def find_nearest(pool, s, px, py, pz, bound, cache):
    """Closest point to p (axes of the body) of the faces whose boxes are within ``bound``; False when there is none.

    Its numbers stand in ``cache[NEAREST:]`` (core.contact.surfaces.face_polynomial), its face in FOUND.
    """
    tree, at = s + header(pool, s, TREE_AT), 1
    cache[STACK] = 0.0
    cache[DISTANCES] = box_distance(cache, box_entry(pool, s, 0, cache), px, py, pz)
    cache[NEAREST + SQUARED] = math.inf
    cache[NEAREST + FOUND] = -1.0
    while at > 0:
        at -= 1
        far, branch = cache[DISTANCES + at], int(cache[STACK + at])
        if far > bound or far * far >= cache[NEAREST + SQUARED]:
            continue
        node = tree + BRANCH * branch
        left, right = int(pool[node + LEFT]), int(pool[node + RIGHT])
        if left < 0:
            for face in range(int(pool[node + FIRST]), int(pool[node + LAST])):
                try_face(pool, s, face, px, py, pz, cache)
            continue
        far_left = box_distance(cache, box_entry(pool, s, left, cache), px, py, pz)
        far_right = box_distance(cache, box_entry(pool, s, right, cache), px, py, pz)
        if far_left < far_right:  # the nearer one is looked at first
            left, right, far_left, far_right = right, left, far_right, far_left
        cache[STACK + at], cache[STACK + at + 1] = left, right
        cache[DISTANCES + at], cache[DISTANCES + at + 1] = far_left, far_right
        at += 2
    return cache[NEAREST + FOUND] >= 0.0


@kernel
def place_face(pool, s, face, cache):
    """Nodes of a face into ``cache[RING:]`` and its polynomial; how many nodes it has."""
    at = s + header(pool, s, ITEMS_AT) + FACE * face
    count = int(pool[at])
    for i in range(count):
        x, y, z = node_position(pool, s, int(pool[at + 1 + i]), cache)
        cache[RING + 3 * i], cache[RING + 3 * i + 1], cache[RING + 3 * i + 2] = x, y, z
    fill_polynomial(count, cache)
    return count


@kernel
def try_face(pool, s, face, px, py, pz, cache):
    """Keep the closest point of a face if it is closer than that in ``cache[NEAREST:]``."""
    count = place_face(pool, s, face, cache)
    closest_on_face(count, px, py, pz, cache)
    if cache[HIT + SQUARED] < cache[NEAREST + SQUARED]:
        for i in range(5):
            cache[NEAREST + i] = cache[HIT + i]
        cache[NEAREST + FOUND] = face


@kernel
def signed_gap(pool, s, px, py, pz, cache):
    """Gap of p to the point in ``cache[NEAREST:]`` (negative inside the body), and the unit normal there, body axes.

    Leaves nodes, polynomial and shape functions of the face in the cache.  On an edge or a corner the side is that of
    the mean normal there, with angles as weights (J. Baerentzen, H. Aanaes, IEEE Trans. Vis. Comput. Graph. 11 (2005)
    243); at the rim of an open surface nothing is inside.
    """
    near, face = NEAREST, int(cache[NEAREST + FOUND])
    count = place_face(pool, s, face, cache)
    u, v, c = cache[near + U], cache[near + V], cache[COEFFICIENTS : COEFFICIENTS + 24]
    shape_values(count, u, v, cache)
    x, xu, xv, _a, _b, _c = component(c, 0, u, v)
    y, yu, yv, _a, _b, _c = component(c, 1, u, v)
    z, zu, zv, _a, _b, _c = component(c, 2, u, v)
    nx, ny, nz = cross(xu, yu, zu, xv, yv, zv)
    area = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / area, ny / area, nz / area
    dx, dy, dz = px - x, py - y, pz - z
    if cache[near + WHERE] == INSIDE:
        return nx * dx + ny * dy + nz * dz, nx, ny, nz
    corners = 3 if count == TRIANGLE else 4
    place = int(cache[near + PLACE]) + (corners if cache[near + WHERE] == ON_EDGE else 0)
    node = int(pool[s + header(pool, s, ITEMS_AT) + FACE * face + 1 + place])
    side = dot_at(pool, s + header(pool, s, NORMALS_AT) + 3 * node, dx, dy, dz)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    sign = -1.0 if side < 0.0 else 1.0
    if distance * distance <= NEAR * NEAR * area:
        return sign * distance, nx, ny, nz
    return sign * distance, sign * dx / distance, sign * dy / distance, sign * dz / distance


@kernel
def gap_within(pool, s, px, py, pz, bound, cache):
    """:func:`signed_gap` of the closest point to p; infinity if there is none within ``bound``.

    A point may lie in the box of one face, behind it and beside its edge, and outside of the face beyond that edge,
    whose box does not hold it: what seems to be inside is looked for once more among all faces that are not farther.
    """
    if not find_nearest(pool, s, px, py, pz, bound, cache):
        return math.inf, 0.0, 0.0, 0.0
    gap, nx, ny, nz = signed_gap(pool, s, px, py, pz, cache)
    if gap < 0.0 and bound < math.inf:
        find_nearest(pool, s, px, py, pz, (1.0 + NEAR) * math.sqrt(cache[NEAREST + SQUARED]), cache)
        gap, nx, ny, nz = signed_gap(pool, s, px, py, pz, cache)
    return gap, nx, ny, nz


@entry
def surface_gap(
    pool: Floats, surface: int, q: Floats, start: int, cache: Floats, point: Floats, bound: float, out: Floats
) -> float:
    """Gap (m) of a point (3,) in body axes to a surface at modal coordinates ``q[start:]``; infinity beyond ``bound``.

    ``out``: normal (3), closest point (3), face.
    """
    refresh(pool, surface, q, start, cache)
    px, py, pz = point[0], point[1], point[2]
    gap, out[0], out[1], out[2] = gap_within(pool, surface, px, py, pz, bound, cache)
    if gap == math.inf:
        return gap
    for i in range(3):
        out[3 + i] = component(cache[COEFFICIENTS : COEFFICIENTS + 24], i, cache[NEAREST + U], cache[NEAREST + V])[0]
    out[6] = cache[NEAREST + FOUND]
    return gap
