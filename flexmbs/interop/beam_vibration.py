"""Exact bending vibration of a uniform Euler-Bernoulli beam with any supports at its ends.

w(x) = A cos kx + B sin kx + C exp(-kx) + D exp(-k (L - x)),  k^4 = mass per length omega^2 / EI: written with decaying
exponentials, so that no mode number is too high for double precision (R. D. Blevins, Formulas for Natural Frequency and
Mode Shape, 1979, chapter 8).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

SUPPORTS = {"clamped": (0, 1), "pinned": (0, 2), "free": (2, 3)}  # derivatives of w that vanish at the end
_STEP = np.pi / 16.0
_GAUSS = 12


@dataclass(frozen=True)
class BeamModes:
    """length in m; k (n,) 1/m, ascending; coefficients (n, 4) of the four functions, largest displacement 1."""

    length: float
    k: np.ndarray
    coefficients: np.ndarray

    def at(self, x: np.ndarray, derivative: int = 0) -> np.ndarray:
        """(n, len(x)) derivatives of the modes."""
        return np.array([_functions(k, self.length, x, derivative) @ c for k, c in self._each()]).reshape(-1, len(x))

    def _each(self):
        return zip(self.k, self.coefficients, strict=True)

    def moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n,) integrals over x of w, w x and w^2, by Gauss' rule on panels of less than half a wave."""
        panels = max(8, int(np.ceil(2.0 * self.length * self.k.max(initial=0.0) / np.pi)))
        nodes, weights = np.polynomial.legendre.leggauss(_GAUSS)
        h = self.length / panels
        x = (h * (np.arange(panels)[:, None] + 0.5 * (nodes + 1.0))).ravel()
        dx = np.tile(0.5 * h * weights, panels)
        w = self.at(x)
        return w @ dx, w @ (x * dx), w**2 @ dx


def beam_modes(length: float, supports: tuple[str, str], count: int) -> BeamModes:
    """The lowest ``count`` elastic modes."""
    roots: list[float] = []
    left = 0.5 * _STEP
    value = _determinant(left, supports)
    while len(roots) < count:
        right = left + _STEP
        next_value = _determinant(right, supports)
        if value * next_value <= 0.0:
            roots.append(brentq(_determinant, left, right, args=(supports,), xtol=1e-14, rtol=1e-15))
        left, value = right, next_value
    k = np.array(roots) / length
    shapes = [np.linalg.svd(_conditions(root, supports))[2][3] for root in roots]
    sizes = [_largest(n, length, c) for n, c in zip(k, shapes, strict=True)]
    return BeamModes(length, k, np.array([c / size for c, size in zip(shapes, sizes, strict=True)]).reshape(-1, 4))


def _functions(k: float, length: float, x: np.ndarray, derivative: int) -> np.ndarray:
    """(len(x), 4) derivatives of the four functions."""
    s, kx = k**derivative, k * np.asarray(x)
    turn = 0.5 * np.pi * derivative
    columns = (np.cos(kx + turn), np.sin(kx + turn), (-1.0) ** derivative * np.exp(-kx), np.exp(kx - k * length))
    return s * np.column_stack(columns)


def _largest(k: float, length: float, shape: np.ndarray) -> float:
    """Largest displacement: of a parabola through the largest of many points and its neighbours."""
    points = np.linspace(0.0, length, int(20.0 * k * length) + 101)
    w = np.abs(_functions(k, length, points, 0) @ shape)
    at = int(w.argmax())
    if at in (0, len(w) - 1):
        return float(w[at])
    before, largest, after = w[at - 1 : at + 2]
    return float(largest + 0.125 * (after - before) ** 2 / (2.0 * largest - before - after))


def _conditions(root: float, supports: tuple[str, str]) -> np.ndarray:
    """(4, 4): what vanishes at the ends, for k L = root, with lengths in 1 / k."""
    rows = []
    for end, support in zip((0.0, root), supports, strict=True):
        rows += [_functions(1.0, root, np.array([end]), derivative)[0] for derivative in SUPPORTS[support]]
    return np.array(rows)


def _determinant(root: float, supports: tuple[str, str]) -> float:
    return float(np.linalg.det(_conditions(root, supports)))
