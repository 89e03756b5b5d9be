"""A mode of a reduced body as a picture or film; its scene."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.fem.stress_field import von_mises
from flexmbs.reduction.flexible_body import FlexibleBody
from flexmbs.view.animate import FORMATS, open_writer, require_whole_film
from flexmbs.view.colours import COLORS, check_color, fitted, text_width
from flexmbs.view.look import INK
from flexmbs.view.opengl import prepare_offscreen

BACKGROUND, GHOST, MARKER, FRAME = "#ffffff", "#8a94a3", "#c8252b", "#2a5bd7"
REACH = 0.1  # largest displacement at scale 1, relative to the size of the body
STEEPEST = 0.5  # limit of the change of displacement over the distance of neighbours: beyond it the shape looks torn
_LABELS = 24  # most marker names that fit into a picture
_EDGES_UP_TO = 12_000  # faces; with more, edges would blacken the picture


class BodyScene:
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
        check_mode(body, mode)
        if not (np.isfinite(scale) and scale > 0.0):
            raise FlexmbsError(f"scale is {scale:g}; it must be a factor above 0")
        import pyvista

        self.body, self.color, self.scale = body, color, float(scale)
        self.size = float(np.linalg.norm(np.ptp(body.surface.points, axis=0))) or 1.0
        self._zoom = window_size[1] / 840.0  # of letters
        self._edges = _edges(body.surface.faces)
        self.plotter = pyvista.Plotter(off_screen=True, window_size=list(window_size))
        self.plotter.set_background(BACKGROUND)
        if not smooth:
            self.plotter.render_window.SetMultiSamples(0)
        self._add_surface(pyvista)
        self._add_markers(pyvista)
        self._label = self.plotter.add_text(" ", position=(0.02, 0.985), viewport=True, font_size=round(12 * self._zoom), color=INK)
        self._label.GetTextProperty().SetVerticalJustificationToTop()
        self.plotter.add_axes(color=INK)
        self._place_camera()
        self.show_mode(mode)

    def show_mode(self, mode: int) -> None:
        """Show another mode, at maximum displacement."""
        check_mode(self.body, mode)
        self.mode = mode
        self.amplitude = self.scale * _amplitude(self.body, mode - 1, self.size, self._edges)
        self._shape = self.amplitude * self.body.surface.modes[mode - 1]
        title, factor = COLORS[self.color]
        if self.color == "von_mises":
            values = von_mises(self.amplitude * self.body.surface.stress_modes[mode - 1])
        else:
            values = np.linalg.norm(self._shape, axis=1)
        self._values = factor * values
        self._actor.mapper.scalar_range = (0.0, float(self._values.max(initial=0.0)) or 1e-12)
        for bar in self.plotter.scalar_bars.values():
            bar.SetTitle(title)
        most = 0.96 * self.plotter.window_size[0]
        self._label.input = fitted(self._title(), most, text_width(self._label))
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

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8 image of the current scene."""
        if not getattr(self, "_open", False):
            self.plotter.show(auto_close=False, interactive=False)
            self._open = True
        self.plotter.render()  # after the first show, screenshot() alone returns the old picture
        return self.plotter.screenshot(None, return_img=True)

    def close(self) -> None:
        self.plotter.close()

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

    def _add_surface(self, pyvista) -> None:
        points, faces = self.body.surface.points, self.body.surface.faces
        ghost = _surface(pyvista, points, faces)
        outline = ghost.extract_feature_edges(
            feature_angle=30.0, boundary_edges=True, non_manifold_edges=False, manifold_edges=False
        )
        if outline.n_points:
            self.plotter.add_mesh(outline, color=GHOST, line_width=1.5)
        if not len(faces):  # bodies of other tools: nodes without elements
            self.plotter.add_mesh(ghost, color=GHOST, point_size=6)
        self._surface = _surface(pyvista, points, faces)
        self._surface.point_data["value"] = np.zeros(len(points))
        bar = {
            "title": COLORS[self.color][0],
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
        self._actor = self.plotter.add_mesh(
            self._surface,
            scalars="value",
            cmap="turbo",
            clim=(0.0, 1.0),
            ambient=0.4,
            scalar_bar_args=bar,
            show_edges=self._surface.n_cells <= _EDGES_UP_TO,
            edge_color="#3b4350",
            edge_opacity=0.35,
            line_width=1,
            point_size=10,
            render_points_as_spheres=not len(faces),
        )

    def _add_markers(self, pyvista) -> None:
        """Markers with their names, drawn through the body."""
        self._markers = []
        for row, (name, marker) in enumerate(self.body.markers.items()):
            is_frame = name == self.body.attached_at
            color = FRAME if is_frame else MARKER
            points = pyvista.PolyData(marker.position[None].astype(float))
            # without a surface, the colours of the nodes must stay visible around them
            look = {"point_size": 13 if len(self.body.surface.faces) else 4, "render_points_as_spheres": True}
            actor = self.plotter.add_mesh(points, color=color, ambient=0.6, **look)
            actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()
            actor.mapper.SetRelativeCoincidentTopologyPointOffsetParameter(-1e5)
            if row < _LABELS:
                self.plotter.add_point_labels(
                    points,
                    [f"{name} (frame)" if is_frame else name],
                    always_visible=True,
                    show_points=False,
                    font_size=round(15 * self._zoom),
                    text_color=color,
                    shape_color=BACKGROUND,
                    shape_opacity=0.75,
                    margin=2,
                )
            self._markers.append((marker, points))

    def _place_camera(self) -> None:
        """Parallel projection: the longest axis of the body points right, its flattest side faces the viewer."""
        low, high = self.body.surface.points.min(axis=0), self.body.surface.points.max(axis=0)
        longest, middle, flattest = np.argsort(low - high, kind="stable")
        axes = np.eye(3)
        along, up = axes[longest], axes[middle]
        towards = np.cross(along, up)
        direction = -0.45 * along + 0.5 * up + 0.74 * towards
        direction /= np.linalg.norm(direction)
        right = np.cross(up, direction)
        right /= np.linalg.norm(right)
        upward = np.cross(direction, right)
        grown = self.scale * REACH * self.size
        corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (high - low) + low
        width = np.ptp(corners @ right) + 2.0 * grown
        height = np.ptp(corners @ upward) + 2.0 * grown
        aspect = self.plotter.window_size[0] / self.plotter.window_size[1]
        half = max(0.5 * height / 0.7, 0.5 * width / (0.74 * aspect))
        center = 0.5 * (low + high) + 0.1 * half * aspect * right  # room for the colours
        self.plotter.camera_position = [center + 3.0 * self.size * direction, center, up]
        self.plotter.enable_parallel_projection()
        self.plotter.camera.parallel_scale = half


def drawn_amplitudes(body: FlexibleBody) -> np.ndarray:
    """(n,) modal coordinate with which each mode is drawn at scale 1."""
    size = float(np.linalg.norm(np.ptp(body.surface.points, axis=0))) or 1.0
    edges = _edges(body.surface.faces)
    return np.array([_amplitude(body, index, size, edges) for index in range(body.mode_count)])


def check_mode(body: FlexibleBody, mode: int) -> None:
    """FlexmbsError if the body has no mode of that number."""
    if not body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no modes: it is rigid")
    if not 1 <= mode <= body.mode_count:
        raise FlexmbsError(f"body '{body.name}' has no mode {mode}; its modes are 1 to {body.mode_count}")


def _surface(pyvista, points: np.ndarray, faces: np.ndarray):
    return pyvista.PolyData(points.copy(), faces) if len(faces) else pyvista.PolyData(points.copy())


def _edges(faces: np.ndarray) -> np.ndarray:
    """(k, 2) neighbouring points along the edges of VTK faces."""
    starts, pairs, place = [], [], 0
    while place < len(faces):
        starts.append(place)
        place += int(faces[place]) + 1
    starts = np.array(starts, int)
    for count in np.unique(faces[starts]) if len(starts) else ():
        rings = faces[starts[faces[starts] == count][:, None] + 1 + np.arange(count)]
        pairs.append(np.stack([rings, np.roll(rings, -1, axis=1)], axis=-1).reshape(-1, 2))
    return np.concatenate(pairs) if pairs else np.empty((0, 2), int)


def _amplitude(body: FlexibleBody, index: int, size: float, edges: np.ndarray) -> float:
    """The modal coordinate at scale 1."""
    shape, points = body.surface.modes[index], body.surface.points
    largest = float(np.linalg.norm(shape, axis=1).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    amplitude = REACH * size / largest
    lengths = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    long = lengths > 0.0
    if long.any():
        slopes = np.linalg.norm(shape[edges[:, 0]] - shape[edges[:, 1]], axis=1)[long] / lengths[long]
        steep = float(np.quantile(slopes, 0.98))  # single small faces do not count
        amplitude = min(amplitude, STEEPEST / steep) if steep > 0.0 else amplitude
    return amplitude


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
    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FlexmbsError(f"{path}: the file name must end in {', '.join(FORMATS)}; to_html writes a page (.html)")
    check_mode(body, mode)
    prepare_offscreen()
    import imageio.v2 as imageio

    is_picture = path.suffix.lower() == ".png"
    with replacing_in_folder(path) as temporary:
        scene = BodyScene(body, mode, scale=scale, color=color, smooth=is_picture)
        try:
            if is_picture:
                imageio.imwrite(temporary, scene.picture())
            else:
                cycles = 1 if path.suffix.lower() == ".gif" else 2  # a .gif loops
                with open_writer(imageio, temporary, frames_per_second) as writer:
                    for phase in np.arange(cycles * round(PERIOD * frames_per_second)) / (PERIOD * frames_per_second):
                        scene.show_phase(float(phase))
                        writer.append_data(scene.picture())
                if path.suffix.lower() == ".mp4":
                    require_whole_film(temporary)
        finally:
            scene.close()
    return path
