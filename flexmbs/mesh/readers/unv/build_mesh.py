"""Reader of universal files (.unv, .uff) of I-DEAS, Simcenter, Salome, Gmsh and measurement programs.

Datasets read: 15, 781, 2411 (nodes); 71, 780, 2412 (elements); 18, 2420 (coordinate systems); 752, 2417, 2429, 2430,
2432, 2435, 2452, 2467, 2477 (groups); 164 (units, reported). All others are listed as skipped.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import by_key
from flexmbs.mesh.element_names import element_named
from flexmbs.mesh.mesh import Coupling, Mesh, MeshSurface
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, TrueElements, make_blocks, other_elements, split_skin
from flexmbs.mesh.reader_tools.numbering import ElementRows, NodeTable, check_element_numbers
from flexmbs.mesh.readers.unv.dataset_content import Content, Group, Nodes, read_content

_NODES = (15, 781, 2411)
# What messages and blocks call the types of elements, and what they are: a family of "UNV" in ``element_names`` (mesh
# generators use any kind of plane and shell for surfaces), or a role as in ``UnsupportedElements``.
_TYPES = {
    number: (name, meaning)
    for numbers, name, meaning in (
        ((11,), "rod", ""),
        ((21,), "beam", "beam"),
        ((22,), "tapered beam", "beam"),
        ((23,), "curved beam", ""),
        ((24,), "parabolic beam", "beam"),
        ((31,), "pipe", "beam"),
        ((32,), "pipe", ""),
        (range(41, 47), "plane stress", "surface"),
        (range(51, 57), "plane strain", "plane"),
        (range(61, 67), "plate", "surface"),
        (range(71, 77), "membrane", "surface"),
        (range(81, 89), "axisymmetric solid", "axisymmetric"),
        (range(91, 97), "thin shell", "surface"),
        (range(101, 107), "thick shell", ""),
        (range(111, 119), "solid", ""),
        ((121, 122), "rigid element", "connector"),
        (range(136, 140), "spring", "connector"),
        ((141, 142), "damper", "connector"),
        ((151, 152), "gap", "contact"),
        ((161,), "lumped mass", "connector"),
        ((171, 172), "element", "axisymmetric"),
        ((181,), "constraint", "connector"),
        (range(191, 197), "element", "thermal"),
    )
    for number in numbers
}
_RIGID, _FAMILIES = (121, 122), ("beam", "surface")


def read_unv(path: str | Path) -> Mesh:
    """Read a universal file, in the units and numbers of the file.

    Universal files as programs write them today hold no materials and sections: blocks have none.

    Raises
    ------
    MeshError
        The file is damaged, or holds no elements (measurement geometry of nodes and trace lines is no mesh).
    """
    path = Path(path)
    content = read_content(path)
    _require_mesh(content, path)
    table = _node_table(content, path)
    true = TrueElements(table.ids, table.points)
    bodies, keep, others, rigid = _sorted_elements(content, table, true)
    check_element_numbers([*bodies, *others, *rigid])
    structural, geometry = split_skin(bodies, keep)
    if not structural:
        held = ", ".join(dict.fromkeys(f"{rows.type_name} ({rows.role})" for rows in [*others, *rigid]))
        what = f"no element in the file can form a flexible body; it has {held}"
        raise MeshError(f"{(others + rigid)[0].where(0)}: {what}. Solids, shells or lines are required.")
    blocks = make_blocks(structural, [0] * len(structural), lambda kind, key: {})
    content.warnings += true.warnings
    what = "materials and sections are not read from universal files; give them with with_material, with_thickness and with_section"
    content.warnings.append(f"{blocks[0].where}: {what} (--material, --thickness, --section).")
    sets = _sets(content, table, blocks, geometry, [*others, *rigid])
    systems, displacement = {system.name: system for system in content.systems.values()}, _displacement_systems(content, table)
    return Mesh(
        true.points,
        true.ids,
        blocks,
        node_sets=sets[0],
        element_sets=sets[1],
        surfaces=sets[2],
        couplings=tuple(_couplings(rigid)),
        equations=tuple(true.equations(systems, displacement)),
        coordinate_systems=systems,
        displacement_systems=displacement,
        other_elements=other_elements([*geometry, *others]),
        source=str(path),
        file_format="UNV",
        stated_units=content.stated_units,
        skipped=content.skipped.as_tuple(),
        warnings=tuple(content.warnings),
    )


def _require_mesh(content: Content, path: Path) -> None:
    where = f"{path}:{content.lines}"
    held = ", ".join(f"{number} ({count})" if count > 1 else str(number) for number, count in content.counts.items())
    if not any(number in content.counts for number in _NODES) or not content.nodes:
        raise MeshError(f"{where}: the file has no nodes (dataset 2411 or 15); its datasets are {held or 'none'}.")
    if not content.elements:
        what = "it holds the geometry of a measurement (nodes, trace lines) or only results, not a mesh"
        raise MeshError(f"{where}: the file has no elements (dataset 2412): {what}; its datasets are {held}.")


def _node_table(content: Content, path: Path) -> NodeTable:
    """All nodes in mesh coordinates; those of dataset 15 are in the definition system of each node."""
    table = NodeTable(str(path), "dataset 2411")
    for own in content.nodes:
        for number in np.unique(own.definition) if own.local else ():
            _to_global(content, own, int(number))
        table.add(own.ids, own.points, own.file, own.lines)
    table.close()
    return table


def _to_global(content: Content, own: Nodes, number: int) -> None:
    system = content.systems.get(number)
    chosen = np.flatnonzero(own.definition == number)
    where = f"{own.file}:{own.lines[chosen[0]]}: dataset 15: node {own.ids[chosen[0]]}"
    if system is None:
        if number not in (0, 1):
            raise MeshError(f"{where} is in coordinate system {number}, which no dataset 18 or 2420 defines.")
    elif system.kind != "rectangular":
        what = f"is in a {system.kind} system, and the file does not state the unit of angles"
        raise MeshError(f"{where} {what}; write the nodes in a Cartesian system.")
    else:
        with np.errstate(invalid="ignore", over="ignore"):  # what is no number is reported later
            own.points[chosen] = system.points(own.points[chosen])


def _sorted_elements(content: Content, table: NodeTable, true: TrueElements):
    """With indices of nodes: structural elements by kind, and which of them have a section; others; rigid elements."""
    bodies, keep, others, rigid = [], [], [], []
    has_beams = any(_is_real_beam(descriptor, rows.nodes.shape[1]) for descriptor, rows in content.elements)
    for descriptor, rows in content.elements:
        name, meaning = _TYPES.get(descriptor, ("element", ""))
        name, count, is_family = f"{name} {descriptor}", rows.nodes.shape[1], meaning in _FAMILIES
        if descriptor == 11:  # Salome writes all lines as rods: which they are, a section says, except beside beams
            family = "rod" if has_beams else "beam"
        else:
            family = meaning if is_family else str(descriptor)
        element = element_named("UNV", family, count)
        if descriptor in _RIGID:
            rigid.append(replace(rows, type_name=name, role="connector").with_indices(table))
        elif element is None:
            role = "unknown" if is_family or not meaning else meaning
            others.append(replace(rows, type_name=name, role=role).with_indices(table))
            if role == "unknown":
                what = f"elements of type {descriptor} with {count} nodes are unknown"
                content.warnings.append(f"{rows.where(0)}: {what}; {len(rows.ids)} of them are kept, but are not part of the body.")
            elif role == "connector":
                content.skipped.add(name, rows.file, int(rows.lines[0]), why="its properties are not read")
        else:
            rows = replace(rows, kind=element.kind, type_name=name, nodes=rows.nodes[:, element.order])
            for part in true.of(rows.with_indices(table)):
                (bodies if part.kind else others).append(part)
                if part.kind:
                    keep.append(part.data["cross_section"] > 0 if _is_real_beam(descriptor, count) else None)
    return bodies, keep, others, rigid


def _is_real_beam(descriptor: int, node_count: int) -> bool:
    """Whether lines of a type are beams where they name a cross section, even on edges of other elements.

    Mesh generators write the edges of their geometry as rods (11), as 22 with three nodes, or without cross sections.
    """
    return descriptor in (21, 23, 24) or (descriptor == 22 and node_count == 2)


def _couplings(rigid: list[ElementRows]) -> list[Coupling]:
    """Rigid elements: the first node leads the others."""
    made = []
    for rows in rigid:
        for row, nodes in enumerate(rows.nodes):
            others = np.array([node for node in dict.fromkeys(nodes[1:].tolist()) if node >= 0 and node != nodes[0]], int)
            if nodes[0] >= 0 and len(others):
                name = f"{rows.type_name} {rows.ids[row]}"
                made.append(Coupling(name, "rigid", int(nodes[0]), others, where=rows.where(row)))
    return made


def _sets(content: Content, table: NodeTable, blocks, geometry: list[ElementRows], others: list[ElementRows]):
    """Groups as node sets, element sets and surfaces, with a node set of each surface's name."""
    node_sets: dict[str, np.ndarray] = {}
    element_sets: dict[str, np.ndarray] = {}
    surfaces: dict[str, MeshSurface] = {}
    index = ElementIndex(blocks)
    known_others = np.concatenate([rows.ids for rows in [*geometry, *others]] or [np.empty(0, np.int64)])
    for group in content.groups:
        nodes, elements = table.find(group.nodes), index.find(group.elements)
        exists = np.concatenate([nodes >= 0, (elements >= 0) | np.isin(group.elements, known_others)])
        _check_members(content, group, exists)
        if (nodes >= 0).any():
            node_sets[_new_name(content, group, node_sets)] = np.unique(nodes[nodes >= 0])
        if (elements >= 0).any():
            element_sets[_new_name(content, group, element_sets)] = np.unique(elements[elements >= 0])
        own = [(rows, np.isin(rows.ids, group.elements)) for rows in geometry]
        faces = by_key((rows.type_name, rows.nodes[chosen]) for rows, chosen in own if chosen.any())
        if faces:
            surfaces[_new_name(content, group, surfaces)] = MeshSurface(faces)
    for name, surface in surfaces.items():
        node_sets.setdefault(name, surface.nodes)
    return node_sets, element_sets, surfaces


