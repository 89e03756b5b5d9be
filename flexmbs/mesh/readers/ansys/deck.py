"""What the commands of a deck have said so far: the state that they change, before a Mesh is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.mesh import BoundaryCondition, Coupling
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.text_numbers import Format, parse_format
from flexmbs.mesh.readers.ansys.deck_text import Command, Source

END_OF_BLOCK = re.compile(r"\s*-1\s*($|,)")


@dataclass
class ElementType:
    """Element type of an ET command: number of the routine (186 of SOLID186) and key options."""

    routine: int
    options: dict[int, float]
    where: str

    def option(self, number: int) -> int:
        """Value of KEYOPT(number); 0 when not given."""
        return int(self.options.get(number, 0.0))


@dataclass
class RawSection:
    """Section of a SECTYPE command."""

    number: int
    kind: str
    subtype: str
    name: str
    data: list[list[float | str]] = field(default_factory=list)
    data_where: str = ""
    offset: tuple[str, list[float]] = ("", [])

    def title(self, shape: str = "") -> str:
        """How the mesh calls it."""
        return " ".join(filter(None, ("SECTYPE", str(self.number), shape, self.name)))


@dataclass
class RealConstants:
    """Real constants of an R command by their places, which count from 1; others are 0."""

    place: str
    where: str
    values: dict[int, float] = field(default_factory=dict)

    def __getitem__(self, place: int) -> float:
        return self.values.get(place, 0.0)


@dataclass
class RawTable:
    """Table of a TB command: its label, option and constants by position, of its first temperature."""

    label: str
    option: str
    where: str
    constants: dict[int, float] = field(default_factory=dict)


@dataclass
class RawMaterial:
    """Properties of MP and MPDATA commands (those of the first temperature) and tables of TB."""

    where: str
    values: dict[str, float] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    tables: dict[str, RawTable] = field(default_factory=dict)


@dataclass
class Component:
    """A named set of node or element numbers; ``how``: the command that made it."""

    entity: str
    ids: np.ndarray
    where: str
    how: str


@dataclass
class RawEquation:
    """Terms (node, component, coefficient) of a CE command."""

    name: str
    terms: list[tuple[int, str, float]]
    constant: float
    where: str


# Systems that always exist: global Cartesian, cylindrical about z, spherical, cylindrical about y.
_GLOBAL_SYSTEMS = {
    0: ("rectangular", np.eye(3)),
    1: ("cylindrical", np.eye(3)),
    2: ("spherical", np.eye(3)),
    5: ("cylindrical", np.array([(1.0, 0, 0), (0, 0, 1.0), (0, -1.0, 0)])),
}


@dataclass
class Deck:
    """All that is read from a deck."""

    source: Source
    nodes: NodeTable
    skipped: SkipList = field(default_factory=SkipList)
    warnings: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, float | str | None] = field(default_factory=dict)
    node_chunks: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)  # numbers and places, as read
    # The attributes that elements of E and EN commands get.
    current: dict[str, int] = field(default_factory=lambda: {"MAT": 1, "TYPE": 1, "REAL": 1, "SECN": 1, "ESYS": 0, "CSYS": 0})
    angles: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    # As blocks and commands give them: data has "attributes" (k, 5), material, type, real constants, section and system,
    # and "counts" (k,) of nodes, behind which are zeros.
    elements: list[ElementRows] = field(default_factory=list)
    types: dict[int, ElementType] = field(default_factory=dict)
    reals: dict[int, RealConstants] = field(default_factory=dict)
    sections: dict[int, RawSection] = field(default_factory=dict)
    materials: dict[int, RawMaterial] = field(default_factory=dict)
    components: dict[str, Component] = field(default_factory=dict)
    groups: dict[str, tuple[list[str], str]] = field(default_factory=dict)
    systems: dict[int, CoordinateSystem] = field(default_factory=dict)
    equations: list[RawEquation] = field(default_factory=list)
    # By the name of the set and the component: the numbers of the nodes, and where the first CP command is.
    coupled: dict[tuple[str, str], tuple[list[int], str]] = field(default_factory=dict)
    # With numbers of nodes in place of indices.
    rigid: list[Coupling] = field(default_factory=list)
    supports: list[BoundaryCondition] = field(default_factory=list)
    # Numbers of the selected nodes and elements; None: all; "unknown": a selection that flexmbs does not follow.
    selected: dict[str, np.ndarray | None | str] = field(default_factory=lambda: {"NODE": None, "ELEM": None})
    section: RawSection | None = None  # of the last SECTYPE
    next_constant: tuple[int, int] | None = None  # set of real constants and position, of RMORE
    table: RawTable | None = None  # of the last TB; None behind its first temperature
    highest_element: int = 0
    last_component: str = ""
    processor: str = ""
    rotated_by_command: str = ""
    missing_includes: list[str] = field(default_factory=list)

    def wrong(self, command: Command, text: str) -> MeshError:
        """The error that something is wrong with the present line, which belongs to a command before it."""
        return MeshError(f"{self.source.place}: {command.name}: {text}")

    def format_line(self, command: Command, after: int = 1) -> Format:
        """The format of a block, which stands so many lines behind its command."""
        return parse_format(self.source.next_line() or "", f"{command.file}:{command.line + after}: {command.name}")

    def block_lines(self, command: Command, end: re.Pattern, expected: str) -> list[str]:
        """The next lines of numbers of a block, a chunk of them; none behind the last.

        A line that matches ``end`` ends it; it comes again where its group "next" matches. MeshError for other lines.
        """
        lines = self.source.number_lines()
        if lines:
            return lines
        line = self.source.next_line()
        last = end.match(line) if line is not None else None
        if line is None or last is None:
            found = "the file ends" if line is None else f"{line.strip()[:40]!r} was found"
            raise self.wrong(command, f"{found} within the block that begins in line {command.line}; {expected} after the last.")
        if last.groupdict().get("next") is not None:
            self.source.push_back(line)
        return []

    def data_line(self, command: Command, declared: str) -> str:
        """The next line of a block; MeshError where it ends before it has as many as its first line declares."""
        line = self.source.next_line() or ""
        text = line.strip()
        if text in ("", "-1") or text[0].isalpha() or text[0] in "/*!":
            ends = f"the block of line {command.line} ends before the {declared} that it declares"
            raise self.wrong(command, f"{ends}; the file is cut off or the count is wrong.")
        return line

    def check_count(self, command: Command, found: int, declared: int, what: str) -> None:
        """MeshError where a block had fewer of its things than its first line declares."""
        if found < declared:
            ends = f"the block ends after {found} {what}, but its first line (line {command.line}) declares {declared}"
            raise self.wrong(command, f"{ends}; the file is cut off or the count is wrong.")

    def add_nodes(self, ids: np.ndarray, points: np.ndarray, file: str, lines: np.ndarray) -> None:
        """Append nodes: ``ids`` (k,), ``points`` (k, 3), ``lines`` (k,) of ``file``."""
        self.nodes.add(ids, points, file, lines)
        self.node_chunks.append((ids, points))
        self._select_new("NODE", ids)

    def add_elements(self, elements: ElementRows) -> None:
        """Append elements."""
        self.elements.append(elements)
        self.highest_element = max(self.highest_element, int(elements.ids.max(initial=0)))
        self._select_new("ELEM", elements.ids)

    def type_of(self, elements: ElementRows) -> ElementType:
        """The ET of elements with the same attributes."""
        return self.types[attributes_of(elements)[1]]

    def constants(self, number: int) -> RealConstants | None:
        """A set of real constants; None when there is none, or nothing in it."""
        found = self.reals.get(number)
        return found if found is not None and found.values else None

    def _select_new(self, entity: str, ids: np.ndarray) -> None:
        """New nodes and elements are selected when they are made."""
        selected = self.selected[entity]
        if isinstance(selected, np.ndarray):
            self.selected[entity] = np.union1d(selected, ids)

    def chunks(self, entity: str) -> list[np.ndarray]:
        """Numbers of nodes ("NODE") or elements ("ELEM") as the deck has them."""
        return [ids for ids, _ in self.node_chunks] if entity == "NODE" else [own.ids for own in self.elements]

    def all_ids(self, entity: str) -> np.ndarray:
        """Numbers of all nodes or elements that the deck has defined so far."""
        return np.unique(joined(self.chunks(entity)))

    def selected_ids(self, entity: str) -> np.ndarray | None:
        """Numbers of the selected nodes or elements; None when they are not known."""
        selected = self.selected[entity]
        known = self.all_ids(entity) if selected is None else selected
        return known if isinstance(known, np.ndarray) else None

    def system(self, number: int) -> CoordinateSystem | None:
        """A coordinate system by its number; None when it is not defined."""
        if number not in _GLOBAL_SYSTEMS:
            return self.systems.get(number)
        kind, axes = _GLOBAL_SYSTEMS[number]
        return CoordinateSystem(str(number), kind, np.zeros(3), axes)

    @property
    def in_solution(self) -> bool:
        """Whether the present commands belong to the solution or what follows it, where none says what the body is."""
        return self.processor in ("/SOLU", "/POST")

    def warn(self, message: str) -> None:
        """Note what is suspicious, once."""
        self.warnings.setdefault(message)

    def skip(self, name: str, place: str, why: str = "", analysis: bool = False) -> None:
        """Note that a command in ``place`` ("file:line") is left out (``analysis``: it belongs to no body anyway)."""
        file, _, line = place.rpartition(":")
        self.skipped.add(name, file, int(line), analysis=analysis, why=why)


Attributes = tuple[int, int, int, int, int]


def attributes_of(elements: ElementRows) -> Attributes:
    """Material, type, real constants, section and coordinate system of elements that have the same."""
    return tuple(elements.data["attributes"][0].tolist())


def joined(chunks: list[np.ndarray]) -> np.ndarray:
    """One array of whole numbers, also of none."""
    return np.concatenate(chunks or [np.empty(0, np.int64)])


Handler = Callable[[Deck, Command], None]
#: What does as a command says, by its key.
HANDLERS: dict[str, Handler] = {}


def handles(*keys: str) -> Callable[[Handler], Handler]:
    """States of a function that it does what the commands with these keys say."""

    def add(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(keys, handler))
        return handler

    return add
