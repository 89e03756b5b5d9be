"""Cylinder with flat ends."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.convex_body import body_numbers, disc, rounding, segment, with_rounding
from flexmbs.mechanism.contact.shapes import Direction, Outline, Shape, direction, drawn
from flexmbs.mechanism.geometry import primitives


@dataclass(frozen=True)
class Cylinder(Shape):
    """Cylinder of ``radius`` and ``length`` (m), centred on the marker.

    Against spheres, points and capsules it is exact. Against planes, boxes and cylinders its ends and its side are
    slightly crowned, and its rims are rounded: the contact point moves smoothly from the rim to the middle of an end as
    a cylinder comes to stand on it. On a plane the two ends are two contact points; otherwise there is one.

    Parameters
    ----------
    axis : in the axes of the marker: "x", "y", "z" or a vector
    edge_radius : m, of the rims between two bodies (default: a hundredth of the radius or half length)
    crown : m, height of the crown on ends and side (default: a thousandth of that)
    """

    radius: float
    length: float
    axis: Direction = "x"
    edge_radius: float | None = None
    crown: float | None = None

    def __post_init__(self) -> None:
        self._positive(radius=self.radius, length=self.length)
        object.__setattr__(self, "axis", direction(self.axis, self.where))
        with_rounding(self, min(self.radius, 0.5 * self.length))

    @property
    def vector(self) -> np.ndarray:
        """(3,) unit vector of the axis."""
        return np.array(self.axis, dtype=float)

    def _distance_numbers(self) -> list[float]:
        return [kinds.CYLINDER, *map(float, self.axis), 0.5 * self.length, self.radius]

    @cached_property
    def convex(self) -> np.ndarray:
        """Numbers as a convex body: reaches exactly to the middle of its ends and side."""
        crown, edge = rounding(self)
        rest = 0.5 * self.length - crown - edge
        terms = [segment(rest, crown, self.vector), disc(self.radius - crown - edge, crown, self.vector)]
        return body_numbers(edge, terms)

    @cached_property
    def end(self) -> np.ndarray:
        """Numbers of an end as a convex body: a flat disc, from whose middle it is the crown up to the end's face."""
        crown, _edge = rounding(self)
        return body_numbers(0.0, [disc(self.radius, crown, self.vector)])

    def outline(self) -> Outline:
        return drawn(primitives.cylinder(self.radius, self.length, axis="z").surface, direction(self.axis, self.where))
