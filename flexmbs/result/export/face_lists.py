"""Polygons of a surface as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Faces:
    """Polygons: ``connectivity`` (c,) point indices, ``offsets`` (faces + 1,) where each begins in it."""

    connectivity: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def of_vtk(faces: np.ndarray) -> Faces:
        """From a list [count, i, j, k, count, ...]."""
        numbers, starts, at = np.asarray(faces, dtype=np.int64), [], 0
        values = numbers.tolist()
        while at < len(values):
            starts.append(at)
            at += 1 + values[at]
        sizes = numbers[starts] if starts else np.zeros(0, dtype=np.int64)
        return Faces(np.delete(numbers, starts), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @property
    def sizes(self) -> np.ndarray:
        """(faces,) number of points of each."""
        return np.diff(self.offsets)

    def triangles(self) -> np.ndarray:
        """(t, 3) point indices; concave polygons are not cut properly: their triangles overlap.

        Those of six and eight points are mostly faces with midside nodes: no triangle has its points on one edge.
        """
        found = []
        for size in np.unique(self.sizes):
            if size < 3:
                continue
            rows = self.connectivity[self.offsets[:-1][self.sizes == size][:, None] + np.arange(size)]
            found += [rows[:, list(corners)] for corners in _cut(int(size))]
        return np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)


def _cut(size: int) -> list[tuple[int, int, int]]:
    """Triangles of a convex polygon: a fan, or with six and eight points the corners and what is between them."""
    if size == 6:
        return [(0, 1, 5), (1, 2, 3), (3, 4, 5), (1, 3, 5)]
    if size == 8:
        return [(0, 1, 7), (1, 2, 3), (3, 4, 5), (5, 6, 7), (1, 3, 5), (1, 5, 7)]
    return [(0, i, i + 1) for i in range(1, size - 1)]
