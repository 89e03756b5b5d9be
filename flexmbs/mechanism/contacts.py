"""Contacts: their shapes and the elastic law between them (laws: flexmbs.core.laws.contact)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw
from flexmbs.mechanism.geometry.rotations import as_number, as_vector
from flexmbs.mechanism.markers import Marker


@dataclass(frozen=True)
class Sphere:
    """Sphere of ``radius`` (m) about the marker's origin."""

    marker: Marker
    radius: float

    def __post_init__(self) -> None:
        as_number(self.radius, f"contact sphere on marker '{self.marker.label}': radius (m)", minimum=0.0)


@dataclass(frozen=True)
class Point(Sphere):
    """The origin of the marker."""

    radius: float = 0.0


@dataclass(frozen=True)
class Plane:
    """Plane through the marker's origin; ``normal`` (marker axes) points to the free side."""

    marker: Marker
    normal: tuple[float, float, float] = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        normal = as_vector(self.normal, f"contact plane on marker '{self.marker.label}': normal")
        length = float(np.linalg.norm(normal))
        if length == 0.0:
            raise MechanismError(f"contact plane on marker '{self.marker.label}': the normal has zero length")
        object.__setattr__(self, "normal", tuple(normal / length))


@dataclass(frozen=True)
class Contact:
    """A possible contact between two shapes (the plane, if any, is the second)."""

    name: str
    first: Sphere
    second: Sphere | Plane
    law: ContactLaw
