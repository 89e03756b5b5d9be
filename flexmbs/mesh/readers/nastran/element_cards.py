"""Element cards: solids, shells, shear panels and rods, and elements that are not structural."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.card import Batch
from flexmbs.mesh.readers.nastran.deck import Deck, Elements


@dataclass(frozen=True)
class Solid:
    """A solid element card: first-order kind, second-order kind and its order of nodes in VTK's."""

    kind: str
    corners: int
    quadratic: str = ""
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shell:
    """A shell element card: kind, number of nodes, and the fields of what follows them (-1: not there)."""

    kind: str
    nodes: int
    corners: int
    angle: int
    offset: int = -1
    thickness: int = -1
    flag: int = -1
    quadratic: bool = False


def _cards(dimension: int) -> dict[str, list[FileElement]]:
    """Element cards by name: what they are, first order before second."""
    cards: dict[str, list[FileElement]] = {}
    for element in elements_of("Nastran"):
        if KINDS[element.kind].dimension == dimension:
            cards.setdefault(element.name, []).append(element)
    return cards


def _solid(name: str, elements: list[FileElement]) -> Solid:
    first, last = elements[0], elements[-1]
    quadratic = last if last.kind in FIRST_ORDER else None
    return Solid(first.kind, min(first.node_counts), quadratic.kind if quadratic else "", quadratic.order if quadratic else ())


def _shell(name: str, elements: list[FileElement]) -> Shell:
    last = elements[-1]
    corners = KINDS[last.kind].corner_count
    fields = _FIELDS.get(name, (2 + corners,))
    return Shell(last.kind, max(last.node_counts), corners, *fields, quadratic=last.kind in FIRST_ORDER)


# Fields with angle, offset, thickness at the corners, and flag.
_FIELDS = {
    "CTRIA3": (5, 6, 10, 9),
    "CTRIAR": (5, 6, 10, 9),
    "CQUAD4": (6, 7, 10, 9),
    "CQUADR": (6, 7, 10, 9),
    "CTRIA6": (8, 9, 10, 13),
    "CQUAD8": (14, 15, 10, 16),
    "CQUAD": (11,),
    "CSHEAR": (-1,),
}
SOLIDS = {name: _solid(name, elements) for name, elements in _cards(3).items()}
SHELLS = {name: _shell(name, elements) for name, elements in _cards(2).items()}

# Number of nodes of the elements that only NASTRAN-95 has.
OF_NASTRAN_95 = {
    **dict.fromkeys(("CQUAD1", "CQUAD2", "CQDMEM", "CQDMEM1", "CQDMEM2", "CQDPLT", "CTWIST"), 4),
    **dict.fromkeys(("CTRIA1", "CTRIA2", "CTRMEM", "CTRPLT", "CTRBSC"), 3),
    **{"CTRSHL": 6, "CTRIM6": 6, "CWEDGE": 6, "CELBOW": 2},
    **{"CHEXA1": 8, "CHEXA2": 8, "CIHEX1": 8, "CIHEX2": 20, "CIHEX3": 32},
}
# Elements that are not structural, or not read: role, first field with a node, number of nodes.
OTHERS = {
    "PLOTEL": ("geometry", 1, 2),
    "PLOTEL3": ("geometry", 1, 3),
    "PLOTEL4": ("geometry", 1, 4),
    **{name: ("axisymmetric", 2, count) for name, count in {"CTRAX3": 3, "CTRAX6": 6, "CQUADX4": 4, "CQUADX8": 8}.items()},
    **{name: ("axisymmetric", 2, count) for name, count in {"CTRIAX": 6, "CTRIAX6": 6, "CQUADX": 9}.items()},
    **{name: ("axisymmetric", 1, count) for name, count in {"CTRIARG": 3, "CTRAPRG": 4}.items()},
    **{name: ("plane", 2, count) for name, count in {"CPLSTN3": 3, "CPLSTN4": 4, "CPLSTN6": 6, "CPLSTN8": 8}.items()},
    **{name: ("plane", 2, count) for name, count in {"CPLSTS3": 3, "CPLSTS4": 4, "CPLSTS6": 6, "CPLSTS8": 8}.items()},
    "CIS2D8": ("plane", 2, 8),
    **{name: ("unknown", 2, count) for name, count in {"CBEND": 2, "CBEAM3": 3, **OF_NASTRAN_95}.items()},
    "CGAP": ("contact", 2, 2),
    "CHBDYG": ("thermal", 8, 8),
    "CHBDY": ("thermal", 3, 4),
}
SECOND_ON_A_CARD = "a second element on the card (from field 6 on), as NASTRAN-95 has it, is not read"
NAMES = frozenset((*SOLIDS, *SHELLS, *OTHERS, "CROD", "CTUBE", "CONROD"))


def read_elements(deck: Deck, batch: Batch) -> None:
    """Any card of this module."""
    if batch.name in SOLIDS:
        _read_solids(deck, batch, SOLIDS[batch.name])
    elif batch.name in SHELLS:
        _read_shells(deck, batch, SHELLS[batch.name])
    elif batch.name in OTHERS:
        _read_others(deck, batch, *OTHERS[batch.name])
    else:
        _read_rods(deck, batch)


