"""Elements as what they are: collapsed ones in their true kind, absent middle nodes made, one group per property."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles
from flexmbs.mesh.readers.nastran.deck import Deck, Elements


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


def signed_tetrahedra(nodes: np.ndarray, points: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Tetrahedra (k, 4) of NASTRAN-95, whose nodes may stand in any order, turned to have positive volume.

    ``indices`` (k, 4) are those of the nodes in ``points`` (n, 3).
    """
    corners = points[indices]
    negative = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0.0
    turned = nodes.copy()
    turned[negative, 0], turned[negative, 1] = nodes[negative, 1], nodes[negative, 0]
    return turned
