"""The whole deck with its instances placed: nodes and elements by one running number each, and their names.

A *region* is the model itself or one instance of a part; its nodes and elements have the file's numbers, which several
instances may share. Across regions a node is its index into the points of the mesh, an element its *serial* number in
the order of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, check_element_numbers
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.deck import Deck, Placement, Scope
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.element_types import element_type
from flexmbs.mesh.readers.abaqus.number_tables import is_integer

_MOST_PLACED_NODES = 20_000_000


@dataclass
class Region:
    """A placed scope: ``rows`` are its elements with serial numbers as ids and node indices as nodes."""

    scope: Scope
    placement: Placement
    node_offset: int
    element_offset: int
    rows: list[ElementRows] = field(default_factory=list)
    _table: NodeTable | None = None
    _sorted_nodes: np.ndarray | None = None
    _node_order: np.ndarray | None = None
    _sorted_elements: np.ndarray | None = None
    _element_order: np.ndarray | None = None

    @property
    def name(self) -> str:
        """Name of the instance; empty for the model itself."""
        return self.scope.name

    @property
    def node_count(self) -> int:
        """Number of its nodes."""
        return 0 if self._table is None else len(self._table.ids)

    @property
    def node_ids(self) -> np.ndarray:
        """The file's numbers of its nodes."""
        return np.empty(0, np.int64) if self._table is None else self._table.ids

    @property
    def points(self) -> np.ndarray:
        """Mesh coordinates of its nodes."""
        return np.empty((0, 3)) if self._table is None else self._table.points

    def close(self, source: str, named: Sequence[ElementRows] = ()) -> np.ndarray:
        """Number nodes and elements; the file's element numbers are returned in the order of the serial ones.

        ``named`` are more elements, whose nodes are indices already.
        """
        table = NodeTable(source, "*NODE")
        for ids, points, file, lines in self.scope.node_chunks:
            table.add(ids, self.placement.points(points) if self.name else points, file, lines)
        if self.scope.node_chunks:
            table.close()
            self._table = table
        check_element_numbers([*self.scope.groups, *named])
        serial = self.element_offset
        for group in self.scope.groups:
            if self._table is None:
                raise MeshError(f"{group.where(0)}: *ELEMENT: there are no nodes for the elements.")
            nodes = group.node_indices(self._table)
            if self.node_offset or group.kind is None:
                nodes = np.where(nodes < 0, -1, nodes + self.node_offset)
            self.rows.append(replace(group, ids=np.arange(serial, serial + len(group.ids)), nodes=nodes))
            serial += len(group.ids)
        for group in named:
            self.rows.append(replace(group, ids=np.arange(serial, serial + len(group.ids))))
            serial += len(group.ids)
        if not self.name:  # parts may be placed again; the model itself is not, and its numbers can go
            self.scope.groups = [replace(group, nodes=group.nodes[:0]) for group in self.scope.groups]
            self.scope.node_chunks = []
        numbers = np.concatenate([np.empty(0, np.int64), *[group.ids for group in (*self.scope.groups, *named)]])
        self._element_order = np.argsort(numbers, kind="stable")
        self._sorted_elements = numbers[self._element_order]
        return numbers

    def find_nodes(self, numbers: np.ndarray) -> np.ndarray:
        """Indices of the file's node numbers; -1 where there is no such node."""
        if self._table is None:
            return np.full(np.shape(numbers), -1)
        found = self._table.find(numbers)
        return np.where(found < 0, -1, found + self.node_offset)

    def find_node(self, number: int) -> int | None:
        """As ``find_nodes`` for one number, many times faster."""
        if self._sorted_nodes is None:
            self._node_order = np.argsort(self.node_ids, kind="stable")
            self._sorted_nodes = self.node_ids[self._node_order]
        at = int(np.searchsorted(self._sorted_nodes, number))
        if at == len(self._sorted_nodes) or self._sorted_nodes[at] != number:
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
        return np.sort(self.node_ids) if self._table is not None else np.empty(0, np.int64)


