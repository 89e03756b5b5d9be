"""``read_medit``: a text file of Medit, as Mmg, Tetgen, FreeFEM and others write them.

meshio would give coordinates of version 1 the digits of 32 bits, and refuse elements of second order, version 3 and
sections that it does not know (RequiredEdges).
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes
from flexmbs.mesh.reader_tools.text_numbers import NumberLines
from flexmbs.mesh.readers.exchange_formats.read_by_library import sets_of_values

_KINDS = {element.name: element.kind for element in elements_of("Medit")}
_KEYWORD = re.compile(rb"^[ \t\f]*([A-Za-z]\w*)", re.MULTILINE)


def read_medit(path: Path) -> Mesh:
    """Mesh of a Medit file.

    Nodes and elements are numbered from 1 in the order of the file. References other than 0 make sets by the keyword
    under which they stand: "Tetrahedra 3", "Triangles 5", "Vertices 1". There are no materials and no sections.

    Raises
    ------
    MeshError
        The file is not a Medit file, is damaged, two-dimensional, or holds nothing that is structural.
    """
    sections = _sections(path)
    dimension = next((numbers.values[:1].tolist() for keyword, _, numbers in sections if keyword == "Dimension"), [])
    if dimension != [3.0]:
        raise MeshError(f"{path}:1: Dimension is {dimension[0] if dimension else 'missing'}; a flexible body needs 3.")
    table = NodeTable(str(path), "Vertices")
    shapes = Shapes(path, "Medit", table)
    count = 0
    for keyword, line, numbers in sections:
        if keyword == "Vertices":
            points, references, lines = _rows(numbers, 3)
            ids = np.arange(1, len(points) + 1)
            table.add(ids, points, str(path), lines)
            shapes.node_groups = _sets(keyword, references, ids)
        elif keyword in _KINDS:
            kind = _KINDS[keyword]
            nodes, references, lines = _rows(numbers, KINDS[kind].node_count)
            ids = np.arange(count + 1, count + len(nodes) + 1)
            count += len(nodes)
            nodes = numbers.whole_rows(nodes, 1, "an element")
            shapes.groups.append(ElementRows(kind, keyword, ids, nodes, str(path), lines))
            shapes.element_groups |= _sets(keyword, references, ids)
        elif keyword not in ("MeshVersionFormatted", "Dimension", "End"):
            shapes.skipped.add(keyword, str(path), line, analysis=True)
    if sections[-1][0] != "End":
        shapes.warnings.append(f"{path}: the file has no End keyword; it may be cut off between two sections.")
    return mesh_of_shapes(shapes)


def _sections(path: Path) -> list[tuple[str, int, NumberLines]]:
    """Keyword, its line, and the numbers behind it, of each section."""
    data = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf")
    data = re.sub(rb"#[^\n]*", b"", data)
    keywords = list(_KEYWORD.finditer(data))
    if not keywords or keywords[0][1] != b"MeshVersionFormatted" or data[: keywords[0].start()].strip():
        shown = data[:30].decode("ascii", "backslashreplace").split("\n")[0]
        raise MeshError(f"{path}:1: not a Medit mesh: it starts with '{shown}' instead of MeshVersionFormatted.")
    sections, line, at = [], 1, 0
    ends = [match.start() for match in keywords[1:]] + [len(data)]
    for match, end in zip(keywords, ends, strict=True):
        line += data.count(b"\n", at, match.end())
        at = match.end()
        keyword = match[1].decode("ascii", "replace")
        is_read = keyword in _KINDS or keyword in ("Vertices", "Dimension")
        sections.append((keyword, line, NumberLines(path, keyword, data, at, end if is_read else at, line)))
    return sections


def _rows(numbers: NumberLines, width: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rows of a section (k, width), the reference behind each (k,), and their lines (k,)."""
    (count,) = numbers.read("i", "the number of rows")
    numbers.end_record("the number of rows")
    values, lines = numbers.table(count, "d" * (width + 1), f"a row ({width} numbers, reference)")
    if numbers.has_more:
        raise MeshError(f"{numbers.where()}: the section has more lines than its count says.")
    return values[:, :width], numbers.whole_rows(values[:, width:], 1, "a reference")[:, 0], lines


def _sets(keyword: str, references: np.ndarray, ids: np.ndarray) -> dict[str, np.ndarray]:
    sets, _ = sets_of_values({f"{keyword} set": references}, ids, zero_is_none=True)  # only such names make sets
    return {name.replace(" set", ""): members for name, members in sets.items()}
