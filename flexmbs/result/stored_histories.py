"""Histories on disk: each array is read when it is first used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from flexmbs.result.event_records import EventRecord, in_order
from flexmbs.result.trajectory import OPTIONAL, REQUIRED, ContactRecord, Trajectory


class StoredTrajectory:
    """The attributes of a :class:`Trajectory`; arrays are read from disk at first use and then kept in memory.

    A long run therefore does not have to fit in memory as a whole to access one of its histories.
    """

    def __init__(
        self,
        names: Iterable[str],
        read: Callable[[str], np.ndarray],
        contacts: Iterable[ContactRecord],
        stats: Mapping[str, float],
        status: str,
        known: Mapping[str, np.ndarray] | None = None,
        events: Iterable[EventRecord] = (),
    ) -> None:
        """``names`` of the arrays that exist; ``read(name)`` fetches one of them; ``known``: they need not be read."""
        self._names = frozenset(names)
        self._read = read
        self.contacts = tuple(sorted(contacts, key=lambda contact: contact.start))
        self.events = in_order(events)
        self.stats = dict(stats)
        self.status = status
        self.__dict__.update(known or {})

    def __getattr__(self, name: str) -> np.ndarray | None:
        if name.startswith("_") or name not in REQUIRED + OPTIONAL:
            raise AttributeError(f"a trajectory has no attribute {name!r}")
        array = self._read(name) if name in self._names else None
        self.__dict__[name] = array
        return array

    def __getstate__(self) -> dict[str, object]:
        """For pickle: without the arrays that have been read."""
        return {name: value for name, value in self.__dict__.items() if name not in REQUIRED + OPTIONAL}

    def has(self, name: str) -> bool:
        """Whether there is an array of that name (nothing is read)."""
        return name in self._names

    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name: everything is read."""
        return {name: getattr(self, name) for name in REQUIRED + OPTIONAL if name in self._names}

    def replaced(self, **changed) -> Trajectory:
        """A trajectory in memory with some of the arrays replaced; the others are read."""
        kept = {name: getattr(self, name) for name in REQUIRED + OPTIONAL if name not in changed}
        plain = {"contacts": self.contacts, "events": self.events, "stats": self.stats, "status": self.status}
        return Trajectory(**{**plain, **kept, **changed})
