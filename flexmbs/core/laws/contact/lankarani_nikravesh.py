"""Lankarani and Nikravesh's law: D = 3 (1 - e^2) / 4."""

from __future__ import annotations

from flexmbs.core.laws.contact.impact_damping import ImpactDamping


class LankaraniNikravesh(ImpactDamping):
    """F = k d^p (1 + 3 (1 - e^2) / 4 * d' / v0); Lankarani and Nikravesh, J. Mech. Design 112 (1990) 369, eq. 30.

    Derived for restitutions near 1; bodies part faster than stated (0.725 for 0.5) unless ``exact`` is set.
    """

    takes_zero = True

    @staticmethod
    def published_factor(restitution: float) -> float:
        return 0.75 * (1.0 - restitution**2)
