"""Plane outlines of straight edges and circular arcs: their area moments, and points for drawing.

An outline is a closed loop, one row per vertex: x, y, and optionally the bulge of the edge to the next vertex, tan of a
quarter of the angle its arc covers (0: straight, 1: half a circle bulging to the right of the way), as in DXF files.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import BodyError

# Gauss points per edge: exact to degree 9 on straight edges; on arcs up to half a circle the integrands are
# trigonometric polynomials of degree 5, integrated to rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
_SHARE = 0.5 * (_NODES + 1.0)
_ARC_STEP = np.pi / 18.0  # largest angle of a chord when drawn, rad


def as_loop(points: ArrayLike, what: str) -> np.ndarray:
    """(n, 3) x, y, bulge of a loop given as (n, 2) or (n, 3); BodyError when it is none or has repeated vertices."""
    try:
        loop = np.asarray(points, dtype=float)
    except (TypeError, ValueError):
        loop = np.zeros(0)
    if loop.ndim != 2 or loop.shape[1] not in (2, 3) or not np.all(np.isfinite(loop)):
        raise BodyError(f"{what}: an outline is a table of finite numbers with rows x, y or x, y, bulge (m)")
    if loop.shape[1] == 2:
        loop = np.column_stack([loop, np.zeros(len(loop))])
    if len(loop) > 1 and np.array_equal(loop[0, :2], loop[-1, :2]):
        loop = loop[:-1]  # a first vertex that is repeated at the end closes nothing that is not closed anyway
    if len(loop) < (2 if np.any(loop[:, 2]) else 3):
        raise BodyError(f"{what}: an outline needs at least three vertices (or two with arcs), got {len(loop)}")
    steps = np.linalg.norm(np.roll(loop[:, :2], -1, axis=0) - loop[:, :2], axis=1)
    if steps.min() <= 1e-12 * np.abs(steps).sum():
        raise BodyError(f"{what}: vertex {int(steps.argmin())} of an outline coincides with the next one")
    if np.abs(loop[:, 2]).max() > 1.0 + 1e-12:
        raise BodyError(f"{what}: a bulge above 1 is more than half a circle; split that arc in two")
    return loop


def circle(x: float, y: float, radius: float) -> np.ndarray:
    """(2, 3) outline of a circle (m)."""
    return np.array([[x - radius, y, 1.0], [x + radius, y, 1.0]])


def reversed_loop(loop: np.ndarray) -> np.ndarray:
    """The same outline run through the other way."""
    return np.column_stack([loop[::-1, :2], -np.roll(loop[::-1, 2], -1)])


def moment(loop: np.ndarray, i: int, j: int) -> float:
    """int x^i y^j dA over the inside of an anticlockwise loop, m^(2+i+j): Green's theorem, edge by edge; i + j <= 3."""
    start, end = loop[:, :2], np.roll(loop[:, :2], -1, axis=0)
    x, y, dy = _edge_points(start, end, loop[:, 2])
    return float(np.sum(0.5 * _WEIGHTS * x ** (i + 1) * y**j * dy) / (i + 1))


def moments_with_holes(loops: Sequence[np.ndarray], i: int, j: int) -> float:
    """The same over the first loop (anticlockwise) without the others (clockwise)."""
    return sum(moment(loop, i, j) for loop in loops)


