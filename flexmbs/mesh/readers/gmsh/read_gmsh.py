"""``read_gmsh``: the sections of a Gmsh file to a Mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools.numbering import NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes, without_inner_nodes
from flexmbs.mesh.reader_tools.text_numbers import NumberLines
from flexmbs.mesh.readers.gmsh.contents import (
    TYPES,
    BinarySource,
    Contents,
    GmshFile,
    Section,
    known_type,
    open_gmsh,
    read_names,
    source_of,
)

_ENTITIES = ("point", "curve", "surface", "volume")  # Gmsh's words, by dimension
_IGNORED = ("MeshFormat", "Comments", "MeshVersion")
_RESULTS = ("NodeData", "ElementData", "ElementNodeData", "InterpolationScheme")


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
    contents = Contents(file, NodeTable(str(path), "$Nodes"))
    skipped = SkipList()
    physicals: Physicals = {}
    for section in _in_order(file):
        if section.name in ("Entities", "PartitionedEntities"):
            physicals.update(read_entities(contents, section))
        elif section.name == "PhysicalNames":
            contents.names = read_names(file, section)
        elif section.name in ("Nodes", "NOD", "ParametricNodes", "Elements", "ELM"):
            _read_body(contents, section, physicals)
        elif section.name not in _IGNORED:
            skipped.add(f"${section.name}", str(path), section.line - 1, analysis=section.name in _RESULTS)
    for name, where in contents.reduced.items():
        contents.warnings.append(without_inner_nodes(f"{where}: elements of type {name}"))
    shapes = Shapes(path, "Gmsh", contents.nodes, contents.groups, _groups(contents), warnings=contents.warnings)
    shapes.skipped = skipped.as_tuple()
    return mesh_of_shapes(shapes)


def _in_order(file: GmshFile) -> list[Section]:
    """Entities before elements, wherever they stand."""
    return sorted(file.sections, key=lambda section: not section.name.endswith("Entities"))


def _read_body(contents: Contents, section: Section, physicals: Physicals) -> None:
    is_new = contents.file.version >= 4.0
    if section.name == "ParametricNodes":
        read_parametric_nodes(contents, section)
    elif section.name in ("Nodes", "NOD"):
        (read_nodes_4 if is_new else read_nodes_2)(contents, section)
    elif is_new:
        read_elements_4(contents, section, physicals)
    else:
        read_elements_2(contents, section)


def _groups(contents: Contents) -> dict[str, np.ndarray]:
    """Name -> element numbers of each physical group; groups of several dimensions may share a name.

    Of a file without groups: of each geometric entity.
    """
    if not contents.members and contents.entities:
        return _entities(contents)
    groups: dict[str, list[np.ndarray]] = {}
    names = contents.names
    for (dimension, tag), ids in contents.members.items():
        name = names.get((dimension, tag)) or names.get((-1, tag)) or f"physical_{dimension}d_{tag}"
        groups.setdefault(name, []).extend(ids)
    for name in names.values():
        if name not in groups:
            contents.warnings.append(f"{contents.file.path}: $PhysicalNames: the group {name} has no elements.")
            groups[name] = [np.empty(0, np.int64)]
    return {name: np.concatenate(ids) for name, ids in groups.items()}


def _entities(contents: Contents) -> dict[str, np.ndarray]:
    """Name -> element numbers of the geometric entities that have any, with the warning that groups are missing."""
    found = sorted(contents.entities, reverse=True)  # faces before edges and points
    tags = {dimension: [tag for other, tag in found if other == dimension] for dimension in range(4)}
    counted = ", ".join(f"{len(tags[d])} {name}{'s' if len(tags[d]) > 1 else ''}" for d, name in enumerate(_ENTITIES) if tags[d])
    dimension, tag = max(key for key in found if key[0] < 3) if any(d < 3 for d, _ in found) else found[0]
    word, set_name = _ENTITIES[dimension], f"{_ENTITIES[dimension]}_{tag}"
    contents.warnings.append(
        f"{contents.file.path}: the file has no physical groups, so its entities are its sets: {counted}, such as"
        f' {set_name}. To name a place, write Physical {word.capitalize()}("hinge") = {{{tag}}}; in the .geo file, or'
        f' gmsh.model.addPhysicalGroup({dimension}, [{tag}], name="hinge") in Python, before meshing; name the body'
        " likewise, since Gmsh then saves only what is in groups."
    )
    return {f"{_ENTITIES[d]}_{tag}": np.concatenate(contents.entities[d, tag]) for d, tag in found}


_COUNTS = np.array([TYPES[number].node_count if number in TYPES else -1 for number in range(max(TYPES) + 1)])


def read_nodes_2(contents: Contents, section: Section) -> None:
    """$Nodes, $NOD: a count, then number, x, y, z of each node."""
    source = source_of(contents.file, section)
    count = _count(source, "nodes")
    values, lines = source.table(count, "iddd", "a node (number, x, y, z)")
    _add_nodes(contents, source, values, lines)
    _check_end(source)


def read_parametric_nodes(contents: Contents, section: Section) -> None:
    """$ParametricNodes: as $Nodes, with the geometric entity and its parameters behind the coordinates."""
    source = source_of(contents.file, section)
    count = _count(source, "nodes")
    if isinstance(source, BinarySource):
        raise MeshError(f"{source.where()}: binary parametric nodes are not supported; save with Mesh.SaveParametric = 0.")
    for _ in range(count):
        number, *point = source.read("iddd", "a node (number, x, y, z)")
        dimension, _ = source.read("ii", "the entity of a node")
        source.read_list("d", dimension if dimension in (1, 2) else 0, "parameters of a node")
        contents.nodes.add(np.array([number]), np.array([point]), source.label, np.array([source.line]))
        source.end_record("a node")


def read_elements_2(contents: Contents, section: Section) -> None:
    """$Elements, $ELM: type, tags (physical group, geometric entity, ...) and nodes of each element."""
    source = source_of(contents.file, section)
    count = _count(source, "elements")
    if isinstance(source, BinarySource):
        parts = _binary_elements(source, count)
    else:
        parts = _text_elements(source, count, is_old=section.name == "ELM")
    kept = _Repeats()
    for number, tags, ids, nodes, lines in parts:
        fresh, same = kept.split(ids, nodes)
        contents.add_elements(number, ids[fresh], nodes[fresh], source.label, lines[fresh])
        for column, add in enumerate((contents.add_members, contents.add_to_entity)[: tags.shape[1]]):
            for tag in np.unique(tags[:, column]):
                add(TYPES[number].dimension, int(tag), same[tags[:, column] == tag])
    if kept.count:
        what = f"{kept.count} elements have the same nodes as another (Gmsh repeats an element for each of its physical groups)"
        contents.warnings.append(f"{source.where(0)}: {what}; each is read once, with the first number.")


class _Repeats:
    """Elements that were met before under another number."""

    def __init__(self) -> None:
        self.count = 0

    def split(self, ids: np.ndarray, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k,) bool: elements met for the first time; and (k,) for each element the number under which it was."""
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
            self.count += int(np.sum(~fresh))
        return fresh, same


