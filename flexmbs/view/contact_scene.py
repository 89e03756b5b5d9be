"""Contacts in a scene: spheres and planes as parts; points, and arrows of forces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.view.canvas import THROUGH, in_front
from flexmbs.view.colours import rgb
from flexmbs.view.contact_phases import FORCE_SHOWN, FREE, PHASES, Closed, ContactPhases, closed_contacts
from flexmbs.view.drawable import DrawableResult, DrawableStructure
from flexmbs.view.exaggerated_motion import in_world, marker_in_world
from flexmbs.view.force_arrows import FORCE, RIM, ContactLegend, ForceScale, arrows
from flexmbs.view.look import Look
from flexmbs.view.scene_parts import PLANE, SHAPE, Part, marker_part
from flexmbs.view.solids import Solid, sphere

MARGIN = 0.1  # around what is touched of a plane, relative to the size of the motion
PATH, PATHS = 9, 60  # times at which the path of a contact over its plane is looked at; most contacts looked at


def sphere_parts(structure: DrawableStructure) -> list[Part]:
    """Spheres of contacts, each once, without those that are the surface of their body."""
    found = []
    for marker, radius in contact_spheres(structure):
        if not _is_surface(structure, marker, radius):
            look = {"opacity": 0.6, "flat": False}
            found.append(marker_part(structure, marker, "", "contact shapes", SHAPE, sphere(radius), **look))
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
    name, shape = first.name if len(indices) == 1 else "", Solid(corners, np.array([4, 0, 1, 2, 3]))
    return marker_part(structure, first.marker_b, name, "contact shapes", PLANE, shape, opacity=0.5)


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


def contact_spheres(structure: DrawableStructure) -> list[tuple[int, float]]:
    """Marker and radius (m) of the spheres of contacts, each once."""
    ends = [(pair.marker_a, pair.radius_a) for pair in structure.contacts]
    ends += [(pair.marker_b, pair.radius_b) for pair in structure.contacts]
    return [(int(marker), float(radius)) for marker, radius in dict.fromkeys(ends) if radius > 0.0]


def _is_surface(structure: DrawableStructure, marker: int, radius: float) -> bool:
    """Whether all points of the drawn surface of a marker's body lie on the sphere."""
    record = structure.markers[marker]
    body = structure.bodies[structure.body_index(record.body)]
    if body.flexible is not None or not len(body.shape_points):
        return False
    return bool(np.all(np.abs(np.linalg.norm(body.shape_points - record.position, axis=1) - radius) < 0.02 * radius))


DOT, RIM_WIDTH = 11, 4  # pixels of a picture 840 pixels high
SMALLEST = 0.75  # of dots in small pictures
CROWD = 30  # contact points; of more, dots and arrows are smaller


class Shown(NamedTuple):
    """The largest force shown (N), and whether it acted before the time of the picture."""

    force: float
    passed: bool


class Point(NamedTuple):
    """A contact point as drawn: world position (3,) m, force (3,) N on the first shape, phase."""

    place: np.ndarray
    push: np.ndarray
    phase: int


