"""Smooth triangles through the points of a triangulated surface: numbers of core.contact.distance.gregory_patch.

Neighbouring triangles meet with the same tangent plane, except along sharp edges.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from flexmbs.core.contact.distance import gregory_patch as place
from flexmbs.mesh.coordinate_systems import unit_vectors

_FLAT = 1e-3  # rad between the normals of neighbours, up to which their edge is not concave
_PARALLEL = 1e-6  # sine of the angle between two normals below which they span no edge


def smooth_triangles(points: np.ndarray, triangles: np.ndarray, sharp_angle: float) -> np.ndarray:
    """(nt, PATCH) numbers of the patches of a closed surface.

    Parameters
    ----------
    points : (np, 3) m
    triangles : (nt, 3), anticlockwise seen from outside, every edge shared by two
    sharp_angle : rad between the normals of neighbours, from which on their common edge is sharp
    """
    corners = points[triangles]
    normals = _face_normals(corners)
    neighbour = _neighbours(triangles)
    across = normals[neighbour // 3]
    cosine = np.einsum("tei,tei->te", across, normals[:, None])
    sharp = cosine < np.cos(sharp_angle)
    at_corner = corner_normals(corners, normals, neighbour, sharp)
    tangents = _tangents(corners, at_corner, neighbour, sharp)
    patches = np.zeros((len(triangles), place.PATCH))
    _fill_points(patches, corners, at_corner, tangents)
    patches[:, place.BULGE] = _largest_distance(patches)
    _fill_sides(patches, triangles, corners, normals, across, sharp)
    return patches


def smallest_hollow(corners: np.ndarray, triangles: np.ndarray, sharp_angle: float) -> float:
    """m, the smallest radius over concave edges: 0 where one is sharp, infinite where there is none."""
    normals, (other, edge) = _face_normals(corners), np.divmod(_neighbours(triangles), 3)
    rise = np.einsum("tei,ti->te", corners[other, (edge + 2) % 3] - corners, normals)
    bend = np.arccos(np.clip(np.einsum("tei,ti->te", normals[other], normals), -1.0, 1.0))
    rise, bend = rise[hollow := (rise > 0.0) & (bend > _FLAT)], bend[hollow]
    return float(np.where(bend < sharp_angle, rise / (np.sin(bend) * bend), 0.0).min(initial=np.inf))


def _face_normals(corners: np.ndarray) -> np.ndarray:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


def _neighbours(triangles: np.ndarray) -> np.ndarray:
    """(nt, 3): of each edge e (corners e, e + 1) the same edge in the neighbour, as 3 * triangle + edge."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    count = int(triangles.max()) + 1
    forward, backward = ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]
    order = np.argsort(forward)
    return order[np.searchsorted(forward[order], backward)].reshape(-1, 3)


