"""A model with drivers imposed on its state, or with drivers eliminated so that their coordinates are free."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from flexmbs.core.layout.tables import Tables, make_workspace
from flexmbs.core.mechanics.signals import evaluate_signals, impose_drivers
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compiled_model import Model
from flexmbs.model.tangent_shifts import no_shifts


def with_tables(model: Model, **changed: np.ndarray) -> Model:
    """``model`` with some arrays of its tables replaced; MechanismError if the kernels could not use them.

    Other unknowns are shifted alone in tangents, unless the fields of model.tangent_shifts come with them.
    """
    if "free" in changed:
        changed = {**no_shifts(), **changed}
    fields = {name: getattr(model.tables, name) for name in Tables.fields}
    tables = Tables(**{**fields, **changed})
    check_tables(tables)
    return replace(model, tables=tables)


def imposed(model: Model, t: float) -> Model:
    """``model`` with the driven coordinates at the values and rates that their drivers prescribe at time ``t``."""
    work = make_workspace(model.tables)
    q, v = model.q.copy(), model.v.copy()
    evaluate_signals(model.tables, float(t), work.signal)
    impose_drivers(model.tables, work.signal, q, v, np.zeros_like(q))
    return replace(model, q=q, v=v)


def with_drivers(model: Model, kept: Collection[int]) -> Model:
    """``model`` with only the coordinates ``kept`` driven; all others are free."""
    coordinates = model.tables.coordinates.copy()
    dropped = [k for k in model.driven_coordinates if k not in kept]
    coordinates["signal"][dropped] = -1
    free = np.sort(np.concatenate([model.tables.free, np.array(dropped, dtype=np.int64)]))
    return with_tables(model, coordinates=coordinates, free=free)


def without_drivers(model: Model, t: float) -> Model:
    """``model`` without driven coordinates, in the position that its drivers prescribe at time ``t``."""
    return with_drivers(imposed(model, t), ())
