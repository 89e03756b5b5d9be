"""Element cards: solids, shells, shear panels and rods, and elements that are not structural; what they truly are.

Collapsed elements get their true kind, absent middle nodes are made, and solids in mirrored order are turned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds, without_missing_middles
from flexmbs.mesh.reader_tools.mirrored_elements import turned
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import mirrored
from flexmbs.mesh.readers.nastran.card import Batch, Card, integers, is_integer
from flexmbs.mesh.readers.nastran.deck import Deck, Elements

# Cards of elements of a body: what they are, first order before second.
CARDS: dict[str, list[FileElement]] = {}
for _element in elements_of("Nastran"):
    CARDS.setdefault(_element.name, []).append(_element)
_FAMILIES = {"CROD": "rod", "CTUBE": "rod", "CONROD": "own rod", "CBAR": "bar", "CBEAM": "bar"}
# Fields of shells with angle, offset, thickness at the corners, and flag.
_SHELL_FIELDS = {
    **dict.fromkeys(("CTRIA3", "CTRIAR"), (5, 6, 10, 9)),
    **dict.fromkeys(("CQUAD4", "CQUADR"), (6, 7, 10, 9)),
    **{"CTRIA6": (8, 9, 10, 13), "CQUAD8": (14, 15, 10, 16), "CQUAD": (11,)},
}
# Number of nodes of the elements that only NASTRAN-95 has.
OF_NASTRAN_95 = {
    **dict.fromkeys(("CQUAD1", "CQUAD2", "CQDMEM", "CQDMEM1", "CQDMEM2", "CQDPLT", "CTWIST"), 4),
    **dict.fromkeys(("CTRIA1", "CTRIA2", "CTRMEM", "CTRPLT", "CTRBSC"), 3),
    **{"CTRSHL": 6, "CTRIM6": 6, "CWEDGE": 6, "CELBOW": 2},
    **{"CHEXA1": 8, "CHEXA2": 8, "CIHEX1": 8, "CIHEX2": 20, "CIHEX3": 32},
}
# Elements that are not structural, or not read: role, first field with a node, number of nodes.
OTHERS = {
    **{"PLOTEL": ("geometry", 1, 2), "PLOTEL3": ("geometry", 1, 3), "PLOTEL4": ("geometry", 1, 4)},
    **{name: ("axisymmetric", 2, count) for name, count in {"CTRAX3": 3, "CTRAX6": 6, "CQUADX4": 4, "CQUADX8": 8}.items()},
    **{name: ("axisymmetric", 2, count) for name, count in {"CTRIAX": 6, "CTRIAX6": 6, "CQUADX": 9}.items()},
    **{name: ("axisymmetric", 1, count) for name, count in {"CTRIARG": 3, "CTRAPRG": 4}.items()},
    **{f"CPLST{letter}{count}": ("plane", 2, count) for letter in "NS" for count in (3, 4, 6, 8)},
    "CIS2D8": ("plane", 2, 8),
    **{name: ("unknown", 2, count) for name, count in {"CBEND": 2, "CBEAM3": 3, **OF_NASTRAN_95}.items()},
    **{"CGAP": ("contact", 2, 2), "CHBDYG": ("thermal", 8, 8), "CHBDY": ("thermal", 3, 4)},
}
SECOND_ON_A_CARD = "a second element on the card (from field 6 on), as NASTRAN-95 has it, is not read"


def read_elements(deck: Deck, batch: Batch) -> None:
    """Solids, shells, rods and bars; ``extras`` have what their cards say besides nodes and property."""
    first, last = CARDS[batch.name][0], CARDS[batch.name][-1]
    corners, count = KINDS[first.kind].corner_count, len(last.order)
    family = _FAMILIES.get(batch.name) or {3: "solid", 2: "shell"}[KINDS[first.kind].dimension]
    ids = batch.integers(0, "EID")
    wrong = np.flatnonzero(ids < 1)
    if wrong.size:
        raise MeshError(f"{batch.where(wrong[0])}: EID is {ids[wrong[0]]}; element numbers start at 1.")
    if family == "own rod":
        properties, start = _own_properties(deck, batch), 1
    else:
        properties, start = batch.integers(1, "PID", 0), 2
        properties = properties if family == "bar" else np.where(properties == 0, ids, properties)  # bars: that of BAROR
    nodes = _nodes_of(batch, start, corners, max(last.node_counts))
    centre = np.flatnonzero(nodes[:, count:].any(axis=1))
    if centre.size:
        deck.warn(batch.where(centre[0]), "the centre nodes G9 are left out; the elements are read with 8 nodes.")
    if (nodes[:, corners:count] > 0).any():
        kind, nodes = last.kind, nodes[:, last.order]
    else:
        kind, nodes = FIRST_ORDER.get(last.kind, last.kind), nodes[:, :corners]
    extras: dict = {"cards": batch} if family == "bar" else {}
    if batch.name in _SHELL_FIELDS:
        extras = _shell_extras(batch, corners, *_SHELL_FIELDS[batch.name])
    elif family == "rod":
        for line in batch.lines[batch.filled(4)]:
            deck.skipped.add(batch.name, batch.file, line, why=SECOND_ON_A_CARD)
    rows = ElementRows(kind, batch.name, ids, nodes, batch.file, batch.lines)
    deck.elements.append(Elements(rows, family, properties, extras))


def _own_properties(deck: Deck, batch: Batch) -> np.ndarray:
    """(n,) numbers of properties for CONROD, which state them themselves; equal ones have that of the first element.

    They are kept as cards with the fields of a PROD: number, MID, A, J, C, NSM.
    """
    values = [batch.integers(3, "MID"), *(batch.reals(4 + i, what) for i, what in enumerate(("A", "J", "C", "NSM")))]
    _, first, which = np.unique(np.column_stack(values), axis=0, return_index=True, return_inverse=True)
    numbers = []
    for row in first:
        card = batch.card(row)
        own = Card("CONROD", [card.text(i) for i in (0, 3, 4, 5, 6, 7)], card.file, card.line)
        same = (known for (name, _), known in deck.properties.items() if name == "CONROD" and known.fields[1:] == own.fields[1:])
        own = next(same, own)
        numbers.append(own.integer(0, "EID"))
        deck.properties["CONROD", numbers[-1]] = own
    return np.array(numbers)[which.ravel()]


def _nodes_of(batch: Batch, start: int, corners: int, count: int) -> np.ndarray:
    """(n, count) node numbers from a field on; 0 where a node beyond the corners is absent, MeshError for a corner."""
    nodes = np.column_stack([batch.integers(start + i, f"G{i + 1}", 0) for i in range(count)])
    wrong = np.argwhere((nodes < 0) | ((nodes == 0) & (np.arange(count) < corners)))
    if wrong.size:
        row, column = wrong[0]
        what = "is missing" if nodes[row, column] == 0 else f"is {nodes[row, column]}"
        raise MeshError(f"{batch.where(row)}: node G{column + 1} {what}; the element has at least {corners} nodes.")
    return nodes


def _shell_extras(batch: Batch, corners: int, angle_at: int, offset_at: int = -1, thickness_at: int = -1, flag_at: int = -1):
    """angle (n,) rad, system (n,) int or -1, offset (n,), thickness (n, corners), relative (n,) bool (T is a part)."""
    column = batch.column(angle_at)
    by_system = is_integer(column)
    angle = np.zeros(len(column))
    angle[~by_system] = np.radians(batch.subset(~by_system).reals(angle_at, "THETA"))
    extras = {"system": integers(np.where(by_system, column, b""), -1)[0], "angle": angle}
    if offset_at >= 0:
        extras["offset"] = batch.reals(offset_at, "ZOFFS", np.nan)
    if thickness_at >= 0 and batch.fields.shape[1] > thickness_at:
        extras["thickness"] = np.column_stack([batch.reals(thickness_at + i, f"T{i + 1}", np.nan) for i in range(corners)])
        extras["relative"] = batch.integers(flag_at, "TFLAG", 0) == 1
    return extras


def read_others(deck: Deck, batch: Batch) -> None:
    """Elements that are no part of a body, or not read."""
    role, start, count = OTHERS[batch.name]
    ids = batch.integers(0, "EID", 0)
    nodes = np.column_stack([batch.integers(start + i, f"G{i + 1}", 0) for i in range(count)])
    deck.others.append(ElementRows(None, batch.name, ids, nodes, batch.file, batch.lines, role))
    if role == "unknown":
        old = batch.name in OF_NASTRAN_95
        what = "NASTRAN-95 elements are not read" if old else "elements of this type are not supported"
        instead = "; give CQUAD4, CTRIA3, CSHEAR, CHEXA, CPENTA, CTETRA or CBAR in their place" if old else ""
        deck.warn(batch.where(0), f"{what}: {len(ids)} elements contribute no stiffness or mass{instead}.")
        for line in batch.lines:
            deck.skipped.add(batch.name, batch.file, line, why=what)
    if batch.name == "PLOTEL" and batch.filled(4).any():  # a second element on the card
        second = batch.subset(batch.filled(4))
        nodes = np.column_stack([second.integers(5, "G1"), second.integers(6, "G2")])
        deck.others.append(ElementRows(None, "PLOTEL", second.integers(4, "EID"), nodes, second.file, second.lines, role))


@dataclass
class MadeNodes:
    """New nodes in the middle of edges whose middle node the cards leave out; ``where``: "file:line" of the first."""

    ids: np.ndarray
    ends: np.ndarray  # (k, 2) numbers of the ends of the edges
    where: str


def make_true(deck: Deck, next_id: int) -> tuple[list[Elements], list[MadeNodes]]:
    """Elements without repeated corners and absent middle nodes, and the nodes made for these from ``next_id`` on.

    What has collapsed to nothing is left out, with a warning.
    """
    result: list[Elements] = []
    made: list[MadeNodes] = []
    for elements in deck.elements:
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
            parts, new = without_missing_middles(kind, nodes, next_id)
            if len(new.ids):  # they belong to the last part
                made.append(MadeNodes(new.ids, new.ends, part.rows.where(parts[-1][1][0])))
                next_id += len(new.ids)
            result += [_picked(part, own, true, n) for true, own, n in parts if len(own)]
    return result, made


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
    """Solids whose nodes stand in mirrored order (see ``turned``) with the order turned, and a warning."""
    result, first, count = [], "", 0
    for elements in all_elements:
        rows = elements.rows
        is_mirrored = turned(rows.kind, table.find(rows.nodes), table.points)[1]  # a node that does not exist is told later
        if is_mirrored.any():
            at = int(np.argmax(is_mirrored))
            first = first or f"{rows.where(at)}: {rows.type_name}: element {rows.ids[at]}"
            count += int(is_mirrored.sum())
            nodes = np.where(is_mirrored[:, None], rows.nodes[:, mirrored(rows.kind)], rows.nodes)
            elements = replace(elements, rows=replace(rows, nodes=nodes))
        result.append(elements)
    if count:
        deck.warnings.append(f"{first} has mirrored node order (negative volume; {count} solids in all); the order is turned.")
    return result


def by_property(elements: Elements) -> list[Elements]:
    """One group for each property number, in the order in which these first appear."""
    numbers, first, which = np.unique(elements.properties, return_index=True, return_inverse=True)
    if len(numbers) == 1:
        return [elements]
    order = np.argsort(which.ravel(), kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(which.ravel()))[:-1])
    return [elements.subset(parts[i]) for i in np.argsort(first, kind="stable")]
