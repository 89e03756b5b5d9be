"""Surfaces of parts, each once: points and triangles as they are stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.view.page.quantised import Quantised, whole
from flexmbs.view.page.surfaces import smooth_hidden, triangulated

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
    stored = Quantised(np.round((points - low) / step).astype(np.int64)[None], step, low[None])
    error = float(np.linalg.norm(stored.values()[0] - points, axis=1).max(initial=0.0))
    return Shape(stored, error, whole(triangles.corners, "u32"), hidden if hidden.any() else None, lines)
