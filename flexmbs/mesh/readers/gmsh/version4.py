"""Entities, nodes and elements of versions 4.0 and 4.1, text and binary."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.number_lines import NumberLines
from flexmbs.mesh.readers.gmsh.contents import TYPES, Contents, known_type
from flexmbs.mesh.readers.gmsh.sources import BinarySource, Section, source_of

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


def read_nodes(contents: Contents, section: Section) -> None:
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


def read_elements(contents: Contents, section: Section, physicals: Physicals) -> None:
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
