"""Bars and beams: CBAR, CBEAM, with the defaults of BAROR and BEAMOR."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran import number_fields
from flexmbs.mesh.readers.nastran.card import Batch, Card
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import element_numbers, nodes_of
from flexmbs.mesh.readers.nastran.grid_cards import Grid

NAMES = frozenset(("CBAR", "CBEAM"))
_DEFAULTS = {"CBAR": "BAROR", "CBEAM": "BEAMOR"}


def read_bar_defaults(deck: Deck, card: Card) -> None:
    """BAROR, BEAMOR: property and orientation of bars that give none."""
    deck.warn_of_second(deck.bar_defaults.get(card.name), card)
    deck.bar_defaults[card.name] = card


def read_bars(deck: Deck, batch: Batch) -> None:
    """CBAR, CBEAM: the orientation stays as the cards state it until the grid points are known."""
    ids = element_numbers(batch)
    rows = ElementRows("beam2", batch.name, ids, nodes_of(batch, 2, 2, 2), batch.file, batch.lines)
    names = ("W1A", "W2A", "W3A", "W1B", "W2B", "W3B")
    extras = {
        "orientation": np.column_stack([batch.column(i).astype("S24") for i in (4, 5, 6, 7)]),
        "offsets": np.column_stack([batch.reals(10 + i, what) for i, what in enumerate(names)]).reshape(-1, 2, 3),
        "pins": batch.filled(8) | batch.filled(9),
    }
    deck.elements.append(Elements(rows, "bar", batch.integers(1, "PID", 0), extras))


def complete_bars(deck: Deck, bars: Elements, grid: Grid) -> Elements:
    """Bars with ``y_axes`` (n, 3), ``offsets`` (n, 2, 3) in mesh axes, and their property numbers filled in."""
    name = bars.rows.type_name
    default = deck.bar_defaults.get(_DEFAULTS[name], Card(_DEFAULTS[name], [], bars.rows.file, 0))
    properties = np.where(bars.properties == 0, default.integer(1, "PID", 0), bars.properties)
    properties = np.where(properties == 0, bars.rows.ids, properties)
    where = [f"{bars.rows.where(row)}: {name}" for row in range(len(bars.rows.ids))]
    ends = bars.rows.node_indices(grid.table)
    fields = _with_default(bars.extras["orientation"], default)
    codes = _codes(fields[:, 3], where)
    y_axes = _vectors(fields, ends[:, 0], codes, grid, where)
    _check_directions(y_axes, properties, {number for _, number in deck.properties}, where)
    offsets = _offsets(bars.extras["offsets"], ends, codes, y_axes, grid, where)
    _warn_of_pins(deck, bars, where)
    return Elements(bars.rows, "bar", properties, {"y_axes": y_axes, "offsets": offsets})


def _with_default(fields: np.ndarray, default: Card) -> np.ndarray:
    """(n, 4) X1 or G0, X2, X3 and OFFT, where blank those of BAROR."""
    fields = fields.copy()
    blank = np.array([number_fields.is_blank(column) for column in fields.T]).T
    given = np.array([default.text(i).encode("latin-1", "replace") for i in (4, 5, 6, 7)])
    no_vector = blank[:, :3].all(axis=1)
    fields[no_vector, :3] = given[:3]
    fields[blank[:, 3], 3] = given[3]
    return fields


def _codes(column: np.ndarray, where: list[str]) -> np.ndarray:
    """(n, 3) letters of OFFT (orientation, offset A, offset B): G displacement system, B basic, O or E element's."""
    texts, rows = np.unique(column, return_inverse=True)
    letters = []
    for number, text in enumerate(texts):
        code = text.decode("latin-1").strip().upper()
        if not code or number_fields.real(code) is not None:  # BIT of p-elements
            code = "GGG"
        if len(code) != 3 or not set(code) <= set("GBOE"):
            row = int(np.flatnonzero(rows.ravel() == number)[0])
            raise MeshError(f"{where[row]}: OFFT is '{code}'; it must be three of the letters G, B, O (default GGG).")
        letters.append(list(code))
    return np.array(letters)[rows.ravel()]


