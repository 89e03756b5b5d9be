"""Numbers of decks: what an entry must be, and tables read at the speed of numpy.

Chunks of lines that are plainly "number, number, ..." are parsed in one go; others (a blank entry, a word) go line by line
through the exact path, which also raises the error with its line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_lines import numbers_in
from flexmbs.mesh.readers.abaqus.deck_text import Card, Line, Segment

LARGEST_NUMBER = 10**15  # of a node or element; nothing real comes near
LARGEST_VALUE = 1e75  # of a property in any units; its fourth power (moments of inertia) is still a number
_CHUNK = 1 << 20  # bytes; small enough that the arrays of one chunk stay in the cache
_BLANK, _TOKEN, _COMMA, _NEWLINE = 0, 1, 2, 3
_CLASS = np.full(256, _TOKEN, np.uint8)
_CLASS[[ord(c) for c in " \t\f\v"]] = _BLANK
_CLASS[ord(",")], _CLASS[ord("\n")] = _COMMA, _NEWLINE
_TO_BLANKS = bytes.maketrans(b",\t\f\v\n", b"     ")
_TO_BLANKS_FLOAT = bytes.maketrans(b",\t\f\v\ndD", b"     ee")


@dataclass(eq=False)
class Table:
    """Numbers of data lines; blank lines are left out."""

    segment: Segment
    title: str  # of the card, for messages
    values: np.ndarray  # (n,) all numbers, one after the other
    counts: np.ndarray  # (k,) how many of them each line has
    lines: np.ndarray  # (k,) line numbers
    continued: np.ndarray  # (k,) bool, lines that end in a comma

    def where(self, row: int) -> str:
        """``file:line: *CARD`` of a line."""
        return f"{self.segment.file}:{self.lines[row]}: {self.title}"

    def rows(self, width: int) -> np.ndarray:
        """(k, width): the first ``width`` numbers of each line, zeros where it has fewer."""
        if (self.counts == width).all():
            return self.values.reshape(-1, width)
        line = np.repeat(np.arange(len(self.counts)), self.counts)
        column = np.arange(len(self.values)) - np.repeat(np.cumsum(self.counts) - self.counts, self.counts)
        kept = column < width
        rows = np.zeros((len(self.counts), width), self.values.dtype)
        rows[line[kept], column[kept]] = self.values[kept]
        return rows


def read_table(segment: Segment, dtype: type, title: str, what: str) -> Table:
    """Numbers of a segment; MeshError naming the line, the card ``title`` and ``what`` where there is none."""
    parts = [part or _exact(chunk, dtype, title, what) for chunk, part in _chunks(segment, dtype, title)]
    return _joined(parts, segment)


def try_integers(segment: Segment) -> Table | None:
    """Whole numbers of a segment, or None when anything else is in it."""
    parts = [part for _, part in _chunks(segment, np.int64, "")]
    return None if None in parts else _joined(parts, segment)


def _chunks(segment: Segment, dtype: type, title: str) -> Iterator[tuple[Segment, Table | None]]:
    """Pieces of a segment, with the numbers of those that are plain."""
    start, line, data = segment.start, segment.first_line, segment.data
    while start < segment.end:
        end = data.find(b"\n", min(start + _CHUNK, segment.end), segment.end) + 1 or segment.end
        chunk = replace(segment, start=start, end=end, first_line=line)
        yield chunk, _fast(chunk, dtype, title)
        line += data.count(b"\n", start, end)
        start = end


def _joined(parts: list[Table], segment: Segment) -> Table:
    """One table of the chunks of a segment, of which there is one at least."""
    if len(parts) == 1:
        return parts[0]
    arrays = [np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "counts", "lines", "continued")]
    return Table(segment, parts[0].title, *arrays)


def _fast(chunk: Segment, dtype: type, title: str) -> Table | None:
    data, start, end = chunk.data, chunk.start, chunk.end
    kinds = _CLASS[np.frombuffer(data, np.uint8, end - start, start)]
    if kinds[-1] != _NEWLINE:
        kinds = np.append(kinds, np.uint8(_NEWLINE))
    events = kinds >= _COMMA
    events[0] |= kinds[0] == _TOKEN
    events[1:] |= (kinds[1:] == _TOKEN) & (kinds[:-1] != _TOKEN)  # the first character of each number
    events = np.flatnonzero(events)
    at = np.flatnonzero(kinds[events] >= _COMMA)
    separators = events[at]
    tokens_before = at - np.arange(len(at))
    per_field = np.diff(tokens_before, prepend=0)
    if ((per_field > 1) | ((per_field == 0) & (kinds[separators] == _COMMA))).any():
        return None
    is_newline = kinds[separators] == _NEWLINE
    text = data[start:end].translate(_TO_BLANKS if dtype is np.int64 else _TO_BLANKS_FLOAT)
    values = numbers_in(text, dtype)
    if values is None or len(values) != tokens_before[-1]:
        return None
    if dtype is np.int64 and len(values) and (values.max() > LARGEST_NUMBER or values.min() < -LARGEST_NUMBER):
        return None
    counts = np.diff(tokens_before[is_newline], prepend=0).astype(np.int32)
    filled = np.flatnonzero(counts)
    continued = per_field[is_newline] == 0
    return Table(chunk, title, values, counts[filled], (chunk.first_line + filled).astype(np.int32), continued[filled])


def _exact(chunk: Segment, dtype: type, title: str, what: str) -> Table:
    read = integer if dtype is np.int64 else number
    values, counts, lines, continued = [], [], [], []
    for line in chunk.lines():
        where, texts = f"{line.where}: {title}", line.fields()
        values += [read(text, where, what) for text in texts]
        if not texts:
            raise MeshError(f"{where}: the line has only commas, got '{line.text[:40]}'; give {what}.")
        counts.append(len(texts))
        lines.append(line.number)
        continued.append(line.text.endswith(","))
    numbers = (np.array(given, kind) for given, kind in ((counts, np.int32), (lines, np.int32), (continued, bool)))
    return Table(chunk, title, np.array(values, dtype), *numbers)


def is_integer(text: str) -> bool:
    """Whether a data field is a number of a node or element rather than the name of a set."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return digits.isascii() and digits.isdigit() and len(text) < 20


