"""Tori, and shapes that are touched from inside: bores and spherical cavities."""

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


@dataclass(frozen=True)
class Bore(Shape):
    """Cylindrical bore of ``radius`` (m), centred on the marker, touched from inside.

    Parameters
    ----------
    length : m; None: it has no ends. With a length it is a hole in a plate of that thickness, whose faces and rims
        touch too.
    axis : in the axes of the marker: "x", "y", "z" or a vector
    """

    radius: float
    length: float | None = None
    axis: Direction = "x"

    def __post_init__(self) -> None:
        self._positive(radius=self.radius, **({} if self.length is None else {"length": self.length}))
        object.__setattr__(self, "axis", direction(self.axis, self.where))

    def _distance_numbers(self) -> list[float]:
        half = kinds.ENDLESS if self.length is None else 0.5 * self.length
        return [kinds.BORE, *map(float, self.axis), half, self.radius]

    def outline(self) -> Outline:
        length = 2.0 * self.radius if self.length is None else self.length
        surface = primitives.cylinder(1.1 * self.radius, length, self.radius, axis="z").surface
        return drawn(surface, direction(self.axis, self.where))


@dataclass(frozen=True)
class Cavity(Shape):
    """Spherical cavity of ``radius`` (m) about the marker's origin, touched from inside."""

    radius: float

    def __post_init__(self) -> None:
        self._positive(radius=self.radius)

    def _distance_numbers(self) -> list[float]:
        return [kinds.CAVITY, self.radius]

    def outline(self) -> Outline:
        points, triangles = drawn(primitives.sphere(self.radius).surface)
        return points, triangles[:, ::-1]