def _vectors(fields, first: np.ndarray, codes, grid: Grid, where: list[str]) -> np.ndarray:
    """(n, 3) directions of local y (made perpendicular to the bar later), mesh axes."""
    x2_x3 = number_fields.is_blank(fields[:, 1]) & number_fields.is_blank(fields[:, 2])
    by_point = number_fields.is_integer(fields[:, 0]) & x2_x3
    vectors = np.zeros((len(fields), 3))
    plain = np.flatnonzero(~by_point)
    for column in range(3):
        values, wrong = number_fields.reals(np.ascontiguousarray(fields[plain, column]), 0.0)
        if wrong is not None:
            text = fields[plain[wrong], column].decode("latin-1").strip()
            raise MeshError(f"{where[plain[wrong]]}: X{column + 1} is '{text}'; give a number.")
        vectors[plain, column] = values
    in_system = plain[codes[plain, 0] == "G"]
    axes = grid.displacement_axes(first[in_system])
    vectors[in_system] = np.einsum("nij,nj->ni", axes, vectors[in_system])
    rows = np.flatnonzero(by_point)
    ids, wrong = number_fields.integers(np.ascontiguousarray(fields[rows, 0]), 0)
    for row, number in zip(rows, ids, strict=True):
        point = grid.table.indices(np.array([number]), where[row], "G0 of the bar")[0]
        vectors[row] = grid.table.points[point] - grid.table.points[first[row]]
    vectors[~vectors.any(axis=1)] = np.nan
    return vectors


def _check_directions(y_axes: np.ndarray, properties: np.ndarray, defined: set[int], where: list[str]) -> None:
    """Bars with a section need a direction; mesh generators write bars without either on the edges of solids."""
    missing = [row for row in np.flatnonzero(np.isnan(y_axes).any(axis=1)) if int(properties[row]) in defined]
    if missing:
        raise MeshError(
            f"{where[missing[0]]}: the direction of plane 1 of the section is missing; give X1, X2, X3 (not all"
            " zero) or a grid point G0 beside the bar."
        )


def _offsets(given, ends, codes, y_axes, grid: Grid, where: list[str]) -> np.ndarray:
    """(n, 2, 3) from the nodes to the ends of the bar, mesh axes; NaN where a bar has none."""
    offsets = np.full(given.shape, np.nan)
    used = np.flatnonzero(given.any(axis=(1, 2)))
    for end in (0, 1):
        axes = grid.displacement_axes(ends[used, end])
        in_element = np.isin(codes[used, 1 + end], ("O", "E"))
        if in_element.any():
            rows = used[in_element]
            axes[in_element] = _element_axes(grid.table.points[ends[rows]], y_axes[rows])
        axes[codes[used, 1 + end] == "B"] = np.eye(3)
        offsets[used, end] = np.einsum("nij,nj->ni", axes, given[used, end])
    return offsets


def _element_axes(points: np.ndarray, y_axes: np.ndarray) -> np.ndarray:
    """(n, 3, 3) columns x along the line of the nodes, y and z."""
    x = points[:, 1] - points[:, 0]
    z = np.cross(x, y_axes)
    y = np.cross(z, x)
    axes = np.stack([x, y, z], axis=2)
    lengths = np.linalg.norm(axes, axis=1, keepdims=True)
    return axes / np.where(lengths > 0.0, lengths, 1.0)


def _warn_of_pins(deck: Deck, bars: Elements, where: list[str]) -> None:
    rows = np.flatnonzero(bars.extras["pins"])
    if rows.size:
        deck.warn(
            where[rows[0]],
            f"pin flags PA, PB (released components) of {rows.size} bars are ignored; their ends are connected rigidly.",
        )
