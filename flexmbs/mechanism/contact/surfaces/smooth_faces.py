"""Normals of surfaces, and faces of first order made quadratic so that they meet with a common tangent plane.

An edge between x0 and x1 with normals n0 and n1 of the surface at its ends becomes the parabola
x(t) = x0 + (d - c) t + c t^2, d = x1 - x0, that is perpendicular to them: n0.(d - c) = 0, n1.(d + c) = 0; T. Nagata,
Computer Aided Geometric Design 22 (2005) 327.  A face between such edges is a triangle of 6 or a quadrilateral of 8
nodes.  Sharp edges stay sharp: their parabola is perpendicular to the normals of both faces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from flexmbs.mechanism.contact.surfaces.polygons import NONE, Faces
from flexmbs.mesh.coordinate_systems import unit_vectors

#: Faces that meet at a larger angle (rad) have a sharp edge between them.
CREASE = np.radians(40.0)
_DAMPING = 1e-2  # of directions in which nearly parallel normals say nothing
_LARGEST = 0.5  # of an edge: longer c are not those of a smooth surface
_STEP = 1e-4  # of the shortest edge, by which modes deform a surface for the derivatives of its parabolas


def corner_normals(faces: Faces, points: np.ndarray) -> np.ndarray:
    """(nf, 4, 3) normals of length twice the area of the corner's triangle, outward; zero behind triangles.

    At a corner of a quadratic face the tangents of its two parabolas count.
    """
    counts, rows = faces.counts, np.arange(len(faces.corners))
    found = np.zeros((len(rows), 4, 3))
    for k in range(4):
        own = rows[counts > k]
        n = counts[own]
        here = points[faces.corners[own, k]]
        ahead = _tangent(points, here, faces.middles[own, k], faces.corners[own, (k + 1) % n])
        back = _tangent(points, here, faces.middles[own, (k - 1) % n], faces.corners[own, (k - 1) % n])
        found[own, k] = np.cross(ahead, back)
    return found


def _tangent(points, here, middle, end):
    """Tangents at the beginning of parabolas (or straight lines) to ``end`` by ``middle`` (-1: straight)."""
    straight = points[end] - here
    curved = 4.0 * (points[middle] - here) - straight
    return np.where((middle == NONE)[:, None], straight, curved)


@dataclass(frozen=True)
class EdgeTable:
    """Edges of all faces, each once.

    Attributes
    ----------
    ends : (ne, 2) corners
    of_face : (nf, 4) edge from each corner to the next; -1 behind those of triangles
    faces : (ne, 2) the faces beside it (-1: none); where they meet it: places (ne, 2) of ``ends[0]`` and of ``ends[1]``
        in ``corner_normals`` reshaped to (4 nf, 3), for each of the faces
    uses : (ne,) number of faces; 2 on a closed surface
    """

    ends: np.ndarray
    of_face: np.ndarray
    starts: np.ndarray
    finishes: np.ndarray
    uses: np.ndarray
    opposite: np.ndarray

    @classmethod
    def of(cls, faces: Faces) -> EdgeTable:
        """The edges of ``faces``."""
        face, edge, ends = faces.edges()
        counts = faces.counts
        forward = ends[:, 0] < ends[:, 1]
        ordered = np.sort(ends, axis=1)
        unique, number, uses = np.unique(ordered, axis=0, return_inverse=True, return_counts=True)
        number = number.ravel()
        of_face = np.full((len(counts), 4), NONE)
        of_face[face, edge] = number
        here, there = 4 * face + edge, 4 * face + (edge + 1) % counts[face]
        starts, finishes = np.full((len(unique), 2), NONE), np.full((len(unique), 2), NONE)
        turned = np.zeros((len(unique), 2), dtype=bool)
        order = np.argsort(number, kind="stable")
        place = np.arange(len(number)) - np.searchsorted(number[order], number[order])
        kept = place < 2
        rows, columns, own = number[order][kept], place[kept], order[kept]
        starts[rows, columns] = np.where(forward[own], here[own], there[own])
        finishes[rows, columns] = np.where(forward[own], there[own], here[own])
        turned[rows, columns] = forward[own]
        return cls(unique, of_face, starts, finishes, uses, turned[:, 0] != turned[:, 1])


def made_quadratic(faces: Faces, modes: int) -> Faces:
    """Faces whose edges all have a point in the middle, whose fields follow from those of their ends.

    The fields of the first ``modes`` terms (those of first order) are the derivatives of Nagata's parabolas.
    """
    bare = faces.middles == NONE
    bare &= faces.corners != NONE
    if not bare.any():
        return faces
    table = EdgeTable.of(faces)
    missing = np.unique(table.of_face[bare])
    parabolas = _Parabolas(faces, table, missing)
    a, b = table.ends[missing].T
    middle = 0.5 * (faces.points[a] + faces.points[b]) - 0.25 * parabolas.curvature(faces.points)
    fields = 0.5 * (faces.fields[:, a] + faces.fields[:, b])
    lengths = np.linalg.norm(faces.points[b] - faces.points[a], axis=1)
    for k in range(modes):
        largest = np.abs(faces.fields[k]).max(initial=0.0)
        if largest > 0.0:
            step = _STEP * lengths.min() / largest
            ahead = parabolas.curvature(faces.points + step * faces.fields[k])
            fields[k] -= 0.25 * (ahead - parabolas.curvature(faces.points - step * faces.fields[k])) / (2.0 * step)
    number = np.full(len(table.ends) + 1, NONE)
    number[missing] = len(faces.points) + np.arange(len(missing))
    return replace(
        faces,
        points=np.concatenate([faces.points, middle]),
        fields=np.concatenate([faces.fields, fields], axis=1),
        middles=np.where(bare, number[table.of_face], faces.middles),
    )


class _Parabolas:
    """Nagata's c of edges of a surface, for any position of its points."""

    def __init__(self, faces: Faces, table: EdgeTable, edges: np.ndarray):
        self.faces, self.ends = faces, table.ends[edges]
        self.starts, self.finishes = table.starts[edges], table.finishes[edges]
        self.mean = _means_at_corners(faces)
        c = self._curvature(faces.points)
        d = faces.points[self.ends[:, 1]] - faces.points[self.ends[:, 0]]
        self.good = np.linalg.norm(c, axis=1) <= _LARGEST * np.linalg.norm(d, axis=1)

    def curvature(self, points: np.ndarray) -> np.ndarray:
        """(ne, 3) c of each edge."""
        return self._curvature(points) * self.good[:, None]

    def _curvature(self, points: np.ndarray) -> np.ndarray:
        own = unit_vectors(corner_normals(self.faces, points)).reshape(-1, 3)
        normals = unit_vectors(self.mean @ own)
        d = points[self.ends[:, 1]] - points[self.ends[:, 0]]
        matrix = np.broadcast_to(_DAMPING * np.eye(3), (len(d), 3, 3)).copy()
        right = np.zeros((len(d), 3))
        for side in range(2):
            for places, sign in ((self.starts[:, side], 1.0), (self.finishes[:, side], -1.0)):
                n = np.where((places == NONE)[:, None], 0.0, normals[places])
                matrix += n[:, :, None] * n[:, None, :]
                right += (sign * np.einsum("ei,ei->e", n, d))[:, None] * n
        return np.linalg.solve(matrix, right[:, :, None])[:, :, 0]


