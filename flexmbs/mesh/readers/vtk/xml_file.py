"""VTK's XML files of unstructured grids and polygonal data (.vtu, .vtp)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.xml_tree import XmlNode, xml_tree
from flexmbs.mesh.readers.vtk.data_arrays import Encoding, values_of
from flexmbs.mesh.readers.vtk.grid import Grid

_APPENDED = re.compile(rb"<AppendedData\b[^>]*>")
_POLY = {"Verts": (2, {1: 1}), "Lines": (4, {2: 3}), "Strips": (6, {3: 5}), "Polys": (7, {3: 5, 4: 9})}


@dataclass
class _Arrays:
    """Named arrays of one section of a piece."""

    path: Path
    encoding: Encoding
    section: XmlNode | None

    def where(self, node: XmlNode) -> str:
        return f"{self.path}:{node.line}: DataArray {node.attributes.get('Name', '')}".rstrip()

    def nodes(self) -> list[XmlNode]:
        return self.section.all("DataArray") if self.section else []

    def named(self, name: str) -> np.ndarray | None:
        for node in self.nodes():
            if node.attributes.get("Name", "").lower() == name:
                return self.values(node)
        return None

    def values(self, node: XmlNode) -> np.ndarray:
        return values_of(node.attributes, "".join(node.texts), self.encoding, self.where(node))


def read_xml(path: Path, data: bytes) -> Grid:
    """The grid of a .vtu or .vtp file, its pieces one after another."""
    root, encoding = _parse(path, data)
    kind = root.attributes.get("type", "")
    where = f"{path}:{root.line}: VTKFile"
    if root.tag != "VTKFile" or kind not in ("UnstructuredGrid", "PolyData"):
        advice = "open the pieces it names" if kind.startswith("P") else "save it as an unstructured grid (.vtu)"
        raise MeshError(f"{where}: type '{kind}' is not supported; {advice}.")
    pieces = [piece for grid in root.all(kind) for piece in grid.all("Piece")]
    if not pieces:
        raise MeshError(f"{where}: the file has no {kind} with a Piece, so it holds no mesh.")
    return _joined([_piece(path, kind, piece, encoding) for piece in pieces])


def _parse(path: Path, data: bytes) -> tuple[XmlNode, Encoding]:
    found = _APPENDED.search(data)
    appended, is_base64 = b"", False
    if found:
        start = data.find(b"_", found.end())
        end = data.rfind(b"</AppendedData>")
        if start < 0 or end < start:
            line = data.count(b"\n", 0, found.start()) + 1
            raise MeshError(f"{path}:{line}: AppendedData: the section is not closed; the file is cut off.")
        appended, is_base64 = data[start + 1 : end], b"base64" in found[0]
        data = data[: found.start()] + b"</VTKFile>"
    root = xml_tree(path, data)
    return root, Encoding.of(root.attributes, appended, is_base64, f"{path}:{root.line}: VTKFile")


def _piece(path: Path, kind: str, piece: XmlNode, encoding: Encoding) -> Grid:
    sections = {child.tag: child for child in piece.children}
    where = f"{path}:{piece.line}: Piece"
    points_in = _Arrays(path, encoding, sections.get("Points"))
    coordinates = [points_in.values(node) for node in points_in.nodes()[:1]]
    if not coordinates or coordinates[0].size % 3:
        raise MeshError(f"{where}: Points: three coordinates per point were expected.")
    points = coordinates[0].astype(float).reshape(-1, 3)
    _check_count(piece, "NumberOfPoints", len(points), where)
    read = _cells if kind == "UnstructuredGrid" else _polygons
    cells_at, connectivity, ends, types = read(path, piece, sections, encoding)
    grid = Grid(path, points, connectivity, ends, types, where, cells_at)
    for section, size in (("PointData", len(points)), ("CellData", len(ends))):
        _data(grid, _Arrays(path, encoding, sections.get(section)), size, is_cells=section == "CellData")
    return grid


def _cells(path: Path, piece: XmlNode, sections: dict[str, XmlNode], encoding: Encoding):
    node = sections.get("Cells", piece)
    arrays = _Arrays(path, encoding, sections.get("Cells"))
    found = [arrays.named(name) for name in ("connectivity", "offsets", "types")]
    where = f"{path}:{node.line}: Cells"
    if any(values is None or values.dtype.kind not in "iu" for values in found):
        raise MeshError(f"{where}: the integer arrays connectivity, offsets and types are required.")
    connectivity, ends, types = (values.astype(np.int64) for values in found)
    _check_count(piece, "NumberOfCells", len(ends), where)
    return where, connectivity, ends, types


def _polygons(path: Path, piece: XmlNode, sections: dict[str, XmlNode], encoding: Encoding):
    connectivity, ends, types = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    start = 0
    for tag, (general, special) in _POLY.items():
        arrays = _Arrays(path, encoding, sections.get(tag))
        nodes, own_ends = arrays.named("connectivity"), arrays.named("offsets")
        if nodes is None or own_ends is None or not len(own_ends):
            continue
        if nodes.dtype.kind not in "iu" or own_ends.dtype.kind not in "iu":
            raise MeshError(f"{path}:{sections[tag].line}: {tag}: connectivity and offsets must be integers.")
        own_ends = own_ends.astype(np.int64)
        connectivity.append(nodes.astype(np.int64))
        ends.append(start + own_ends)
        sizes = np.diff(own_ends, prepend=0)
        types.append(polygon_types(sizes, general, special))
        start += len(nodes)
    where = f"{path}:{piece.line}: Piece"
    return where, np.concatenate(connectivity), np.concatenate(ends), np.concatenate(types)


def polygon_types(sizes: np.ndarray, general: int, special: dict[int, int]) -> np.ndarray:
    """Cell types of polygons (lines, vertices) by their numbers of points."""
    types = np.full(len(sizes), general)
    for size, number in special.items():
        types[sizes == size] = number
    return types


def _data(grid: Grid, arrays: _Arrays, size: int, is_cells: bool) -> None:
    declared = arrays.section.attributes.get("GlobalIds", "") if arrays.section else ""
    for node in arrays.nodes():
        name = node.attributes.get("Name", "")
        is_integer = node.attributes.get("type", "").lstrip("U").startswith("Int")
        if is_integer and node.attributes.get("NumberOfComponents", "1") == "1":
            values = arrays.values(node)
            if len(values) == size:
                if name and name == declared:
                    setattr(grid, "cell_numbers" if is_cells else "point_numbers", values.astype(np.int64))
                else:
                    (grid.cell_data if is_cells else grid.point_data)[name] = values.astype(np.int64)
                continue
        grid.left_out.append((f"DataArray {name}", node.line))


def _check_count(piece: XmlNode, name: str, count: int, where: str) -> None:
    stated = piece.attributes.get(name, "")
    if stated.strip() != str(count):
        raise MeshError(f"{where}: {name} is '{stated}', but the arrays hold {count}; make them agree.")


def _joined(grids: list[Grid]) -> Grid:
    first = grids[0]
    for grid in grids:
        grid.check()
    if len(grids) == 1:
        return first
    starts = np.cumsum([0] + [len(grid.points) for grid in grids])
    places = np.cumsum([0] + [len(grid.connectivity) for grid in grids])
    joined = Grid(
        first.path,
        np.concatenate([grid.points for grid in grids]),
        np.concatenate([grid.connectivity + start for grid, start in zip(grids, starts, strict=False)]),
        np.concatenate([grid.ends + place for grid, place in zip(grids, places, strict=False)]),
        np.concatenate([grid.types for grid in grids]),
        first.points_at,
        first.cells_at,
    )
    for name in set(first.cell_data).intersection(*(grid.cell_data for grid in grids)):
        joined.cell_data[name] = np.concatenate([grid.cell_data[name] for grid in grids])
    for name in set(first.point_data).intersection(*(grid.point_data for grid in grids)):
        joined.point_data[name] = np.concatenate([grid.point_data[name] for grid in grids])
    joined.left_out = [entry for grid in grids for entry in grid.left_out]
    return joined
