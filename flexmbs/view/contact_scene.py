"""Contacts in a scene: points, arrows of forces, and the legend of their phases."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.contact_phases import FREE, PHASES, ContactPhases
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import marker_in_world
from flexmbs.view.force_arrows import FORCE_SHOWN, SHAFT, TIP, TIP_LENGTH, ForceScale, arrows
from flexmbs.view.overlay import OverlayPatch, OverlayText, pixels_per_metre

FORCE, INK = "#c8252b", "#20242a"
LETTERS, SPACE = 9, 22  # size of letters, pixels between entries, in a picture 840 pixels high
LEFT, RIGHT = 0.11, 0.76  # parts of the width: beside the triad of axes, and the scale bar


class ContactLegend:
    """Entries above the lower edge of a pyvista plotter, in one line at ``height`` (part of the picture), or in two.

    ``size``: of the motion, m; :meth:`refresh` draws the arrows as long as they are in the scene.
    """

    def __init__(
        self, plotter, phases: tuple[int, ...], scale: ForceScale, size: float, height: float, letters: float, ink: str = INK
    ) -> None:
        self.plotter, self.scale, self.size, self.letters = plotter, scale, size, letters
        self._forces = scale.examples()
        self._drawn_at = 0.0  # pixels of a metre
        self._level = height * plotter.window_size[1]
        written = round(LETTERS * letters)
        self._texts = [OverlayText(plotter, force_text(force), written, ink) for force in self._forces]
        self._names = [OverlayText(plotter, PHASES[phase].name, written, ink) for phase in phases]
        self._patches = [OverlayPatch(plotter, FORCE) for _ in self._forces]
        self._dots = [OverlayPatch(plotter, PHASES[phase].color) for phase in phases]

    def refresh(self) -> None:
        """Fit the arrows to the camera."""
        pixels = pixels_per_metre(self.plotter)
        if abs(pixels - self._drawn_at) <= 1e-3 * pixels:
            return
        self._drawn_at = pixels
        left, space = LEFT * self.plotter.window_size[0], self.letters * SPACE
        at, radius = left, 6.0 * self.letters
        for patch, text in zip(self._dots, self._names, strict=True):
            patch.show(_disc(at + radius, self._level, radius))
            at = text.show(at + 2.0 * radius + 0.4 * space, self._level) + space
        lengths = [self.size * self.scale.length(force) * pixels for force in self._forces]
        needed = sum(lengths) + sum(text.width() + 1.4 * space for text in self._texts)
        level = self._level
        if at + needed > RIGHT * self.plotter.window_size[0]:  # a second line above the first
            at, level = left, level + 1.4 * space
        for patch, text, length in zip(self._patches, self._texts, lengths, strict=True):
            patch.show(_arrow(at, level, length, self.size * pixels))
            at = text.show(at + length + 0.4 * space, level) + space


def _disc(x: float, y: float, radius: float, corners: int = 20) -> np.ndarray:
    """(corners, 3, 2) triangles of a disc, pixels."""
    turn = 2.0 * np.pi * np.arange(corners + 1) / corners
    rim = np.array([x, y]) + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    return np.stack([np.broadcast_to([x, y], (corners, 2)), rim[:-1], rim[1:]], axis=1)


def _arrow(x: float, y: float, length: float, unit: float) -> np.ndarray:
    """(3, 3, 2) triangles of an arrow to the right from (x, y); ``unit``: size of the motion; all in pixels."""
    tip = min(TIP_LENGTH * unit, 0.7 * length)
    half, wide, neck, end = max(SHAFT * unit, 1.0), max(TIP * unit, 3.0), x + length - tip, x + length
    shaft = [[x, y - half], [neck, y - half], [neck, y + half], [x, y + half]]
    head = [[neck, y - wide], [end, y], [neck, y + wide]]
    return np.array([[shaft[0], shaft[1], shaft[2]], [shaft[0], shaft[2], shaft[3]], head])


def force_text(force: float) -> str:
    """A force with its unit: "250 N", "12.5 kN"."""
    for factor, unit in ((1e9, "GN"), (1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"), (1e-6, "uN")):
        if force >= factor * (1.0 - 1e-9):
            return f"{force / factor:.3g} {unit}"
    return f"{force:.3g} N"


RIM = "#20242a"
DOT, RIM_WIDTH = 11, 4  # pixels of a picture 840 pixels high
SMALLEST = 0.75  # of dots in small pictures
CROWD = 30  # contact points; of more, dots and arrows are smaller
_IN_FRONT = -1e5  # shift in depth of what is seen through bodies


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

    def __init__(
        self,
        plotter,
        result: DrawableResult,
        size: float,
        *,
        force_scale: str = "linear",
        stick_speed: float | None = None,
        legend_height: float = 0.03,
        letters: float = 1.0,
        ink: str = RIM,
    ) -> None:
        import pyvista

        if stick_speed is not None and not (np.isfinite(stick_speed) and stick_speed >= 0.0):
            raise FlexmbsError(f"stick_speed is {stick_speed!r}; it must be a speed in m/s, 0 or more")
        run = result.trajectory
        self.result, self.size = result, size
        self.scale = ForceScale(force_scale, largest_push(run))
        self.phases = ContactPhases(result, stick_speed)
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
            _put_in_front(actor, shift * _IN_FRONT)
        self._legend = ContactLegend(plotter, self.phases.occurring(), self.scale, size, legend_height, letters, ink)

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
        self._dots.point_data["phase"] = np.array([_rgb(PHASES[point.phase].color) for point in points], np.uint8)
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

    @property
    def arrows_shown(self) -> bool:
        """Whether any force arrow is in the picture."""
        return bool(self._actors[0].visibility)


def largest_push(run) -> float:
    """N, of all contacts at all times."""
    return float(np.sqrt((run.contact_push**2).sum(axis=2)).max(initial=0.0))


def _replace(mesh, points: np.ndarray, faces: np.ndarray | None = None) -> None:
    import pyvista

    mesh.deep_copy(pyvista.PolyData(points) if faces is None else pyvista.PolyData(points, faces))


def _put_in_front(actor, shift: float) -> None:
    """Draw an actor as if it were nearer to the camera, so that bodies do not hide it."""
    mapper = actor.mapper
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPointOffsetParameter(shift)
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(0.0, shift)


def _rgb(color: str) -> tuple[int, ...]:
    return tuple(int(color[k : k + 2], 16) for k in (1, 3, 5))