def is_number(text: str) -> bool:
    """Whether a data field is a real number (blank: 0) rather than a name."""
    try:
        float(text.lower().replace("d", "e") or 0)
    except ValueError:
        return False
    return True


def integer(text: str, where: str, what: str, least: int | None = None) -> int:
    """A whole number; MeshError starting with ``where`` when it is none, or less than ``least``."""
    if not (is_integer(text) and abs(int(text)) <= LARGEST_NUMBER):
        raise MeshError(f"{where}: {what} must be a whole number, got '{_shown(text)}'.")
    if least is not None and int(text) < least:
        raise MeshError(f"{where}: {what} is {int(text)}; it must be at least {least}.")
    return int(text)


def number(text: str, where: str, what: str, must: str = "") -> float:
    """A finite real number (Fortran's d exponents too; blank is 0); MeshError starting with ``where``.

    ``must`` is a bound: "be positive" or "not be negative".
    """
    value = math.nan
    if "_" not in text and text.isascii() and len(text) < 100 and is_number(text):
        value = float(text.lower().replace("d", "e") or 0)
    if not abs(value) <= LARGEST_VALUE:
        hint = " Values of *PARAMETER are not supported; write the number." if text.startswith("<") else ""
        raise MeshError(f"{where}: {what} must be a finite number, got '{_shown(text)}'.{hint}")
    if must and (value < 0.0 or (value == 0.0 and must == "be positive")):
        raise MeshError(f"{where}: {what} is {value:g}; it must {must}.")
    return value


def numbers(card: Card, lines: Line | list[Line], what: str) -> list[float]:
    """All entries of a data line of a card, or of several, one after the other."""
    lines = [lines] if isinstance(lines, Line) else lines
    return [number(entry, card.at(line), what) for line in lines for entry in line.fields()]


def first_number(card: Card, line: Line, what: str, must: str = "") -> float:
    """The first entry of a data line of a card, within the bound ``must``."""
    return number(line.entries(1)[0], card.at(line), what, must)


def data_line(card: Card, index: int, what: str, blank: bool = False) -> Line:
    """One data line; MeshError when the card has not that many."""
    lines = card.lines(blank)
    if len(lines) <= index:
        raise MeshError(f"{card.where} needs data line {index + 1} with {what}.")
    return lines[index]


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
