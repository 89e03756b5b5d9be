"""Finite planes: rectangles and discs, one-sided, or plates with a thickness."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.contact.box import box_body
from flexmbs.mechanism.contact.convex_body import CROWN, EDGE_RADIUS, body_numbers, disc, segment
from flexmbs.mechanism.contact.shapes import Direction, Outline, Shape, direction, drawn
from flexmbs.mechanism.geometry import primitives
from flexmbs.mechanism.geometry.rotations import as_number, as_vector


@dataclass(frozen=True)
class FinitePlane(Shape):
    """What rectangles and discs have in common."""

    normal: Direction = field(default=(0.0, 1.0, 0.0), kw_only=True)
    thickness: float = field(default=0.0, kw_only=True)

    def _set_directions(self) -> None:
        as_number(self.thickness, f"{self.where}: thickness (m)", minimum=0.0)
        object.__setattr__(self, "normal", direction(self.normal, self.where))

    @property
    def axes_normal(self) -> np.ndarray:
        """(3,) unit normal."""
        return np.array(self.normal, dtype=float)

    @property
    def centre(self) -> np.ndarray:
        """(3,) m, of the plate, from the marker."""
        return -0.5 * self.thickness * self.axes_normal

    def require_thickness(self, where: str) -> None:
        """MechanismError unless it is a plate with two sides."""
        if self.thickness == 0.0:
            raise MechanismError(
                f"{where}: a {type(self).__name__} without thickness can touch points, spheres and capsules only; give "
                "thickness= (m) for other shapes"
            )


@dataclass(frozen=True)
class Rectangle(FinitePlane):
    """Rectangle centred on the marker, edges ``size`` (2,) m.

    Parameters
    ----------
    normal : to the free side: "x", "y", "z" or a vector in the axes of the marker
    first_edge : direction of the first edge; None: of the marker's x axis, y where the normal is x
    thickness : m; 0: one-sided, nothing may come from behind; otherwise a plate below the rectangle, with two sides
    """

    size: tuple[float, float]
    first_edge: Direction | None = None

    def __post_init__(self) -> None:
        self._set_directions()
        size = as_vector(self.size, f"{self.where}: size (m)", 2)
        if not np.all(size > 0.0):
            raise MechanismError(f"{self.where}: size {self.size!r} m must be two positive lengths")
        object.__setattr__(self, "size", tuple(map(float, size)))
        given = ("y" if abs(float(self.normal[0])) > 0.9 else "x") if self.first_edge is None else self.first_edge
        edge = np.array(direction(given, self.where))
        edge -= (edge @ self.axes_normal) * self.axes_normal
        length = float(np.linalg.norm(edge))
        if length < 1e-9:
            raise MechanismError(f"{self.where}: first_edge {self.first_edge!r} is parallel to the normal")
        object.__setattr__(self, "first_edge", tuple(map(float, edge / length)))

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) rows: first edge, second edge, normal."""
        first = np.array(self.first_edge, dtype=float)
        return np.array([first, np.cross(self.axes_normal, first), self.axes_normal])

    @property
    def half(self) -> np.ndarray:
        """(3,) m, half edges and half thickness."""
        return 0.5 * np.array([*self.size, self.thickness])

    def _distance_numbers(self) -> list[float]:
        if self.thickness > 0.0:
            return [kinds.PLACED, *self.centre, *self.axes.ravel(), kinds.BOX, *self.half]
        return [kinds.RECTANGLE, *self.axes_normal, *self.axes[0], *self.half[:2]]

    @cached_property
    def convex(self) -> np.ndarray:
        """Numbers of the plate as a convex body."""
        smallest = float(self.half.min())
        return box_body(self.half, self.axes, CROWN * smallest, EDGE_RADIUS * smallest)

    def outline(self) -> Outline:
        surface = primitives.box([*self.size, self.thickness or 1e-3 * min(self.size)]).surface
        top = surface.points[:, 2].max()
        return (surface.points - [0.0, 0.0, top]) @ self.axes, surface.triangles


@dataclass(frozen=True)
class Disc(FinitePlane):
    """Disc of ``radius`` (m) centred on the marker.

    Parameters
    ----------
    normal : to the free side: "x", "y", "z" or a vector in the axes of the marker
    thickness : m; 0: one-sided, nothing may come from behind; otherwise a plate below the disc, with two sides
    """

    radius: float

    def __post_init__(self) -> None:
        self._set_directions()
        self._positive(radius=self.radius)

    def _distance_numbers(self) -> list[float]:
        if self.thickness > 0.0:
            plate = [kinds.CYLINDER, *self.axes_normal, 0.5 * self.thickness, self.radius]
            return [kinds.PLACED, *self.centre, *np.eye(3).ravel(), *plate]
        return [kinds.DISC, *self.axes_normal, self.radius]

    @cached_property
    def convex(self) -> np.ndarray:
        """Numbers of the plate as a convex body."""
        half = 0.5 * self.thickness
        smallest = min(half, self.radius)
        crown, edge = CROWN * smallest, EDGE_RADIUS * smallest
        terms = [segment(half - crown - edge, crown, self.axes_normal), disc(self.radius - crown - edge, crown, self.axes_normal)]
        return body_numbers(edge, terms)

    def outline(self) -> Outline:
        thickness = self.thickness or 1e-3 * self.radius
        surface = primitives.cylinder(self.radius, thickness, axis="z").surface
        points, triangles = drawn(surface, direction(self.normal, self.where))
        return points - 0.5 * thickness * self.axes_normal, triangles
