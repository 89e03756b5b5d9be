"""The sets and surfaces of a mesh, by their names in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.mesh import MeshSurface
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.set_members import Sets
from flexmbs.mesh.readers.abaqus.surfaces import Faces, Surfaces, shape_of, without_repeats


@dataclass
class NamedSets:
    """What a Mesh has by names."""

    nodes: dict[str, np.ndarray] = field(default_factory=dict)
    elements: dict[str, np.ndarray] = field(default_factory=dict)
    surfaces: dict[str, MeshSurface] = field(default_factory=dict)


def named_sets(model: Model, node_sets: Sets, element_sets: Sets, surfaces: Surfaces, index: ElementIndex) -> NamedSets:
    """All sets and surfaces. An element set of faces becomes a surface and a node set of the same name.

    Raises MeshError for sets and surfaces that are empty or name what is not there.
    """
    named = NamedSets()
    for region in model.regions:
        for name in list(node_sets.names(region)):
            named.nodes[model.final_name(region, name)] = node_sets.members(region, name)
    for region in model.regions:
        for name, draft in region.scope.surfaces.items():
            _add_surface(model, named, model.final_name(region, name), surfaces.faces(region, draft), draft.line.where)
        for name, draft in region.scope.node_surfaces.items():
            _add_nodes(model, named, model.final_name(region, name), surfaces.nodes(region, draft), draft.line.where)
    for region in model.regions:
        for name in list(element_sets.names(region)):
            _add_element_set(model, named, region, name, element_sets.members(region, name), index)
    return named


def _add_element_set(model: Model, named: NamedSets, region: Region, name: str, serials, index: ElementIndex) -> None:
    final = model.final_name(region, name)
    found = index.find(serials)
    if (found >= 0).any():
        named.elements[final] = found[found >= 0]
        return
    where = region.scope.element_sets[name][0].line.where
    faces = _skin_faces(model, serials)
    if faces:
        _add_surface(model, named, final, _surface(faces), where)
    else:
        _add_nodes(model, named, final, model.nodes_of_elements(serials), where)


def _skin_faces(model: Model, serials: np.ndarray) -> Faces:
    faces: Faces = []
    for rows, _, own in model.rows_of(serials):
        shape = shape_of(rows)
        if shape is None or rows.nodes.shape[1] < 2 or shape.startswith("spring"):
            continue
        if shape.startswith(("beam", "truss")):
            faces.append((f"line{rows.nodes.shape[1]}", rows.nodes[own]))
        elif rows.role in ("", "geometry", "plane", "axisymmetric"):
            faces += without_repeats(shape, rows.nodes[own])
    return faces


def _surface(faces: Faces) -> MeshSurface:
    kinds: dict[str, list[np.ndarray]] = {}
    for kind, nodes in faces:
        kinds.setdefault(kind, []).append(nodes)
    return MeshSurface({kind: np.concatenate(nodes) for kind, nodes in kinds.items()})


def _add_surface(model: Model, named: NamedSets, name: str, surface: MeshSurface, where: str) -> None:
    if not surface.size:
        model.warn(f"{where}: the surface {name} has no faces; it is left out.")
        return
    if name not in named.surfaces:
        named.surfaces[name] = surface
    named.nodes.setdefault(name, surface.nodes)


def _add_nodes(model: Model, named: NamedSets, name: str, nodes: np.ndarray, where: str) -> None:
    if not len(nodes):
        model.warn(f"{where}: {name} has no nodes; it is left out.")
    elif name not in named.nodes:
        named.nodes[name] = nodes
    elif not np.array_equal(np.sort(named.nodes[name]), np.sort(nodes)):
        model.warn(f"{where}: the nodes of {name} are not kept, because another node set has that name.")
