"""Stribeck friction: the coefficient falls from static to kinetic with the speed, then rises by a viscous part."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.laws.friction.friction_law import ResistingFriction, checked, checked_coefficients
from flexmbs.core.laws.friction.resistance import OWN, resist, sliding_speed, smooth_slope, stribeck_coefficient
from flexmbs.machine_code.entry import entry

STATIC, KINETIC, STRIBECK_SPEED, EXPONENT, VISCOUS, TRANSITION = range(OWN, OWN + 6)


@entry(contact_friction)
def stribeck_force(parameters, normal_force, motion, bristles, out):
    speed, transition = sliding_speed(parameters, motion), parameters[TRANSITION]
    coefficient = stribeck_coefficient(
        parameters[STATIC], parameters[KINETIC], parameters[STRIBECK_SPEED], parameters[EXPONENT], speed
    )
    over_speed = coefficient / speed if speed >= transition else coefficient * smooth_slope(speed / transition) / transition
    resist(parameters, normal_force, motion, normal_force * (over_speed + parameters[VISCOUS]), out)


@dataclass(frozen=True)
class Stribeck(ResistingFriction):
    """Friction coefficient kinetic + (static - kinetic) exp(-(speed / stribeck_speed)^exponent) + viscous speed.

    B. Armstrong-Helouvry, P. Dupont and C. Canudas de Wit, Automatica 30 (1994) 1083, eq. (5). Below ``transition`` it
    is multiplied by a smooth odd function that vanishes at rest: bodies that stick creep, slower than that.

    Parameters
    ----------
    static, kinetic : coefficients
    stribeck_speed : m/s, at which the coefficient has fallen by 63 % of the difference
    exponent : 2 (Gauss) or 1 (Tustin), or what measurements show
    viscous : s/m, coefficient per speed
    transition : m/s; None: a thousandth of ``stribeck_speed``
    rolling, pivoting, rolling_rate : m, m, rad/s: resistance to rolling and to turning about the normal; see
        ``ResistingFriction`` in flexmbs/core/laws/friction/friction_law.py
    """

    static: float
    kinetic: float
    stribeck_speed: float
    exponent: float = 2.0
    viscous: float = 0.0
    transition: float | None = None

    force = stribeck_force

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_coefficients(self.static, self.kinetic)
        checked(self.stribeck_speed, "stribeck_speed (m/s)")
        checked(self.exponent, "exponent")
        checked(self.viscous, "viscous (s/m)", positive=False)
        if self.transition is not None:
            checked(self.transition, "transition (m/s)")

    def parameters(self) -> tuple[float, ...]:
        transition = 1e-3 * self.stribeck_speed if self.transition is None else self.transition
        own = (self.static, self.kinetic, self.stribeck_speed, self.exponent, self.viscous, transition)
        return (*super().parameters(), *map(float, own))
