"""The surfaces that exported scenes consist of, their faces, and how each moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmbs.mechanism.geometry.euler_angles import matrices_of_vectors
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.reduction.modal_fields import marker_displacement, superpose
from flexmbs.result.structure import BodyRecord, MarkerRecord, Structure
from flexmbs.view.contact_shapes import ContactSpheres
from flexmbs.view.parts import palette
from flexmbs.view.parts.scene_parts import Part, scene_parts
from flexmbs.view.parts.solids import sphere

#: Groups of parts that hold the bodies themselves.
SOLID = ("bodies", "contact shapes")
MANY = 64  # spheres; more are drawn with fewer facets


@dataclass(frozen=True, eq=False)
class ExportedPart:
    """A surface that moves with a body, or with a marker on it.

    Attributes
    ----------
    points : (m, 3) m in the axes of the body or marker, undeformed
    faces : Faces
    color : "#rrggbb"; opacity : 1 is opaque
    body : index; record : of that body
    marker : None, or the marker it moves with
    flexible : the body that deforms it, or None
    """

    name: str
    group: str
    points: np.ndarray
    faces: Faces
    color: str
    opacity: float
    body: int
    record: BodyRecord
    marker: MarkerRecord | None
    flexible: FlexibleBody | None


@dataclass(frozen=True, eq=False)
class Motion:
    """Frames of bodies and modal coordinates at k times.

    Attributes
    ----------
    t : (k,) s; position : (k, nb, 3) m; rotation : (k, nb, 3, 3); q : (k, nq)
    """

    t: np.ndarray
    position: np.ndarray
    rotation: np.ndarray
    q: np.ndarray

    def modal(self, part: ExportedPart) -> np.ndarray:
        """(k, n) modal coordinates of the body of a part."""
        return self.q[:, part.record.coordinates]

    def frames(self, part: ExportedPart) -> tuple[np.ndarray, np.ndarray]:
        """(k, 3) m and (k, 3, 3): where the axes of the points of a part are in the world."""
        place, turn = self.position[:, part.body], self.rotation[:, part.body]
        marker = part.marker
        if marker is None:
            return place, turn
        if part.record.flexible is None or marker.fields is None:
            return place + turn @ marker.position, turn @ marker.rotation
        flexible, q = part.record.flexible, self.modal(part)
        local = marker.fields.position + marker_displacement(flexible, marker.fields, q)
        tilt = superpose(flexible, marker.fields.Psi, marker.fields.Zr, q)
        return place + np.einsum("kij,kj->ki", turn, local), turn @ matrices_of_vectors(tilt) @ marker.rotation

    def world_points(self, part: ExportedPart, times: slice) -> tuple[np.ndarray, np.ndarray]:
        """(j, m, 3) m each, at some of the times: positions in the world; displacements by deformation, in its axes."""
        place, turn = self.frames(part)
        place, across = place[times, None], turn[times].swapaxes(1, 2)
        if part.flexible is None:
            found = place + part.points @ across
            return found, np.zeros_like(found)
        surface = part.flexible.surface
        moved = superpose(part.flexible, surface.modes, surface.quadratic, self.modal(part)[times])
        return place + (part.points + moved) @ across, moved @ across


def motion_at(result: Any, times: np.ndarray) -> Motion:
    """Motion of a result at ``times`` (k,) s."""
    here = result.resampled(times).trajectory
    return Motion(times, here.body_position, here.body_rotation, here.q)


def exported_parts(result: Any, bodies: Sequence[int], groups: Sequence[str] = SOLID) -> list[ExportedPart]:
    """Parts of these bodies (indices) in these groups; what a body has no shape of its own for is a sphere or rods."""
    structure: Structure = result.structure
    size = mechanism_size(result)
    spheres = _spheres(structure) if "contact shapes" in groups else []
    with_spheres = {part.body for part in spheres}
    found = []
    for part in scene_parts(result, size).parts:
        if part.group not in groups or not (part.body in bodies or part.body == 0 and part.group != "bodies"):
            continue
        record = structure.bodies[part.body]
        stands_in = part.group == "bodies" and record.flexible is None and not len(record.shape_points)
        if not (stands_in and part.body in with_spheres):
            found.append(_of_scene(structure, part))
    return found + [part for part in spheres if part.body in bodies or part.body == 0]


def mechanism_size(result: Any) -> float:
    """m, diagonal of the box around all markers and bodies at the start."""
    structure: Structure = result.structure
    here = result.trajectory
    position, rotation = here.body_position[0], here.body_rotation[0]
    points = [np.zeros((1, 3))]
    for index, body in enumerate(structure.bodies[1:], start=1):
        own = body.shape_points if body.flexible is None else body.flexible.points
        own = own if len(own) else body.center[None]
        points.append(position[index] + np.array([own.min(axis=0), own.max(axis=0)]) @ rotation[index].T)
    for marker in structure.markers:
        index = structure.body_index(marker.body)
        points.append((position[index] + rotation[index] @ marker.position)[None])
    return float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0))) or 1.0


def _of_scene(structure: Structure, part: Part) -> ExportedPart:
    marker = None if part.marker is None else structure.markers[part.marker]
    return ExportedPart(
        part.name,
        part.group,
        np.asarray(part.points, dtype=float),
        Faces.of_vtk(part.faces),
        part.color,
        part.opacity,
        part.body,
        structure.bodies[part.body],
        marker,
        part.flexible,
    )


def _spheres(structure: Structure) -> list[ExportedPart]:
    """Spheres of contacts, each once, without those that the shape of their rigid body shows already."""
    spheres, found = ContactSpheres(structure), []
    rings, sides = (12, 20) if len(spheres.radii) <= MANY else (8, 12)
    for marker, radius, body in zip(spheres.markers, spheres.radii, spheres.bodies, strict=True):
        own, record = structure.markers[int(marker)], structure.bodies[int(body)]
        if _shown(record, own.position, float(radius)):
            continue
        ball = sphere(float(radius), rings, sides)
        color = palette.SHAPE if body == 0 or record.flexible is not None else palette.body_color(int(body))
        found.append(
            ExportedPart(
                f"{own.body}.{own.name}",
                "contact shapes",
                ball.points,
                Faces.of_vtk(ball.faces),
                color,
                1.0,
                int(body),
                record,
                own,
                None,
            )
        )
    return found


def _shown(record: BodyRecord, center: np.ndarray, radius: float) -> bool:
    """Whether the shape of a rigid body reaches as far as a sphere on it."""
    if record.flexible is not None or not len(record.shape_points):
        return False
    slack = 0.05 * radius  # the shape is a polyhedron
    low, high = record.shape_points.min(axis=0) - slack, record.shape_points.max(axis=0) + slack
    return bool(np.all(center - radius >= low) and np.all(center + radius <= high))


@dataclass(frozen=True, eq=False)
class Faces:
    """Polygons: ``connectivity`` (c,) point indices, ``offsets`` (faces + 1,) where each begins in it."""

    connectivity: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @staticmethod
    def of_vtk(faces: np.ndarray) -> Faces:
        """From a list [count, i, j, k, count, ...]."""
        numbers, starts, at = np.asarray(faces, dtype=np.int64), [], 0
        values = numbers.tolist()
        while at < len(values):
            starts.append(at)
            at += 1 + values[at]
        sizes = numbers[starts] if starts else np.zeros(0, dtype=np.int64)
        return Faces(np.delete(numbers, starts), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @property
    def sizes(self) -> np.ndarray:
        """(faces,) number of points of each."""
        return np.diff(self.offsets)

    def triangles(self) -> np.ndarray:
        """(t, 3) point indices; concave polygons are not cut properly: their triangles overlap.

        Those of six and eight points are mostly faces with midside nodes: no triangle has its points on one edge.
        """
        found = []
        for size in np.unique(self.sizes):
            if size < 3:
                continue
            rows = self.connectivity[self.offsets[:-1][self.sizes == size][:, None] + np.arange(size)]
            found += [rows[:, list(corners)] for corners in _cut(int(size))]
        return np.concatenate(found) if found else np.zeros((0, 3), dtype=np.int64)


def _cut(size: int) -> list[tuple[int, int, int]]:
    """Triangles of a convex polygon: a fan, or with six and eight points the corners and what is between them."""
    if size == 6:
        return [(0, 1, 5), (1, 2, 3), (3, 4, 5), (1, 3, 5)]
    if size == 8:
        return [(0, 1, 7), (1, 2, 3), (3, 4, 5), (5, 6, 7), (1, 3, 5), (1, 5, 7)]
    return [(0, i, i + 1) for i in range(1, size - 1)]
