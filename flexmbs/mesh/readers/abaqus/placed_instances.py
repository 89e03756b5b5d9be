"""The whole deck with its instances placed: nodes and elements by one running number each, and their names.

A *region* is the model itself or one instance of a part; its nodes and elements have the file's numbers, which several
instances may share. Across regions a node is its index into the points of the mesh, an element its *serial* number in
the order of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, check_element_numbers
from flexmbs.mesh.readers.abaqus.deck import Deck, Scope
from flexmbs.mesh.readers.abaqus.deck_text import Line, label
from flexmbs.mesh.readers.abaqus.element_types import element_type
from flexmbs.mesh.readers.abaqus.number_tables import is_integer

_MOST_PLACED_NODES = 20_000_000


@dataclass
class Region:
    """A placed scope: ``rows`` are its elements with serial numbers as ids and node indices as nodes."""

    scope: Scope
    node_offset: int
    element_offset: int
    rows: list[ElementRows] = field(default_factory=list)
    node_ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    points: np.ndarray = field(default_factory=lambda: np.empty((0, 3)))  # in the mesh
    _table: NodeTable | None = None
    _sorted_nodes: np.ndarray | None = None

    @property
    def name(self) -> str:
        """Name of the instance; empty for the model itself."""
        return self.scope.name

    def close(self, source: str, named: Sequence[ElementRows] = ()) -> np.ndarray:
        """Number nodes and elements; the file's element numbers are returned in the order of the serial ones.

        ``named`` are more elements, whose nodes are indices already.
        """
        table = NodeTable(source, "*NODE")
        for ids, points, file, lines in self.scope.node_chunks:
            if self.name:
                points = points @ self.scope.placement.rotation.T + self.scope.placement.translation
            table.add(ids, points, file, lines)
        if self.scope.node_chunks:
            table.close()
            self._table, self.node_ids, self.points = table, table.ids, table.points
        groups = [*self.scope.groups, *named]
        check_element_numbers(groups)
        serial = self.element_offset
        for position, group in enumerate(groups):
            nodes = group.nodes
            if position < len(self.scope.groups):
                if self._table is None:
                    raise MeshError(f"{group.where(0)}: *ELEMENT: there are no nodes for the elements.")
                nodes = self._in_mesh(group.node_indices(self._table))
            self.rows.append(replace(group, ids=np.arange(serial, serial + len(group.ids)), nodes=nodes))
            serial += len(group.ids)
        # What is placed is not placed again, and its numbers can go (other instances have lists of their own).
        self.scope.groups = [replace(group, nodes=group.nodes[:0]) for group in self.scope.groups]
        self.scope.node_chunks = []
        numbers = np.concatenate([np.empty(0, np.int64), *[group.ids for group in groups]])
        self._element_order = np.argsort(numbers, kind="stable")
        self._sorted_elements = numbers[self._element_order]
        return numbers

    def _in_mesh(self, found: np.ndarray) -> np.ndarray:
        return np.where(found < 0, -1, found + self.node_offset) if self.node_offset else found

    def find_nodes(self, numbers: np.ndarray) -> np.ndarray:
        """Indices of the file's node numbers; -1 where there is no such node."""
        return np.full(np.shape(numbers), -1) if self._table is None else self._in_mesh(self._table.find(numbers))

    def find_node(self, number: int) -> int | None:
        """As ``find_nodes`` for one number, many times faster."""
        known = self.existing(elements=False)
        at = int(np.searchsorted(known, number))
        if at == len(known) or known[at] != number:
            return None
        return int(self._node_order[at]) + self.node_offset

    def find_elements(self, numbers: np.ndarray) -> np.ndarray:
        """Serial numbers of the file's element numbers; -1 where there is no such element."""
        if not len(self._sorted_elements):
            return np.full(np.shape(numbers), -1)
        at = np.minimum(np.searchsorted(self._sorted_elements, numbers), len(self._sorted_elements) - 1)
        return np.where(self._sorted_elements[at] == numbers, self._element_order[at] + self.element_offset, -1)

    def existing(self, elements: bool) -> np.ndarray:
        """The file's numbers of its nodes or elements, rising."""
        if elements:
            return self._sorted_elements
        if self._sorted_nodes is None:
            self._node_order = np.argsort(self.node_ids, kind="stable")
            self._sorted_nodes = self.node_ids[self._node_order]
        return self._sorted_nodes


