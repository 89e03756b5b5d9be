"""Contacts in a scene: their points, arrows of their forces, and the legend of forces and phases."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmbs.view.canvas import THROUGH, OverlayPatch, OverlayText, in_front, surface
from flexmbs.view.colours import rgb
from flexmbs.view.contact_phases import FORCE_SHOWN, FREE, PHASES, ContactPhases
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import marker_in_world
from flexmbs.view.look import Look
from flexmbs.view.solids import vtk_faces

#: Lengths relative to the size of the motion: of the largest force, and of the shortest arrow that is drawn.
LONGEST, SHORTEST = 0.24, 0.02
#: Radii of the shaft and of the tip, length of the tip, relative to the size of the motion.
SHAFT, TIP, TIP_LENGTH = 0.0032, 0.0095, 0.03
_SIDES = 12


class ForceScale:
    """Length of an arrow, relative to the size of the motion, for forces up to ``largest`` (N); ``kind``: of FORCE_SCALES."""

    def __init__(self, kind: str, largest: float) -> None:
        self.kind, self.largest = kind, largest

    def shows(self, force: float) -> bool:
        """Whether there is an arrow for that force (N)."""
        return force > FORCE_SHOWN * self.largest

    def length(self, force: float) -> float:
        """Length of the arrow of a force (N) that is shown."""
        part = force / self.largest
        if self.kind == "sqrt":
            part = math.sqrt(part)
        elif self.kind == "log":
            part = 1.0 - math.log10(part) / math.log10(FORCE_SHOWN)
        return max(SHORTEST, LONGEST * part)

    def examples(self) -> list[float]:
        """Round forces (N) for a legend: about the largest, and smaller ones where lengths are not in proportion."""
        if self.largest <= 0.0:
            return []
        found = [_round_below(self.largest)]
        if self.kind == "sqrt":
            found.append(found[0] / 10.0)
        elif self.kind == "log":
            found += [found[0] / 100.0, found[0] / 10_000.0]
        return found


def arrows(starts: np.ndarray, vectors: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (k, 3) and triangles (VTK style) of arrows from ``starts`` along ``vectors``, both (n, 3) m.

    Thickness is that of a motion of ``size`` (m).
    """
    lengths = np.linalg.norm(vectors, axis=1)
    along = vectors / lengths[:, None]
    other = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    second = np.cross(along, other)
    second /= np.linalg.norm(second, axis=1)[:, None]
    third = np.cross(along, second)
    tip = np.minimum(TIP_LENGTH * size, 0.7 * lengths)
    places = np.stack([0.0 * tip, lengths - tip, lengths - tip, lengths], axis=1)  # of the rings along the arrow
    radii = size * np.array([SHAFT, SHAFT, TIP, 0.0])
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    around = second[:, None] * np.cos(turn)[:, None] + third[:, None] * np.sin(turn)[:, None]  # (n, sides, 3)
    centers = starts[:, None] + places[..., None] * along[:, None]
    points = centers[:, :, None] + radii[:, None, None] * around[:, None]
    faces = _FACES[None] + np.array([0, 1, 1, 1]) * (len(radii) * _SIDES * np.arange(len(starts)))[:, None, None]
    return points.reshape(-1, 3), faces.reshape(-1)


def _ring_faces() -> np.ndarray:
    """(k, 4) triangles [3, i, j, k] between four rings of points, and of the end at the first ring."""
    here = np.arange(_SIDES)
    after = (here + 1) % _SIDES
    found = [np.stack([here[:-2] * 0, here[2:], here[1:-1]], axis=1)]
    for low in _SIDES * np.arange(3):
        high = low + _SIDES
        found.append(np.stack([low + here, low + after, high + after], axis=1))
        found.append(np.stack([low + here, high + after, high + here], axis=1))
    return vtk_faces(*found).reshape(-1, 4)


_FACES = _ring_faces()


def _round_below(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= value * (1.0 + 1e-12))


