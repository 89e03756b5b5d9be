"""``read_with_meshio``: what meshio reads and flexmbs has no reader of its own for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.named_values import sets_of_values
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes
from flexmbs.mesh.readers.exchange_formats.read_apart import read_apart
from flexmbs.mesh.skipped_content import SkipList

_KINDS = {element.name: element.kind for element in elements_of("meshio")}
_SURFACES_OF_CAD = (".stl", ".ply", ".obj", ".off")


@dataclass(frozen=True)
class MeshioContent:
    """Content of a meshio.Mesh."""

    points: np.ndarray
    cells: list[tuple[str, np.ndarray | list]]
    point_data: dict
    cell_data: dict
    point_sets: dict
    cell_sets: dict


def read_with_meshio(path: Path) -> Mesh:
    """Mesh of a file that meshio knows: Netgen, Tetgen, Permas, FLAC3D, XDMF, SU2, STL, PLY, OBJ, ...

    Nodes and elements are numbered from 1 in the order of the file. meshio's sets become node and element sets, and
    integers on cells or points whose name speaks of regions, materials, blocks, groups make sets "name value".

    Raises
    ------
    MeshError
        meshio cannot read the file (with what it says), or it holds nothing that is structural.
    """
    raw = MeshioContent(**read_apart("meshio", path))
    points = _points(path, raw)
    table = NodeTable(str(path), "node")
    numbers = np.arange(1, len(points) + 1)
    table.add(numbers, points, f"{path}: node", numbers)
    shapes = Shapes(path, "a format of meshio", table)
    blocks = _elements(path, raw, shapes, len(points))
    _sets(raw, shapes, blocks, numbers)
    if path.suffix.lower() in _SURFACES_OF_CAD:
        shapes.warnings.append(f"{path}: the file holds only a surface; it is read as shells.")
    return mesh_of_shapes(shapes)


def _points(path: Path, raw: MeshioContent) -> np.ndarray:
    points = np.asarray(raw.points)
    if points.ndim != 2 or points.dtype.kind not in "fiu" or not len(points):
        raise MeshError(f"{path}: meshio finds no nodes with coordinates in the file; it is empty or damaged.")
    if points.shape[1] != 3:
        raise MeshError(f"{path}: the nodes have {points.shape[1]} coordinates; a flexible body needs a mesh with three.")
    return points.astype(float)


def _elements(path: Path, raw: MeshioContent, shapes: Shapes, point_count: int) -> list[np.ndarray]:
    """Adds the cells to the shapes; returns the element numbers of each block of meshio."""
    numbers, start = [], 1
    for cell_type, rows in raw.cells:
        nodes = _connectivity(path, cell_type, rows, point_count)
        ids = np.arange(start, start + len(nodes))
        numbers.append(ids)
        start += len(nodes)
        kind = _KINDS.get(cell_type)
        size = KINDS[kind].node_count if kind else nodes.shape[1]
        if nodes.shape[1] < size:
            raise MeshError(f"{path}: cells of type {cell_type} have {nodes.shape[1]} nodes; the file is damaged.")
        role = "" if kind else "geometry" if cell_type == "vertex" else "unknown"
        name = "point" if role == "geometry" else cell_type
        label = f"{path}: {cell_type}, element"
        shapes.groups.append(ElementRows(kind, name, ids, nodes[:, :size] + 1, label, ids, role))
        if role == "unknown" and len(ids):
            shapes.warnings.append(f"{label}:{ids[0]}: {len(ids)} cells of type {cell_type} are not supported as elements.")
        if size < nodes.shape[1] and len(ids):
            shapes.warnings.append(without_inner_nodes(f"{label}:{ids[0]}: {len(ids)} cells of type {cell_type}"))
    return numbers


def _connectivity(path: Path, cell_type: str, rows, point_count: int) -> np.ndarray:
    if isinstance(rows, list):  # polyhedra and polygons of several sizes
        sizes = {np.size(row) for row in rows}
        rows = np.array([np.ravel(row) for row in rows]) if len(sizes) == 1 else np.empty((0, 1), np.int64)
    if rows.dtype.kind not in "iu" or rows.ndim != 2:
        raise MeshError(f"{path}: cells of type {cell_type} are not rows of node numbers.")
    wrong = np.argwhere((rows < 0) | (rows >= point_count))
    if len(wrong):
        row, column = wrong[0]
        raise MeshError(
            f"{path}: {cell_type}, element:{row + 1}: it uses node {int(rows[row, column]) + 1}, but there are only"
            f" {point_count} nodes."
        )
    return rows.astype(np.int64)


def _sets(raw: MeshioContent, shapes: Shapes, numbers: list[np.ndarray], node_numbers: np.ndarray) -> None:
    skipped = SkipList()
    ids = np.concatenate(numbers or [np.empty(0, np.int64)])
    cell_data = {name: _integers(parts) for name, parts in raw.cell_data.items()}
    point_data = {name: _integers([values]) for name, values in raw.point_data.items()}
    for data, own, target in ((cell_data, ids, "element_groups"), (point_data, node_numbers, "node_groups")):
        fitting = {name: values for name, values in data.items() if values is not None and len(values) == len(own)}
        sets, unused = sets_of_values(fitting, own, zero_is_none=target == "node_groups")
        setattr(shapes, target, sets)
        for name in (*unused, *(name for name in data if name not in fitting)):
            skipped.add(str(name), str(shapes.path), 0, analysis=True)
    for name, parts in raw.cell_sets.items():
        members = [own[_rows(part, len(own))] for own, part in zip(numbers, parts, strict=False) if part is not None]
        shapes.element_groups[str(name)] = np.concatenate(members or [np.empty(0, np.int64)])
    for name, members in raw.point_sets.items():
        shapes.node_groups[str(name)] = node_numbers[_rows(members, len(node_numbers))]
    shapes.skipped = skipped.as_tuple()


def _integers(parts) -> np.ndarray | None:
    """One integer per cell or node, or None; meshio hands on whole numbers as floats at times."""
    parts = [np.asarray(part) for part in parts]
    if not parts or any(part.ndim == 0 or part.dtype.kind not in "iuf" or part.size != len(part) for part in parts):
        return None
    values = np.concatenate([part.ravel() for part in parts]).astype(float)
    whole = np.isfinite(values) & (values == np.floor(values)) & (np.abs(values) < 2.0**53)
    return values.astype(np.int64) if whole.all() else None


def _rows(members, count: int) -> np.ndarray:
    """Those of the indices that exist."""
    rows = np.asarray(members)
    rows = rows.ravel().astype(np.int64) if rows.dtype.kind in "iu" else np.empty(0, np.int64)
    return rows[(rows >= 0) & (rows < count)]
