"""From the elements of a file to those of a mesh: their true kinds, no absent nodes, solids the right way round."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from flexmbs.common.names_in_messages import counted
from flexmbs.mesh.couplings import MIDDLE_NODE, Equation
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles
from flexmbs.mesh.reader_tools.mirrored_elements import turned
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.tied_nodes import weighted_sum


class TrueElements:
    """Says what elements truly are, and collects the nodes and equations that it makes for this, and the warnings.

    Parameters
    ----------
    ids, points : (n,) numbers and (n, 3) coordinates of the nodes

    Attributes
    ----------
    ids, points : those and behind them the nodes that were made in the middle of edges
    warnings : list of str
    mirrored : list of arrays
        ``ElementRows.ids`` of the solids that were turned.
    """

    def __init__(self, ids: np.ndarray, points: np.ndarray) -> None:
        self.ids, self.points = ids, points
        self.warnings: list[str] = []
        self.mirrored: list[np.ndarray] = []
        self._middles: list[tuple[np.ndarray, str]] = []  # (m, 3) the new node and the ends of its edge, their place

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
                parts.append(part)
                continue
            pieces, ends = without_missing_middles(kind, nodes, len(self.points))
            if len(ends):
                self._add_middles(ends, part.where(pieces[-1][1][0]), part.type_name)
            for final, picked, completed in pieces:
                whole = completed is part.nodes
                piece = part if whole else part.take(picked, kind=final, nodes=completed)
                parts.append(self._right_way_round(piece, own if whole else own[picked]))
        return parts

    def equations(self, axes_of: Callable[[np.ndarray], np.ndarray] | None = None) -> list[Equation]:
        """The nodes that were made move with the mean of their edge's ends; ``axes_of``: nodes (3,) -> ``weighted_sum``'s axes."""
        equations = []
        for middles, where in self._middles:
            for nodes in middles:
                axes = None if axes_of is None else axes_of(nodes)
                equations += weighted_sum(f"{MIDDLE_NODE} {self.ids[nodes[0]]}", nodes, np.array([1.0, -0.5, -0.5]), where, axes)
        return equations

    def _add_middles(self, ends: np.ndarray, where: str, type_name: str) -> None:
        new = len(self.points) + np.arange(len(ends))
        numbers = self.ids.max() + 1 + np.arange(len(ends))
        self.points = np.vstack([self.points, self.points[ends].mean(axis=1)])
        self.ids = np.concatenate([self.ids, numbers])
        self._middles.append((np.column_stack([new, ends]), where))
        made = counted(len(ends), "midside node")
        what = f"{made} not given, or at an end of the edge, made in the middle of edges (from number {numbers[0]})"
        self.warnings.append(f"{where}: {type_name}: {what}; the displacement there is the mean of both ends'.")

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
