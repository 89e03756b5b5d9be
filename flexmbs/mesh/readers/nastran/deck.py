"""What a deck says, card by card, before numbers become indices; lists of numbers with THRU; sections, names in comments.

``BEGIN [BULK]`` begins the main bulk data, ``BEGIN [BULK] SUPER = n`` (AUXMODEL, MODULE, MASSID, ...) a section with
numbers, parameters and properties of its own, up to the next BEGIN (MSC Nastran Quick Reference Guide, "BEGIN BULK").
OptiStruct ends those of profiles and models (``BEGIN,HYPRBEAM,name``) by ``END,HYPRBEAM,name``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.properties import AnyMaterial
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import LARGEST_NUMBER, Batch, Card, LineOfDeck, integer, real

_FIELDS_OF_A_SYSTEM = 11  # CID, RID and three points
Part = tuple[int, int, int]  # first, last, step
_EVERYTHING: Part = (1, LARGEST_NUMBER, 1)
_MEMBER = re.compile(r"(?P<first>\S+) (?:THRU|TO) (?P<last>\S+)(?: BY (?P<step>\S+))?|\S+")


@dataclass
class Ranges:
    """Numbers as (first, last, step), without those ``excluded``; none is larger than what it is written with."""

    parts: list[Part] = field(default_factory=list)
    excluded: list[Part] = field(default_factory=list)

    @property
    def single(self) -> np.ndarray:
        """The numbers that are given one by one."""
        return np.array([first for first, last, _ in self.parts if first == last], np.int64)

    def contains(self, numbers: np.ndarray) -> np.ndarray:
        """(n,) bool: which numbers are members."""
        if not self.parts:
            return np.zeros(len(numbers), bool)
        known = np.unique(numbers)
        return np.isin(numbers, known[self.select(known)])

    def select(self, existing: np.ndarray) -> np.ndarray:
        """Positions of the members in ``existing`` (sorted numbers): ranges contribute what exists of them."""
        single = self.single
        at = np.searchsorted(existing, single)
        found = [at[np.append(existing, -1)[at] == single]]
        for first, last, step in self.parts:
            if first != last:
                low, high = np.searchsorted(existing, first), np.searchsorted(existing, last, side="right")
                found.append(low + np.flatnonzero((existing[low:high] - first) % step == 0))
        members = np.unique(np.concatenate(found))
        return np.setdiff1d(members, Ranges(self.excluded).select(existing)) if self.excluded else members

    def missing(self, existing: np.ndarray) -> np.ndarray:
        """Members given one by one that are not among ``existing`` (sorted numbers)."""
        single = np.unique(self.single)
        return single[np.append(existing, -1)[np.searchsorted(existing, single)] != single]


def read_ranges(texts: list[str], where: str, what: str) -> Ranges:
    """Ranges from words: ``1 2 5 THRU 10 BY 2 EXCEPT 7``, ``ALL``; blanks are passed over.

    Raises MeshError for other words, a THRU without ends, or one that goes down.
    """

    def number(word: str) -> int:
        value = integer(word)
        if value is None:
            raise MeshError(f"{where}: {what} '{word}' is not a number; give integers, or 'first THRU last'.")
        return value

    result = Ranges()
    target = result.parts
    for found in _MEMBER.finditer(" ".join(text.strip().upper() for text in texts if text.strip())):
        if found[0] == "ALL":
            target.append(_EVERYTHING)
        elif found[0] in ("EXCEPT", "EXCLUDE"):
            target = result.excluded
        elif found["first"]:
            first, last, step = number(found["first"]), number(found["last"]), number(found["step"] or "1")
            if step < 1:
                raise MeshError(f"{where}: {what}: BY {step} must be at least 1.")
            if last < first:
                raise MeshError(f"{where}: {what} {first} THRU {last} is decreasing; give the smaller number first.")
            target.append((first, last, step))
        else:
            single = number(found[0])
            if target is result.excluded and result.parts and single > max(part[1] for part in result.parts):
                target = result.parts  # beyond the last range it is a member again (MSC)
            target.append((single, single, 1))
    return result


@dataclass(frozen=True)
class CaseSet:
    """``SET n = ...``: numbers of nodes or elements, whichever an output request takes it for ("nodes", "elements")."""

    number: int
    members: Ranges
    of: frozenset[str]
    where: str
    of_post: bool = False  # a set of OUTPUT(POST) whose number another set has too


@dataclass
class Deck:
    """All that the handlers of the cards collect."""

    source: str
    # ("property", "material", "set" or "component", number) -> the name that a comment gives it; 0: the one that follows
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    # HyperMesh's, by number: (text, file, line) of the lines with their elements
    components: dict[int, list[tuple[str, str, int]]] = field(default_factory=dict)
    case_sets: list[CaseSet] = field(default_factory=list)
    chosen: dict[str, list[int]] = field(default_factory=dict)  # "SPC", "MPC" -> sets that case control chooses, in order
    skipped: SkipList = field(default_factory=SkipList)
    warnings: list[str] = field(default_factory=list)  # the same one may be among them several times
    grids: list[Batch] = field(default_factory=list)
    defaults: dict[str, Card] = field(default_factory=dict)  # GRDSET, BAROR, BEAMOR
    scalar_points: Ranges = field(default_factory=Ranges)
    systems: dict[int, Card] = field(default_factory=dict)
    elements: list[ElementRows] = field(default_factory=list)  # of bodies; ``data`` has "property", their numbers (k,)
    others: list[ElementRows] = field(default_factory=list)
    properties: dict[tuple[str, int], Card] = field(default_factory=dict)
    materials: dict[int, Card] = field(default_factory=dict)
    thermal_materials: dict[int, Card] = field(default_factory=dict)
    made_materials: dict[int, AnyMaterial] = field(default_factory=dict)  # when all cards are read
    kept: list[Card] = field(default_factory=list)  # that wait for grid points: springs, masses, rigid elements, sets, ...
    # Name, components and whether they are held -> nodes, and the first card that names some.
    named_nodes: dict[tuple[str, tuple[int, ...], bool], tuple[Ranges, Card]] = field(default_factory=dict)
    mass_factor: float = 1.0
    parameters: list[Card] = field(default_factory=list)  # WTMASS and COUPMASS; the last one of each counts
    solution: str = ""  # SOL of executive control
    has_case_control: bool = False

    def keep(self, card: Card) -> None:
        """Put a card aside until all are read."""
        self.kept.append(card)

    def named(self, *names: str) -> list[Card]:
        """Those of the cards that are kept that have these names, in the order of the deck."""
        return [card for card in self.kept if card.name in names]

    def warn(self, where: str, text: str) -> None:
        """Note what is suspicious: "file:line: CARD: text"."""
        self.warnings.append(f"{where}: {text}")

    def leave_out(self, card: Card, why: str = "", *, analysis: bool = False) -> None:
        """List a card that is not read (``analysis``: it belongs to no body anyway)."""
        self.skipped.add(card.name, card.file, card.line, analysis=analysis, why=why)

    def set_default(self, card: Card) -> None:
        """GRDSET, BAROR, BEAMOR: what other cards have where they are blank; of several that differ the last counts."""
        before = self.defaults.get(card.name, card)
        if _essence(before) != _essence(card):
            self.warn(card.where, f"it is given a second time (first in {before.place}); this one counts.")
        self.defaults[card.name] = card

    def add_once(self, cards: dict, key, card: Card, kind: str = "") -> None:
        """Put a card under its number, with the name before it; the same one again counts once, another raises MeshError."""
        number = key[1] if isinstance(key, tuple) else key
        if name := self.names.pop((kind, 0), ""):
            self.names.setdefault((kind, number), name)
        before = cards.setdefault(key, card)
        if before is not card and _essence(before) != _essence(card):
            raise MeshError(f"{card.where} {number} is defined twice (first in {before.place}); renumber one.")


def _essence(card: Card) -> tuple:
    """What a card says, however its numbers are written; blank coordinates of a CORD2R are zero."""
    fields = [field.strip().upper() for field in card.fields]
    if card.name.startswith("CORD2"):
        fields = [field or "0" for field in fields + [""] * (_FIELDS_OF_A_SYSTEM - len(fields))]
    while fields and not fields[-1]:
        fields.pop()
    return card.name, *(field if (value := real(field)) is None else value for field in fields)


_SPECIAL = frozenset("EeBb ")  # how lines begin that may be ENDDATA, BEGIN or END
BEGIN = re.compile(r"\s*BEGIN\b(.*)", re.I)
_END_DATA = re.compile(r"\s{0,7}ENDDATA\b", re.I)
_END = re.compile(r"\s{0,7}END[\s,]+\w", re.I)
_GRID = re.compile(r"\s{0,7}GRID\*?\s*[\s,]", re.I)
_WHAT = {
    **{"SUPER": "a part superelement", "AUXMODEL": "an auxiliary model", "MODULE": "a module", "MASSID": "a mass increment"},
    "FEMODEL": "a part of the full model",
    **dict.fromkeys(("HYPRBEAM", "ARBMODEL"), "the profile of a beam section"),
    **{"AFPM": "points for acoustic output", "TRMC": "trim components"},
}


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
                if self._part and self._part[1] in ("HYPRBEAM", "FEMODEL") and _END.match(text):
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


_HM_MOVE = re.compile(r"\$HMMOVE\s+(\d+)", re.I)
_HM_MEMBERS = re.compile(r"\$[\s\dTHRU]*$")
_ANSA_TWO_LINES = re.compile(r"\$ANSA_NAME;(?P<number>\d+);(?P<kind>[^;]*);", re.I)
# Names of one line, of HyperMesh, ANSA, Femap and I-deas; without a number that of the property or material that follows, of
# Simcenter and Patran.
_NAMES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        r'\$HMNAME\s+(?P<kind>COMPS?|PROPS?|MATS?)\s*(?P<number>\d+)\s*"(?P<name>[^"]*)"(?:\s*(?P<its_property>\d+)\s*"P[^"]*")?',
        r'\$HM(?P<kind>SET)\s+(?P<number>\d+)\s+\d+\s+"(?P<name>[^"]*)"',
        r"\$ANSA_NAME_COMMENT;(?P<number>\d+);(?P<kind>[^;]*);(?P<name>[^;]*);",
        r"\$\s*Femap(?:\s+with\s+.*?)?\s+(?P<kind>Property|Material)\s+(?P<number>\d+)\s*:\s*(?P<name>.*)",
        r"\$\*\s+I-DEAS\s+(?P<kind>property|Material|group)\s*:\s*(?P<number>\d+)\s+name\s*:\s*(?P<name>.*)",
        r"\$\*\s+(?:NX\s+)?(?P<kind>Property|Material)\s*:\s*(?P<name>.*)",
        r"\$\s*(?P<kind>Elements and Element Properties for region|Material Record)\s*:\s*(?P<name>.*)",
    )
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
            self._set(found["kind"], text[1:], found["number"])
        elif self._component is not None and _HM_MEMBERS.match(text):
            self._deck.components[self._component].append((text[1:], file, number))
            return
        elif found := _HM_MOVE.match(text):
            self._component = int(found.group(1)[:18])
            self._deck.components.setdefault(self._component, [])
            return
        elif found := _ANSA_TWO_LINES.match(text):
            self._named_next = found
        elif len(text) > 10 and (found := next(filter(None, (pattern.match(text) for pattern in _NAMES)), None)):
            self._set(**found.groupdict())
        self._component = None

    def _set(self, kind: str, name: str, number: str | None = None, its_property: str | None = None) -> None:
        word, name, names = kind.strip().upper(), _readable(name), self._deck.names
        kind = next((kind for start, kind in _KINDS.items() if word.startswith(start)), "property")
        if name:
            names[kind, int((number or "0")[:18])] = name
        if its_property:
            names.setdefault(("property", int(its_property[:18])), name)


def _readable(name: str) -> str:
    """A name without blanks around it; as Latin-1 in a file that is not UTF-8."""
    name = name.strip()
    if any("\udc80" <= character <= "\udcff" for character in name):
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name