class ContactScene:
    """Actors of all contacts of a result in a pyvista plotter; ``size``: of the motion, m."""

    def __init__(self, plotter, result: DrawableResult, size: float, look: Look, legend_height: float, letters: float) -> None:
        import pyvista

        run = result.trajectory
        self.result, self.size = result, size
        self.scale = ForceScale(look.force_scale, float(np.linalg.norm(run.contact_push, axis=2).max(initial=0.0)))
        self.phases = ContactPhases(result, look.stick_speed)
        self.shown: dict[int, Point] = {}  # by contact, at the time of the picture
        self._arrows, self._rims, self._dots = (pyvista.PolyData(np.zeros((1, 3))) for _ in range(3))
        self._dots.point_data["phase"] = np.zeros((1, 3), np.uint8)
        self._slim = float(np.clip(np.sqrt(CROWD / len(result.structure.contacts)), 0.4, 1.0))
        width = max(letters, SMALLEST) * self._slim
        dot = {"render_points_as_spheres": True, "pickable": False}
        self._actors = [
            plotter.add_mesh(self._arrows, color=FORCE, ambient=0.35, pickable=False),
            plotter.add_mesh(self._rims, color=RIM, lighting=False, point_size=width * (DOT + RIM_WIDTH), **dot),
            plotter.add_mesh(self._dots, scalars="phase", rgb=True, lighting=False, point_size=width * DOT, **dot),
        ]
        for shift, actor in enumerate(self._actors, start=1):
            in_front(actor, shift * THROUGH)
        self._legend = ContactLegend(plotter, self.phases.occurring(), self.scale, size, legend_height, letters, look.ink)

    def move(self, here: DrawableResult, drawn: DrawableResult, scale: float, since: float | None) -> Shown:
        """Show the time of the one-time result ``here``, with deformation times ``scale``.

        ``drawn``: the same with the body frames as drawn. Forces are the largest since the time ``since`` (s), or those
        of ``here`` with None.
        """
        self.shown = {}
        largest = Shown(0.0, False)
        time = float(here.t[0])
        for index in self._pressed(here, since):
            now = float(here.trajectory.contact_force[0, index])
            step, force = self._peak(index, since, time, now)
            point = self._moved(self._point(here, index, step, force), here, drawn, index, scale)
            self.shown[index] = point
            if self.scale.shows(force) and force > largest.force:
                largest = Shown(force, step is not None)
        for index in range(len(self.result.structure.contacts)):
            phase = self.phases.history(index).at(time)
            if index not in self.shown and phase != FREE:
                self.shown[index] = self._moved(self._point(here, index, None, 0.0), here, drawn, index, scale)
        self._draw()
        self._legend.refresh()
        return largest

    def _pressed(self, here: DrawableResult, since: float | None) -> np.ndarray:
        """Contacts under force now or since then."""
        least = FORCE_SHOWN * self.scale.largest
        pressed = here.trajectory.contact_force[0] > least
        if since is not None:
            passed = (self.result.t > since) & (self.result.t <= here.t[0])
            pressed = pressed | np.any(self.result.trajectory.contact_force[passed] > least, axis=0)
        return np.flatnonzero(pressed)

    def _peak(self, index: int, since: float | None, time: float, now: float) -> tuple[int | None, float]:
        """The step since ``since`` with a larger normal force than ``now`` (None: there is none), and that force."""
        if since is None:
            return None, now
        inside = np.flatnonzero((self.result.t > since) & (self.result.t <= time))
        forces = self.result.trajectory.contact_force[inside, index]
        if not len(forces) or forces.max() <= now * (1.0 + 1e-9):  # equal but for the rounding of the time
            return None, now
        step = int(np.argmax(forces))
        return int(inside[step]), float(forces[step])

    def _point(self, here: DrawableResult, index: int, step: int | None, force: float) -> Point:
        """The point of a contact at a step, or at the time of ``here``."""
        run, row = (here.trajectory, 0) if step is None else (self.result.trajectory, step)
        time = float(here.t[0]) if step is None else float(self.result.t[step])
        phase = self.phases.history(index).at(time)
        push = run.contact_push[row, index]
        return Point(run.contact_point[row, index], push * (force > 0.0), phase)

    def _moved(self, point: Point, here: DrawableResult, drawn: DrawableResult, index: int, scale: float) -> Point:
        """A point moved as the exaggeration of the deformation moves the first marker of its contact."""
        if scale == 1.0:
            return point
        marker = self.result.structure.contacts[index].marker_a
        moved = marker_in_world(drawn, marker, scale)[0] - marker_in_world(here, marker, 1.0)[0]
        return point._replace(place=point.place + moved)

    def _draw(self) -> None:
        points = list(self.shown.values())
        for actor in self._actors:
            actor.visibility = bool(points)
        if not points:
            return
        places = np.array([point.place for point in points])
        for mesh in (self._rims, self._dots):
            _replace(mesh, places)
        self._dots.point_data["phase"] = np.array([rgb(PHASES[point.phase].color) for point in points], np.uint8)
        self._dots.set_active_scalars("phase")
        forced = [point for point in points if self.scale.shows(float(np.linalg.norm(point.push)))]
        self._actors[0].visibility = bool(forced)
        if forced:
            pushes = np.array([point.push for point in forced])
            strengths = np.linalg.norm(pushes, axis=1)
            lengths = self.size * np.array([self.scale.length(float(strength)) for strength in strengths])
            vectors = pushes * (lengths / strengths)[:, None]
            starts = np.array([point.place for point in forced]) - vectors
            _replace(self._arrows, *arrows(starts, vectors, self._slim * self.size))

    def tails(self) -> np.ndarray:
        """(k, 3) m, where the arrows of the largest forces of all contacts start; to be in the picture."""
        run = self.result.trajectory
        found = [np.zeros((0, 3))]
        for index in np.flatnonzero(run.contact_force.max(axis=0, initial=0.0) > 0.0):
            step = int(np.argmax(run.contact_force[:, index]))
            point = self._point(self.result, index, step, float(run.contact_force[step, index]))
            strength = float(np.linalg.norm(point.push))
            if self.scale.shows(strength):
                found.append(point.place[None] - self.size * self.scale.length(strength) / strength * point.push)
        return np.concatenate(found)


def _replace(mesh, points: np.ndarray, faces: np.ndarray | None = None) -> None:
    import pyvista

    mesh.deep_copy(pyvista.PolyData(points) if faces is None else pyvista.PolyData(points, faces))
