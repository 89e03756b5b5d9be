"""Which constraints are independent: redundant ones are left out of the equations, and named.

The constraint matrix G at the state decides, by QR with column pivoting of G^T; in a singular position, where G loses
rank for a moment, a position nearby does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from flexmbs.analysis.assembly.assembly import followed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.sparse import RANK_TOLERANCE, chosen_rows
from flexmbs.common.errors import MechanismError
from flexmbs.model.compiled_model import Model

# A position nearby is some hundredths (m, rad) away, and so are constraints there from depending on each other.  Where
# the loops close in the singular position alone, as when the ends of a body that only bends are held apart, the
# position nearby is that one but for the root of the accuracy with which loops are closed.
APART = 1e-5
BETTER = 10.0  # another choice of constraints must have a smallest singular value larger by this factor


def independent_rows(model: Model, t: float) -> np.ndarray:
    """Coordinate numbers of the multipliers whose constraints are independent of each other at or near the state."""
    evaluator = Evaluator(model)
    kept = chosen_rows(free_columns(model, evaluator.constraint_matrix(model.q, model.reference, t)))
    near = nearby(model, t)
    if near is not None:
        moved = chosen_rows(free_columns(model, evaluator.constraint_matrix(near.q, near.reference, t)), APART)
        if len(moved) > len(kept):
            kept = moved
    return evaluator.rows[kept]


def better_rows(model: Model, present: np.ndarray, q, reference, t: float) -> np.ndarray | None:
    """Multipliers (coordinate numbers) of constraints that are far more independent than ``present`` at this state.

    None when there are none: the mechanism itself is near a singular position, or has no constraints.
    """
    if len(present) == 0:
        return None
    evaluator = Evaluator(model)
    G = free_columns(model, evaluator.constraint_matrix(q, reference, t))
    rows = chosen_rows(G)
    if len(rows) != len(present) or issparse(G):
        return None
    # close to a singular position small entries tell how close
    G = free_columns(model, evaluator.constraint_matrix(q, reference, t, with_rounding=True))
    smallest = [np.linalg.svd(G[kept], compute_uv=False)[-1] for kept in (rows, present - evaluator.rows[0])]
    return evaluator.rows[rows] if smallest[0] > BETTER * smallest[1] else None


def free_columns(model: Model, G: np.ndarray) -> np.ndarray:
    """G without the columns of driven coordinates."""
    return G[:, model.tables.coordinates["signal"][: model.coordinate_count] < 0]


def nearby(model: Model, t: float) -> Model | None:
    """The mechanism a little further along its freedoms, closed again; None when it cannot move."""
    evaluator = Evaluator(model)
    n = model.coordinate_count
    G = evaluator.constraint_matrix(model.q, model.reference, t)
    if issparse(G):  # of many bodies: the start is taken as it is
        return None
    free = np.flatnonzero(model.tables.coordinates["signal"][:n] < 0)
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
