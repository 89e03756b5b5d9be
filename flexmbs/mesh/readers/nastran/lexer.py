"""From lines of bulk data to cards: small, large and free fields, continuations, replication.

Most cards come one by one; grid points and elements, of which there are many, come as batches of columns.
Formats after the MSC Nastran Quick Reference Guide ("Format of Bulk Data Entries", "Replication"): ``=`` in a field
copies it, ``==`` copies it and all that follow, ``*(x)`` adds x to it; ``=(n)`` or ``=n`` as the name of the next card
repeats that n times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran.card import Batch, Card, LineOfDeck, integer, real

_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,11}\*?$")
# A comma among the first ten columns, or right behind the name, makes a line free format ("Free Field Format");
# farther right it belongs to a field (equations, labels) or to a remark.
_FREE = re.compile(r".{0,9},|\s{0,7}[A-Z0-9_*+]+\s*,", re.IGNORECASE)
_WITH_TEXT = ("DEQATN",)  # cards in which "=" is part of an equation and repeats no field
_ROWS_OF_A_BATCH = 50_000
_LONGEST_LINE = 4000
_COUNT = re.compile(r"=\(?(\d{1,9})\)?$")
_INCREMENT = re.compile(r"\*\(?([^()]+)\)?$")
_COPIES_AT_MOST = 50_000


@dataclass(slots=True)
class _Draft:
    """A card while its continuation lines come, or continuation lines whose card stands elsewhere."""

    name: str
    file: str
    line: int
    rows: list[tuple[Any, int]]  # of each line columns 9 to 72 and the width of fields, 8 or 16; or the list of fields and 0
    next_name: str  # the tenth field, by which the next continuation is called
    repeats: bool = False  # whether there is a "=" somewhere
    called: str = ""  # the first field of continuation lines without a card yet
    # First fields of continuations taken although the tenth field before is blank, and the rows' index.
    loose: list[tuple[str, int]] = field(default_factory=list)

    def all_fields(self) -> list[str]:
        fields: list[str] = []
        for row, width in self.rows:
            fields += [row[i : i + width] for i in range(0, 64, width)] if width else row
        return fields


class Lexer:
    """Cards of the bulk data, in the order of the deck but for batches, which come when they are full or at the end.

    ``in_batches`` : names of the cards that come as Batch; ``comment`` gets each comment line.
    """

    def __init__(self, in_batches: frozenset[str], comment: Callable[[LineOfDeck], None]) -> None:
        self.open_card = ""  # after the end: where the last card stands, if its continuation does not come
        self._in_batches = in_batches
        self._comment = comment
        self._collected: dict[tuple, tuple[list, list[int]]] = {}  # rows and lines of one name and layout
        self._waiting: list[_Draft] = []  # their tenth field names a continuation that did not follow at once
        self._expected: set[str] = set()  # the continuations that these wait for
        self._orphans: dict[str, list[_Draft]] = {}
        self._replication = _Replication()
        self._ready: list[Card | Batch] = []

    def cards(self, lines: Iterable[LineOfDeck]) -> Iterator[Card | Batch]:
        """All cards of the lines. Raises MeshError for lines that are no cards and continuations of no card."""
        draft: _Draft | None = None
        comments: list[LineOfDeck] = []  # they speak of the card that follows, so come after the one before
        ready = self._ready
        for line in lines:
            file, number, text = line
            if text[:1] == "$":
                comments.append(line)
                continue
            if "$" in text or "\t" in text:
                text = text.partition("$")[0].expandtabs(8).rstrip()
            if not text:
                continue
            name, row, next_name = _split(text)
            if not name or name[0] == "+" or (name[0] == "*" and "(" not in name):
                draft = self._continued(draft, name, line, row, next_name)
                continue
            if draft is not None:
                self._finish(draft)
                if ready:
                    yield from ready
                    ready.clear()
            for comment in comments:
                self._comment(comment)
            comments = []
            if len(text) > _LONGEST_LINE:
                raise MeshError(f"{file}:{number}: the line has {len(text)} characters; a line of bulk data has at most 80.")
            draft = _Draft(name, file, number, [row], next_name, "=" in text)
        if draft is not None:
            self._finish(draft)
        for comment in comments:
            self._comment(comment)
        self._late()
        if draft is not None and draft.next_name and not draft.called:
            self.open_card = f"{draft.file}:{draft.line}: {draft.name.rstrip('*')}"
        yield from ready
        for key in list(self._collected):
            yield self._batch(key)

    def _continued(self, draft: _Draft | None, name: str, line: LineOfDeck, row, next_name: str) -> _Draft:
        """The draft with the line, or the line as a draft of its own when it continues a card elsewhere."""
        called, before = name.lstrip("+*").strip(), draft.next_name if draft is not None else ""
        # Any character may stand in front of the name in the tenth field.
        elsewhere = called not in (before, before[1:]) if before else called in self._expected
        if draft is None or (called and elsewhere):
            if not called:
                raise MeshError(f"{line[0]}:{line[1]}: a continuation line without a card; a card starts with its name.")
            if draft is not None:
                self._finish(draft, waits=True)
            return _Draft("", line[0], line[1], [row], next_name, called=called)
        if called and not before:
            draft.loose.append((called, len(draft.rows)))
        draft.rows.append(row)
        draft.next_name = next_name
        draft.repeats = draft.repeats or "=" in line[2]
        return draft

    def _finish(self, draft: _Draft, waits: bool = False) -> None:
        if draft.called:
            self._orphans.setdefault(draft.called, []).append(draft)
        elif waits or draft.next_name or draft.loose:
            self._waiting.append(draft)
            self._expected |= {draft.next_name, draft.next_name[1:]} - {""}
        else:
            self._emit(draft)

    def _late(self) -> None:
        """Cards whose continuations stand elsewhere in the deck, or do not exist (the tenth field is a remark)."""
        for draft in self._waiting:
            for called, index in reversed(draft.loose):
                if called in self._expected:  # it stands behind this card by chance, and another one asks for it by name
                    self._finish(_Draft("", draft.file, draft.line, draft.rows[index:], draft.next_name, called=called))
                    del draft.rows[index:]
                    draft.next_name = ""
        for draft in self._waiting:
            while orphans := self._orphans.get(draft.next_name) or self._orphans.get(draft.next_name[1:]):
                orphan = orphans.pop(0)
                draft.rows += orphan.rows
                draft.next_name = orphan.next_name
            self._emit(draft)
        for draft in chain(*self._orphans.values()):
            what = f"continuation line '{draft.called}': no card has this name in its tenth field; place it after its card."
            raise MeshError(f"{draft.file}:{draft.line}: {what}")

    def _emit(self, draft: _Draft) -> None:
        name = draft.name.rstrip("*")
        if draft.repeats and name not in _WITH_TEXT:
            fields = draft.all_fields()
            if name[:1] == "=" or any(field.strip() in ("=", "==") for field in fields):
                for card in self._replication.cards(Card(name, fields, draft.file, draft.line)):
                    self._collect(card.name, _Draft(card.name, card.file, card.line, [(card.fields, 0)], ""))
                return
        if name not in self._in_batches and not _NAME.match(draft.name):
            what = "is not the name of a bulk data card (letters and digits in the first 8 columns, or followed by a comma)."
            raise MeshError(f"{draft.file}:{draft.line}: '{draft.name[:20]}' {what}")
        self._replication.previous = draft
        self._collect(name, draft)

    def _collect(self, name: str, draft: _Draft) -> None:
        if name not in self._in_batches:
            self._ready.append(Card(name, draft.all_fields(), draft.file, draft.line))
            return
        (row, width), count = draft.rows[0], len(draft.rows)
        if width and (count == 1 or {own for _, own in draft.rows} == {width}):
            count, row = 64 // width * count, row if count == 1 else "".join([text for text, _ in draft.rows])
        else:
            row = draft.all_fields()
            width, count = 0, len(row)
        key = (draft.file, name, width, count)  # of rows with the same layout
        rows, lines = self._collected.get(key) or self._collected.setdefault(key, ([], []))
        rows.append(row)
        lines.append(draft.line)
        if len(rows) >= _ROWS_OF_A_BATCH:
            self._ready.append(self._batch(key))

    def _batch(self, key: tuple) -> Batch:
        file, name, width, count = key
        rows, lines = self._collected.pop(key)
        if width:
            data = "".join(rows).encode("latin-1", "replace")
            fields = np.frombuffer(data, f"S{width}").reshape(len(rows), count)
        else:
            fields = np.array([[f.encode("latin-1", "replace") for f in row] for row in rows], bytes)
        return Batch(name, fields, file, np.array(lines))


def _split(text: str):
    """First field (upper case, without blanks), row of a draft, name in the tenth field."""
    if "," in text and _FREE.match(text):
        return _split_free(text.split(","))
    name = text[:8].strip().upper()
    if " " in name and name[0] not in "+*":
        return _split_free(text.split())  # fields separated by blanks
    next_name = _tenth(text[72:80]) if len(text) > 72 else ""
    return name, (text[8:72].ljust(64), 16 if "*" in name and "(" not in name else 8), next_name


def _split_free(fields: list[str]):
    name = fields[0].strip().upper()
    large = "*" in name and "(" not in name
    count = 4 if large else 8
    data = [field.strip() for field in fields[1 : 1 + count]]
    return name, (data + [""] * (count - len(data)), 0), _tenth("".join(fields[1 + count : 2 + count]))


def _tenth(text: str) -> str:
    return text.strip().lstrip("+*").strip().upper() if text else ""


class _Replication:
    """Remembers the card before (``previous``) and makes its copies."""

    def __init__(self) -> None:
        self.previous: _Draft | None = None
        self._last: Card | None = None
        self._steps: list[str] = []
        self._made = 0

    def cards(self, card: Card) -> Iterator[Card]:
        """The cards that a card with replication stands for."""
        if self.previous is not None:
            self._last = Card(self.previous.name.rstrip("*"), self.previous.all_fields(), card.file, card.line)
            self.previous, self._steps = None, []
        if self._last is None:
            raise MeshError(f"{card.place}: '{card.name}' repeats the card before, but there is none.")
        count = _COUNT.match(card.name)
        if count is not None:
            self._made += int(count.group(1))
        elif card.name not in ("=", self._last.name):
            raise MeshError(f"{card.place}: '{card.name}' cannot repeat a {self._last.name} card.")
        else:
            self._steps = list(card.fields)
        if self._made > _COPIES_AT_MOST:
            raise MeshError(f"{card.place}: there are {self._made} repeated cards; at most {_COPIES_AT_MOST} are allowed.")
        for _ in range(int(count.group(1)) if count else 1):
            yield self._next(card)

    def _next(self, card: Card) -> Card:
        old = [text.strip() for text in self._last.fields]
        new = []
        for index, step in enumerate(text.strip() for text in self._steps):
            if step == "==":
                new += old[index:]
                break
            before = old[index] if index < len(old) else ""
            increment = _INCREMENT.match(step)
            new.append(before if step == "=" else _sum(before, increment.group(1), card) if increment else step)
        self._last = Card(self._last.name, new, card.file, card.line)
        return self._last


def _sum(before: str, increment: str, card: Card) -> str:
    for read in (integer, real):
        parts = read(before or "0"), read(increment)
        if None not in parts:
            return repr(sum(parts))
    raise MeshError(f"{card.file}:{card.line}: cannot add '{increment}' to '{before}'; *(x) needs numbers.")
