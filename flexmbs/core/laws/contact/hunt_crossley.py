"""Hertz's law with damping that grows with the depth: F = k d^p (1 + c d')."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import SEPARATIONS, ZERO_DEPTH, plain_force
from flexmbs.core.laws.contact.impact_damping import exact_factor, restitution_of
from flexmbs.core.laws.contact.law_numbers import checked_choice, checked_number
from flexmbs.core.laws.contact.power_law import EXPONENT, STIFFNESS, PowerLaw
from flexmbs.machine_code.entry import entry

DAMPING = 2


@entry(plain_force)
def damped_force(parameters, depth, rate):
    return parameters[STIFFNESS] * depth ** parameters[EXPONENT] * (1.0 + parameters[DAMPING] * rate)


@dataclass(frozen=True)
class HuntCrossley(PowerLaw):
    """Damped contact F = stiffness * penetration**exponent * (1 + damping * penetration rate).

    Hunt and Crossley, J. Appl. Mech. 42 (1975) 440, with damping = 3/2 of their alpha. The force starts and ends at
    zero. Bodies that are torn apart faster than 1 / damping (m/s) are held back, unless ``separation`` says otherwise.

    Parameters
    ----------
    stiffness : N/m**exponent
    exponent : 1.5 as in Hertz's law
    damping : s/m
    separation : where a contact ends: "zero depth", or "zero force" so that the law never pulls
    """

    exponent: float = 1.5
    damping: float = 0.0
    separation: str = ZERO_DEPTH

    force = damped_force

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_number(self.damping, "damping", "s/m", above=False)
        checked_choice(self.separation, "separation", SEPARATIONS)

    def restitution_at(self, speed: float) -> float:
        """Restitution of free bodies that meet at ``speed`` (m/s)."""
        return restitution_of(self.damping * checked_number(speed, "speed", "m/s"))

    def parameters(self) -> tuple[float, ...]:
        return (*super().parameters(), float(self.damping))

    @classmethod
    def from_restitution(
        cls, stiffness: float, restitution: float, speed: float, exponent: float = 1.5, exact: bool = True
    ) -> HuntCrossley:
        """Damping that makes two free bodies part at ``restitution`` times the ``speed`` (m/s) at which they meet.

        With v dv/dd = -k d^p (1 + c v) / m the depth drops out: ln((1 + x) / (1 - e x)) = x (1 + e), x = c v. It is
        exact for any stiffness, exponent and masses; at other speeds the restitution is another one. Without ``exact``
        x = 3 (1 - e) / 2 as published, good for restitutions near 1.
        """
        if not (0.0 < restitution <= 1.0 and speed > 0.0 and math.isfinite(speed)):
            raise MechanismError(f"contact law: restitution {restitution!r} must be in (0, 1], speed {speed!r} m/s positive")
        factor = exact_factor(restitution) if exact else 1.5 * (1.0 - restitution)
        return cls(stiffness, exponent, factor / speed)
