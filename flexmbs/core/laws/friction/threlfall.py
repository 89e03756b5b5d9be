"""Threlfall's regularised friction: the coefficient rises exponentially with the speed."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.laws.friction.friction_law import ResistingFriction, checked, checked_coefficients
from flexmbs.core.laws.friction.resistance import OWN, resist, sliding_speed, stribeck_coefficient
from flexmbs.machine_code.entry import entry

STATIC, KINETIC, STRIBECK_SPEED, TRANSITION = range(OWN, OWN + 4)
SLOWEST = 1e-9  # of the transition speed: below, coefficient over speed is that at this speed


@entry(contact_friction)
def threlfall_force(parameters, normal_force, motion, bristles, out):
    transition = parameters[TRANSITION]
    speed = max(sliding_speed(parameters, motion), SLOWEST * transition)
    size = stribeck_coefficient(parameters[STATIC], parameters[KINETIC], parameters[STRIBECK_SPEED], 2.0, speed)
    rise = -math.expm1(-3.0 * speed / transition)
    resist(parameters, normal_force, motion, normal_force * size * rise / speed, out)


@dataclass(frozen=True)
class Threlfall(ResistingFriction):
    """Friction coefficient mu (1 - exp(-3 speed / transition)).

    D. C. Threlfall, Mechanism and Machine Theory 13 (1978) 475. He ends the curve at ``transition``, with 0.95 mu
    beyond; here it goes on towards mu without a corner. mu falls from static to kinetic as in ``Stribeck`` with
    exponent 2. Bodies that stick creep, at about a third of ``transition`` or slower.

    Parameters
    ----------
    static, kinetic : coefficients; kinetic None: the same as static
    transition : m/s, speed at which 95 % of the coefficient are reached
    stribeck_speed : m/s, at which mu has fallen by 63 % of the difference; None: 10 times ``transition``
    rolling, pivoting, rolling_rate : m, m, rad/s: resistance to rolling and to turning about the normal; see
        ``ResistingFriction`` in flexmbs/core/laws/friction/friction_law.py
    """

    static: float
    kinetic: float | None = None
    transition: float = 1e-3
    stribeck_speed: float | None = None

    force = threlfall_force

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_coefficients(self.static, self.kinetic)
        checked(self.transition, "transition (m/s)")
        if self.stribeck_speed is not None:
            checked(self.stribeck_speed, "stribeck_speed (m/s)")

    def parameters(self) -> tuple[float, ...]:
        falls_at = 10.0 * self.transition if self.stribeck_speed is None else self.stribeck_speed
        coefficients = checked_coefficients(self.static, self.kinetic)
        return (*super().parameters(), *coefficients, float(falls_at), float(self.transition))
