"""Surfaces that are drawn for rigid bodies; closed ones enclose a volume whose moments are exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import BodyError, MechanismError


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
