"""Points of a surface in the order in which a walk over its triangles meets them.

The walk crosses one edge after another. Most triangles it meets bring a new point, or close the gap beside the triangle
before, so that one symbol for each edge says which triangles there are; and each new point has three neighbours before
it, from which its place and its fields are predicted: the fourth corner of a parallelogram. ``web/decode.js`` takes the
same walk.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

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
