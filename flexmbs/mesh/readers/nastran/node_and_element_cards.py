"""Grid points, coordinate systems, and elements: GRID, SPOINT, CORD1x, CORD2x; solids, shells, rods, bars, and what is no body."""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, system_from_points
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.readers.nastran.card import Batch, Card, is_integer
from flexmbs.mesh.readers.nastran.deck import Deck, read_ranges

# Cards of elements of a body: what they are, first order before second.
CARDS: dict[str, list[FileElement]] = {}
for _element in elements_of("Nastran"):
    CARDS.setdefault(_element.name, []).append(_element)
_SYSTEM_KINDS = {"R": "rectangular", "C": "cylindrical", "S": "spherical"}
_FAMILIES = {"CROD": "rod", "CTUBE": "rod", "CONROD": "own rod", "CBAR": "bar", "CBEAM": "bar", "CSHEAR": "shear"}
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
    **{name: ("unknown", 2, count) for name, count in {"CBEND": 2, "CBEAM3": 3, **OF_NASTRAN_95}.items()},
    **{"CIS2D8": ("plane", 2, 8), "CGAP": ("contact", 2, 2), "CHBDYG": ("thermal", 8, 8), "CHBDY": ("thermal", 3, 4)},
}
SECOND_ON_A_CARD = "a second element on the card (from field 6 on), as NASTRAN-95 has it, is not read"


@dataclass
class Grid:
    """The grid points with coordinates in the basic system."""

    table: NodeTable  # closed
    displacement: np.ndarray  # (n,) int, CD of each node in the order of the table
    held: np.ndarray  # (n,) str, PS of each node
    systems: dict[int, CoordinateSystem]

    def __post_init__(self) -> None:
        self.points = self.table.points
        self.order = np.argsort(self.table.ids, kind="stable")  # indices of the nodes by rising number
        self.sorted_ids = self.table.ids[self.order]

    def add_middles(self, points: np.ndarray) -> None:
        """Take (n, 3) points with nodes at the end that are no grid points, with displacements in the basic system."""
        self.displacement = np.pad(self.displacement, (0, len(points) - len(self.points)))
        self.points = points

    def node(self, card: Card, index: int, what: str, user: str | None = None) -> int:
        """Index of the node that a field of a card names; MeshError (``user`` uses node ...) when it does not exist."""
        return int(self.table.indices(np.array([card.integer(index, what)]), card.where, user or card.name)[0])

    def directions(self, number: int, at: np.ndarray, where: str) -> np.ndarray:
        """(k, 3, 3) axes of a coordinate system at points ``at`` (k, 3); MeshError when it does not exist."""
        if number <= 0:
            return np.broadcast_to(np.eye(3), (len(at), 3, 3))
        if number not in self.systems:
            raise MeshError(f"{where}: coordinate system {number} is not defined; add its CORD2R (CORD2C, CORD2S) card.")
        return self.systems[number].directions(at)

    def displacement_axes(self, nodes: np.ndarray) -> np.ndarray:
        """(k, 3, 3): columns are the directions of the displacement components of nodes (indices)."""
        axes = np.tile(np.eye(3), (len(nodes), 1, 1))
        for number in np.unique(self.displacement[nodes]):
            if number > 0:
                rows = self.displacement[nodes] == number
                axes[rows] = self.systems[number].directions(self.points[nodes[rows]])
        return axes


def read_scalar_points(deck: Deck, card: Card) -> None:
    """SPOINT, EPOINT: numbers of points without place; noted, and remembered for elements that use them."""
    deck.scalar_points.parts += read_ranges(card.fields, card.where, "point").parts
    deck.leave_out(card, "a scalar point has no position")


def read_system(deck: Deck, card: Card) -> None:
    """CORD1R, CORD1C, CORD1S (two to a card), CORD2R, CORD2C, CORD2S."""
    parts = [card] if card.name[4] == "2" else [card.part(start, 4) for start in (0, 4) if start == 0 or card.filled(start)]
    for part in parts:
        deck.add_once(deck.systems, part.integer(0, "CID", least=1), part)


def make_grid(deck: Deck) -> Grid:
    """All grid points in the basic system. Raises MeshError for coordinate systems that are missing or depend on themselves."""
    default = deck.defaults.get("GRDSET") or Card("GRDSET", [], deck.source, 0)
    cp0, cd0 = default.integer(1, "CP", 0), default.integer(5, "CD", 0)
    table = NodeTable(deck.source, "GRID")
    columns = []
    for batch in deck.grids:
        ids = batch.integers(0, "ID", least=1)
        local = np.column_stack([batch.reals(i, what) for i, what in ((2, "X1"), (3, "X2"), (4, "X3"))])
        cp, cd = batch.integers(1, "CP", cp0), batch.integers(5, "CD", cd0)
        held = np.where(batch.filled(6), np.char.strip(batch.column(6)), default.text(6).encode("latin-1", "replace"))
        table.add(ids, local, batch.file, batch.lines)
        columns.append((ids, cp, cd, held))
    table.close()
    ids, cp, cd, held = (np.concatenate(column) for column in zip(*columns, strict=True))
    kept = np.sort(np.unique(ids, return_index=True)[1])  # a repeated card counts once, as in the table
    cp, cd, held = cp[kept], cd[kept], held[kept]
    systems = _all_systems(deck, table, cp)
    for what, values in (("CP", cp), ("CD", cd)):
        for number in np.unique(values):
            if number > 0 and number not in systems:
                place = table.place(np.flatnonzero(values == number)[0])
                raise MeshError(f"{place}: GRID: {what} names coordinate system {number}, which no CORD card defines.")
    table.points = _in_basic(table.points, cp, systems)
    return Grid(table, cd, held, systems)


