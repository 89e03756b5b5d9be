"""Signed distance of a point from a closed surface of smooth triangles, found through a tree of bounding boxes.

Numbers in the pool: number of nodes of the tree, number of triangles; the nodes in the order of a walk from the root,
first child next (bounds x0 y0 z0 x1 y1 z1, node behind its branch, first triangle, number of triangles: 0 in branches);
then the triangles (:mod:`.gregory_patch`).
"""

import math

from flexmbs.core.contact.distance.closest_on_patch import closest_on_patch, closest_on_triangle
from flexmbs.core.contact.distance.gregory_patch import BULGE, CORNER_SIDE, EDGE_SIDE, PATCH, patch_component
from flexmbs.core.mechanics.vectors import cross, vector_at
from flexmbs.machine_code.kernel import kernel

HEAD, NODE = 2, 9
BEHIND, FIRST, COUNT = 6, 7, 8  # places in a node


@kernel
def box_square(pool, node, x, y, z):
    """Half of the squared distance to the bounds of a node."""
    dx = max(0.0, pool[node] - x, x - pool[node + 3])
    dy = max(0.0, pool[node + 1] - y, y - pool[node + 4])
    dz = max(0.0, pool[node + 2] - z, z - pool[node + 5])
    return 0.5 * (dx * dx + dy * dy + dz * dz)


@kernel
def corner_bound(pool, tree, triangles, x, y, z):
    """Half of the squared distance to a corner nearby: the surface is not farther."""
    i = 0
    while pool[tree + NODE * i + COUNT] == 0.0:
        left = tree + NODE * (i + 1)
        right = int(pool[left + BEHIND])
        i = i + 1 if box_square(pool, left, x, y, z) <= box_square(pool, tree + NODE * right, x, y, z) else right
    node = tree + NODE * i
    least = 1e300
    for k in range(int(pool[node + COUNT])):
        at = triangles + PATCH * (int(pool[node + FIRST]) + k)
        for corner in range(3):
            px, py, pz = vector_at(pool, at + 3 * corner)
            least = min(least, 0.5 * ((px - x) * (px - x) + (py - y) * (py - y) + (pz - z) * (pz - z)))
    return least


@kernel
def closest_triangle(pool, at, x, y, z):
    """Offset of the triangle with the closest point, and (b1, b2) there."""
    nodes = int(pool[at])
    tree, triangles = at + HEAD, at + HEAD + NODE * nodes
    limit = corner_bound(pool, tree, triangles, x, y, z) * (1.0 + 1e-9)  # a corner is a point of the surface
    best, best_at, best_u, best_v = 1e300, triangles, 0.0, 0.0
    i = 0
    while i < nodes:
        node = tree + NODE * i
        if box_square(pool, node, x, y, z) > min(limit, best):
            i = int(pool[node + BEHIND])
            continue
        for k in range(int(pool[node + COUNT])):
            patch = triangles + PATCH * (int(pool[node + FIRST]) + k)
            u, v, flat = closest_on_triangle(pool, patch, x, y, z)
            if flat - pool[patch + BULGE] > math.sqrt(2.0 * min(limit, best)):
                continue
            u, v, value = closest_on_patch(pool, patch, x, y, z, u, v)
            if value < best:
                best, best_at, best_u, best_v = value, patch, u, v
        i += 1
    return best_at, best_u, best_v


@kernel
def sharp_side(pool, patch, u, v):
    """Offset of the vector that tells inside from outside at a sharp edge or corner; -1 on the smooth rest."""
    w = 1.0 - u - v
    at = -1
    if u == 0.0 and v == 0.0:
        at = patch + CORNER_SIDE
    elif v == 0.0 and w <= 0.0:
        at = patch + CORNER_SIDE + 3
    elif u == 0.0 and w <= 0.0:
        at = patch + CORNER_SIDE + 6
    elif v == 0.0:
        at = patch + EDGE_SIDE
    elif w <= 0.0:
        at = patch + EDGE_SIDE + 3
    elif u == 0.0:
        at = patch + EDGE_SIDE + 6
    if at >= 0 and pool[at] == 0.0 and pool[at + 1] == 0.0 and pool[at + 2] == 0.0:
        return -1
    return at


@kernel
def surface_distance(pool, at, x, y, z):
    """Distance (negative inside) and its gradient.

    Sign at sharp edges and corners: J. A. Baerentzen, H. Aanaes, IEEE Transactions on Visualization and Computer
    Graphics 11 (2005) 243-253.
    """
    patch, u, v = closest_triangle(pool, at, x, y, z)
    px, ux, vx, _a, _b, _c = patch_component(pool, patch, 0, u, v)
    py, uy, vy, _a, _b, _c = patch_component(pool, patch, 1, u, v)
    pz, uz, vz, _a, _b, _c = patch_component(pool, patch, 2, u, v)
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx / size, ny / size, nz / size
    dx, dy, dz = x - px, y - py, z - pz
    side = sharp_side(pool, patch, u, v)
    if side >= 0:
        distance = math.sqrt(dx * dx + dy * dy + dz * dz)
        sx, sy, sz = vector_at(pool, side)
        sign = 1.0 if dx * sx + dy * sy + dz * sz >= 0.0 else -1.0
        if distance > 1e-12 * math.sqrt(size):
            distance *= sign
            return distance, dx / distance, dy / distance, dz / distance
        return sign * distance, sx, sy, sz
    return dx * nx + dy * ny + dz * nz, nx, ny, nz
