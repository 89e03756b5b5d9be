"""What a deck says, card by card, before numbers become indices; lists of numbers with THRU."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import LARGEST_NUMBER, Batch, Card, integer, real
from flexmbs.mesh.skipped_content import SkipList

_FIELDS_OF_A_SYSTEM = 11  # CID, RID and three points


Part = tuple[int, int, int]  # first, last, step

EVERYTHING: Part = (1, LARGEST_NUMBER, 1)
_MEMBER = re.compile(r"(?P<first>\S+) (?:THRU|TO) (?P<last>\S+)(?: BY (?P<step>\S+))?|\S+")


@dataclass
class Ranges:
    """Numbers as (first, last, step), without those ``excluded``; none is larger than what it is written with."""

    parts: list[Part] = field(default_factory=list)
    excluded: list[Part] = field(default_factory=list)

    @property
    def single(self) -> np.ndarray:
        """The numbers that are given one by one."""
        return _single(self.parts)

    def contains(self, numbers: np.ndarray) -> np.ndarray:
        """(n,) bool: which numbers are members."""
        known = np.unique(numbers)
        return np.isin(numbers, known[self.select(known)])

    def select(self, existing: np.ndarray) -> np.ndarray:
        """Positions of the members in ``existing`` (sorted numbers): ranges contribute what exists of them."""
        return np.setdiff1d(_positions(self.parts, existing), _positions(self.excluded, existing))

    def missing(self, existing: np.ndarray) -> np.ndarray:
        """Single members (not those of ranges) that do not exist among sorted numbers."""
        return np.setdiff1d(self.single, existing)


def _single(parts: list[Part]) -> np.ndarray:
    return np.array([first for first, last, _ in parts if first == last], np.int64)


def _positions(parts: list[Part], existing: np.ndarray) -> np.ndarray:
    found = [np.flatnonzero(np.isin(existing, _single(parts)))]
    for first, last, step in parts:
        if first != last:
            low, high = np.searchsorted(existing, first), np.searchsorted(existing, last, side="right")
            found.append(low + np.flatnonzero((existing[low:high] - first) % step == 0))
    return np.unique(np.concatenate(found))


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
            target.append(EVERYTHING)
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
    """``SET n = ...``: numbers of nodes or elements, whichever an output request takes it for ("nodes", "elements").

    ``section`` : "POST" for a set of OUTPUT(POST) whose number another set has too; else ""
    """

    number: int
    members: Ranges
    of: frozenset[str]
    where: str
    section: str = ""


@dataclass
class Deck:
    """All that the handlers of the cards collect."""

    source: str
    # ("property", "material", "set" or "component", number) -> the name that a comment gives it
    names: dict[tuple[str, int], str] = field(default_factory=dict)
    next_name: dict[str, str] = field(default_factory=dict)  # what a comment gives the property or material that follows
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
    parameters: dict[str, list[Card]] = field(default_factory=dict)  # WTMASS and COUPMASS; the last one counts
    solution: str = ""  # SOL of executive control
    eigenvalue_request: Card | None = None
    has_case_control: bool = False

    def named(self, *names: str) -> list[Card]:
        """Those of the cards that are kept that have these names, in the order of the deck."""
        return [card for card in self.kept if card.name in names]

    def warn(self, where: str, text: str) -> None:
        """Note what is suspicious: "file:line: CARD: text"."""
        self.warnings.append(f"{where}: {text}")

    def leave_out(self, card: Card, why: str = "", *, analysis: bool = False) -> None:
        """List a card that is not read (``analysis``: it belongs to no body anyway)."""
        self.skipped.add(card.name, card.file, card.line, analysis=analysis, why=why)

    def take_next_name(self, kind: str, number: int) -> None:
        """A property or material card was met: it gets the name that a comment before it gave."""
        name = self.next_name.pop(kind, "")
        if name:
            self.names.setdefault((kind, number), name)

    def set_default(self, card: Card) -> None:
        """GRDSET, BAROR, BEAMOR: what other cards have where they are blank; of several that differ the last counts."""
        before = self.defaults.get(card.name, card)
        if _essence(before) != _essence(card):
            self.warn(card.where, f"it is given a second time (first in {before.place}); this one counts.")
        self.defaults[card.name] = card

    def add_once(self, cards: dict, key, card: Card) -> None:
        """Put a card under its number; the same card again counts once, another one raises MeshError."""
        before = cards.setdefault(key, card)
        if before is not card and _essence(before) != _essence(card):
            number = key[1] if isinstance(key, tuple) else key
            raise MeshError(f"{card.where} {number} is defined twice (first in {before.place}); renumber one.")


def _essence(card: Card) -> tuple:
    """What a card says, however its numbers are written; blank coordinates of a CORD2R are zero."""
    fields = [field.strip().upper() for field in card.fields]
    while fields and not fields[-1]:
        fields.pop()
    if card.name.startswith("CORD2"):
        fields = [field or "0" for field in fields + [""] * (_FIELDS_OF_A_SYSTEM - len(fields))]
    values = [real(field) for field in fields]
    return card.name, *(field if value is None else value for field, value in zip(fields, values, strict=True))
