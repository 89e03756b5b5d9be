"""Elastic foundation: pressure from depth, for surfaces in contact."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw, plain_energy, plain_force
from flexmbs.core.laws.contact.law_numbers import checked_number
from flexmbs.machine_code.entry import entry

STIFFNESS, DAMPING = range(2)


@entry(plain_force)
def foundation_pressure(parameters, depth, rate):
    return parameters[STIFFNESS] * depth * max(1.0 + parameters[DAMPING] * rate, 0.0)


@entry(plain_energy)
def foundation_energy(parameters, depth):
    return 0.5 * parameters[STIFFNESS] * depth * depth


@dataclass(frozen=True)
class ElasticFoundation(ContactLaw):
    """Pressure p = stiffness * d * (1 + damping * d') of surfaces that press into each other, never negative.

    Springs side by side without effect on each other (Winkler): K. L. Johnson, Contact Mechanics (1985), sec. 4.3. Each
    point of a surface gives p times the area that it stands for. With bodies whose modes have the compliance of their
    surfaces a stiffness is only the penalty that keeps them apart.

    Parameters
    ----------
    stiffness : N/m3, pressure per depth
    damping : s/m, grows with the depth, so that contacts start and end without a force
    """

    stiffness: float
    damping: float = 0.0

    force = foundation_pressure
    energy = foundation_energy
    per_area = True

    def __post_init__(self) -> None:
        checked_number(self.stiffness, "stiffness", "N/m3")
        checked_number(self.damping, "damping", "s/m", above=False)

    @classmethod
    def of_layer(
        cls, youngs_modulus: float, thickness: float, poisson_ratio: float = 0.3, damping: float = 0.0
    ) -> ElasticFoundation:
        """Of an elastic layer on a rigid base: E (1 - nu) / ((1 + nu) (1 - 2 nu) thickness); Johnson, eq. (4.72)."""
        E, h = checked_number(youngs_modulus, "youngs_modulus", "Pa"), checked_number(thickness, "thickness", "m")
        nu = float(poisson_ratio)
        if not -1.0 < nu < 0.5:
            raise MechanismError(f"contact law: poisson_ratio {poisson_ratio!r} must be above -1 and below 0.5")
        return cls(E * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu) * h), damping)

    def parameters(self) -> tuple[float, ...]:
        return float(self.stiffness), float(self.damping)
