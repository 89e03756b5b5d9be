"""Linear spring and viscous damper: F = k d + c d'."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.laws.contact.contact_law import SEPARATIONS, ZERO_DEPTH, ContactLaw, plain_energy, plain_force
from flexmbs.core.laws.contact.law_numbers import checked_choice, checked_number, checked_restitution
from flexmbs.machine_code.entry import entry

STIFFNESS, DAMPING = range(2)


@entry(plain_force)
def linear_force(parameters, depth, rate):
    return parameters[STIFFNESS] * depth + parameters[DAMPING] * rate


@entry(plain_energy)
def linear_energy(parameters, depth):
    return 0.5 * parameters[STIFFNESS] * depth * depth


def damping_ratio(restitution: float) -> float:
    """xi = -ln e / sqrt(pi^2 + ln^2 e); Anagnostopoulos, Earthq. Eng. Struct. Dyn. 16 (1988) 443."""
    return -math.log(restitution) / math.hypot(math.pi, math.log(restitution))


@dataclass(frozen=True)
class LinearContact(ContactLaw):
    """Spring and damper F = stiffness * d + damping * d' (Kelvin and Voigt).

    The force sets in with a jump, damping times approach speed. Before the depth is zero again it would pull:
    ``separation`` decides.

    Parameters
    ----------
    stiffness : N/m
    damping : N s/m
    separation : "zero depth" (default): the contact pulls at its end. The restitution is exp(-pi xi / sqrt(1 - xi^2))
        with xi = damping / (2 sqrt(stiffness mass)). "zero force": it ends where the force vanishes, and the bodies
        part faster
    """

    stiffness: float
    damping: float = 0.0
    separation: str = ZERO_DEPTH

    force = linear_force
    energy = linear_energy
    jumps = True

    def __post_init__(self) -> None:
        checked_number(self.stiffness, "stiffness", "N/m")
        checked_number(self.damping, "damping", "N s/m", above=False)
        checked_choice(self.separation, "separation", SEPARATIONS)

    @classmethod
    def from_restitution(cls, stiffness: float, restitution: float, mass: float, separation: str = ZERO_DEPTH) -> LinearContact:
        """damping = 2 xi sqrt(stiffness mass), with which two free bodies part at ``restitution`` at any speed.

        ``mass``: effective mass in kg, m_a m_b / (m_a + m_b); against a fixed body that of the other one. xi =
        -ln e / sqrt(pi^2 + ln^2 e), exact for separation at zero depth; Anagnostopoulos (1988).
        """
        checked_number(stiffness, "stiffness", "N/m")
        checked_number(mass, "mass", "kg")
        e = checked_restitution(restitution, zero=False)
        return cls(stiffness, 2.0 * damping_ratio(e) * math.sqrt(stiffness * mass), separation)

    def parameters(self) -> tuple[float, ...]:
        return float(self.stiffness), float(self.damping)