FORCE, RIM = "#c8252b", "#20242a"
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
        self.legend = ContactLegend(plotter, self.phases.occurring(), self.scale, size, legend_height, letters, look.ink)

    def move(self, here: DrawableResult, drawn: DrawableResult, scale: float, since: float | None) -> Shown:
        """Show the time of the one-time result ``here``, with deformation times ``scale``.

        ``drawn``: the same with the body frames as drawn. Forces are the largest since the time ``since`` (s), or those
        of ``here`` with None.
        """
        run, time = self.result.trajectory, float(here.t[0])
        passed = np.flatnonzero((self.result.t > (time if since is None else since)) & (self.result.t <= time))
        now, peaks = here.trajectory.contact_force[0], run.contact_force[passed].max(axis=0, initial=0.0)
        pressed = np.maximum(now, peaks) > FORCE_SHOWN * self.scale.largest
        from_before = peaks > now * (1.0 + 1e-9)  # larger not only by the rounding of the time
        self.shown, largest = {}, Shown(0.0, False)
        for index in [*np.flatnonzero(pressed), *np.flatnonzero(~pressed)]:
            if pressed[index] and from_before[index]:
                point = self._point(self.result, int(passed[np.argmax(run.contact_force[passed, index])]), index)
            else:
                point = self._point(here, 0, index)
            if not pressed[index]:
                if point.phase == FREE:
                    continue
                point = point._replace(push=np.zeros(3))
            self.shown[index] = self._moved(point, here, drawn, index, scale)
            force = float(peaks[index] if from_before[index] else now[index])
            if pressed[index] and self.scale.shows(force) and force > largest.force:
                largest = Shown(force, bool(from_before[index]))
        self._draw()
        return largest

    def _point(self, result: DrawableResult, row: int, index: int) -> Point:
        """The point of a contact at one of the times of ``result``."""
        run, phase = result.trajectory, self.phases.history(index).at(float(result.t[row]))
        return Point(run.contact_point[row, index], run.contact_push[row, index], phase)

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
            mesh.deep_copy(surface(places))
        self._dots.point_data["phase"] = np.array([rgb(PHASES[point.phase].color) for point in points], np.uint8)
        self._dots.set_active_scalars("phase")
        vectors = np.array([self._arrow(point) for point in points])
        forced = vectors.any(axis=1)
        self._actors[0].visibility = bool(forced.any())
        if forced.any():
            self._arrows.deep_copy(surface(*arrows((places - vectors)[forced], vectors[forced], self._slim * self.size)))

    def _arrow(self, point: Point) -> np.ndarray:
        """(3,) m, of the force at a point; zero for one that is not shown."""
        strength = float(np.linalg.norm(point.push))
        return self.size * self.scale.length(strength) / strength * point.push if self.scale.shows(strength) else np.zeros(3)

    def tails(self) -> np.ndarray:
        """(k, 3) m, where the arrows of the largest forces of all contacts start; to be in the picture."""
        run = self.result.trajectory
        found = [np.zeros((0, 3))]
        for index in np.flatnonzero(run.contact_force.max(axis=0, initial=0.0) > 0.0):
            point = self._point(self.result, int(np.argmax(run.contact_force[:, index])), index)
            arrow = self._arrow(point)
            if arrow.any():
                found.append((point.place - arrow)[None])
        return np.concatenate(found)


LETTERS, SPACE = 9, 22  # size of letters, pixels between entries, in a picture 840 pixels high
LEFT, RIGHT = 0.11, 0.76  # parts of the width: beside the triad of axes, and the scale bar


class ContactLegend:
    """Entries above the lower edge of a pyvista plotter, in one line at ``height`` (part of the picture), or in two.

    ``size``: of the motion, m; :meth:`refresh` draws the arrows as long as they are in the scene.
    """

    def __init__(
        self, plotter, phases: tuple[int, ...], scale: ForceScale, size: float, height: float, letters: float, ink: str
    ) -> None:
        self.plotter, self.scale, self.size, self.letters = plotter, scale, size, letters
        self._forces = scale.examples()
        self._level = height * plotter.window_size[1]
        written = round(LETTERS * letters)
        self._texts = [OverlayText(plotter, force_text(force), written, ink) for force in self._forces]
        self._names = [OverlayText(plotter, PHASES[phase].name, written, ink) for phase in phases]
        self._patches = [OverlayPatch(plotter, FORCE) for _ in self._forces]
        self._dots = [OverlayPatch(plotter, PHASES[phase].color) for phase in phases]

    def refresh(self, pixels: float) -> None:
        """Fit the arrows to the camera, which shows a metre so large."""
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
            patch.show(*_arrow(at, level, length, self.size * pixels))
            at = text.show(at + length + 0.4 * space, level) + space


def _disc(x: float, y: float, radius: float) -> np.ndarray:
    """(20, 2) corners of a disc, pixels."""
    turn = 0.1 * np.pi * np.arange(20)
    return np.array([x, y]) + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _arrow(x: float, y: float, length: float, unit: float) -> tuple[list, list]:
    """Shaft and head of an arrow to the right from (x, y), polygons; ``unit``: size of the motion; all in pixels."""
    tip = min(TIP_LENGTH * unit, 0.7 * length)
    half, wide, neck, end = max(SHAFT * unit, 1.0), max(TIP * unit, 3.0), x + length - tip, x + length
    shaft = [[x, y - half], [neck, y - half], [neck, y + half], [x, y + half]]
    return shaft, [[neck, y - wide], [end, y], [neck, y + wide]]


def force_text(force: float) -> str:
    """A force with its unit: "250 N", "12.5 kN"."""
    for factor, unit in ((1e9, "GN"), (1e6, "MN"), (1e3, "kN"), (1.0, "N"), (1e-3, "mN"), (1e-6, "uN")):
        if force >= factor * (1.0 - 1e-9):
            return f"{force / factor:.3g} {unit}"
    return f"{force:.3g} N"