def element_numbers(batch: Batch) -> np.ndarray:
    """(n,) element numbers of a batch; MeshError when one is missing or not positive."""
    ids = batch.integers(0, "EID")
    wrong = np.flatnonzero(ids < 1)
    if wrong.size:
        raise MeshError(f"{batch.where(wrong[0])}: EID is {ids[wrong[0]]}; element numbers start at 1.")
    return ids


def property_numbers(batch: Batch, ids: np.ndarray) -> np.ndarray:
    """(n,) property numbers; blank: the element's own number."""
    given = batch.integers(1, "PID", 0)
    return np.where(given == 0, ids, given)


def nodes_of(batch: Batch, start: int, corners: int, count: int) -> np.ndarray:
    """(n, count) node numbers from a field on; 0 where a node beyond the corners is absent, MeshError for a corner."""
    nodes = np.column_stack([batch.integers(start + i, f"G{i + 1}", 0) for i in range(count)])
    wrong = np.argwhere((nodes < 0) | ((nodes == 0) & (np.arange(count) < corners)))
    if wrong.size:
        row, column = wrong[0]
        what = "is missing" if nodes[row, column] == 0 else f"is {nodes[row, column]}"
        raise MeshError(f"{batch.where(row)}: node G{column + 1} {what}; the element has at least {corners} nodes.")
    return nodes


def _read_solids(deck: Deck, batch: Batch, card: Solid) -> None:
    ids = element_numbers(batch)
    properties = property_numbers(batch, ids)
    count = len(card.order) or card.corners
    nodes = nodes_of(batch, 2, card.corners, count)
    quadratic = (nodes[:, card.corners :] > 0).any(axis=1)
    for chosen, kind in ((~quadratic, card.kind), (quadratic, card.quadratic)):
        if chosen.any():
            own = nodes[chosen][:, card.order] if kind == card.quadratic else nodes[chosen][:, : card.corners]
            rows = ElementRows(kind, batch.name, ids[chosen], own, batch.file, batch.lines[chosen])
            deck.elements.append(Elements(rows, "solid", properties[chosen]))


def _read_shells(deck: Deck, batch: Batch, card: Shell) -> None:
    ids = element_numbers(batch)
    nodes = nodes_of(batch, 2, card.corners, card.nodes)
    if batch.name == "CQUAD":
        if (nodes[:, 8] > 0).any():
            row = int(np.flatnonzero(nodes[:, 8])[0])
            deck.warn(batch.where(row), "the centre nodes G9 are left out; the elements are read with 8 nodes.")
        nodes = nodes[:, :8]
    kind = card.kind
    if card.quadratic and not (nodes[:, card.corners :] > 0).any():
        kind, nodes = FIRST_ORDER[kind], nodes[:, : card.corners]
    rows = ElementRows(kind, batch.name, ids, nodes, batch.file, batch.lines)
    extras = _shell_extras(batch, card) if card.angle >= 0 else {}
    deck.elements.append(Elements(rows, "shell", property_numbers(batch, ids), extras))


def _shell_extras(batch: Batch, card: Shell) -> dict[str, np.ndarray]:
    """angle (n,) rad, system (n,) int or -1, offset (n,), thickness (n, corners), relative (n,) bool (T is a part)."""
    column = batch.column(card.angle)
    by_system = number_fields.is_integer(column)
    angle = np.zeros(len(column))
    angle[~by_system] = np.radians(batch.subset(~by_system).reals(card.angle, "THETA"))
    extras = {"system": number_fields.integers(np.where(by_system, column, b""), -1)[0], "angle": angle}
    if card.offset >= 0:
        extras["offset"] = batch.reals(card.offset, "ZOFFS", np.nan)
    if card.thickness >= 0 and batch.fields.shape[1] > card.thickness:
        fields = range(card.thickness, card.thickness + card.corners)
        extras["thickness"] = np.column_stack([batch.reals(i, f"T{i - card.thickness + 1}", np.nan) for i in fields])
        extras["relative"] = batch.integers(card.flag, "TFLAG", 0) == 1
    return extras


def _read_others(deck: Deck, batch: Batch, role: str, start: int, count: int) -> None:
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
        rows = ElementRows(None, "PLOTEL", second.integers(4, "EID"), nodes, second.file, second.lines, role)
        deck.others.append(rows)


def _read_rods(deck: Deck, batch: Batch) -> None:
    """CROD and CTUBE (by property), CONROD (states material and section itself)."""
    if batch.name == "CONROD":
        _read_own_rods(deck, batch)
        return
    for line in batch.lines[batch.filled(4)]:
        deck.skipped.add(batch.name, batch.file, line, why=SECOND_ON_A_CARD)
    ids = element_numbers(batch)
    rows = ElementRows("truss2", batch.name, ids, nodes_of(batch, 2, 2, 2), batch.file, batch.lines)
    deck.elements.append(Elements(rows, "rod", property_numbers(batch, ids)))


def _read_own_rods(deck: Deck, batch: Batch) -> None:
    ids = element_numbers(batch)
    rows = ElementRows("truss2", "CONROD", ids, nodes_of(batch, 1, 2, 2), batch.file, batch.lines)
    names = ((4, "A"), (5, "J"), (6, "C"), (7, "NSM"))
    section = np.column_stack([batch.reals(i, what) for i, what in names])
    deck.elements.append(Elements(rows, "own rod", batch.integers(3, "MID"), {"section": section}))
