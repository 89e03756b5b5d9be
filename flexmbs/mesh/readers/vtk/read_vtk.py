"""``read_vtk``: a VTK file to a Mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.named_values import sets_of_values
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes
from flexmbs.mesh.readers.vtk.grid import element_rows, in_pieces
from flexmbs.mesh.readers.vtk.legacy import read_legacy
from flexmbs.mesh.readers.vtk.xml_file import read_xml
from flexmbs.mesh.skipped_content import SkipList


def read_vtk(path: Path) -> Mesh:
    """Mesh of a VTK file: legacy (.vtk) or XML (.vtu, .vtp), text or binary.

    Nodes and elements are numbered from 1 in the order of the file unless it declares their numbers (GlobalIds). The
    format has no sets: integers on cells or points whose name speaks of regions, materials, blocks, groups make sets
    "name value". There are no materials and no sections.

    Raises
    ------
    MeshError
        The file is no VTK file, is damaged, or holds nothing that is structural.
    """
    data = path.read_bytes()
    if b"\n" not in data[:256] and b"\r" in data[:256]:
        data = data.replace(b"\r", b"\n")  # line ends of old Macintoshs
    is_legacy = data[:40].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"#")
    grid = (read_legacy if is_legacy else read_xml)(path, data.removeprefix(b"\xef\xbb\xbf"))
    grid.check()
    grid = in_pieces(grid)
    node_ids, cell_ids = _ids(grid.point_numbers, len(grid.points)), _ids(grid.cell_numbers, len(grid.ends))
    table = NodeTable(str(path), "point")
    table.add(node_ids, grid.points, f"{grid.points_at}, point", np.arange(len(node_ids)))
    shapes = Shapes(path, "VTK", table)
    shapes.groups = element_rows(grid, node_ids, cell_ids, shapes.warnings)
    shapes.element_groups, unused_cells = sets_of_values(grid.cell_data, cell_ids)
    shapes.node_groups, unused_points = sets_of_values(grid.point_data, node_ids, zero_is_none=True)
    skipped = SkipList()
    for name, line in grid.left_out:
        skipped.add(name, str(path), line, analysis=True)
    for name in (*unused_cells, *unused_points):
        skipped.add(name, str(path), 0, analysis=True)
    shapes.skipped = skipped.as_tuple()
    return mesh_of_shapes(shapes)


def _ids(declared: np.ndarray | None, count: int) -> np.ndarray:
    if declared is not None and len(np.unique(declared)) == count and declared.min(initial=1) > 0:
        return declared
    return np.arange(1, count + 1)
