"""Which unknowns are shifted together when tangent matrices are taken by differences (core.equations.tangent).

Unknowns that share no row of the matrices can be shifted in one evaluation of the residual: A. Curtis, M. Powell,
J. Reid, J. Inst. Maths Applics 13 (1974) 117.  So many bodies cost no more evaluations than the few that are coupled.
"""

from __future__ import annotations

import numpy as np

from flexmbs.core.layout.tables import Tables
from flexmbs.model.unknown_ordering import coupling_graph

FEWEST = 16  # unknowns from which on the structure is looked for


def no_shifts() -> dict[str, np.ndarray]:
    """The fields of :func:`tangent_shifts` where every unknown is shifted alone."""
    names = ("pattern_start", "pattern_rows", "shift_start", "shift_columns")
    return {**{name: np.zeros(0, dtype=np.int64) for name in names}, "shift_split": np.int64(0)}


def tangent_shifts(tables: Tables, free: np.ndarray, of_trees: bool = False) -> dict[str, np.ndarray]:
    """The tables' fields ``pattern_*`` and ``shift_*`` for the unknowns ``free``; empty where nothing is gained.

    ``of_trees``: also without constraints.
    """
    wanted = len(free) >= FEWEST and (of_trees or len(tables.constraints) > 0)
    graph = coupling_graph(tables, free) if wanted else None
    if graph is None:
        return no_shifts()
    multiplier = tables.coordinates["multiplier"][free] != 0
    rows = np.repeat(np.arange(len(free)), np.diff(graph.indptr))
    # equations of constraints do not contain multipliers
    kept = ~(multiplier[rows] & multiplier[graph.indices])
    pattern_rows = graph.indices[kept].astype(np.int64)
    pattern_start = np.concatenate([[0], np.cumsum(np.bincount(rows[kept], minlength=len(free)))])
    moving = np.flatnonzero(~multiplier)
    accelerations = _coloured(np.arange(len(free)), pattern_start, pattern_rows)
    motions = _coloured(moving, pattern_start, pattern_rows)
    groups = accelerations + motions
    return {
        "pattern_start": pattern_start,
        "pattern_rows": pattern_rows,
        "shift_start": np.cumsum([0, *map(len, groups)]),
        "shift_columns": np.concatenate(groups),
        "shift_split": np.int64(len(accelerations)),
    }


def _coloured(columns: np.ndarray, start: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """``columns`` of a symmetric pattern in groups without common rows: each into the first that has room (greedy)."""
    used = [0] * (len(start) - 1)  # bits: groups that have a column with this row
    start, rows = start.tolist(), rows.tolist()
    groups: list[list[int]] = []
    for column in columns.tolist():
        touched = rows[start[column] : start[column + 1]]
        taken = 0
        for row in touched:
            taken |= used[row]
        bit = ~taken & (taken + 1)  # the lowest that is not taken
        group = bit.bit_length() - 1
        if group == len(groups):
            groups.append([])
        groups[group].append(column)
        for row in touched:
            used[row] |= bit
    return [np.array(group, dtype=np.int64) for group in groups]
