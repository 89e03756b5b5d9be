"""Elements as what they are: collapsed ones in their true kind, absent middle nodes made, one group per property."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.quality.distortion import sampled_jacobians
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored
from flexmbs.mesh.readers.nastran.deck import Deck, Elements

_AT_ONCE = 1 << 14  # elements, so that no array grows with the mesh


@dataclass
class MadeNodes:
    """New nodes in the middle of edges whose middle node the cards leave out: numbers, ends of the edges, cards."""

    next_id: int
    ids: list[np.ndarray] = field(default_factory=list)
    ends: list[np.ndarray] = field(default_factory=list)
    cards: list[tuple[str, int]] = field(default_factory=list)

    def add(self, ids: np.ndarray, ends: np.ndarray, elements: Elements) -> None:
        """Append nodes ``ids`` (m,) between ``ends`` (m, 2), made for the first of ``elements``."""
        if len(ids):
            self.ids.append(ids)
            self.ends.append(ends)
            self.cards.append((elements.rows.file, int(elements.rows.lines[0])))
            self.next_id = int(ids.max()) + 1


def make_true(deck: Deck, all_elements: list[Elements], middles: MadeNodes) -> list[Elements]:
    """Elements without repeated corners and absent middle nodes; what has collapsed to nothing is left out, warned."""
    result = []
    for elements in all_elements:
        if KINDS[elements.rows.kind].dimension < 2:
            result.append(elements)
            continue
        for kind, rows, nodes in true_kinds(elements.rows.kind, elements.rows.nodes):
            if not len(rows):
                continue
            if not kind:
                where = f"{elements.rows.where(rows[0])}: {elements.rows.type_name}"
                deck.warn(where, f"{len(rows)} elements are degenerate (repeated nodes) and have no extent; they are left out.")
                continue
            part = _picked(elements, rows, kind, nodes)
            parts, new = without_missing_middles(kind, nodes, middles.next_id)
            middles.add(new.ids, new.ends, part)
            result += [_picked(part, own, true, n) for true, own, n in parts if len(own)]
    return result


def by_property(elements: Elements) -> list[Elements]:
    """One group for each property number, in the order in which these first appear."""
    numbers, first, which = np.unique(elements.properties, return_index=True, return_inverse=True)
    if len(numbers) == 1:
        return [elements]
    order = np.argsort(which.ravel(), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [elements.subset(parts[i]) for i in np.argsort(first, kind="stable")]


def _picked(elements: Elements, rows: np.ndarray, kind: str, nodes: np.ndarray) -> Elements:
    """Some elements with other nodes; thicknesses at corners go with their nodes."""
    if len(rows) == len(elements.rows.ids) and nodes is elements.rows.nodes:
        return elements
    old = elements.rows.nodes[rows]
    picked = elements.subset(rows, kind, nodes)
    thickness = picked.extras.get("thickness")
    if thickness is not None and KINDS[kind].corner_count != thickness.shape[1]:
        corners = nodes[:, : KINDS[kind].corner_count]
        at = (corners[:, :, None] == old[:, None, : thickness.shape[1]]).argmax(axis=2)
        picked.extras["thickness"] = np.take_along_axis(thickness, at, axis=1)
    return picked


def turn_mirrored(deck: Deck, all_elements: list[Elements], table: NodeTable) -> list[Elements]:
    """Solids whose nodes stand in mirrored order (negative volume throughout) with the order turned, and a warning."""
    result = []
    for elements in all_elements:
        rows, kind = elements.rows, KINDS[elements.rows.kind]
        negative = np.empty(0, int)
        if kind.dimension == 3:
            negative = np.flatnonzero(_is_mirrored(kind.name, table.points, rows.node_indices(table)))
        if negative.size:
            turned = rows.nodes.copy()
            turned[negative] = turned[negative][:, mirrored(kind.name)]
            deck.warn(
                f"{rows.where(negative[0])}: {rows.type_name}",
                f"element {rows.ids[negative[0]]} has mirrored node order (negative volume), as {negative.size} of"
                f" {len(rows.ids)} elements have in all; their nodes are turned round.",
            )
            elements = replace(elements, rows=replace(rows, nodes=turned))
        result.append(elements)
    return result


def _is_mirrored(kind: str, points: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """(k,) bool: the Jacobian is negative at all sample points; ``nodes`` (k, n) are indices of ``points``."""
    result = np.zeros(len(nodes), bool)
    for start in range(0, len(nodes), _AT_ONCE):
        jacobians = sampled_jacobians(KINDS[kind], points[nodes[start : start + _AT_ONCE]])
        result[start : start + _AT_ONCE] = (jacobians < 0.0).all(axis=1)
    return result
