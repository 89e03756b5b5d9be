"""Legend of contacts: colours of the phases, and how long arrows of given forces are."""

from __future__ import annotations

import numpy as np

from flexmbs.view.contact_phases import PHASES
from flexmbs.view.force_arrows import SHAFT, TIP, TIP_LENGTH, ForceScale
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
