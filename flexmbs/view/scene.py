"""The 3D picture of a result at one time. Showing another time moves it without rebuilding anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.camera import place_camera
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.exaggerated_motion import drawing, marker_in_world
from flexmbs.view.extent import colour_range, colour_values, motion_bounds, surface_points
from flexmbs.view.fitted_text import fitted, text_width

#: Quantities shown in colour: title of the colour bar, and factor from SI to its unit.
COLORS = {"displacement": ("Displacement\n[mm]\n", 1e3), "von_mises": ("Von Mises stress\n[MPa]\n", 1e-6)}
BACKGROUND, INK, FORCE, RIGID, GROUND = "#ffffff", "#20242a", "#c8252b", "#8a94a3", "#c9ced6"
#: Contact forces below this fraction of the run's largest are rounding or the very first touch: not shown.
FORCE_SHOWN = 1e-6
#: A gap at a joint caused by exaggerated deformation is mentioned above this fraction of the size of the motion.
OPENING_SHOWN = 2e-3


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
        self._zoom = window_size[1] / 840.0  # of letters
        self.plotter = pyvista.Plotter(off_screen=off_screen, window_size=list(window_size))
        self.plotter.set_background(BACKGROUND)
        if not smooth:
            self.plotter.render_window.SetMultiSamples(0)
        self._surfaces: dict[int, object] = {}
        self._arrows: list[tuple[int, object]] = []
        self._spheres: list[tuple[int, object]] = []
        self._plates: list[tuple[int, object]] = []
        self._add_bodies(pyvista)
        self._add_contacts(pyvista)
        self._add_frame(pyvista)
        letters = round(13 * self._zoom)
        self._label = self.plotter.add_text(" ", position=(0.02, 0.985), viewport=True, font_size=letters, color=INK)
        self._label.GetTextProperty().SetVerticalJustificationToTop()
        below = 0.0 if off_screen else 0.14  # part of the height kept free for sliders
        place_camera(self.plotter, (self.low, self.high), result.structure.gravity, camera, zoom, below)
        self.show_time(float(result.t[0]))

    def show_time(self, time: float, since: float | None = None) -> None:
        """Move everything to ``time``; contact arrows show the largest force between ``since`` and ``time``.

        Contacts often last microseconds, so an animation passes the time of the previous frame as ``since``.
        """
        self.time = time
        drawn = drawing(self.result.resampled([time]), self.scale)
        here = drawn.here
        for index, surface in self._surfaces.items():
            surface.points[:] = surface_points(here, index, self.scale)
            if "value" in surface.point_data:
                name = self.result.structure.bodies[index].name
                surface.point_data["value"][:] = COLORS[self.color][1] * self._values(name, time)
            surface.Modified()
        self._move_shapes(here)
        self._label.input = self._label_text(time, drawn.opening, *self._move_arrows(here, since))
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

    def _label_text(self, time: float, opening: float, force: float, passed: bool) -> str:
        parts = [f"t = {time:.4f} s"]
        if self.scale != 1.0:
            open_by = f" (joint gaps up to {1e3 * opening:.3g} mm)" if opening > OPENING_SHOWN * self.size else ""
            parts.append(f"deformation x {self.scale:g}{open_by}")
        if force > 0.0:
            value = f"{force:.0f} N" if force >= 100.0 else f"{force:.3g} N"
            parts.append(f"contact force {value}" + (" (peak since last frame)" if passed else ""))
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

    def _add_contacts(self, pyvista) -> None:
        drawn: set[tuple[int, float]] = set()
        for index, pair in enumerate(self.result.structure.contacts):
            arrow = pyvista.Arrow(direction=(1.0, 0.0, 0.0), shaft_radius=0.012, tip_radius=0.035, tip_length=0.15)
            self._arrows.append((index, self.plotter.add_mesh(arrow, color=FORCE, pickable=False)))
            for marker, radius in ((pair.marker_a, pair.radius_a), (pair.marker_b, pair.radius_b)):
                if radius > 0.0 and (marker, radius) not in drawn:
                    drawn.add((marker, radius))
                    ball = pyvista.Sphere(radius=radius)
                    self._spheres.append((marker, self.plotter.add_mesh(ball, color=RIGID, opacity=0.6)))
            if pair.normal is not None:
                size = 0.2 * self.size
                center = self._closest(index)
                plate = pyvista.Plane(center=center, direction=pair.normal, i_size=size, j_size=size)
                actor = self.plotter.add_mesh(plate, color=GROUND, opacity=0.35, show_edges=False)
                self._plates.append((pair.marker_b, actor))

    def _move_shapes(self, here: DrawableResult) -> None:
        """Move the spheres and planes of contacts with their markers."""
        for marker, actor in self._spheres + self._plates:
            matrix = np.eye(4)
            matrix[:3, 3], matrix[:3, :3] = marker_in_world(here, marker, self.scale)
            actor.user_matrix = matrix

    def _move_arrows(self, here: DrawableResult, since: float | None) -> tuple[float, bool]:
        """Move the arrows. Returns the largest force shown (N), and whether it acted before the time of ``here``."""
        largest, passed = 0.0, False
        least = FORCE_SHOWN * float(self.result.trajectory.contact_force.max(initial=0.0))
        for index, actor in self._arrows:
            now = float(here.trajectory.contact_force[0, index])
            force = _force_between(self.result, index, since, float(here.t[0]), now)
            actor.visibility = force > least
            if force <= least:
                continue
            if force > largest:
                largest, passed = force, force > now * (1.0 + 1e-9)  # equal but for the rounding of the time
            _, normal, center = contact_geometry(here, index, self.scale)
            point = center - self.result.structure.contacts[index].radius_a * normal
            peak = float(self.result.trajectory.contact_force[:, index].max())
            length = self.size * (0.06 + 0.2 * force / peak)
            actor.user_matrix = _arrow_matrix(point - length * normal, normal, length)
        return largest, passed

    def _closest(self, index: int) -> np.ndarray:
        """(3,) point of the plane of contact ``index`` that is touched first (or approached), in axes of its marker."""
        starts = [contact.start for contact in self.result.contacts if contact.name == self._contact_name(index)]
        gap = self.result.trajectory.contact_gap[:, index]
        time = starts[0] if starts else float(self.result.t[int(np.argmin(gap))])
        here, pair = self.result.resampled([time]), self.result.structure.contacts[index]
        position, normal, center = contact_geometry(here, index, 1.0)
        return marker_in_world(here, pair.marker_b, 1.0)[1].T @ _in_plane(normal) @ (center - position)

    def _contact_name(self, index: int) -> str:
        return self.result.structure.contacts[index].name


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


def contact_geometry(here: DrawableResult, index: int, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position of marker b, unit normal from b to a, and position of marker a (world axes) in a one-time result."""
    structure = here.structure
    pair = structure.contacts[index]
    (a, _), (b, axes) = marker_in_world(here, pair.marker_a, scale), marker_in_world(here, pair.marker_b, scale)
    if pair.normal is None:
        return b, (a - b) / max(float(np.linalg.norm(a - b)), 1e-30), a
    normal = axes @ pair.normal
    return b, normal / np.linalg.norm(normal), a


def _in_plane(normal: np.ndarray) -> np.ndarray:
    """(3, 3) projection onto the plane with this unit normal."""
    return np.eye(3) - np.outer(normal, normal)


def _force_between(result: DrawableResult, index: int, since: float | None, time: float, now: float) -> float:
    if since is None:
        return now
    inside = (result.t > since) & (result.t <= time)
    return max(now, float(result.trajectory.contact_force[inside, index].max(initial=0.0)))


def _arrow_matrix(start: np.ndarray, direction: np.ndarray, length: float) -> np.ndarray:
    """(4, 4) transformation of the unit arrow along x to an arrow from ``start`` along ``direction``."""
    other = np.eye(3)[int(np.argmin(np.abs(direction)))]
    second = np.cross(direction, other)
    second /= np.linalg.norm(second)
    matrix = np.eye(4)
    matrix[:3, :3] = length * np.stack([direction, second, np.cross(direction, second)], axis=1)
    matrix[:3, 3] = start
    return matrix
