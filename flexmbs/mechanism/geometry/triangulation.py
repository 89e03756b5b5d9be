"""Triangles of a polygon with holes, for drawing: ear clipping."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def triangulate(loops: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 2) of all loops in order and anticlockwise triangles (nt, 3) that cover the polygon.

    Parameters
    ----------
    loops : the outline anticlockwise, then its holes clockwise, (k, 2) each; none may cross another or itself

    Ear clipping after holes are joined to the outline by bridges (Eberly, Triangulation by Ear Clipping, 2002). Every
    vertex is used, also on straight edges: neighbouring faces meet without gaps.
    """
    points = np.concatenate(loops)
    starts = np.cumsum([0, *(len(loop) for loop in loops)])
    rings = [np.arange(first, last) for first, last in zip(starts[:-1], starts[1:], strict=True)]
    ring = rings[0]
    waiting = sorted(rings[1:], key=lambda hole: -points[hole, 0].max())
    while waiting:
        hole = waiting.pop(0)
        ring = _bridged(points, ring, hole, [ring, hole, *waiting])
    return points, _clipped(points, list(ring))


def _bridged(points: np.ndarray, ring: np.ndarray, hole: np.ndarray, obstacles: list[np.ndarray]) -> np.ndarray:
    """The ring with the hole let in along the shortest line between their vertices that meets no edge."""
    distances = np.linalg.norm(points[ring][:, None] - points[hole][None], axis=-1)
    ends = np.array([[a, b] for loop in obstacles for a, b in zip(loop, np.roll(loop, -1), strict=True)])
    for flat in np.argsort(distances, axis=None, kind="stable"):
        i, j = np.unravel_index(flat, distances.shape)
        if not _meets(points, ring[i], hole[j], ends) and _opens_inward(points, ring, i, points[hole[j]]):
            around = np.roll(hole, -j)
            return np.concatenate([ring[: i + 1], around, around[:1], ring[i:]])
    raise AssertionError("a hole within a polygon sees one of its vertices")


def _meets(points: np.ndarray, a: int, b: int, ends: np.ndarray) -> bool:
    """Whether the line from a to b meets an edge that does not end at the place of a or b."""
    p, q, c, d = points[a], points[b], points[ends[:, 0]], points[ends[:, 1]]
    free = ~np.any([np.all(end == place, axis=-1) for end in (c, d) for place in (p, q)], axis=0)
    crossing = (_area(p, q, c) * _area(p, q, d) <= 0.0) & (_area(c, d, p) * _area(c, d, q) <= 0.0)
    return bool(np.any(crossing & free))


def _opens_inward(points: np.ndarray, ring: np.ndarray, i: int, target: np.ndarray) -> bool:
    """Whether the way from vertex i of the ring to ``target`` starts between its two edges (inside the polygon)."""
    here, before, after = points[ring[i]], points[ring[i - 1]], points[ring[(i + 1) % len(ring)]]
    left_of_in, left_of_out = _area(before, here, target) > 0.0, _area(here, after, target) > 0.0
    convex = _area(before, here, after) > 0.0
    return bool(left_of_in and left_of_out) if convex else bool(left_of_in or left_of_out)


def _clipped(points: np.ndarray, ring: list[int]) -> np.ndarray:
    triangles = []
    while len(ring) > 3:
        ear = _find_ear(points[ring])
        triangles.append([ring[ear - 1], ring[ear], ring[(ear + 1) % len(ring)]])
        del ring[ear]
    return np.array([*triangles, ring])


def _find_ear(corners: np.ndarray) -> int:
    """Index of a convex corner whose triangle holds no other corner; the most convex one where rounding leaves none."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    areas = _area(before, corners, after)
    blunt = corners[areas <= 0.0]
    for index in np.flatnonzero(areas > 0.0):
        a, b, c = before[index], corners[index], after[index]
        within = (_area(a, b, blunt) >= 0.0) & (_area(b, c, blunt) >= 0.0) & (_area(c, a, blunt) >= 0.0)
        others = ~np.any([np.all(blunt == corner, axis=-1) for corner in (a, b, c)], axis=0)
        if not np.any(within & others):
            return int(index)
    return int(areas.argmax())


def _area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Twice the signed area of triangles."""
    ab, ac = b - a, c - a
    return ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0]
