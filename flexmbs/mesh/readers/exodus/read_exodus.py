"""``read_exodus``: blocks, node sets and side sets of an Exodus II file to a Mesh."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable
from flexmbs.mesh.reader_tools.shapes_to_mesh import Shapes, mesh_of_shapes
from flexmbs.mesh.readers.exodus.element_types import element_of, role_of, side
from flexmbs.mesh.readers.exodus.variables import Variables, opened
from flexmbs.mesh.skipped_content import SkipList

_READ = ("coord", "connect", "eb_", "ns_", "ss_", "node_ns", "elem_ss", "side_ss", "attrib", "node_num_", "elem_num_")
_NO_CONTENT = ("elem_map", "time_whole", "coor_names", "qa_records", "info_records", "dist_fact", "name_", "_tab")


def read_exodus(path: Path) -> Mesh:
    """Mesh of an Exodus II file (.e, .exo, .ex2, .g; netCDF classic or netCDF-4), with its node and element numbers.

    Element blocks become element sets, node sets node sets, side sets surfaces; those without a name are called
    "block_1", "nodeset_1", "sideset_1" by their number. The format has no materials; the thickness of shells is taken
    from their attribute. Coordinates are in the file's own unit, which it does not state.

    Raises
    ------
    MeshError
        The file is no Exodus file, is damaged, two-dimensional, or holds nothing that is structural.
    """
    with opened(path) as variables:
        table, node_ids, warnings = _nodes(variables)
        shapes = Shapes(path, "Exodus", table, warnings=warnings)
        blocks = _blocks(variables, shapes, node_ids)
        _node_sets(variables, shapes, node_ids)
        _side_sets(variables, shapes, blocks)
        shapes.skipped = _skipped(variables)
    return mesh_of_shapes(shapes)


def _nodes(variables: Variables) -> tuple[NodeTable, np.ndarray, list[str]]:
    path = variables.path
    if "coord" in variables:
        coordinates = variables.floats("coord", 2)
        axes = [*coordinates]
    else:
        if "coordx" not in variables:
            raise MeshError(f"{path}: the file has neither coord nor coordx; it is not an Exodus mesh, or has no nodes.")
        axes = [variables.floats(f"coord{axis}") for axis in "xyz" if f"coord{axis}" in variables]
    if len(axes) != 3:
        raise MeshError(f"{path}: the nodes have {len(axes)} coordinates; a flexible body needs a mesh with three.")
    if len({len(axis) for axis in axes}) > 1:
        raise MeshError(f"{path}: coordx, coordy and coordz differ in length; the file is damaged.")
    count = len(axes[0])
    warnings: list[str] = []
    ids = _numbers(variables, "node_num_map", count, warnings)
    table = NodeTable(str(path), "node")
    table.add(ids, np.stack(axes, axis=1), f"{path}: node", np.arange(1, count + 1))
    return table, ids, warnings


def _numbers(variables: Variables, name: str, count: int, warnings: list[str]) -> np.ndarray:
    """The file's numbers of nodes or elements; from 1 on when it has none that are different and positive."""
    plain = np.arange(1, count + 1)
    if name not in variables:
        return plain
    numbers = variables.integers(name)
    if len(numbers) == count and len(np.unique(numbers)) == count and numbers.min(initial=1) > 0:
        return numbers
    warnings.append(f"{variables.path}: {name}: the numbers are not all positive and distinct; 1 to {count} are used.")
    return plain


