"""The compiled mechanism evaluated at single states: residual, constraints, constraint and mass matrices, gaps."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
from scipy.sparse import coo_matrix

from flexmbs.analysis.evaluation.entry_sizes import EntrySizes, without_rounding
from flexmbs.analysis.evaluation.sparse import DENSE_ENTRIES
from flexmbs.core.contact.gap import gap_at
from flexmbs.core.equations.residual import residual
from flexmbs.core.layout.state import State
from flexmbs.core.layout.tables import (
    CONSTRAINTS,
    COSINE,
    OPENINGS,
    PERMANENT,
    POSITION_LEVEL,
    VELOCITY_LEVEL,
    WHOLE,
    Tables,
    Workspace,
    active_size,
    history_size,
    make_workspace,
)
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.model.compiled_model import Model
from flexmbs.model.unknown_ordering import coloured, constraint_groups


class Evaluator:
    """Evaluates a model at given states; vectors hold the coordinates, then the multipliers."""

    def __init__(self, model: Model):
        self.model = model
        self.work = make_workspace(model.tables)
        self.active = np.zeros(active_size(model.tables), dtype=np.int64)
        self.contact_history = np.zeros(history_size(model.tables))  # laws without a history of their contact
        self.size = len(model.coordinate_names)
        self.rows = np.flatnonzero(model.tables.coordinates["multiplier"] == PERMANENT)
        self.out = np.zeros(self.size)

    def residual(self, q, v, a, reference, t: float, extent: int = WHOLE) -> np.ndarray:
        """(size,) residual at time ``t``; the workspace then holds the frames, constraints and reactions."""
        q, v, a = (np.array(part, dtype=float) for part in (q, v, a))
        evaluate_signals(self.model.tables, float(t), self.work.signal)
        impose_drivers(self.model.tables, self.work.signal, q, v, a)
        self.work.extent[0] = extent
        residual(self.model.tables, self.active, self.contact_history, q, v, a, reference, self.work, self.out)
        self.work.extent[0] = WHOLE
        return self.out.copy()

    def openings(self, q, v, reference, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(rows,) error of each constraint (m, or rad as a rotation vector), and its rate."""
        self.residual(q, v, np.zeros(self.size), reference, t, OPENINGS)
        value = self.work.constraint[self.rows, POSITION_LEVEL].copy()
        rate = self.work.constraint[self.rows, VELOCITY_LEVEL].copy()
        tables = self.model.tables
        for constraint in tables.constraints:
            if constraint["rows"] == 6:
                at = int(constraint["row"] - self.rows[0]) + 3
                value[at : at + 3] = _rotation_vector(value[at : at + 3], self.work.constraint[self.rows[at], COSINE])
        return value, rate

    def constraint_matrix(self, q, reference, t: float, extent: int = CONSTRAINTS, with_rounding: bool = False) -> np.ndarray:
        """(rows, coordinates) G = dg'/dv of all constraints; columns of driven coordinates are zero.

        Columns without a common constraint are evaluated together. Above ``DENSE_ENTRIES`` entries G is sparse. Entries
        that are rounding are set to zero (flexmbs.analysis.evaluation.entry_sizes), unless ``with_rounding`` is set.
        """
        n, first = self.model.coordinate_count, self.model.coordinate_count
        if len(self.rows) == 0 or n == 0:
            return np.zeros((len(self.rows), n))
        groups, colours = shared_columns(self.model.tables, n)
        zero = np.zeros(self.size)
        base = self.residual(q, zero, zero, reference, t, extent)
        sizes = EntrySizes(self.model.tables, self.work.frame)
        constraints = self.model.tables.constraints.view(np.ndarray)  # records of a plain array are quicker to read
        rows, columns, values = [], [], []
        for together in colours:
            a = zero.copy()
            a[together] = 1.0
            moved = self.residual(q, zero, a, reference, t, extent) - base
            terms = sizes.of(self.work.frame, a)
            chosen = np.zeros(n, dtype=bool)
            chosen[together] = True
            for c, (own, coordinates) in enumerate(groups):
                for column in coordinates[chosen[coordinates]]:
                    rows.append(own - first)
                    columns.append(np.full(len(own), column))
                    found = moved[own]
                    if not with_rounding:
                        found = without_rounding(found, terms[c], constraints[c])
                    values.append(found)
        G = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), (len(self.rows), n))
        return G.tocsr() if G.shape[0] * n > DENSE_ENTRIES else G.toarray()

    def mass_matrix(self, q, reference, t: float) -> np.ndarray:
        """(coordinates, coordinates) M; rows and columns of driven coordinates are zero."""
        n = self.model.coordinate_count
        zero = np.zeros(self.size)
        base = self.residual(q, zero, zero, reference, t)[:n]
        units = np.eye(n, self.size)
        return np.array([self.residual(q, zero, unit, reference, t)[:n] - base for unit in units]).reshape(n, n).T


_known_columns: WeakKeyDictionary[Tables, tuple[list, list]] = WeakKeyDictionary()


def shared_columns(tables: Tables, count: int) -> tuple[list[tuple[np.ndarray, np.ndarray]], list[np.ndarray]]:
    """``constraint_groups``, and coordinates that can be moved together; found once for each model."""
    if tables not in _known_columns:
        groups = constraint_groups(tables)
        _known_columns[tables] = groups, coloured(groups, count)
    return _known_columns[tables]


def _rotation_vector(sine: np.ndarray, cosine: float) -> np.ndarray:
    """Rotation vector from sin(f) n and cos(f)."""
    size = float(np.linalg.norm(sine))
    angle = float(np.arctan2(size, cosine))
    if size > 1e-9:
        return sine * (angle / size)
    return sine if cosine > 0.0 else np.array([np.pi, 0.0, 0.0])


def gaps(model: Model, work: Workspace, state: State) -> np.ndarray:
    """Gap of each contact at this state, m; infinite of those of groups."""
    found = np.full(len(model.contact_names), np.inf)
    for c in range(model.recorded_contacts):
        found[c] = gap_at(model.tables, c, state.q, state.v, state.a, state.reference, work)[0]
    return found
