"""Nodes and elements of versions 1 and 2 (also 2.0, 2.1, 2.2), text and binary."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_lines import NumberLines
from flexmbs.mesh.readers.gmsh.contents import TYPES, Contents, known_type
from flexmbs.mesh.readers.gmsh.sources import BinarySource, Section, source_of

_COUNTS = np.array([TYPES[number].node_count if number in TYPES else -1 for number in range(max(TYPES) + 1)])


def read_nodes(contents: Contents, section: Section) -> None:
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


def read_elements(contents: Contents, section: Section) -> None:
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
