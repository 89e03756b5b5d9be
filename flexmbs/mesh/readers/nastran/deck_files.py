"""The lines of a deck, with included files in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes

_LINES_OF_A_NAME = 12  # a quoted file name goes on over several lines
_INCLUDE = re.compile(r"\s*INCLUDE\b[\s=,]*(.*)", re.IGNORECASE)
_SECTION = re.compile(
    rb"(?:^|[\r\n])[ \t]*(?:BEGIN[ \t,=]+BULK\b(?![ \t,=]*(?:SUPER|AUXMODEL|MODULE|MASSID))|BEGIN[ \t]*[\r\n$]|CEND)", re.I
)
_PIECE = 1 << 20

LineOfDeck = tuple[str, int, str]  # file, line number, text


def has_sections(path: Path) -> bool:
    """Whether a file has CEND or the main BEGIN BULK; without them all of it is bulk data (and superelements)."""
    with open(path, "rb") as file:
        tail = b"\n"
        while piece := file.read(_PIECE):
            if _SECTION.search(tail + piece):
                return True
            tail = (tail + piece)[-64:]
    return False


class DeckLines:
    """Iterates over the lines of a deck and of the files that it includes.

    Attributes
    ----------
    in_executive : bool
        Set by the consumer while executive control is read: what is included there and is not found (DMAP alters
        mostly) is listed in ``missing`` and passed over.
    last : LineOfDeck
        The line handed out last.
    ends_open : bool
        The main file ends without a line end.
    """

    def __init__(self, path: Path, allow_outside: bool) -> None:
        self.path = path
        self._includes = Includes(path, allow_outside)
        self.in_executive = False
        self.missing: list[tuple[str, int, str]] = []
        self.last: LineOfDeck = (str(path), 0, "")
        self.ends_open = False

    def __iter__(self) -> Iterator[LineOfDeck]:
        return self._file(self.path, ())

    def _file(self, path: Path, including: tuple[Path, ...]) -> Iterator[LineOfDeck]:
        name = str(path)
        number, raw = 0, "\n"
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            numbered = enumerate(file, start=1)
            for number, raw in numbered:
                if "\0" in raw:
                    raise MeshError(
                        f"{name}:{number}: not a text file (it starts with {_first_bytes(path)}); a Nastran deck is"
                        " plain text with GRID cards."
                    )
                if raw[:1] in "Ii \t" and (found := _INCLUDE.match(raw)):
                    yield from self._included(path, number, found.group(1), numbered, including)
                else:
                    self.last = line = (name, number, raw.rstrip())
                    yield line
        if path == self.path:
            self.ends_open = not raw.endswith("\n")

    def _included(self, path: Path, number: int, text: str, rest, including) -> Iterator[LineOfDeck]:
        where = f"{path}:{number}: INCLUDE"
        name = _file_name(text, rest, where)
        chain = (*including, path)
        target = (self._includes.find if self.in_executive else self._includes.needed)(name, where, chain)
        if target is None:
            self.missing.append((str(path), number, name))
            return
        yield from self._file(target, chain)


def _file_name(text: str, rest, where: str) -> str:
    """The name after INCLUDE: in quotes, over several lines if need be, or one word."""
    text = text.strip()
    quote = text[:1]
    if quote not in ("'", '"'):
        name = text.split("$")[0].strip()
        if not name:
            raise MeshError(f"{where}: the name of the file is missing; write INCLUDE 'file'.")
        return name
    name = text[1:]
    for _ in range(_LINES_OF_A_NAME):
        if quote in name:
            break
        _, raw = next(rest, (0, ""))
        name += raw.strip()
    name = name.split(quote)[0].strip()
    if not name or len(name) > 1000:
        raise MeshError(f"{where}: the name of the file or its closing {quote} is missing; write INCLUDE 'file'.")
    return name


def _first_bytes(path: Path) -> str:
    with open(path, "rb") as file:
        return repr(file.read(16))[1:]
