"""What the cards of a deck have said so far, by the file's own numbers and names; cards of sets and surfaces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.properties import Damping
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.cards import Card, Line, compact, integer, is_integer, label, read_table


@dataclass
class SetItem:
    """A part of a set: numbers, a range, or the name of another set (resolved when the whole file is known)."""

    line: Line
    numbers: np.ndarray | None = None
    generated: tuple[int, int, int] | None = None  # first, last, step; not expanded before it is known what exists
    set_name: str | None = None
    of_elements: bool = False  # the nodes of an element set (*NSET, ELSET=)
    instance: str = ""  # the part instance whose numbers or sets are meant


@dataclass
class SurfaceDraft:
    """A *SURFACE card: faces of elements, or nodes (``of_nodes``)."""

    line: Line
    of_nodes: bool
    items: list[tuple[Line, str, str]] = field(default_factory=list)  # line; set or number of elements, nodes; face


class NodeChunk(NamedTuple):
    """Nodes that one card gives: numbers (k,), points (k, 3), and where they stand: file, lines (k,)."""

    ids: np.ndarray
    points: np.ndarray
    file: str
    lines: np.ndarray


@dataclass
class Given:
    """Where the nodes (elements) of a scope stand by their numbers: position in its list, row."""

    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    looked_through: int = 0

    def place(self, number: int, stored: Sequence[NodeChunk] | Sequence[ElementRows]) -> tuple[int, int] | None:
        """Of one number, the last where several have it; the list may have grown since the last call."""
        for position in range(self.looked_through, len(stored)):
            self.places.update({own: (position, row) for row, own in enumerate(stored[position].ids.tolist())})
        self.looked_through = len(stored)
        return self.places.get(number)


class Placement(NamedTuple):
    """Where an instance stands: points of the part are turned, then moved."""

    rotation: np.ndarray
    translation: np.ndarray


@dataclass
class Scope:
    """The model itself, a part, or an instance of a part: all have nodes, elements, sets and cards that name them."""

    name: str = ""
    line: Line | None = None
    placement: Placement = field(default_factory=lambda: Placement(np.eye(3), np.zeros(3)))
    groups: list[ElementRows] = field(default_factory=list)  # data "orienting": nodes that say how beams are turned
    node_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    element_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    surfaces: dict[str, SurfaceDraft] = field(default_factory=dict)  # of element faces
    node_surfaces: dict[str, SurfaceDraft] = field(default_factory=dict)  # may have the same names
    orientations: dict[str, Card] = field(default_factory=dict)
    distributions: dict[str, Card] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)  # that can be read only when all names are known (sections, ...)
    node_chunks: list[NodeChunk] = field(default_factory=list)
    named_elements: list[ElementRows] = field(default_factory=list)  # of the assembly, with nodes "INSTANCE.1" (blank: ground)
    system: CoordinateSystem | None = None  # *SYSTEM: of the nodes that follow
    given_nodes: Given = field(default_factory=Given)
    given_elements: Given = field(default_factory=Given)

    def surface(self, name: str) -> SurfaceDraft | None:
        """The surface of that name, of faces rather than of nodes."""
        return self.surfaces.get(name) or self.node_surfaces.get(name)

    def add_nodes(self, ids: np.ndarray, points: np.ndarray, file: str, lines: np.ndarray | int) -> None:
        """Append nodes in the scope's own axes."""
        points = points if self.system is None else self.system.points(points)
        self.node_chunks.append(NodeChunk(ids, points, file, np.broadcast_to(lines, ids.shape)))

    def placed(self, name: str, line: Line, placement: Placement) -> Scope:
        """This part as an instance, to which the *INSTANCE block may add."""
        own = Scope(name, line, placement)
        for kept, value in vars(self).items():
            if kept.endswith("_sets"):  # whose lists may grow, but not what is in them
                getattr(own, kept).update({key: list(items) for key, items in value.items()})
            elif isinstance(value, dict | list):
                setattr(own, kept, deepcopy(value) if kept.endswith("surfaces") else copy(value))
        return own


@dataclass
class MaterialDraft:
    """A *MATERIAL card while its own cards are being read; ``unusable`` says why it cannot be computed with."""

    name: str
    line: Line
    elastic: Card | None = None
    density: float | None = None
    damping: Damping = field(default_factory=Damping)
    unusable: str = ""


