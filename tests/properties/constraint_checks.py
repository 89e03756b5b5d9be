"""What holds for every constraint at any state: rows are differentiated exactly, forces are those of the rows."""

import numpy as np
import pytest
from random_mechanisms import derivative

from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.core.layout.tables import CONSTRAINTS

TIME = 0.3  # s, at which functions of time are evaluated


def check_derivatives(model, seed: int, size: float = 0.3) -> None:
    """At a random state near the start: g' and g'' are derivatives of g along any motion; multipliers do lam . G v."""
    rng = np.random.default_rng(seed)
    evaluator = Evaluator(model)
    n, rows = model.coordinate_count, evaluator.rows
    q, v, a = (np.concatenate([size * rng.normal(size=n), np.zeros(len(rows))]) for _ in range(3))
    q += model.q

    def row_values(s, speed=1.0):
        state = q + s * v + 0.5 * s * s * a, speed * v + s * a, a
        evaluator.residual(*state, model.reference, TIME + s, CONSTRAINTS)
        return evaluator.work.constraint[rows, :2].copy()

    rates = derivative(row_values)
    accelerations = evaluator.residual(q, v, a, model.reference, TIME, CONSTRAINTS)[rows]
    now, still = row_values(0.0), row_values(0.0, speed=0.0)
    holonomic = now[:, 0] != 0.0  # rows at velocity level have no value
    scale = 1.0 + np.abs(now).max() + np.abs(accelerations).max()
    # differences of sixth order with steps of 1e-3
    assert np.abs(rates[:, 0] - now[:, 1])[holonomic].max(initial=0.0) < 1e-8 * scale
    with_rate = now[:, 1] != 0.0
    assert np.abs(rates[:, 1] - accelerations)[with_rate].max(initial=0.0) < 1e-8 * scale
    forces = a.copy()
    forces[rows] = rng.normal(size=len(rows))
    pushed = evaluator.residual(q, v, forces, model.reference, TIME)
    rest = evaluator.residual(q, v, a, model.reference, TIME)
    free = ~model.is_driven
    power = (pushed - rest)[:n][free] @ v[:n][free]
    # of rows at acceleration level neither value nor rate is kept: their G v follows from the change of g'' with a
    gv = now[:, 1] - still[:, 1]
    along = evaluator.residual(q, 0 * v, v, model.reference, TIME, CONSTRAINTS)[rows]
    gv = np.where(with_rate, gv, along - evaluator.residual(q, 0 * v, 0 * v, model.reference, TIME, CONSTRAINTS)[rows])
    assert power == pytest.approx(-forces[rows] @ gv, abs=1e-9 * np.abs(forces).max() * scale)


def end_state(result) -> np.ndarray:
    """Motion of all bodies by their names: their order depends on the choice of coordinates."""
    run = result.trajectory
    order = [i for _name, i in sorted((body.name, i) for i, body in enumerate(result.structure.bodies))]
    parts = run.body_position, run.body_rotation, run.body_velocity, run.body_angular_velocity
    return np.concatenate([part[-1, order].ravel() for part in parts])
