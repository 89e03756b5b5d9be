"""Capsule: a cylinder with half balls on its ends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.shapes import Direction, Outline, Shape, direction, drawn
from flexmbs.mechanism.geometry import primitives

CROWN = 1e-3  # of straight sides, relative to the radius


@dataclass(frozen=True)
class Capsule(Shape):
    """All points within ``radius`` (m) of a segment of ``length`` (m), which is centred on the marker.

    Parameters
    ----------
    axis : direction of the segment in the axes of the marker: "x", "y", "z" or a vector
    crown : m, how much thinner it is at the ends of its straight side than in its middle, as crowned rollers are
        (default: a thousandth of the radius): beside another straight line or face the contact point then moves
        smoothly. On a plane the two ends touch without it.
    """

    radius: float
    length: float
    axis: Direction = "x"
    crown: float | None = None

    def __post_init__(self) -> None:
        self._positive(radius=self.radius, length=self.length)
        object.__setattr__(self, "axis", direction(self.axis, self.where))
        if self.crown is None:
            object.__setattr__(self, "crown", CROWN * self.radius)
        self._positive(crown=float(self.crown or 0.0))

    @property
    def half(self) -> np.ndarray:
        """(3,) m, from the centre to an end of the segment."""
        return 0.5 * self.length * np.array(self.axis)

    def _distance_numbers(self) -> list[float]:
        return [kinds.CAPSULE, *map(float, self.axis), 0.5 * self.length, self.radius]

    def outline(self) -> Outline:
        r, h = self.radius, 0.5 * self.length
        bulge = np.tan(np.pi / 8.0)
        profile = [[0.0, -h - r, bulge], [r, -h, 0.0], [r, h, bulge], [0.0, h + r, 0.0]]
        solid = primitives.revolution(np.array(profile))
        return drawn(solid.surface, direction(self.axis, self.where))
