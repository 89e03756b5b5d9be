"""Surfaces of parts, each once: points and triangles as they are stored, with the edges to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from flexmbs.view.page.numbers import Quantised, multiples, whole
from flexmbs.view.solids import polygons

_CELLS = 65535  # of the longest side of a part


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface as stored."""

    points: Quantised  # m
    error: float  # m, largest distance of a stored point from the one given
    triangles: Quantised  # corners
    hidden: np.ndarray | None  # (k,) uint8, sides of triangles that are no edges (None: all are)
    lines: np.ndarray  # (j, 2) pairs of points


class Shapes:
    """Shapes by their content."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, bytes, bytes, bool], Shape] = {}

    def shape(self, points: np.ndarray, faces: np.ndarray, lines: np.ndarray, mesh: bool) -> Shape:
        """The shape of points (n, 3) m, VTK faces, lines (j, 2); all edges of a ``mesh`` are drawn, else sharp ones."""
        key = points.tobytes(), faces.tobytes(), lines.tobytes(), mesh
        if key not in self._known:
            self._known[key] = _shape(points, faces, lines, mesh)
        return self._known[key]


def _shape(points: np.ndarray, faces: np.ndarray, lines: np.ndarray, mesh: bool) -> Shape:
    triangles = triangulated(faces)
    hidden = triangles.hidden if mesh else smooth_hidden(points, triangles)
    low = points.min(axis=0)
    step = float(np.ptp(points, axis=0).max()) / _CELLS or 1.0
    stored = Quantised(multiples(points - low, step), step, low)
    error = float(np.linalg.norm(stored.values() - points, axis=1).max(initial=0.0))
    return Shape(stored, error, whole(triangles.corners), hidden if hidden.any() else None, lines)


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
