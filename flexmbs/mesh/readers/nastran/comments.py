"""Names that pre-processors leave in comment lines: HyperMesh, ANSA, Patran, Femap, I-deas and Simcenter."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from flexmbs.mesh.readers.nastran.deck_files import LineOfDeck

_HM_NAME = re.compile(r'\$HMNAME\s+(COMPS?|PROPS?|MATS?)\s*(\d+)\s*"([^"]*)"(?:\s*(\d+)\s*"P[^"]*")?', re.I)
_HM_SET = re.compile(r'\$HMSET\s+(\d+)\s+\d+\s+"([^"]*)"', re.I)
_HM_MOVE = re.compile(r"\$HMMOVE\s+(\d+)", re.I)
_HM_MEMBERS = re.compile(r"\$[\s\dTHRU]*$")
_ANSA = re.compile(r"\$ANSA_NAME_COMMENT;(\d+);([^;]*);([^;]*);", re.I)
_ANSA_TWO_LINES = re.compile(r"\$ANSA_NAME;(\d+);([^;]*);", re.I)
_FEMAP = re.compile(r"\$\s*Femap(?:\s+with\s+.*?)?\s+(Property|Material)\s+(\d+)\s*:\s*(.*)", re.I)
_IDEAS = re.compile(r"\$\*\s+I-DEAS\s+(property|Material|group)\s*:\s*(\d+)\s+name\s*:\s*(.*)", re.I)
_SIMCENTER = re.compile(r"\$\*\s+(?:NX\s+)?(Property|Material)\s*:\s*(.*)", re.I)
_PATRAN_REGION = re.compile(r"\$\s*Elements and Element Properties for region\s*:\s*(.*)", re.I)
_PATRAN_MATERIAL = re.compile(r"\$\s*Material Record\s*:\s*(.*)", re.I)
_ANSA_SETS, _ANSA_MATERIALS = ("SET", "SETN", "SETE"), ("MAT",)
_THING = {"property": "property", "material": "material", "group": "set"}


@dataclass
class Names:
    """Names of things by kind ("property", "material", "set", "component") and number; HyperMesh's components.

    ``next_name`` holds the name that a comment gives to the property or material card that follows.
    """

    names: dict[tuple[str, int], str] = field(default_factory=dict)
    components: dict[int, list[tuple[str, str, int]]] = field(default_factory=dict)  # words of their element lists
    next_name: dict[str, str] = field(default_factory=dict)
    _component: int | None = None
    _ansa: tuple[str, int] | None = None

    def comment(self, line: LineOfDeck) -> None:
        """Take a comment line."""
        file, number, text = line
        if self._ansa is not None:
            self._set(*self._ansa, text[1:])
            self._ansa = None
            return
        if self._component is not None and _HM_MEMBERS.match(text):
            self.components[self._component].append((text[1:], file, number))
            return
        self._component = None
        if text[:3].upper() == "$HM":
            self._hypermesh(text)
        elif text[:2] == "$*":
            self._ideas(text)
        elif text[:6].upper() == "$ANSA_":
            self._from_ansa(text)
        elif len(text) > 10:
            self._other(text)

    def get(self, kind: str, number: int) -> str:
        """The name of a thing, or "" when no comment gives one."""
        return self.names.get((kind, number), "")

    def take_next(self, kind: str, number: int) -> None:
        """A property or material card was met: it gets the name that a comment before it gave."""
        name = self.next_name.pop(kind, "")
        if name:
            self.names.setdefault((kind, number), name)

    def _set(self, kind: str, number: int, name: str) -> None:
        name = _readable(name.strip())
        if name:
            self.names[kind, number] = name

    def _hypermesh(self, text: str) -> None:
        if found := _HM_NAME.match(text):
            what, number, name, of_property = found.groups()
            kind = {"C": "component", "P": "property", "M": "material"}[what[0].upper()]
            self._set(kind, int(number[:18]), name)
            if of_property:
                self.names.setdefault(("property", int(of_property[:18])), _readable(name.strip()))
        elif found := _HM_SET.match(text):
            self._set("set", int(found.group(1)[:18]), found.group(2))
        elif found := _HM_MOVE.match(text):
            self._component = int(found.group(1)[:18])
            self.components.setdefault(self._component, [])

    def _from_ansa(self, text: str) -> None:
        if found := _ANSA.match(text):
            self._set(_ansa_kind(found.group(2)), int(found.group(1)[:18]), found.group(3))
        elif found := _ANSA_TWO_LINES.match(text):
            self._ansa = _ansa_kind(found.group(2)), int(found.group(1)[:18])

    def _ideas(self, text: str) -> None:
        if found := _IDEAS.match(text):
            self._set(_THING[found.group(1).lower()], int(found.group(2)[:18]), found.group(3))
        elif found := _SIMCENTER.match(text):
            self.next_name[_THING[found.group(1).lower()]] = _readable(found.group(2).strip())

    def _other(self, text: str) -> None:
        if found := _FEMAP.match(text):
            self._set(_THING[found.group(1).lower()], int(found.group(2)[:18]), found.group(3))
        elif found := _PATRAN_REGION.match(text):
            self.next_name["property"] = _readable(found.group(1).strip())
        elif found := _PATRAN_MATERIAL.match(text):
            self.next_name["material"] = _readable(found.group(1).strip())


def _ansa_kind(word: str) -> str:
    word = word.strip().upper()
    if word.startswith(_ANSA_SETS):
        return "set"
    return "material" if word.startswith(_ANSA_MATERIALS) else "property"


def _readable(name: str) -> str:
    """A name in a file that is not UTF-8, as Latin-1."""
    if any("\udc80" <= character <= "\udcff" for character in name):
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name
