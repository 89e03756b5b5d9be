"""The text of an Abaqus/CalculiX file: encodings, line ends, and where its keyword lines are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flexmbs.common.errors import MeshError

_CONTROL = bytes(set(range(32)) - set(b"\t\n\r\f\v\x1a"))
_MOST_CONTROL = 0.05  # of the characters; comments may hold a few
_SHOWN_BYTES = 24
_SURELY_DATA = 10_000  # bytes between two keywords that are not looked at to see whether they are blank


class Line(NamedTuple):
    """One line that says something, and where it stands."""

    file: str
    number: int
    text: str

    @property
    def where(self) -> str:
        """``file:line``, as every message names it."""
        return f"{self.file}:{self.number}"

    def fields(self) -> list[str]:
        """The comma-separated entries; a trailing comma adds none."""
        entries = [entry.strip() for entry in self.text.split(",")]
        while entries and not entries[-1]:
            entries.pop()
        return entries


@dataclass(frozen=True)
class Text:
    r"""A file's content with ``\n`` as the only line end."""

    file: str
    data: bytes
    encoding: str

    def decoded(self, start: int, end: int) -> str:
        """The characters between two positions."""
        return self.data[start:end].decode(self.encoding, "replace")


@dataclass(frozen=True)
class Segment:
    """Data lines without comments between them: bytes ``start`` to ``end`` of a text."""

    text: Text
    start: int
    end: int
    first_line: int

    @property
    def ends_file(self) -> bool:
        """Whether the last line stands at the end of the file without a line end: it may be cut off."""
        return self.end == len(self.text.data) and not self.text.data.endswith(b"\n")

    def detached(self) -> Segment:
        """The same lines with their own copy of the text."""
        data = self.text.data[self.start : self.end]
        return Segment(Text(self.text.file, data, self.text.encoding), 0, len(data), self.first_line)

    def lines(self, blank: bool = False) -> Iterator[Line]:
        """The lines that are not blank, or all of them."""
        for number, text in enumerate(self.text.decoded(self.start, self.end).split("\n"), self.first_line):
            text = text.strip()
            if text or blank:
                yield Line(self.text.file, number, text)


class Keyword(NamedTuple):
    """A line that starts with one star."""

    line: Line


def load_text(path: Path, included: bool = False) -> Text:
    """Read a file whole. Raises MeshError when it is no text, or empty (an included one may be)."""
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    data = data.rstrip(b"\x1a\0")
    if not included and (not data or data.isspace()):
        raise MeshError(f"{path}:1: the file is empty; an Abaqus/CalculiX mesh has *NODE and *ELEMENT cards.")
    _check_is_text(path, data)
    encoding = "utf-8"
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError:
            encoding = "latin-1"
    return Text(str(path), data, encoding)


def _check_is_text(path: Path, data: bytes) -> None:
    position = data.find(b"\0")
    start = data[:4096]
    if position < 0 and len(start) - len(start.translate(None, _CONTROL)) > _MOST_CONTROL * len(start):
        position = next(i for i, byte in enumerate(start) if byte in _CONTROL)
    if position >= 0:
        line = data.count(b"\n", 0, position) + 1
        start = max(0, position - _SHOWN_BYTES // 2)
        raise MeshError(
            f"{path}:{line}: not a text file: it has the bytes {data[start : start + _SHOWN_BYTES]!r}; an"
            " Abaqus/CalculiX mesh is plain text with *NODE and *ELEMENT cards."
        )


def pieces_of(text: Text) -> Iterator[Segment | Keyword]:
    """Keyword lines, and the data lines between them and the comments, in the order of the file."""
    data, counted, line, segment_start = text.data, 0, 1, 0
    segment_line, position = 1, 0
    while True:
        star = data.find(b"*", position)
        end = len(data) if star < 0 else _line_end(data, star)
        if star >= 0:
            start = data.rfind(b"\n", 0, star) + 1
            if data[start:star].strip():
                position = end
                continue
        else:
            start = end
        if start - segment_start > _SURELY_DATA or data[segment_start:start].strip():
            yield Segment(text, segment_start, start, segment_line)
        if star < 0:
            return
        line += data.count(b"\n", counted, start)
        counted = start
        if data[star + 1 : star + 2] != b"*":
            yield Keyword(Line(text.file, line, text.decoded(start, end).strip()))
        segment_start, segment_line, position = min(end + 1, len(data)), line + 1, end


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return len(data) if end < 0 else end
