"""From the elements of a file to the blocks of a Mesh; those that only name faces and edges of others are no part of the body.

Generators write elements on the boundaries of solids (triangles on tetrahedra, lines on both) so that groups can refer
to them. They carry no stiffness. Formats without sections cannot say so; what tells them from shells and beams is that
all their corners are corners of one face or edge of an element of higher dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.mesh.element_kinds import KINDS, kind_without_inner_nodes
from flexmbs.mesh.mesh import ElementBlock, UnsupportedElements
from flexmbs.mesh.reader_tools.numbering import ElementRows, NumberIndex, row_labels


def split_skin(
    groups: Sequence[ElementRows], keep: Sequence[np.ndarray | None] | None = None
) -> tuple[list[ElementRows], list[ElementRows]]:
    """Part elements into those that make bodies and those that only name faces and edges of others ("geometry").

    The latter are those all of whose corners are corners of one face (or edge) of an element of higher dimension, unless
    ``keep`` says that they have a section: for each group a (k,) bool array, or None. They get the type name "tri3", "quad8",
    "line2", ... and no kind. Springs are structural always, and nobody's host.
    """
    on_other, kept = [np.zeros(len(rows.ids), bool) for rows in groups], keep or [None] * len(groups)
    for dimension in (2, 1):
        own = [i for i, rows in enumerate(groups) if _dimension(rows) == dimension]
        chosen = [i for i in own if kept[i] is None or not kept[i].all()]
        if not chosen:
            continue
        hosts = [rows for rows in groups if _dimension(rows) > dimension]
        corners = [groups[i].nodes[:, : KINDS[groups[i].kind].corner_count] for i in chosen]
        for i, found in zip(chosen, _on_hosts(corners, hosts, dimension), strict=True):
            on_other[i] = found if kept[i] is None else found & ~kept[i]
    split = list(zip(groups, on_other, strict=True))
    structural = [rows.take(~found) if found.any() else rows for rows, found in split if not found.all()]
    return structural, [_as_geometry(rows.take(found)) for rows, found in split if found.any()]


def face_kind(kind: str) -> str:
    """The kind of face or edge that elements of a kind lie on ("beam3" and "truss3" on "line3")."""
    return f"line{KINDS[kind].node_count}" if KINDS[kind].dimension == 1 else kind


def _dimension(rows: ElementRows) -> int:
    return 0 if rows.kind.startswith("spring") else KINDS[rows.kind].dimension


def _on_hosts(corners: list[np.ndarray], hosts: list[ElementRows], dimension: int) -> list[np.ndarray]:
    """For each array of corners (k, n) the (k,) bool that says which lie on a face (edge) of a host."""
    wanted = np.unique(np.concatenate([rows.ravel() for rows in corners] or [np.empty(0, np.int64)]))
    places = [np.sort(rows, axis=1) for rows in _places(hosts, dimension, wanted)]
    found = []
    for own in corners:
        compact = np.sort(np.searchsorted(wanted, own), axis=1)
        hit = np.zeros(len(own), bool)
        for place in places:
            if place.shape[1] >= own.shape[1]:
                label = row_labels(np.concatenate([compact, _choices(place, own.shape[1])]))
                hit |= np.isin(label[: len(own)], label[len(own) :])
        found.append(hit)
    return found


def _places(hosts: list[ElementRows], dimension: int, wanted: np.ndarray) -> list[np.ndarray]:
    """Faces (edges) of the hosts that have wanted nodes only, by the position of these among the wanted ones."""
    places = []
    for rows in hosts:
        kind = KINDS[rows.kind]
        at = np.searchsorted(wanted, rows.nodes)
        known = wanted[np.minimum(at, len(wanted) - 1)] == rows.nodes if len(wanted) else np.zeros(at.shape, bool)
        at = np.where(known, at, -1)
        for ring in kind.faces if dimension == 2 else kind.edges:
            place = at[:, list(ring)]
            places.append(place[(place >= 0).all(axis=1)])
    sizes = sorted({place.shape[1] for place in places})
    return [np.concatenate([place for place in places if place.shape[1] == size]) for size in sizes]


def _choices(place: np.ndarray, count: int) -> np.ndarray:
    """The faces themselves, or for triangles on quadrilateral faces the four triangles of their corners."""
    if place.shape[1] == count:
        return place
    return np.concatenate([np.delete(place, corner, axis=1) for corner in range(place.shape[1])])


def _as_geometry(rows: ElementRows) -> ElementRows:
    kind = kind_without_inner_nodes(rows.kind)  # faces of solids have no node in their middle
    nodes = rows.nodes[:, : KINDS[kind].node_count]
    return replace(rows, kind=None, role="geometry", type_name=face_kind(kind), nodes=nodes)


_PER_ELEMENT = ("y_axes", "offsets", "thickness", "shell_offsets", "material_axes")


def make_blocks(
    groups: Sequence[ElementRows], keys: Sequence[Hashable], describe: Callable[[str, Hashable], Mapping]
) -> tuple[ElementBlock, ...]:
    """Blocks of elements of one kind and type with one property each, in the order in which these first appear.

    Groups have a kind (others: ``other_elements``) and indices of nodes. Their ``data`` may have the fields of ElementBlock
    that have a row for each element (NaN rows: nothing given for that element; a block all of whose rows are NaN has none).
    For each group ``keys`` tells its property from others; ``describe``, called once for each kind and key, returns the
    fields that the property gives: material, section, property_name, where.
    """
    parts: dict[tuple, list[ElementRows]] = {}
    described: dict[tuple, Mapping] = {}
    for rows, key in zip(groups, keys, strict=True):
        if len(rows.ids):
            parts.setdefault((rows.kind, rows.type_name, key), []).append(rows)
    blocks = []
    for (kind, type_name, key), pieces in parts.items():
        if (kind, key) not in described:
            described[kind, key] = describe(kind, key)
        ids = np.concatenate([rows.ids for rows in pieces]).astype(np.int64)
        nodes = pieces[0].nodes if len(pieces) == 1 else np.concatenate([rows.nodes for rows in pieces])
        arrays = {name: values for name in _PER_ELEMENT if (values := _joined(name, pieces)) is not None}
        fields = {"where": pieces[0].where(0), **described[kind, key], **arrays}
        blocks.append(ElementBlock(kind, ids, nodes, type_name=type_name, **fields))
    return tuple(blocks)


def _joined(name: str, pieces: list[ElementRows]) -> np.ndarray | None:
    """A field with a row for each element of the pieces; None where none has it."""
    arrays = [rows.data.get(name) for rows in pieces]
    given = [values for values in arrays if values is not None]
    if not given or all(np.isnan(values).all() for values in given):
        return None
    shape = given[0].shape[1:]
    filled = [np.full((len(rows.ids), *shape), np.nan) if a is None else a for rows, a in zip(pieces, arrays, strict=True)]
    return np.concatenate(filled)


def other_elements(groups: Sequence[ElementRows]) -> tuple[UnsupportedElements, ...]:
    """The elements without a kind (with indices of nodes), as they are kept in a Mesh: one entry per type and number of nodes."""
    parts: dict[tuple, list[ElementRows]] = {}
    for rows in groups:
        parts.setdefault((rows.type_name, rows.role, rows.nodes.shape[1]), []).append(rows)
    return tuple(
        UnsupportedElements(
            type_name,
            role,
            np.concatenate([rows.ids for rows in pieces]).astype(np.int64),
            np.concatenate([rows.nodes for rows in pieces]),
            pieces[0].where(0),
        )
        for (type_name, role, _), pieces in parts.items()
        if sum(len(rows.ids) for rows in pieces)
    )


class ElementIndex(NumberIndex):
    """From element numbers to indices as in ``Mesh.element_sets`` (counted through the blocks)."""

    def __init__(self, blocks: Sequence[ElementBlock | UnsupportedElements]) -> None:
        super().__init__(np.concatenate([block.ids for block in blocks] or [np.empty(0, np.int64)]))
