"""What a VTK file holds, whichever way it is written, and its cell types."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_names import element_named, elements_of
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.shapes_to_mesh import without_inner_nodes

_POINTS, _POLYLINE, _STRIP = (1, 2), 4, 6
NAMES = {
    1: "VERTEX",
    2: "POLY_VERTEX",
    3: "LINE",
    4: "POLY_LINE",
    5: "TRIANGLE",
    6: "TRIANGLE_STRIP",
    7: "POLYGON",
    8: "PIXEL",
    9: "QUAD",
    10: "TETRA",
    11: "VOXEL",
    12: "HEXAHEDRON",
    13: "WEDGE",
    14: "PYRAMID",
    15: "PENTAGONAL_PRISM",
    16: "HEXAGONAL_PRISM",
    21: "QUADRATIC_EDGE",
    22: "QUADRATIC_TRIANGLE",
    23: "QUADRATIC_QUAD",
    24: "QUADRATIC_TETRA",
    25: "QUADRATIC_HEXAHEDRON",
    26: "QUADRATIC_WEDGE",
    27: "QUADRATIC_PYRAMID",
    28: "BIQUADRATIC_QUAD",
    29: "TRIQUADRATIC_HEXAHEDRON",
    32: "BIQUADRATIC_QUADRATIC_WEDGE",
    33: "BIQUADRATIC_QUADRATIC_HEXAHEDRON",
    34: "BIQUADRATIC_TRIANGLE",
    37: "TRIQUADRATIC_PYRAMID",
    42: "POLYHEDRON",
    68: "LAGRANGE_CURVE",
    69: "LAGRANGE_TRIANGLE",
    70: "LAGRANGE_QUADRILATERAL",
    71: "LAGRANGE_TETRAHEDRON",
    72: "LAGRANGE_HEXAHEDRON",
    73: "LAGRANGE_WEDGE",
    74: "LAGRANGE_PYRAMID",
}

# Cell types whose number of points is fixed.
_FIXED = {
    int(element.name): element.node_counts
    for element in elements_of("VTK")
    if element.name not in ("4", "6", "7") and int(element.name) < 60
}
_FIXED |= {1: (1,), 15: (10,), 16: (12,)}


@dataclass
class Grid:
    """Points, cells and the data on them.

    Attributes
    ----------
    points : (n, 3)
    connectivity : nodes of all cells, one after another, from 0
    ends : (c,) where in it each cell ends
    types : (c,) numbers of cell types
    cells_at : file and keyword of the cells, for messages
    point_numbers, cell_numbers : what the file declares as their numbers, or None
    point_data, cell_data : arrays with one integer for each
    left_out : names of the arrays that hold something else
    """

    path: Path
    points: np.ndarray
    connectivity: np.ndarray
    ends: np.ndarray
    types: np.ndarray
    points_at: str
    cells_at: str
    point_numbers: np.ndarray | None = None
    cell_numbers: np.ndarray | None = None
    point_data: dict[str, np.ndarray] = field(default_factory=dict)
    cell_data: dict[str, np.ndarray] = field(default_factory=dict)
    left_out: list[tuple[str, int]] = field(default_factory=list)

    def check(self) -> None:
        """MeshError when cells do not fit their connectivity, or use points that do not exist."""
        sizes = np.diff(self.ends, prepend=0)
        if len(self.types) != len(self.ends):
            raise MeshError(f"{self.cells_at}: {len(self.ends)} cells, {len(self.types)} cell types; make them agree.")
        if (sizes < 0).any() or (len(self.ends) and self.ends[-1] > len(self.connectivity)):
            raise MeshError(
                f"{self.cells_at}: the cells end at position {self.ends.max()} of a connectivity of"
                f" {len(self.connectivity)} entries; the file is damaged or cut off."
            )
        for number, sizes_of_type in _FIXED.items():
            odd = np.flatnonzero((self.types == number) & ~np.isin(sizes, sizes_of_type))
            if odd.size:
                raise MeshError(
                    f"{self.cells_at}: cell {odd[0]} of type {number} ({NAMES[number]}) has {sizes[odd[0]]} points; it"
                    f" needs {' or '.join(map(str, sizes_of_type))}."
                )
        used = self.connectivity[: self.ends[-1] if len(self.ends) else 0]
        wrong = np.flatnonzero((used < 0) | (used >= len(self.points)))
        if wrong.size:
            cell = int(np.searchsorted(self.ends, wrong[0], side="right"))
            raise MeshError(
                f"{self.cells_at}: cell {cell} uses point {used[wrong[0]]}, but the points are numbered from 0 to"
                f" {len(self.points) - 1}."
            )


def in_pieces(grid: Grid) -> Grid:
    """The grid with strips of triangles and polylines cut into triangles and lines, numbered through."""
    sizes = np.diff(grid.ends, prepend=0)
    width = np.where(grid.types == _STRIP, 3, 2)
    long = np.isin(grid.types, (_STRIP, _POLYLINE)) & (sizes > width)
    if not long.any():
        return grid
    count = np.where(long, sizes - width + 1, 1)
    own = np.where(long, width, sizes)
    origin = np.repeat(np.arange(len(sizes)), count)
    number = np.arange(len(origin)) - np.repeat(np.cumsum(count) - count, count)  # of the piece in its strip
    ends = np.cumsum(own[origin])
    within = np.arange(ends[-1]) - np.repeat(ends - own[origin], own[origin])
    piece = np.repeat(np.arange(len(origin)), own[origin])
    # Every second triangle of a strip turns the other way round.
    turned = (number[piece] % 2 == 1) & (grid.types[origin[piece]] == _STRIP) & (within > 0)
    within = np.where(turned, 3 - within, within)
    connectivity = grid.connectivity[(grid.ends - sizes)[origin[piece]] + number[piece] + within]
    data = {name: values[origin] for name, values in grid.cell_data.items()}
    return replace(grid, connectivity=connectivity, ends=ends, types=grid.types[origin], cell_numbers=None, cell_data=data)


def element_rows(grid: Grid, node_ids: np.ndarray, cell_ids: np.ndarray, warnings: list[str]) -> list[ElementRows]:
    """The cells by type; those of types that flexmbs does not know are kept with the role "unknown"."""
    starts = np.concatenate([[0], grid.ends[:-1]]).astype(np.int64)
    sizes = grid.ends - starts
    groups = []
    for number, size in np.unique(np.stack([grid.types, sizes], axis=1), axis=0):
        cells = np.flatnonzero((grid.types == number) & (sizes == size))
        nodes = node_ids[grid.connectivity[starts[cells][:, None] + np.arange(size)]]
        name = NAMES.get(int(number), f"cell type {number}")
        kind, order = _kind(int(number), int(size))
        role = "" if kind else "geometry" if number in _POINTS else "unknown"
        name = "point" if role == "geometry" else name
        rows = ElementRows(kind, name, cell_ids[cells], nodes[:, order], f"{grid.cells_at}, cell", cells, role)
        groups.append(rows)
        if role == "unknown" and size:
            what = f"{len(cells)} cells {name} of {size} points"
            warnings.append(f"{rows.where(0)}: {what} are not supported as elements; they are not part of the body.")
        if kind and len(order) < size:
            warnings.append(without_inner_nodes(f"{rows.where(0)}: {len(cells)} cells {name}"))
    return groups


def _kind(number: int, size: int) -> tuple[str | None, list[int]]:
    element = element_named("VTK", str(number), size)
    return (element.kind, list(element.order)) if element else (None, list(range(size)))
