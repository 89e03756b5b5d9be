"""Which coordinates have no inertia: modes of contact patches with massless boundary (reduction.contact_patches)."""

from __future__ import annotations

import numpy as np

from flexmbs.model.compiled_model import Model


def massless_coordinates(model: Model) -> np.ndarray:
    """(k,) indices of the coordinates without any inertia."""
    found = [np.arange(part.start, part.stop)[model.bodies[name].massless] for name, part in model.modal.items()]
    return np.concatenate([np.zeros(0, dtype=np.int64), *found])


def following_motions(model: Model, free: np.ndarray, K: np.ndarray) -> np.ndarray:
    """(free, others) motions of the coordinates ``free`` with those of the others: massless ones balance their load by K."""
    massless = np.isin(free, massless_coordinates(model))
    following = np.eye(len(free))[:, ~massless]
    if np.any(massless):
        following[massless] = -np.linalg.solve(K[np.ix_(massless, massless)], K[np.ix_(massless, ~massless)])
    return following
