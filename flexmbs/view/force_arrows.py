"""Arrows of contact forces: their lengths, and the mesh of all of them."""

from __future__ import annotations

import math

import numpy as np

from flexmbs.common.errors import FlexmbsError

#: How the length of an arrow grows with its force: in proportion, with the square root, or over six decades.
FORCE_SCALES = ("linear", "sqrt", "log")
#: Contact forces below this fraction of the run's largest are rounding or the very first touch: not shown.
FORCE_SHOWN = 1e-6
#: Lengths relative to the size of the motion: of the largest force, and of the shortest arrow that is drawn.
LONGEST, SHORTEST = 0.24, 0.02
#: Radii of the shaft and of the tip, length of the tip, relative to the size of the motion.
SHAFT, TIP, TIP_LENGTH = 0.0032, 0.0095, 0.03
_SIDES = 12


class ForceScale:
    """Length of an arrow, relative to the size of the motion, for forces up to ``largest`` (N)."""

    def __init__(self, kind: str, largest: float) -> None:
        if kind not in FORCE_SCALES:
            raise FlexmbsError(f"unknown force_scale {kind!r}; choose one of {', '.join(FORCE_SCALES)}")
        self.kind, self.largest = kind, largest

    def shows(self, force: float) -> bool:
        """Whether there is an arrow for that force (N)."""
        return force > FORCE_SHOWN * self.largest

    def length(self, force: float) -> float:
        """Length of the arrow of a force (N) that is shown."""
        part = force / self.largest
        if self.kind == "sqrt":
            part = math.sqrt(part)
        elif self.kind == "log":
            part = 1.0 - math.log10(part) / math.log10(FORCE_SHOWN)
        return max(SHORTEST, LONGEST * part)

    def examples(self) -> list[float]:
        """Round forces (N) for a legend: about the largest, and smaller ones where lengths are not in proportion."""
        if self.largest <= 0.0:
            return []
        found = [_round_below(self.largest)]
        if self.kind == "sqrt":
            found.append(found[0] / 10.0)
        elif self.kind == "log":
            found += [found[0] / 100.0, found[0] / 10_000.0]
        return found


def arrows(starts: np.ndarray, vectors: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (k, 3) and triangles (VTK style) of arrows from ``starts`` along ``vectors``, both (n, 3) m.

    Thickness is that of a motion of ``size`` (m).
    """
    lengths = np.linalg.norm(vectors, axis=1)
    along = vectors / lengths[:, None]
    other = np.eye(3)[np.argmin(np.abs(along), axis=1)]
    second = np.cross(along, other)
    second /= np.linalg.norm(second, axis=1)[:, None]
    third = np.cross(along, second)
    tip = np.minimum(TIP_LENGTH * size, 0.7 * lengths)
    places = np.stack([0.0 * tip, lengths - tip, lengths - tip, lengths], axis=1)  # of the rings along the arrow
    radii = size * np.array([SHAFT, SHAFT, TIP, 0.0])
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    around = second[:, None] * np.cos(turn)[:, None] + third[:, None] * np.sin(turn)[:, None]  # (n, sides, 3)
    centers = starts[:, None] + places[..., None] * along[:, None]
    points = centers[:, :, None] + radii[:, None, None] * around[:, None]
    faces = _FACES[None] + np.array([0, 1, 1, 1]) * (len(radii) * _SIDES * np.arange(len(starts)))[:, None, None]
    return points.reshape(-1, 3), faces.reshape(-1)


def _ring_faces() -> np.ndarray:
    """(k, 4) triangles [3, i, j, k] between four rings of points, and of the end at the first ring."""
    here = np.arange(_SIDES)
    after = (here + 1) % _SIDES
    found = [np.stack([here[:-2] * 0, here[2:], here[1:-1]], axis=1)]
    for ring in range(3):
        low, high = ring * _SIDES, (ring + 1) * _SIDES
        found.append(np.stack([low + here, low + after, high + after], axis=1))
        found.append(np.stack([low + here, high + after, high + here], axis=1))
    triangles = np.concatenate(found)
    return np.concatenate([np.full((len(triangles), 1), 3), triangles], axis=1)


_FACES = _ring_faces()


def _round_below(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return power * max(digit for digit in (1.0, 2.0, 5.0) if digit * power <= value * (1.0 + 1e-12))
