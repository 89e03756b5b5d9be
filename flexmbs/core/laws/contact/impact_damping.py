"""Damping from a coefficient of restitution and the approach speed of each hit: F = k d^p (1 + (D / v0) d').

All such laws differ in the factor D alone. With m v dv/dd = -k d^p (1 + D v / v0) the depth drops out, and the
restitution e' that bodies show depends on D only: ln((1 + D) / (1 - e' D)) = D (1 + e').
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field

from scipy.optimize import brentq

from flexmbs.core.laws.contact.contact_law import SEPARATIONS, ZERO_DEPTH, ContactLaw, law_begin, law_energy, law_force
from flexmbs.core.laws.contact.law_numbers import checked_choice, checked_number, checked_restitution
from flexmbs.core.laws.contact.power_law import EXPONENT, STIFFNESS
from flexmbs.machine_code.entry import entry

FACTOR, SPEED, LEAST_SPEED = 2, 3, 4  # parameters behind stiffness and exponent; SPEED 0: that of the hit
DAMPING = 0  # of the history
BELOW_ONE = 1.0 - 1e-15
SERIES = 0.01  # below it the relation is evaluated by its series, which rounding does not harm


@entry(law_force)
def impact_force(parameters, history, depth, rate):
    return parameters[STIFFNESS] * depth ** parameters[EXPONENT] * (1.0 + history[DAMPING] * rate)


@entry(law_energy)
def impact_energy(parameters, history, depth):
    exponent = parameters[EXPONENT] + 1.0
    return parameters[STIFFNESS] * depth**exponent / exponent


@entry(law_begin)
def begin_impact(parameters, history, speed, mass):
    own = parameters[SPEED] if parameters[SPEED] > 0.0 else speed
    history[DAMPING] = parameters[FACTOR] / max(own, parameters[LEAST_SPEED]) if own > 0.0 else 0.0


def mismatch(e: float, x: float) -> float:
    """(ln((1 + x) / (1 - e x)) - x (1 + e)) / x^2, which grows with e and with x."""
    if x < SERIES:
        return sum(x ** (n - 2) * (e**n - (-1.0) ** n) / n for n in range(2, 12))
    return (math.log1p(x) - math.log1p(-e * x) - x * (1.0 + e)) / (x * x)


def exact_factor(restitution: float) -> float:
    """D for which bodies part at exactly ``restitution`` (0 < e <= 1): ln((1 + D) / (1 - e D)) = D (1 + e)."""
    if restitution == 1.0:
        return 0.0
    low, high = 0.5 * (1.0 - restitution), BELOW_ONE / restitution
    # below e = 0.03 the solution is 1 / e to all digits
    if mismatch(restitution, high) <= 0.0:
        return high
    return float(brentq(lambda x: mismatch(restitution, x), low, high, xtol=1e-16))


def restitution_of(factor: float) -> float:
    """Restitution of free bodies for D >= 0: the solution e of the same equation."""
    high = min(1.0, BELOW_ONE / factor) if factor > 0.0 else 1.0
    if mismatch(high, factor) <= 0.0:
        return high
    return float(brentq(mismatch, 0.0, high, (factor,), xtol=1e-16))


@dataclass(frozen=True)
class ImpactDamping(ContactLaw):
    """F = stiffness * d**exponent * (1 + D / v0 * d') with the factor D of a publication and the approach speed v0.

    The force starts and ends at zero depth and never pulls bodies that part freely; those that are torn apart faster
    than v0 / D are held back, unless ``separation`` says otherwise. A contact that does not begin with a hit (in static
    equilibrium, with the approach speed 0) is not damped.

    Parameters
    ----------
    stiffness : N/m**exponent
    restitution : speed of parting over speed of approach, 0 to 1
    exponent : 1.5 as in Hertz's law
    exact : the factor that gives the restitution exactly takes the place of the published one
    speed : v0 in m/s, the same for every hit; None: the approach speed of each hit
    least_speed : m/s; slower hits are damped as if they had this speed
    separation : where a contact ends: "zero depth", or "zero force" so that the law never pulls
    """

    stiffness: float
    restitution: float
    exponent: float = 1.5
    exact: bool = field(default=False, kw_only=True)
    speed: float | None = field(default=None, kw_only=True)
    least_speed: float = field(default=1e-6, kw_only=True)
    separation: str = field(default=ZERO_DEPTH, kw_only=True)

    force = impact_force
    energy = impact_energy
    begin = begin_impact
    history = ("damping (s/m)",)

    def __post_init__(self) -> None:
        checked_number(self.stiffness, "stiffness")
        checked_number(self.exponent, "exponent", lowest=1.0, above=False)
        checked_restitution(self.restitution, zero=self.takes_zero and not self.exact)
        checked_number(self.least_speed, "least_speed", "m/s")
        if self.speed is not None:
            checked_number(self.speed, "speed", "m/s")
        checked_choice(self.separation, "separation", SEPARATIONS)

    takes_zero = False  # whether the published factor is finite at restitution 0

    @property
    def factor(self) -> float:
        """D of this law."""
        e = float(self.restitution)
        return exact_factor(e) if self.exact else self.published_factor(e)

    def restitution_at(self, speed: float) -> float:
        """Restitution of free bodies that meet at ``speed`` (m/s): what the law makes of the stated one."""
        checked_number(speed, "speed", "m/s")
        return restitution_of(self.factor * speed / max(self.speed or speed, self.least_speed))

    @staticmethod
    @abstractmethod
    def published_factor(restitution: float) -> float:
        """D as published."""

    def parameters(self) -> tuple[float, ...]:
        return float(self.stiffness), float(self.exponent), self.factor, float(self.speed or 0.0), float(self.least_speed)
