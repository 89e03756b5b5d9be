"""Grid points and coordinate systems: GRID, GRDSET, SPOINT, EPOINT, CORD1x, CORD2x."""

from __future__ import annotations

from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, system_from_points
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, read_ranges
from flexmbs.mesh.readers.nastran.element_cards import MadeNodes

_KINDS = {"R": "rectangular", "C": "cylindrical", "S": "spherical"}


@dataclass
class Grid:
    """The grid points with coordinates in the basic system."""

    table: NodeTable  # closed
    displacement: np.ndarray  # (n,) int, CD of each node in the order of the table
    held: np.ndarray  # (n,) str, PS of each node
    systems: dict[int, CoordinateSystem]
    order: np.ndarray = field(init=False)  # (n,) indices of the nodes by rising number, which is in ``sorted_ids``
    sorted_ids: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.order = np.argsort(self.table.ids, kind="stable")
        self.sorted_ids = self.table.ids[self.order]

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
                axes[rows] = self.systems[number].directions(self.table.points[nodes[rows]])
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


def make_grid(deck: Deck, middles: list[MadeNodes]) -> Grid:
    """All grid points in the basic system, and the new nodes in the middle of edges.

    Raises MeshError when there are none, when a coordinate system is missing, depends on itself, or is degenerate.
    """
    default = deck.defaults.get("GRDSET") or Card("GRDSET", [], deck.source, 0)
    cp0, cd0 = default.integer(1, "CP", 0), default.integer(5, "CD", 0)
    table = NodeTable(deck.source, "GRID")
    columns = []
    for batch in deck.grids:
        ids = batch.integers(0, "ID")
        wrong = np.flatnonzero(ids < 1)
        if wrong.size:
            raise MeshError(f"{batch.where(wrong[0])}: ID is {ids[wrong[0]]}; numbers of grid points start at 1.")
        local = np.column_stack([batch.reals(i, what) for i, what in ((2, "X1"), (3, "X2"), (4, "X3"))])
        cp, cd = batch.integers(1, "CP", cp0), batch.integers(5, "CD", cd0)
        held = np.where(batch.filled(6), np.char.strip(batch.column(6)), default.text(6).encode("latin-1", "replace"))
        table.add(ids, local, batch.file, batch.lines)
        columns.append((ids, cp, cd, held))
    types = (int, int, int, bytes)
    ids, cp, cd, held = (np.concatenate([c[i] for c in columns] or [np.empty(0, t)]) for i, t in enumerate(types))
    kept = np.sort(np.unique(ids, return_index=True)[1])  # a repeated card counts once, as in the table
    for made in middles:
        file, line = made.where.rsplit(":", 1)
        table.add(made.ids, np.zeros((len(made.ids), 3)), file, np.full(len(made.ids), int(line)))
    table.close()
    count = len(table.ids) - len(kept)
    cp, cd = (np.concatenate([values[kept], np.zeros(count, int)]) for values in (cp, cd))
    held = np.concatenate([held[kept], np.full(count, b"", held.dtype)])
    systems = _all_systems(deck, table, cp)
    for what, values in (("CP", cp), ("CD", cd)):
        for number in np.unique(values):
            if number > 0 and number not in systems:
                place = table.place(np.flatnonzero(values == number)[0])
                raise MeshError(f"{place}: GRID: {what} names coordinate system {number}, which no CORD card defines.")
    table.points = _in_basic(table.points, cp, systems)
    for made in middles:
        ends = table.indices(made.ends, made.where, "the element")
        table.points[table.find(made.ids)] = table.points[ends].mean(axis=1)
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
            systems[number] = system_from_points(f"{card.name} {number}", _KINDS[card.name[5]], *points, card.where)
    except CycleError as error:
        number = min(error.args[1])
        raise MeshError(f"{deck.systems[number].where}: coordinate system {number} is defined in terms of itself.") from None
    return {number: systems[number] for number in deck.systems}
