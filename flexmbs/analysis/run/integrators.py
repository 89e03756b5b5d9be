"""Integrators by the names that users give them, and their formulations of constraints."""

from __future__ import annotations

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout.state import INDEX_1, INDEX_2, INDEX_3
from flexmbs.core.methods.integrator import Integrator
from flexmbs.core.methods.method_table import INTEGRATORS
from flexmbs.core.methods.moreau import METHOD as MOREAU

FORMULATIONS = {"index 3": INDEX_3, "index 2": INDEX_2, "I3": INDEX_3, "SI2": INDEX_2, "SI1": INDEX_1}


def named(integrator: str | Integrator) -> Integrator:
    """An integrator by name, with default parameters; MechanismError for an unknown name."""
    if isinstance(integrator, Integrator):
        return integrator
    if integrator == MOREAU.name:
        raise MechanismError("integrator 'moreau' has no step of its own: use integrator=fm.Moreau(step=...)")
    if integrator == "tr_bdf2":
        raise MechanismError("integrator 'tr_bdf2' was removed: use 'generalised_alpha' (order 2) or 'radau' (stiff, with jumps)")
    if integrator not in INTEGRATORS:
        known = ", ".join(map(repr, ("auto", *INTEGRATORS)))
        raise MechanismError(
            f"integrator = {integrator!r} is unknown; choose one of {known}, or an object such as fm.BDF(max_order=3)"
        )
    return INTEGRATORS[integrator]()
