"""Rotation vectors of ball joints folded into their reference quaternions."""

from __future__ import annotations

import numpy as np

from flexmbs.core.mechanics.rotation import rotate_quaternion
from flexmbs.model.compiled_model import Model


def folded(model: Model, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """(balls, 4) ``reference`` with the rotation vectors of the ball joints folded in; they become zero in ``q``."""
    turned = reference.copy()
    for ball, start in enumerate(model.balls):
        rotate_quaternion(reference[ball], *q[start : start + 3], turned[ball])
        q[start : start + 3] = 0.0
    return turned
