"""``read_gmsh``: the sections of a Gmsh file to a Mesh."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.degenerate_elements import mirrored
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes
from flexmbs.mesh.reader_tools.text_numbers import NumberLines
from flexmbs.mesh.readers.gmsh.sections import BinarySource, GmshFile, Section, open_gmsh

_ENTITIES = ("point", "curve", "surface", "volume")  # Gmsh's words, by dimension
_IGNORED = ("MeshFormat", "Comments", "MeshVersion")
_RESULTS = ("NodeData", "ElementData", "ElementNodeData", "InterpolationScheme")
_NAME_LINE = re.compile(r'\s*(?:(\d)\s+)?(-?\d{1,18})\s+(?:"(.*)"|(\S+))\s*$')
_WORDS = dict(beam="line", tri="triangle", quad="quadrangle", tet="tetrahedron", hex="hexahedron", wedge="prism", pyramid="pyramid")
# By number; node orders of elements with more nodes than their kind leave out those in faces and inside.
_TYPES = {15: FileElement("point", (1,), None, (0,))} | {
    int(element.name): replace(element, name=f"{element.node_counts[0]}-node {_WORDS[element.kind.rstrip('0123456789')]}")
    for element in elements_of("Gmsh")
}
_COUNTS = np.array([_TYPES[number].node_counts[0] if number in _TYPES else -1 for number in range(max(_TYPES) + 1)])
Groups = dict[tuple[int, int], list[np.ndarray]]  # (dimension, tag) -> element numbers
Numbers = NumberLines | BinarySource


def read_gmsh(path: Path) -> Mesh:
    """Mesh of a Gmsh file (.msh, versions 1, 2, 4.0 and 4.1, text or binary), with its node and element numbers.

    Every physical group becomes a node set; groups of elements that form the body become element sets too, groups of
    faces and edges surfaces. A group without a name is called by its dimension and number ("physical_2d_7"). Without
    groups the geometric entities stand in for them ("surface_7"), with a warning. The format has no materials and no
    sections.

    Raises
    ------
    MeshError
        The file is no Gmsh mesh, is cut off or contradicts itself, or holds nothing that is structural.
    """
    file = open_gmsh(path)
    reader = (_Reader4 if file.version >= 4.0 else _Reader2)(file)
    # Entities before elements, wherever they stand.
    for section in sorted(file.sections, key=lambda section: not section.name.endswith("Entities")):
        if (read := reader.readers.get(section.name)) is not None:
            read(section)
        elif section.name not in _IGNORED:
            reader.shapes.skipped.add(f"${section.name}", str(path), section.line - 1, analysis=section.name in _RESULTS)
    reader.shapes.warnings += [without_inner_nodes(f"{where}: elements of type {name}") for name, where in reader.reduced.items()]
    reader.shapes.element_groups = reader.groups()
    return mesh_of_shapes(reader.shapes)


class _Reader:
    """Collects what the sections hold.

    Attributes
    ----------
    members, entities : Groups of the physical groups and of the geometric entities
    names : (dimension, tag) -> name of the physical group; dimension -1: not stated
    physicals : (dimension, tag) of a geometric entity -> tags of its physical groups
    reduced : names of the element types of which nodes in faces and inside are left out, with the place of the first
    readers : name of a section -> what reads it
    """

    def __init__(self, file: GmshFile) -> None:
        self.file = file
        self.shapes = Shapes(file.path, "Gmsh", NodeTable(str(file.path), "$Nodes"))
        self.members: Groups = {}
        self.entities: Groups = {}
        self.names: dict[tuple[int, int], str] = {}
        self.physicals: dict[tuple[int, int], list[int]] = {}
        self.reduced: dict[str, str] = {}
        self.readers = {
            **dict.fromkeys(("Entities", "PartitionedEntities"), self.read_entities),
            "PhysicalNames": self.read_names,
            **dict.fromkeys(("Nodes", "NOD"), self.read_nodes),
            "ParametricNodes": self.read_parametric_nodes,
            **dict.fromkeys(("Elements", "ELM"), self.read_elements),
        }

    def add_elements(self, number: int, ids: np.ndarray, nodes: np.ndarray, label: str, lines: np.ndarray, reverse=False) -> None:
        """Append elements (k,) of Gmsh type ``number`` with their nodes (k, n) as in the file."""
        element = _TYPES[number]
        if len(ids) and element.node_counts[0] > len(element.order):
            self.reduced.setdefault(element.name, f"{label}:{lines[0]}")
        if reverse and 0 < _dimension(number) < 3:
            element = replace(element, order=tuple(element.order[i] for i in mirrored(element.kind)))
        self.shapes.add_elements(element, ids, nodes, label, lines)

    def read_names(self, section: Section) -> None:
        """$PhysicalNames: a count, then dimension, tag and name of physical groups."""
        path = self.file.path
        lines = self.file.data[section.start : section.end].decode("utf-8", "replace").splitlines()
        rows = [(section.line + i, line) for i, line in enumerate(lines) if line.strip()]
        if not rows or rows[0][1].strip().lstrip("0") != str(len(rows) - 1).lstrip("0"):
            what = f"{len(rows) - 1} names follow, but the section says {rows[0][1].strip()[:40] if rows else 'nothing'}"
            raise MeshError(f"{path}:{section.line}: $PhysicalNames: {what}; make them agree.")
        self.names = {}
        for line, text in rows[1:]:
            found = _NAME_LINE.match(text)
            if found is None:
                what = f"'{text.strip()[:60]}' is not a dimension, a number and a name in quotes"
                raise MeshError(f"{path}:{line}: $PhysicalNames: {what}.")
            dimension, tag, quoted, bare = found.groups()
            self.names[-1 if dimension is None else int(dimension), abs(int(tag))] = bare if quoted is None else quoted

    def read_entities(self, section: Section) -> None:
        """$Entities, $PartitionedEntities: the physical groups of each entity."""
        source = self.file.numbers(section)
        is_partitioned = section.name == "PartitionedEntities"
        if is_partitioned:
            _record(source, "s", "the number of partitions")
            (ghosts,) = _record(source, "s", "the number of ghost entities")
            for _ in range(ghosts):
                _record(source, "ii", "a ghost entity")
        for dimension, count in enumerate(_record(source, "ssss", "the numbers of entities")):
            # Points are given by their coordinates, from 4.1 on; all else by a box.
            floats = 3 if dimension == 0 and self.file.version > 4.0 else 6
            for _ in range(count):
                what = f"an entity of dimension {dimension}"
                (tag,) = source.read("i", what)
                if is_partitioned:
                    source.read("ii", what)
                    (parts,) = source.read("s", what)
                    source.read_list("i", parts, "partitions")
                source.read("d" * floats, what)
                (groups,) = source.read("s", what)
                self.physicals[dimension, tag] = source.read_list("i", groups, "physical groups")
                if dimension:
                    (bounds,) = source.read("s", what)
                    source.read_list("i", bounds, "boundaries")
                source.end_record(what)

    def read_parametric_nodes(self, section: Section) -> None:
        """$ParametricNodes: as $Nodes of version 2, with the geometric entity and its parameters behind the coordinates."""
        source = self.file.numbers(section)
        count = _count(source, "nodes")
        if isinstance(source, BinarySource):
            raise MeshError(f"{source.where()}: binary parametric nodes are not supported; save with Mesh.SaveParametric = 0.")
        for _ in range(count):
            number, *point = source.read("iddd", "a node (number, x, y, z)")
            dimension, _ = source.read("ii", "the entity of a node")
            source.read_list("d", dimension if dimension in (1, 2) else 0, "parameters of a node")
            self.shapes.table.add(np.array([number]), np.array([point]), source.label, np.array([source.line]))
            source.end_record("a node")

    def groups(self) -> dict[str, np.ndarray]:
        """Name -> element numbers of each physical group; groups of several dimensions may share a name.

        Of a file without groups: of each geometric entity.
        """
        if not self.members and self.entities:
            return self._named_entities()
        groups: dict[str, list[np.ndarray]] = {}
        names = self.names
        for (dimension, tag), ids in self.members.items():
            name = names.get((dimension, tag)) or names.get((-1, tag)) or f"physical_{dimension}d_{tag}"
            groups.setdefault(name, []).extend(ids)
        for name in names.values():
            if name not in groups:
                self.shapes.warnings.append(f"{self.file.path}: $PhysicalNames: the group {name} has no elements.")
                groups[name] = [np.empty(0, np.int64)]
        return {name: np.concatenate(ids) for name, ids in groups.items()}

    def _named_entities(self) -> dict[str, np.ndarray]:
        """Name -> element numbers of the geometric entities that have any, with the warning that groups are missing."""
        found = sorted(self.entities, reverse=True)  # faces before edges and points
        tags = {dimension: [tag for other, tag in found if other == dimension] for dimension in range(4)}
        counted = ", ".join(
            f"{len(tags[d])} {name}{'s' if len(tags[d]) > 1 else ''}" for d, name in enumerate(_ENTITIES) if tags[d]
        )
        dimension, tag = max((key for key in found if key[0] < 3), default=found[0])
        word, set_name = _ENTITIES[dimension], f"{_ENTITIES[dimension]}_{tag}"
        self.shapes.warnings.append(
            f"{self.file.path}: the file has no physical groups, so its entities are its sets: {counted}, such as"
            f' {set_name}. To name a place, write Physical {word.capitalize()}("hinge") = {{{tag}}}; in the .geo file, or'
            f' gmsh.model.addPhysicalGroup({dimension}, [{tag}], name="hinge") in Python, before meshing; name the body'
            " likewise, since Gmsh then saves only what is in groups."
        )
        return {f"{_ENTITIES[d]}_{tag}": np.concatenate(self.entities[d, tag]) for d, tag in found}


class _Reader4(_Reader):
    """Nodes and elements of versions 4.0 and 4.1: blocks, one per entity."""

    def read_nodes(self, section: Section) -> None:
        """$Nodes: blocks of node numbers and coordinates."""
        source, is_new = self.file.numbers(section), self.file.version > 4.0
        blocks, total = self._totals(source, "nodes")
        done = 0
        for _ in range(blocks):
            first, second, parametric, count = _record(
                source, "iiis", "a block of nodes (dimension, tag, parametric, count)", "a block of nodes"
            )
            extra = (first if is_new else second) if parametric else 0
            if extra not in range(4):
                raise MeshError(f"{source.where()}: {extra} is not the dimension of an entity; it must be 0 to 3.")
            if is_new:
                ids, lines = source.table(count, "s", "a node's number")
                points, _ = source.table(count, "ddd" + "d" * extra, "a node's coordinates")
            else:
                values, lines = source.table(count, "iddd" + "d" * extra, "a node (number, x, y, z)")
                ids, points = values[:, :1], values[:, 1:]
            wrong = ids[(ids != np.floor(ids)) | (np.abs(ids) > 2.0**53)]
            if wrong.size:
                raise MeshError(f"{source.where()}: {wrong[0]} in the block before is not a node number.")
            self.shapes.table.add(ids[:, 0], points[:, :3], source.label, lines)
            done += count
        _check_end(source, done, total, "nodes")

    def read_elements(self, section: Section) -> None:
        """$Elements: blocks of elements of one type."""
        source, is_new = self.file.numbers(section), self.file.version > 4.0
        blocks, total = self._totals(source, "elements")
        done = 0
        for _ in range(blocks):
            first, second, number, count = source.read("iiis", "a block of elements (dimension, tag, type, count)")
            size = _node_count(number, source.where())
            source.end_record("a block of elements")
            values, lines = source.table(count, ("s" if is_new else "i") * (1 + size), "an element (number, nodes)")
            dimension = _dimension(number)
            stated, tag = (first, second) if is_new else (second, first)
            if stated != dimension:
                raise MeshError(f"{source.where()}: elements of type {number} belong to an entity of dimension {stated}.")
            tags = self.physicals.get((dimension, tag), [])
            # A negative tag: the group has the entity's elements in reverse.
            reverse = bool(tags) and all(tag < 0 for tag in tags)
            self.add_elements(number, values[:, 0], values[:, 1:], source.label, lines, reverse)
            _put(self.entities, dimension, tag, values[:, 0])
            for group in tags:
                _put(self.members, dimension, group, values[:, 0])
            done += count
        _check_end(source, done, total, "elements")

    def _totals(self, source: Numbers, what: str) -> list[int]:
        return _record(source, "ssss" if self.file.version > 4.0 else "ss", f"the number of blocks and of {what}")[:2]


class _Reader2(_Reader):
    """Nodes and elements of versions 1 and 2 (also 2.0, 2.1, 2.2)."""

    def read_nodes(self, section: Section) -> None:
        """$Nodes, $NOD: a count, then number, x, y, z of each node."""
        source = self.file.numbers(section)
        values, lines = source.table(_count(source, "nodes"), "iddd", "a node (number, x, y, z)")
        ids = values[:, :1]
        if isinstance(source, NumberLines) and len(ids):
            ids = source.whole_rows(ids, int(np.searchsorted(source.lines, lines[0])), "a node's number")
        self.shapes.table.add(ids[:, 0], values[:, 1:4], source.label, lines)
        if source.has_more:
            raise MeshError(f"{source.where()}: the section has more lines than its first line says.")

    def read_elements(self, section: Section) -> None:
        """$Elements, $ELM: type, tags (physical group, geometric entity, ...) and nodes of each element."""
        source = self.file.numbers(section)
        count = _count(source, "elements")
        if isinstance(source, BinarySource):
            parts = _binary_elements(source, count)
        else:
            parts = _text_elements(source, count, is_old=section.name == "ELM")
        repeats = 0
        for number, tags, ids, nodes, lines in parts:
            fresh, same = _first_ones(ids, nodes)
            repeats += int(np.sum(~fresh))
            self.add_elements(number, ids[fresh], nodes[fresh], source.label, lines[fresh])
            for groups, own in zip((self.members, self.entities), tags.T, strict=False):
                for tag in np.unique(own):
                    _put(groups, _dimension(number), int(tag), same[own == tag])
        if repeats:
            what = f"{repeats} elements have the same nodes as another (Gmsh repeats an element for each of its physical groups)"
            self.shapes.warnings.append(f"{source.where(0)}: {what}; each is read once, with the first number.")


def _dimension(number: int) -> int:
    kind = _TYPES[number].kind
    return KINDS[kind].dimension if kind else 0


def _node_count(number: int, where: str) -> int:
    """Number of nodes of an element type; MeshError for one that is not read."""
    if number in _TYPES:
        return _TYPES[number].node_counts[0]
    if 20 <= number <= 140:
        what = f"elements of Gmsh type {number} (third or higher order, or a polygon) are not supported"
        raise MeshError(f"{where}: {what}; mesh with Mesh.ElementOrder = 1 or 2.")
    raise MeshError(f"{where}: {number} is not a Gmsh element type; known are 1 to 19.")


def _put(groups: Groups, dimension: int, tag: int, ids: np.ndarray) -> None:
    """Put elements into a group (tag 0: into none)."""
    if tag:
        groups.setdefault((dimension, abs(tag)), []).append(ids)


def _record(source: Numbers, layout: str, what: str, whole: str = "") -> list:
    """The numbers of a record of its own."""
    values = source.read(layout, what)
    source.end_record(whole or what)
    return values


def _count(source: Numbers, what: str) -> int:
    if isinstance(source, NumberLines):
        return _record(source, "i", f"the number of {what}")[0]
    line = source.text_line()
    if not line.isdecimal():
        raise MeshError(f"{source.where()}: '{line[:40]}' is not the number of {what}.")
    return int(line)


def _check_end(source: Numbers, done: int, total: int, what: str) -> None:
    if done != total:
        raise MeshError(f"{source.where()}: the blocks hold {done} {what}, but the section's first line says {total}.")
    if source.has_more:
        raise MeshError(f"{source.where()}: the section has more lines than its counts say.")


def _first_ones(ids: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(k,) bool: elements whose nodes no other has before; and (k,) for each element the number of the first with its nodes."""
    # A sum that does not depend on the order of the nodes finds the candidates; only these are compared.
    key = np.zeros(len(ids), np.uint64)
    for column in nodes.T:
        mixed = column.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        key += mixed * mixed
    order = np.argsort(key)
    equal = key[order][1:] == key[order][:-1]
    fresh, same = np.ones(len(ids), bool), ids.copy()
    doubtful = np.sort(order[np.append(equal, False) | np.append(False, equal)])
    if doubtful.size:
        rows = np.sort(nodes[doubtful], axis=1)
        _, at, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        original = doubtful[at[which.ravel()]]
        fresh[doubtful] = original == doubtful
        same[doubtful] = ids[original]
    return fresh, same


