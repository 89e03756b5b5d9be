"""The whole deck with its instances placed: nodes and elements by one running number each, and their names.

A *region* is the model itself or one instance of a part; its nodes and elements have the file's numbers, which several
instances may share. Across regions a node is its index into the points of the mesh, an element its *serial* number in
the order of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.properties import AnyMaterial
from flexmbs.mesh.reader_tools.element_blocks import TrueElements
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, NumberIndex, check_element_numbers, row_labels
from flexmbs.mesh.readers.abaqus.cards import is_integer, label
from flexmbs.mesh.readers.abaqus.deck import Deck, Scope
from flexmbs.mesh.readers.abaqus.node_and_element_cards import element_type

_MOST_PLACED_NODES = 20_000_000


class Region:
    """A placed scope: ``rows`` are its elements with serial numbers as ids and node indices as nodes.

    These begin at the offsets; ``named`` are more elements, whose nodes are indices already. ``points`` (n, 3) in the mesh.
    """

    def __init__(self, source: str, scope: Scope, node_offset: int, element_offset: int, named: list[ElementRows]) -> None:
        self.scope, self.name = scope, scope.name  # the name is empty for the model itself
        table, placement = NodeTable(source, "*NODE"), scope.placement
        for chunk in scope.node_chunks:
            moved = chunk.points @ placement.rotation.T + placement.translation if self.name else chunk.points
            table.add(*chunk._replace(points=moved))
        if scope.node_chunks:
            table.close()
        elif scope.groups:
            raise MeshError(f"{scope.groups[0].where(0)}: *ELEMENT: there are no nodes for the elements.")
        self.points = table.points if scope.node_chunks else np.empty((0, 3))
        self.nodes = NumberIndex(table.ids if scope.node_chunks else np.empty(0, np.int64), node_offset)
        groups = [*scope.groups, *named]
        check_element_numbers(groups)
        self.elements = NumberIndex(np.concatenate([np.empty(0, np.int64), *[group.ids for group in groups]]), element_offset)
        starts = element_offset + np.cumsum([0, *[len(group.ids) for group in groups]])
        placed_groups = [*(self._with_indices(group, table) for group in scope.groups), *named]
        self.rows = [
            replace(group, ids=np.arange(start, start + len(group.ids)))
            for group, start in zip(placed_groups, starts[:-1].tolist(), strict=True)
        ]
        # What is placed is not placed again, and its numbers can go (other instances have lists of their own).
        scope.groups, scope.node_chunks = [], []

    def _with_indices(self, group: ElementRows, table: NodeTable) -> ElementRows:
        nodes, data = group.with_indices(table).nodes, {}
        if "orienting" in group.data:
            numbers = group.data["orienting"]
            data["orienting"] = self.nodes.find(numbers)
            wrong = np.flatnonzero((data["orienting"] < 0) & (numbers != 0))
            if wrong.size:
                where, beam, node = group.where(wrong[0]), group.ids[wrong[0]], numbers[wrong[0]]
                raise MeshError(f"{where}: *ELEMENT: no *NODE defines node {node}, which orients beam {beam}.")
        return replace(group, nodes=np.where(nodes < 0, -1, nodes + self.nodes.offset) if self.nodes.offset else nodes, data=data)


@dataclass
class Model:
    """Everything placed, and what the names stand for."""

    deck: Deck
    regions: list[Region]
    materials: dict[str, AnyMaterial]

    def __post_init__(self) -> None:
        *self.instances, self.root = self.regions  # the placed parts, and the model itself
        self.points, self.node_ids, self.element_numbers = (
            parts[0] if len(parts) == 1 else np.concatenate(parts)
            for parts in zip(*((region.points, region.nodes.ids, region.elements.ids) for region in self.regions), strict=True)
        )
        self.cards = [(region, card) for region in self.regions for card in region.scope.cards]  # all names are known now
        self._groups = [rows for region in self.regions for rows in region.rows if len(rows.ids)]
        self._starts = np.array([rows.ids[0] for rows in self._groups], np.int64)
        # By serial number: solids that were turned, and elements of which nothing is left.
        self.mirrored, self.collapsed = np.zeros((2, len(self.element_numbers)), bool)

    def take_over(self, true: TrueElements) -> None:
        """The nodes that were made, the warnings, and what is known now of the elements."""
        self.node_ids, self.points = true.ids, true.points
        self.deck.warnings += true.warnings
        for mask, found in ((self.mirrored, true.mirrored), (self.collapsed, true.collapsed)):
            mask[np.concatenate([np.empty(0, np.int64), *found])] = True
        for rows in self._groups:
            if kind := shape_of(rows):
                rows.nodes = true.filled(kind, rows.nodes)

    def place_of(self, region: Region, name: str, has: Callable[[Region, str], bool]) -> tuple[Region, str] | None:
        """Which region has what a card of ``region`` calls ``name``, and its name there; None when none ``has`` it.

        NAME or INSTANCE.NAME, both also after the name of the assembly; in the assembly NAME of what one instance has.
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

    @cached_property
    def free_faces(self) -> dict[int, list[np.ndarray]]:
        """By the id() of each group of solids: for each of its faces the (k,) bool that says where no other solid has it."""
        groups = [rows for rows in self._groups if rows.kind is not None and KINDS[rows.kind].dimension == 3]
        rings = [(rows, list(ring)) for rows in groups for ring in KINDS[rows.kind].faces]
        labels = row_labels(np.concatenate([_three_corners(rows.nodes[:, ring]) for rows, ring in rings]))
        exists = np.concatenate([~self.collapsed[rows.ids] for rows, _ in rings])
        alone = (np.bincount(labels, weights=exists)[labels] == 1) & exists
        found: dict[int, list[np.ndarray]] = {}
        for (rows, _), free in zip(rings, np.split(alone, np.cumsum([len(rows.ids) for rows, _ in rings])[:-1]), strict=True):
            found.setdefault(id(rows), []).append(free)
        return found

    def material(self, name: str, where: str) -> AnyMaterial:
        """A material by its name, or MeshError."""
        if name not in self.materials:
            known = near_names(name, self.materials)
            raise MeshError(f"{where} names the material {name}, which is not defined; add *MATERIAL, NAME={name}. {known}")
        return self.materials[name]

    def undefined(self, what: str, name: str, where: str, names: Callable[[Region], Iterable[str]]) -> MeshError:
        """The error about a name that none of the regions has, whose names are given by ``names``."""
        known = [self.final_name(region, own) for region in self.regions for own in names(region)]
        return MeshError(f"{where} names the {what} {name}, which is not defined. {near_names(name, known)}")

    def final_name(self, region: Region, name: str) -> str:
        """Name in the mesh of a set of a region: INSTANCE.SET when there are several instances."""
        if region is self.root:
            return self.deck.in_assembly(name)
        taken = name in self.root.scope.node_sets or name in self.root.scope.element_sets
        return f"{region.name}.{name}" if taken or len(self.instances) > 1 else name