def _means_at_corners(faces: Faces) -> sparse.csr_matrix:
    """(4 nf, 4 nf) means of the normals of all faces that meet smoothly at a corner, with the angles as weights."""
    places = np.flatnonzero(faces.corners.ravel() != NONE)
    vertex = faces.corners.ravel()[places]
    normals = unit_vectors(corner_normals(faces, faces.points)).reshape(-1, 3)
    angles = corner_angles(faces).ravel()
    size = faces.corners.size
    at_vertex = sparse.csr_matrix((np.ones(len(places)), (places, vertex)), shape=(size, len(faces.points)))
    together = (at_vertex @ at_vertex.T).tocoo()
    smooth = np.einsum("ij,ij->i", normals[together.row], normals[together.col]) > np.cos(CREASE)
    row, column = together.row[smooth], together.col[smooth]
    return sparse.csr_matrix((angles[column], (row, column)), shape=(size, size))


def corner_angles(faces: Faces) -> np.ndarray:
    """(nf, 4) angles between the straight edges at each corner, rad; 0 behind triangles."""
    counts, found = faces.counts, np.zeros(faces.corners.shape)
    for k in range(4):
        own = np.flatnonzero(counts > k)
        n = counts[own]
        here = faces.points[faces.corners[own, k]]
        ahead = unit_vectors(faces.points[faces.corners[own, (k + 1) % n]] - here)
        back = unit_vectors(faces.points[faces.corners[own, (k - 1) % n]] - here)
        found[own, k] = np.arccos(np.clip(np.einsum("ij,ij->i", ahead, back), -1.0, 1.0))
    return found


def side_normals(faces: Faces) -> np.ndarray:
    """(np, 3) mean outward normals at corners (angles as weights) and middles of edges; zero on the rim.

    All edges must have their middles.
    """
    normals = unit_vectors(corner_normals(faces, faces.points))
    found = np.zeros((len(faces.points), 3))
    for k in range(4):
        own = np.flatnonzero(faces.counts > k)
        n = faces.counts[own]
        angles = corner_angles(faces)[own, k]
        np.add.at(found, faces.corners[own, k], angles[:, None] * normals[own, k])
        np.add.at(found, faces.middles[own, k], normals[own, k] + normals[own, (k + 1) % n])
    rim = EdgeTable.of(faces)
    open_edges = np.isin(rim.of_face, np.flatnonzero(rim.uses == 1))
    found[rim.ends[rim.uses == 1]] = 0.0
    found[faces.middles[open_edges]] = 0.0
    return unit_vectors(found)
