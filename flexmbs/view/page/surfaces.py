"""Faces of VTK as triangles, with the edges to draw, and their points in the order in which a walk meets them.

The walk crosses one edge after another. Most triangles it meets bring a new point, or close the gap beside the triangle
before, so that one symbol for each edge says which triangles there are; and each new point has three neighbours before
it, from which its place and its fields are predicted: the fourth corner of a parallelogram. ``web/decode.js`` takes the
same walk.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

#: Edges between faces whose normals differ by less than this angle are not drawn on shapes without a mesh.
SHARP = np.deg2rad(30.0)


class Triangles(NamedTuple):
    """``corners`` (k, 3) indices of points; ``hidden`` (k,) uint8: bit i is set if the edge from corner i is none."""

    corners: np.ndarray
    hidden: np.ndarray


def triangulated(faces: np.ndarray) -> Triangles:
    """Triangles of faces in VTK style [count, i, j, ...]; sides of triangles inside a face are hidden.

    Rings of six and eight points are taken for faces with middle nodes: a triangle in each corner, and the rest.
    """
    corners, hidden = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.uint8)]
    for count, rings in polygons(faces).items():
        if count < 3:
            continue
        pattern, flags = _pattern(count)
        corners.append(rings[:, pattern].reshape(-1, 3))
        hidden.append(np.tile(flags, len(rings)))
    return Triangles(np.concatenate(corners), np.concatenate(hidden))


def polygons(faces: np.ndarray) -> dict[int, np.ndarray]:
    """Faces in VTK style, by their number of points: (k, number) indices."""
    starts, at = [], 0
    flat = np.asarray(faces, dtype=np.int64)
    if len(flat) and len(flat) % (flat[0] + 1) == 0 and np.all(flat[:: flat[0] + 1] == flat[0]):
        return {int(flat[0]): flat.reshape(-1, flat[0] + 1)[:, 1:]}
    while at < len(flat):
        starts.append(at)
        at += int(flat[at]) + 1
    places = np.array(starts, dtype=np.int64)
    counts = flat[places] if len(places) else np.zeros(0, np.int64)
    return {int(n): flat[places[counts == n][:, None] + 1 + np.arange(n)] for n in np.unique(counts)}


def _pattern(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles (k, 3) of a ring of points, and which of their sides are inside (bits)."""
    if count in (6, 8):
        middles = np.arange(1, count, 2)
        tips = np.stack([np.roll(middles, 1), np.arange(0, count, 2), middles], axis=1)
        inner = [middles[[0, k, k + 1]] for k in range(1, len(middles) - 1)]
        triangles = np.concatenate([tips, np.array(inner)])
    else:
        triangles = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    following = np.roll(triangles, -1, axis=1)
    inside = (following - triangles) % count != 1
    return triangles, (inside @ np.array([1, 2, 4])).astype(np.uint8)


