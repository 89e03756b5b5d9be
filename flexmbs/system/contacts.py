"""Contact: the shapes that touch and the elastic law between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.errors import MechanismError
from flexmbs.system.markers import Marker
from flexmbs.system.rotations import as_number, as_vector


@dataclass(frozen=True)
class Sphere:
    """Sphere of ``radius`` (m) about the marker's origin."""

    marker: Marker
    radius: float

    def __post_init__(self):
        as_number(self.radius, f"contact sphere on marker '{self.marker.name}': radius (m)", minimum=0.0)


@dataclass(frozen=True)
class Point(Sphere):
    """The marker's origin itself."""

    radius: float = 0.0


@dataclass(frozen=True)
class Plane:
    """Plane through the marker's origin; ``normal`` (marker axes) points to the free side."""

    marker: Marker
    normal: tuple[float, float, float] = (0.0, 1.0, 0.0)

    def __post_init__(self):
        normal = as_vector(self.normal, f"contact plane on marker '{self.marker.name}': normal")
        length = float(np.linalg.norm(normal))
        if length == 0.0:
            raise MechanismError(f"contact plane on marker '{self.marker.name}': the normal has no length")
        object.__setattr__(self, "normal", tuple(normal / length))


@dataclass(frozen=True)
class PowerLaw:
    """Elastic law F = stiffness * penetration**exponent (N/m**exponent)."""

    stiffness: float
    exponent: float = 1.0

    def __post_init__(self):
        if not (np.isfinite(self.stiffness) and self.stiffness > 0.0):
            raise MechanismError(f"contact law: stiffness {self.stiffness!r} must be positive")
        if not (np.isfinite(self.exponent) and self.exponent >= 1.0):
            raise MechanismError(f"contact law: exponent {self.exponent!r} must be at least 1")


@dataclass(frozen=True)
class Hertz(PowerLaw):
    """Hertz law F = k d^(3/2); K. L. Johnson, Contact Mechanics (1985), eq. 4.23."""

    exponent: float = 1.5

    @classmethod
    def from_materials(cls, radius, material_a, material_b) -> Hertz:
        """k = 4/3 sqrt(R) E*, 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b.

        ``radius``: radius of a sphere on a plane, or the pair of radii of two spheres (1/R = 1/R_a + 1/R_b), m.
        """
        radii = np.atleast_1d(np.asarray(radius, dtype=float))
        if not np.all(radii > 0.0):
            raise MechanismError(f"contact law: radius {radius!r} m must be positive")
        effective = 1.0 / np.sum(1.0 / radii)
        compliance = sum((1.0 - m.poisson_ratio**2) / m.youngs_modulus for m in (material_a, material_b))
        return cls(stiffness=float(4.0 / 3.0 * np.sqrt(effective) / compliance))


@dataclass(frozen=True)
class Contact:
    """A possible contact between two shapes (the plane, if any, is the second)."""

    name: str
    first: Sphere
    second: Sphere | Plane
    law: PowerLaw