@dataclass
class Deck:
    """Everything read; filled by the functions of the cards, turned into a Mesh by ``build``."""

    source: str
    root: Scope = field(default_factory=Scope)
    parts: dict[str, Scope] = field(default_factory=dict)
    instances: dict[str, Scope] = field(default_factory=dict)
    materials: dict[str, MaterialDraft] = field(default_factory=dict)
    material: MaterialDraft | None = None
    skipped: SkipList = field(default_factory=SkipList)
    warnings: list[str] = field(default_factory=list)
    written_for: set[str] = field(default_factory=set)  # "Abaqus", "CalculiX": where a card is known to one of them only
    open_blocks: list[Card] = field(default_factory=list)  # *PART, *ASSEMBLY, *INSTANCE without their end yet
    assembly: str = ""  # its name, which may stand before names of what is in it
    generated: int = 0  # nodes and elements that generating cards have made

    def __post_init__(self) -> None:
        self.scope = self.root

    def warn(self, message: str) -> None:
        """Add a warning of the mesh."""
        self.warnings.append(message)

    def skip(self, card: Card, why: str = "", line: Line | None = None, analysis: bool = False) -> None:
        """Note a card, or one of its lines, that is left out."""
        line = line or card.line
        self.skipped.add(card.title, line.file, line.number, analysis=analysis, why=why)

    def in_assembly(self, name: str) -> str:
        """A name without that of the assembly before it: ASSEMBLY.INSTANCE.SET is INSTANCE.SET."""
        return name.removeprefix(self.assembly + ".") if self.assembly else name


def add_set(sets: dict[str, list[SetItem]], card: Card, parameter: str, made: list[np.ndarray]) -> None:
    """Add nodes or elements that a card has made to the set that its parameter names, if it has it."""
    if card.name(parameter) and made:
        sets[card.name(parameter)].append(SetItem(card.line, np.concatenate(made)))


def read_set(deck: Deck, card: Card) -> None:
    """*NSET, NSET=name [, GENERATE] [, ELSET=name] [, INSTANCE=name]; *ELSET, ELSET=name [, GENERATE] [, INSTANCE=name]."""
    items = (deck.scope.node_sets if card.key == "NSET" else deck.scope.element_sets)[card.required_name(card.key)]
    if card.key == "NSET" and card.has("ELSET"):
        name, instance = card.required_name("ELSET"), card.name("INSTANCE")
        items.append(SetItem(card.line, set_name=name, of_elements=True, instance=instance))
    items += _set_items(card)


def _set_items(card: Card) -> list[SetItem]:
    instance = card.name("INSTANCE")
    items = [SetItem(card.line, np.empty(0, np.int64))]  # names the card where the set turns out to be empty
    if card.has("GENERATE"):
        for line in card.lines():
            entries = [integer(entry, card.at(line), "an entry of a GENERATE line") for entry in line.fields()]
            first, last, step = (*entries, 1)[:3] if len(entries) in (2, 3) else (0, 0, 0)
            if step < 1 or last < first:
                wanted = "'first, last, step' with first <= last and step >= 1"
                raise MeshError(f"{card.at(line)}: a GENERATE line must be {wanted}, got '{line.text[:60]}'.")
            items.append(SetItem(line, generated=(first, last, step), instance=instance))
        return items
    for segment in card.segments:
        table = read_table(segment, np.int64)
        if table is None:
            for line in segment.lines():
                names = [entry for entry in line.fields() if entry and not is_integer(entry)]
                plain = [integer(entry, card.at(line), "a member") for entry in line.fields() if is_integer(entry)]
                items += [SetItem(line, np.array(plain, np.int64), instance=instance)] if plain else []
                items += [SetItem(line, set_name=label(name), instance=instance) for name in names]
        elif len(table.values):
            items.append(SetItem(Line(segment.file, int(table.lines[0])), table.values, instance=instance))
    return items


def read_surface(deck: Deck, card: Card) -> None:
    """*SURFACE, NAME=name [, TYPE=ELEMENT|NODE]: element set or element (blank: the whole body), face; or node sets and nodes."""
    name, kind = card.required_name("NAME"), card.option("TYPE", "ELEMENT")
    if kind not in ("ELEMENT", "NODE") or card.has("COMBINE"):
        deck.skip(card, f"{name}: only surfaces of element faces and of nodes are read")
        return
    surfaces = deck.scope.node_surfaces if kind == "NODE" else deck.scope.surfaces
    surface = surfaces.setdefault(name, SurfaceDraft(card.line, kind == "NODE"))
    for line, _, (region, face) in card.rows(2):
        surface.items.append((line, label(region), compact(face)))