def _count(source: NumberLines | BinarySource, what: str) -> int:
    if isinstance(source, NumberLines):
        (count,) = source.read("i", f"the number of {what}")
        source.end_record(f"the number of {what}")
        return count
    line = source.text_line()
    if not line.isdecimal():
        raise MeshError(f"{source.where()}: '{line[:40]}' is not the number of {what}.")
    return int(line)


def _add_nodes(contents: Contents, source, values: np.ndarray, lines: np.ndarray) -> None:
    ids = values[:, :1]
    if isinstance(source, NumberLines) and len(ids):
        ids = source.whole_rows(ids, int(np.searchsorted(source.lines, lines[0])), "a node's number")
    contents.nodes.add(ids[:, 0], values[:, 1:4], source.label, lines)


def _check_end(source) -> None:
    if isinstance(source, NumberLines) and source.has_more:
        raise MeshError(f"{source.where()}: the section has more lines than its first line says.")


def _text_elements(source: NumberLines, count: int, is_old: bool) -> list[tuple]:
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
        known_type(int(types[unknown[0]]), source.where(first_row + int(unknown[0])))
    tag_counts = np.zeros(count, np.int64) if is_old else heads[:, 2]
    wrong = (widths != head + tag_counts + sizes) | (tag_counts < 0)
    wrong |= is_old & (heads[:, head - 1] != sizes)
    _check_rows(source, wrong, first_row, "the line does not have the numbers that its element's type and tags need")
    parts = []
    for number in np.unique(types):
        for tag_count in np.unique(tag_counts[types == number]):
            rows = np.flatnonzero((types == number) & (tag_counts == tag_count))
            begin = starts[rows][:, None] + head
            tags = source.whole_rows(values[begin + np.arange(tag_count)], first_row + rows, "the tags of an element")
            nodes = values[begin + tag_count + np.arange(sizes[rows[0]])]
            nodes = source.whole_rows(nodes, first_row + rows, "the nodes of an element")
            tags = heads[rows, 2:4] if is_old else tags
            parts.append((int(number), tags, heads[rows, 0], nodes, lines[rows]))
    return parts