def _edge_points(start: np.ndarray, end: np.ndarray, bulge: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, y and dy/ds (edges, points) at the Gauss points s of [0, 1] of every edge."""
    chord = end - start
    line = start[:, None] + _SHARE[:, None] * chord[:, None]
    x, y = line[..., 0].copy(), line[..., 1].copy()
    dy = np.repeat(chord[:, 1:2], len(_SHARE), axis=1)
    for edge in np.flatnonzero(bulge):
        center, radius, first, angle = arc(start[edge], end[edge], bulge[edge])
        turn = first + angle * _SHARE
        x[edge], y[edge] = center[0] + radius * np.cos(turn), center[1] + radius * np.sin(turn)
        dy[edge] = angle * radius * np.cos(turn)
    return x, y, dy


def arc(start: np.ndarray, end: np.ndarray, bulge: float) -> tuple[np.ndarray, float, float, float]:
    """Centre (2,) m, radius m, angle of the start and signed angle covered (rad) of an arc."""
    chord = end - start
    normal = np.array([-chord[1], chord[0]])
    center = 0.5 * (start + end) + normal * (1.0 - bulge**2) / (4.0 * bulge)
    arm = start - center
    return center, float(np.hypot(*arm)), float(np.arctan2(arm[1], arm[0])), 4.0 * float(np.arctan(bulge))


def drawn_points(loop: np.ndarray) -> np.ndarray:
    """(k, 2) m: the loop with every arc as chords of at most ten degrees."""
    found = []
    for row, following in zip(loop, np.roll(loop, -1, axis=0), strict=True):
        found.append(row[None, :2])
        if row[2]:
            center, radius, first, angle = arc(row[:2], following[:2], row[2])
            count = int(np.ceil(abs(angle) / _ARC_STEP - 1e-9))
            turns = first + angle * np.arange(1, count) / count
            found.append(center + radius * np.column_stack([np.cos(turns), np.sin(turns)]))
    return np.concatenate(found)


def checked_loops(outline: ArrayLike, holes: Sequence[ArrayLike], what: str) -> list[np.ndarray]:
    """The outline anticlockwise and its holes clockwise.

    BodyError when one crosses itself or another, lies outside the outline or within another hole.
    """
    loops = [as_loop(outline, what), *(as_loop(hole, f"{what}, hole {k + 1}") for k, hole in enumerate(holes))]
    names = ["the outline", *(f"hole {k + 1}" for k in range(len(holes)))]
    drawn = [drawn_points(loop) for loop in loops]
    for k, points in enumerate(drawn):
        if _crossings(points, points, same=True):
            raise BodyError(f"{what}: {names[k]} crosses itself")
        for other in range(k):
            if _crossings(points, drawn[other], same=False):
                raise BodyError(f"{what}: {names[k]} crosses {names[other]}")
            if inside(points[0], drawn[other]) != (other == 0) or (other and inside(drawn[other][0], points)):
                wrong = "lies outside the outline" if other == 0 else f"and {names[other]} overlap"
                raise BodyError(f"{what}: {names[k]} {wrong}")
    areas = [moment(loop, 0, 0) for loop in loops]
    if areas[0] == 0.0:
        raise BodyError(f"{what}: the outline encloses no area")
    return [
        loop if (area > 0.0) == (k == 0) else reversed_loop(loop) for k, (loop, area) in enumerate(zip(loops, areas, strict=True))
    ]


def inside(point: np.ndarray, polygon: np.ndarray) -> bool:
    """Whether a point (2,) lies within a polygon (k, 2), by counting crossings of a ray."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    spans = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
    a, b = a[spans], b[spans]
    at = a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
    return bool(np.count_nonzero(at > point[0]) % 2)


def _crossings(first: np.ndarray, second: np.ndarray, same: bool) -> bool:
    """Whether edges of two polygons meet (of the same one: edges that are no neighbours)."""
    a, b = first[:, None], np.roll(first, -1, axis=0)[:, None]
    c, d = second[None], np.roll(second, -1, axis=0)[None]
    meet = (_side(a, b, c) * _side(a, b, d) <= 0.0) & (_side(c, d, a) * _side(c, d, b) <= 0.0)
    # edges on one line meet only where their boxes do
    low, high = np.minimum(a, b), np.maximum(a, b)
    meet &= np.all((low <= np.maximum(c, d)) & (high >= np.minimum(c, d)), axis=-1)
    if same:
        count = len(first)
        rows = np.arange(count)
        for step in (-1, 0, 1):
            meet[rows, (rows + step) % count] = False
    return bool(meet.any())


def _side(a: np.ndarray, b: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Sign of the area of the triangles a, b, point."""
    ab, ap = b - a, point - a
    return np.sign(ab[..., 0] * ap[..., 1] - ab[..., 1] * ap[..., 0])
