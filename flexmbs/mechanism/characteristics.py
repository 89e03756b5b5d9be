"""Characteristics of springs, dampers and motors: force versus deformation or speed, through given points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError

KINDS = ("pchip", "cubic", "linear")

#: A factor, two rows (x, y), or a Characteristic.
CharacteristicLike: TypeAlias = "ArrayLike | Characteristic"


@dataclass(frozen=True, eq=False)
class Characteristic:
    """Force versus deformation (m or rad) or speed, through given points; linear extrapolation beyond the ends.

    Parameters
    ----------
    x : (k,) ascending, k >= 2
    y : (k,) N or N m
    kind : "pchip" (monotone between the points, one continuous derivative; Fritsch and Carlson 1980), "cubic" (spline
        with two continuous derivatives, which may overshoot), "linear" (its kinks cause short steps)
    """

    x: np.ndarray
    y: np.ndarray
    kind: str = "pchip"

    def __post_init__(self) -> None:
        object.__setattr__(self, "x", np.array(self.x, dtype=float))
        object.__setattr__(self, "y", np.array(self.y, dtype=float))
        self.check("characteristic")

    def check(self, where: str) -> None:
        """MechanismError, starting with ``where``, if the points do not define a curve."""
        x, y = self.x, self.y
        if self.kind not in KINDS:
            raise MechanismError(f"{where}: kind {self.kind!r} is unknown; expected one of {', '.join(KINDS)}")
        if x.ndim != 1 or x.shape != y.shape or len(x) < 2:
            raise MechanismError(f"{where}: expected two rows of at least two numbers, (x, y), got shapes {x.shape} and {y.shape}")
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
            raise MechanismError(f"{where}: a point is not finite")
        wrong = np.flatnonzero(np.diff(x) <= 0.0)
        if len(wrong):
            i = int(wrong[0])
            raise MechanismError(f"{where}: x must ascend, but x[{i + 1}] = {x[i + 1]:g} follows x[{i}] = {x[i]:g}")

    def _cubics(self) -> np.ndarray:
        """(4, k - 1) coefficients of descending powers of x, measured from the start of each piece."""
        from scipy.interpolate import CubicSpline, PchipInterpolator

        if self.kind == "linear" or len(self.x) == 2:
            slope = np.diff(self.y) / np.diff(self.x)
            zero = np.zeros_like(slope)
            return np.array([zero, zero, slope, self.y[:-1]])
        return (PchipInterpolator if self.kind == "pchip" else CubicSpline)(self.x, self.y).c

    def packed(self) -> np.ndarray:
        """Numbers as ``core.laws.force.table`` reads them; the antiderivative is zero at x = 0."""
        c = self._cubics()[::-1]  # ascending
        h = self.x[-1] - self.x[-2]
        slopes = c[1, 0], c[1, -1] + h * (2.0 * c[2, -1] + 3.0 * h * c[3, -1])
        begins = np.concatenate([[self.x[0]], self.x])  # below the first point, between points, beyond the last
        ends = np.array([[self.y[0], slopes[0], 0.0, 0.0], [self.y[-1], slopes[1], 0.0, 0.0]])
        pieces = np.vstack([ends[:1], c.T, ends[1:]])
        widths = np.concatenate([[0.0], np.diff(self.x)])
        powers = np.array([widths, widths**2 / 2.0, widths**3 / 3.0, widths**4 / 4.0])
        areas = np.concatenate([[0.0], np.cumsum((pieces[:-1] * powers.T).sum(axis=1))])
        whole = np.concatenate([[float(len(begins))], begins, np.column_stack([pieces, areas]).ravel()])
        whole[1 + len(begins) + 4 :: 5] -= _integral(begins, pieces, areas)
        return whole


def _integral(begins: np.ndarray, pieces: np.ndarray, areas: np.ndarray) -> float:
    """Antiderivative at x = 0."""
    i = max(int(np.searchsorted(begins, 0.0, side="right")) - 1, 0)
    s = -begins[i]
    return float(areas[i] + pieces[i] @ [s, s**2 / 2.0, s**3 / 3.0, s**4 / 4.0])


def characteristic(given: CharacteristicLike | None, where: str) -> Characteristic | None:
    """A characteristic, given as such or as a pair of rows (x, y); None if it is something else (a number)."""
    if isinstance(given, Characteristic):
        return given
    if isinstance(given, tuple | list) and len(given) == 2 and all(np.ndim(row) == 1 for row in given):
        made = Characteristic.__new__(Characteristic)
        for name, value in (("x", given[0]), ("y", given[1])):
            try:
                object.__setattr__(made, name, np.array(value, dtype=float))
            except (TypeError, ValueError):
                raise MechanismError(f"{where}: expected two rows of numbers, got {given!r}") from None
        object.__setattr__(made, "kind", "pchip")
        made.check(where)
        return made
    return None