def _check_rows(source: NumberLines, wrong: np.ndarray, first_row: int, what: str) -> None:
    rows = np.flatnonzero(wrong)
    if rows.size:
        raise MeshError(f"{source.where(first_row + int(rows[0]))}: {what}.")


def _binary_elements(source: BinarySource, count: int) -> list[tuple]:
    """As ``_text_elements``; Gmsh writes a header before every element, other programs one for many."""
    parts: dict[tuple[int, int], list[tuple]] = {}
    done = 0
    while done < count:
        number, follow, tag_count = source.read("iii", "the type, count and number of tags of elements")
        size = known_type(number, source.where())
        if follow < 1 or tag_count < 0 or follow > count - done:
            raise MeshError(
                f"{source.where()}: a block of {follow} elements with {tag_count} tags ; {count - done} elements are left to read."
            )
        if follow == 1:
            values, places = source.repeated((number, 1, tag_count), 1 + tag_count + size, count - done, "elements")
        else:
            source.check(follow, 4 * (1 + tag_count + size), "elements")
            values, places = source.table(follow, "i" * (1 + tag_count + size), "elements")
        done += len(values)
        parts.setdefault((number, tag_count), []).append((values, places))
    joined = []
    for (number, tag_count), pieces in parts.items():
        values = np.concatenate([values for values, _ in pieces])
        places = np.concatenate([places for _, places in pieces])
        joined.append((number, values[:, 1 : 1 + tag_count], values[:, 0], values[:, 1 + tag_count :], places))
    return joined


Physicals = dict[tuple[int, int], list[int]]


def read_entities(contents: Contents, section: Section) -> Physicals:
    """$Entities, $PartitionedEntities: (dimension, tag) of each entity -> tags of its physical groups."""
    source = source_of(contents.file, section)
    is_partitioned = section.name == "PartitionedEntities"
    if is_partitioned:
        _skip_partitions(source)
    counts = source.read("ssss", "the numbers of entities")
    source.end_record("the numbers of entities")
    physicals: Physicals = {}
    for dimension, count in enumerate(counts):
        # Points are given by their coordinates, from 4.1 on; all else by a box.
        floats = 3 if dimension == 0 and contents.file.version > 4.0 else 6
        for _ in range(count):
            what = f"an entity of dimension {dimension}"
            (tag,) = source.read("i", what)
            if is_partitioned:
                source.read("ii", what)
                (parts,) = source.read("s", what)
                source.read_list("i", parts, "partitions")
            source.read("d" * floats, what)
            (groups,) = source.read("s", what)
            physicals[dimension, tag] = source.read_list("i", groups, "physical groups")
            if dimension:
                (bounds,) = source.read("s", what)
                source.read_list("i", bounds, "boundaries")
            source.end_record(what)
    return physicals


