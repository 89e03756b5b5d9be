"""The loop-closure equations of a model: openings, their matrix, and scales that make metres and radians comparable."""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags, issparse

from flexmbs.analysis.evaluation.evaluate import Evaluator
from flexmbs.core.layout.tables import BALL, CLOSURE, ROTATION
from flexmbs.model.compile_constraints import levels_of_rows
from flexmbs.model.compiled_model import Model
from flexmbs.model.mechanism_size import size_in_pose


class Loops:
    """Openings g(q) of the constraints of a model at time ``t``; constraints in ``ignored`` (numbers) left out."""

    def __init__(self, model: Model, t: float, ignored: frozenset[int] = frozenset()):
        self.model, self.t, self.ignored = model, t, ignored
        self.evaluator = Evaluator(model)
        self.position_rows = self._rows_of_level(0)
        self.rate_rows = self._rows_of_level(1)
        self.openings(model.q, model.reference)
        self.length = size_in_pose(model.tables, self.evaluator.work.frame)

    def _rows_of_level(self, highest: int) -> np.ndarray:
        """Rows constrained at position level (0), or at position or velocity level (1)."""
        kept = []
        for c, constraint in enumerate(self.model.tables.constraints):
            if c not in self.ignored:
                kept.append(self.rows_of(c)[levels_of_rows(constraint) <= highest])
        return np.concatenate([*kept, np.zeros(0, dtype=int)])

    def rows_of(self, c: int) -> np.ndarray:
        """Rows of constraint number ``c`` among all constraint rows."""
        constraint = self.model.tables.constraints[c]
        return np.arange(constraint["rows"]) + constraint["row"] - self.evaluator.rows[0]

    def openings(self, q: np.ndarray, reference: np.ndarray) -> np.ndarray:
        """(rows,) openings of the position constraints, m or rad."""
        return self.evaluator.openings(q, self.model.v, reference, self.t)[0][self.position_rows]

    def matrix(self, q: np.ndarray, reference: np.ndarray, extent: int):
        """(rows, coordinates) derivative of the openings, dense or sparse; ``extent``: what the residual evaluates."""
        return self.evaluator.constraint_matrix(q, reference, self.t, extent)[self.position_rows]

    def row_scales(self, rows: np.ndarray | None = None) -> np.ndarray:
        """(rows,) 1 / size of the mechanism for lengths and 1 for angles of joints; ``rows`` None: position rows."""
        scales = np.ones(len(self.evaluator.rows))
        for c, constraint in enumerate(self.model.tables.constraints):
            if constraint["kind"] == CLOSURE:
                scales[self.rows_of(c)[:3]] = 1.0 / self.length
        return scales[self.position_rows if rows is None else rows]

    def column_scales(self) -> np.ndarray:
        """(coordinates,) reference change of each coordinate: 1 rad, or the size of the mechanism in m."""
        scales = np.full(self.model.coordinate_count, self.length)
        for axis in self.model.tables.axes:
            if axis["kind"] == BALL or axis["kind"] == ROTATION and axis["factor"] != 0.0:
                scales[axis["coordinate"] : axis["coordinate"] + (3 if axis["kind"] == BALL else 1)] = 1.0
        return scales

    def turns(self) -> np.ndarray:
        """(coordinates,) bool: joint angles (not those of ball joints)."""
        found = np.zeros(self.model.coordinate_count, dtype=bool)
        for axis in self.model.tables.axes:
            found[axis["coordinate"]] |= axis["kind"] == ROTATION and axis["factor"] != 0.0
        return found


def scaled(G, rows: np.ndarray, columns: np.ndarray):
    """diag(rows) G diag(columns), dense or sparse as G."""
    return diags(rows) @ G @ diags(columns) if issparse(G) else rows[:, None] * G * columns
