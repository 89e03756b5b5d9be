"""Surfaces of parts, each once: their points and triangles in the order in which they are stored."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.view.page.quantised import Quantised, Surface
from flexmbs.view.page.surfaces import smooth_hidden, surface_order, triangulated

_CELLS = 65535  # of the longest side of a part


@dataclass(frozen=True, eq=False)
class Shape:
    """A surface as stored.

    Attributes
    ----------
    order : (n,) numbers of the points given, in the order in which they are stored
    points : quantised, m; error : m, largest distance of a stored point from the one given
    surface : its triangles; hidden : (k,) uint8, sides of triangles that are no edges (None: all are)
    lines : (j, 2) pairs of stored points
    """

    order: np.ndarray
    points: Quantised
    error: float
    surface: Surface
    hidden: np.ndarray | None
    lines: np.ndarray


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
    found = surface_order(triangles.corners, len(points))
    number = np.empty(len(points), dtype=np.int64)
    number[found.points] = np.arange(len(points))
    surface = Surface(found.symbols, found.jumps, len(points), len(triangles.corners), found.parents)
    stored = _stored_points(points[found.points], surface)
    error = float(np.linalg.norm(stored.values()[0] - points[found.points], axis=1).max(initial=0.0))
    turned = _turned(hidden[found.triangles], found.first)
    return Shape(found.points, stored, error, surface, turned if turned.any() else None, number[lines])


def _stored_points(points: np.ndarray, surface: Surface) -> Quantised:
    low = points.min(axis=0)
    step = float(np.ptp(points, axis=0).max()) / _CELLS or 1.0
    numbers = np.round((points - low) / step).astype(np.int64)[None]
    return Quantised(numbers, step, low[None], surface)


def _turned(hidden: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Bits of sides, of triangles of which another corner stands first."""
    bits = hidden[:, None] >> ((first[:, None] + np.arange(3)) % 3) & 1
    return (bits @ np.array([1, 2, 4])).astype(np.uint8)