def _in_basic(local: np.ndarray, numbers: np.ndarray, systems: dict[int, CoordinateSystem]) -> np.ndarray:
    """(n, 3) points in the basic system; ``local`` (n, 3) are in the systems of ``numbers`` (n,), angles in degrees."""
    points = local.copy()
    for number in np.unique(numbers):
        if number > 0:
            system, rows = systems[number], np.flatnonzero(numbers == number)
            angles = {"rectangular": [], "cylindrical": [1], "spherical": [1, 2]}[system.kind]
            turned = points[rows]
            turned[:, angles] = np.radians(turned[:, angles])
            points[rows] = system.points(turned)
    return points


def _all_systems(deck: Deck, table: NodeTable, cp: np.ndarray) -> dict[int, CoordinateSystem]:
    """Coordinate systems by number, each made after those that it is stated in; ``cp`` (n,) are those of the nodes."""
    stated: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # three points (3, 3) of each, and the systems (3,) they are in
    for number, card in deck.systems.items():
        if card.name[4] == "2":
            points = np.array(card.reals(2, 9, "coordinate")).reshape(3, 3)
            stated[number] = points, np.full(3, card.integer(1, "RID", 0))
        else:
            ids = np.array([card.integer(i, "grid point") for i in (1, 2, 3)])
            nodes = table.indices(ids, card.where, "the system")
            stated[number] = table.points[nodes], cp[nodes]
        for other in stated[number][1]:
            if other > 0 and other not in deck.systems:
                raise MeshError(f"{card.where} {number} is defined in coordinate system {other}, which no CORD card defines.")
    try:
        order = TopologicalSorter({n: {int(of) for of in used if of > 0} for n, (_, used) in stated.items()}).static_order()
        systems: dict[int, CoordinateSystem] = {}
        for number in order:
            card = deck.systems[number]
            points = _in_basic(stated[number][0], stated[number][1], systems)
            systems[number] = system_from_points(f"{card.name} {number}", _SYSTEM_KINDS[card.name[5]], *points, card.where)
    except CycleError as error:
        number = min(error.args[1])
        raise MeshError(f"{deck.systems[number].where}: coordinate system {number} is defined in terms of itself.") from None
    return {number: systems[number] for number in deck.systems}


def read_elements(deck: Deck, batch: Batch) -> None:
    """Solids, shells, rods and bars; ``data`` has what their cards say besides their nodes."""
    first, last = CARDS[batch.name][0], CARDS[batch.name][-1]
    corners, count = KINDS[first.kind].corner_count, len(last.order)
    family = _FAMILIES.get(batch.name, "")
    ids = batch.integers(0, "EID", least=1)
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
    data = {"property": properties}
    if family == "bar":
        data["cards"] = batch
    elif batch.name in _SHELL_FIELDS:
        data |= _shell_data(batch, nodes[:, :corners], *_SHELL_FIELDS[batch.name])
    elif family == "rod":
        for line in batch.lines[batch.filled(4)]:
            deck.skipped.add(batch.name, batch.file, line, why=SECOND_ON_A_CARD)
    deck.elements.append(ElementRows(kind, batch.name, ids, nodes, batch.file, batch.lines, data=data))


def family_of(rows: ElementRows) -> str:
    """Which properties elements have: those for "solid", "shell", "shear", "bar", "rod" or "own rod" (CONROD)."""
    return _FAMILIES.get(rows.type_name) or {3: "solid", 2: "shell"}[KINDS[rows.kind].dimension]


def _own_properties(deck: Deck, batch: Batch) -> np.ndarray:
    """(n,) numbers of properties for CONROD, kept as cards like PROD; equal ones have that of the first element."""
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


def _shell_data(batch: Batch, corners: np.ndarray, angle_at: int, offset_at=-1, thickness_at=-1, flag_at=-1) -> dict:
    """What the cards of shells say, in arrays (n, ...): angle (rad), system (-1: none), offset.

    At the nodes ``corners`` corner_thickness, or the part of that of the property where it is ``relative``.
    """
    by_system = batch.filled(angle_at) & is_integer(batch.column(angle_at))
    data = {"system": np.full(len(corners), -1), "angle": np.zeros(len(corners))}
    data["system"][by_system] = batch[by_system].integers(angle_at, "MCID")
    data["angle"][~by_system] = np.radians(batch[~by_system].reals(angle_at, "THETA"))
    if offset_at >= 0:
        data["offset"] = batch.reals(offset_at, "ZOFFS", np.nan)
    if thickness_at >= 0 and batch.fields.shape[1] > thickness_at:
        given = [batch.reals(thickness_at + i, f"T{i + 1}", np.nan) for i in range(corners.shape[1])]
        relative = batch.integers(flag_at, "TFLAG", 0) == 1
        data |= {"corner_thickness": np.column_stack(given), "corners": corners, "relative": relative}
    return data


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
        second = batch[batch.filled(4)]
        nodes = np.column_stack([second.integers(5, "G1"), second.integers(6, "G2")])
        deck.others.append(ElementRows(None, "PLOTEL", second.integers(4, "EID"), nodes, second.file, second.lines, role))
