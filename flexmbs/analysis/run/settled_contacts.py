"""Start values without penetration: bodies that overlap at the start are moved apart until they nearly touch.

What is left between them is ``APART``: bodies that touch at rest without a force would start and end their contact with
every rounding error. Each step moves the joint coordinates as little as possible, weighted with the mass matrix, such
that to first order the gaps of all contacts that have penetrated become that, and loops stay closed. Modal coordinates
stay as they are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.analysis.assembly.close_loops import followed
from flexmbs.analysis.evaluation.constraint_directions import dense
from flexmbs.analysis.evaluation.driver_elimination import imposed
from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.analysis.evaluation.quaternion_folding import folded
from flexmbs.common.errors import MechanismError
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.layout.tables import CONSTRAINTS
from flexmbs.model.compiled_model import Model

ITERATIONS = 60
APART = 1e-9  # m
LARGEST_MOVE = 0.1  # of one iteration, m or rad


def settled(model: Model, t: float) -> Model:
    """``model`` with start values at which no contact penetrates, those of drivers at time ``t``.

    MechanismError naming the contact that stays deepest where no motion of the joints takes the bodies apart.
    """
    chosen = np.zeros(len(model.contact_names), dtype=bool)
    evaluator, model = Evaluator(model), imposed(model, t)
    for _ in range(ITERATIONS):
        gap = _gaps(model, evaluator, model.v)[0]
        chosen |= gap < 0.0
        if not np.any(gap < 0.5 * APART * chosen):
            return model
        q = model.q.copy()
        columns = _movable(model)
        change = _least_move(model, evaluator, columns, chosen, gap[chosen] - APART, t)
        change *= min(1.0, LARGEST_MOVE / max(float(np.abs(change).max(initial=0.0)), 1e-300))
        q[columns] += change
        model = followed(replace(model, q=q, reference=folded(model, q, model.reference.copy())), t)
    worst = int(np.argmin(gap))
    raise MechanismError(
        f"contact '{model.contact_names[worst]}' still penetrates by {-gap[worst]:.3g} m after the bodies have been "
        "moved apart (settle_contacts): other contacts, joints or drivers hold them; change the start values"
    )


def _gaps(model: Model, evaluator: Evaluator, v: np.ndarray) -> np.ndarray:
    """(2, contacts): gaps, m, and their rates, m/s."""
    a = np.zeros_like(v)
    found = [
        gap_at(model.tables, c, model.q.copy(), v, a, model.reference, evaluator.work) for c in range(len(model.contact_names))
    ]
    return np.array(found).reshape(-1, 2).T


def _movable(model: Model) -> np.ndarray:
    """Joint coordinates that nothing prescribes or holds."""
    n = model.coordinate_count
    free = ~model.is_driven & ~model.held[:n] & (model.tables.coordinates["state"][:n] == 0)
    for part in model.modal.values():
        free[part] = False
    return np.flatnonzero(free)


def _least_move(
    model: Model, evaluator: Evaluator, columns: np.ndarray, chosen: np.ndarray, gap: np.ndarray, t: float
) -> np.ndarray:
    """Change of the coordinates ``columns`` that changes the ``chosen`` gaps by -``gap`` and keeps loops closed."""
    rest = np.zeros_like(model.v)
    base = _gaps(model, evaluator, rest)[1][chosen]
    G = np.zeros((len(gap), len(columns)))
    for k, column in enumerate(columns):
        v = rest.copy()
        v[column] = 1.0
        G[:, k] = _gaps(model, evaluator, v)[1][chosen] - base
    loops = dense(evaluator.constraint_matrix(model.q, model.reference, t, CONSTRAINTS))[:, columns]
    rows = np.concatenate([G, loops])
    wanted = np.concatenate([-gap, np.zeros(len(loops))])
    mass = evaluator.mass_matrix(model.q, model.reference, t)[np.ix_(columns, columns)]
    values, vectors = np.linalg.eigh(0.5 * (mass + mass.T))
    root = vectors / np.sqrt(np.maximum(values, 1e-9 * values.max(initial=1e-300)))
    return root @ np.linalg.lstsq(rows @ root, wanted, rcond=1e-10)[0]
