"""What the cards of a deck have said so far, by the file's own numbers and names."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.materials import Damping
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.readers.abaqus.cards import Card
from flexmbs.mesh.readers.abaqus.deck_text import Line
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
    instance: str | None = None


@dataclass
class SurfaceItem:
    """A part of a surface: an element set (or an element, by its number), and which face of it."""

    line: Line
    region: str
    face: str


@dataclass
class SurfaceDraft:
    """A *SURFACE card: faces of elements, or nodes (``of_nodes``)."""

    line: Line
    of_nodes: bool
    items: list[SurfaceItem] = field(default_factory=list)


@dataclass
class NamedElement:
    """An element of the assembly whose nodes are named INSTANCE.number (blank: ground)."""

    type_name: str
    number: int
    nodes: list[str]
    line: Line


@dataclass
class Given:
    """Nodes and elements of a scope by their numbers, brought up to date when a generating card asks for them."""

    nodes: dict[int, tuple[int, int]] = field(default_factory=dict)  # -> chunk, row
    elements: dict[int, tuple[int, int]] = field(default_factory=dict)  # -> group, row
    chunk_count: int = 0
    group_count: int = 0

    def update(self, scope: Scope) -> None:
        """Add what the scope has got since the last time."""
        for chunk in range(self.chunk_count, len(scope.node_chunks)):
            for row, number in enumerate(scope.node_chunks[chunk][0].tolist()):
                self.nodes[number] = (chunk, row)
        for group in range(self.group_count, len(scope.groups)):
            for row, number in enumerate(scope.groups[group].ids.tolist()):
                self.elements[number] = (group, row)
        self.chunk_count, self.group_count = len(scope.node_chunks), len(scope.groups)


@dataclass
class Scope:
    """The model itself, a part, or an instance of a part: all have nodes, elements, sets and cards that name them.

    ``cards`` are those that can be read only when all names are known (sections, couplings, ...).
    """

    name: str
    line: Line | None
    nodes: NodeTable
    groups: list[ElementRows] = field(default_factory=list)
    orientation_nodes: dict[int, np.ndarray] = field(default_factory=dict)  # by position in ``groups``
    node_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    element_sets: dict[str, list[SetItem]] = field(default_factory=lambda: defaultdict(list))
    surfaces: dict[str, SurfaceDraft] = field(default_factory=dict)  # of element faces
    node_surfaces: dict[str, SurfaceDraft] = field(default_factory=dict)  # may have the same names
    orientations: dict[str, Card] = field(default_factory=dict)
    distributions: dict[str, Card] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    node_chunks: list[tuple[np.ndarray, np.ndarray, str, np.ndarray]] = field(default_factory=list)
    named_elements: list[NamedElement] = field(default_factory=list)
    given: Given = field(default_factory=Given)
    system: tuple[np.ndarray, np.ndarray] | None = None  # *SYSTEM: origin and axes of the nodes that follow

    def surface(self, name: str) -> SurfaceDraft | None:
        """The surface of that name, of faces rather than of nodes."""
        return self.surfaces.get(name) or self.node_surfaces.get(name)

    def add_nodes(self, ids: np.ndarray, points: np.ndarray, file: str, lines: np.ndarray) -> None:
        """Append nodes in the scope's own axes."""
        if self.system is not None:
            points = self.system[0] + points @ self.system[1].T
        self.node_chunks.append((ids, points, file, lines))

    def continued_by(self, other: Scope) -> Scope:
        """This part with what an *INSTANCE block adds to it."""
        joined = Scope(other.name, other.line, NodeTable(self.nodes.source, self.nodes.card))
        shift = len(self.groups)
        joined.groups = self.groups + other.groups
        joined.orientation_nodes = {
            **self.orientation_nodes,
            **{shift + number: nodes for number, nodes in other.orientation_nodes.items()},
        }
        for own, first, second in (
            (joined.node_sets, self.node_sets, other.node_sets),
            (joined.element_sets, self.element_sets, other.element_sets),
        ):
            for sets in (first, second):
                for name, items in sets.items():
                    own[name] = own[name] + items
        joined.surfaces = {**self.surfaces, **other.surfaces}
        joined.node_surfaces = {**self.node_surfaces, **other.node_surfaces}
        joined.orientations = {**self.orientations, **other.orientations}
        joined.distributions = {**self.distributions, **other.distributions}
        joined.cards = self.cards + other.cards
        joined.node_chunks = self.node_chunks + other.node_chunks
        return joined


@dataclass
class Placement:
    """Where an instance stands: points of the part are turned, then moved."""

    rotation: np.ndarray
    translation: np.ndarray

    def points(self, points: np.ndarray) -> np.ndarray:
        """Mesh coordinates of points of the part (n, 3)."""
        return points @ self.rotation.T + self.translation


@dataclass
class Instance:
    """An *INSTANCE card: its own scope (what its block adds), the part it names, and where it stands."""

    scope: Scope
    part: str | None
    line: Line
    placement: Placement


@dataclass
class MaterialDraft:
    """A *MATERIAL card while its own cards are being read; ``unusable`` says why it cannot be computed with."""

    name: str
    line: Line
    elastic: Card | None = None
    density: float | None = None
    alpha: float = 0.0
    beta: float = 0.0
    structural: float = 0.0
    unusable: str = ""

    @property
    def damping(self) -> Damping | None:
        """The damping that the material's cards give."""
        values = (self.alpha, self.beta, self.structural)
        return Damping(*values) if any(values) else None


@dataclass
class Deck:
    """Everything read; filled by the card handlers, turned into a Mesh by ``build``."""

    source: str
    scope: Scope = None
    root: Scope = None
    parts: dict[str, Scope] = field(default_factory=dict)
    instances: dict[str, Instance] = field(default_factory=dict)
    materials: dict[str, MaterialDraft] = field(default_factory=dict)
    material: MaterialDraft | None = None
    skipped: SkipList = field(default_factory=SkipList)
    warnings: list[str] = field(default_factory=list)
    written_for: set[str] = field(default_factory=set)  # "Abaqus", "CalculiX": where a card is known to one of them only
    open_blocks: list[Card] = field(default_factory=list)  # *PART, *ASSEMBLY, *INSTANCE, *STEP without their end yet
    assembly: str = ""  # its name, which may stand before names of what is in it
    generated: int = 0  # nodes and elements that generating cards have made

    def __post_init__(self) -> None:
        self.root = self.scope = self.new_scope("", None)

    def in_assembly(self, name: str) -> str:
        """A name without that of the assembly before it: ASSEMBLY.INSTANCE.SET is INSTANCE.SET."""
        return name.removeprefix(self.assembly + ".") if self.assembly else name

    def new_scope(self, name: str, line: Line | None) -> Scope:
        """An empty scope of this deck."""
        return Scope(name, line, NodeTable(self.source, "*NODE"))
