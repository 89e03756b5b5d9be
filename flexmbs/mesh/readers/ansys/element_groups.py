"""From the elements as the deck has them to groups of one kind, property and shape each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.ansys.deck import Deck, Elements, ElementType
from flexmbs.mesh.readers.ansys.element_types import Routine, mesh_only_kind, routine_of_type

Key = tuple[int, int, int, int, int]  # material, type, real constants, section, coordinate system


@dataclass
class Group:
    """Elements of one kind with the same attributes; ``orientation``: third node of beams, 0 where there is none."""

    rows: ElementRows
    key: Key
    routine: Routine
    orientation: np.ndarray


@dataclass
class Sorted:
    """All elements: those of bodies, those that are none, and those that are made into something else."""

    structural: list[Group] = field(default_factory=list)
    mesh_only: list[Group] = field(default_factory=list)
    other: list[Group] = field(default_factory=list)
    masses: list[Group] = field(default_factory=list)
    rigid: list[Group] = field(default_factory=list)
    new_nodes: list[tuple[np.ndarray, np.ndarray, str]] = field(default_factory=list)  # ids, ends, place


def sort_elements(deck: Deck) -> Sorted:
    """Give every element its true kind.

    Raises MeshError for elements of a type that no ET defines, and with a number of nodes that their type cannot have.
    """
    sorted_elements = Sorted()
    for own in _merged(deck.elements):
        keys, which = np.unique(np.column_stack([own.attributes, own.counts]), axis=0, return_inverse=True)
        for number, values in enumerate(keys.tolist()):
            chosen = np.flatnonzero(which.ravel() == number)
            _sort(deck, sorted_elements, own, chosen, tuple(values[:5]), values[5])
    return sorted_elements


def _merged(elements: list[Elements]) -> list[Elements]:
    """Elements of single commands put together, so that they are handled as fast as those of a block."""
    merged: list[Elements] = []
    run: list[Elements] = []
    for own in [*elements, None]:
        joins = own is not None and len(own.ids) == 1 and (not run or run[0].file == own.file)
        if not joins and run:
            merged.append(_joined(run))
            run = []
        if own is not None and len(own.ids) == 1:
            run.append(own)
        elif own is not None:
            merged.append(own)
    return merged


def _joined(run: list[Elements]) -> Elements:
    width = max(own.nodes.shape[1] for own in run)
    return Elements(
        np.concatenate([own.ids for own in run]),
        np.concatenate([own.attributes for own in run]),
        np.concatenate([np.pad(own.nodes, ((0, 0), (0, width - own.nodes.shape[1]))) for own in run]),
        np.concatenate([own.counts for own in run]),
        run[0].file,
        np.concatenate([own.lines for own in run]),
    )


def _sort(deck: Deck, into: Sorted, own: Elements, chosen: np.ndarray, key: Key, count: int) -> None:
    known = deck.types.get(key[1])
    if known is None:
        raise MeshError(
            f"{own.file}:{own.lines[chosen[0]]}: element {own.ids[chosen[0]]} has type {key[1]}, which no ET command"
            " defines; add ET with the name of the element (ET,1,SOLID186)."
        )
    routine = routine_of_type(deck, known)
    nodes = own.nodes[chosen, :count]

    def rows(kind, role, of=slice(None), numbers=nodes) -> ElementRows:
        return ElementRows(kind, routine.name, own.ids[chosen][of], numbers, own.file, own.lines[chosen][of], role)

    none = np.zeros(len(chosen), np.int64)
    kind = mesh_only_kind(known.option(1)) if routine.name == "MESH200" else routine.kind
    if routine.role in ("mass", "rigid"):
        group = Group(rows(None, routine.role), key, routine, none)
        (into.masses if routine.role == "mass" else into.rigid).append(group)
    elif kind is None:
        into.other.append(Group(rows(None, routine.role), key, routine, none))
    else:
        groups = _true_groups(deck, into, rows, kind, nodes, key, routine)
        (into.mesh_only if routine.name == "MESH200" else into.structural).extend(groups)


def _true_groups(deck: Deck, into: Sorted, rows, kind: str, nodes: np.ndarray, key: Key, routine: Routine) -> list[Group]:
    whole = rows(kind, "")
    kind, nodes, orientation = _shaped(kind, nodes, whole, routine)
    groups = []
    for true, chosen, own_nodes in true_kinds(kind, nodes):
        if not true:
            raise MeshError(
                f"{whole.where(int(chosen[0]))}: EBLOCK: element {whole.ids[chosen[0]]} ({routine.name}) is"
                f" degenerate: its nodes repeat so that nothing is left of it ({own_nodes[0].tolist()}); correct or"
                " remove it."
            )
        _need_corners(true, own_nodes, chosen, whole)
        parts, new = without_missing_middles(true, own_nodes, _next_id(deck, into))
        if len(new.ids):
            into.new_nodes.append((new.ids, new.ends, whole.where(int(chosen[0]))))
        for final, at, final_nodes in parts:
            groups.append(Group(rows(final, "", chosen[at], final_nodes), key, routine, orientation[chosen[at]]))
    return groups


def _shaped(kind: str, nodes: np.ndarray, whole: ElementRows, routine: Routine):
    """Kind and nodes of its number; what beams have more is their orientation node."""
    count, needed = nodes.shape[1], KINDS[kind].node_count
    orientation = np.zeros(len(nodes), np.int64)
    if count > needed:
        if kind.startswith("beam"):
            orientation = nodes[:, needed].copy()
        return kind, nodes[:, :needed], orientation
    if count < needed:
        kind = _with_fewer_nodes(kind, count) or kind
        needed = KINDS[kind].node_count
        if count < KINDS[kind].corner_count:
            raise MeshError(
                f"{whole.where(0)}: element {whole.ids[0]} ({routine.name}) has {count} nodes; it needs at least"
                f" {KINDS[kind].corner_count}."
            )
        nodes = np.pad(nodes, ((0, 0), (0, needed - count)))
    return kind, nodes, orientation


def _with_fewer_nodes(kind: str, count: int) -> str | None:
    """The kind of an element with fewer nodes than its type has (some exporters write SOLID186 with 15: a wedge)."""
    whole = KINDS[kind]
    for name, known in KINDS.items():
        same_order = known.has_middle_nodes == whole.has_middle_nodes or whole.dimension == 2
        if known.dimension == whole.dimension >= 2 and known.corner_count < whole.corner_count and same_order:
            if known.node_count == count:
                return name
    return None


def _need_corners(kind: str, nodes: np.ndarray, chosen: np.ndarray, whole: ElementRows) -> None:
    wrong = np.flatnonzero((nodes[:, : KINDS[kind].corner_count] <= 0).any(axis=1))
    if wrong.size:
        row = int(chosen[wrong[0]])
        raise MeshError(
            f"{whole.where(row)}: element {whole.ids[row]} ({whole.type_name}) lacks a corner node"
            f" ({nodes[wrong[0]].tolist()}); only midside nodes may be omitted."
        )


def _next_id(deck: Deck, into: Sorted) -> int:
    highest = max((int(ids.max(initial=0)) for ids, _ in deck.node_chunks), default=0)
    return 1 + max([highest, *(int(ids.max()) for ids, _, _ in into.new_nodes)])


def type_of(deck: Deck, key: Key) -> ElementType:
    """The ET of elements with these attributes."""
    return deck.types[key[1]]
