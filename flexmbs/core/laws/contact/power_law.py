"""Power law F = k d^p; Hertz's law is p = 3/2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw, plain_energy, plain_force
from flexmbs.core.laws.contact.law_numbers import checked_number, compliance_of
from flexmbs.machine_code.entry import entry

if TYPE_CHECKING:
    from flexmbs.mesh.properties import Material


STIFFNESS, EXPONENT = range(2)


@entry(plain_force)
def power_force(parameters, depth, rate):
    return parameters[STIFFNESS] * depth ** parameters[EXPONENT]


@entry(plain_energy)
def power_energy(parameters, depth):
    exponent = parameters[EXPONENT] + 1.0
    return parameters[STIFFNESS] * depth**exponent / exponent


@dataclass(frozen=True)
class PowerLaw(ContactLaw):
    """Elastic law F = stiffness * penetration**exponent (N/m**exponent)."""

    stiffness: float
    exponent: float = 1.0

    force = power_force
    energy = power_energy

    def __post_init__(self) -> None:
        checked_number(self.stiffness, "stiffness")
        checked_number(self.exponent, "exponent", lowest=1.0, above=False)

    def parameters(self) -> tuple[float, ...]:
        return float(self.stiffness), float(self.exponent)


@dataclass(frozen=True)
class Hertz(PowerLaw):
    """Hertz law F = k d^(3/2); K. L. Johnson, Contact Mechanics (1985), eq. 4.23."""

    exponent: float = 1.5

    @classmethod
    def from_materials(cls, radius: ArrayLike, material_a: Material, material_b: Material) -> Hertz:
        """k = 4/3 sqrt(R) E*, 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b.

        ``radius``: radius of a sphere on a plane, or the pair of radii of two spheres (1/R = 1/R_a + 1/R_b), m.
        """
        radii = np.atleast_1d(np.asarray(radius, dtype=float))
        if not np.all(radii > 0.0):
            raise MechanismError(f"contact law: radius {radius!r} m must be positive")
        effective = 1.0 / np.sum(1.0 / radii)
        compliance = compliance_of(material_a, material_b)
        return cls(stiffness=float(4.0 / 3.0 * np.sqrt(effective) / compliance))
