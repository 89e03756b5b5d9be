"""From a deck, card by card, to a Mesh."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.couplings import Equation
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.reader_tools.degenerate_elements import middle_equations
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.reader_tools.numbering import check_element_numbers
from flexmbs.mesh.readers.nastran import set_cards
from flexmbs.mesh.readers.nastran.blocks import check_structural, others, property_sets, skin_surfaces, structural_blocks
from flexmbs.mesh.readers.nastran.components import component_sets
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.elements_by_property import make_pieces
from flexmbs.mesh.readers.nastran.grid_cards import Grid, make_grid
from flexmbs.mesh.readers.nastran.mass_cards import point_masses
from flexmbs.mesh.readers.nastran.material_cards import all_materials
from flexmbs.mesh.readers.nastran.rigid_element_cards import couplings_and_equations
from flexmbs.mesh.readers.nastran.skipped_cards import apply_mass_factor, note_lumped_masses
from flexmbs.mesh.readers.nastran.spring_cards import spring_elements
from flexmbs.mesh.readers.nastran.true_elements import MadeNodes, make_true, turn_mirrored


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for what does not fit together."""
    apply_mass_factor(deck)
    if not deck.grids:
        check_structural(deck, ())
    springs = spring_elements(deck)
    rows = [elements.rows for elements in (*deck.elements, *springs)]
    check_element_numbers([*rows, *(other for other in deck.others if other.role != "geometry")])
    middles = MadeNodes(1 + max((int(batch.integers(0, "ID").max()) for batch in deck.grids), default=0))
    elements = make_true(deck, deck.elements, middles)
    grid = make_grid(deck, middles)
    elements = turn_mirrored(deck, elements, grid.table)
    materials = all_materials(deck)
    pieces = make_pieces(deck, elements, grid, materials)
    blocks = structural_blocks(deck, pieces, springs, grid, materials)
    other = others(deck, pieces, grid)
    check_structural(deck, blocks, other)
    if any(not block.kind.startswith("spring") for block in blocks):
        note_lumped_masses(deck)
    couplings, equations = couplings_and_equations(deck, grid)
    numbers = np.unique(np.concatenate([block.ids for block in blocks]))
    node_sets, element_numbers = _sets(deck, grid, numbers, property_sets(deck, pieces, springs))
    surfaces = skin_surfaces(deck, pieces, grid, node_sets)
    index = ElementIndex(blocks)
    return Mesh(
        points=grid.table.points,
        node_ids=grid.table.ids,
        blocks=blocks,
        node_sets={**node_sets, **{name: surface.nodes for name, surface in surfaces.items()}},
        element_sets={name: index.find(ids) for name, ids in element_numbers.items()},
        surfaces=surfaces,
        materials={material.name: material for material in materials.values()},
        couplings=couplings,
        equations=(*equations, *_held_middles(deck, middles, grid)),
        point_masses=_times(deck.mass_factor, point_masses(deck, grid)),
        boundary_conditions=set_cards.boundary_conditions(deck, grid),
        coordinate_systems={system.name: system for system in grid.systems.values()},
        displacement_systems=_displacement_systems(grid),
        other_elements=other,
        source=deck.source,
        file_format="Nastran",
        skipped=deck.skipped.as_tuple(),
        warnings=(*deck.case.warnings, *deck.warnings),
    )


def _sets(deck: Deck, grid: Grid, numbers: np.ndarray, of_properties: dict[str, np.ndarray]):
    """Node sets (indices) and element sets (numbers) of all origins; the first of a name keeps it."""
    node_sets = set_cards.node_sets(deck, grid)
    of_nodes, of_elements = set_cards.number_sets(deck, grid, numbers)
    for name, ids in of_nodes.items():
        node_sets.setdefault(name, grid.table.find(ids))
    element_sets = dict(of_elements)
    for name, ids in (*of_properties.items(), *component_sets(deck, numbers).items()):
        element_sets.setdefault(name, ids)
    return node_sets, element_sets


def _held_middles(deck: Deck, middles: MadeNodes, grid: Grid) -> list[Equation]:
    """The displacement of each made middle node is the mean of those of its edge's ends."""
    equations = []
    for ids, ends, (file, line) in zip(middles.ids, middles.ends, middles.cards, strict=True):
        deck.warn(
            f"{file}:{line}: element",
            f"{len(ids)} midside nodes that the cards omit are created in the middle of their edges (numbers"
            f" {ids[0]} to {ids[-1]}).",
        )
        for number, nodes in zip(ids, grid.table.find(np.column_stack([ids, ends])), strict=True):
            equations += middle_equations(number, nodes, f"{file}:{line}", grid.displacement_axes(nodes))
    return equations


def _displacement_systems(grid: Grid) -> dict[str, np.ndarray]:
    numbers = np.unique(grid.displacement)
    return {grid.systems[n].name: np.flatnonzero(grid.displacement == n) for n in numbers.tolist() if n > 0}


def _times(factor: float, masses: tuple) -> tuple:
    from dataclasses import replace

    if factor == 1.0:
        return masses
    return tuple(replace(m, mass=m.mass * factor, inertia=m.inertia * factor) for m in masses)
