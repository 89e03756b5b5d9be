"""The law of Gonthier, McPhee, Lange and Piedboeuf: D = (1 - e^2) / e."""

from __future__ import annotations

from flexmbs.core.laws.contact.impact_damping import ImpactDamping


class Gonthier(ImpactDamping):
    """F = k d^p (1 + (1 - e^2) / e * d' / v0); Gonthier, McPhee, Lange, Piedboeuf, Multibody Syst. Dyn. 11 (2004) 209.

    An approximate solution of the exact relation: 0.488 for 0.5 unless ``exact`` is set.
    """

    @staticmethod
    def published_factor(restitution: float) -> float:
        return (1.0 - restitution**2) / restitution
