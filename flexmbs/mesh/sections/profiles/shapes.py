"""Plane shapes that profiles are made of: unions of rectangles, quadrilaterals side by side, or closed forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError

# Coordinates nearer to each other than this part of the section are one; thinner walls are refused.
_SAME = 1e-7
_THINNEST = 1e-5


@dataclass(frozen=True)
class Shape:
    """A plane region as quadrilaterals that share whole edges, y and z in the axes of the profile.

    Attributes
    ----------
    cells : (k, 4, 2) corners, counterclockwise
    grid : the two rising lists of coordinates, when the cells are those of a rectangular grid; else None
    origin : (y, z) of the profile's own origin in these coordinates
    """

    cells: np.ndarray
    grid: tuple[np.ndarray, np.ndarray] | None = None
    origin: tuple[float, float] = (0.0, 0.0)

    def moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Area, centroid (2,) and second moments (2, 2) about it: the integrals of y y, y z, z z (exact)."""
        reference = self.cells.mean(axis=(0, 1))
        p = self.cells - reference
        q = np.roll(p, -1, axis=1)
        cross = p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0]
        area = float(cross.sum()) / 2.0
        first = np.einsum("ke,kei->i", cross, p + q) / 6.0
        mixed = np.einsum("ke,kei,kej->ij", cross, p, q)
        second = np.einsum("ke,kei,kej->ij", cross, p, p) + np.einsum("ke,kei,kej->ij", cross, q, q)
        second = second / 12.0 + (mixed + mixed.T) / 24.0
        centroid = first / area
        return area, reference + centroid, second - area * np.outer(centroid, centroid)

    def outline(self) -> np.ndarray:
        """(m, 2) the outer boundary as a closed polygon, without the points inside straight edges."""
        corners, loop_edges = _boundary(self.cells)
        following = {first: second for first, second in loop_edges}
        loops = []
        while following:
            start, node = next(iter(following.items()))
            loop = [start]
            del following[start]
            while node != start and node in following:
                loop.append(node)
                node = following.pop(node)
            loops.append(corners[loop])
        return _without_straight_points(max(loops, key=lambda points: abs(_area(points))))


def from_rectangles(*rectangles: Sequence[float]) -> Shape:
    """The union of rectangles (y low, y high, z low, z high), which may overlap.

    Raises MeshError when a wall is too thin against the section for its torsion to be computed, or when the
    rectangles do not touch.
    """
    boxes = np.array(rectangles, float)
    size = max(np.ptp(boxes[:, :2]), np.ptp(boxes[:, 2:]))
    y, z = _merged(boxes[:, :2], _SAME * size), _merged(boxes[:, 2:], _SAME * size)
    thinnest = min(np.diff(boxes[:, :2]).min(), np.diff(boxes[:, 2:]).min())
    if thinnest < _THINNEST * size:
        raise MeshError(
            f"a wall thickness of {thinnest:g} is too small for a section of size {size:g}; give the section by its"
            " area and moments of inertia."
        )
    middle_y, middle_z = ((edges[:-1] + edges[1:]) / 2.0 for edges in (y, z))
    inside = np.zeros((len(middle_y), len(middle_z)), bool)
    for low_y, high_y, low_z, high_z in boxes:
        inside |= np.outer((middle_y > low_y) & (middle_y < high_y), (middle_z > low_z) & (middle_z < high_z))
    if _pieces(inside) > 1:
        raise MeshError("the section consists of separate pieces; check its dimensions.")
    return Shape(grid_cells(y, z, inside), (y, z))


def grid_cells(y: np.ndarray, z: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(k, 4, 2) corners of the cells of a rectangular grid that are inside."""
    i, j = np.nonzero(inside)
    corners = [(y[i], z[j]), (y[i + 1], z[j]), (y[i + 1], z[j + 1]), (y[i], z[j + 1])]
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)


def from_quadrilaterals(*quadrilaterals: Sequence[Sequence[float]]) -> Shape:
    """Quadrilaterals with whole edges in common; one with clockwise corners is turned around."""
    cells = np.array(quadrilaterals, float)
    for cell in cells:
        if _area(cell) < 0.0:
            cell[:] = cell[::-1].copy()
    turns = [np.roll(cells, -1, axis=1) - cells, cells - np.roll(cells, 1, axis=1)]
    if (turns[1][..., 0] * turns[0][..., 1] - turns[1][..., 1] * turns[0][..., 0]).min() < -1e-12 * np.ptp(cells) ** 2:
        raise MeshError("the corners of a quadrilateral must be in order around it, and it must be convex.")
    if min(_area(cell) for cell in cells) < _THINNEST * np.ptp(cells) ** 2:
        raise MeshError("a quadrilateral of the section has no area.")
    return Shape(cells)


def _pieces(inside: np.ndarray) -> int:
    from scipy.ndimage import label

    return label(inside)[1]


def _merged(values: np.ndarray, tolerance: float) -> np.ndarray:
    values = np.unique(values)
    return values[np.concatenate([[True], np.diff(values) > tolerance])]


def _area(points: np.ndarray) -> float:
    y, z = points.T
    return float(np.sum(y * np.roll(z, -1) - z * np.roll(y, -1))) / 2.0


def numbered(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct points (n, 2) and for every point (...) its number, points nearer than 1e-9 of the whole being one."""
    flat = points.reshape(-1, 2)
    low, size = flat.min(axis=0), np.ptp(flat, axis=0).max()
    keys = np.rint((flat - low) * (1e9 / size)).astype(np.int64)
    _, first, number = np.unique(keys[:, 0] * 2_000_000_011 + keys[:, 1], return_index=True, return_inverse=True)
    return flat[first], number.reshape(points.shape[:-1])


def _boundary(cells: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    corners, cells_by_number = numbered(cells)
    edges = np.stack([cells_by_number, np.roll(cells_by_number, -1, axis=1)], axis=-1).reshape(-1, 2)
    known = {(int(a), int(b)) for a, b in edges if a != b}
    return corners, [edge for edge in known if edge[::-1] not in known]


def _without_straight_points(points: np.ndarray) -> np.ndarray:
    before, after = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return points[np.abs(turn) > 1e-12 * np.ptp(points) ** 2]
