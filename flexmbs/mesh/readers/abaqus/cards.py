"""From an Abaqus/CalculiX file to its cards: continuation lines and included files are dealt with here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.abaqus.deck_text import Keyword, Line, Segment, load_text, pieces_of
from flexmbs.mesh.readers.abaqus.keywords import SPELLINGS

# Cards whose data lines may stand in a file of their own (INPUT=).
_WITH_INPUT = {"NODE", "ELEMENT", "NSET", "ELSET", "EQUATION", "SURFACE", "BOUNDARY", "NODALTHICKNESS", "MPC", "DISTRIBUTION"}


@dataclass
class Card:
    """A keyword line, its parameters and its data lines.

    ``key`` is the keyword in upper case without blanks, as are the names of ``parameters``: to the format, blanks in
    both are nothing (REFNODE = REF NODE). ``title`` is how messages call the card ("*SOLID SECTION").
    ``children`` are the cards that complete it (*KINEMATIC after *COUPLING).
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
        return f"{self.line.where}: {self.title}"

    def lines(self, blank: bool = False) -> list[Line]:
        """Data lines that are not blank; with ``blank`` those too, except at the end."""
        lines = [line for segment in self.segments for line in segment.lines(blank)]
        while lines and not lines[-1].text:
            lines.pop()
        return lines

    def detached(self) -> Card:
        """The card with a copy of its own data lines, so that it does not keep the whole file in memory."""
        self.segments = [segment.detached() for segment in self.segments]
        return self

    def at(self, line: Line) -> str:
        """``file:line: *CARD`` of one of its data lines."""
        return f"{line.where}: {self.title}"

    def has(self, parameter: str) -> bool:
        """Whether the card has a parameter, with a value or without."""
        return _compact(parameter) in self.parameters

    def text(self, parameter: str, default: str = "") -> str:
        """Value of a parameter as it stands in the file."""
        return self.parameters.get(_compact(parameter), default)

    def name(self, parameter: str) -> str | None:
        """Value of a parameter that names something: upper case unless quoted, as the format has it."""
        value = self.text(parameter)
        return label(value) if value else None

    def required_name(self, parameter: str) -> str:
        """As :meth:`name`; MeshError when the parameter is not there."""
        value = self.name(parameter)
        if not value:
            raise MeshError(f"{self.where} needs the parameter {parameter}=name.")
        return value

    def option(self, parameter: str, default: str = "") -> str:
        """Value of a parameter that is one of a few words: upper case, without blanks and quotes."""
        return _compact(self.text(parameter, default).strip('"'))


def _compact(text: str) -> str:
    """A word of the format as it is compared: upper case, without blanks."""
    return "".join(text.upper().split())


def label(text: str) -> str:
    """A set, material or part name as it is compared: quoted names keep their case, others do not count it."""
    pieces = text.strip().split('"')
    # Every second piece stood between quotes: "Plate 1".Top
    return "".join(piece if quoted % 2 else piece.upper() for quoted, piece in enumerate(pieces))


class CardReader:
    """Reads cards of a deck, with ``*INCLUDE`` and ``INPUT=`` files in their place.

    Raises MeshError for a file that is missing, includes itself, or stands outside the deck's folder unless
    ``allow_outside``. ``orphans`` are data lines before the first keyword; they belong to no card.
    """

    def __init__(self, path: Path, allow_outside: bool = False) -> None:
        self._path = path
        self._includes = Includes(path, allow_outside)
        self.orphans: list[Line] = []
        self.last_line: Line | None = None

    def __iter__(self) -> Iterator[Card]:
        card = None
        for piece in self._pieces(self._path, ()):
            if isinstance(piece, Card):
                if card is not None:
                    yield card
                card = piece
            elif card is not None:
                card.segments.append(piece)
            elif not self.orphans:
                self.orphans += list(piece.lines())[:1]
        if card is not None:
            yield card

    def _pieces(self, path: Path, including: tuple[Path, ...]) -> Iterator[Segment | Card]:
        own = (*including, path)
        for piece in self._joined(path):
            if isinstance(piece, Segment):
                yield piece
                continue
            card = _card(piece.line)
            self.last_line = piece.line
            if card.key != "INCLUDE":
                yield card
            if card.key == "INCLUDE" or (card.has("INPUT") and card.key in _WITH_INPUT):
                yield from self._pieces(self._included_path(card, own), own)

    def _joined(self, path: Path) -> Iterator[Segment | Keyword]:
        """Pieces with keyword lines that end in a comma completed by the lines that follow."""
        pending: Line | None = None
        for piece in pieces_of(load_text(path, included=path != self._path)):
            if isinstance(piece, Segment):
                while pending is not None:
                    more, rest = _first_line(piece)
                    if more is None:
                        break
                    if not _continues(more.text):
                        yield Keyword(pending)
                        pending = None
                        break
                    pending = pending._replace(text=pending.text + more.text)
                    piece = rest
                    if not pending.text.endswith(","):
                        yield Keyword(pending)
                        pending = None
                if piece.end > piece.start:
                    yield piece
            else:
                if pending is not None:
                    yield Keyword(pending)
                    pending = None
                if piece.line.text.endswith(","):
                    pending = piece.line
                else:
                    yield piece
        if pending is not None:
            yield Keyword(pending)

    def _included_path(self, card: Card, including: tuple[Path, ...]) -> Path:
        name = card.text("INPUT").strip("\"'")
        if not name:
            raise MeshError(f"{card.where} needs the parameter INPUT=file.")
        return self._includes.needed(name, card.where, including)


def _first_line(segment: Segment) -> tuple[Line | None, Segment]:
    """First line that is not blank, and the segment after it."""
    data, start, number = segment.text.data, segment.start, segment.first_line
    while start < segment.end:
        end = data.find(b"\n", start, segment.end)
        end = segment.end if end < 0 else end
        text = segment.text.decoded(start, end).strip()
        rest = replace(segment, start=min(end + 1, segment.end), first_line=number + 1)
        if text:
            return Line(segment.text.file, number, text), rest
        start, number = end + 1, number + 1
    return None, replace(segment, start=segment.end)


def _continues(text: str) -> bool:
    """Parameters go on in the next line; a line of numbers is data after a comma too many."""
    return not (text[0].isdigit() or text[0] in "+-.")


def _card(line: Line) -> Card:
    keyword, *rest = _split_outside_quotes(line.text[1:])
    parameters = {}
    for entry in rest:
        name, _, value = entry.partition("=")
        if name.strip():
            parameters[_compact(name)] = value.strip()
    title = " ".join(keyword.upper().split())
    key = _compact(title)
    return Card(key, "*" + SPELLINGS.get(key, title), parameters, line)


def _split_outside_quotes(text: str) -> list[str]:
    if '"' not in text:
        return text.split(",")
    parts, quoted = [""], False
    for character in text:
        quoted ^= character == '"'
        if character == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts
