"""From the deck to a Mesh: blocks, sets, couplings."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS, is_solid
from flexmbs.mesh.element_properties import ShellSection
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.mesh import ElementBlock, Mesh
from flexmbs.mesh.reader_tools.element_blocks import make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import check_element_numbers
from flexmbs.mesh.readers.ansys import mesh_couplings
from flexmbs.mesh.readers.ansys.axes import beam_axes, displacement_systems, material_axes
from flexmbs.mesh.readers.ansys.deck import Deck
from flexmbs.mesh.readers.ansys.element_groups import Group, Key, Sorted, sort_elements, type_of
from flexmbs.mesh.readers.ansys.materials import make_materials
from flexmbs.mesh.readers.ansys.mesh_sections import Given, make_section
from flexmbs.mesh.readers.ansys.mesh_sets import make_sets


def build_mesh(deck: Deck, path: Path) -> Mesh:
    """The mesh of a deck.

    Raises
    ------
    MeshError
        No nodes or no elements of a body, wrong numbers, wrong properties.
    """
    _close_nodes(deck, path)
    elements = sort_elements(deck)
    _take_mesh_only(deck, elements, path)
    groups = [*elements.structural, *elements.other, *elements.masses, *elements.rigid]
    check_element_numbers([group.rows for group in groups])
    materials = make_materials(deck)
    blocks = _blocks(deck, elements.structural, materials)
    regions = [*deck.rigid, *mesh_couplings.remote_points(deck, elements.other)]
    rigid, links = mesh_couplings.rigid_elements(deck, elements.rigid)
    masses = mesh_couplings.point_masses(deck, elements.masses)
    equations = [*links, *mesh_couplings.equations_of(deck), *elements.true.equations()]
    sets = make_sets(deck, blocks, elements)
    return Mesh(
        elements.true.points,
        elements.true.ids,
        blocks,
        node_sets=sets.node_sets,
        element_sets=sets.element_sets,
        surfaces=sets.surfaces,
        materials={material.name: material for material in materials.values()},
        couplings=(*rigid, *mesh_couplings.couplings_of(deck, regions)),
        equations=tuple(equations),
        point_masses=tuple(masses),
        boundary_conditions=tuple(mesh_couplings.supports(deck)),
        coordinate_systems={system.name: system for system in _systems(deck)},
        displacement_systems={name: nodes for name, (_, nodes) in displacement_systems(deck).items()},
        other_elements=other_elements([group.rows for group in elements.other]),
        source=str(path),
        file_format="Ansys",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(deck.warnings),
    )


def _systems(deck: Deck):
    return [*deck.systems.values(), *(system for system, _ in displacement_systems(deck).values())]


def _close_nodes(deck: Deck, path: Path) -> None:
    missing = f" (there is no file {', '.join(deck.missing_includes)}, which it includes)" if deck.missing_includes else ""
    if not sum(len(ids) for ids, _ in deck.node_chunks):
        raise MeshError(f"{path}:{deck.source.line}: the deck has no nodes (NBLOCK or N){missing}.")
    if not sum(len(own.ids) for own in deck.elements):
        raise MeshError(f"{path}:{deck.source.line}: the deck has no elements (EBLOCK, E or EN){missing}.")
    deck.nodes.close()


def _take_mesh_only(deck: Deck, elements: Sorted, path: Path) -> None:
    """MESH200 is the mesh where there is nothing else, and names places on other elements where there is."""
    if elements.structural:
        for group in elements.mesh_only:
            group.rows.kind, group.rows.role = None, "geometry"
        elements.other += elements.mesh_only
    elif elements.mesh_only:
        highest = max(KINDS[group.rows.kind].dimension for group in elements.mesh_only)
        for group in elements.mesh_only:
            if KINDS[group.rows.kind].dimension == highest:
                elements.structural.append(group)
            else:
                group.rows.kind, group.rows.role = None, "geometry"
                elements.other.append(group)
        deck.warn(
            f"{elements.mesh_only[0].rows.where(0)}: the elements are MESH200 (mesh only); they are read as structural elements."
        )
    else:
        _refuse_without_body(elements, path)


def _refuse_without_body(elements: Sorted, path: Path) -> None:
    groups = [*elements.other, *elements.masses, *elements.rigid]
    first = groups[0]
    held = ", ".join(dict.fromkeys(f"{group.routine.name} ({group.rows.role})" for group in groups[:2000]))
    raise MeshError(
        f"{first.rows.where(0)}: ET: no element in the deck {path.name} can form a flexible body; it has {held}."
        " Three-dimensional solids, shells, beams or trusses are required."
    )


def _blocks(deck: Deck, groups: list[Group], materials: dict[int, AnyMaterial]) -> tuple[ElementBlock, ...]:
    given: dict[tuple[str, Key], Given] = {}
    warned = set()
    for group in groups:
        shape = (group.rows.kind, group.key)
        if shape in given:
            continue
        material, type_number, real, section, _ = group.key
        given[shape] = make_section(deck, group.rows.kind, deck.types[type_number], real, section, materials)
        if group.key not in warned:  # not again for wedges among hexahedra
            warned.add(group.key)
            _warn_missing(deck, group, given[shape], materials)

    def describe(kind: str, key: Key) -> dict:
        own = given[kind, key]
        material = own.material or materials.get(key[0])
        if kind.startswith("spring") or (isinstance(own.section, ShellSection) and own.section.layers):
            material = None
        section = _completed(own.section, materials.get(key[0]))
        name = own.name if not is_solid(kind) else f"MAT {key[0]}"
        fields = {"material": material, "section": section, "property_name": name}
        where = getattr(own.section, "where", "") or getattr(material, "where", "")
        return {**fields, "where": where} if where else fields

    for group in groups:
        own = given[group.rows.kind, group.key]
        arrays = {
            "y_axes": beam_axes(deck.nodes.points, group, own.turned),
            "thickness": _thickness(group, own),
            "material_axes": material_axes(deck, group, describe(group.rows.kind, group.key)),
        }
        group.rows.data.update({name: values for name, values in arrays.items() if values is not None})
    return make_blocks([group.rows for group in groups], [group.key for group in groups], describe)


def _warn_missing(deck: Deck, group: Group, given: Given, materials: dict[int, AnyMaterial]) -> None:
    material, type_number, *_ = group.key
    where, what = group.rows.where(0), f"{group.routine.name} elements (first: {group.rows.ids[0]})"
    layers = given.section.layers if isinstance(given.section, ShellSection) else ()
    layered = bool(layers) and all(layer.material is not None for layer in layers)
    if group.rows.kind.startswith("spring"):
        material = None
    elif given.material is None and material not in materials and not layered:
        deck.warn(f"{where}: {what} have material {material}, which the deck does not define; add MP,EX,{material}.")
    if given.missing:
        deck.warn(f"{where}: {what} have no section; add {given.missing}.")
        deck.skipped.add(f"section of {group.routine.name}", group.rows.file, int(group.rows.lines[0]), why=given.missing)
    option = type_of(deck, group.key)
    if group.routine.name in ("SOLID46", "SOLID191") or (group.routine.name in ("SOLID185", "SOLID186") and option.option(3) == 1):
        deck.warn(f"{where}: {what} are layered solids; their own material replaces the layers.")
    if group.routine.name == "LINK10":
        deck.warn(f"{where}: {what} act only in tension or only in compression; they are read as linear.")


def _completed(section, own: AnyMaterial | None):
    """Layers without a material have that of their element."""
    if not isinstance(section, ShellSection) or not section.layers:
        return section
    layers = tuple(layer if layer.material is not None else replace(layer, material=own) for layer in section.layers)
    return replace(section, layers=layers)


def _thickness(group: Group, given: Given) -> np.ndarray | None:
    """(k, n) thickness at the nodes of shells where the corners differ; middle nodes have the mean of their edge."""
    if not given.corner_thickness:
        return None
    kind = KINDS[group.rows.kind]
    corners = list(given.corner_thickness[: kind.corner_count])
    middles = [math.fsum((corners[i], corners[j])) / 2.0 for i, j in kind.edges]
    values = corners + (middles if kind.node_count > kind.corner_count else [])
    return np.tile(values, (len(group.rows.ids), 1))
