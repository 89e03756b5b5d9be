"""What has happened in a chunk of steps (core.layout.state.OCCURRENCE) as records of a result."""

from __future__ import annotations

from collections.abc import Sequence

from flexmbs.core.layout.switch_tables import IMPACT, LOCKED, RELEASED, TRANSITION, USER_EVENT
from flexmbs.model.compiled_model import Model
from flexmbs.result import event_records

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
