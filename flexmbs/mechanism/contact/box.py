"""Box."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.convex_body import body_numbers, rounding, segment, with_rounding
from flexmbs.mechanism.contact.shapes import Outline, Shape
from flexmbs.mechanism.geometry import primitives
from flexmbs.mechanism.geometry.rotations import as_vector


@dataclass(frozen=True)
class Box(Shape):
    """Box with edges ``size`` (3,) m along the axes of the marker, centred on it.

    Against spheres, points, capsules, bores and planes it is exact; on a plane its eight corners are eight contact
    points. Against boxes, cylinders and plates there is one contact point, its faces are slightly crowned and its edges
    rounded: the contact point moves smoothly from an edge into a face.

    Parameters
    ----------
    edge_radius : m, of the edges between two bodies (default: a hundredth of the smallest half edge)
    crown : m, height of the crown on the faces (default: a thousandth of that)
    """

    size: tuple[float, float, float]
    edge_radius: float | None = None
    crown: float | None = None

    def __post_init__(self) -> None:
        size = as_vector(self.size, f"{self.where}: size (m)")
        if not np.all(size > 0.0):
            raise MechanismError(f"{self.where}: size {self.size!r} m must be three positive lengths")
        object.__setattr__(self, "size", tuple(map(float, size)))
        with_rounding(self, 0.5 * float(size.min()))

    @property
    def half(self) -> np.ndarray:
        """(3,) m, half edges."""
        return 0.5 * np.array(self.size)

    @property
    def corners(self) -> np.ndarray:
        """(8, 3) m."""
        return np.array([self.half * signs for signs in itertools.product((-1.0, 1.0), repeat=3)])

    def _distance_numbers(self) -> list[float]:
        return [kinds.BOX, *self.half]

    @cached_property
    def convex(self) -> np.ndarray:
        """Numbers as a convex body: reaches exactly to the middle of its faces."""
        return box_body(self.half, np.eye(3), *rounding(self))

    def outline(self) -> Outline:
        surface = primitives.box(self.size).surface
        return surface.points, surface.triangles


def box_body(half: np.ndarray, axes: np.ndarray, crown: float, edge: float) -> np.ndarray:
    """Three segments along the rows of ``axes`` and a ball."""
    return body_numbers(edge, [segment(h - 2.0 * crown - edge, crown, a) for h, a in zip(half, axes, strict=True)])