def _new_name(content: Content, group: Group, present) -> str:
    """The name of a group; a second set of the same kind and name gets a number."""
    name, number = group.name, 2
    while name in present:
        name, number = f"{group.name} ({number})", number + 1
    if name != group.name:
        content.warnings.append(f"{group.where}: there is another group {group.name}; this one is renamed {name}.")
    return name


def _check_members(content: Content, group: Group, exists: np.ndarray) -> None:
    numbers = np.concatenate([group.nodes, group.elements])
    if not len(numbers):
        content.warnings.append(f"{group.where}: the group {group.name} has no nodes or elements; it is left out.")
    elif not exists.all():  # Gmsh names points in groups that it writes no elements for
        what = f"{(~exists).sum()} members of the group {group.name} do not exist (first: {numbers[~exists][0]})"
        content.warnings.append(f"{group.where}: {what}; they are left out.")


def _displacement_systems(content: Content, table: NodeTable) -> dict[str, np.ndarray]:
    """Nodes whose displacements are in a system that is not the global one."""
    found = []
    for own in content.nodes:
        for number in np.unique(own.displacement):
            system = content.systems.get(int(number))
            if system is not None and (system.kind != "rectangular" or not np.allclose(system.axes, np.eye(3))):
                found.append((system.name, table.find(own.ids[own.displacement == number])))
    return {name: np.unique(nodes) for name, nodes in by_key(found).items()}
