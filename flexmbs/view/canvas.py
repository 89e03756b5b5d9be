"""A plotter, its pictures and films as files, and what all put into it: title, dots, text and patches, a scale bar; a floor."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.view.colours import fitted, round_step, text_width
from flexmbs.view.opengl import prepare_offscreen
from flexmbs.view.solids import axes_along, vtk_faces

NONE = np.zeros(0, dtype=np.int64)
THROUGH = -1e5  # shift in depth of what is seen through bodies


class Canvas:
    """A pyvista plotter and pictures of it; ``smooth`` ones take four times as long without a graphics card."""

    def __init__(
        self, window_size: tuple[int, int], background: str = "#ffffff", *, smooth: bool = True, off_screen: bool = True
    ) -> None:
        import pyvista

        self.plotter = pyvista.Plotter(off_screen=off_screen, window_size=list(window_size))
        self.plotter.set_background(background)
        if not smooth:
            self.plotter.render_window.SetMultiSamples(0)
        self._open = False

    def picture(self) -> np.ndarray:
        """(height, width, 3) uint8 image of what is drawn now."""
        if not self._open:
            self.plotter.show(auto_close=False, interactive=False)
            self._open = True
        self.plotter.render()  # after the first show, screenshot() alone returns the old picture
        return self.plotter.screenshot(None, return_img=True)

    def close(self) -> None:
        self.plotter.close()


def save_canvas(
    path: Path, drawn: Callable[[], Canvas], frames: Callable[[Any], Iterator[None]] | None = None, frames_per_second: int = 25
) -> Path:
    """Write the picture of a canvas as drawn (.png), or a film (.gif, .mp4) of what its ``frames`` show one after another."""
    prepare_offscreen()
    import imageio.v2 as imageio

    with replacing_in_folder(path) as temporary, closing(drawn()) as canvas:
        if frames is None or path.suffix.lower() == ".png":
            imageio.imwrite(temporary, canvas.picture())
            return path
        with open_writer(temporary, frames_per_second) as writer:
            for _ in frames(canvas):
                writer.append_data(canvas.picture())
        if path.suffix.lower() == ".mp4":
            require_whole_film(temporary)
    return path


def open_writer(path: Path, frames_per_second: int):
    """imageio's writer for a looping .gif or an .mp4."""
    import imageio.v2 as imageio

    if path.suffix.lower() == ".gif":
        return imageio.get_writer(path, mode="I", duration=1000.0 / frames_per_second, loop=0)
    return imageio.get_writer(path, fps=frames_per_second, codec="libx264", quality=7, macro_block_size=8)


def require_whole_film(path: Path) -> None:
    """OSError unless the .mp4 file at ``path`` consists of complete boxes that include the index ("moov")."""
    size, at, kinds = path.stat().st_size, 0, []
    with open(path, "rb") as file:
        while at + 8 <= size:
            file.seek(at)
            head = file.read(16)
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:  # more than 4 GB
                length = int.from_bytes(head[8:16], "big")
            if length < 8:
                break
            kinds.append(kind)
            at += length
    if at != size or b"moov" not in kinds:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def surface(points: np.ndarray, faces: np.ndarray = NONE, lines: np.ndarray = NONE):
    """Points (k, 3) m with faces or lines (VTK style); without both, the points themselves."""
    from pyvista import PolyData

    return PolyData(np.array(points, dtype=float), faces=faces if len(faces) else None, lines=lines if len(lines) else None)


def add_title(plotter, text: str, size: float, ink: str, *, top: float = 0.985, share: float = 0.96):
    """A text in the upper left corner, with line breaks so that it takes no more than ``share`` of the width; its actor."""
    actor = plotter.add_text(" ", position=(0.02, top), viewport=True, font_size=round(size), color=ink)
    actor.GetTextProperty().SetVerticalJustificationToTop()
    actor.input = fitted(text, share * plotter.window_size[0], text_width(actor))
    return actor


def add_dots(plotter, points: np.ndarray, color: str, size: float):
    """Dots at points (k, 3) m that are seen through bodies; their mesh."""
    dots = surface(points)
    in_front(plotter.add_mesh(dots, color=color, ambient=0.6, point_size=size, render_points_as_spheres=True), THROUGH)
    return dots


def in_front(actor, units: float, factor: float = 0.0) -> None:
    """Draw an actor as if it were nearer (negative) or farther: by ``factor`` of its slope, and by ``units``."""
    mapper = actor.mapper
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyPolygonOffsetParameters(factor, units)
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(factor, units)
    mapper.SetRelativeCoincidentTopologyPointOffsetParameter(units)


BELOW = 0.004  # of the size: distance of the floor from the lowest point
SPACING = 6  # lines of the grid at most across the size of the motion
DEPTH = 0.3  # least width and depth relative to the size
MARGIN = 0.04


