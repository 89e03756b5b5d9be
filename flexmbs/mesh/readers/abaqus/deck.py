"""What the cards of a deck have said so far, by the file's own numbers and names; the cards that open and end its parts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.materials import Damping
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.deck_text import Card, Line
from flexmbs.mesh.readers.abaqus.number_tables import numbers
from flexmbs.mesh.skipped_content import SkipList


@dataclass
class SetItem:
    """A part of a set: numbers, a range, or the name of another set (resolved when the whole file is known).

    ``instance`` is the part instance whose numbers or sets are meant; ``of_elements`` the nodes of an element set
    (*NSET, ELSET=). A range is (first, last, step), never expanded before it is known what exists.
    """

    line: Line
    numbers: np.ndarray | None = None
    generated: tuple[int, int, int] | None = None
    set_name: str | None = None
    of_elements: bool = False
    instance: str = ""


@dataclass
class SurfaceDraft:
    """A *SURFACE card: faces of elements, or nodes (``of_nodes``).

    ``items`` are a line, an element set (or an element, by its number; a node or node set), and which face of it.
    """

    line: Line
    of_nodes: bool
    items: list[tuple[Line, str, str]] = field(default_factory=list)


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
    """The model itself, a part, or an instance of a part: all have nodes, elements, sets and cards that name them.

    ``cards`` are those that can be read only when all names are known (sections, couplings, ...). ``named_elements``
    are those of the assembly: type, number, nodes, which are named INSTANCE.number (blank: ground), line.
    """

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
    cards: list[Card] = field(default_factory=list)
    node_chunks: list[NodeChunk] = field(default_factory=list)
    named_elements: list[tuple[str, int, list[str], Line]] = field(default_factory=list)
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


def read_part(deck: Deck, card: Card) -> None:
    """*PART, NAME=name: what follows, up to *END PART, belongs to it."""
    name = _open(deck, card, deck.parts)
    deck.scope = deck.parts[name] = Scope(name, card.line)


def read_assembly(deck: Deck, card: Card) -> None:
    """*ASSEMBLY [, NAME=name]: instances, and sets and couplings between them, up to *END ASSEMBLY."""
    deck.assembly, deck.scope = _open(deck, card), deck.root


def read_instance(deck: Deck, card: Card) -> None:
    """*INSTANCE, NAME=name, PART=name: translation; two points of an axis and an angle."""
    if card.has("LIBRARY"):
        raise MeshError(f"{card.where}: instances of earlier analyses (LIBRARY=) are not supported; include the part in the file.")
    name, part, lines = _open(deck, card, deck.instances, within="ASSEMBLY"), card.name("PART"), card.lines()
    if len(lines) > 2:
        raise MeshError(f"{card.at(lines[2])}: an instance can have at most two lines: translation and rotation.")
    if lines and len(lines[0].fields()) > 3:
        raise MeshError(f"{card.at(lines[0])}: the translation must be three numbers, got {len(lines[0].fields())}.")
    translation, rotation, shift = placement_of(card)
    placement = Placement(rotation, rotation @ translation + shift)  # the translation comes first
    if part and part not in deck.parts:
        raise MeshError(f"{card.where} names the part {part}, which is not defined. {near_names(part, deck.parts)}")
    deck.scope = deck.instances[name] = deck.parts.get(part, Scope()).placed(name, card.line, placement)


def end_block(deck: Deck, card: Card) -> None:
    """*END PART, *END INSTANCE, *END ASSEMBLY."""
    block = deck.open_blocks[-1] if deck.open_blocks else None
    if block is None or block.key != card.key.removeprefix("END"):
        open_one = "no such block is open" if block is None else f"{block.title} of line {block.line.number} is open"
        raise MeshError(f"{card.where} has no matching start: {open_one}.")
    deck.open_blocks.pop()
    deck.scope = deck.root


def _open(deck: Deck, card: Card, known: dict[str, Scope] | None = None, within: str = "") -> str:
    """Open a block, which may stand in one of the key ``within`` only; its name, new among those ``known``."""
    name = card.name("NAME") if known is None else card.required_name("NAME")
    if known and name in known:
        raise MeshError(f"{card.where}: {name} is defined twice (first in line {known[name].line.number}).")
    if deck.open_blocks and deck.open_blocks[-1].key != within:
        block = deck.open_blocks[-1]
        raise MeshError(f"{card.where} is inside {block.title} of line {block.line.number}; end that first (*END {block.key}).")
    deck.open_blocks.append(card.detached())
    return name


def placement_of(card: Card) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translation t (3,), rotation R (3, 3) and shift s (3,) of the data lines of a card: x -> R (x + t) + s.

    The second line turns about the axis through two points by an angle in degrees (7 numbers).
    """
    lines = card.lines()
    translation = np.array([*(numbers(card, lines[0], "the translation") if lines else []), 0.0, 0.0, 0.0][:3])
    if len(lines) < 2:
        return translation, np.eye(3), np.zeros(3)
    values, where = numbers(card, lines[1], "the rotation"), card.at(lines[1])
    if len(values) != 7:
        raise MeshError(f"{where}: the rotation must be two points and an angle (7 numbers).")
    start, end = np.array(values[:3]), np.array(values[3:6])
    axis, angle = end - start, np.radians(values[6])
    length = np.linalg.norm(axis)
    if not (np.isfinite(length) and length > 0.0):
        raise MeshError(f"{where}: the two points of the axis of rotation coincide.")
    x, y, z = axis / length
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return translation, rotation, start - rotation @ start
