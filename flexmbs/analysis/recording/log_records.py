"""What the step loop logs, as results have it: arrays of finished steps, and records of what has happened."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.analysis.recording.reactions import reaction_slots
from flexmbs.core.layout.log_rows import TIME
from flexmbs.core.layout.switch_tables import IMPACT, LOCKED, RELEASED, TRANSITION, USER_EVENT
from flexmbs.core.layout.tables import Workspace, active_size, lengths
from flexmbs.core.stepping.describe_rows import DescribedRows, describe_rows
from flexmbs.model.compiled_model import Model
from flexmbs.result import event_records


def described_steps(model: Model, work: Workspace, rows: np.ndarray) -> dict[str, np.ndarray]:
    """Arrays of a trajectory (flexmbs.result.trajectory.Trajectory) from log rows of finished steps."""
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


CONTACT_MODES = ("open", "sliding", "sticking", "resting")  # State.active of a rigid contact
FREE, HELD = "free", "locked"
KINDS = {
    IMPACT: event_records.IMPACT,
    TRANSITION: event_records.TRANSITION,
    USER_EVENT: event_records.EVENT,
    LOCKED: event_records.LOCK,
    RELEASED: event_records.RELEASE,
}


def records_of(model: Model, event_names: Sequence[str], rows) -> list[event_records.EventRecord]:
    """Records of the occurrences of a chunk; of a rigid stop only that it locks and lets go, not its events too."""
    found = [event_record(model, event_names, row) for row in rows]
    stops = {(record.time, record.name) for record in found if record.kind in (event_records.LOCK, event_records.RELEASE)}
    return [r for r in found if r.kind != event_records.EVENT or (r.time, r.name.removesuffix(" left")) not in stops]


def event_record(model: Model, event_names: Sequence[str], row) -> event_records.EventRecord:
    """``row`` : a record of flexmbs.core.layout.state.OCCURRENCE; ``event_names`` of the events of the user."""
    kind = int(row["kind"])
    numbers = ("time", "approach_speed", "rebound_speed", "normal_impulse", "energy_lost")
    vectors = ("slip_before", "slip_after", "friction_impulse", "normal", "place")
    return event_records.EventRecord(
        kind=KINDS[kind],
        name=name_of(model, event_names, row),
        mode_before=_before(kind, int(row["mode_before"])),
        mode=_behind(kind, int(row["mode"])),
        **{name: float(row[name]) + 0.0 for name in numbers},  # no -0
        **{name: tuple(row[name].tolist()) for name in vectors},
    )


def name_of(model: Model, event_names: Sequence[str], row) -> str:
    """Name of the contact, event or switch that an occurrence comes from."""
    kind, source = int(row["kind"]), int(row["source"])
    if kind == TRANSITION and source >= len(model.tables.contacts):  # a joint with friction
        return model.switch_names[source - len(model.tables.contacts)]
    if kind in (IMPACT, TRANSITION):
        return model.contact_name(source, int(row["pair"]))
    return event_names[source] if kind == USER_EVENT else model.switch_names[source]


def _before(kind: int, mode: int) -> str:
    """How a contact or lock was before an occurrence."""
    if kind in (IMPACT, TRANSITION):
        return CONTACT_MODES[mode]
    if kind == LOCKED:  # one that is closed can be hit
        return FREE if mode == 0 else HELD
    return HELD if kind == RELEASED else ""


def _behind(kind: int, mode: int) -> str:
    """How it is behind the occurrence."""
    if kind in (IMPACT, TRANSITION):
        return CONTACT_MODES[mode]
    return {LOCKED: HELD, RELEASED: FREE}.get(kind, "")