def _text_elements(source: NumberLines, count: int, is_old: bool) -> Iterable[tuple]:
    """[(type, tags (k, t), ids (k,), nodes (k, n), lines (k,))], one entry per type and number of tags."""
    starts, widths, lines, first_row = source.ragged(count, "an element")
    head = 5 if is_old else 3
    _check_rows(source, widths < head, first_row, "the line ends before the element's type and tags are complete")
    values = source.values
    columns = starts[:, None] + np.arange(head)
    heads = source.whole_rows(values[columns], first_row, "an element") if count else np.empty((0, head), np.int64)
    types = heads[:, 1]
    sizes = _COUNTS[np.clip(types, 0, len(_COUNTS) - 1)]
    unknown = np.flatnonzero((types < 0) | (types >= len(_COUNTS)) | (sizes < 0))
    if unknown.size:
        _node_count(int(types[unknown[0]]), source.where(first_row + int(unknown[0])))
    tag_counts = np.zeros(count, np.int64) if is_old else heads[:, 2]
    wrong = (widths != head + tag_counts + sizes) | (tag_counts < 0)
    wrong |= is_old & (heads[:, head - 1] != sizes)
    _check_rows(source, wrong, first_row, "the line does not have the numbers that its element's type and tags need")
    parts = []
    pairs = [(number, tag_count) for number in np.unique(types) for tag_count in np.unique(tag_counts[types == number])]
    for number, tag_count in pairs:
        rows = np.flatnonzero((types == number) & (tag_counts == tag_count))
        begin = starts[rows][:, None] + head
        tags = source.whole_rows(values[begin + np.arange(tag_count)], first_row + rows, "the tags of an element")
        nodes = values[begin + tag_count + np.arange(sizes[rows[0]])]
        nodes = source.whole_rows(nodes, first_row + rows, "the nodes of an element")
        parts.append((int(number), heads[rows, 2:4] if is_old else tags, heads[rows, 0], nodes, lines[rows]))
    return parts


