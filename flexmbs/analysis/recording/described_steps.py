"""Conversion of log rows of the step loop to the arrays stored in a result."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.recording.reactions import reaction_slots
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import Workspace, active_size, lengths
from flexmbs.core.stepping.describe_rows import DescribedRows, describe_rows
from flexmbs.model.compiled_model import Model


def described_steps(model: Model, work: Workspace, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a trajectory (flexmbs.result.Trajectory) from log rows of finished steps."""
    sizes = {
        "rows": len(rows),
        "flags": active_size(model.tables),
        "balls": len(model.balls),
        "recorded": model.recorded_contacts,
        "reactions": len(model.body_names) + len(model.constraint_names),
        "record": len(work.record),
    }
    made = DescribedRows.zeros(lengths(model.tables) | sizes)
    describe_rows(model.tables, rows, work, made)
    columns, own = model.log_row, model.coordinate_count
    accelerations = rows[:, columns.a][:, :own].copy()
    accelerations[:, model.tables.coordinates["unit"][:own] != 0.0] = 0.0  # condensed modes have none
    return {
        "t": rows[:, TIME].copy(),
        "q": rows[:, columns.q.start :][:, model.stored_columns],
        "v": rows[:, columns.v][:, :own].copy(),
        "a": accelerations,
        "energy": made.energy,
        "contact_gap": made.gap,
        "contact_force": made.force,
        "contact_point": made.point,
        "contact_push": made.push,
        "contact_slip": made.slip,
        "body_position": made.p_WB,
        "body_rotation": made.R_WB.reshape(*made.p_WB.shape, 3),
        "body_velocity": made.v_WB,
        "body_angular_velocity": made.w_WB,
        "reaction": made.reaction[:, [slot for _name, slot in reaction_slots(model)]],
        "driving_force": made.effort[:, model.driven_coordinates],
        "constraint_error": np.abs(made.effort[:, own:]).max(axis=1, initial=0.0),
        "record": _record_columns(model, made.record, made.reaction),
    }


def bytes_of_row(model: Model, work: Workspace) -> int:
    """Bytes of one step in a result."""
    arrays = described_steps(model, work, np.zeros((0, model.log_row.width)))
    return sum(int(np.prod(array.shape[1:])) * array.itemsize for array in arrays.values())


def _record_columns(model: Model, record: np.ndarray, reaction: np.ndarray) -> np.ndarray:
    """(rows, columns) histories from ``Workspace.record`` (rows, k) and ``Workspace.reaction`` (rows, slots, 6)."""
    slots, found = dict(reaction_slots(model)), np.empty((len(record), len(model.record_columns)))
    for i, column in enumerate(model.record_columns):
        values = reaction[:, slots[column.reaction_of], column.at] if column.reaction_of else record[:, column.at]
        found[:, i] = column.factor * values
    return found
