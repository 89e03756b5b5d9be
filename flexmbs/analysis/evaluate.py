"""Single evaluations of the compiled mechanism, for checks and linear analyses."""

from __future__ import annotations

import numpy as np

from flexmbs.integrate.state import State
from flexmbs.kernels.tables import Workspace
from flexmbs.model.model import Model


def gaps(model: Model, work: Workspace, state: State) -> np.ndarray:
    """Gap of every contact at the present state, m."""
    if not model.contact_names:
        return np.zeros(0)
    from flexmbs.integrate.mechanics import gap_at

    return np.array(
        [
            gap_at(model.tables, c, state.q, state.v, state.a, state.reference, work)[0]
            for c in range(len(model.contact_names))
        ]
    )
