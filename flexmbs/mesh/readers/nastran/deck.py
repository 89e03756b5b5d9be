"""What a deck says, card by card, before numbers become indices."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.card import Batch, Card
from flexmbs.mesh.readers.nastran.case_control import CaseControl
from flexmbs.mesh.readers.nastran.comments import Names
from flexmbs.mesh.readers.nastran.thru_ranges import Ranges
from flexmbs.mesh.skipped_content import SkipList

_FIELDS_OF_A_SYSTEM = 11  # CID, RID and three points


@dataclass(eq=False)
class Elements:
    """Elements of one card: rows (node numbers of the file), property numbers (k,) and what else the cards say.

    ``extras`` : name -> (k, ...) array or list; which there are depends on the family ("solid", "shell", "bar",
    "rod", "spring", ...).
    """

    rows: ElementRows
    family: str
    properties: np.ndarray
    extras: dict[str, np.ndarray] = field(default_factory=dict)

    def subset(self, chosen: np.ndarray, kind: str | None = None, nodes: np.ndarray | None = None) -> Elements:
        """Some of the elements, perhaps with another kind and other nodes (m, n)."""
        rows = self.rows
        picked = ElementRows(
            kind or rows.kind,
            rows.type_name,
            rows.ids[chosen],
            rows.nodes[chosen] if nodes is None else nodes,
            rows.file,
            rows.lines[chosen],
        )
        extras = {name: values[chosen] for name, values in self.extras.items()}
        return Elements(picked, self.family, self.properties[chosen], extras)


@dataclass
class NamedNodes:
    """A list of nodes with held or named components: (name, components, numbers, card)."""

    name: str
    dofs: tuple[int, ...]
    members: Ranges
    card: Card
    holds: bool


@dataclass
class Deck:
    """All that the handlers of the cards collect."""

    source: str
    case: CaseControl = field(default_factory=CaseControl)
    names: Names = field(default_factory=Names)
    skipped: SkipList = field(default_factory=SkipList)
    warnings: list[str] = field(default_factory=list)
    grids: list[Batch] = field(default_factory=list)
    grid_defaults: Card | None = None
    scalar_points: Ranges = field(default_factory=Ranges)
    systems: dict[int, Card] = field(default_factory=dict)
    bar_defaults: dict[str, Card] = field(default_factory=dict)
    elements: list[Elements] = field(default_factory=list)
    others: list[ElementRows] = field(default_factory=list)
    properties: dict[tuple[str, int], Card] = field(default_factory=dict)
    materials: dict[int, Card] = field(default_factory=dict)
    thermal_materials: dict[int, Card] = field(default_factory=dict)
    springs: list = field(default_factory=list)
    masses: list[Card] = field(default_factory=list)
    rigid: list[Card] = field(default_factory=list)
    constraint_equations: list[Card] = field(default_factory=list)
    equation_sums: dict[int, Card] = field(default_factory=dict)
    named_nodes: list[NamedNodes] = field(default_factory=list)
    number_sets: list[Card] = field(default_factory=list)
    mass_factor: float = 1.0
    parameters: dict[str, list[Card]] = field(default_factory=dict)  # WTMASS, COUPMASS: in the order of the deck
    parameters_of_case: dict[str, list[Card]] = field(default_factory=dict)  # those in case control, which come first
    solution: str = ""  # SOL of executive control
    eigenvalue_request: Card | None = None
    _warned: set[str] = field(default_factory=set)
    has_case_control: bool = False

    def warn(self, where: str, text: str) -> None:
        """Note what is suspicious: "file:line: CARD: text"."""
        text = f"{where}: {text}"
        if text not in self._warned:
            self._warned.add(text)
            self.warnings.append(text)

    def warn_of_second(self, before: Card | None, card: Card) -> None:
        """Say that of two cards that a deck may have once the second counts, unless they are the same."""
        if before is not None and _essence(before) != _essence(card):
            self.warn(card.where, f"it is given a second time (first in {before.place}); this one counts.")

    def add_once(self, cards: dict, key, card: Card) -> None:
        """Put a card under its number; the same card again counts once, another one raises MeshError."""
        before = cards.setdefault(key, card)
        if before is not card and _essence(before) != _essence(card):
            number = key[1] if isinstance(key, tuple) else key
            raise MeshError(f"{card.where} {number} is defined twice (first in {before.place}); renumber one.")


def _essence(card: Card) -> tuple:
    """What a card says, however its numbers are written; blank coordinates of a CORD2R are zero."""
    fields: list = [field.strip().upper() for field in card.fields]
    while fields and not fields[-1]:
        fields.pop()
    if card.name.startswith("CORD2"):
        fields = [field or "0" for field in fields + [""] * (_FIELDS_OF_A_SYSTEM - len(fields))]
    values = [number_fields.real(field) for field in fields]
    return card.name, *(field if value is None else value for field, value in zip(fields, values, strict=True))