def corner_normals(corners: np.ndarray, normals: np.ndarray, neighbour: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """(nt, 3, 3) unit normal at each corner: mean over the triangles around it up to the next sharp edges.

    Weights of N. Max (Journal of Graphics Tools 4, 1999), with which normals are exact where points lie on a sphere.
    """
    count = corners.shape[0]
    triangle, edge = np.nonzero(~sharp)
    other, other_edge = np.divmod(neighbour[triangle, edge], 3)
    one = np.concatenate([3 * triangle + edge, 3 * triangle + (edge + 1) % 3])
    two = np.concatenate([3 * other + (other_edge + 1) % 3, 3 * other + other_edge])
    graph = coo_matrix((np.ones(len(one)), (one, two)), (3 * count, 3 * count))
    _, part = connected_components(graph, directed=False)
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    lengths = np.einsum("tci,tci->tc", ahead, ahead) * np.einsum("tci,tci->tc", back, back)
    weighted = (np.cross(ahead, back) / lengths[..., None]).reshape(-1, 3)
    total = np.zeros((part.max() + 1, 3))
    np.add.at(total, part, weighted)
    total /= np.linalg.norm(total, axis=1, keepdims=True)
    return total[part].reshape(-1, 3, 3)


def _tangents(corners: np.ndarray, at_corner: np.ndarray, neighbour: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """(nt, 3, 2, 3): of each edge the unit tangents of its curve at its two ends, both along the edge."""
    chord = np.roll(corners, -1, axis=1) - corners
    chord /= np.linalg.norm(chord, axis=-1, keepdims=True)
    ends = np.stack([at_corner, np.roll(at_corner, -1, axis=1)], axis=2)
    tangent = chord[:, :, None] - np.einsum("tei,teki->tek", chord, ends)[..., None] * ends
    other, edge = np.divmod(neighbour, 3)
    beyond = np.stack([at_corner[other, (edge + 1) % 3], at_corner[other, edge]], axis=2)
    along = np.cross(ends, beyond)
    size = np.linalg.norm(along, axis=-1)
    crease = sharp[:, :, None] & (size > _PARALLEL)
    along *= np.sign(np.einsum("teki,tei->tek", along, chord))[..., None]
    tangent = np.where(crease[..., None], along, tangent)
    length = np.linalg.norm(tangent, axis=-1, keepdims=True)
    return np.where(length > _PARALLEL, tangent / np.maximum(length, _PARALLEL), chord[:, :, None])


def _fill_points(patches: np.ndarray, corners: np.ndarray, normals: np.ndarray, tangents: np.ndarray) -> None:
    """Control points: cubic curves along the edges, raised to degree 4, and the inner points of each edge."""
    ahead, normals_ahead = np.roll(corners, -1, axis=1), np.roll(normals, -1, axis=1)
    chord = ahead - corners
    length = np.linalg.norm(chord, axis=-1)[..., None]
    bend = [2.0 / (1.0 + np.einsum("tei,tei->te", tangents[:, :, k], chord / length))[..., None] for k in (0, 1)]
    first = corners + tangents[:, :, 0] * bend[0] * length / 3.0  # exact in the limit of circular arcs
    last = ahead - tangents[:, :, 1] * bend[1] * length / 3.0
    quartic = [corners, 0.25 * (corners + 3.0 * first), 0.5 * (first + last), 0.25 * (3.0 * last + ahead), ahead]
    inner = _inner_points(quartic, (first - corners, last - first, ahead - last), (normals, normals_ahead))
    patches[:, place.CORNER : place.NEAR] = corners.reshape(-1, 9)
    patches[:, place.NEAR : place.MIDDLE] = np.stack([quartic[1], quartic[3]], axis=2).reshape(-1, 18)
    patches[:, place.MIDDLE : place.INNER] = quartic[2].reshape(-1, 9)
    patches[:, place.INNER : place.EDGE_SIDE] = np.stack(inner, axis=2).reshape(-1, 18)


def _inner_points(quartic, hodograph, normals) -> tuple[np.ndarray, np.ndarray]:
    """Inner points near both ends of each edge: derivatives across it stay in its tangent planes (eq. 5 to 9)."""
    w0, w1, w2 = hodograph
    a0, a2 = np.cross(normals[0], w0), np.cross(normals[1], w2)
    a0, a2 = (a / np.linalg.norm(a, axis=-1, keepdims=True) for a in (a0, a2))
    a1 = a0 + a2
    size = np.linalg.norm(a1, axis=-1, keepdims=True)
    a1 = np.where(size > _PARALLEL, a1 / np.maximum(size, _PARALLEL), a0)
    side_first = np.roll(quartic[3], 1, axis=1)  # on the edge before, next to the first end
    side_last = np.roll(quartic[1], -1, axis=1)  # on the edge behind, next to the last end
    d0, d3 = side_first - 0.5 * (quartic[0] + quartic[1]), side_last - 0.5 * (quartic[3] + quartic[4])

    def part(d, w):
        return (np.einsum("tei,tei->te", d, w) / np.einsum("tei,tei->te", w, w))[..., None]

    l0, l1, m0, m1 = part(d0, w0), part(d3, w2), part(d0, a0), part(d3, a2)
    near_first = 0.5 * (quartic[1] + quartic[2]) + (2.0 * l0 * w1 + l1 * w0 + 2.0 * m0 * a1 + m1 * a0) / 3.0
    near_last = 0.5 * (quartic[2] + quartic[3]) + (l0 * w2 + 2.0 * l1 * w1 + m0 * a2 + 2.0 * m1 * a1) / 3.0
    return near_first, near_last


def _largest_distance(patches: np.ndarray) -> np.ndarray:
    """(nt,) bound of the distance of a patch from its flat triangle: that of control points from their places on it."""
    points = patches[:, : place.EDGE_SIDE].reshape(len(patches), -1, 3)
    weights = [[4, 0, 0], [0, 4, 0], [0, 0, 4], [3, 1, 0], [1, 3, 0], [0, 3, 1], [0, 1, 3], [1, 0, 3], [3, 0, 1]]
    weights += [[2, 2, 0], [0, 2, 2], [2, 0, 2], [2, 1, 1], [1, 2, 1], [1, 2, 1], [1, 1, 2], [1, 1, 2], [2, 1, 1]]
    flat = 0.25 * np.einsum("pc,tci->tpi", np.array(weights), points[:, :3])
    return np.linalg.norm(points - flat, axis=-1).max(axis=1)


def _fill_sides(patches, triangles, corners, normals, across, sharp) -> None:
    """At sharp edges the mean normal, at corners of sharp edges that weighted with angles; zero elsewhere."""
    patches[:, place.EDGE_SIDE : place.CORNER_SIDE] = (sharp[..., None] * unit_vectors(normals[:, None] + across)).reshape(-1, 9)
    ahead, back = np.roll(corners, -1, axis=1) - corners, np.roll(corners, 1, axis=1) - corners
    sine = np.linalg.norm(np.cross(ahead, back), axis=-1)
    angle = np.arctan2(sine, np.einsum("tci,tci->tc", ahead, back))
    count = int(triangles.max()) + 1
    total, is_sharp = np.zeros((count, 3)), np.zeros(count, dtype=bool)
    np.add.at(total, triangles, angle[..., None] * normals[:, None])
    is_sharp[triangles[sharp]] = True
    is_sharp[np.roll(triangles, -1, axis=1)[sharp]] = True
    sides = np.where(is_sharp[:, None], unit_vectors(total), 0.0)
    patches[:, place.CORNER_SIDE : place.BULGE] = sides[triangles].reshape(-1, 9)
