"""The face of a surface that is nearest to a point, and the place on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, ElementKind, shape_gradients, shape_values

if TYPE_CHECKING:  # imported where it is needed: it takes a tenth of a second
    from scipy.spatial import cKDTree

_AT_ONCE = 2000  # points whose possible faces are listed together: bounds the memory
_NEWTON_STEPS = 12
_EQUAL = 1e-9  # of the size of faces: of equally near ones the first counts, not round-off


@dataclass(frozen=True)
class NearestFaces:
    """For each of m points the nearest face.

    Attributes
    ----------
    kind : (m,) str
    nodes : (m, 8) int, of the face, padded with -1
    values : (m, 8) shape functions of the place on the face
    gap : (m,) m, to that place
    size : (m,) m, of the face
    """

    kind: np.ndarray
    nodes: np.ndarray
    values: np.ndarray
    gap: np.ndarray
    size: np.ndarray


def nearest_faces(points: np.ndarray, nodes: np.ndarray, faces: dict[str, np.ndarray], reach: float = np.inf) -> NearestFaces:
    """The faces that are nearest to nodes, whatever the sizes of the faces.

    Parameters
    ----------
    points : (nn, 3) m
    nodes : (m,) int
    faces : kind -> (k, width) nodes
    reach : m
        Farther away the nearest face need not be found: what is then reported is farther than this too.
    """
    count = len(nodes)
    best = NearestFaces(
        np.full(count, "", dtype=object), np.full((count, 8), -1), np.zeros((count, 8)), np.full(count, np.inf), np.ones(count)
    )
    groups = [group for kind, rows in faces.items() for group in _of_like_size(kind, points, rows)]
    for group in groups:
        _, face = group.centers.query(points[nodes])  # how near the nearest face must be
        _improve(best, group, points[nodes], np.arange(count), face)
    for group in groups:
        for start in range(0, count, _AT_ONCE):
            at = np.arange(start, min(start + _AT_ONCE, count))
            near = np.minimum(best.gap[at], reach)
            found = group.centers.query_ball_point(points[nodes[at]], near + (1.0 + _EQUAL) * group.radius)
            at, face = np.repeat(at, [len(own) for own in found]), np.concatenate(found).astype(int)
            bound = np.minimum(best.gap[at], reach) + _EQUAL * group.radius
            possible = group.away(points[nodes[at]], face) <= bound
            _improve(best, group, points[nodes], at[possible], face[possible])
    return best


def face_sizes(corners: np.ndarray) -> np.ndarray:
    """(k,) m, diagonals of the boxes around faces (k, width, 3)."""
    return np.linalg.norm(np.ptp(corners, axis=1), axis=1)


@dataclass(frozen=True)
class _Group:
    """Faces of one kind and similar size: their nodes, corners (k, width, 3), centres and bounding boxes."""

    kind: str
    rows: np.ndarray
    corners: np.ndarray
    centers: cKDTree
    radius: float
    low: np.ndarray
    high: np.ndarray

    def away(self, points: np.ndarray, face: np.ndarray) -> np.ndarray:
        """(m,) m, of points (m, 3) from the box around a face each: the face is no nearer."""
        outside = np.maximum(self.low[face] - points, points - self.high[face])
        return np.linalg.norm(np.maximum(outside, 0.0), axis=1)


def _of_like_size(kind: str, points: np.ndarray, rows: np.ndarray) -> list[_Group]:
    """Groups whose sizes differ by less than a factor 2: one long face shall not widen the search among short ones."""
    from scipy.spatial import cKDTree

    known = KINDS[kind]
    nodal = points[rows]
    corners = nodal[:, : known.corner_count]
    centers = corners.mean(axis=1)
    # Midside nodes off the middle of their edge move the face by at most twice their offset (sum of their shape
    # functions at the centre of a quad8).
    bulge = np.zeros((len(rows), 1))
    for edge, middle in zip(known.edges, nodal.transpose(1, 0, 2)[known.corner_count :], strict=False):
        offset = np.linalg.norm(middle - corners[:, list(edge)].mean(axis=1), axis=1)
        bulge = np.maximum(bulge, 2.0 * offset[:, None])
    if known.inner_count:  # their shape functions reach 1
        bulge += np.linalg.norm(nodal[:, -known.inner_count :] - centers[:, None], axis=2).max(axis=1)[:, None]
    radius = np.linalg.norm(corners - centers[:, None], axis=2).max(axis=1) + bulge[:, 0]
    low, high = corners.min(axis=1) - bulge, corners.max(axis=1) + bulge
    order = np.floor(np.log2(np.maximum(radius, np.finfo(float).tiny)))
    groups = []
    for own in (order == value for value in np.unique(order)):
        tree = cKDTree(centers[own])
        groups.append(_Group(kind, rows[own], nodal[own], tree, float(radius[own].max()), low[own], high[own]))
    return groups


def _improve(best: NearestFaces, group: _Group, points: np.ndarray, at: np.ndarray, face: np.ndarray) -> None:
    """Put faces of the group into ``best`` where they are nearer: pairs of a point ``at`` and a ``face``."""
    if not len(at):
        return
    values = _projected(group.kind, group.corners[face], points[at])
    gap = np.linalg.norm(points[at] - np.einsum("mk,mki->mi", values, group.corners[face]), axis=1)
    least = np.full(len(points), np.inf)
    np.minimum.at(least, at, gap)
    equal = np.flatnonzero(gap <= least[at] + _EQUAL * group.radius)  # faces on both sides of an edge, to round-off
    equal = equal[np.lexsort((face[equal], at[equal]))]
    chosen = equal[np.unique(at[equal], return_index=True)[1]]
    chosen = chosen[gap[chosen] <= best.gap[at[chosen]] + _EQUAL * group.radius]
    at, face, width = at[chosen], face[chosen], group.rows.shape[1]
    best.kind[at], best.gap[at] = group.kind, gap[chosen]
    best.nodes[at, :width], best.values[at, :width] = group.rows[face], values[chosen]
    best.size[at] = face_sizes(group.corners[face])


def _projected(kind: str, corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(m, k) shape functions of the places on faces (m, k, 3) that are nearest to points (m, 3)."""
    known = KINDS[kind]
    xi = np.tile(known.reference_nodes[: known.corner_count].mean(axis=0), (len(points), 1))
    for _ in range(_NEWTON_STEPS):
        values, gradients = shape_values(known, xi), shape_gradients(known, xi)
        away = points - np.einsum("mk,mki->mi", values, corners)
        tangents = np.einsum("mka,mki->mai", gradients, corners)
        metric = tangents @ tangents.transpose(0, 2, 1)
        step = np.linalg.solve(metric, np.einsum("mai,mi->ma", tangents, away)[..., None])[..., 0]
        moved = _inside(known.corner_count, xi + step)
        if np.abs(moved - xi).max() < 1e-13:
            break
        xi = moved
    found = shape_values(known, xi)
    over = np.flatnonzero(_on_boundary(known.corner_count, xi))
    if len(over):
        found[over] = _on_edges(known, corners[over], points[over], found[over])
    return found


