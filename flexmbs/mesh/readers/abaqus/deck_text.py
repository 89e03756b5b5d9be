"""From an Abaqus/CalculiX file to its cards: encodings, line ends, comments, continuation lines, included files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes

_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_MOST_CONTROL = 0.05  # of the characters; comments may hold a few
_SHOWN_BYTES = 24
_WANTED = "an Abaqus/CalculiX mesh is plain text with *NODE and *ELEMENT cards"
_SURELY_DATA = 10_000  # bytes between two keywords that are not looked at to see whether they are blank

# Cards whose data lines may stand in a file of their own (INPUT=).
_WITH_INPUT = {"NODE", "ELEMENT", "NSET", "ELSET", "EQUATION", "SURFACE", "BOUNDARY", "NODALTHICKNESS", "MPC", "DISTRIBUTION"}


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


class CardReader:
    """Reads cards of a deck, with ``*INCLUDE`` and ``INPUT=`` files in their place.

    Raises MeshError for a file that is missing, includes itself, or stands outside the deck's folder unless
    ``allow_outside``. ``orphan`` is the first data line before the first keyword: it belongs to no card.
    """

    def __init__(self, path: Path, allow_outside: bool) -> None:
        self._path, self._includes = path, Includes(path, allow_outside)
        self.orphan: Line | None = None
        self.last_line: Line | None = None  # with a keyword

    def __iter__(self) -> Iterator[Card]:
        card = None
        for piece in self._pieces(self._path, ()):
            if isinstance(piece, Card):
                if card is not None:
                    yield card
                card = piece
            elif card is not None:
                card.segments.append(piece)
            else:
                self.orphan = self.orphan or next(piece.lines(), None)
        if card is not None:
            yield card

    def _pieces(self, path: Path, including: tuple[Path, ...]) -> Iterator[Segment | Card]:
        own = (*including, path)
        for piece in _pieces_of(_load_text(path, included=bool(including))):
            if isinstance(piece, Segment):
                yield piece
                continue
            self.last_line = piece
            entries = piece.text[1:].split('"')  # commas between quotes separate nothing
            entries[1::2] = [entry.replace(",", "\0") for entry in entries[1::2]]
            keyword, *rest = [entry.replace("\0", ",") for entry in '"'.join(entries).split(",")]
            pairs = (entry.partition("=") for entry in rest)
            parameters = {compact(name): value.strip() for name, _, value in pairs if name.strip()}
            card = Card(compact(keyword), "*" + " ".join(keyword.upper().split()), parameters, piece)
            if card.key != "INCLUDE":
                yield card
            if card.key == "INCLUDE" or (card.has("INPUT") and card.key in _WITH_INPUT):
                name = card.text("INPUT").strip("\"'")
                if not name:
                    raise MeshError(f"{card.where} needs the parameter INPUT=file.")
                yield from self._pieces(self._includes.needed(name, card.where, own), own)


def _load_text(path: Path, included: bool) -> Segment:
    """A file as a whole. Raises MeshError when it is no text, or empty (an included one may be)."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.rstrip(b"\x1a\0")
    if not included and (not data or data.isspace()):
        raise MeshError(f"{path}:1: the file is empty; {_WANTED}.")
    control = [place for place, byte in enumerate(data[:4096]) if byte in _CONTROL]
    position = data.find(b"\0")
    if position < 0 and len(control) > _MOST_CONTROL * len(data[:4096]):
        position = control[0]
    if position >= 0:
        line, first = data.count(b"\n", 0, position) + 1, max(0, position - _SHOWN_BYTES // 2)
        raise MeshError(f"{path}:{line}: not a text file: it has the bytes {data[first : first + _SHOWN_BYTES]!r}; {_WANTED}.")
    encoding = "utf-8"
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            encoding = "latin-1"
    return Segment(str(path), data, encoding, 0, len(data), 1)


def _pieces_of(whole: Segment) -> Iterator[Segment | Line]:
    """Keyword lines, completed by those that continue them, and the data lines between them and the comments, in order."""
    data, size = whole.data, whole.end
    start, line, position = 0, 1, 0  # where data lines may begin, and the number of the line there

    def line_end(at: int) -> int:
        found = data.find(b"\n", at)
        return size if found < 0 else found

    while True:
        star = data.find(b"*", position)
        stop = data.rfind(b"\n", 0, star) + 1 if star >= 0 else size
        end = line_end(star) if star >= 0 else size
        if data[stop : max(star, stop)].strip():  # a star within a data line
            position = end
            continue
        if stop - start > _SURELY_DATA or data[start:stop].strip():
            yield replace(whole, start=start, end=stop, first_line=line)
        if star < 0:
            return
        line += data.count(b"\n", start, stop)
        keyword = Line(whole.file, line, data[stop:end].decode(whole.encoding, "replace").strip())
        start, line = min(end + 1, size), line + 1
        is_comment = keyword.text.startswith("**")
        while keyword.text.endswith(",") and not is_comment and start < size:
            end = line_end(start)
            more = data[start:end].decode(whole.encoding, "replace").strip()
            # Parameters go on in the next line; a line of numbers is data after a comma too many.
            if re.match(r"[\d+.-]|\*(?!\*)", more):
                break
            keyword = keyword._replace(text=keyword.text + ("" if more.startswith("**") else more))
            start, line = min(end + 1, size), line + 1
        if not is_comment:
            yield keyword
        position = start
