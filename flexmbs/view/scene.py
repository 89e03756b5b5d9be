"""The 3D picture of a result at one time. Showing another time moves it without rebuilding anything."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmbs.view.canvas import Canvas, Floor, ScaleBar, add_title, pixels_per_metre
from flexmbs.view.colours import ColourBar, check_color, check_shown, colour_range, fitted, has_values, text_width
from flexmbs.view.contact_scene import ContactScene, Shown
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import drawing
from flexmbs.view.extent import motion_bounds, motion_points, view_direction
from flexmbs.view.key_histories import other_events
from flexmbs.view.look import Basis, Frame, Look, chosen_direction, fit, place_parallel, place_perspective, view_basis
from flexmbs.view.part_actors import LinkActors, PartActors
from flexmbs.view.scene_parts import on_ground, plane_parts, scene_parts, sphere_parts
from flexmbs.view.slow_motion import digits_of

#: A gap at a joint caused by exaggerated deformation is mentioned above this fraction of the size of the motion.
OPENING_SHOWN = 2e-3
#: Parts of the height for the legend of contacts and for sliders, of width and height for margins and the colour bar.
LEGEND, SLIDERS, MARGIN, BAR = 0.06, 0.14, 0.035, 0.14
#: Part of the picture that a body takes which the camera follows.
FOLLOWED = 0.4
#: Events that are named in a frame of a film.
TOLD = 3


class Scene(Canvas):
    """A result in a pyvista plotter; :meth:`show_time` moves its actors.

    Parameters
    ----------
    look : how it is shown; None: ``options``, those of :class:`flexmbs.view.look.Look`
    start, end : s, the part of the run that the camera and the range of colours are fitted to (None: all of it)
    smooth : anti-aliasing; without a graphics card, a picture then takes four times as long
    """

    def __init__(
        self,
        result: DrawableResult,
        look: Look | None = None,
        *,
        start: float | None = None,
        end: float | None = None,
        window_size: tuple[int, int] = (1120, 840),
        off_screen: bool = True,
        smooth: bool = True,
        **options: Any,
    ) -> None:
        self.look = look = look or Look(**options)
        look.check_names(result)
        check_shown(result, look.color)
        self.result, self.color, self.scale = result, look.color, float(look.scale)
        self._part_of_run = start, end
        self._told = "", 0  # of events, and for how many frames
        self._fitted_at = 0.0  # pixels of a metre, to which scale bar and legend were fitted
        self.told_for = 25  # frames
        self._ranges: dict[str, tuple[float, float]] = {}
        self.time_digits = digits_of(float(result.t[-1] - result.t[0]) / 1000.0)  # behind the point, in the picture
        self._letters = window_size[1] / 840.0
        self._points = motion_points(result, self.scale, start, end)
        self.low, self.high = motion_bounds(result.structure, self._points)
        self.size = float(max(np.linalg.norm(self.high - self.low), 1e-9))
        super().__init__(window_size, look.paper, smooth=smooth, off_screen=off_screen)
        below = 0.0 if off_screen else SLIDERS
        self._basis = self._view()
        self._planes = [] if self._hides("contact shapes") else plane_parts(result, self.size)
        self._floor = self._make_floor()
        self.contacts = self._make_contacts(below)
        self._add_parts()
        self._bar = ColourBar(self.plotter, look.ink, self._letters, look.color_map)
        if not self._hidden("axes"):
            self.plotter.add_axes(color=look.ink, viewport=(0.0, below, 0.1, below + 0.14), line_width=2)
        self._scale_bar = None
        if not self._hidden("scale bar"):
            level = (below + 0.03) * window_size[1]
            self._scale_bar = ScaleBar(self.plotter, level, self._letters, look.ink)
        self._add_text()
        self._place_camera(below + (LEGEND if self.contacts is not None else 0.04))
        self.recolor(look.color)

    def show_time(self, time: float, since: float | None = None, speed: float | None = None) -> None:
        """Move everything to ``time``; contact arrows show the largest force between ``since`` and ``time``.

        Contacts often last microseconds, so an animation passes the time of the previous frame as ``since``.
        ``speed`` (s/s) of a film in slow motion is written beside the time.
        """
        self.time = time
        true = self.result.resampled([time])
        drawn = drawing(true, self.scale)
        here = drawn.here
        self._parts.move(here, self.scale, self.color, self._bar.factor)
        self._links.move(here, self.scale)
        shown = Shown(0.0, False) if self.contacts is None else self.contacts.move(true, here, self.scale, since)
        self._tell(since, time)
        self._label.input = self._label_text(time, speed, drawn.opening, shown)
        self._follow(here)
        pixels = pixels_per_metre(self.plotter)
        if abs(pixels - self._fitted_at) > 1e-3 * pixels:
            self._fitted_at = pixels
            if self._scale_bar is not None:
                self._scale_bar.refresh(pixels)
            if self.contacts is not None:
                self.contacts.legend.refresh(pixels)
        self.plotter.reset_camera_clipping_range()  # so that nothing is clipped in depth

    def _tell(self, since: float | None, time: float) -> None:
        """Have what has happened since the frame before told in this one and the next ones, so that it can be read."""
        found = [] if since is None else [one for one in other_events(self.result, since, time) if one.time > since]
        self._told = (", ".join(map(str, found[-TOLD:])), self.told_for) if found else (self._told[0], self._told[1] - 1)

    def recolor(self, color: str) -> None:
        """Show another quantity in colour."""
        check_color(color)
        check_shown(self.result, color)
        self.color = color
        if self._is_coloured():
            self._parts.recolor(color, self._bar.show(color, *self._range()))
        else:
            self._parts.recolor(color, (0.0, 1.0))
        if not self._is_coloured() or self._hidden("color bar"):
            self._bar.hide()
        self.show_time(getattr(self, "time", float(self.result.t[0])))

    def _is_coloured(self) -> bool:
        """Whether any part shows values."""
        return any(has_values(one.part.flexible, self.color) for one in self._parts.shown)

    def rescale(self, scale: float) -> None:
        """Draw the deformation with another factor."""
        self.scale = float(scale)
        self.show_time(self.time)

    def _hidden(self, name: str) -> bool:
        return name in self.look.hide

    def _range(self) -> tuple[float, float]:
        if self.look.color_range is not None:
            return self.look.color_range
        if self.color not in self._ranges:
            self._ranges[self.color] = colour_range(self.result, self.color, *self._part_of_run)
        return self._ranges[self.color]

    def _view(self) -> Basis:
        direction, up = view_direction(self.low, self.high, self.result.structure.gravity)
        return view_basis(direction if self.look.camera is None else chosen_direction(self.look.camera), up)

    def _make_floor(self) -> Floor | None:
        """The floor below what moves, if there is gravity."""
        gravity = self.result.structure.gravity
        if not np.any(gravity) or not self._points or self._hidden("floor"):
            return None
        floor = Floor(np.concatenate([self._drawn_points(), [self.low, self.high]]), -gravity / np.linalg.norm(gravity), self.size)
        floor.draw(self.plotter, self.look.tint(0.04), self.look.tint(0.14))
        return floor

    def _drawn_points(self) -> np.ndarray:
        """(k, 3) m, of what moves at any time, and of planes on ground."""
        moving = [part.reshape(-1, 3) for part in self._points.values()]
        planes = [(plane.marker, plane.points) for plane in self._planes]
        return np.concatenate([*moving, *on_ground(self.result.structure, planes)])

    def _add_parts(self) -> None:
        first = drawing(self.result.resampled(self.result.t[:1]), self.scale).here
        found = scene_parts(self.result, self.size)
        every = *found.parts, *sphere_parts(self.result.structure), *self._planes
        parts = tuple(part for part in every if not self._hides(part.group, part.name))
        links = tuple(link for link in found.links if not self._hides(link.group, link.name))
        flattening = None if self._floor is None or self._hidden("shadows") else self._floor.flattening()
        self._parts = PartActors(self.plotter, parts, self.look, flattening)
        self._links = LinkActors(self.plotter, links, first, self.scale)

    def _hides(self, group: str, name: str = "") -> bool:
        return self._hidden(group) or self._hidden({"bodies": name, "contact shapes": "contacts"}.get(group, group))

    def _make_contacts(self, below: float) -> ContactScene | None:
        if not self.result.structure.contacts or self._hidden("contacts"):
            return None
        found = ContactScene(self.plotter, self.result, self.size, self.look, below + 0.03, self._letters)
        ends = np.stack([self.low, self.high, *found.tails()])
        self.low, self.high = ends.min(axis=0), ends.max(axis=0)
        return found

    def _add_text(self) -> None:
        """Title, and below it what changes from picture to picture."""
        top, height, look = 0.985, 0.0, self.look
        if look.title:
            height = 0.034 * (1 + add_title(self.plotter, look.title, 13 * self._letters, look.ink).input.count("\n"))
        self._label = add_title(self.plotter, " ", 11 * self._letters, look.ink, top=top - height)
        self._below_text = top - height - 0.04

    def _label_text(self, time: float, speed: float | None, opening: float, shown: Shown) -> str:
        parts = [f"t = {time:.{self.time_digits}f} s"]
        if speed is not None:
            parts.append(f"speed {speed_text(speed)}")
        if self.scale != 1.0:
            open_by = f" (joint gaps up to {1e3 * opening:.3g} mm)" if opening > OPENING_SHOWN * self.size else ""
            parts.append(f"deformation x {self.scale:g}{open_by}")
        if shown.force > 0.0:
            value = f"{shown.force:.0f} N" if shown.force >= 100.0 else f"{shown.force:.3g} N"
            parts.append(f"contact force {value}" + (" (peak since last frame)" if shown.passed else ""))
        if self._told[1] > 0:
            parts.append(self._told[0])
        return fitted("    ".join(parts), 0.96 * self.plotter.window_size[0], text_width(self._label))

    def _place_camera(self, bottom: float) -> None:
        """As given, or so that the motion fills what text, legend and colour bar leave free."""
        look, width = self.look, self.plotter.window_size[0]
        bar = BAR if self._is_coloured() and not self._hidden("color bar") else 0.0
        frame = Frame(MARGIN, bottom + MARGIN, 1.0 - MARGIN - bar, self._below_text - MARGIN)
        if look.follow is not None:
            own = self._points[self.result.structure.body_index(look.follow)]
            self._followed = own[0].mean(axis=0)  # where the body is, as long as the camera stands there
            points = (own - own.mean(axis=1, keepdims=True) + self._followed).reshape(-1, 3)
            low, high = np.array(frame[:2]), np.array(frame[2:])
            middle, reach = 0.5 * (low + high), 0.5 * FOLLOWED * (high - low)  # its surroundings are to be seen
            frame = Frame(*(middle - reach), *(middle + reach))
        else:
            shown = [self._drawn_points(), np.array([self.low, self.high])]
            shown += [] if self.contacts is None else [self.contacts.tails()]
            shown += [] if self._floor is None else [self._floor.corners]
            points = np.concatenate(shown)
        if look.camera_position is not None:
            target = 0.5 * (self.low + self.high) if look.camera_target is None else look.camera_target
            place_perspective(self.plotter, look.camera_position, target, self._basis.upward, look.zoom)
            return
        center, half = fit(points, self._basis, frame, width / self.plotter.window_size[1])
        center = center if look.camera_target is None else look.camera_target
        place_parallel(self.plotter, center, half, self._basis, 3.0 * max(self.size, half), look.zoom)

    def _follow(self, here: DrawableResult) -> None:
        """Move the camera with the body that it follows."""
        if self.look.follow is None:
            return
        index = self.result.structure.body_index(self.look.follow)
        run, center = here.trajectory, self.result.structure.bodies[index].center
        now = run.body_position[0, index] + run.body_rotation[0, index] @ center
        camera = self.plotter.camera
        moved = now - self._followed
        camera.position, camera.focal_point = np.array(camera.position) + moved, np.array(camera.focal_point) + moved
        self._followed = now


def speed_text(speed: float) -> str:
    """A speed relative to real time (s/s): "1/50", "1", "3.2 x"; fractions with two digits."""
    if speed <= 0.0:
        return "0"
    if speed > 1.05:
        return f"{speed:.2g} x" if speed < 10.0 else f"{speed:.0f} x"
    slower = 1.0 / speed
    power = 10.0 ** max(math.floor(math.log10(slower)) - 1, 0)
    number = round(slower / power) * power
    return "1" if number <= 1.0 else f"1/{number:.0f}"
