"""Selection of independent constraints; redundant ones are left out of the equations of motion.

The selection is a QR decomposition of G^T with column pivoting, G the constraint matrix at the state; in a singular
position, where the rank of G drops, G at a nearby position is used.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.sparse import RANK_TOLERANCE, chosen_rows
from flexmbs.common.errors import MechanismError
from flexmbs.model.compiled_model import Model

# The nearby position is some hundredths of a metre or radian away, and singular values there are of the same size. If
# the loops close in the singular position only (both ends of a body held apart that can only bend), the nearby position
# differs from it only by the square root of the closure tolerance.
NEARBY_RANK_TOLERANCE = 1e-5
BETTER = 4.0  # another selection must have a smallest singular value larger by this factor


def independent_rows(model: Model, t: float) -> np.ndarray:
    """Coordinate numbers of the multipliers of a set of constraints that are independent at or near the state."""
    evaluator = Evaluator(model)
    kept = chosen_rows(free_columns(model, evaluator.constraint_matrix(model.q, model.reference, t)))
    near = nearby(model, t)
    if near is not None:
        moved = chosen_rows(free_columns(model, evaluator.constraint_matrix(near.q, near.reference, t)), NEARBY_RANK_TOLERANCE)
        if len(moved) > len(kept):
            kept = moved
    return evaluator.rows[kept]


def better_rows(model: Model, present: np.ndarray, q, reference, t: float) -> np.ndarray | None:
    """Multipliers (coordinate numbers) of a better conditioned set of constraints than ``present`` at this state.

    None if there is none: the mechanism itself is near a singular position, or has no constraints.
    """
    if len(present) == 0:
        return None
    evaluator = Evaluator(model)
    G = free_columns(model, evaluator.constraint_matrix(q, reference, t))
    rows = chosen_rows(G)
    if len(rows) != len(present) or issparse(G):
        return None
    # near a singular position, small entries are significant
    G = free_columns(model, evaluator.constraint_matrix(q, reference, t, with_rounding=True))
    smallest = [np.linalg.svd(G[kept], compute_uv=False)[-1] for kept in (rows, present - evaluator.rows[0])]
    return evaluator.rows[rows] if smallest[0] > BETTER * smallest[1] else None


def free_columns(model: Model, G: np.ndarray) -> np.ndarray:
    """G without the columns of driven coordinates."""
    return G[:, ~model.is_driven]


def nearby(model: Model, t: float) -> Model | None:
    """The mechanism moved slightly along its degrees of freedom and closed again; None if it cannot move."""
    evaluator = Evaluator(model)
    G = evaluator.constraint_matrix(model.q, model.reference, t)
    if issparse(G):  # many bodies: the start position is used as it is
        return None
    free = model.free_coordinates
    _values, singular, vectors = np.linalg.svd(G[:, free], full_matrices=True)
    rank = int(np.count_nonzero(singular > RANK_TOLERANCE * max(singular.max(initial=0.0), 1e-300)))
    directions = vectors[rank:]
    if len(directions) == 0:
        return None
    move = np.random.default_rng(1).normal(size=len(directions)) @ directions
    for sign in (1.0, -1.0):
        q = model.q.copy()
        q[free] += sign * 0.02 * move / np.abs(move).max()
        try:
            return followed(replace(model, q=q), t, rates=False)
        except MechanismError:
            continue
    return None
