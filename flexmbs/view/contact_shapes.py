"""Spheres and planes of contacts as parts of a scene. Outlines of other shapes are stored with the result."""

from __future__ import annotations

import numpy as np

from flexmbs.view.contact_phases import Closed, closed_contacts
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import in_world, marker_in_world
from flexmbs.view.parts import palette
from flexmbs.view.parts.scene_parts import Part
from flexmbs.view.parts.solids import sphere

MARGIN = 0.1  # around what is touched of a plane, relative to the size of the motion
PATH, PATHS = 9, 60  # times at which the path of a contact over its plane is looked at; most contacts looked at


def sphere_parts(structure: DrawableStructure) -> list[Part]:
    """Spheres of contacts, each once, without those that are the surface of their body."""
    spheres, found = ContactSpheres(structure), []
    for row in np.flatnonzero(spheres.visible):
        marker, solid = int(spheres.markers[row]), sphere(float(spheres.radii[row]))
        name = f"{structure.markers[marker].body}.{structure.markers[marker].name}"
        shape = solid.points, solid.faces, marker
        found.append(Part(name, "contact shapes", int(spheres.bodies[row]), palette.SHAPE, *shape, opacity=0.6, flat=False))
    return found


def plane_parts(result: DrawableResult, size: float) -> list[Part]:
    """Planes of contacts, each once, as far as they are touched or nearly; ``size`` of the motion, m."""
    planes: dict[tuple[int, bytes], list[int]] = {}
    for index, pair in enumerate(result.structure.contacts):
        if pair.normal is not None:
            planes.setdefault((pair.marker_b, np.asarray(pair.normal, dtype=float).tobytes()), []).append(index)
    closed = closed_contacts(result) if planes else {}
    return [_plane(result, indices, closed, MARGIN * size) for indices in planes.values()]


def _plane(result: DrawableResult, indices: list[int], closed: dict[int, list[Closed]], margin: float) -> Part:
    """The rectangle of a plane that these contacts touch, and at least ``margin`` (m) around it."""
    structure, first = result.structure, result.structure.contacts[indices[0]]
    few = indices[:: max(1, len(indices) // PATHS)]
    count = max(2, min(PATH, PATHS // len(few)))
    margin = max(_margin(structure, index, margin) + structure.contacts[index].radius_a for index in few)
    _, _, axes = np.linalg.svd(np.asarray(first.normal, dtype=float)[None])  # rows: the normal, two directions in the plane
    paths = [_path(result, index, closed.get(index), count) @ axes[1:].T for index in few]
    around = np.concatenate(paths)
    low, high = around.min(axis=0), around.max(axis=0)
    if np.all(high - low < margin):  # touched in one place
        low = high = np.mean([path[0] for path in paths], axis=0)
    (x0, y0), (x1, y1) = low - margin, high + margin
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ axes[1:]
    record = structure.markers[first.marker_b]
    name = first.name if len(indices) == 1 else f"{record.body}.{record.name}"
    shape = corners, np.array([4, 0, 1, 2, 3]), first.marker_b
    return Part(name, "contact shapes", structure.body_index(record.body), palette.PLANE, *shape, opacity=0.5)


def _margin(structure: DrawableStructure, index: int, margin: float) -> float:
    """``margin`` (m) around what touches a plane, or so much that the plane is seen around the body."""
    record = structure.markers[structure.contacts[index].marker_a]
    body = structure.bodies[structure.body_index(record.body)]
    if body.flexible is not None or not len(body.shape_points):
        return margin
    reach = float(np.linalg.norm(body.shape_points - record.position, axis=1).min())
    return max(margin, min(1.3 * reach, 4.0 * margin))


def _path(result: DrawableResult, index: int, closed: list[Closed] | None, count: int) -> np.ndarray:
    """(k, 3) m, axes of the marker of a plane: the other marker while contact ``index`` is closed, or where it is nearest."""
    nearest = result.t[int(np.argmin(result.trajectory.contact_gap[:, index]))]
    times = np.linspace(closed[0].start, closed[-1].end, count) if closed else [nearest]
    here, pair = result.resampled(np.unique(times)), result.structure.contacts[index]
    (origin, axes), (place, _) = (in_world(here, slice(None), marker) for marker in (pair.marker_b, pair.marker_a))
    return np.einsum("fji,fj->fi", axes, place - origin)


class ContactSpheres:
    """The spheres of a structure's contacts, each once; ``radii`` (n,) m, ``bodies`` (n,) indices."""

    def __init__(self, structure: DrawableStructure) -> None:
        ends = [(pair.marker_a, pair.radius_a) for pair in structure.contacts]
        ends += [(pair.marker_b, pair.radius_b) for pair in structure.contacts]
        found = [end for end in dict.fromkeys(ends) if end[1] > 0.0]
        #: (n,) whether a sphere is not the surface of its body, which is drawn anyway
        self.visible = np.array([not _is_surface(structure, *end) for end in found], dtype=bool)
        self.markers = np.array([marker for marker, _ in found], dtype=int)
        self.radii = np.array([radius for _, radius in found])
        records = [structure.markers[marker] for marker in self.markers]
        self.bodies = np.array([structure.body_index(record.body) for record in records], dtype=int)
        self._places = np.array([record.position for record in records]).reshape(-1, 3)
        self._moving = [row for row, record in enumerate(records) if record.fields is not None]  # with the modes

    def centers(self, here: DrawableResult, scale: float) -> np.ndarray:
        """(n, 3) m in world axes in a one-time result, with deformation times ``scale``."""
        position, rotation = here.trajectory.body_position[0], here.trajectory.body_rotation[0]
        found = position[self.bodies] + np.einsum("nij,nj->ni", rotation[self.bodies], self._places)
        for row in self._moving:
            found[row] = marker_in_world(here, int(self.markers[row]), scale)[0]
        return found


def _is_surface(structure: DrawableStructure, marker: int, radius: float) -> bool:
    """Whether all points of the drawn surface of a marker's body lie on the sphere."""
    record = structure.markers[marker]
    body = structure.bodies[structure.body_index(record.body)]
    if body.flexible is not None or not len(body.shape_points):
        return False
    return bool(np.all(np.abs(np.linalg.norm(body.shape_points - record.position, axis=1) - radius) < 0.02 * radius))