def shape_of(rows: ElementRows) -> str | None:
    """Kind of the element itself, or of the face that it is (CPS3: "tri3")."""
    shape = rows.kind or element_type(rows.type_name).shape
    return shape if shape in KINDS else None


def _three_corners(faces: np.ndarray) -> np.ndarray:
    """(k, 3) the highest numbers, each once, of faces (k, 3 or 4): they tell faces apart, whatever their number of corners."""
    corners = np.sort(faces, axis=1)
    corners[:, :-1][corners[:, :-1] == corners[:, 1:]] = -1
    return np.sort(corners, axis=1)[:, -3:] + 1


def placed(deck: Deck, materials: dict[str, AnyMaterial]) -> Model:
    """The model of a deck. Raises MeshError for double numbers, elements on missing nodes."""
    scopes = list((deck.instances or deck.parts).values())
    if deck.parts and not deck.instances:
        deck.warn(f"{deck.source}: parts without *INSTANCE are placed at their own coordinates.")
    total = 0  # few lines place a large part many times
    for scope in scopes if deck.instances else ():
        total += sum(len(chunk[0]) for chunk in scope.node_chunks)
        if total > _MOST_PLACED_NODES:
            where = f"{scope.line.where}: *INSTANCE {scope.name}"
            raise MeshError(f"{where}: the instances have more than {_MOST_PLACED_NODES} nodes; split them into several files.")
    nodes = elements = 0
    regions: list[Region] = []
    for scope in (*scopes, deck.root):
        named = _named_elements(deck, regions, nodes) if scope is deck.root else []
        regions.append(Region(deck.source, scope, nodes, elements, named))
        nodes, elements = nodes + len(regions[-1].nodes.ids), elements + len(regions[-1].elements.ids)
    if not nodes:
        raise MeshError(f"{deck.source}:1: the file has no *NODE with data, so it holds no Abaqus/CalculiX mesh.")
    return Model(deck, regions, materials)


def _named_elements(deck: Deck, instances: list[Region], offset: int) -> list[ElementRows]:
    """Elements of the assembly between nodes of instances; MeshError when one of these does not exist."""
    groups = []

    def index_of(name: str) -> int:
        if is_integer(name):
            found = np.flatnonzero(own == int(name))
            return offset + int(found[0]) if found.size else -1
        for instance in instances:
            rest = name.removeprefix(instance.name + ".")
            if rest != name and is_integer(rest):
                return int(instance.nodes.find(int(rest)))
        return -1

    own = np.concatenate([np.empty(0, np.int64), *[chunk.ids for chunk in deck.root.node_chunks]])
    for rows in deck.root.named_elements:
        where, names = f"{rows.where(0)}: *ELEMENT: element {rows.ids[0]}", rows.nodes[0].tolist()
        nodes = [index_of(deck.in_assembly(label(name))) for name in names]
        orienting = rows.data.get("orienting", np.empty(0, object)).tolist()  # one or none
        found = [index_of(deck.in_assembly(label(name))) for name in orienting]
        unknown = [name for name, node in zip(names + orienting, nodes + found, strict=True) if name and node < 0]
        if unknown:
            raise MeshError(f"{where} ({rows.type_name}) uses node {unknown[0][:40]}, which no *NODE defines.")
        if rows.kind and min(nodes, default=-1) < 0:
            raise MeshError(f"{where} lacks a node.")
        groups.append(replace(rows, nodes=np.array([nodes]), data={"orienting": np.array(found)} if found else {}))
    return groups
