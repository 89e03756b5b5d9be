"""Legend of contacts: colours of the phases, and how long arrows of given forces are."""

from __future__ import annotations

import numpy as np

from flexmbs.view.contact_phases import PHASES
from flexmbs.view.fitted_text import text_width
from flexmbs.view.force_arrows import SHAFT, TIP, TIP_LENGTH, ForceScale

FORCE, INK = "#c8252b", "#20242a"
LETTERS, SPACE = 9, 22  # size of letters, pixels between entries, in a picture 840 pixels high


class ContactLegend:
    """Entries above the lower edge of a pyvista plotter, in one line at ``height`` (part of the picture), or in two.

    ``size``: of the motion, m; :meth:`refresh` draws the arrows as long as they are in the scene.
    """

    def __init__(
        self, plotter, phases: tuple[int, ...], scale: ForceScale, size: float, height: float, letters: float
    ) -> None:
        self.plotter, self.scale, self.size, self.letters = plotter, scale, size, letters
        self._forces = scale.examples()
        self._drawn_at = 0.0  # pixels of a metre
        self._level = height * plotter.window_size[1]
        self._texts = [_Text(plotter, force_text(force), letters) for force in self._forces]
        self._names = [_Text(plotter, PHASES[phase].name, letters) for phase in phases]
        self._patches = [_Patch(plotter, FORCE) for _ in self._forces]
        self._dots = [_Patch(plotter, PHASES[phase].color) for phase in phases]

    def refresh(self) -> None:
        """Fit the arrows to the camera."""
        pixels = 0.5 * self.plotter.window_size[1] / self.plotter.camera.parallel_scale
        if not self._forces or abs(pixels - self._drawn_at) <= 1e-3 * pixels:
            return
        self._drawn_at = pixels
        at, space = 0.02 * self.plotter.window_size[0], self.letters * SPACE
        for patch, text in zip(self._dots, self._names, strict=True):
            radius = 6.0 * self.letters
            patch.show(_disc(at + radius, self._level, radius))
            at = text.show(at + 2.0 * radius + 0.4 * space, self._level) + space
        lengths = [self.size * self.scale.length(force) * pixels for force in self._forces]
        needed = sum(lengths) + sum(text.width() + 1.4 * space for text in self._texts)
        level = self._level
        if at + needed > self.plotter.window_size[0]:  # a second line above the first
            at, level = 0.02 * self.plotter.window_size[0], level + 1.4 * space
        for patch, text, length in zip(self._patches, self._texts, lengths, strict=True):
            patch.show(_arrow(at, level, length, self.size * pixels))
            at = text.show(at + length + 0.4 * space, level) + space


class _Text:
    """A text whose left edge is put somewhere (pixels)."""

    def __init__(self, plotter, text: str, letters: float) -> None:
        size = round(LETTERS * letters)
        self.actor = plotter.add_text(text, position=(0, 0), viewport=False, font_size=size, color=INK)
        self.actor.GetTextProperty().SetVerticalJustificationToCentered()

    def show(self, left: float, level: float) -> float:
        """Place it; returns its right edge."""
        self.actor.SetPosition(left, level)
        return left + self.width()

    def width(self) -> float:
        return text_width(self.actor)(self.actor.input)


class _Patch:
    """A filled polygon in pixels."""

    def __init__(self, plotter, color: str) -> None:
        from pyvista import Color, PolyData
        from vtkmodules.vtkRenderingCore import vtkActor2D, vtkPolyDataMapper2D

        self.mesh, mapper, actor = PolyData(), vtkPolyDataMapper2D(), vtkActor2D()
        mapper.SetInputData(self.mesh)
        actor.SetMapper(mapper)
        actor.GetProperty().SetColor(*Color(color).float_rgb)
        plotter.renderer.AddViewProp(actor)

    def show(self, triangles: np.ndarray) -> None:
        """Draw triangles (n, 3, 2)."""
        from pyvista import PolyData

        points = np.concatenate([triangles.reshape(-1, 2), np.zeros((3 * len(triangles), 1))], axis=1)
        faces = np.concatenate([np.full((len(triangles), 1), 3), np.arange(len(points)).reshape(-1, 3)], axis=1)
        self.mesh.deep_copy(PolyData(points, faces.ravel()))


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
