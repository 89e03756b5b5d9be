"""From the elements of a file to the blocks of a Mesh: their true kinds, no absent nodes, solids the right way round.

Nodes that are made for this, and others that are tied, are held by equations between the displacements of a few nodes.

Elements that only name faces and edges of others are no part of the body. Generators write elements on the boundaries of
solids (triangles on tetrahedra, lines on both) so that groups can refer to them. They carry no stiffness. Formats without
sections cannot say so; what tells them from shells and beams is that all their corners are corners of one face or edge of
an element of higher dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from flexmbs.common.names_in_messages import counted
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.element_kinds import KINDS, kind_without_inner_nodes
from flexmbs.mesh.mesh import MIDDLE_NODE, ElementBlock, Equation, UnsupportedElements
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, turned, without_missing_middles
from flexmbs.mesh.reader_tools.numbering import ElementRows, NumberIndex, row_labels


def weighted_sum(name: str, nodes: np.ndarray, weights: np.ndarray, where: str, axes: np.ndarray | None = None) -> list[Equation]:
    """In each direction of the mesh the displacements of nodes, each times its weight, add up to zero: three equations.

    ``axes`` (k, 3, 3): for each of the nodes (k,) the directions (columns) of its displacement components; None: mesh axes.
    """
    axes = np.broadcast_to(np.eye(3), (len(nodes), 3, 3)) if axes is None else axes
    equations = []
    for direction in range(3):
        coefficients = axes[:, direction, :] * np.asarray(weights)[:, None]
        which, component = np.nonzero(coefficients)
        equations.append(Equation(name, nodes[which], component + 1, coefficients[which, component], 0.0, where))
    return equations


def rigid_link(name: str, ends: np.ndarray, points: np.ndarray, where: str, axes: np.ndarray | None = None) -> Equation | None:
    """The distance of two nodes stays, so their displacements along their line are equal; None where they coincide.

    ``ends`` (2,) indices into ``points`` (n, 3); ``axes`` (2, 3, 3) as of ``weighted_sum``.
    """
    along = points[ends[1]] - points[ends[0]]
    length = np.linalg.norm(along)
    if not length > 0.0:
        return None
    first, second = (along, along) if axes is None else (axes[0].T @ along, axes[1].T @ along)
    return Equation(name, np.repeat(ends, 3), np.tile([1, 2, 3], 2), np.concatenate([-first, second]) / length, 0.0, where)


class TrueElements:
    """Says what elements truly are, and collects the nodes and equations that it makes for this, and the warnings.

    ``ids`` (n,) and ``points`` (n, 3) of nodes get behind them those that were made in the middle of edges. ``mirrored`` and
    ``collapsed`` have ``ElementRows.ids`` of the solids that were turned, and of elements of which nothing is left.
    """

    def __init__(self, ids: np.ndarray, points: np.ndarray) -> None:
        self.ids, self.points = ids, points
        self.warnings: list[str] = []
        self.mirrored: list[np.ndarray] = []
        self.collapsed: list[np.ndarray] = []
        self._middles: dict[tuple[int, int], tuple[int, str]] = {}  # by the ends of an edge: the new node, its place

    def of(self, rows: ElementRows, numbers: np.ndarray | None = None) -> list[ElementRows]:
        """The elements (with indices of nodes) by their true kinds.

        Those that are collapsed to nothing have no kind, and the role "collapsed". ``numbers``: those of the file, in the
        order of ``rows.ids``, where these are others.
        """
        parts = []
        for kind, chosen, nodes in true_kinds(rows.kind, rows.nodes):
            part = rows if nodes is rows.nodes else rows.take(chosen, kind=kind or None, nodes=nodes)
            own = part.ids if numbers is None else numbers[chosen]
            if not kind:
                part.role = "collapsed"
                what, then = "with repeated nodes and without volume, area or length", "not part of the body"
                self._warn(part, own, np.ones(len(own), bool), what, then)
                self.collapsed.append(part.ids)
                parts.append(part)
                continue
            for final, picked, completed in without_missing_middles(kind, nodes, partial(self._new_nodes, part)):
                whole = completed is part.nodes
                piece = part if whole else part.take(picked, kind=final, nodes=completed)
                parts.append(self._right_way_round(piece, own if whole else own[picked]))
        return parts

    def filled(self, kind: str, nodes: np.ndarray) -> np.ndarray:
        """Nodes of elements as the file has them (k, n), and those that were made; -1 for other absent middle nodes."""
        known = KINDS[kind]
        if not (self._middles and known.has_middle_nodes):
            return nodes
        ends = nodes[:, np.array(known.edges)]
        middles = nodes[:, known.corner_count : known.corner_count + len(known.edges)]
        rows, edges = np.nonzero((middles < 0) | (middles[:, :, None] == ends).any(axis=2))
        result = nodes.copy()
        made = [self._middles.get((min(pair), max(pair)), (-1, ""))[0] for pair in ends[rows, edges].tolist()]
        result[rows, known.corner_count + edges] = made
        return result

    def at_middles(self, values: np.ndarray) -> np.ndarray:
        """Values at all nodes (n,); at those that were made the mean of their edge's ends."""
        result = values.copy()
        for (first, second), (node, _) in self._middles.items():
            result[node] = (values[first] + values[second]) / 2.0
        return result

    def equations(
        self, systems: Mapping[str, CoordinateSystem] | None = None, displacement: Mapping[str, np.ndarray] | None = None
    ) -> list[Equation]:
        """The nodes that were made move with the mean of their edge's ends.

        ``systems`` and ``displacement`` are ``Mesh.coordinate_systems`` and ``Mesh.displacement_systems``.
        """
        system_of = {node: name for name, nodes in (displacement or {}).items() for node in nodes.tolist()} if self._middles else {}
        equations = []
        for (first, second), (node, where) in self._middles.items():
            nodes, axes = np.array([node, first, second]), np.tile(np.eye(3), (3, 1, 1))
            for place, own in enumerate(nodes.tolist()):
                if own in system_of:
                    axes[place] = systems[system_of[own]].directions(self.points[own][None])[0]
            name = f"{MIDDLE_NODE} {self.ids[node]}"
            equations += weighted_sum(name, nodes, np.array([1.0, -0.5, -0.5]), where, axes)
        return equations

    def _new_nodes(self, rows: ElementRows, ends: np.ndarray) -> np.ndarray:
        """(m,) nodes in the middle of the edges with these ends (m, 2), each made once."""
        edges = list(map(tuple, ends.tolist()))
        new = [edge for edge in edges if edge not in self._middles]
        if new:
            lacking = rows.nodes[:, KINDS[rows.kind].corner_count :] < 0
            where, number = rows.where(int(np.argmax(lacking.any(axis=1) & ~lacking.all(axis=1)))), int(self.ids.max()) + 1
            self._middles |= {edge: (len(self.points) + place, where) for place, edge in enumerate(new)}
            self.points = np.vstack([self.points, self.points[np.array(new)].mean(axis=1)])
            self.ids = np.concatenate([self.ids, number + np.arange(len(new))])
            made = counted(len(new), "midside node")
            what = f"{made} not given, or at an end of the edge, made in the middle of edges (from number {number})"
            self.warnings.append(f"{where}: {rows.type_name}: {what}; the displacement there is the mean of both ends'.")
        return np.array([self._middles[edge][0] for edge in edges], np.int64)

    def _right_way_round(self, rows: ElementRows, numbers: np.ndarray) -> ElementRows:
        nodes, mirrored, flat = turned(rows.kind, rows.nodes, self.points)
        if mirrored.any():
            self.mirrored.append(rows.ids[mirrored])
            what = "turned inside out by the order of their nodes"
            self._warn(rows, numbers, mirrored, what, "read with the opposite orientation")
            rows = rows.take(slice(None), nodes=nodes)
        if flat.any():
            then = "check the places and the order of the nodes, or remove them: no body can be made of them"
            self._warn(rows, numbers, flat, "with zero or negative volume", then)
        return rows

    def _warn(self, rows: ElementRows, numbers: np.ndarray, chosen: np.ndarray, what: str, then: str) -> None:
        first = int(np.argmax(chosen))
        whose = f"{rows.where(first)}: {counted(int(chosen.sum()), 'element')} of type {rows.type_name}"
        self.warnings.append(f"{whose} {what} (first: element {numbers[first]}); {then}.")


def split_skin(
    groups: Sequence[ElementRows], keep: Sequence[np.ndarray | None] | None = None
) -> tuple[list[ElementRows], list[ElementRows]]:
    """Part elements into those that make bodies and those that only name faces and edges of others ("geometry").

    The latter are those all of whose corners are corners of one face (or edge) of an element of higher dimension, unless
    ``keep`` says that they have a section: for each group a (k,) bool array, or None where no element has one. They get
    the type name "tri3", "quad8", "line2", ... and no kind. Springs are structural always, and nobody's host.
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
