"""Coulomb friction with true sticking, for joints."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.laws.friction.friction_law import checked_coefficients


@dataclass(frozen=True)
class DryFriction:
    """Coulomb friction that is not regularised: what sticks is held by a constraint and does not creep.

    ``joint.friction(fm.DryFriction(0.3, 0.2), normal_force=...)``. Every change between sliding and sticking is an
    event of the run. A joint sticks while the friction that it needs is at most static times the normal force, and
    slides with dynamic times that force.

    Parameters
    ----------
    static, dynamic : coefficients; dynamic None: the same as static
    """

    static: float
    dynamic: float | None = None

    def __post_init__(self) -> None:
        checked_coefficients(self.static, self.dynamic)

    @property
    def coefficients(self) -> tuple[float, float]:
        """Static and dynamic."""
        return checked_coefficients(self.static, self.dynamic)
