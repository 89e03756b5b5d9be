"""Rigid contact: restitution and Coulomb friction that sticks, without any penetration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact.contact_law import ContactLaw, plain_energy, plain_force
from flexmbs.machine_code.entry import entry

NEWTON, POISSON = IMPACTS = "newton", "poisson"
# parameters
RESTITUTION, FRICTION, STATIC_FRICTION, TANGENTIAL_RESTITUTION, IS_POISSON = range(5)


@entry(plain_force)
def no_force(parameters, depth, rate):
    return 0.0


@entry(plain_energy)
def no_energy(parameters, depth):
    return 0.0


@dataclass(frozen=True)
class Rigid(ContactLaw):
    """Unilateral contact of rigid surfaces: impacts by restitution, constraint forces while it is closed.

    Every impact and every change between sliding, sticking and parting is an event of the run.

    Parameters
    ----------
    restitution : 0 (plastic) to 1 (elastic)
    friction : Coulomb's coefficient while it slides
    static_friction : coefficient up to which it sticks (None: the same)
    tangential_restitution : 0 to 1, of the slip velocity of an impact that sticks
    impact : "newton" (of the velocities) or "poisson" (of the impulses of compression and expansion)
    """

    restitution: float = 0.0
    friction: float = 0.0
    static_friction: float | None = None
    tangential_restitution: float = 0.0
    impact: str = NEWTON

    force = no_force
    energy = no_energy
    is_rigid = True

    def __post_init__(self) -> None:
        for name in ("restitution", "tangential_restitution"):
            value = _number(name, getattr(self, name))
            if not 0.0 <= value <= 1.0:
                raise MechanismError(f"rigid contact: {name} = {value!r} must be from 0 (plastic) to 1 (elastic)")
        mu = _number("friction", self.friction)
        static = mu if self.static_friction is None else _number("static_friction", self.static_friction)
        if mu < 0.0:
            raise MechanismError(f"rigid contact: friction = {mu!r} must not be negative")
        if static < mu:
            raise MechanismError(
                f"rigid contact: static_friction = {static!r} must be at least friction = {mu!r}, the coefficient while it slides"
            )
        if self.impact not in IMPACTS:
            known = " or ".join(map(repr, IMPACTS))
            raise MechanismError(f"rigid contact: impact must be {known}, not {self.impact!r}")

    def parameters(self) -> tuple[float, ...]:
        static = self.friction if self.static_friction is None else self.static_friction
        return (
            float(self.restitution),
            float(self.friction),
            float(static),
            float(self.tangential_restitution),
            float(self.impact == POISSON),
        )


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not np.isfinite(value):
        raise MechanismError(f"rigid contact: {name} must be a number, not {value!r}")
    return float(value)