@dataclass
class Model:
    """Everything placed, and what the names stand for."""

    deck: Deck
    regions: list[Region]
    points: np.ndarray
    node_ids: np.ndarray
    element_numbers: np.ndarray
    materials: dict[str, AnyMaterial]
    mirrored: np.ndarray | None = None  # (number of elements,) bool: solids that ``sort_elements`` has turned

    def __post_init__(self) -> None:
        *self.instances, self.root = self.regions  # the placed parts, and the model itself
        self._groups = [rows for region in self.regions for rows in region.rows if len(rows.ids)]
        self._starts = np.array([rows.ids[0] for rows in self._groups], np.int64)

    def region_named(self, name: str, line: Line) -> Region:
        """The instance of that name, or MeshError."""
        for region in self.instances:
            if region.name in (name, self.deck.in_assembly(name)):
                return region
        known = [region.name for region in self.instances]
        raise MeshError(f"{line.where}: INSTANCE={name} is not defined by any *INSTANCE. {near_names(name, known)}")

    def place_of(self, region: Region, name: str, has: Callable[[Region, str], bool]) -> tuple[Region, str] | None:
        """Which region has what a card of ``region`` calls ``name``, and its name there; None when none ``has`` it.

        It may be NAME or INSTANCE.NAME, both also after the name of the assembly; in the assembly also the NAME of
        what only one instance has.
        """
        if has(region, name):
            return region, name
        inner = self.deck.in_assembly(name)
        if inner != name and has(self.root, inner):
            return self.root, inner
        for text in dict.fromkeys((name, inner)):
            for instance in self.instances:
                rest = text.removeprefix(instance.name + ".")
                if rest != text and has(instance, rest):
                    return instance, rest
        holders = [instance for instance in self.instances if has(instance, name)]
        return (holders[0], name) if region is self.root and len(holders) == 1 else None

    def rows_of(self, serials: np.ndarray) -> Iterator[tuple[ElementRows, np.ndarray]]:
        """(group, rows in it) of each group of elements that has some with these serial numbers."""
        group = np.searchsorted(self._starts, serials, "right") - 1
        for number in np.unique(group).tolist():
            yield self._groups[number], serials[group == number] - self._starts[number]

    def nodes_of_elements(self, serials: np.ndarray) -> np.ndarray:
        """Node indices of elements, each once, rising."""
        parts = [np.unique(rows.nodes[own]) for rows, own in self.rows_of(serials)]
        nodes = np.unique(np.concatenate([np.empty(0, np.int64), *parts]))
        return nodes[nodes >= 0]

    def material(self, name: str, where: str) -> AnyMaterial:
        """A material by its name, or MeshError."""
        if name not in self.materials:
            raise MeshError(
                f"{where} names the material {name}, which is not defined; add *MATERIAL, NAME={name}."
                f" {near_names(name, self.materials)}"
            )
        return self.materials[name]

    def final_name(self, region: Region, name: str) -> str:
        """Name in the mesh of a set of a region: INSTANCE.SET when there are several instances."""
        if region is self.root:
            return self.deck.in_assembly(name)
        taken = name in self.root.scope.node_sets or name in self.root.scope.element_sets
        return f"{region.name}.{name}" if taken or len(self.instances) > 1 else name


def placed(deck: Deck, materials: dict[str, AnyMaterial]) -> Model:
    """The model of a deck. Raises MeshError for double numbers, elements on missing nodes."""
    scopes = list((deck.instances or deck.parts).values())
    if deck.parts and not deck.instances:
        deck.warn(f"{deck.source}: parts without *INSTANCE are placed at their own coordinates.")
    total = 0  # few lines place a large part many times
    for scope in scopes if deck.instances else ():
        total += sum(len(chunk[0]) for chunk in scope.node_chunks)
        if total > _MOST_PLACED_NODES:
            raise MeshError(
                f"{scope.line.where}: *INSTANCE {scope.name}: the instances have more than {_MOST_PLACED_NODES}"
                " nodes; split them into several files."
            )
    nodes = elements = 0
    regions: list[Region] = []
    numbers = []
    for scope in (*scopes, deck.root):
        region = Region(scope, nodes, elements)
        named = _named_elements(deck, regions, nodes) if scope is deck.root else ()
        numbers.append(region.close(deck.source, named))
        nodes, elements = nodes + len(region.node_ids), elements + len(numbers[-1])
        regions.append(region)
    if not nodes:
        raise MeshError(f"{deck.source}:1: the file has no *NODE with data, so it holds no Abaqus/CalculiX mesh.")
    only = regions[-1] if len(regions) == 1 else None
    return Model(
        deck,
        regions,
        only.points if only else np.concatenate([region.points for region in regions]),
        only.node_ids if only else np.concatenate([region.node_ids for region in regions]),
        np.concatenate(numbers),
        materials,
    )


def _named_elements(deck: Deck, instances: list[Region], offset: int) -> list[ElementRows]:
    """Elements of the assembly between nodes of instances; MeshError when one of these does not exist."""
    groups = []
    own = np.concatenate([np.empty(0, np.int64), *[chunk[0] for chunk in deck.root.node_chunks]])
    for type_name, number, texts, line in deck.root.named_elements:
        where, nodes = f"{line.where}: *ELEMENT: element {number}", []
        for text in texts:
            nodes.append(_named_node(deck.in_assembly(label(text)), instances, own, offset))
            if text and nodes[-1] < 0:
                raise MeshError(f"{where} ({type_name}) uses node {text[:40]}, which no *NODE defines.")
        known = element_type(type_name)
        if known.kind and min(nodes, default=-1) < 0:
            raise MeshError(f"{where} lacks a node.")
        order = list(known.order or range(len(nodes)))[: min(known.counts or (len(nodes),))]
        indices, lines = np.array([nodes])[:, order], np.array([line.number])
        groups.append(ElementRows(known.kind, type_name, np.array([number]), indices, line.file, lines, known.role))
    return groups


def _named_node(name: str, instances: list[Region], own: np.ndarray, offset: int) -> int:
    """Index of a node of an instance (ROD-1.5) or of the assembly itself; -1 when there is none, as for ground."""
    if is_integer(name):
        found = np.flatnonzero(own == int(name))
        return offset + int(found[0]) if found.size else -1
    for instance in instances:
        rest = name.removeprefix(instance.name + ".")
        if rest != name and is_integer(rest):
            return int(instance.find_nodes(np.array([int(rest)]))[0])
    return -1
