"""What a shape of a contact is, and the simplest ones: spheres, points and planes on markers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.distance import kinds
from flexmbs.mechanism.geometry.rotations import as_number, as_vector
from flexmbs.mechanism.geometry.surface_mesh import SurfaceMesh
from flexmbs.mechanism.markers import Marker
from flexmbs.mesh.coordinate_systems import across

Direction = str | tuple[float, float, float]
Outline = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A shape of a contact, in the axes of its marker."""

    marker: Marker

    @property
    def where(self) -> str:
        """How messages name it; MechanismError when what it stands on is no marker."""
        if not isinstance(self.marker, Marker):
            kind = type(self).__name__
            raise MechanismError(f"contact {kind}: the first argument must be a marker such as body['origin'], not {self.marker!r}")
        return f"contact {type(self).__name__} on marker '{self.marker.label}'"

    @property
    def centre(self) -> np.ndarray:
        """(3,) m, from the marker."""
        return np.zeros(3)

    @cached_property
    def numbers(self) -> np.ndarray:
        """(n,) kind and numbers of its distance function (core.contact.distance.kinds)."""
        return np.array(self._distance_numbers(), dtype=float)

    def _distance_numbers(self) -> list[float] | np.ndarray:
        raise MechanismError(f"{self.where}: no distance function")

    def outline(self) -> Outline | None:
        """Surface to be drawn: points (n, 3), m, in the axes of the marker, and triangles (k, 3).

        None for spheres and planes, which pictures draw themselves.
        """
        return None

    def _positive(self, **lengths: float) -> None:
        for name, value in lengths.items():
            if not as_number(value, f"{self.where}: {name} (m)") > 0.0:
                raise MechanismError(f"{self.where}: {name} {float(value)} m must be positive")


@dataclass(frozen=True)
class Sphere(Shape):
    """Sphere of ``radius`` (m) about the marker's origin."""

    radius: float

    def __post_init__(self) -> None:
        self._positive(radius=self.radius)

    def _distance_numbers(self) -> list[float]:
        return [kinds.BALL, self.radius]


@dataclass(frozen=True)
class Point(Sphere):
    """The origin of the marker."""

    radius: float = 0.0

    def __post_init__(self) -> None:
        as_number(self.radius, f"{self.where}: radius (m)", minimum=0.0)


@dataclass(frozen=True)
class Plane(Shape):
    """Plane through the marker's origin; ``normal`` (marker axes) points to the free side."""

    normal: tuple[float, float, float] = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        normal = as_vector(self.normal, f"contact plane on marker '{self.marker.label}': normal")
        length = float(np.linalg.norm(normal))
        if length == 0.0:
            raise MechanismError(f"contact plane on marker '{self.marker.label}': the normal has zero length")
        object.__setattr__(self, "normal", tuple(normal / length))

    def _distance_numbers(self) -> list[float]:
        return [kinds.HALF_SPACE, *self.normal]


def direction(given: Any, where: str) -> tuple[float, float, float]:
    """Unit vector of "x", "y", "z" or three numbers, or MechanismError."""
    if isinstance(given, str):
        if given not in ("x", "y", "z"):
            raise MechanismError(f"{where}: axis {given!r}; give 'x', 'y', 'z' or a vector in the axes of the marker")
        x, y, z = np.eye(3)["xyz".index(given)]
        return float(x), float(y), float(z)
    vector = as_vector(given, f"{where}: axis")
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        raise MechanismError(f"{where}: the axis has zero length")
    x, y, z = vector / length
    return float(x), float(y), float(z)


def drawn(surface: SurfaceMesh, axis: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> Outline:
    """An outline from a surface about z, turned so that z points along ``axis``."""
    direction_z = np.array(axis)
    first, second = across(direction_z)
    return surface.points @ np.array([first, second, direction_z]), surface.triangles
