"""Reader of Medit's text files (.mesh), as Mmg, Tetgen, FreeFEM and others write them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.named_values import sets_of_values
from flexmbs.mesh.reader_tools.number_lines import NumberLines
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes
from flexmbs.mesh.skipped_content import SkipList

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
    data = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n").removeprefix(b"\xef\xbb\xbf")
    data = re.sub(rb"#[^\n]*", b"", data)
    sections = _sections(path, data)
    _check_dimension(path, sections)
    table = NodeTable(str(path), "Vertices")
    shapes = Shapes(path, "Medit", table)
    skipped = SkipList()
    count = 0
    for keyword, line, numbers in sections:
        if keyword == "Vertices":
            values, lines = _rows(numbers, 4, "a vertex (x, y, z, reference)")
            ids = np.arange(1, len(values) + 1)
            table.add(ids, values[:, :3], str(path), lines)
            references = numbers.whole_rows(values[:, 3:], 1, "a vertex' reference")[:, 0]
            shapes.node_groups, _ = sets_of_values({"Vertices set": references}, ids, zero_is_none=True)
        elif keyword in _KINDS:
            count += _add_elements(shapes, keyword, numbers, count)
        elif keyword not in ("MeshVersionFormatted", "Dimension", "End"):
            skipped.add(keyword, str(path), line, analysis=True)
    if not sections or sections[-1][0] != "End":
        shapes.warnings.append(f"{path}: the file has no End keyword; it may be cut off between two sections.")
    shapes.node_groups = {name.replace(" set", ""): ids for name, ids in shapes.node_groups.items()}
    shapes.skipped = skipped.as_tuple()
    return mesh_of_shapes(shapes)


def _sections(path: Path, data: bytes) -> list[tuple[str, int, NumberLines]]:
    """Keyword, its line, and the numbers behind it, of each section."""
    found = list(_KEYWORD.finditer(data))
    if not found or found[0][1] != b"MeshVersionFormatted" or data[: found[0].start()].strip():
        shown = data[:30].decode("ascii", "backslashreplace").split("\n")[0]
        raise MeshError(f"{path}:1: not a Medit mesh: it starts with '{shown}' instead of MeshVersionFormatted.")
    sections, line, at = [], 1, 0
    for number, match in enumerate(found):
        line += data.count(b"\n", at, match.end())
        at = match.end()
        end = found[number + 1].start() if number + 1 < len(found) else len(data)
        keyword = match[1].decode("ascii", "replace")
        is_read = keyword in _KINDS or keyword in ("Vertices", "Dimension")
        sections.append((keyword, line, NumberLines(path, keyword, data, at, end if is_read else at, line)))
    return sections


def _check_dimension(path: Path, sections: list[tuple[str, int, NumberLines]]) -> None:
    for keyword, line, numbers in sections:
        if keyword == "Dimension":
            if numbers.values[:1].tolist() != [3.0]:
                stated = f"{numbers.values[0]:g}" if len(numbers.values) else "missing"
                raise MeshError(f"{path}:{line}: Dimension is {stated}; a flexible body needs 3.")
            return
    raise MeshError(f"{path}:1: Dimension is missing; it must be 3.")


def _rows(numbers: NumberLines, width: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    (count,) = numbers.read("i", f"the number of lines with {what}")
    numbers.end_record("the number of lines")
    values, lines = numbers.table(count, "d" * width, what)
    if numbers.has_more:
        raise MeshError(f"{numbers.where()}: the section has more lines than its count says.")
    return values, lines


def _add_elements(shapes: Shapes, keyword: str, numbers: NumberLines, before: int) -> int:
    """Append the elements of one section, numbered behind those ``before``; returns how many."""
    kind = _KINDS[keyword]
    size = KINDS[kind].node_count
    values, lines = _rows(numbers, size + 1, f"an element ({size} vertices, reference)")
    values = numbers.whole_rows(values, 1, "an element")
    ids = before + np.arange(1, len(values) + 1)
    shapes.groups.append(ElementRows(kind, keyword, ids, values[:, :size], str(shapes.path), lines))
    sets, _ = sets_of_values({f"{keyword} set": values[:, size]}, ids, zero_is_none=True)
    shapes.element_groups.update({name.replace(" set", ""): own for name, own in sets.items()})
    return len(values)