@dataclass
class Model:
    """Everything placed, and what the names stand for; ``warnings`` grow while it is used."""

    deck: Deck
    regions: list[Region]
    points: np.ndarray
    node_ids: np.ndarray
    element_numbers: np.ndarray
    materials: dict[str, AnyMaterial]
    mirrored: np.ndarray | None = None  # (number of elements,) bool: solids that ``sort_elements`` has turned
    _groups: list[ElementRows] | None = None
    _starts: np.ndarray | None = None

    @property
    def root(self) -> Region:
        """The model itself."""
        return self.regions[-1]

    @property
    def instances(self) -> list[Region]:
        """The placed parts."""
        return self.regions[:-1]

    def warn(self, message: str) -> None:
        """Add a warning of the mesh."""
        self.deck.warnings.append(message)

    def skip(self, card: Card, why: str = "", line: Line | None = None, analysis: bool = False) -> None:
        """Note a card, or one of its lines, that is left out."""
        line = line or card.line
        self.deck.skipped.add(card.title, line.file, line.number, analysis=analysis, why=why)

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

    def rows_of(self, serials: np.ndarray):
        """(rows, positions in ``serials``, rows in the group) of each group of elements that has some of them."""
        if self._groups is None:
            self._groups = [rows for region in self.regions for rows in region.rows if len(rows.ids)]
            self._starts = np.array([rows.ids[0] for rows in self._groups], np.int64)
        group = np.searchsorted(self._starts, serials, "right") - 1
        for number in np.unique(group).tolist():
            chosen = np.flatnonzero(group == number)
            yield self._groups[number], chosen, serials[chosen] - self._starts[number]

    def nodes_of_elements(self, serials: np.ndarray) -> np.ndarray:
        """Node indices of elements, each once, rising."""
        parts = [np.unique(rows.nodes[own]) for rows, _, own in self.rows_of(serials)]
        nodes = np.unique(np.concatenate(parts or [np.empty(0, np.int64)]))
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
    """The model of a deck. Raises MeshError for unknown parts, double numbers, elements on missing nodes."""
    regions = []
    fixed = Placement(np.eye(3), np.zeros(3))
    if deck.parts and not deck.instances:
        deck.warnings.append(f"{deck.source}: parts without *INSTANCE are placed at their own coordinates.")
        scopes = [(part, fixed) for part in deck.parts.values()]
    else:
        scopes = [(_instance_scope(deck, instance), instance.placement) for instance in deck.instances.values()]
        _check_size(deck, [scope for scope, _ in scopes])
    nodes = elements = 0
    numbers = []
    for scope, placement in [*scopes, (deck.root, fixed)]:
        region = Region(scope, placement, nodes, elements)
        named = named_elements(deck, regions, region) if scope is deck.root else ()
        numbers.append(region.close(deck.source, named))
        nodes, elements = nodes + region.node_count, elements + len(numbers[-1])
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


def _check_size(deck: Deck, scopes: list[Scope]) -> None:
    """Few lines place a large part many times: MeshError before there are more nodes than a body can have."""
    total = 0
    for scope in scopes:
        total += sum(len(chunk[0]) for chunk in scope.node_chunks)
        if total > _MOST_PLACED_NODES:
            raise MeshError(
                f"{scope.line.where}: *INSTANCE {scope.name}: the instances have more than {_MOST_PLACED_NODES}"
                " nodes; split them into several files."
            )


def named_elements(deck: Deck, instances: list[Region], root: Region) -> list[ElementRows]:
    """Elements of the assembly between nodes of instances; MeshError when one of these does not exist."""
    groups = []
    own = np.concatenate([chunk[0] for chunk in deck.root.node_chunks] or [np.empty(0, np.int64)])
    for element in deck.root.named_elements:
        nodes = []
        for text in element.nodes:
            found = _named_node(deck.in_assembly(label(text)), instances, own, root.node_offset)
            if found is None or (found < 0 and text):
                raise MeshError(
                    f"{element.line.where}: *ELEMENT: element {element.number} ({element.type_name}) uses node"
                    f" {text[:40]}, which no *NODE defines."
                )
            nodes.append(found)
        known = element_type(element.type_name)
        if known.kind and min(nodes, default=-1) < 0:
            raise MeshError(f"{element.line.where}: *ELEMENT: element {element.number} lacks a node.")
        order = list(known.order or range(len(nodes)))[: min(known.counts or (len(nodes),))]
        groups.append(
            ElementRows(
                known.kind,
                element.type_name,
                np.array([element.number]),
                np.array([nodes])[:, order],
                element.line.file,
                np.array([element.line.number]),
                known.role,
            )
        )
    return groups


def _named_node(name: str, instances: list[Region], own: np.ndarray, offset: int) -> int | None:
    if not name:
        return -1
    if is_integer(name):
        found = np.flatnonzero(own == int(name))
        return offset + int(found[0]) if found.size else None
    for instance in instances:
        rest = name.removeprefix(instance.name + ".")
        if rest != name and is_integer(rest):
            return int(instance.find_nodes(np.array([int(rest)]))[0])
    return None


def _instance_scope(deck: Deck, instance) -> Scope:
    if instance.part is None:
        return instance.scope
    if instance.part not in deck.parts:
        raise MeshError(
            f"{instance.line.where}: *INSTANCE names the part {instance.part}, which is not defined."
            f" {near_names(instance.part, deck.parts)}"
        )
    return deck.parts[instance.part].continued_by(instance.scope)
