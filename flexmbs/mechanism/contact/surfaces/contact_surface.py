"""The surface of a body as its contacts need it, made once: smooth faces or points, as numbers for compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.mechanism.contact.surfaces.face_points import integration_points, nodal_areas
from flexmbs.mechanism.contact.surfaces.polygons import Faces, faces_from_list
from flexmbs.mechanism.contact.surfaces.smooth_faces import EdgeTable, corner_normals, made_quadratic, side_normals
from flexmbs.mechanism.contact.surfaces.surface_numbers import face_items, point_items, surface_numbers
from flexmbs.mechanism.contact.surfaces.terms import inner_depths, second_order_terms
from flexmbs.reduction.flexible_body import FlexibleBody


@dataclass(frozen=True)
class ContactSurface:
    """Faces of a body with middles on all edges, and how they move.

    Attributes
    ----------
    faces : fields of the modes, then of the second-order forms
    forms : (K, n, n) matrices of the forms
    whole : (np, 3) points of the whole surface of the body
    """

    faces: Faces
    forms: np.ndarray
    whole: np.ndarray

    @property
    def is_closed(self) -> bool:
        """Whether every edge has two faces."""
        return bool(np.all(EdgeTable.of(self.faces).uses == 2))

    @property
    def has_turned_faces(self) -> bool:
        """Whether two faces run along their common edge in the same direction."""
        table = EdgeTable.of(self.faces)
        return bool(np.any((table.uses == 2) & ~table.opposite))

    @property
    def has_collapsed_faces(self) -> bool:
        """Whether a face has no area."""
        normals = np.linalg.norm(corner_normals(self.faces, self.faces.points), axis=2).max(axis=1)
        return bool(np.any(normals <= 1e-12 * normals.max(initial=0.0)))

    @property
    def volume(self) -> float:
        """Enclosed volume (m3) of a closed surface of flat parts; negative: it is inverted."""
        corners = self.faces.corners
        rows = [(0, 1, 2)] + [(0, 2, 3)] * bool(np.any(corners[:, 3] >= 0))
        centre, total = self.faces.points.mean(axis=0), 0.0
        for row in rows:
            own = corners[corners[:, row[2]] >= 0][:, list(row)]
            a, b, c = np.moveaxis(self.faces.points[own] - centre, 1, 0)
            total += float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
        return total

    def face_numbers(self, cache_at: int) -> tuple[np.ndarray, int]:
        """The faces for compiled code, and where their part of the cache ends."""
        faces = self.faces
        size = float(np.linalg.norm(np.ptp(self.whole, axis=0)))
        normals = corner_normals(faces, faces.points).sum(axis=1)
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        depths = inner_depths(self.whole, faces.centres(), normals, 0.5 * size)
        for k in range(4):  # beside an edge a ball is small at the middle of a face, and larger at its far corners
            own = faces.corners[:, k] >= 0
            corners = faces.points[faces.corners[own, k]]
            depths[own] = np.maximum(depths[own], inner_depths(self.whole, corners, normals[own], 0.5 * size))
        items = face_items(faces, depths)
        return surface_numbers(faces.points, faces.fields, self.forms, items, side_normals(faces), cache_at)

    def point_numbers(self, cache_at: int, kind: str | int) -> tuple[np.ndarray, int]:
        """Points with their areas for compiled code: "nodes", "faces" or a number (``body_surface.Surface``)."""
        if kind == "nodes":
            points, fields, areas = self.faces.points, self.faces.fields, nodal_areas(self.faces)
        else:
            points, fields, areas = integration_points(self.faces, 0 if isinstance(kind, str) else kind)
        points, fields, items = point_items(points, fields, areas)
        return surface_numbers(points, fields, self.forms, items, np.zeros((len(points), 3)), cache_at)


def flexible_surface(body: FlexibleBody, chosen: np.ndarray | None = None) -> ContactSurface:
    """Of a flexible body; ``chosen`` (np,) bool: the points of its surface whose faces are meant."""
    surface = body.surface
    forms, second = second_order_terms(body, surface.quadratic)
    faces = faces_from_list(surface.points, surface.faces, np.concatenate([surface.modes, second]))
    return ContactSurface(made_quadratic(_with_points(faces, chosen), body.mode_count), forms, surface.points)


def rigid_surface(points: np.ndarray, faces: np.ndarray, chosen: np.ndarray | None = None) -> ContactSurface:
    """Of a rigid body, from points and faces in VTK style."""
    found = faces_from_list(points, faces, np.zeros((0, len(points), 3)))
    return ContactSurface(made_quadratic(_with_points(found, chosen), 0), np.zeros((0, 0, 0)), np.asarray(points))


def _with_points(faces: Faces, chosen: np.ndarray | None) -> Faces:
    if chosen is None:
        return faces.only(np.ones(len(faces.corners), dtype=bool))
    with_all = np.append(chosen, True)  # the last: of -1
    return faces.only(np.all(with_all[faces.corners] & with_all[faces.middles], axis=1))
