"""Coulomb friction, regularised at low speed."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.friction.contact_friction import contact_friction
from flexmbs.core.laws.friction.friction_law import ResistingFriction, checked, checked_coefficients
from flexmbs.core.laws.friction.resistance import OWN, resist, sliding_speed
from flexmbs.core.laws.friction.smooth_coefficient import friction_coefficient
from flexmbs.machine_code.entry import entry

TRANSITION = OWN + 2  # place of the transition speed; the order is that of smooth_coefficient.py
SLOWEST = 1e-9  # of the transition speed: below, coefficient over speed is that at this speed


@entry(contact_friction)
def coulomb_force(parameters, normal_force, motion, bristles, out):
    speed = max(sliding_speed(parameters, motion), SLOWEST * parameters[TRANSITION])
    resist(parameters, normal_force, motion, normal_force * friction_coefficient(parameters[OWN:], speed) / speed, out)


@dataclass(frozen=True)
class Coulomb(ResistingFriction):
    """Coulomb friction: force mu(speed) N against the slip, with a coefficient that rises smoothly from zero.

    It has its static value at ``transition`` and its kinetic one from ``full_slip`` on, with two continuous
    derivatives (flexmbs/core/laws/friction/smooth_coefficient.py). Bodies that stick creep, slower than ``transition``.

    Parameters
    ----------
    static, kinetic : coefficients; kinetic None: the same as static
    transition : m/s, small compared with the speeds of interest
    full_slip : m/s; None: 1.5 times ``transition``
    rolling, pivoting, rolling_rate : m, m, rad/s: resistance to rolling and to turning about the normal; see
        ``ResistingFriction`` in flexmbs/core/laws/friction/friction_law.py
    """

    static: float
    kinetic: float | None = None
    transition: float = 1e-3
    full_slip: float | None = None

    force = coulomb_force

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_coefficients(self.static, self.kinetic)
        transition = checked(self.transition, "transition (m/s)")
        if self.full_slip is not None and checked(self.full_slip, "full_slip (m/s)") <= transition:
            raise MechanismError(f"friction: full_slip {self.full_slip:g} m/s must be above transition {transition:g}")

    def parameters(self) -> tuple[float, ...]:
        slip = 1.5 * self.transition if self.full_slip is None else self.full_slip
        coefficients = checked_coefficients(self.static, self.kinetic)
        return (*super().parameters(), *coefficients, float(self.transition), float(slip))