def _blocks(variables: Variables, shapes: Shapes, node_ids: np.ndarray) -> list[ElementRows]:
    """Adds elements and element groups to the shapes; returns the blocks in the order in which elements count."""
    found = []
    names = variables.texts("eb_names")
    numbers = _set_numbers(variables, "eb_prop1")
    status = variables.integers("eb_status") if "eb_status" in variables else np.empty(0, int)
    count = max(len(numbers), len(names), sum(name.startswith("connect") for name in variables.names))
    for index in range(count):
        variable = f"connect{index + 1}"
        if variable not in variables:
            if index < len(status) and status[index] == 0:
                continue  # a block without elements
            raise MeshError(f"{variables.path}: {variable} is missing; it must hold the nodes of the block's elements.")
        connectivity = variables.integers(variable, 2) if _is_table(variables, variable) else None
        if connectivity is None:
            raise MeshError(f"{variables.path}: {variable}: polygons and polyhedra are not supported; mesh with hexahedra.")
        found.append(_block(variables, variable, connectivity, node_ids))
        name = names[index] if index < len(names) and names[index] else f"block_{_at(numbers, index)}"
        shapes.element_groups[_unused(name, shapes.element_groups)] = found[-1].lines
    total = sum(len(rows.ids) for rows in found)
    ids = _numbers(variables, "elem_num_map", total, shapes.warnings)
    start = 0
    for (name, _), rows in zip(list(shapes.element_groups.items()), found, strict=True):
        rows.ids = ids[start : start + len(rows.ids)]
        shapes.element_groups[name] = rows.ids
        start += len(rows.ids)
        _thickness(variables, shapes, rows)
        if rows.role == "unknown" and len(rows.ids):
            shapes.warnings.append(f"{rows.where(0)}: the type {rows.type_name} is unknown; its elements are not part of the body.")
    shapes.groups = found
    return found


def _is_table(variables: Variables, name: str) -> bool:
    return not variables.attribute(name, "elem_type").lower().startswith(("nsided", "nfaced"))


def _block(variables: Variables, variable: str, connectivity: np.ndarray, node_ids: np.ndarray) -> ElementRows:
    path = variables.path
    wrong = np.argwhere((connectivity < 1) | (connectivity > len(node_ids)))
    if len(wrong):
        row, column = wrong[0]
        raise MeshError(
            f"{path}: {variable}, element:{row + 1}: uses node {connectivity[row, column]}, but there are only"
            f" {len(node_ids)} nodes."
        )
    type_name = variables.attribute(variable, "elem_type") or "(no type)"
    nodes = node_ids[connectivity - 1]
    element = element_of(type_name, nodes.shape[1])
    if element is not None:
        nodes = nodes[:, element.order]
    kind, role = (element.kind, "") if element else (None, role_of(type_name))
    lines = np.arange(1, len(nodes) + 1)
    return ElementRows(kind, type_name, lines, nodes, f"{path}: {variable}, element", lines, role)


def _thickness(variables: Variables, shapes: Shapes, rows: ElementRows) -> None:
    """The thickness of shells is an attribute of that name, or the first one of types called SHELL."""
    if rows.kind is None or not rows.kind.startswith(("tri", "quad")):
        return
    number = rows.file.split("connect")[-1].split(",")[0]
    variable = f"attrib{number}"
    if variable not in variables:
        return
    values = variables.floats(variable, 2)
    names = [name.lower() for name in variables.texts(f"attrib_name{number}")]
    column = next((i for i, name in enumerate(names) if "thick" in name), None)
    if column is None and "SHELL" in rows.type_name.upper() and not any(names):
        column = 0
    if column is None or len(values) != len(rows.ids) or column >= values.shape[1]:
        return
    wrong = np.flatnonzero(~(values[:, column] > 0.0) | ~np.isfinite(values[:, column]))
    if wrong.size:
        raise MeshError(
            f"{shapes.path}: {variable}: element {rows.ids[wrong[0]]} has the thickness {values[wrong[0], column]:g};"
            " it must be positive."
        )
    shapes.thickness.append((rows.ids, values[:, column]))


