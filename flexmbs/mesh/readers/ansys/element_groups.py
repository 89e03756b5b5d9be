"""From the elements as the deck has them to those of a mesh, of one kind and with the same attributes each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.true_elements import TrueElements
from flexmbs.mesh.readers.ansys.deck import Deck, attributes_of
from flexmbs.mesh.readers.ansys.element_types import mesh_only_kind, routine_of_type


@dataclass
class Sorted:
    """All elements, with indices of nodes: those of the body, and those that are none, whose roles say what they are.

    Their data has "orientation", of beams the third node or -1.
    """

    true: TrueElements
    structural: list[ElementRows] = field(default_factory=list)
    others: list[ElementRows] = field(default_factory=list)


def sort_elements(deck: Deck) -> Sorted:
    """Give every element its true kind.

    Raises MeshError for elements of a type that no ET defines, and with a number of nodes that their type cannot have,
    and when there are none of a body.
    """
    elements, mesh_only = Sorted(TrueElements(deck.nodes.ids, deck.nodes.points)), []
    for given in _with_same_attributes(deck):
        rows = _typed(deck, given)
        for part in elements.true.of(rows) if rows.kind else [rows]:
            of_body = mesh_only if part.type_name == "MESH200" else elements.structural
            (of_body if part.kind else elements.others).append(part)
    deck.warnings.update(dict.fromkeys(elements.true.warnings))
    if mesh_only and not elements.structural:
        deck.warn(f"{mesh_only[0].where(0)}: the elements are MESH200 (mesh only); they are read as structural elements.")
        highest = max(KINDS[rows.kind].dimension for rows in mesh_only)
        elements.structural = [rows for rows in mesh_only if KINDS[rows.kind].dimension == highest]
        mesh_only = [rows for rows in mesh_only if KINDS[rows.kind].dimension < highest]
    elements.others += [replace(rows, kind=None, role="geometry") for rows in mesh_only]  # names places on other elements
    if not elements.structural:
        held = ", ".join(dict.fromkeys(f"{rows.type_name} ({rows.role})" for rows in elements.others[:2000]))
        what = f"no element in the deck {deck.source.path.name} can form a flexible body; it has {held}"
        where = elements.others[0].where(0)
        raise MeshError(f"{where}: ET: {what}. Three-dimensional solids, shells, beams or trusses are required.")
    return elements


def _with_same_attributes(deck: Deck) -> Iterator[ElementRows]:
    """The elements in groups with the same attributes and number of nodes; those of single commands are put together first."""
    for file, run in groupby(deck.elements, key=_file_of_one):
        for own in run if file is None else [_joined(list(run))]:
            counts = own.data["counts"]
            keys, which = np.unique(np.column_stack([own.data["attributes"], counts]), axis=0, return_inverse=True)
            for number, count in enumerate(keys[:, 5].tolist()):
                chosen = np.flatnonzero(which.ravel() == number)
                yield own.take(chosen, nodes=own.nodes[chosen, :count])


def _file_of_one(elements: ElementRows) -> str | None:
    return elements.file if len(elements.ids) == 1 else None


def _joined(run: list[ElementRows]) -> ElementRows:
    width = max(own.nodes.shape[1] for own in run)
    nodes = np.concatenate([np.pad(own.nodes, ((0, 0), (0, width - own.nodes.shape[1]))) for own in run])
    ids, lines = np.concatenate([own.ids for own in run]), np.concatenate([own.lines for own in run])
    data = {name: np.concatenate([own.data[name] for own in run]) for name in run[0].data}
    return replace(run[0], ids=ids, nodes=nodes, lines=lines, data=data)


def _typed(deck: Deck, rows: ElementRows) -> ElementRows:
    """Elements with the same attributes with their kind or role, and indices of nodes."""
    number = attributes_of(rows)[1]
    if number not in deck.types:
        what = f"element {rows.ids[0]} has type {number}, which no ET command defines"
        raise MeshError(f"{rows.where(0)}: {what}; add ET with the name of the element (ET,1,SOLID186).")
    known = deck.types[number]
    routine = routine_of_type(deck, known)
    kind = mesh_only_kind(known.option(1)) if routine.name == "MESH200" else routine.kind
    rows = replace(rows, kind=kind, type_name=routine.name, role="" if kind else routine.role)
    return (_shaped(deck, rows) if kind else rows).with_indices(deck.nodes)


def _shaped(deck: Deck, rows: ElementRows) -> ElementRows:
    """The elements with the kind and nodes of their number; what beams have more is their orientation node."""
    count, needed = rows.nodes.shape[1], KINDS[rows.kind].node_count
    if count > needed:
        orientation = rows.nodes[:, needed] if rows.kind.startswith("beam") else np.zeros(len(rows.nodes), np.int64)
        given = np.flatnonzero(orientation)
        points = np.full(len(orientation), -1)
        if given.size:
            points[given] = deck.nodes.indices(orientation[given], rows.where(int(given[0])), "the orientation of a beam")
        return replace(rows, nodes=rows.nodes[:, :needed], data={**rows.data, "orientation": points})
    kind = _with_fewer_nodes(rows.kind, count) or rows.kind if count < needed else rows.kind
    if count < KINDS[kind].corner_count:
        what = f"{rows.where(0)}: element {rows.ids[0]} ({rows.type_name}) has {count} nodes"
        raise MeshError(f"{what}; it needs at least {KINDS[kind].corner_count}.")
    return replace(rows, kind=kind, nodes=np.pad(rows.nodes, ((0, 0), (0, KINDS[kind].node_count - count))))


def _with_fewer_nodes(kind: str, count: int) -> str | None:
    """The kind of an element with fewer nodes than its type has (some exporters write SOLID186 with 15: a wedge)."""
    whole = KINDS[kind]
    for name, known in KINDS.items():
        same_order = known.has_middle_nodes == whole.has_middle_nodes or whole.dimension == 2
        if known.dimension == whole.dimension >= 2 and known.corner_count < whole.corner_count and same_order:
            if known.node_count == count:
                return name
    return None
