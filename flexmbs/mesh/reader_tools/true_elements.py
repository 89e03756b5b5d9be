"""From the elements of a file to those of a mesh: their true kinds, no absent nodes, solids the right way round.

Nodes that are made for this, and others that are tied, are held by equations between the displacements of a few nodes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from flexmbs.common.names_in_messages import counted
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.mesh import MIDDLE_NODE, Equation
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, turned, without_missing_middles
from flexmbs.mesh.reader_tools.numbering import ElementRows


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