def _node_sets(variables: Variables, shapes: Shapes, node_ids: np.ndarray) -> None:
    names, numbers = variables.texts("ns_names"), _set_numbers(variables, "ns_prop1")
    for index in range(max(len(names), len(numbers))):
        name = names[index] if index < len(names) and names[index] else f"nodeset_{_at(numbers, index)}"
        members = variables.integers(f"node_ns{index + 1}") if f"node_ns{index + 1}" in variables else np.empty(0, int)
        fine = (members >= 1) & (members <= len(node_ids))
        if not fine.all() or not len(members):
            shapes.warnings.append(
                f"{shapes.path}: node_ns{index + 1}: the node set {name} has {np.sum(fine)} nodes, and refers to"
                f" {np.sum(~fine)} that do not exist."
            )
        shapes.node_groups[_unused(name, shapes.node_groups)] = node_ids[members[fine] - 1]


def _side_sets(variables: Variables, shapes: Shapes, blocks: list[ElementRows]) -> None:
    names, numbers = variables.texts("ss_names"), _set_numbers(variables, "ss_prop1")
    ends = np.cumsum([len(rows.ids) for rows in blocks])
    for index in range(max(len(names), len(numbers))):
        name = names[index] if index < len(names) and names[index] else f"sideset_{_at(numbers, index)}"
        if f"elem_ss{index + 1}" not in variables:
            shapes.warnings.append(f"{shapes.path}: elem_ss{index + 1}: the side set {name} is empty.")
            continue
        elements, sides = (variables.integers(f"{what}_ss{index + 1}") for what in ("elem", "side"))
        if len(elements) != len(sides):
            raise MeshError(f"{shapes.path}: elem_ss{index + 1} and side_ss{index + 1} differ in length.")
        faces, missing = _faces(blocks, ends, elements - 1, sides)
        if missing:
            shapes.warnings.append(
                f"{shapes.path}: side_ss{index + 1}: the side set {name} refers to {missing} sides that do not"
                " exist; they are left out."
            )
        shapes.sides[_unused(name, shapes.sides)] = faces


def _faces(blocks: list[ElementRows], ends: np.ndarray, elements: np.ndarray, sides: np.ndarray) -> tuple[dict, int]:
    """Kind of face -> (k, n) node numbers, of sides of elements by their index; and how many do not exist."""
    faces: dict[str, list[np.ndarray]] = {}
    found = 0
    which = np.searchsorted(ends, elements, side="right")
    for number in np.unique(which[(elements >= 0) & (which < len(blocks))]):
        rows = blocks[number]
        if rows.kind is None:
            continue
        own = (which == number) & (elements >= 0)
        start = ends[number] - len(rows.ids)
        for value in np.unique(sides[own]):
            place = side(rows.kind, int(value), rows.type_name.upper().startswith("QUAD"))
            if place is None:
                continue
            kind, columns = place
            chosen = elements[own & (sides == value)] - start
            faces.setdefault(kind, []).append(rows.nodes[chosen][:, list(columns)])
            found += len(chosen)
    return {kind: np.concatenate(parts) for kind, parts in faces.items()}, len(elements) - found


def _set_numbers(variables: Variables, name: str) -> np.ndarray:
    return variables.integers(name) if name in variables else np.empty(0, np.int64)


def _at(numbers: np.ndarray, index: int) -> int:
    return int(numbers[index]) if index < len(numbers) else index + 1


def _unused(name: str, taken: dict) -> str:
    """The name, or with a number behind it when another set has it."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _skipped(variables: Variables) -> tuple:
    skipped = SkipList()
    for name in variables.names:
        if name.startswith("vals_"):
            skipped.add(name, str(variables.path), 0, analysis=True)
        elif name.startswith("attrib") and not name.startswith("attrib_name"):
            if "SHELL" not in variables.attribute(f"connect{name.removeprefix('attrib')}", "elem_type").upper():
                skipped.add(name, str(variables.path), 0, why="attributes of elements other than shells")
        elif not name.startswith((*_READ, *_NO_CONTENT)) and not name.endswith(_NO_CONTENT):
            if not name.startswith(("num_", "len_", "four", "time_step")):  # dimensions, which netCDF-4 lists too
                skipped.add(name, str(variables.path), 0)
    return skipped.as_tuple()
