"""Text, patches and a scale bar that lie over the picture, in pixels."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.view.colours import round_step, text_width

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

    def show(self, triangles: np.ndarray) -> None:
        """Draw triangles (n, 3, 2)."""
        from pyvista import PolyData

        points = np.concatenate([triangles.reshape(-1, 2), np.zeros((3 * len(triangles), 1))], axis=1)
        faces = np.concatenate([np.full((len(triangles), 1), 3), np.arange(len(points)).reshape(-1, 3)], axis=1)
        self.mesh.deep_copy(PolyData(points, faces.ravel()))


class ScaleBar:
    """A bar of round length in the lower right corner; :meth:`refresh` fits it to the camera."""

    def __init__(self, plotter, level: float, letters: float, color: str) -> None:
        """``level``: of its middle, pixels; ``letters``: factor on their size."""
        self.plotter, self.level, self.letters = plotter, level, letters
        self._bar, self._text = OverlayPatch(plotter, color), OverlayText(plotter, " ", round(9 * letters), color)
        self._drawn_at = 0.0  # pixels of a metre

    def refresh(self) -> None:
        """Choose the length anew if the camera has changed; hidden in perspective, where lengths differ by depth."""
        camera = self.plotter.camera
        flat = bool(camera.parallel_projection)
        self._bar.actor.SetVisibility(flat)
        self._text.actor.SetVisibility(flat)
        if not flat:
            return
        width = self.plotter.window_size[0]
        pixels = pixels_per_metre(self.plotter)
        if abs(pixels - self._drawn_at) <= 1e-3 * pixels:
            return
        self._drawn_at = pixels
        length = round_step(0.5 * 0.2 * width / pixels, 1)
        self._text.actor.input = length_text(length)
        text, bar = self._text.width(), length * pixels
        right = 0.98 * width
        self._text.show(right - text, self.level)
        end, space = right - text - 8.0 * self.letters, 5.0 * self.letters
        self._bar.show(_bar(end - bar, end, self.level, space, max(1.0, 1.2 * self.letters)))


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


def _bar(left: float, right: float, level: float, half: float, line: float) -> np.ndarray:
    """(6, 3, 2) triangles: a line with a stroke at both ends."""
    return np.concatenate(
        [
            _rectangle(left, right, level - line, level + line),
            _rectangle(left, left + 2.0 * line, level - half, level + half),
            _rectangle(right - 2.0 * line, right, level - half, level + half),
        ]
    )


def _rectangle(left: float, right: float, low: float, high: float) -> np.ndarray:
    return np.array([[[left, low], [right, low], [right, high]], [[left, low], [right, high], [left, high]]])
