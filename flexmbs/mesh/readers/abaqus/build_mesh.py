"""From what a deck said, by its numbers and names, to a Mesh."""

from __future__ import annotations

from dataclasses import replace

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import ElementBlock, Mesh, UnsupportedElements
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.readers.abaqus.blocks import Assigned, assign_sections, others, structural_blocks
from flexmbs.mesh.readers.abaqus.coupling_card_table import CONSTRAINT_CARDS
from flexmbs.mesh.readers.abaqus.coupling_cards import Joined
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.material_cards import made_material
from flexmbs.mesh.readers.abaqus.mesh_sets import named_sets
from flexmbs.mesh.readers.abaqus.placed_instances import Model, placed
from flexmbs.mesh.readers.abaqus.set_members import Sets
from flexmbs.mesh.readers.abaqus.sort_elements import Sorted, sort_elements
from flexmbs.mesh.readers.abaqus.surfaces import Surfaces


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for missing nodes, elements, materials and sets."""
    materials = {name: made_material(deck, draft) for name, draft in deck.materials.items()}
    model = placed(deck, materials)
    element_sets = Sets(model)
    node_sets = Sets(model, element_sets)
    assigned = assign_sections(model, element_sets)
    elements = sort_elements(model, assigned.owner >= 0)
    _check_is_body(model, elements)
    joined = _joined(model, node_sets, element_sets)
    blocks = structural_blocks(model, elements.structural, assigned, joined.thickness)
    index = ElementIndex(blocks)
    sets = named_sets(model, node_sets, element_sets, joined.surfaces, index)
    return Mesh(
        points=model.points,
        node_ids=model.node_ids,
        blocks=tuple(replace(block, ids=model.element_numbers[block.ids]) for block in blocks),
        node_sets=sets.nodes,
        element_sets=sets.elements,
        surfaces=sets.surfaces,
        materials={**materials, **_own_materials(assigned, blocks)},
        couplings=tuple(joined.couplings),
        equations=(*joined.equations, *elements.equations),
        ties=tuple(joined.ties),
        point_masses=tuple(joined.point_masses),
        boundary_conditions=tuple(joined.boundary_conditions),
        coordinate_systems={**_orientations(assigned), **joined.systems},
        displacement_systems=joined.displacement_systems,
        other_elements=_numbered(model, others(elements.others)),
        source=deck.source,
        file_format="Abaqus/CalculiX",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(deck.warnings),
    )


def _joined(model: Model, node_sets: Sets, element_sets: Sets) -> Joined:
    joined = Joined(model, node_sets, element_sets, Surfaces(model, node_sets, element_sets))
    for region in model.regions:
        for card in region.scope.cards:
            if card.key in CONSTRAINT_CARDS:
                CONSTRAINT_CARDS[card.key](joined, region, card)
    return joined


def _check_is_body(model: Model, elements: Sorted) -> None:
    if elements.structural:
        return
    if not elements.others:
        raise MeshError(f"{model.deck.source}:1: the file has no *ELEMENT with data; a mesh needs elements.")
    held: dict[tuple[str, str], list] = {}
    for rows in elements.others:
        held.setdefault((rows.type_name, rows.role), [0, rows.where(0)])[0] += len(rows.ids)
    listed = "; ".join(f"{count} {name} ({role}), first in {where}" for (name, role), (count, where) in held.items())
    first = next(iter(held.values()))[1]
    raise MeshError(
        f"{first}: *ELEMENT: the file has no three-dimensional structural elements (solids, shells, beams, trusses,"
        f" springs). It has {listed}."
    )


def _own_materials(assigned: Assigned, blocks: tuple[ElementBlock, ...]) -> dict:
    """Materials that general sections bring with them."""
    return {
        block.material.name: block.material
        for block in blocks
        if block.material is not None and block.material.name.startswith(("OF ", "LAYERS OF "))
    }


def _orientations(assigned: Assigned) -> dict:
    return {
        section.orientation.system.name: section.orientation.system
        for section in assigned.sections
        if section.orientation is not None
    }


def _numbered(model: Model, groups: tuple[UnsupportedElements, ...]) -> tuple[UnsupportedElements, ...]:
    return tuple(replace(group, ids=model.element_numbers[group.ids]) for group in groups)
