"""The shapes of contacts in a scene: spheres, planes, and stored outlines, moving with their markers."""

from __future__ import annotations

import numpy as np

from flexmbs.view.contact_phases import closed_contacts
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import marker_in_world

SHAPE, PLANE = "#8a94a3", "#c9ced6"
PATH, PATHS = 9, 60  # times at which the path of a contact over its plane is looked at; most contacts looked at


class ContactShapes:
    """Actors of the shapes of a result's contacts in a pyvista plotter; ``size``: of the motion, m."""

    def __init__(self, plotter, result: DrawableResult, size: float) -> None:
        self.result, self._closed = result, closed_contacts(result)
        self.spheres = ContactSpheres(result.structure)
        self.plates: list[tuple[int, object]] = []  # marker, actor
        self.outlines: list[tuple[int, object]] = []
        self._add_spheres(plotter)
        self._add_plates(plotter, 0.1 * size)
        self._add_outlines(plotter)

    def move(self, here: DrawableResult, scale: float) -> None:
        """Put everything where its marker is in a one-time result, with deformation times ``scale``."""
        if self.spheres.visible.any():
            self._centers.points[:] = self.spheres.centers(here, scale)[self.spheres.visible]
            self._centers.Modified()
        frames: dict[int, np.ndarray] = {}
        for marker, actor in (*self.plates, *self.outlines):
            if marker not in frames:
                frames[marker] = np.eye(4)
                frames[marker][:3, 3], frames[marker][:3, :3] = marker_in_world(here, marker, scale)
            actor.user_matrix = frames[marker]

    def on_ground(self) -> np.ndarray:
        """(k, 3) m, world: corners of the drawn planes on ground."""
        structure, found = self.result.structure, [np.zeros((0, 3))]
        for marker, actor in self.plates:
            record = structure.markers[marker]
            if record.body == structure.bodies[0].name:
                found.append(record.position + np.asarray(actor.mapper.dataset.points) @ record.rotation.T)
        return np.concatenate(found)

    def _add_spheres(self, plotter) -> None:
        """One actor for all: a thousand spheres would be slow as a thousand."""
        import pyvista
        from vtkmodules.vtkRenderingCore import vtkActor, vtkGlyph3DMapper

        radii = self.spheres.radii[self.spheres.visible]
        if not len(radii):
            return
        self._centers = pyvista.PolyData(np.zeros((len(radii), 3)))
        self._centers.point_data["radius"] = radii
        mapper, actor = vtkGlyph3DMapper(), vtkActor()
        mapper.SetInputData(self._centers)
        mapper.SetSourceData(pyvista.Sphere(radius=1.0))
        mapper.SetScaleArray("radius")
        mapper.SetScaleModeToScaleByMagnitude()
        mapper.ScalarVisibilityOff()
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*pyvista.Color(SHAPE).float_rgb)
        actor.GetProperty().SetOpacity(0.6)
        plotter.add_actor(actor, reset_camera=False)

    def _add_plates(self, plotter, margin: float) -> None:
        import pyvista

        drawn: set[tuple[int, bytes]] = set()
        for index, pair in enumerate(self.result.structure.contacts):
            if pair.normal is None or (pair.marker_b, np.asarray(pair.normal).tobytes()) in drawn:
                continue
            drawn.add((pair.marker_b, np.asarray(pair.normal).tobytes()))
            corners = self._corners(index, self._margin(index, margin) + pair.radius_a)
            actor = plotter.add_mesh(pyvista.PolyData(corners, [4, 0, 1, 2, 3]), color=PLANE, opacity=0.35)
            self.plates.append((pair.marker_b, actor))

    def _add_outlines(self, plotter) -> None:
        import pyvista

        for outline in self.result.structure.outlines:
            mesh = pyvista.PolyData(np.asarray(outline.points, dtype=float), outline.faces)
            mesh = mesh.compute_normals(split_vertices=True, feature_angle=40.0, auto_orient_normals=False)
            on_ground = self.result.structure.markers[outline.marker].body == self.result.structure.bodies[0].name
            actor = plotter.add_mesh(mesh, color=PLANE if on_ground else SHAPE, opacity=0.6, smooth_shading=False)
            self.outlines.append((outline.marker, actor))

    def _corners(self, index: int, margin: float) -> np.ndarray:
        """(4, 3) corners of the part of a plane that contacts touch, and ``margin`` (m) around it, in marker axes."""
        structure = self.result.structure
        own = structure.contacts[index]
        same = [
            i
            for i, pair in enumerate(structure.contacts)
            if pair.marker_b == own.marker_b and pair.normal is not None and np.array_equal(pair.normal, own.normal)
        ]
        same = same[:: max(1, len(same) // PATHS)]
        paths = [self._path(i, max(2, min(PATH, PATHS // len(same)))) for i in same]
        _, _, axes = np.linalg.svd(np.asarray(own.normal)[None])  # rows: the normal, two directions in the plane
        around = np.concatenate(paths) @ axes[1:].T
        low, high = around.min(axis=0), around.max(axis=0)
        if np.all(high - low < margin):  # touched in one place
            low = high = np.mean([path[0] for path in paths], axis=0) @ axes[1:].T
        (x0, y0), (x1, y1) = low - margin, high + margin
        return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]) @ axes[1:]

    def _margin(self, index: int, margin: float) -> float:
        """``margin`` (m) around what touches a plane, or so much that the plane is seen around the body."""
        structure = self.result.structure
        record = structure.markers[structure.contacts[index].marker_a]
        body = structure.bodies[structure.body_index(record.body)]
        if body.flexible is not None or not len(body.shape_points):
            return margin
        reach = float(np.linalg.norm(body.shape_points - record.position, axis=1).min())
        return max(margin, min(1.3 * reach, 4.0 * margin))

    def _path(self, index: int, count: int) -> list[np.ndarray]:
        """Points (3,) of a plane where contact ``index`` touches it (or comes nearest), in axes of its marker."""
        t, closed = self.result.t, self._closed.get(index)
        if closed is None:
            return [self._below(index, float(t[int(np.argmin(self.result.trajectory.contact_gap[:, index]))]))]
        return [self._below(index, time) for time in np.linspace(closed[0].start, closed[-1].end, count)]

    def _below(self, index: int, time: float) -> np.ndarray:
        """(3,) point of the plane of contact ``index`` that is nearest to the other shape, in axes of its marker."""
        here, pair = self.result.resampled([time]), self.result.structure.contacts[index]
        position, normal, center = contact_geometry(here, index, 1.0)
        in_plane = np.eye(3) - np.outer(normal, normal)
        return marker_in_world(here, pair.marker_b, 1.0)[1].T @ in_plane @ (center - position)


def contact_geometry(here: DrawableResult, index: int, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position of marker b, unit normal from b to a, and position of marker a (world axes) in a one-time result."""
    structure = here.structure
    pair = structure.contacts[index]
    (a, _), (b, axes) = marker_in_world(here, pair.marker_a, scale), marker_in_world(here, pair.marker_b, scale)
    if pair.normal is None:
        return b, (a - b) / max(float(np.linalg.norm(a - b)), 1e-30), a
    normal = axes @ pair.normal
    return b, normal / np.linalg.norm(normal), a


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
