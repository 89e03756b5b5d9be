"""From the elements as the deck has them to groups of one kind, property and shape each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.true_elements import TrueElements
from flexmbs.mesh.readers.ansys.deck import Deck, Elements, ElementType
from flexmbs.mesh.readers.ansys.element_types import Routine, mesh_only_kind, routine_of_type

Key = tuple[int, int, int, int, int]  # material, type, real constants, section, coordinate system


@dataclass
class Group:
    """Elements of one kind with the same attributes; ``rows.data`` has "orientation", of beams the third node or -1."""

    rows: ElementRows
    key: Key
    routine: Routine


@dataclass
class Sorted:
    """All elements, with indices of nodes: those of bodies, those that are none, and those that are made into something else."""

    true: TrueElements
    structural: list[Group] = field(default_factory=list)
    mesh_only: list[Group] = field(default_factory=list)
    other: list[Group] = field(default_factory=list)
    masses: list[Group] = field(default_factory=list)
    rigid: list[Group] = field(default_factory=list)


def sort_elements(deck: Deck) -> Sorted:
    """Give every element its true kind.

    Raises MeshError for elements of a type that no ET defines, and with a number of nodes that their type cannot have.
    """
    sorted_elements = Sorted(TrueElements(deck.nodes.ids, deck.nodes.points))
    for own in _merged(deck.elements):
        keys, which = np.unique(np.column_stack([own.attributes, own.counts]), axis=0, return_inverse=True)
        for number, values in enumerate(keys.tolist()):
            chosen = np.flatnonzero(which.ravel() == number)
            _sort(deck, sorted_elements, own, chosen, tuple(values[:5]), values[5])
    deck.warnings.update(dict.fromkeys(sorted_elements.true.warnings))
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
    kind = mesh_only_kind(known.option(1)) if routine.name == "MESH200" else routine.kind
    none = routine.role in ("mass", "rigid") or kind is None
    nodes, ids, lines = own.nodes[chosen, :count], own.ids[chosen], own.lines[chosen]
    rows = ElementRows(None if none else kind, routine.name, ids, nodes, own.file, lines, routine.role if none else "")
    if none:
        group = Group(rows.with_indices(deck.nodes), key, routine)
        {"mass": into.masses, "rigid": into.rigid}.get(routine.role, into.other).append(group)
        return
    for part in into.true.of(_shaped(deck, rows).with_indices(deck.nodes)):
        groups = into.other if not part.kind else into.mesh_only if routine.name == "MESH200" else into.structural
        groups.append(Group(part, key, routine))


def _shaped(deck: Deck, rows: ElementRows) -> ElementRows:
    """The elements with the kind and nodes of their number; what beams have more is their orientation node."""
    count, needed = rows.nodes.shape[1], KINDS[rows.kind].node_count
    if count > needed:
        orientation = rows.nodes[:, needed] if rows.kind.startswith("beam") else np.zeros(len(rows.nodes), np.int64)
        given = np.flatnonzero(orientation)
        points = np.full(len(orientation), -1)
        if given.size:
            points[given] = deck.nodes.indices(orientation[given], rows.where(int(given[0])), "the orientation of a beam")
        return rows.take(slice(None), nodes=rows.nodes[:, :needed], data={"orientation": points})
    kind = _with_fewer_nodes(rows.kind, count) or rows.kind if count < needed else rows.kind
    if count < KINDS[kind].corner_count:
        what = f"{rows.where(0)}: element {rows.ids[0]} ({rows.type_name}) has {count} nodes"
        raise MeshError(f"{what}; it needs at least {KINDS[kind].corner_count}.")
    return rows.take(slice(None), kind=kind, nodes=np.pad(rows.nodes, ((0, 0), (0, KINDS[kind].node_count - count))))


def _with_fewer_nodes(kind: str, count: int) -> str | None:
    """The kind of an element with fewer nodes than its type has (some exporters write SOLID186 with 15: a wedge)."""
    whole = KINDS[kind]
    for name, known in KINDS.items():
        same_order = known.has_middle_nodes == whole.has_middle_nodes or whole.dimension == 2
        if known.dimension == whole.dimension >= 2 and known.corner_count < whole.corner_count and same_order:
            if known.node_count == count:
                return name
    return None


def type_of(deck: Deck, key: Key) -> ElementType:
    """The ET of elements with these attributes."""
    return deck.types[key[1]]
