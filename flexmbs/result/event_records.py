"""What has happened at an instant of a run: impacts, changes of mode of rigid contacts, events, locks and releases."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields

import numpy as np

from flexmbs.common.errors import UnknownHistoryError

IMPACT, TRANSITION, EVENT, LOCK, RELEASE = KINDS = ("impact", "transition", "event", "lock", "release")

Vector = tuple[float, float, float]
_ZERO: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class EventRecord:
    """One impact, change of mode, event, lock or release. Vectors in world axes; SI units.

    Attributes
    ----------
    time : s; contacts that are hit in one instant have a record each, with the same time
    kind : "impact" or "transition" (of a rigid contact), "event" (of the user), "lock" or "release"
    name : of the contact, the event, or what is locked
    mode_before, mode : of a contact "open", "sliding", "sticking" or "resting" (closed, carries nothing), before and
        behind the instant; of what is locked "free" or "locked"; else empty
    approach_speed, rebound_speed : m/s, at which its gap closes before and opens behind an impact
    slip_before, slip_after : (3) m/s, tangential velocity of the first body relative to the second
    normal_impulse : N s
    friction_impulse : (3) N s on the first body
    normal : (3) from the second body to the first
    place : (3) m, the contact point
    energy_lost : J
    """

    time: float
    kind: str
    name: str
    mode_before: str = ""
    mode: str = ""
    approach_speed: float = 0.0
    rebound_speed: float = 0.0
    slip_before: Vector = _ZERO
    slip_after: Vector = _ZERO
    normal_impulse: float = 0.0
    friction_impulse: Vector = _ZERO
    normal: Vector = _ZERO
    place: Vector = _ZERO
    energy_lost: float = 0.0

    @property
    def impulse(self) -> np.ndarray:
        """(3,) N s, the whole impulse on the first body."""
        return self.normal_impulse * np.array(self.normal) + np.array(self.friction_impulse)


def columns_of(events: Sequence[EventRecord]) -> dict[str, list]:
    """Records as lists by field, as files have them."""
    found = [asdict(event) for event in events]
    return {field.name: [event[field.name] for event in found] for field in fields(EventRecord)} if found else {}


def events_from(columns: Mapping[str, Sequence]) -> list[EventRecord]:
    """Records from :func:`columns_of`; KeyError for a field that is not there."""
    names = [field.name for field in fields(EventRecord)] if columns else []
    rows = zip(*(columns[name] for name in names), strict=True)
    return [EventRecord(**{n: tuple(x) if isinstance(x, list) else x for n, x in zip(names, row, strict=True)}) for row in rows]


def in_order(events: Iterable[EventRecord]) -> tuple[EventRecord, ...]:
    """Records in order of time; those of one instant stay as they happened."""
    return tuple(sorted(events, key=lambda event: event.time))


def of_name(events: Iterable[EventRecord], name: str | None, known: Iterable[str]) -> tuple[EventRecord, ...]:
    """Records with that name (None: all); UnknownHistoryError with near names for one that is not ``known`` either."""
    events = tuple(events)
    if name is None:
        return events
    found = tuple(event for event in events if event.name == name)
    names = sorted({*known, *(event.name for event in events)})
    if not found and name not in names:
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or names[:3]
        raise UnknownHistoryError(f"nothing named {name!r} has events; near names: {', '.join(near) or 'none'}")
    return found


def last_modes(events: Iterable[EventRecord]) -> dict[str, str]:
    """The mode of each contact behind its last event."""
    return {event.name: event.mode for event in events if event.kind in (IMPACT, TRANSITION)}
