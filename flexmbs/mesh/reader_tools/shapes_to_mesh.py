"""From shapes and named groups to a Mesh, for the formats that have neither materials nor sections.

Solids make the body; faces and edges of them are geometry. Without solids the surfaces are shells, without these the
lines are beams (``element_blocks.split_skin``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import by_key
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import FileElement
from flexmbs.mesh.mesh import ElementBlock, Mesh, MeshSurface, UnsupportedElements
from flexmbs.mesh.omissions import SkipList
from flexmbs.mesh.properties import ShellSection
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, TrueElements, make_blocks, other_elements, split_skin
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, check_element_numbers, split_by


@dataclass
class Shapes:
    """What a file without sections holds, in its own numbers."""

    path: Path
    file_format: str
    table: NodeTable
    # elements, with a kind (lines as "beam2", "beam3") or with a role; "shell_thickness" (k,) in their ``data``
    groups: list[ElementRows] = field(default_factory=list)
    element_groups: dict[str, np.ndarray] = field(default_factory=dict)  # name -> element numbers, of any dimension
    node_groups: dict[str, np.ndarray] = field(default_factory=dict)  # name -> node numbers
    sides: dict[str, dict[str, np.ndarray]] = field(default_factory=dict)  # name -> kind of face -> (k, n) node numbers
    warnings: list[str] = field(default_factory=list)
    skipped: SkipList = field(default_factory=SkipList)

    def add_elements(self, element: FileElement, ids: np.ndarray, nodes: np.ndarray, file: str, lines: np.ndarray) -> ElementRows:
        """Append elements (k,) with their nodes (k, n) in the order of the file."""
        role, name = ("", element.name) if element.kind else ("geometry", "point")
        self.groups.append(ElementRows(element.kind, name, ids, nodes[:, list(element.order)], file, lines, role))
        return self.groups[-1]


def mesh_of_shapes(shapes: Shapes) -> Mesh:
    """The Mesh of a file without sections.

    Every element group becomes a node set of all nodes of its elements; its elements that form the body become an
    element set of the same name, its faces and edges a surface.

    Raises
    ------
    MeshError
        There are no nodes or no elements that are structural, numbers repeat, elements use nodes that do not exist.
    """
    table = shapes.table
    table.close()
    check_element_numbers(shapes.groups)
    true = TrueElements(table.ids, table.points)
    groups = [rows.with_indices(table) for rows in shapes.groups if len(rows.ids)]
    groups = [part for rows in groups for part in (true.of(rows) if rows.kind is not None else [rows])]
    structural, geometry = split_skin([rows for rows in groups if rows.kind is not None])
    if not structural:
        raise MeshError(_nothing_structural(shapes))
    blocks = _blocks(structural)
    others = other_elements([*geometry, *(rows for rows in groups if rows.kind is None)])
    node_sets, element_sets, surfaces = _sets(shapes, blocks, others)
    return Mesh(
        points=true.points,
        node_ids=true.ids,
        blocks=blocks,
        node_sets=node_sets,
        element_sets=element_sets,
        surfaces=surfaces,
        equations=tuple(true.equations()),
        other_elements=others,
        source=str(shapes.path),
        file_format=shapes.file_format,
        warnings=(*shapes.warnings, *true.warnings, *_doubts(shapes, structural, geometry)),
        skipped=shapes.skipped.as_tuple(),
    )


def without_inner_nodes(what: str) -> str:
    """The warning that ``what`` (elements with nodes in their faces or inside) are read as the kinds that exist."""
    return (
        f"{what} are read as serendipity elements, without the nodes in their faces and interior; those nodes belong to no element."
    )


def _blocks(structural: list[ElementRows]) -> tuple[ElementBlock, ...]:
    """Blocks of one kind each; shells with a thickness have a section, and one thickness per block."""
    parts = []
    for rows in structural:
        thickness = rows.data.get("shell_thickness")
        parts += [(0.0, rows)] if thickness is None else split_by(rows, thickness)
    return make_blocks([rows for _, rows in parts], [thickness for thickness, _ in parts], _shell_section)


def _shell_section(kind: str, thickness: float) -> dict:
    if not thickness:
        return {}
    return {"section": ShellSection(thickness), "property_name": f"thickness {thickness:g}"}


def _nothing_structural(shapes: Shapes) -> str:
    held = Counter()
    for rows in shapes.groups:
        held[rows.type_name, rows.role] += len(rows.ids)
    listed = ", ".join(f"{count} {name}{f' ({role})' if role else ''}" for (name, role), count in held.items() if count)
    where = next((rows.where(0) for rows in shapes.groups if len(rows.ids)), f"{shapes.path}:1")
    what = f"no element in the file can form a body; it has {listed or 'no elements'}"
    return f"{where}: {what}, but solids, shells or beams are required (save the volumes too)."


def _doubts(shapes: Shapes, structural: list[ElementRows], geometry: list[ElementRows]) -> list[str]:
    doubts = []
    has_solids = any(KINDS[rows.kind].dimension == 3 for rows in structural)
    lines = [rows for rows in geometry if rows.type_name.startswith("line")]
    if lines and not has_solids:
        count = sum(len(rows.ids) for rows in lines)
        doubts.append(f"{lines[0].where(0)}: {count} lines along edges of shells are read as named edges, not as beams.")
    shells = [rows for rows in structural if KINDS[rows.kind].dimension == 2]
    if shells and not has_solids and (np.ptp(shapes.table.points, axis=0) == 0.0).any():
        what = "all nodes lie in one plane; the elements are read as flat shells"
        doubts.append(f"{shells[0].where(0)}: {what}, which is wrong for a plane-strain or plane-stress model.")
    return doubts


def _members(parts: Sequence[ElementBlock | UnsupportedElements]) -> Callable:
    """What finds elements by their numbers: their indices, counted through the parts, and (part, (k, n) nodes) of each part."""
    index, ends = ElementIndex(parts), np.cumsum([len(part.ids) for part in parts])

    def find(ids: np.ndarray) -> tuple[np.ndarray, list[tuple[ElementBlock | UnsupportedElements, np.ndarray]]]:
        found = index.find(ids)
        found = found[found >= 0]
        part_of = np.searchsorted(ends, found, side="right")
        rows = {number: found[part_of == number] - ends[number] + len(parts[number].ids) for number in np.unique(part_of)}
        return found, [(parts[number], parts[number].nodes[own]) for number, own in rows.items()]

    return find


def _sets(
    shapes: Shapes, blocks: Sequence[ElementBlock], others: Sequence[UnsupportedElements]
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], dict[str, MeshSurface]]:
    bodies, places = _members(blocks), _members(others)
    node_sets: dict[str, list[np.ndarray]] = {}
    element_sets: dict[str, np.ndarray] = {}
    surfaces: dict[str, MeshSurface] = {}
    for name, ids in shapes.element_groups.items():
        (own, in_bodies), (_, on_places) = bodies(ids), places(ids)
        node_sets[name] = [rows.ravel() for _, rows in in_bodies] + [rows[rows >= 0] for _, rows in on_places]
        geometry = [(part.type_name, rows) for part, rows in on_places if part.role == "geometry"]
        faces = by_key((kind, rows) for kind, rows in geometry if kind.startswith(("line", "tri", "quad")))
        if len(own):
            element_sets[name] = own
        if faces:
            surfaces[name] = MeshSurface(faces)
    for name, sides in shapes.sides.items():
        faces = {kind: shapes.table.indices(rows, str(shapes.path), f"side set {name}") for kind, rows in sides.items()}
        surfaces[name] = MeshSurface(faces)
        node_sets.setdefault(name, [surfaces[name].nodes])
    node_sets.update(_node_groups(shapes))
    empty = np.empty(0, np.int64)
    unique = {name: np.unique(np.concatenate([empty, *nodes])) for name, nodes in node_sets.items()}
    return unique, element_sets, surfaces


def _node_groups(shapes: Shapes) -> Mapping[str, list[np.ndarray]]:
    """Node sets of their own come before node sets of elements of the same name: the file means them."""
    found = {}
    for name, ids in shapes.node_groups.items():
        indices = shapes.table.find(ids)
        if (indices < 0).any():
            missing = np.asarray(ids)[indices < 0]
            what = f"the node set {name} names {len(missing)} nodes that do not exist (first: {missing[0]})"
            shapes.warnings.append(f"{shapes.path}: {what}; they are left out.")
        found[name] = [indices[indices >= 0]]
    return found
