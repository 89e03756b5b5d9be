"""The simplest shapes of contacts: spheres, points and planes on markers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.rotations import as_number, as_vector
from flexmbs.mechanism.markers import Marker


@dataclass(frozen=True)
class Shape:
    """A shape of a contact, in the axes of its marker."""

    marker: Marker


@dataclass(frozen=True)
class Sphere(Shape):
    """Sphere of ``radius`` (m) about the marker's origin."""

    radius: float

    def __post_init__(self) -> None:
        as_number(self.radius, f"contact sphere on marker '{self.marker.label}': radius (m)", minimum=0.0)


@dataclass(frozen=True)
class Point(Sphere):
    """The origin of the marker."""

    radius: float = 0.0


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
