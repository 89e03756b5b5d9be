"""The sections of the bulk data: the main one, and those of superelements, auxiliary models and beam profiles.

``BEGIN [BULK]`` begins the main bulk data, ``BEGIN [BULK] SUPER = n`` (AUXMODEL, MODULE, MASSID, ...) a section with
numbers, parameters and properties of its own, up to the next BEGIN (MSC Nastran Quick Reference Guide, "BEGIN BULK").
OptiStruct ends those of profiles and models (``BEGIN,HYPRBEAM,name``) by ``END,HYPRBEAM,name``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.deck_files import LineOfDeck

_SPECIAL = frozenset("EeBb ")  # how lines begin that may be ENDDATA, BEGIN or END
_BEGIN = re.compile(r"\s*BEGIN\b(.*)", re.IGNORECASE)
_END_DATA = re.compile(r"\s{0,7}ENDDATA\b", re.IGNORECASE)
_END = re.compile(r"\s{0,7}END[\s,]+\w", re.IGNORECASE)
_GRID = re.compile(r"\s{0,7}GRID\*?\s*[\s,]", re.IGNORECASE)
_WHAT = {
    "SUPER": "a part superelement",
    "AUXMODEL": "an auxiliary model",
    "MODULE": "a module",
    "MASSID": "a mass increment",
    "FEMODEL": "a part of the full model",
    "HYPRBEAM": "the profile of a beam section",
    "ARBMODEL": "the profile of a beam section",
    "AFPM": "points for acoustic output",
    "TRMC": "trim components",
}
_WITH_END = ("HYPRBEAM", "FEMODEL")


def is_begin(text: str) -> bool:
    """Whether a line begins a section of the bulk data."""
    return _BEGIN.match(text) is not None


def _section(text: str) -> str | None:
    """The kind of the section that a BEGIN line begins; "" for the main bulk data, None when it is no such line."""
    found = _BEGIN.match(text)
    if found is None:
        return None
    words = re.findall(r"\w+", found.group(1).split("$")[0].upper())
    if words[:1] == ["BULK"]:
        words = [word for word in words[1:] if word in _WHAT or word.isdecimal()]
    return "" if words in ([], ["SUPER", "0"]) else words[0]


class BulkLines:
    """The lines of the main bulk data up to ENDDATA; other sections are left out, each with an entry in the skip list.

    ``ended`` says whether ENDDATA was met.
    """

    def __init__(self, deck: Deck, lines: Iterable[LineOfDeck]) -> None:
        self.ended = False
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
                section = _section(text)
                if section is not None:
                    self._leave()
                    self._part = (line, section) if section else None
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
        if self._part is None:
            return
        (file, number, text), kind = self._part
        held = f" with {self._grids} GRID cards" if self._grids else ""
        why = f"{_WHAT.get(kind, 'a section of its own')}{held}; only the main bulk data is read"
        self._deck.skipped.add(text.split("$")[0].strip()[:40], file, number, why=why)
        self._part, self._grids = None, 0