def _check_rows(source: NumberLines, wrong: np.ndarray, first_row: int, what: str) -> None:
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise MeshError(f"{source.where(first_row + int(rows[0]))}: {what}.")


def _binary_elements(source: BinarySource, count: int) -> Iterable[tuple]:
    """As ``_text_elements``; Gmsh writes a header before every element, other programs one for many."""
    parts: dict[tuple[int, int], list[tuple]] = {}
    done = 0
    while done < count:
        number, follow, tag_count = source.read("iii", "the type, count and number of tags of elements")
        width = 1 + tag_count + _node_count(number, source.where())
        if follow < 1 or tag_count < 0 or follow > count - done:
            raise MeshError(
                f"{source.where()}: a block of {follow} elements with {tag_count} tags ; {count - done} elements are left to read."
            )
        if follow == 1:
            values, places = source.repeated((number, 1, tag_count), width, count - done, "elements")
        else:
            source.check(follow, 4 * width, "elements")
            values, places = source.table(follow, "i" * width, "elements")
        done += len(values)
        parts.setdefault((number, tag_count), []).append((values, places))
    for (number, tag_count), pieces in parts.items():
        values, places = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
        yield number, values[:, 1 : 1 + tag_count], values[:, 0], values[:, 1 + tag_count :], places
