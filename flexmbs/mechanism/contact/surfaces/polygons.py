"""Faces of a surface as rows of eight nodes: triangles of 6 and quadrilaterals of 8, corners first."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

#: Corners, then middles of the edges 0-1, 1-2 ...; faces in VTK lists go round: a corner, a middle, a corner ...
_CORNERS_FIRST = {6: [0, 2, 4, 1, 3, 5], 8: [0, 2, 4, 6, 1, 3, 5, 7]}
NONE = -1


@dataclass(frozen=True)
class Faces:
    """Faces over points that move with the terms of a body.

    Attributes
    ----------
    points : (np, 3) m, undeformed, body axes
    fields : (terms, np, 3) displacement by each term; modes first
    corners : (nf, 4) indices of corners; -1 behind those of triangles
    middles : (nf, 4) indices of the points in the middle of the edges from each corner to the next; -1: a straight edge
    """

    points: np.ndarray
    fields: np.ndarray
    corners: np.ndarray
    middles: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """(nf,) corners of each face."""
        return np.count_nonzero(self.corners >= 0, axis=1)

    def nodes(self) -> np.ndarray:
        """(nf, 9): how many nodes, the corners, the middles; every edge must have its middle."""
        rows = np.zeros((len(self.corners), 9), dtype=np.int64)
        for count in (3, 4):
            own = self.counts == count
            rows[own, 0] = 2 * count
            rows[own, 1 : 1 + count] = self.corners[own, :count]
            rows[own, 1 + count : 1 + 2 * count] = self.middles[own, :count]
        return rows

    def centres(self) -> np.ndarray:
        """(nf, 3) m, means of the nodes."""
        chosen = np.concatenate([self.corners, self.middles], axis=1)
        weights = (chosen >= 0)[:, :, None]
        return (weights * self.points[chosen]).sum(axis=1) / weights.sum(axis=1)

    def only(self, chosen: np.ndarray) -> Faces:
        """The chosen faces with the points that they need."""
        corners, middles = self.corners[chosen], self.middles[chosen]
        used = np.unique(np.concatenate([corners[corners >= 0], middles[middles >= 0]]))
        number = np.full(len(self.points) + 1, NONE)  # the last: of -1
        number[used] = np.arange(len(used))
        return replace(
            self, points=self.points[used], fields=self.fields[:, used], corners=number[corners], middles=number[middles]
        )

    def edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(k,) face, (k,) edge in the face and (k, 2) corners of every edge of every face."""
        counts = self.counts
        face = np.repeat(np.arange(len(counts)), counts)
        edge = np.concatenate([np.arange(count) for count in counts]) if len(counts) else np.zeros(0, dtype=int)
        following = (edge + 1) % counts[face]
        return face, edge, np.column_stack([self.corners[face, edge], self.corners[face, following]])


def faces_from_list(points: np.ndarray, faces: np.ndarray, fields: np.ndarray) -> Faces:
    """From faces in VTK style [count, i, j, k, ...] with 3, 4, 6 or 8 points; other polygons as triangles."""
    corners, middles, at = [], [], 0
    while at < len(faces):
        count = int(faces[at])
        row = [int(i) for i in faces[at + 1 : at + 1 + count]]
        at += 1 + count
        if count in _CORNERS_FIRST:
            row = [row[i] for i in _CORNERS_FIRST[count]]
            half = count // 2
            corners.append(row[:half] + [NONE] * (4 - half))
            middles.append(row[half:] + [NONE] * (4 - half))
            continue
        for part in [row] if count in (3, 4) else [[row[0], row[i], row[i + 1]] for i in range(1, count - 1)]:
            corners.append(part + [NONE] * (4 - len(part)))
            middles.append([NONE] * 4)
    shape = (-1, 4)
    return Faces(
        np.asarray(points, dtype=float),
        fields,
        np.array(corners, dtype=np.int64).reshape(shape),
        np.array(middles, dtype=np.int64).reshape(shape),
    )
