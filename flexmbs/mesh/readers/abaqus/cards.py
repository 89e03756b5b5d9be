"""Cards of a deck and their data lines: what an entry must be, and tables of numbers at the speed of numpy.

Chunks of lines that are plainly "number, number, ..." are parsed in one go, others line by line, which also finds errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.text_numbers import numbers_in

LARGEST_NUMBER = 10**15  # of a node or element; nothing real comes near
LARGEST_VALUE = 1e75  # of a property in any units; its fourth power (moments of inertia) is still a number
_CHUNK = 1 << 20  # bytes; small enough that the arrays of one chunk stay in the cache
_BLANK, _TOKEN, _COMMA, _NEWLINE = 0, 1, 2, 3
_CLASS = np.full(256, _TOKEN, np.uint8)
_CLASS[[ord(c) for c in " \t\f\v"]] = _BLANK
_CLASS[ord(",")], _CLASS[ord("\n")] = _COMMA, _NEWLINE
_TO_BLANKS = bytes.maketrans(b",\t\f\v\n", b"     ")
_TO_BLANKS_FLOAT = bytes.maketrans(b",\t\f\v\ndD", b"     ee")


class Line(NamedTuple):
    """One line that says something, and where it stands."""

    file: str
    number: int
    text: str = ""

    @property
    def where(self) -> str:
        """``file:line``, as every message names it."""
        return f"{self.file}:{self.number}"

    def fields(self) -> list[str]:
        """The comma-separated entries; commas at the end add none."""
        entries = [entry.strip() for entry in self.text.split(",")]
        return entries[: max((count for count, entry in enumerate(entries, 1) if entry), default=0)]

    def entries(self, count: int) -> list[str]:
        """The first ``count`` entries, blank where the line has fewer."""
        return [*self.fields(), *[""] * count][:count]


@dataclass(frozen=True)
class Segment:
    r"""Data lines without comments between them: bytes ``start`` to ``end`` of a file, with ``\n`` as the only line end."""

    file: str
    data: bytes
    encoding: str
    start: int
    end: int
    first_line: int

    @property
    def ends_file(self) -> bool:
        """Whether the file ends with the last line, without a line end: it may be cut off."""
        return self.end == len(self.data) and not self.data.endswith(b"\n")

    def detached(self) -> Segment:
        """The same lines with their own copy of the text, so that they do not keep the whole file in memory."""
        return replace(self, data=self.data[self.start : self.end], start=0, end=self.end - self.start)

    def lines(self, blank: bool = False) -> Iterator[Line]:
        """The lines that are not blank, or all of them."""
        text = self.data[self.start : self.end].decode(self.encoding, "replace")
        for number, line in enumerate(text.split("\n"), self.first_line):
            if blank or line.strip():
                yield Line(self.file, number, line.strip())


@dataclass
class Card:
    """A keyword line, its parameters and its data lines.

    ``key`` and the names of ``parameters`` are in upper case without blanks, which mean nothing there (REFNODE = REF NODE).
    ``title`` is how messages call the card ("*SOLID SECTION"), ``children`` complete it (*KINEMATIC after *COUPLING).
    """

    key: str
    title: str
    parameters: dict[str, str]
    line: Line
    segments: list[Segment] = field(default_factory=list)
    children: list[Card] = field(default_factory=list)

    @property
    def where(self) -> str:
        """``file:line: *CARD``, the start of a message about the card."""
        return self.at(self.line)

    def at(self, line: Line) -> str:
        """``file:line: *CARD`` of one of its data lines."""
        return f"{line.where}: {self.title}"

    def lines(self, blank: bool = False) -> list[Line]:
        """Data lines that are not blank; with ``blank`` those too, except at the end."""
        lines = [line for segment in self.segments for line in segment.lines(blank)]
        while lines and not lines[-1].text:
            lines.pop()
        return lines

    def rows(self, count: int) -> Iterator[tuple[Line, str, list[str]]]:
        """Of each data line that is not blank: itself, the start of messages about it, its first ``count`` entries."""
        for line in self.lines():
            yield line, self.at(line), line.entries(count)

    def detached(self) -> Card:
        """The card with a copy of its data lines."""
        self.segments = [segment.detached() for segment in self.segments]
        return self

    def has(self, *parameters: str) -> bool:
        """Whether the card has one of some parameters, with a value or without."""
        return any(compact(parameter) in self.parameters for parameter in parameters)

    def text(self, parameter: str, default: str = "") -> str:
        """Value of a parameter as it stands in the file."""
        return self.parameters.get(compact(parameter), default)

    def name(self, parameter: str) -> str:
        """Value of a parameter that names something: upper case unless quoted; blank when it is not there."""
        return label(self.text(parameter))

    def required_name(self, parameter: str) -> str:
        """As :meth:`name`; MeshError when the parameter is not there."""
        if not self.name(parameter):
            raise MeshError(f"{self.where} needs the parameter {parameter}=name.")
        return self.name(parameter)

    def option(self, parameter: str, default: str = "") -> str:
        """Value of a parameter that is one of a few words, as ``compact`` has it; the default for a blank one."""
        return compact(self.text(parameter).strip('"')) or default


def compact(text: str) -> str:
    """A word of the format as it is compared: upper case, without blanks."""
    return "".join(text.upper().split())


def label(text: str) -> str:
    """A set, material or part name as it is compared: quoted names keep their case, others do not count it."""
    pieces = text.strip().split('"')  # every second one stood between quotes: "Plate 1".Top
    return "".join(piece if quoted % 2 else piece.upper() for quoted, piece in enumerate(pieces))


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


def read_table(segment: Segment, dtype: type, title: str = "", what: str = "") -> Table | None:
    """Numbers of a segment; MeshError with ``title`` (card) and ``what`` for what is none, or without ``what`` None."""
    parts, start, line, data = [], segment.start, segment.first_line, segment.data
    while start < segment.end:
        end = data.find(b"\n", min(start + _CHUNK, segment.end), segment.end) + 1 or segment.end
        chunk = replace(segment, start=start, end=end, first_line=line)
        parts.append(_fast(chunk, dtype, title) or (_exact(chunk, dtype, title, what) if what else None))
        if parts[-1] is None:
            return None
        line, start = line + data.count(b"\n", start, end), end
    return parts[0] if len(parts) == 1 else joined(parts)


def joined(parts: list[Table]) -> Table:
    """Several tables of one file as one."""
    names = ("values", "counts", "lines", "continued")
    return replace(parts[0], **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


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
    """A finite real number (also 1d3; blank is 0) that ``must`` "be positive" or "not be negative"; else MeshError."""
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
