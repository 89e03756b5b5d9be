"""Surfaces that are drawn for rigid bodies, or touched, those of meshes, and trees of the bounding boxes of triangles.

Closed surfaces enclose a volume whose moments are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import BodyError, MechanismError
from flexmbs.core.contact.distance.triangulated_surface import BEHIND, COUNT, FIRST, NODE
from flexmbs.mesh.connectivity import outer_faces
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import Mesh


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """Points and faces, anticlockwise seen from outside.

    Attributes
    ----------
    points : (np, 3) m
    faces : (k,) int, VTK style [count, i, j, k, ...]
    """

    points: np.ndarray
    faces: np.ndarray

    @classmethod
    def of_triangles(cls, points: np.ndarray, triangles: np.ndarray) -> SurfaceMesh:
        """From rows of three indices (nt, 3)."""
        triangles = np.asarray(triangles, dtype=np.int64).reshape(-1, 3)
        faces = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
        return cls(np.asarray(points, dtype=float), faces)

    @classmethod
    def joined(cls, surfaces: Sequence[SurfaceMesh]) -> SurfaceMesh:
        """All surfaces as one, each with its own points."""
        starts = np.cumsum([0, *(len(surface.points) for surface in surfaces)])
        faces = [surface._shifted(start) for surface, start in zip(surfaces, starts[:-1], strict=True)]
        return cls(np.concatenate([surface.points for surface in surfaces]), np.concatenate(faces))

    def moved(self, position: np.ndarray, rotation: np.ndarray) -> SurfaceMesh:
        """Turned by ``rotation`` (3, 3) about the origin, then moved by ``position`` (3,) m."""
        return SurfaceMesh(self.points @ rotation.T + position, self.faces)

    @property
    def triangles(self) -> np.ndarray:
        """(nt, 3) int: every face as a fan of triangles from its first corner."""
        fans, place = [np.zeros((0, 3), dtype=np.int64)], 0
        while place < len(self.faces):
            count = int(self.faces[place])
            ring = self.faces[place + 1 : place + 1 + count]
            fans.append(np.column_stack([np.full(count - 2, ring[0]), ring[1:-1], ring[2:]]))
            place += count + 1
        return np.concatenate(fans)

    def _shifted(self, start: int) -> np.ndarray:
        faces, place = self.faces.copy(), 0
        while place < len(faces):
            count = int(faces[place])
            faces[place + 1 : place + 1 + count] += start
            place += count + 1
        return faces


def chosen_points(where: Callable[[np.ndarray], np.ndarray], points: np.ndarray, label: str) -> np.ndarray:
    """(np,) bool: which of the ``points`` (np, 3) the function ``where`` of a user chooses; MechanismError otherwise."""
    chosen = np.asarray(where(points))
    if chosen.shape != (len(points),) or chosen.dtype != bool:
        raise MechanismError(
            f"{label}: where= must return one bool for each of the {len(points)} points, got an array of shape "
            f"{chosen.shape} and type {chosen.dtype}"
        )
    return chosen


def enclosed_moments(surface: SurfaceMesh) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume (m3), centre (3,) m and second moment about it (3, 3) m5 of what a closed surface encloses.

    Sum over tetrahedra from a point near the surface to each triangle, whose integrals are closed forms (Tonon, Journal
    of Mathematics and Statistics 1, 2005): exact for a surface of flat triangles.

    BodyError when the surface is not closed (an edge without its neighbour) or encloses no positive volume.
    """
    triangles = surface.triangles
    _check_closed(triangles)
    near = surface.points.mean(axis=0)
    a, b, c = np.moveaxis((surface.points - near)[triangles], 1, 0)
    sixfold = np.einsum("ti,ti->t", a, np.cross(b, c))
    volume = float(sixfold.sum() / 6.0)
    if not volume > 0.0:
        raise BodyError(
            f"rigid body: its surface encloses the volume {volume:g} m3, which must be positive; "
            "corners must run anticlockwise seen from outside"
        )
    total = a + b + c
    center = sixfold @ total / 24.0 / volume
    second = sum(np.einsum("t,ti,tj->ij", sixfold, x, x) for x in (a, b, c, total)) / 120.0
    return volume, near + center, second - volume * np.outer(center, center)


