"""Torus."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.convex_body import body_numbers, disc
from flexmbs.mechanism.contact.shapes import Direction, Outline, Shape, direction, drawn
from flexmbs.mechanism.geometry import primitives

CROWN = 1e-3  # of a lying torus, relative to the radius of its tube


@dataclass(frozen=True)
class Torus(Shape):
    """Torus about the marker's origin; ``radius`` (m) reaches to the middle of the tube.

    On planes it is crowned by a thousandth of ``tube_radius``, so that a lying torus has a definite contact point.
    """

    radius: float
    tube_radius: float
    axis: Direction = "z"

    def __post_init__(self) -> None:
        self._positive(radius=self.radius, tube_radius=self.tube_radius)
        if self.tube_radius >= self.radius:
            raise MechanismError(f"{self.where}: tube_radius {self.tube_radius!r} m must be below radius ({self.radius!r} m)")
        object.__setattr__(self, "axis", direction(self.axis, self.where))

    def _distance_numbers(self) -> list[float]:
        return [kinds.TORUS, *map(float, self.axis), self.radius, self.tube_radius]

    @cached_property
    def convex(self) -> np.ndarray:
        """Numbers of its convex hull."""
        crown = CROWN * self.tube_radius
        return body_numbers(self.tube_radius - crown, [disc(self.radius + crown, crown, np.array(self.axis, dtype=float))])

    def outline(self) -> Outline:
        surface = primitives.torus(self.radius, self.tube_radius, axis="z").surface
        return drawn(surface, direction(self.axis, self.where))