def smooth_hidden(points: np.ndarray, triangles: Triangles) -> np.ndarray:
    """``hidden`` with the edges between faces of nearly the same normal hidden too (a shape, not a mesh)."""
    corners = triangles.corners
    normals = np.cross(points[corners[:, 1]] - points[corners[:, 0]], points[corners[:, 2]] - points[corners[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]
    ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
    keys = np.sort(ends, axis=1) @ np.array([len(points), 1])
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    one, other = order[same], order[same + 1]
    flat = np.einsum("ij,ij->i", normals[one // 3], normals[other // 3]) > np.cos(SHARP)
    hide = np.zeros(len(keys), dtype=bool)
    hide[one[flat]] = hide[other[flat]] = True
    return triangles.hidden | (hide.reshape(-1, 3) @ np.array([1, 2, 4])).astype(np.uint8)


#: Symbols of an edge: no triangle, one with a new point, with the next point along the border from its end or before
#: its start, with any other point, whose number stands in ``jumps``.
NONE, NEW, AFTER, BEFORE, OTHER = range(5)


@dataclass(frozen=True)
class SurfaceOrder:
    """A walk over triangles.

    Attributes
    ----------
    points : (n,) numbers of the points in their new order
    triangles : (k,) numbers of the triangles in the order of the walk
    first : (k,) uint8, the corner of each triangle that stands first
    symbols : (m,) uint8
    jumps : (j,) int, points that symbols do not say: how far back from the next new point; 0 is that point
    parents : (n, 3) int, new numbers a, b, c of three points before each: it is near a + b - c
    """

    points: np.ndarray
    triangles: np.ndarray
    first: np.ndarray
    symbols: np.ndarray
    jumps: np.ndarray
    parents: np.ndarray


def surface_order(triangles: np.ndarray, count: int) -> SurfaceOrder:
    """The walk over ``triangles`` (k, 3) of ``count`` points; points that no triangle has stand last."""
    walk = _Walk(triangles.tolist())
    walk.run()
    found = np.array(walk.points, dtype=np.int64)
    rest = np.setdiff1d(np.arange(count), found)
    before = np.maximum(np.arange(len(found), count) - 1, 0)
    return SurfaceOrder(
        np.concatenate([found, rest]),
        np.array(walk.triangles, dtype=np.int64),
        np.array(walk.first, dtype=np.uint8),
        np.array(walk.symbols, dtype=np.uint8),
        np.array(walk.jumps, dtype=np.int64),
        np.concatenate([np.array(walk.parents, dtype=np.int64).reshape(-1, 3), np.repeat(before[:, None], 3, axis=1)]),
    )


class _Walk:
    """Edges still to cross, with the point on the near side; what lies at the border of the part that was walked."""

    def __init__(self, triangles: list[list[int]]) -> None:
        self.given = triangles
        self.at_edge: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for row, (a, b, c) in enumerate(triangles):
            for corner, edge in enumerate(((a, b), (b, c), (c, a))):
                self.at_edge.setdefault(edge, []).append((row, corner))
        self.number: dict[int, int] = {}  # of a point in the new order
        self.points: list[int] = []
        self.parents: list[tuple[int, int, int]] = []
        self.triangles: list[int] = []
        self.first: list[int] = []
        self.symbols: list[int] = []
        self.jumps: list[int] = []
        self.done = [False] * len(triangles)
        self.used: set[tuple[int, int]] = set()
        self.edges: deque[tuple[int, int, int]] = deque()
        self.after: dict[int, int] = {}
        self.before: dict[int, int] = {}

    def run(self) -> None:
        for row in range(len(self.given)):
            if not self.done[row]:
                self._start(row)
                while self.edges:
                    self._cross(*self.edges.popleft())

    def _start(self, row: int) -> None:
        for point in self.given[row]:
            self.jumps.append(len(self.points) - self.number.get(point, len(self.points)))
            last = max(len(self.points) - 1, 0)
            self._numbered(point, (last, last, last))
        self._take(row, 0)

    def _numbered(self, point: int, parents: tuple[int, int, int]) -> None:
        if point not in self.number:
            self.number[point] = len(self.points)
            self.points.append(point)
            self.parents.append(parents)

    def _take(self, row: int, corner: int) -> None:
        a, b, c = self.given[row][corner:] + self.given[row][:corner]
        self.done[row] = True
        self.triangles.append(row)
        self.first.append(corner)
        self.used.update(((a, b), (b, c), (c, a)))
        for start, end, opposite in ((b, a, c), (c, b, a), (a, c, b)):
            if (start, end) not in self.used:
                self.edges.append((start, end, opposite))
                self.after[start], self.before[end] = end, start

    def _cross(self, start: int, end: int, opposite: int) -> None:
        if (start, end) in self.used:
            return
        beyond = [found for found in self.at_edge.get((start, end), ()) if not self.done[found[0]]]
        if not beyond:
            self.symbols.append(NONE)
            return
        row, corner = beyond[0]
        point = self.given[row][(corner + 2) % 3]
        if point not in self.number:
            self.symbols.append(NEW)
            self._numbered(point, (self.number[start], self.number[end], self.number[opposite]))
        elif self.after.get(end) == point:
            self.symbols.append(AFTER)
        elif self.before.get(start) == point:
            self.symbols.append(BEFORE)
        else:
            self.symbols.append(OTHER)
            self.jumps.append(len(self.points) - self.number[point])
        self._take(row, corner)
