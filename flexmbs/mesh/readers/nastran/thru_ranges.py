"""Lists of numbers with THRU, kept as ranges so that none is larger than what it is written with, and replicated cards.

``=`` in a field copies it, ``==`` copies it and all that follow, ``*(x)`` adds x to it; ``=(n)`` or ``=n`` as the name
of the next card repeats that n times (MSC Nastran Quick Reference Guide, "Replication").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.card import Card


@dataclass
class Ranges:
    """Numbers as (first, last, step), without those ``excluded``."""

    parts: list[tuple[int, int, int]] = field(default_factory=list)
    excluded: list[tuple[int, int, int]] = field(default_factory=list)
    everything: bool = False
    _bounds: np.ndarray = field(default_factory=lambda: np.empty((0, 2), np.int64), repr=False, compare=False)

    def add(self, first: int, last: int | None = None, step: int = 1) -> None:
        """Append a number, or a range."""
        self.parts.append((first, first if last is None else last, step))

    @property
    def single(self) -> np.ndarray:
        """The numbers that are given one by one."""
        return np.array([first for first, last, _ in self.parts if first == last], np.int64)

    def contains(self, numbers_: np.ndarray) -> np.ndarray:
        """(n,) bool: which numbers lie in a range or are members (steps and exclusions do not count)."""
        if len(self._bounds) != len(self.parts):
            self._bounds = np.array(sorted((first, last) for first, last, _ in self.parts), np.int64).reshape(-1, 2)
            np.maximum.accumulate(self._bounds[:, 1], out=self._bounds[:, 1])
        if not len(self._bounds):
            return np.zeros(len(numbers_), bool)
        at = np.searchsorted(self._bounds[:, 0], numbers_, side="right") - 1
        return (at >= 0) & (numbers_ <= self._bounds[np.maximum(at, 0), 1])

    def select(self, existing: np.ndarray) -> np.ndarray:
        """Positions of the members in ``existing`` (sorted numbers): ranges contribute what exists of them."""
        if self.everything:
            return np.arange(len(existing))
        found = _positions(self.parts, existing)
        return np.setdiff1d(found, _positions(self.excluded, existing)) if self.excluded else found

    def missing(self, existing: np.ndarray) -> np.ndarray:
        """Single members (not those of ranges) that do not exist."""
        single = np.unique(self.single)
        at = np.minimum(np.searchsorted(existing, single), max(len(existing) - 1, 0))
        return single[existing[at] != single] if len(existing) else single


def _positions(parts, existing: np.ndarray) -> np.ndarray:
    single = np.unique(np.array([first for first, last, _ in parts if first == last], np.int64))
    at = np.searchsorted(existing, single)
    inside = at < len(existing)
    found = [at[inside][existing[at[inside]] == single[inside]]]
    for first, last, step in parts:
        if first != last:
            low, high = np.searchsorted(existing, first), np.searchsorted(existing, last, side="right")
            within = np.arange(low, high)
            found.append(within[(existing[within] - first) % step == 0] if step > 1 else within)
    return np.unique(np.concatenate(found))


def read_ranges(texts: list[str], where: str, what: str) -> Ranges:
    """Ranges from words: ``1 2 5 THRU 10 BY 2 EXCEPT 7``, ``ALL``; blanks are passed over.

    Raises MeshError for other words, a THRU without ends, or one that goes down.
    """
    words = [text.strip().upper() for text in texts if text.strip()]
    result = Ranges()
    target = result.parts
    at = 0
    while at < len(words):
        word = words[at]
        if word == "ALL":
            result.everything = True
            at += 1
        elif word in ("EXCEPT", "EXCLUDE"):
            target = result.excluded
            at += 1
        elif at + 1 < len(words) and words[at + 1] in ("THRU", "TO"):
            last = words[at + 2] if at + 2 < len(words) else ""
            step, used = _step(words, at + 3, where, what)
            ends = _number(word, where, what), _number(last, where, what)
            if ends[1] < ends[0]:
                raise MeshError(f"{where}: {what} {ends[0]} THRU {ends[1]} is decreasing; give the smaller number first.")
            target.append((*ends, step))
            # A range after EXCEPT that starts beyond the last one is a member again (MSC).
            at += 3 + used
        else:
            number = _number(word, where, what)
            if target is result.excluded and result.parts and number > max(part[1] for part in result.parts):
                target = result.parts
            target.append((number, number, 1))
            at += 1
    return result


def _step(words: list[str], at: int, where: str, what: str) -> tuple[int, int]:
    if at < len(words) and words[at] == "BY":
        step = _number(words[at + 1] if at + 1 < len(words) else "", where, what)
        if step < 1:
            raise MeshError(f"{where}: {what}: BY {step} must be at least 1.")
        return step, 2
    return 1, 0


def _number(word: str, where: str, what: str) -> int:
    value = number_fields.integer(word)
    if value is None:
        raise MeshError(f"{where}: {what} '{word}' is not a number; give integers, or 'first THRU last'.")
    return value


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
