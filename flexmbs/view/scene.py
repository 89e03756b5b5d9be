"""The 3D picture of a result at one time. Showing another time moves it without rebuilding anything."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.camera import place_camera
from flexmbs.view.contact_scene import ContactScene, Shown, largest_push
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import drawing
from flexmbs.view.extent import colour_range, colour_values, motion_bounds, surface_points
from flexmbs.view.fitted_text import fitted, text_width
from flexmbs.view.slow_motion import digits_of

#: Quantities shown in colour: title of the colour bar, and factor from SI to its unit.
COLORS = {"displacement": ("Displacement\n[mm]\n", 1e3), "von_mises": ("Von Mises stress\n[MPa]\n", 1e-6)}
BACKGROUND, INK, RIGID = "#ffffff", "#20242a", "#8a94a3"
#: A gap at a joint caused by exaggerated deformation is mentioned above this fraction of the size of the motion.
OPENING_SHOWN = 2e-3
#: Part of the height for the legend of contacts.
LEGEND = 0.06


class Scene:
    """A result in a pyvista plotter; :meth:`show_time` moves its actors.

    Parameters
    ----------
    color : "displacement" (magnitude) or "von_mises"
    scale : factor on the deformation (not on the motion of the bodies; joints stay closed)
    color_range : (low, high) in m or Pa, instead of 0 to the largest value of the run
    camera : view direction, see :func:`flexmbs.view.camera.place_camera`
    zoom : magnification
    title : shown above the picture; wrapped if it is wider than the picture
    force_scale : "linear", "sqrt" or "log": how the length of an arrow grows with its contact force
    stick_speed : m/s, contacts that slide more slowly are shown as sticking; None: 1 % of the largest speed in contacts
    smooth : anti-aliasing; without a graphics card, a picture then takes four times as long
    """

    def __init__(
        self,
        result: DrawableResult,
        *,
        color: str = "displacement",
        scale: float = 1.0,
        color_range: tuple[float, float] | None = None,
        camera: str | Sequence[float] | None = None,
        zoom: float = 1.0,
        title: str = "",
        force_scale: str = "linear",
        stick_speed: float | None = None,
        window_size: tuple[int, int] = (1120, 840),
        off_screen: bool = True,
        smooth: bool = True,
    ) -> None:
        import pyvista

        check_color(color)
        if not np.isfinite(scale):
            raise FlexmbsError(f"scale is {scale!r}; it must be a finite number, the factor on the deformation")
        self.result, self.color, self.scale, self.title = result, color, float(scale), title
        self._given_range = None if color_range is None else checked_range(color_range)
        self.low, self.high = motion_bounds(result, self.scale)
        self.size = float(max(np.linalg.norm(self.high - self.low), 1e-9))
        self._ranges: dict[str, float] = {}
        self.time_digits = digits_of(float(result.t[-1] - result.t[0]) / 1000.0)  # behind the point, in the picture
        self._zoom = window_size[1] / 840.0  # of letters
        self.plotter = pyvista.Plotter(off_screen=off_screen, window_size=list(window_size))
        self.plotter.set_background(BACKGROUND)
        if not smooth:
            self.plotter.render_window.SetMultiSamples(0)
        self._surfaces: dict[int, object] = {}
        self._add_bodies(pyvista)
        below = 0.0 if off_screen else 0.14  # part of the height kept free for sliders
        self.contacts = None
        if result.structure.contacts:
            self.contacts = ContactScene(
                self.plotter, result, self.size, force_scale=force_scale, stick_speed=stick_speed,
                legend_height=below + 0.03, letters=self._zoom,
            )  # fmt: skip
            below += LEGEND
            ends = np.stack([self.low, self.high, *self.contacts.tails()])
            self.low, self.high = ends.min(axis=0), ends.max(axis=0)
        self._add_frame(pyvista)
        letters = round(13 * self._zoom)
        self._label = self.plotter.add_text(" ", position=(0.02, 0.985), viewport=True, font_size=letters, color=INK)
        self._label.GetTextProperty().SetVerticalJustificationToTop()
        place_camera(self.plotter, (self.low, self.high), result.structure.gravity, camera, zoom, below)
        self.show_time(float(result.t[0]))

    def show_time(self, time: float, since: float | None = None, speed: float | None = None) -> None:
        """Move everything to ``time``; contact arrows show the largest force between ``since`` and ``time``.

        Contacts often last microseconds, so an animation passes the time of the previous frame as ``since``.
        ``speed`` (s/s) of a film in slow motion is written beside the time.
        """
        self.time = time
        true = self.result.resampled([time])
        drawn = drawing(true, self.scale)
        here = drawn.here
        for index, surface in self._surfaces.items():
            surface.points[:] = surface_points(here, index, self.scale)
            if "value" in surface.point_data:
                name = self.result.structure.bodies[index].name
                surface.point_data["value"][:] = COLORS[self.color][1] * self._values(name, time)
            surface.Modified()
        shown = Shown(0.0, False) if self.contacts is None else self.contacts.move(true, here, self.scale, since)
        self._label.input = self._label_text(time, speed, drawn.opening, shown)
        self.plotter.reset_camera_clipping_range()  # so that nothing is clipped in depth

    def recolor(self, color: str) -> None:
        """Show another quantity in colour."""
        check_color(color)
        self.color = color
        title, factor = COLORS[color]
        for actor in self.plotter.actors.values():
            if getattr(actor, "mapper", None) is not None and actor.mapper.scalar_visibility:
                actor.mapper.scalar_range = tuple(factor * bound for bound in self._range())
        for bar in self.plotter.scalar_bars.values():
            bar.SetTitle(title)
        self.show_time(self.time)

    def rescale(self, scale: float) -> None:
        """Draw the deformation with another factor."""
        self.scale = float(scale)
        self.show_time(self.time)

    def include(self, newest: DrawableResult) -> None:
        """Go over to ``newest``, the newest state of a run that goes on; ranges of colours and forces grow with it."""
        self.result, self.time = newest, float(newest.t[-1])
        if self.contacts is not None:
            self.contacts.scale.include(largest_push(newest.trajectory))
        if self._given_range is None and any(body.flexible is not None for body in newest.structure.bodies):
            largest = colour_range(newest, self.color)
            if largest > self._range()[1]:
                self._ranges[self.color] = largest
                self.recolor(self.color)

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8 image of the current scene."""
        if not getattr(self, "_open", False):
            self.plotter.show(auto_close=False, interactive=False)
            self._open = True
        self.plotter.render()  # after the first show, screenshot() alone returns the old picture
        return self.plotter.screenshot(None, return_img=True)

    def close(self) -> None:
        self.plotter.close()

    def _values(self, name: str, time: float) -> np.ndarray:
        return colour_values(self.result, name, time, self.color)

    def _range(self) -> tuple[float, float]:
        if self._given_range is not None:
            return self._given_range
        if self.color not in self._ranges:
            self._ranges[self.color] = colour_range(self.result, self.color)
        return 0.0, self._ranges[self.color]

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
        lines = ([self.title] if self.title else []) + ["    ".join(parts)]
        return fitted("\n".join(lines), 0.96 * self.plotter.window_size[0], text_width(self._label))

    def _add_bodies(self, pyvista) -> None:
        title, factor = COLORS[self.color]
        bar = {
            "title": title,
            "color": INK,
            "vertical": True,
            "position_x": 0.87,
            "position_y": 0.2,
            "height": 0.6,
            "width": 0.06,
            "title_font_size": round(17 * self._zoom),
            "label_font_size": round(16 * self._zoom),
            "fmt": "%.4g",
            "n_labels": 5,
        }
        first = self.result.resampled(self.result.t[:1])
        for index, body in enumerate(self.result.structure.bodies[1:], start=1):
            points = surface_points(first, index, self.scale)
            if body.flexible is not None:
                mesh = pyvista.PolyData(points, body.flexible.surface.faces)
                mesh.point_data["value"] = np.zeros(len(points))
                limits = [factor * bound for bound in self._range()]
                look = {"scalars": "value", "cmap": "turbo", "clim": limits, "ambient": 0.4}
                self.plotter.add_mesh(mesh, scalar_bar_args=bar, name=f"body {index}", **look)
            elif len(body.shape_points):
                mesh = pyvista.PolyData(points, body.shape_faces)
                self.plotter.add_mesh(mesh, color=RIGID, name=f"body {index}")
            else:
                mesh = pyvista.PolyData(points)
                self.plotter.add_mesh(
                    mesh, color=RIGID, name=f"body {index}", point_size=14, render_points_as_spheres=True
                )
            self._surfaces[index] = mesh

    def _add_frame(self, pyvista) -> None:
        """World axes at the origin: x red, y green, z blue."""
        for direction, color in zip(np.eye(3), ("#c8252b", "#2e8b3d", "#2a5bd7"), strict=True):
            arrow = pyvista.Arrow(direction=direction, scale=0.08 * self.size, shaft_radius=0.03, tip_radius=0.08)
            self.plotter.add_mesh(arrow, color=color, pickable=False)


def check_color(color: str) -> None:
    """FlexmbsError if ``color`` is not one of :data:`COLORS`."""
    if color not in COLORS:
        raise FlexmbsError(f"unknown color {color!r}; choose one of {', '.join(COLORS)}")


def checked_range(bounds: tuple[float, float]) -> tuple[float, float]:
    """``bounds`` as two finite numbers in ascending order; otherwise FlexmbsError."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise FlexmbsError(f"color_range is {bounds!r}; it must be two numbers in m or Pa, the smaller one first")
    return low, high


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
