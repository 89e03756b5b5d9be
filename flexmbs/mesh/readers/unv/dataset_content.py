"""Reads the datasets of a mesh: nodes, elements, coordinate systems, groups, units."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem, axes_along, unit_vectors
from flexmbs.mesh.mesh import StatedUnits
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.text_numbers import Format, integer
from flexmbs.mesh.readers.unv.datasets import Dataset, UniversalFile
from flexmbs.mesh.unit_systems import SI, known_name

_RESULTS = (55, 56, 57, 58, 2414, 2415, 1858, 2416, 2434, 1701, 2431, 2471, 82, 151, 250, 252, 2400, 2426)
_RESULTS += (791, 792, 2423, 2425, 757, 790, 772, 2442, 2453, 2418, 2461, 2458)
_WHY = {
    **dict.fromkeys((773, 1703, 1710, 1716, 2438), "materials; give them with with_material"),
    **dict.fromkeys((772, 776, 788, 2437, 2448, 2449), "physical properties; give sections in Python"),
    82: "trace lines",
}
_ALWAYS_SILENT = (151,)
_ENTITY_NODE, _ENTITY_ELEMENT = 7, 8
_WITH_ORIENTATION = (11, 21, 22, 23, 24, 31, 32)  # a line more: orientation node and end conditions
_MOST_NODES = 500
_KINDS = ("rectangular", "cylindrical", "spherical")


@dataclass
class Nodes:
    """Nodes of one dataset: numbers, coordinates (``local``: in their definition systems), numbers of their systems."""

    ids: np.ndarray
    points: np.ndarray
    definition: np.ndarray
    displacement: np.ndarray
    local: bool
    file: str
    lines: np.ndarray


@dataclass
class Group:
    """A group: numbers of its nodes and elements."""

    name: str
    nodes: np.ndarray
    elements: np.ndarray
    where: str


@dataclass
class Content:
    """The content of a universal file that belongs to a mesh."""

    nodes: list[Nodes] = field(default_factory=list)
    # Descriptor, and elements with it; ``data`` has "cross_section": numbers (k,) of those of beams, 0 for none.
    elements: list[tuple[int, ElementRows]] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    systems: dict[int, CoordinateSystem] = field(default_factory=dict)
    skipped: SkipList = field(default_factory=SkipList)
    warnings: list[str] = field(default_factory=list)
    stated_units: StatedUnits | None = None
    counts: dict[int, int] = field(default_factory=dict)
    lines: int = 0


def read_content(path: Path) -> Content:
    """All datasets of a file; MeshError where one is damaged."""
    content = Content()
    with closing(UniversalFile(path)) as file:
        for dataset in file.datasets():
            content.counts[dataset.number] = content.counts.get(dataset.number, 0) + 1
            reader = _READERS.get(dataset.number)
            if reader is not None:
                reader(content, dataset)
            elif dataset.number not in _ALWAYS_SILENT:
                analysis = dataset.number in _RESULTS
                why = _WHY.get(dataset.number, "")
                content.skipped.add(dataset.card, str(path), dataset.line, analysis=analysis, why=why)
        content.lines = file.line
    return content


def _read_nodes(content: Content, dataset: Dataset) -> None:
    """Two lines per node: number, two coordinate systems, colour; coordinates (datasets 781 and 2411)."""
    head, point = Format((10,) * 4, ()), Format((), (25,) * 3)
    for lines, first, ended in dataset.chunks():
        if len(lines) % 2:
            if ended:
                raise MeshError(f"{dataset.where()}: the coordinates of the last node are missing; the dataset is cut off.")
            dataset.push_back([lines.pop()])
        integers, _ = dataset.table(lines[::2], head, first)
        _, points = dataset.table(lines[1::2], point, first)
        _add_nodes(content, dataset, integers, points, first + 2 * np.arange(len(integers)), local=False)


def _read_old_nodes(content: Content, dataset: Dataset) -> None:
    """One line per node, coordinates in its definition system (dataset 15)."""
    known = Format((10,) * 4, (13,) * 3)
    for lines, first, _ in dataset.chunks():
        integers, points = dataset.table(lines, known, first)
        _add_nodes(content, dataset, integers, points, first + np.arange(len(lines)), local=True)


def _add_nodes(content, dataset: Dataset, integers, points, lines, local: bool) -> None:
    wrong = np.flatnonzero(integers[:, 0] <= 0)
    if wrong.size:
        where = f"{dataset.file}:{lines[wrong[0]]}: {dataset.card}"
        raise MeshError(f"{where}: node number {integers[wrong[0], 0]}; it must be positive.")
    content.nodes.append(Nodes(integers[:, 0], points, integers[:, 1], integers[:, 2], local, dataset.file, lines))


def _element_reader(columns: tuple[int, int], width: int) -> Callable[[Content, Dataset], None]:
    """Reader of a dataset of elements, whose first lines have descriptor and node count in these columns."""

    def read(content: Content, dataset: Dataset) -> None:
        for lines, first, ended in dataset.chunks():
            table, _ = dataset.table(lines, Format((10,) * 8, ()), first)
            filled = [_filled(line) for line in lines]
            records, used = _records(dataset, table, filled, first, ended, (*columns, width))
            dataset.push_back(lines[used:])
            _add_elements(content, table, records, dataset.file, first, columns)

    return read


def _filled(line: str) -> int:
    """The number of numbers on a line, counted by columns where they touch."""
    words, by_columns = len(line.split()), -(-len(line.rstrip()) // 10)
    return max(words, by_columns) if words < by_columns and len(line.rstrip()) % 10 == 0 else words


def _records(dataset: Dataset, table, filled: list[int], first: int, ended: bool, layout: tuple[int, int, int]):
    """Where elements begin, where their nodes do, and how many lines whole elements take."""
    column, count_column, width = layout
    descriptors, counts = table[:, column].tolist(), table[:, count_column].tolist()
    records, at, total = [], 0, len(filled)
    while at < total:
        count = counts[at]
        if not 0 < count <= _MOST_NODES or filled[at] < width:
            what = f"an element with {count} nodes; the line must have {width} whole numbers, the last of them the number of nodes"
            raise MeshError(f"{dataset.file}:{first + at}: {dataset.card}: {what}.")
        nodes_at = at + 1
        if descriptors[at] in _WITH_ORIENTATION and nodes_at < total and (filled[nodes_at] == 3 or count >= 3):
            nodes_at += 1
        end = nodes_at - (-count // 8)
        if end > total or nodes_at >= total:
            break
        if sum(filled[nodes_at:end]) < count:
            what = f"the element of line {first + at} has {count} nodes, some of which are missing; the file is damaged"
            raise MeshError(f"{dataset.file}:{first + end - 1}: {dataset.card}: {what}.")
        records.append((at, nodes_at))
        at = end
    if at < total and ended:
        raise MeshError(f"{dataset.where()}: the dataset ends within the element of line {first + at}; it is cut off.")
    return np.array(records, np.int64).reshape(-1, 2), at


def _add_elements(content: Content, table, records, file: str, first: int, columns: tuple[int, int]) -> None:
    heads = table[records[:, 0]]
    shapes, which = np.unique(heads[:, list(columns)], axis=0, return_inverse=True)
    for number, (descriptor, count) in enumerate(shapes.tolist()):
        chosen = np.flatnonzero(which.ravel() == number)
        at, nodes_at = records[chosen].T
        nodes = np.hstack([table[nodes_at + line] for line in range(-(-count // 8))])[:, :count]
        ids, lines = table[at, 0], first + at
        wrong = np.flatnonzero((ids <= 0) | (nodes < 0).any(axis=1))
        if wrong.size:
            what = f"element {ids[wrong[0]]} with the nodes {nodes[wrong[0]].tolist()[:20]}"
            raise MeshError(f"{file}:{lines[wrong[0]]}: {what}; numbers must be positive.")
        cross_sections = np.where(nodes_at > at + 1, table[at + 1, 1], 0)
        rows = ElementRows(None, "", ids, nodes, file, lines, data={"cross_section": cross_sections})
        content.elements.append((descriptor, rows))


def _read_systems(content: Content, dataset: Dataset) -> None:
    """Part number and name; of each system: number, kind, colour; name; three axes and the origin (dataset 2420)."""
    dataset.needed_line("the number of the part")
    dataset.needed_line("the name of the part")
    while (line := dataset.next_line()) is not None:
        where, at = dataset.where(), dataset.line_read
        number, kind = _two_integers(line, where)
        dataset.needed_line("the name of a coordinate system")
        rows = [dataset.needed_line("the axes of a coordinate system") for _ in range(4)]
        _, matrix = dataset.table(rows, Format((), (25,) * 3), at + 2)
        axes = matrix[:3].T
        if not np.isfinite(matrix).all() or not np.allclose(axes.T @ axes, np.eye(3), atol=1e-4):
            raise MeshError(f"{where}: the axes of coordinate system {number} are not three orthonormal vectors.")
        content.systems[number] = CoordinateSystem(str(number), _kind(kind, where), matrix[3], axes)


def _read_old_systems(content: Content, dataset: Dataset) -> None:
    """Number, kind, ...; name; origin and a point on x; a point in the x-z plane (dataset 18)."""
    while (line := dataset.next_line()) is not None:
        where, at = dataset.where(), dataset.line_read
        number, kind = _two_integers(line, where)
        dataset.needed_line("the name of a coordinate system")
        _, first = dataset.table([dataset.needed_line("two points")], Format((), (13,) * 6), at + 2)
        _, second = dataset.table([dataset.needed_line("a point")], Format((), (13,) * 3), at + 3)
        if not (np.abs(first) < 1e100).all() or not (np.abs(second) < 1e100).all():
            raise MeshError(f"{where}: the points of coordinate system {number} are not finite numbers.")
        origin, x = first[0, :3], first[0, 3:] - first[0, :3]
        x, y = unit_vectors(x), axes_along(second[0] - origin, x, [where])[:, 2]
        axes = np.column_stack([x, y, np.cross(x, y)])
        content.systems[number] = CoordinateSystem(str(number), _kind(kind, where), origin, axes)


def _two_integers(line: str, where: str) -> tuple[int, int]:
    values = [integer(line[start : start + 10].strip() or "0") for start in (0, 10)]
    if None in values:
        values = [integer(field) for field in (*line.split(), "", "")[:2]]
    if None in values:
        raise MeshError(f"{where}: {line.strip()[:30]!r} must be the number and the kind of a coordinate system.")
    return values[0], values[1]


def _kind(kind: int, where: str) -> str:
    if not 0 <= kind < len(_KINDS):
        raise MeshError(f"{where}: coordinate systems of kind {kind} are unknown; known are 0, 1 and 2.")
    return _KINDS[kind]


def _group_reader(fields: int) -> Callable[[Content, Dataset], None]:
    """Reader of a dataset of groups, whose entities have so many numbers: type, number, and what else."""

    def read(content: Content, dataset: Dataset) -> None:
        while (line := dataset.next_line()) is not None:
            if not line.strip():
                continue
            where, at = dataset.where(), dataset.line_read
            values, _ = dataset.table([line], Format((10,) * 8, ()), at)
            number, count = int(values[0, 0]), int(values[0, min(_filled(line), 8) - 1])
            name = dataset.needed_line("the name of a group").strip() or f"GROUP {number}"
            rows = [dataset.needed_line(f"the members of group {name}") for _ in range(-(-count * fields // 8))]
            table, _ = dataset.table(rows, Format((10,) * 8, ()), at + 2)
            entities = table.reshape(-1, fields)[:count]
            nodes, elements = (entities[entities[:, 0] == kind, 1] for kind in (_ENTITY_NODE, _ENTITY_ELEMENT))
            content.groups.append(Group(name, nodes, elements, where))

    return read


def _read_units(content: Content, dataset: Dataset) -> None:
    """Code and name of the system; how many units of length and force make a metre and a newton (dataset 164)."""
    line = dataset.needed_line("the system of units")
    where = dataset.where()
    name = line[10:30].strip() or "unnamed"
    _, factors = dataset.table([dataset.needed_line("the factors of the units")], Format((), (25,) * 3), 0)
    lengths, forces = factors[0, :2].tolist()
    if not (1e-9 < lengths < 1e9 and 1e-15 < forces < 1e15):
        what = f"units {name} with {lengths:g} lengths in a metre and {forces:g} forces in a newton are not valid units"
        content.warnings.append(f"{where}: {what}; numbers are used as given.")
        return
    # The unit of force is that of mass times length per s2.
    stated = StatedUnits(known_name((1.0 / lengths, lengths / forces, 1.0)), where)
    if content.stated_units is None:
        content.stated_units = stated
        if stated.units != SI.name:
            what = f"the file states its units as {name}, {stated.units}; its numbers are converted from them"
            content.warnings.append(f"{where}: {what} unless units= (--units) is given (m-kg-s: used as they are).")
    elif content.stated_units.units != stated.units:
        before = f"{content.stated_units.units} before ({content.stated_units.where})"
        raise MeshError(f"{where}: the units are {stated.units} here, but {before}; write the mesh in one system of units.")


_READERS: dict[int, Callable[[Content, Dataset], None]] = {
    15: _read_old_nodes,
    781: _read_nodes,
    2411: _read_nodes,
    71: _element_reader((2, 6), 7),
    780: _element_reader((1, 7), 8),
    2412: _element_reader((1, 5), 6),
    18: _read_old_systems,
    2420: _read_systems,
    164: _read_units,
    **{number: _group_reader(2) for number in (752, 2417, 2429, 2430, 2432)},
    **{number: _group_reader(4) for number in (2435, 2452, 2467, 2477)},
}