def _check_closed(triangles: np.ndarray) -> None:
    """BodyError unless every directed edge has exactly one neighbour in the other direction."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward, counts = np.unique(edges, axis=0, return_counts=True)
    backward = np.unique(edges[:, ::-1], axis=0)
    if len(edges) == 0 or counts.max() > 1 or not np.array_equal(forward, backward):
        raise BodyError(
            "rigid body: its surface is not closed (edges belong to one triangle only, or neighbours run in different "
            "directions); a volume needs a closed surface, points that coincide given once"
        )


# of faces of second order, through their middle nodes
_TRIANGLES = {
    (3, False): [[0, 1, 2]],
    (4, False): [[0, 1, 2], [0, 2, 3]],
    (3, True): [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
    (4, True): [[0, 4, 7], [4, 1, 5], [5, 2, 6], [6, 3, 7], [4, 5, 6], [4, 6, 7]],
}


def surface_of_mesh(mesh: Mesh, part: str | None, where: str) -> SurfaceMesh:
    """Triangles of the surface ``part`` of a mesh, or of its outer faces, shells and rigid elements."""
    faces = [(KINDS[kind], rows) for kind, rows in _faces(mesh, part, where)]
    triangles = [rows[:, _TRIANGLES[kind.corner_count, kind.has_middle_nodes]].reshape(-1, 3) for kind, rows in faces]
    if not triangles:
        omitted = [str(one) for one in mesh.skipped if "RIGID" in one.card.upper() or "SURFACE" in one.card.upper()]
        raise MechanismError(
            f"{where}: {mesh.source or 'the mesh'} has no faces"
            + (f" in its surface '{part}'" if part else " (no solids, shells or rigid elements)")
            + (f"; {' '.join(omitted)}" if omitted else "")
        )
    joined = np.concatenate(triangles)
    used, index = np.unique(joined, return_inverse=True)
    return SurfaceMesh.of_triangles(mesh.points[used], index.reshape(-1, 3))


def _faces(mesh: Mesh, part: str | None, where: str) -> list[tuple[str, np.ndarray]]:
    if part is None:
        rigid = [
            (f"{'tri3' if np.all(block.nodes[:, 3:] < 0) else 'quad4'}", block.nodes)
            for block in mesh.other_elements
            if block.type_name.upper().startswith("R3D")
        ]
        return [(kind, nodes) for kind, nodes, _numbers in outer_faces(mesh)] + rigid
    if part not in mesh.surfaces:
        known = ", ".join(f"'{name}'" for name in mesh.surfaces) or "none"
        raise MechanismError(f"{where}: {mesh.source or 'the mesh'} has no surface '{part}'; its surfaces: {known}")
    return [(kind, rows) for kind, rows in mesh.surfaces[part].faces.items() if KINDS[kind].dimension == 2]


LEAF = 2  # boxes in a leaf, at most


def bounding_tree(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(nodes, NODE) numbers of the tree and (n,) the order in which its leaves refer to the boxes.

    low, high : (n, 3) corners of the boxes, m. Branches are split in the middle of the order along the longest axis.
    """
    middle = 0.5 * (low + high)
    nodes: list[np.ndarray] = []
    order: list[int] = []

    def add(chosen: np.ndarray) -> None:
        node = np.zeros(NODE)
        node[0:3], node[3:6] = low[chosen].min(axis=0), high[chosen].max(axis=0)
        nodes.append(node)
        if len(chosen) <= LEAF:
            node[FIRST], node[COUNT] = len(order), len(chosen)
            order.extend(chosen)
        else:
            axis = int(np.argmax(np.ptp(middle[chosen], axis=0)))
            sorted_ones = chosen[np.argsort(middle[chosen, axis], kind="stable")]
            half = len(chosen) // 2
            add(sorted_ones[:half])
            add(sorted_ones[half:])
        node[BEHIND] = len(nodes)

    add(np.arange(len(low)))
    return np.array(nodes), np.array(order)