def _skip_partitions(source: NumberLines | BinarySource) -> None:
    source.read("s", "the number of partitions")
    source.end_record("the number of partitions")
    (ghosts,) = source.read("s", "the number of ghost entities")
    source.end_record("the number of ghost entities")
    for _ in range(ghosts):
        source.read("ii", "a ghost entity")
        source.end_record("a ghost entity")


def read_nodes_4(contents: Contents, section: Section) -> None:
    """$Nodes: blocks of node numbers and coordinates, one per entity."""
    source = source_of(contents.file, section)
    is_new = contents.file.version > 4.0
    blocks, total = _totals(source, is_new, "nodes")
    done = 0
    for _ in range(blocks):
        first, second, parametric, count = source.read("iiis", "a block of nodes (dimension, tag, parametric, count)")
        source.end_record("a block of nodes")
        extra = (first if is_new else second) if parametric else 0
        if extra not in range(4):
            raise MeshError(f"{source.where()}: {extra} is not the dimension of an entity; it must be 0 to 3.")
        if is_new:
            ids, lines = source.table(count, "s", "a node's number")
            points, _ = source.table(count, "ddd" + "d" * extra, "a node's coordinates")
        else:
            values, lines = source.table(count, "iddd" + "d" * extra, "a node (number, x, y, z)")
            ids, points = values[:, :1], values[:, 1:]
        contents.nodes.add(_whole(ids, source), points[:, :3], source.label, lines)
        done += count
    _check_total(source, done, total, "nodes")


def read_elements_4(contents: Contents, section: Section, physicals: Physicals) -> None:
    """$Elements: blocks of elements of one type, one per entity."""
    source = source_of(contents.file, section)
    is_new = contents.file.version > 4.0
    blocks, total = _totals(source, is_new, "elements")
    done = 0
    for _ in range(blocks):
        first, second, number, count = source.read("iiis", "a block of elements (dimension, tag, type, count)")
        size = known_type(number, source.where())
        source.end_record("a block of elements")
        values, lines = source.table(count, ("s" if is_new else "i") * (1 + size), "an element (number, nodes)")
        dimension = TYPES[number].dimension
        stated, tag = (first, second) if is_new else (second, first)
        if stated != dimension:
            raise MeshError(f"{source.where()}: elements of type {number} belong to an entity of dimension {stated}.")
        tags = physicals.get((dimension, tag), [])
        # A negative tag: the group has the entity's elements in reverse.
        reverse = bool(tags) and all(tag < 0 for tag in tags)
        contents.add_elements(number, values[:, 0], values[:, 1:], source.label, lines, reverse)
        contents.add_to_entity(dimension, tag, values[:, 0])
        for group in tags:
            contents.add_members(dimension, group, values[:, 0])
        done += count
    _check_total(source, done, total, "elements")


def _totals(source: NumberLines | BinarySource, is_new: bool, what: str) -> tuple[int, int]:
    blocks, total, *_ = source.read("ssss" if is_new else "ss", f"the number of blocks and of {what}")
    source.end_record(f"the number of blocks and of {what}")
    return blocks, total


def _whole(ids: np.ndarray, source: NumberLines | BinarySource) -> np.ndarray:
    wrong = ids[(ids != np.floor(ids)) | (np.abs(ids) > 2.0**53)]
    if wrong.size:
        raise MeshError(f"{source.where()}: {wrong[0]} in the block before is not a node number.")
    return ids[:, 0].astype(np.int64)


def _check_total(source: NumberLines | BinarySource, done: int, total: int, what: str) -> None:
    if done != total:
        raise MeshError(f"{source.where()}: the blocks hold {done} {what}, but the section's first line says {total}.")
    if isinstance(source, NumberLines) and source.has_more:
        raise MeshError(f"{source.where()}: the section has more lines than its counts say.")