def _on_boundary(corner_count: int, xi: np.ndarray) -> np.ndarray:
    if corner_count == 4:
        return np.abs(xi).max(axis=1) > 1.0 - 1e-9
    return (xi.min(axis=1) < 1e-9) | (xi.sum(axis=1) > 1.0 - 1e-9)


def _on_edges(known: ElementKind, corners: np.ndarray, points: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Shape functions (m, k) of the nearest places on edges, where these are nearer than the places of ``values``."""
    values = values.copy()
    gap = np.linalg.norm(points - np.einsum("mk,mki->mi", values, corners), axis=1)
    for first, last in known.edges:
        start, along = known.reference_nodes[first], known.reference_nodes[last] - known.reference_nodes[first]
        t = np.full(len(points), 0.5)
        for _ in range(_NEWTON_STEPS):
            xi = start + t[:, None] * along
            away = points - np.einsum("mk,mki->mi", shape_values(known, xi), corners)
            tangent = np.einsum("mka,mki,a->mi", shape_gradients(known, xi), corners, along)
            length = np.maximum((tangent**2).sum(axis=1), np.finfo(float).tiny)
            moved = np.clip(t + (tangent * away).sum(axis=1) / length, 0.0, 1.0)
            if np.abs(moved - t).max() < 1e-13:
                break
            t = moved
        own = shape_values(known, start + t[:, None] * along)
        reached = np.linalg.norm(points - np.einsum("mk,mki->mi", own, corners), axis=1)
        nearer = reached < gap
        values[nearer], gap[nearer] = own[nearer], reached[nearer]
    return values


def _inside(corner_count: int, xi: np.ndarray) -> np.ndarray:
    if corner_count == 4:
        return np.clip(xi, -1.0, 1.0)
    over = np.maximum(xi.sum(axis=1, keepdims=True) - 1.0, 0.0)
    clipped = np.clip(xi - 0.5 * over, 0.0, 1.0)
    return clipped / np.maximum(clipped.sum(axis=1, keepdims=True), 1.0)