class Floor:
    """A rectangle below the motion whose points are ``points`` (k, 3) m; ``up``: unit vector (3,); ``size``: m."""

    def __init__(self, points: np.ndarray, up: np.ndarray, size: float) -> None:
        self.up, self.size = up, size
        self.level = float((points @ up).min()) - BELOW * size
        first = axes_along(up)[:, 1]  # horizontal, as near to a world axis as possible
        self.axes = np.stack([first, np.cross(up, first)])
        along = points @ self.axes.T
        low, high = along.min(axis=0) - MARGIN * size, along.max(axis=0) + MARGIN * size
        lacking = np.maximum(0.0, DEPTH * size - (high - low))
        self.low, self.high = low - 0.5 * lacking, high + 0.5 * lacking

    @property
    def corners(self) -> np.ndarray:
        """(4, 3) m."""
        (x0, y0), (x1, y1) = self.low, self.high
        return self._on_floor(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))

    def grid(self) -> np.ndarray:
        """(k, 2, 3) m, ends of the lines of the grid, at multiples of a round spacing."""
        extent = float((self.high - self.low).max())  # of what moves, which may be far larger than the bodies
        step = round_step(max(self.size, extent / 20.0), SPACING)
        lines = []
        for axis in (0, 1):
            other = 1 - axis
            for at in step * np.arange(np.ceil(self.low[axis] / step), np.floor(self.high[axis] / step) + 1):
                ends = np.zeros((2, 2))
                ends[:, axis], ends[:, other] = at, (self.low[other], self.high[other])
                lines.append(self._on_floor(ends))
        return np.array(lines).reshape(-1, 2, 3)

    def flattening(self) -> np.ndarray:
        """(4, 4) matrix that projects points straight down onto the floor, a little above it."""
        found = np.eye(4)
        found[:3, :3] -= np.outer(self.up, self.up)
        found[:3, 3] = (self.level + 0.25 * BELOW * self.size) * self.up
        return found

    def draw(self, plotter, color: str, line_color: str) -> None:
        """Put it into a pyvista plotter, with the lines of its grid."""
        look = {"lighting": False, "pickable": False}
        plane = plotter.add_mesh(surface(self.corners, np.array([4, 0, 1, 2, 3])), color=color, name="floor", **look)
        in_front(plane, 4.0)  # farther: what lies on the floor is seen
        grid = self.grid()
        if len(grid):
            lines = surface(grid.reshape(-1, 3), lines=vtk_faces(np.arange(2 * len(grid)).reshape(-1, 2)))
            in_front(plotter.add_mesh(lines, color=line_color, line_width=1, name="grid", **look), 2.0)

    def _on_floor(self, places: np.ndarray) -> np.ndarray:
        return places @ self.axes + self.level * self.up


LENGTHS = ((1e3, "km"), (1.0, "m"), (1e-3, "mm"), (1e-6, "um"), (1e-9, "nm"))  # down to a tenth of metres: 0.2 m


class OverlayText:
    """A text whose left edge is put somewhere (pixels)."""

    def __init__(self, plotter, text: str, size: int, color: str) -> None:
        self.actor = plotter.add_text(text, position=(0, 0), viewport=False, font_size=size, color=color)
        self.actor.GetTextProperty().SetVerticalJustificationToCentered()

    def show(self, left: float, level: float) -> float:
        """Place it; returns its right edge."""
        self.actor.SetPosition(left, level)
        return left + self.width()

    def width(self) -> float:
        return text_width(self.actor)(self.actor.input)


class OverlayPatch:
    """A filled polygon in pixels."""

    def __init__(self, plotter, color: str) -> None:
        from pyvista import Color, PolyData
        from vtkmodules.vtkRenderingCore import vtkActor2D, vtkPolyDataMapper2D

        self.mesh, mapper, self.actor = PolyData(), vtkPolyDataMapper2D(), vtkActor2D()
        mapper.SetInputData(self.mesh)
        self.actor.SetMapper(mapper)
        self.actor.GetProperty().SetColor(*Color(color).float_rgb)
        plotter.renderer.AddViewProp(self.actor)

    def show(self, *polygons: np.ndarray | list) -> None:
        """Draw convex polygons (k, 2)."""
        from pyvista import PolyData

        counts = [len(polygon) for polygon in polygons]
        ends = np.cumsum(counts)
        faces = [[count, *range(end - count, end)] for count, end in zip(counts, ends, strict=True)]
        self.mesh.deep_copy(PolyData(np.pad(np.concatenate(polygons), ((0, 0), (0, 1))), np.concatenate(faces)))


class ScaleBar:
    """A bar of round length in the lower right corner; :meth:`refresh` fits it to the camera."""

    def __init__(self, plotter, level: float, letters: float, color: str) -> None:
        """``level``: of its middle, pixels; ``letters``: factor on their size."""
        self.plotter, self.level, self.letters = plotter, level, letters
        self._bar, self._text = OverlayPatch(plotter, color), OverlayText(plotter, " ", round(9 * letters), color)

    def refresh(self, pixels: float) -> None:
        """Choose the length anew for so many pixels of a metre; hidden in perspective, where lengths differ by depth."""
        flat = bool(self.plotter.camera.parallel_projection)
        self._bar.actor.SetVisibility(flat)
        self._text.actor.SetVisibility(flat)
        if not flat:
            return
        width = self.plotter.window_size[0]
        length = round_step(0.5 * 0.2 * width / pixels, 1)
        self._text.actor.input = length_text(length)
        text, bar = self._text.width(), length * pixels
        right = 0.98 * width
        self._text.show(right - text, self.level)
        end, space = right - text - 8.0 * self.letters, 5.0 * self.letters
        line, level = max(1.0, 1.2 * self.letters), self.level
        spans = (
            (end - bar, end, line),
            (end - bar, end - bar + 2.0 * line, space),
            (end - 2.0 * line, end, space),
        )  # strokes at ends
        self._bar.show(*([[a, level - h], [b, level - h], [b, level + h], [a, level + h]] for a, b, h in spans))


def pixels_per_metre(plotter) -> float:
    """How large a metre is in the picture; in perspective, where the camera looks at."""
    camera = plotter.camera
    half = camera.parallel_scale
    if not camera.parallel_projection:
        half = camera.distance * math.tan(math.radians(0.5 * camera.view_angle))
    return 0.5 * plotter.window_size[1] / half


def length_text(length: float) -> str:
    """A length with its unit: "0.2 m", "50 mm"."""
    if 0.1 <= length < 1.0:
        return f"{length:.3g} m"
    for factor, unit in LENGTHS:
        if length >= factor * (1.0 - 1e-9):
            return f"{length / factor:.3g} {unit}"
    return f"{length:.3g} m"
