"""What happens in a run besides impacts: locks, releases, events of the user, sticking and sliding of rigid contacts."""

from __future__ import annotations

from typing import NamedTuple

from flexmbs.view.drawable import DrawableResult

MOST = 200  # that are shown


class Instant(NamedTuple):
    """``what`` happens to ``name`` at a time (s): "lock", "release", "event", or the mode that a contact takes."""

    time: float
    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


def other_events(result: DrawableResult, first: float, last: float, most: int = MOST) -> list[Instant]:
    """Those from ``first`` to ``last`` (s), in order of time; of more than ``most`` changes of mode are left out first."""
    inside = [event for event in result.events if event.kind != "impact" and first <= event.time <= last]
    chosen = sorted(inside, key=lambda event: event.kind == "transition")[:most]
    return sorted(Instant(event.time, event.name, event.kind if event.kind != "transition" else event.mode) for event in chosen)
