"""Conversion of log rows of the step loop to the arrays stored in a result."""

from __future__ import annotations

import numpy as np

from flexmbs.analysis.recording.reactions import reaction_slots
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.tables import Workspace, active_size
from flexmbs.core.stepping.describe_rows import describe_rows
from flexmbs.model.compiled_model import Model


def described_steps(model: Model, work: Workspace, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a trajectory (flexmbs.result.Trajectory) from log rows of finished steps."""
    count, n, balls = len(rows), len(model.coordinate_names), len(model.balls)
    bodies, contacts = len(model.body_names), model.recorded_contacts
    energy, R_WB = np.zeros((count, 3)), np.zeros((count, bodies, 3, 3))
    p_WB, v_WB, w_WB = (np.zeros((count, bodies, 3)) for _ in range(3))
    gap, force, slip = (np.zeros((count, contacts)) for _ in range(3))
    point, push = np.zeros((count, contacts, 3)), np.zeros((count, contacts, 3))
    reaction, effort = np.zeros((count, bodies + len(model.constraint_names), 6)), np.zeros((count, n))
    active, reference = np.zeros(active_size(model.tables), dtype=np.int64), np.zeros((balls, 4))
    record = np.zeros((count, len(work.record)))
    describe_rows(
        model.tables,
        rows,
        count,
        balls,
        work,
        active,
        reference,
        np.zeros(n),
        energy,
        p_WB,
        R_WB,
        v_WB,
        w_WB,
        gap,
        force,
        point,
        push,
        slip,
        reaction,
        effort,
        record,
    )
    columns, own = model.log_row, model.coordinate_count
    accelerations = rows[:, columns.a][:, :own].copy()
    accelerations[:, model.tables.coordinates["unit"][:own] != 0.0] = 0.0  # condensed modes have none
    return {
        "t": rows[:, TIME].copy(),
        "q": rows[:, columns.q.start :][:, model.stored_columns],
        "v": rows[:, columns.v][:, :own].copy(),
        "a": accelerations,
        "energy": energy,
        "contact_gap": gap,
        "contact_force": force,
        "contact_point": point,
        "contact_push": push,
        "contact_slip": slip,
        "body_position": p_WB,
        "body_rotation": R_WB,
        "body_velocity": v_WB,
        "body_angular_velocity": w_WB,
        "reaction": reaction[:, [slot for _name, slot in reaction_slots(model)]],
        "driving_force": effort[:, model.driven_coordinates],
        "constraint_error": np.abs(effort[:, own:]).max(axis=1, initial=0.0),
        "record": _record_columns(model, record, reaction),
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
