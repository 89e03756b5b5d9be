"""Grid points and coordinate systems: GRID, GRDSET, SPOINT, EPOINT, CORD1x, CORD2x."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, system_from_points
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.readers.nastran.card import Batch, Card
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.thru_ranges import read_ranges
from flexmbs.mesh.readers.nastran.true_elements import MadeNodes

_KINDS = {"R": "rectangular", "C": "cylindrical", "S": "spherical"}


@dataclass
class Grid:
    """The grid points with coordinates in the basic system.

    Attributes
    ----------
    table : NodeTable (closed)
    displacement : (n,) int, CD of each node in the order of the table
    held : (n,) str, PS of each node
    systems : number -> CoordinateSystem
    order, sorted_ids : (n,) indices of the nodes by rising number, and these numbers
    """

    table: NodeTable
    displacement: np.ndarray
    held: np.ndarray
    systems: dict[int, CoordinateSystem]
    order: np.ndarray = field(init=False)
    sorted_ids: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.order = np.argsort(self.table.ids, kind="stable")
        self.sorted_ids = self.table.ids[self.order]

    def directions(self, number: int, at: np.ndarray, where: str) -> np.ndarray:
        """(k, 3, 3) axes of a coordinate system at points ``at`` (k, 3); MeshError when it does not exist."""
        if number <= 0:
            return np.broadcast_to(np.eye(3), (len(at), 3, 3))
        return self.system(number, where).directions(at)

    def system(self, number: int, where: str) -> CoordinateSystem:
        """A coordinate system; MeshError starting with ``where`` when it does not exist."""
        if number not in self.systems:
            raise MeshError(f"{where}: coordinate system {number} is not defined; add its CORD2R (CORD2C, CORD2S) card.")
        return self.systems[number]

    def displacement_axes(self, nodes: np.ndarray) -> np.ndarray:
        """(k, 3, 3): columns are the directions of the displacement components of nodes (indices)."""
        axes = np.tile(np.eye(3), (len(nodes), 1, 1))
        for number in np.unique(self.displacement[nodes]):
            if number > 0:
                rows = self.displacement[nodes] == number
                axes[rows] = self.systems[number].directions(self.table.points[nodes[rows]])
        return axes


def read_grids(deck: Deck, batch: Batch) -> None:
    """GRID: kept until all coordinate systems are known."""
    deck.grids.append(batch)


def read_grid_defaults(deck: Deck, card: Card) -> None:
    """GRDSET: defaults of CP, CD and PS."""
    deck.warn_of_second(deck.grid_defaults, card)
    deck.grid_defaults = card


def read_scalar_points(deck: Deck, card: Card) -> None:
    """SPOINT, EPOINT: numbers of points without place; noted, and remembered for elements that use them."""
    members = read_ranges(card.fields, card.where, "point")
    deck.scalar_points.parts += members.parts
    deck.skipped.add(card.name, card.file, card.line, why="a scalar point has no position")


def read_system(deck: Deck, card: Card) -> None:
    """CORD1R, CORD1C, CORD1S (two to a card), CORD2R, CORD2C, CORD2S."""
    if card.name[4] == "2":
        deck.add_once(deck.systems, card.integer(0, "CID", least=1), card)
        return
    for start in (0, 4):
        if start == 0 or card.filled(start):
            part = Card(card.name, card.fields[start : start + 4], card.file, card.line)
            deck.add_once(deck.systems, part.integer(0, "CID", least=1), part)


def make_grid(deck: Deck, middles: MadeNodes) -> Grid:
    """All grid points in the basic system, and the new nodes in the middle of edges.

    Raises MeshError when there are none, when a coordinate system is missing, depends on itself, or is degenerate.
    """
    default = deck.grid_defaults or Card("GRDSET", [], deck.source, 0)
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
        columns.append((cp, cd, held))
    cp, cd, held = (np.concatenate([c[i] for c in columns] or [np.empty(0, t)]) for i, t in enumerate((int, int, bytes)))
    kept = _first_of_each(deck)
    for ids, (file, line) in zip(middles.ids, middles.cards, strict=True):
        table.add(ids, np.zeros((len(ids), 3)), file, np.full(len(ids), line))
    table.close()
    new = len(table.ids) - len(kept)
    cp, cd = (np.concatenate([values[kept], np.zeros(new, int)]) for values in (cp, cd))
    held = np.concatenate([held[kept], np.full(new, b"", held.dtype)])
    systems = _Systems(deck, table, cp).all()
    points = table.points.copy()
    for number in np.unique(cp):
        rows = np.flatnonzero(cp == number)
        if number > 0:
            system = _existing(systems, int(number), table.place(rows[0]), "CP")
            points[rows] = system.points(_in_radians(system.kind, points[rows]))
    for number in np.unique(cd):
        if number > 0:
            _existing(systems, int(number), table.place(np.flatnonzero(cd == number)[0]), "CD")
    for ids, ends, (file, line) in zip(middles.ids, middles.ends, middles.cards, strict=True):
        found = table.indices(ends, f"{file}:{line}", "the element")
        points[table.find(ids)] = points[found].mean(axis=1)
    table.points = points
    return Grid(table, cd, held, systems)


def _first_of_each(deck: Deck) -> np.ndarray:
    """Rows of the grid points in the table: a repeated card counts once."""
    ids = np.concatenate([batch.integers(0, "ID") for batch in deck.grids] or [np.empty(0, int)])
    return np.sort(np.unique(ids, return_index=True)[1])


def _existing(systems, number: int, place: str, what: str) -> CoordinateSystem:
    if number not in systems:
        raise MeshError(f"{place}: GRID: {what} names coordinate system {number}, which no CORD card defines.")
    return systems[number]


def _in_radians(kind: str, local: np.ndarray) -> np.ndarray:
    angles = {"rectangular": [], "cylindrical": [1], "spherical": [1, 2]}[kind]
    turned = np.array(local, float)
    turned[:, angles] = np.radians(turned[:, angles])
    return turned


class _Systems:
    """Coordinate systems, each after those that it is stated in."""

    def __init__(self, deck: Deck, table: NodeTable, cp: np.ndarray) -> None:
        self._cards, self._table, self._cp = deck.systems, table, cp
        self._done: dict[int, CoordinateSystem] = {}

    def all(self) -> dict[int, CoordinateSystem]:
        for number in self._cards:
            stack, open_numbers = [number], {number}
            while stack:
                needed = [n for n in self._needs(stack[-1]) if n > 0 and n not in self._done]
                if not needed:
                    done = stack.pop()
                    open_numbers.discard(done)
                    if done not in self._done:
                        self._done[done] = self._made(done)
                elif needed[0] in open_numbers:
                    card = self._cards[needed[0]]
                    raise MeshError(f"{card.where}: coordinate system {needed[0]} is defined in terms of itself.")
                else:
                    stack.append(needed[0])
                    open_numbers.add(needed[0])
        return self._done

    def _needs(self, number: int) -> list[int]:
        card = self._cards[number]
        if card.name[4] == "2":
            needed = [card.integer(1, "RID", 0)]
        else:
            needed = [int(self._cp[node]) for node in self._points_of(card)]
        for other in needed:
            if other > 0 and other not in self._cards:
                raise MeshError(f"{card.where} {number} is defined in coordinate system {other}, which no CORD card defines.")
        return needed

    def _points_of(self, card: Card) -> np.ndarray:
        ids = np.array([card.integer(i, "grid point") for i in (1, 2, 3)])
        return self._table.indices(ids, card.where, "the system")

    def _made(self, number: int) -> CoordinateSystem:
        card = self._cards[number]
        if card.name[4] == "2":
            reference = self._done.get(card.integer(1, "RID", 0))
            points = np.array(card.reals(2, 9, "coordinate")).reshape(3, 3)
            if reference is not None:
                points = reference.points(_in_radians(reference.kind, points))
        else:
            nodes = self._points_of(card)
            points = self._table.points[nodes]
            for row, node in enumerate(nodes):
                reference = self._done.get(int(self._cp[node]))
                if reference is not None:
                    points[row] = reference.points(_in_radians(reference.kind, points[row : row + 1]))[0]
        return system_from_points(f"{card.name} {number}", _KINDS[card.name[5]], *points, card.where)
