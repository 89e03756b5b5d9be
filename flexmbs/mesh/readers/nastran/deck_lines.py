"""The lines of a deck: included files in their place, the sections of the bulk data, and names in comment lines.

``BEGIN [BULK]`` begins the main bulk data, ``BEGIN [BULK] SUPER = n`` (AUXMODEL, MODULE, MASSID, ...) a section with
numbers, parameters and properties of its own, up to the next BEGIN (MSC Nastran Quick Reference Guide, "BEGIN BULK").
OptiStruct ends those of profiles and models (``BEGIN,HYPRBEAM,name``) by ``END,HYPRBEAM,name``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.included_files import Includes
from flexmbs.mesh.readers.nastran.deck import Deck

LineOfDeck = tuple[str, int, str]  # file, line number, text

_LINES_OF_A_NAME = 12  # a quoted file name goes on over several lines
_LONGEST_NAME = 1000
_INCLUDE = re.compile(r"\s*INCLUDE\b[\s=,]*(.*)", re.I)
_SECTION = re.compile(
    rb"(?:\A|[\r\n])[ \t]*(?:BEGIN[ \t,=]+BULK\b(?![ \t,=]*(?:SUPER|AUXMODEL|MODULE|MASSID))|BEGIN[ \t]*[\r\n$]|CEND)", re.I
)
_SPECIAL = frozenset("EeBb ")  # how lines begin that may be ENDDATA, BEGIN or END
BEGIN = re.compile(r"\s*BEGIN\b(.*)", re.I)
_END_DATA = re.compile(r"\s{0,7}ENDDATA\b", re.I)
_END = re.compile(r"\s{0,7}END[\s,]+\w", re.I)
_GRID = re.compile(r"\s{0,7}GRID\*?\s*[\s,]", re.I)
_WITH_END = ("HYPRBEAM", "FEMODEL")
_WHAT = {
    "SUPER": "a part superelement",
    "AUXMODEL": "an auxiliary model",
    "MODULE": "a module",
    "MASSID": "a mass increment",
    "FEMODEL": "a part of the full model",
    **dict.fromkeys(("HYPRBEAM", "ARBMODEL"), "the profile of a beam section"),
    "AFPM": "points for acoustic output",
    "TRMC": "trim components",
}


def has_sections(path: Path) -> bool:
    """Whether a file has CEND or the main BEGIN BULK; without them all of it is bulk data (and superelements)."""
    if not path.stat().st_size:
        return False
    with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        return _SECTION.search(content) is not None


class DeckLines:
    """Iterates over the lines of a deck and of the files that it includes."""

    def __init__(self, path: Path, allow_outside: bool) -> None:
        self.path = path
        self._includes = Includes(path, allow_outside)
        # Set by the consumer while executive control is read: what is included there and not found (DMAP alters mostly)
        # is listed in ``missing`` and passed over.
        self.in_executive = False
        self.missing: list[tuple[str, int, str]] = []
        self.last: LineOfDeck = (str(path), 0, "")  # handed out last
        self.ends_open = False  # whether the main file ends without a line end

    def __iter__(self) -> Iterator[LineOfDeck]:
        return self._file(self.path, ())

    def _file(self, path: Path, including: tuple[Path, ...]) -> Iterator[LineOfDeck]:
        name = str(path)
        number, raw = 0, "\n"
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            numbered = enumerate(file, start=1)
            for number, raw in numbered:
                if "\0" in raw:
                    with open(path, "rb") as binary:
                        start = repr(binary.read(16))[1:]
                    what = f"not a text file (it starts with {start}); a Nastran deck is plain text with GRID cards."
                    raise MeshError(f"{name}:{number}: {what}")
                if raw[:1] in "Ii \t" and (found := _INCLUDE.match(raw)):
                    yield from self._included(path, number, found.group(1), numbered, including)
                else:
                    self.last = line = (name, number, raw.rstrip())
                    yield line
        if path == self.path:
            self.ends_open = not raw.endswith("\n")

    def _included(self, path: Path, number: int, text: str, rest, including) -> Iterator[LineOfDeck]:
        where, chain = f"{path}:{number}: INCLUDE", (*including, path)
        name = _file_name(text.strip(), rest, where)
        target = (self._includes.find if self.in_executive else self._includes.needed)(name, where, chain)
        if target is None:
            self.missing.append((str(path), number, name))
        else:
            yield from self._file(target, chain)


def _file_name(text: str, rest, where: str) -> str:
    """The name after INCLUDE: in quotes, over several lines if need be, or one word."""
    quote, closing = text[:1], ""
    if quote in ("'", '"'):
        name, closing = text[1:], f" or its closing {quote}"
        for _ in range(_LINES_OF_A_NAME):
            if quote in name:
                break
            name += next(rest, (0, ""))[1].strip()
        name = name.split(quote)[0].strip()
    else:
        name = text.split("$")[0].strip()
    if not name or len(name) > _LONGEST_NAME:
        raise MeshError(f"{where}: the name of the file{closing} is missing; write INCLUDE 'file'.")
    return name


class BulkLines:
    """The lines of the main bulk data up to ENDDATA; other sections are left out, each with an entry in the skip list."""

    def __init__(self, deck: Deck, lines: Iterable[LineOfDeck]) -> None:
        self.ended = False  # whether ENDDATA was met
        self._deck, self._lines = deck, lines
        self._part: tuple[LineOfDeck, str] | None = None  # the BEGIN of the section that is left out, and its kind
        self._grids = 0

    def __iter__(self) -> Iterator[LineOfDeck]:
        for line in self._lines:
            text = line[2]
            if text[:1] in _SPECIAL:
                if _END_DATA.match(text):
                    self.ended = True
                    break
                if begins := BEGIN.match(text):
                    self._leave()
                    words = re.findall(r"\w+", begins.group(1).split("$")[0].upper())
                    if words[:1] == ["BULK"]:
                        words = [word for word in words[1:] if word in _WHAT or word.isdecimal()]
                    self._part = None if words in ([], ["SUPER", "0"]) else (line, words[0])
                    continue
                if self._part and self._part[1] in _WITH_END and _END.match(text):
                    self._leave()
                    continue
            if self._part is None:
                yield line
            elif _GRID.match(text):
                self._grids += 1
        self._leave()

    def _leave(self) -> None:
        """Note the section that ends here, unless it is the main one."""
        if self._part is not None:
            (file, number, text), kind = self._part
            held = f" with {self._grids} GRID cards" if self._grids else ""
            why = f"{_WHAT.get(kind, 'a section of its own')}{held}; only the main bulk data is read"
            self._deck.skipped.add(text.split("$")[0].strip()[:40], file, number, why=why)
        self._part, self._grids = None, 0


_HM_NAME = re.compile(r'\$HMNAME\s+(COMPS?|PROPS?|MATS?)\s*(\d+)\s*"([^"]*)"(?:\s*(\d+)\s*"P[^"]*")?', re.I)
_HM_MOVE = re.compile(r"\$HMMOVE\s+(\d+)", re.I)
_HM_MEMBERS = re.compile(r"\$[\s\dTHRU]*$")
_ANSA_TWO_LINES = re.compile(r"\$ANSA_NAME;(?P<number>\d+);(?P<kind>[^;]*);", re.I)
# Names of one line, of HyperMesh, ANSA, Femap and I-deas.
_NAMES = (
    re.compile(r'\$HM(?P<kind>SET)\s+(?P<number>\d+)\s+\d+\s+"(?P<name>[^"]*)"', re.I),
    re.compile(r"\$ANSA_NAME_COMMENT;(?P<number>\d+);(?P<kind>[^;]*);(?P<name>[^;]*);", re.I),
    re.compile(r"\$\s*Femap(?:\s+with\s+.*?)?\s+(?P<kind>Property|Material)\s+(?P<number>\d+)\s*:\s*(?P<name>.*)", re.I),
    re.compile(r"\$\*\s+I-DEAS\s+(?P<kind>property|Material|group)\s*:\s*(?P<number>\d+)\s+name\s*:\s*(?P<name>.*)", re.I),
)
# Names of the property or material that follows, of Simcenter and Patran.
_NEXT = (
    ("", re.compile(r"\$\*\s+(?:NX\s+)?(?P<kind>Property|Material)\s*:\s*(?P<name>.*)", re.I)),
    ("property", re.compile(r"\$\s*Elements and Element Properties for region\s*:\s*(?P<name>.*)", re.I)),
    ("material", re.compile(r"\$\s*Material Record\s*:\s*(?P<name>.*)", re.I)),
)
_KINDS = {"GROUP": "set", "SET": "set", "MAT": "material", "COMP": "component"}  # beginnings of words; others: a property


class Comments:
    """Takes the names that pre-processors leave in comment lines into a deck."""

    def __init__(self, deck: Deck) -> None:
        self._deck = deck
        self._component: int | None = None  # whose elements the next lines list
        self._named_next: re.Match | None = None  # whose name the next line is

    def take(self, line: LineOfDeck) -> None:
        """Take a comment line."""
        file, number, text = line
        if self._named_next is not None:
            found, self._named_next = self._named_next, None
            self._set(found["kind"], found["number"], text[1:])
            return
        if self._component is not None and _HM_MEMBERS.match(text):
            self._deck.components[self._component].append((text[1:], file, number))
            return
        self._component = None
        if found := _HM_NAME.match(text):
            what, its_number, name, of_property = found.groups()
            self._set(what, its_number, name)
            if of_property:
                self._deck.names.setdefault(("property", int(of_property[:18])), _readable(name))
        elif found := _HM_MOVE.match(text):
            self._component = int(found.group(1)[:18])
            self._deck.components.setdefault(self._component, [])
        elif found := _ANSA_TWO_LINES.match(text):
            self._named_next = found
        elif found := next(filter(None, (pattern.match(text) for pattern in _NAMES)), None):
            self._set(found["kind"], found["number"], found["name"])
        elif len(text) > 10:
            for kind, pattern in _NEXT:
                if found := pattern.match(text):
                    self._deck.next_name[kind or found["kind"].lower()] = _readable(found["name"])

    def _set(self, word: str, number: str, name: str) -> None:
        word = word.strip().upper()
        kind = next((kind for start, kind in _KINDS.items() if word.startswith(start)), "property")
        if name := _readable(name):
            self._deck.names[kind, int(number[:18])] = name


def _readable(name: str) -> str:
    """A name without blanks around it; as Latin-1 in a file that is not UTF-8."""
    name = name.strip()
    if any("\udc80" <= character <= "\udcff" for character in name):
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name
