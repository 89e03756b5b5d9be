"""Replication: cards that are written as copies of the card before, with increments.

``=`` in a field copies it, ``==`` copies it and all that follow, ``*(x)`` adds x to it; ``=(n)`` or ``=n`` as the name
of the next card repeats that n times (MSC Nastran Quick Reference Guide, "Replication").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.card import Card

_COUNT = re.compile(r"=\(?(\d{1,9})\)?$")
_INCREMENT = re.compile(r"\*\(?([^()]+)\)?$")
_COPIES_AT_MOST = 50_000


class Replication:
    """Remembers the card before (``previous``: anything with name, all_fields()) and makes its copies."""

    def __init__(self) -> None:
        self.previous = None
        self._last: Card | None = None
        self._steps: list[str] = []
        self._made = 0

    def cards(self, card: Card) -> Iterator[Card]:
        """The cards that a card with replication stands for."""
        if self.previous is not None:
            self._last = Card(self.previous.name.rstrip("*"), self.previous.all_fields(), card.file, card.line)
            self.previous, self._steps = None, []
        if self._last is None:
            raise MeshError(f"{card.file}:{card.line}: '{card.name}' repeats the card before, but there is none.")
        count = _COUNT.match(card.name)
        if count is None:
            if card.name not in ("=", self._last.name):
                raise MeshError(f"{card.file}:{card.line}: '{card.name}' cannot repeat a {self._last.name} card.")
            self._steps = list(card.fields)
            yield self._next(card)
            return
        self._made += int(count.group(1))
        if self._made > _COPIES_AT_MOST:
            raise MeshError(
                f"{card.file}:{card.line}: there are {self._made} repeated cards; at most {_COPIES_AT_MOST} are allowed."
            )
        for _ in range(int(count.group(1))):
            yield self._next(card)

    def _next(self, card: Card) -> Card:
        old = [field.strip() for field in self._last.fields]
        new = []
        for index, step in enumerate(self._steps):
            step = step.strip()
            before = old[index] if index < len(old) else ""
            if step == "==":
                new += old[index:]
                break
            increment = _INCREMENT.match(step)
            if step == "=":
                new.append(before)
            elif increment:
                new.append(_sum(before, increment.group(1), card))
            else:
                new.append(step)
        self._last = Card(self._last.name, new, card.file, card.line)
        return self._last


def _sum(before: str, increment: str, card: Card) -> str:
    whole = number_fields.integer(before or "0"), number_fields.integer(increment)
    if None not in whole:
        return str(sum(whole))
    parts = number_fields.real(before or "0"), number_fields.real(increment)
    if None in parts:
        raise MeshError(f"{card.file}:{card.line}: cannot add '{increment}' to '{before}'; *(x) needs numbers.")
    return repr(sum(parts))
