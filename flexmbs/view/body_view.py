"""Pictures of the surface of a body: a mode, also as a film, or a field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import refuse_existing
from flexmbs.common.errors import FlexmbsError
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.animate import checked_format
from flexmbs.view.canvas import Canvas, add_dots, add_title, save_canvas, surface
from flexmbs.view.colours import ColourBar, bar_look, check_color, fitted, text_width
from flexmbs.view.look import INK, Frame, fit, place_parallel, view_basis
from flexmbs.view.solids import polygons

GHOST, MARKER, FRAME = "#8a94a3", "#c8252b", "#2a5bd7"
ROOM = Frame(0.03, 0.1, 0.84, 0.86)  # of the picture, for the body
REACH = 0.1  # largest displacement at scale 1, relative to the size of the body
STEEPEST = 0.5  # limit of the change of displacement over the distance of neighbours: beyond it the shape looks torn
_LABELS = 24  # most marker names that fit into a picture
_EDGES_UP_TO = 12_000  # faces; with more, edges would blacken the picture


class BodyScene(Canvas):
    """A mode of a body in a pyvista plotter; ``show_phase`` moves its actors.

    Parameters
    ----------
    mode : number of the mode, from 1
    scale : factor on the amplitude; 1 is a tenth of the body's size, or less where that would tear the shape
    color : "displacement" (magnitude) or "von_mises", both of the state as drawn
    """

    def __init__(
        self,
        body: FlexibleBody,
        mode: int = 1,
        *,
        scale: float = 1.0,
        color: str = "displacement",
        window_size: tuple[int, int] = (1120, 840),
        smooth: bool = True,
    ) -> None:
        check_color(color, ("displacement", "von_mises"))
        if not (np.isfinite(scale) and scale > 0.0):
            raise FlexmbsError(f"scale is {scale:g}; it must be a factor above 0")
        super().__init__(window_size, smooth=smooth)
        self.body, self.color, self.scale = body, color, float(scale)
        self.size = _size(body)
        self._amplitudes = drawn_amplitudes(body)
        self._zoom = window_size[1] / 840.0  # of letters
        self._add_surface()
        self._add_markers()
        self._label = add_title(self.plotter, " ", 12 * self._zoom, INK)
        self.plotter.add_axes(color=INK)
        place_camera(self.plotter, body.surface.points, self.scale * REACH * self.size)
        self.show_mode(mode)

    def show_mode(self, mode: int) -> None:
        """Show another mode, at maximum displacement."""
        check_mode(self.body, mode)
        self.mode = mode
        self.amplitude = self.scale * float(self._amplitudes[mode - 1])
        self._shape = self.amplitude * self.body.surface.modes[mode - 1]
        if self.color == "von_mises":
            values = von_mises(self.amplitude * self.body.surface.stress_modes[mode - 1])
        else:
            values = np.linalg.norm(self._shape, axis=1)
        self._actor.mapper.scalar_range = self._bar.show(self.color, 0.0, float(values.max(initial=0.0)) or 1e-12)
        self._values = self._bar.factor * values
        self._label.input = fitted(self._title(), 0.96 * self.plotter.window_size[0], text_width(self._label))
        self.show_phase(0.25)

    def show_phase(self, phase: float) -> None:
        """Move everything to sin(2 pi phase) times the amplitude (0.25: maximum displacement)."""
        share = float(np.sin(2.0 * np.pi * phase))
        self._surface.points[:] = self.body.surface.points + share * self._shape
        self._surface.point_data["value"][:] = abs(share) * self._values
        self._surface.Modified()
        for marker, points in self._markers:
            points.points[:] = marker.position + share * self.amplitude * marker.Phi[self.mode - 1]
            points.Modified()
        self.plotter.reset_camera_clipping_range()

    def _title(self) -> str:
        body, number = self.body, self.mode
        held = f"held at '{body.attached_at}'" if body.attached_at is not None else "free (mean axes)"
        largest = float(np.linalg.norm(self._shape, axis=1).max(initial=0.0))
        length = f"{1e3 * largest:.3g} mm" if largest < 1.0 else f"{largest:.3g} m"
        return (
            f"{body.name}, {held}\n"
            f"mode {number} of {body.mode_count}: {body.mode_labels[number - 1]}, "
            f"{body.frequencies[number - 1]:.6g} Hz\n"
            f"largest displacement drawn: {length} (scale {self.scale:g})"
        )

    def _add_surface(self) -> None:
        points, faces = self.body.surface.points, self.body.surface.faces
        ghost = surface(points, faces)
        outline = ghost.extract_feature_edges(30.0, non_manifold_edges=False, manifold_edges=False)
        if outline.n_points:
            self.plotter.add_mesh(outline, color=GHOST, line_width=1.5)
        if not len(faces):  # bodies of other tools: nodes without elements
            self.plotter.add_mesh(ghost, color=GHOST, point_size=6)
        self._surface = surface(points, faces)
        self._actor = _add_coloured(self.plotter, self._surface, np.zeros(len(points)), show_scalar_bar=False)
        self._bar = ColourBar(self.plotter, INK, self._zoom, "turbo")

    def _add_markers(self) -> None:
        """Markers with their names, drawn through the body."""
        self._markers = []
        size = 13 if len(self.body.surface.faces) else 4  # without a surface, the colours of the nodes stay visible around them
        for row, (name, marker) in enumerate(self.body.markers.items()):
            is_frame = name == self.body.attached_at
            color = FRAME if is_frame else MARKER
            points = add_dots(self.plotter, marker.position[None], color, size)
            if row < _LABELS:
                label, letters = f"{name} (frame)" if is_frame else name, round(15 * self._zoom)
                look = {"text_color": color, "shape_color": "#ffffff", "shape_opacity": 0.75, "margin": 2, "show_points": False}
                self.plotter.add_point_labels(points, [label], always_visible=True, font_size=letters, **look)
            self._markers.append((marker, points))


def place_camera(plotter, points: np.ndarray, reach: float = 0.0) -> None:
    """Parallel projection: of points (k, 3) m, moved by ``reach``, the longest axis points right, the flattest to the viewer."""
    low, high = points.min(axis=0) - reach, points.max(axis=0) + reach
    longest, middle, _ = np.argsort(low - high, kind="stable")
    along, up = np.eye(3)[longest], np.eye(3)[middle]
    basis = view_basis(-0.45 * along + 0.5 * up + 0.74 * np.cross(along, up), up)
    corners = np.array(list(product(*zip(low, high, strict=True))))
    center, half = fit(corners, basis, ROOM, plotter.window_size[0] / plotter.window_size[1])
    place_parallel(plotter, center, half, basis, 3.0 * float(np.linalg.norm(high - low)), 1.0)


def _add_coloured(plotter, mesh, values: np.ndarray, **bar):
    """A mesh in the colours of ``values`` (np,) at its points; its actor. ``bar``: options of the colour bar."""
    mesh.point_data["value"] = values
    edges = {"show_edges": mesh.n_cells <= _EDGES_UP_TO, "edge_color": "#3b4350", "edge_opacity": 0.35, "line_width": 1}
    dots = {"point_size": 10, "render_points_as_spheres": mesh.n_verts > 0}
    return plotter.add_mesh(mesh, scalars="value", cmap="turbo", clim=(0.0, 1.0), ambient=0.4, **bar, **edges, **dots)


def drawn_amplitudes(body: FlexibleBody) -> np.ndarray:
    """(n,) modal coordinate with which each mode is drawn at scale 1."""
    points, faces, size = body.surface.points, body.surface.faces, _size(body)
    edges = [np.stack([rings, np.roll(rings, -1, axis=1)], axis=-1).reshape(-1, 2) for rings in polygons(faces).values()]
    starts, ends = np.concatenate([np.empty((0, 2), int), *edges]).T
    lengths = np.linalg.norm(points[starts] - points[ends], axis=1)
    starts, ends, lengths = (column[lengths > 0.0] for column in (starts, ends, lengths))
    found = np.zeros(body.mode_count)
    for index, shape in enumerate(body.surface.modes):
        largest = float(np.linalg.norm(shape, axis=1).max(initial=0.0))
        if largest > 0.0:
            slopes = np.linalg.norm(shape[starts] - shape[ends], axis=1) / lengths
            steep = float(np.quantile(slopes, 0.98)) if len(slopes) else 0.0  # single small faces do not count
            found[index] = min(REACH * size / largest, STEEPEST / steep if steep > 0.0 else np.inf)
    return found


def _size(body: FlexibleBody) -> float:
    """m, diagonal of the body."""
    return float(np.linalg.norm(np.ptp(body.surface.points, axis=0))) or 1.0


def check_mode(body: FlexibleBody, mode: int) -> None:
    """FlexmbsError if the body has no mode of that number."""
    if not body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no modes: it is rigid")
    if not 1 <= mode <= body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no mode {mode}; its modes are 1 to {body.mode_count}")


PERIOD = 2.0  # s of one oscillation on the screen


def save_mode(
    body: FlexibleBody,
    path: str | Path,
    mode: int = 1,
    *,
    scale: float = 1.0,
    color: str = "displacement",
    frames_per_second: int = 25,
) -> Path:
    """Write a picture (.png, at maximum displacement) or an animation (one oscillation as .gif, two as .mp4).

    Parameters
    ----------
    mode : from 1
    scale : factor on the amplitude; with 1 the largest displacement is at most a tenth of the body's size
    color : "displacement" or "von_mises"

    Raises FlexmbsError for another file extension or an unknown mode, RenderingUnavailable without OpenGL.
    """
    path = checked_format(path)
    check_mode(body, mode)

    def oscillation(scene: BodyScene) -> Iterator[None]:
        cycles = 2 if path.suffix.lower() == ".mp4" else 1  # a .gif loops
        for phase in np.arange(cycles * round(PERIOD * frames_per_second)) / (PERIOD * frames_per_second):
            yield scene.show_phase(float(phase))

    drawn = partial(BodyScene, body, mode, scale=scale, color=color, smooth=path.suffix.lower() == ".png")
    return save_canvas(path, drawn, oscillation, frames_per_second)


def save_field(
    path: str | Path, points: np.ndarray, faces: np.ndarray, values: np.ndarray, *, title: str, bar: str, marked: int, force: bool
) -> Path:
    """Write a picture (.png) of a surface in the colours of ``values`` (m,) at its points (m, 3) m.

    ``faces``: VTK style; ``bar``: title of the colour bar; ``marked``: a point with a dot. FlexmbsError for another file
    ending, or a file that exists without ``force``; RenderingUnavailable without OpenGL.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise FlexmbsError(f"{path}: the file name of a picture must end in .png")
    refuse_existing(path, force)

    def drawn() -> Canvas:
        canvas, places = Canvas((1280, 880)), np.asarray(points, dtype=float)
        low, high, look = float(values.min()), float(values.max()), bar_look(INK, 1.05) | {"title": bar, "n_labels": 5}
        actor = _add_coloured(canvas.plotter, surface(places, faces), values, scalar_bar_args=look)
        actor.mapper.scalar_range = (0.0, 1.0) if low == high == 0.0 else (min(low, 0.0), high) if high > 0.0 else (low, 0.0)
        add_dots(canvas.plotter, places[marked][None], MARKER, 14)
        add_title(canvas.plotter, title, 11, INK, share=0.9)
        canvas.plotter.add_axes(color=INK)
        place_camera(canvas.plotter, places)
        return canvas

    return save_canvas(path, drawn)
