"""Anagnostopoulos' law: spring and damper, damped by the restitution and the effective mass of each hit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.laws.contact.contact_law import SEPARATIONS, ZERO_DEPTH, ContactLaw, law_begin, law_energy, law_force
from flexmbs.core.laws.contact.law_numbers import checked_choice, checked_number, checked_restitution
from flexmbs.core.laws.contact.linear_contact import damping_ratio
from flexmbs.machine_code.entry import entry

STIFFNESS, RATIO, MASS = range(3)  # MASS 0: the effective mass at the onset
DAMPING = 0  # of the history


@entry(law_force)
def damped_linear_force(parameters, history, depth, rate):
    return parameters[STIFFNESS] * depth + history[DAMPING] * rate


@entry(law_energy)
def damped_linear_energy(parameters, history, depth):
    return 0.5 * parameters[STIFFNESS] * depth * depth


@entry(law_begin)
def begin_damped_linear(parameters, history, speed, mass):
    own = parameters[MASS] if parameters[MASS] > 0.0 else mass
    history[DAMPING] = 2.0 * parameters[RATIO] * math.sqrt(parameters[STIFFNESS] * own)


@dataclass(frozen=True)
class Anagnostopoulos(ContactLaw):
    """F = k d + c d', c = 2 xi sqrt(k m), xi = -ln e / sqrt(pi^2 + ln^2 e).

    S. A. Anagnostopoulos, Earthquake Eng. Struct. Dyn. 16 (1988) 443. The law is linear: the restitution of free bodies
    is e at any speed, if the contact ends at zero depth. The force sets in with a jump, c times the approach speed.

    Parameters
    ----------
    stiffness : N/m
    restitution : above 0, at most 1
    mass : effective mass in kg; None: that of the mechanism along the normal where each contact starts, 1/(G M^-1 G^T)
    separation : "zero depth" (default): the force pulls at the end of a contact. "zero force": it ends where the force
        vanishes, and bodies part faster than at e (0.550 for 0.5)
    """

    stiffness: float
    restitution: float
    mass: float | None = None
    separation: str = ZERO_DEPTH

    force = damped_linear_force
    energy = damped_linear_energy
    begin = begin_damped_linear
    history = ("damping (N s/m)",)
    jumps = True

    def __post_init__(self) -> None:
        checked_number(self.stiffness, "stiffness", "N/m")
        checked_restitution(self.restitution, zero=False)
        if self.mass is not None:
            checked_number(self.mass, "mass", "kg")
        checked_choice(self.separation, "separation", SEPARATIONS)

    def parameters(self) -> tuple[float, ...]:
        return float(self.stiffness), damping_ratio(float(self.restitution)), float(self.mass or 0.0)
