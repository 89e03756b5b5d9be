"""What the readers of the versions of Gmsh's files fill, and its element types with their node orders."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.reader_tools.mirrored_elements import mirrored
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.readers.gmsh.sources import GmshFile, Section

_NAME_LINE = re.compile(r'\s*(?:(\d)\s+)?(-?\d{1,18})\s+(?:"(.*)"|(\S+))\s*$')


@dataclass
class Contents:
    """Nodes, elements and physical groups of a file.

    Attributes
    ----------
    groups : elements, node order of VTK
    members : (dimension, tag of the physical group) -> element numbers
    entities : (dimension, tag of the geometric entity) -> element numbers
    names : (dimension, tag) -> name of the physical group; dimension -1: not stated
    reduced : names of the element types of which nodes in faces and inside are left out
    """

    file: GmshFile
    nodes: NodeTable
    groups: list[ElementRows] = field(default_factory=list)
    members: dict[tuple[int, int], list[np.ndarray]] = field(default_factory=dict)
    entities: dict[tuple[int, int], list[np.ndarray]] = field(default_factory=dict)
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    reduced: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def add_elements(
        self, number: int, ids: np.ndarray, nodes: np.ndarray, label: str, lines: np.ndarray, reverse: bool = False
    ) -> None:
        """Append elements (k,) of Gmsh type ``number`` with their nodes (k, n) as in the file."""
        known = TYPES[number]
        if len(ids) and known.node_count > len(known.order):
            self.reduced.setdefault(known.name, f"{label}:{lines[0]}")
        order = list(known.order)
        if reverse and known.kind and known.dimension < 3:
            order = [order[i] for i in mirrored(known.kind)]
        role, name = ("", known.name) if known.kind else ("geometry", "point")
        self.groups.append(ElementRows(known.kind, name, ids, nodes[:, order], label, lines, role))

    def add_members(self, dimension: int, tag: int, ids: np.ndarray) -> None:
        """Put elements into a physical group (tag 0: into none)."""
        if tag:
            self.members.setdefault((dimension, abs(tag)), []).append(ids)

    def add_to_entity(self, dimension: int, tag: int, ids: np.ndarray) -> None:
        """Note that elements lie on a geometric entity (tag 0: on none)."""
        if tag:
            self.entities.setdefault((dimension, abs(tag)), []).append(ids)


def known_type(number: int, where: str) -> int:
    """Number of nodes of an element type; MeshError for one that is not read."""
    if number not in TYPES:
        raise MeshError(f"{where}: {type_advice(number)}.")
    return TYPES[number].node_count


def read_names(file: GmshFile, section: Section) -> dict[tuple[int, int], str]:
    """Names of physical groups, (dimension, tag) -> name."""
    lines = file.data[section.start : section.end].decode("utf-8", "replace").splitlines()
    rows = [(section.line + i, line) for i, line in enumerate(lines) if line.strip()]
    where = f"{file.path}:{section.line}: $PhysicalNames"
    if not rows or rows[0][1].strip().lstrip("0") != str(len(rows) - 1).lstrip("0"):
        stated = rows[0][1].strip()[:40] if rows else "nothing"
        raise MeshError(f"{where}: {len(rows) - 1} names follow, but the section says {stated}; make them agree.")
    names = {}
    for line, text in rows[1:]:
        found = _NAME_LINE.match(text)
        if found is None:
            raise MeshError(
                f"{file.path}:{line}: $PhysicalNames: '{text.strip()[:60]}' is not a dimension, a number and a name in quotes."
            )
        dimension, tag, quoted, bare = found.groups()
        names[-1 if dimension is None else int(dimension), abs(int(tag))] = bare if quoted is None else quoted
    return names


_WORDS = {
    "beam": "line",
    "tri": "triangle",
    "quad": "quadrangle",
    "tet": "tetrahedron",
    "hex": "hexahedron",
    "wedge": "prism",
    "pyramid": "pyramid",
}


@dataclass(frozen=True)
class GmshType:
    """An element type: its name, dimension, number of nodes, kind, and where the kind's nodes stand in it.

    ``kind`` is None for points. A type with more nodes than ``order`` has names (in faces and in the inside) is read
    without these.
    """

    name: str
    dimension: int
    node_count: int
    kind: str | None
    order: tuple[int, ...]


def _types() -> dict[int, GmshType]:
    types = {15: GmshType("point", 0, 1, None, (0,))}
    for element in elements_of("Gmsh"):
        (count,) = element.node_counts
        name = f"{count}-node {_WORDS[element.kind.rstrip('0123456789')]}"
        dimension = KINDS[element.kind].dimension
        types[int(element.name)] = GmshType(name, dimension, count, element.kind, element.order)
    return types


TYPES = _types()


def type_advice(number: int) -> str:
    """Why a type number is not read, and what to do."""
    if 20 <= number <= 140:
        return (
            f"elements of Gmsh type {number} (third or higher order, or a polygon) are not supported; mesh with"
            " Mesh.ElementOrder = 1 or 2"
        )
    return f"{number} is not a Gmsh element type; known are 1 to 19"
