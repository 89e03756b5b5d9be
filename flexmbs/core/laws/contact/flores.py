"""The law of Flores, Machado, Silva and Martins: D = 8 (1 - e) / (5 e)."""

from __future__ import annotations

from flexmbs.core.laws.contact.impact_damping import ImpactDamping


class Flores(ImpactDamping):
    """F = k d^p (1 + 8 (1 - e) / (5 e) * d' / v0); Flores, Machado, Silva, Martins, Multibody Syst. Dyn. 25 (2011) 357.

    For the whole range of restitutions, also soft materials: 0.470 for 0.5 unless ``exact`` is set.
    """

    @staticmethod
    def published_factor(restitution: float) -> float:
        return 1.6 * (1.0 - restitution) / restitution
