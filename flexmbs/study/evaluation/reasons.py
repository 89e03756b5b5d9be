"""Why runs failed and what they warned of, counted: messages that differ in their numbers only are one reason."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
MOST = 1000  # different reasons that are kept apart


@dataclass(frozen=True)
class Reason:
    """A failure or a warning with the number of runs that had it, and the first of them.

    ``kind``: of the failure (RunFailure.kind), "" for a warning; ``message``: that of the first run.
    """

    kind: str
    message: str
    count: int
    first_run: int
    first_key: str


class ReasonCounter:
    """Counts messages while rows pass; at most ``MOST`` different ones, so that memory stays bounded."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], tuple[str, int, str]] = {}
        self._count: dict[tuple[str, str], int] = {}

    def add(self, kind: str, message: str, run: int, key: str) -> None:
        """Count a message of a run."""
        same = (kind, NUMBER.sub("#", message))
        if same not in self._first:
            if len(self._first) >= MOST:
                same, message = (kind, ""), "other messages"
        if run <= self._first.get(same, (message, run, key))[1]:  # rows may come in any order
            self._first[same] = (message, run, key)
        self._count[same] = self._count.get(same, 0) + 1

    def reasons(self) -> tuple[Reason, ...]:
        """The most frequent first."""
        order = sorted(self._count, key=lambda same: -self._count[same])
        found = []
        for same in order:
            message, run, key = self._first[same]
            found.append(Reason(same[0], message, self._count[same], run, key))
        return tuple(found)
