"""From a deck, card by card, to a Mesh: blocks of elements, other elements, and the sets of properties."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import Equation
from flexmbs.mesh.mesh import ElementBlock, Mesh, MeshSurface, UnsupportedElements
from flexmbs.mesh.reader_tools.degenerate_elements import middle_equations
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import ElementRows, check_element_numbers
from flexmbs.mesh.reader_tools.skin_elements import face_kind
from flexmbs.mesh.readers.nastran import sets
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import OF_NASTRAN_95, MadeNodes, make_true, turn_mirrored
from flexmbs.mesh.readers.nastran.elements_by_property import Piece, make_pieces
from flexmbs.mesh.readers.nastran.grid_cards import Grid, make_grid
from flexmbs.mesh.readers.nastran.material_cards import all_materials
from flexmbs.mesh.readers.nastran.rigid_element_cards import NAMES as RIGID
from flexmbs.mesh.readers.nastran.rigid_element_cards import couplings_and_equations
from flexmbs.mesh.readers.nastran.spring_and_mass_cards import MASSES, PROPERTY_OF, point_masses, spring_elements, spring_fields

_PER_ELEMENT = ("y_axes", "offsets", "thickness", "shell_offsets", "material_axes")
_WITHOUT_MASS = ("5", "105", "BUCKLING", "SEBUCKL")  # buckling, whose eigenvalues are of loads


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for what does not fit together."""
    _apply_mass_factor(deck)
    if not deck.grids:
        _check_structural(deck, ())
    springs = spring_elements(deck)
    rows = [elements.rows for elements in (*deck.elements, *springs)]
    check_element_numbers([*rows, *(other for other in deck.others if other.role != "geometry")])
    elements, middles = make_true(deck, 1 + max((int(batch.integers(0, "ID").max()) for batch in deck.grids), default=0))
    grid = make_grid(deck, middles)
    elements = turn_mirrored(deck, elements, grid.table)
    deck.made_materials = all_materials(deck)
    pieces = make_pieces(deck, elements, grid)
    blocks = _blocks(deck, pieces, springs, grid)
    others = _others(deck, pieces, grid)
    _check_structural(deck, blocks, others)
    if any(not block.kind.startswith("spring") for block in blocks):
        _note_lumped_masses(deck)
    couplings, equations = couplings_and_equations(deck, grid)
    numbers = np.unique(np.concatenate([block.ids for block in blocks]))
    node_sets = sets.node_sets(deck, grid)
    of_nodes, of_elements = sets.number_sets(deck, grid, numbers)
    for name, ids in of_nodes.items():  # the first of a name keeps it
        node_sets.setdefault(name, grid.table.find(ids))
    element_sets = dict(of_elements)
    for name, ids in (*_property_sets(deck, pieces, springs).items(), *sets.component_sets(deck, numbers).items()):
        element_sets.setdefault(name, ids)
    surfaces = _skin_surfaces(deck, pieces, grid, node_sets)
    index = ElementIndex(blocks)
    displacement = np.unique(grid.displacement)
    return Mesh(
        points=grid.table.points,
        node_ids=grid.table.ids,
        blocks=blocks,
        node_sets={**node_sets, **{name: surface.nodes for name, surface in surfaces.items()}},
        element_sets={name: index.find(ids) for name, ids in element_sets.items()},
        surfaces=surfaces,
        materials={material.name: material for material in deck.made_materials.values()},
        couplings=couplings,
        equations=(*equations, *_held_middles(deck, middles, grid)),
        point_masses=point_masses(deck, grid),
        boundary_conditions=sets.boundary_conditions(deck, grid),
        coordinate_systems={system.name: system for system in grid.systems.values()},
        displacement_systems={
            grid.systems[number].name: np.flatnonzero(grid.displacement == number) for number in displacement[displacement > 0]
        },
        other_elements=others,
        source=deck.source,
        file_format="Nastran",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(dict.fromkeys(deck.warnings)),
    )


def _parameters(deck: Deck, name: str) -> list[Card]:
    """The cards of a parameter; the last one counts, which is one of case control if there is any there (QRG)."""
    return [*deck.parameters.get(name, ()), *deck.parameters_of_case.get(name, ())]


def _apply_mass_factor(deck: Deck) -> None:
    """The factor of the PARAM WTMASS that counts."""
    cards = _parameters(deck, "WTMASS")
    if not cards:
        return
    card, deck.mass_factor = cards[-1], cards[-1].real(1, "WTMASS")
    if any(other.real(1, "WTMASS") != deck.mass_factor for other in cards):
        places = ", ".join(other.place for other in cards[:-1])
        deck.warn(card.where, f"of {len(cards)} WTMASS the one in this line counts, {deck.mass_factor:g} (others: {places}).")
    elif deck.mass_factor != 1.0:
        deck.warn(card.where, f"densities and masses are multiplied by WTMASS = {deck.mass_factor:g}.")


def _note_lumped_masses(deck: Deck) -> None:
    """Say once that Nastran would compute the modes that the deck asks for with other masses than flexmbs."""
    card = deck.eigenvalue_request
    given = [parameter.text(1) for parameter in _parameters(deck, "COUPMASS")]
    if card is None or deck.solution in _WITHOUT_MASS or (given and given[-1] not in ("NO", "-1", "0")):
        return
    deck.warn(
        card.where,
        "the deck has no PARAM,COUPMASS,1, so Nastran computes these modes with lumped masses; flexmbs has consistent"
        " ones, with higher frequencies on coarse meshes (a rod of one element: 22 %).",
    )


def _blocks(deck: Deck, pieces: list[Piece], springs: list[Elements], grid: Grid) -> tuple[ElementBlock, ...]:
    """The blocks: one per kind, card and property (and per section where elements state it themselves)."""
    fields: dict[Hashable, dict] = {}
    groups: list[ElementRows] = []
    keys: list[list[Hashable]] = []
    arrays: dict[str, list] = {name: [] for name in _PER_ELEMENT}
    for piece in pieces:
        if not piece.role:
            # Pieces of one property and thickness rule are one block.
            name = piece.property.name if piece.property else piece.elements.family
            key = (name, piece.number, getattr(piece.fields.get("section"), "thickness", 0.0))
            fields.setdefault(key, piece.fields)
            groups.append(piece.elements.rows)
            keys.append([key])
            for name in _PER_ELEMENT:
                arrays[name].append(piece.arrays.get(name))
    for elements in springs:
        groups.append(elements.rows)
        found = spring_fields(deck, elements, grid)
        for key, own in found:
            fields.setdefault(key, own)
        keys.append([key for key, _ in found])
        for name in _PER_ELEMENT:
            arrays[name].append(None)
    return make_blocks(groups, grid.table, keys, lambda kind, key: fields[key], arrays)


def _others(deck: Deck, pieces: list[Piece], grid: Grid) -> tuple[UnsupportedElements, ...]:
    """Elements that are no part of a body."""
    groups = list(deck.others)
    for piece in pieces:
        if piece.role:
            rows = piece.elements.rows
            name = face_kind(rows.kind) if piece.role == "geometry" else rows.type_name
            groups.append(replace(rows, kind=None, type_name=name, role=piece.role))
    return other_elements(groups, grid.table)


def _check_structural(deck: Deck, blocks: tuple[ElementBlock, ...], others: Sequence[UnsupportedElements] = ()) -> None:
    """MeshError when nothing of a body is in the deck, with what it holds instead and where."""
    if blocks:
        return
    held, told = [], {e.type_name for e in others}
    for e in others:
        role = "NASTRAN-95 elements, which are not read" if e.type_name in OF_NASTRAN_95 else e.role
        held.append((f"{e.where}: {e.type_name}", f"{len(e.ids)} {e.type_name} ({role})"))
    for card in deck.skipped.as_tuple():
        if not card.analysis and card.card.upper().startswith(("C", "BEGIN")) and card.card not in told:
            what = f"{card.count} {card.card} ({card.why or 'unknown'})"
            held.append((f"{card.file}:{card.lines[0]}: {card.card}", what))
    joining = [*deck.named(*MASSES), *deck.named(*RIGID)]  # which need a body
    names = [card.name for card in joining]
    held += [(joining[names.index(name)].where, f"{names.count(name)} {name}") for name in dict.fromkeys(names)]
    where = held[0][0] if held else f"{deck.source}:1: GRID"
    lacking = "solid, shell, beam or truss elements" if deck.grids else "grid points"
    raise MeshError(
        f"{where}: the deck has no {lacking}; it has {', '.join(what for _, what in held) or 'no elements at all'}."
        " Export a structural mesh (GRID with CTETRA, CHEXA, CQUAD4, CBAR, ...)."
    )


def _property_sets(deck: Deck, pieces: list[Piece], springs: list[Elements]) -> dict[str, np.ndarray]:
    """Element numbers of each property, by its name ("PSHELL 3", or what a comment calls it)."""
    members: dict[tuple[str, int], list[np.ndarray]] = {}
    for piece in pieces:
        if not piece.role and piece.elements.family != "own rod":
            card = piece.property.name if piece.property else "PID"
            members.setdefault((card, piece.number), []).append(piece.elements.rows.ids)
    for elements in springs:
        if kind := PROPERTY_OF.get(elements.rows.type_name):
            for number in np.unique(elements.properties).tolist():
                members.setdefault((kind, number), []).append(elements.rows.ids[elements.properties == number])
    found: dict[str, np.ndarray] = {}
    for (card, number), ids in members.items():
        found[_set_name(deck, card, number, found)] = np.concatenate(ids)
    return found


def _skin_surfaces(deck: Deck, pieces: list[Piece], grid: Grid, taken) -> dict[str, MeshSurface]:
    """Faces that only name a place, by the name of their property number."""
    faces: dict[int, dict[str, list[np.ndarray]]] = {}
    for piece in pieces:
        if piece.role == "geometry":
            nodes = piece.elements.rows.node_indices(grid.table)
            faces.setdefault(piece.number, {}).setdefault(face_kind(piece.elements.rows.kind), []).append(nodes)
    surfaces: dict[str, MeshSurface] = {}
    for number, of_kind in faces.items():
        name = _set_name(deck, "PID", number, {**surfaces, **dict.fromkeys(taken)})
        surfaces[name] = MeshSurface({kind: np.concatenate(parts) for kind, parts in of_kind.items()})
    return surfaces


def _set_name(deck: Deck, card: str, number: int, taken) -> str:
    """What a comment calls the property, if no other set has the name; else "PSHELL 3"."""
    name = deck.names.get(("component", number)) or deck.names.get(("property", number), "")
    return name if name and name not in taken else f"{card} {number}"


def _held_middles(deck: Deck, middles: list[MadeNodes], grid: Grid) -> list[Equation]:
    """The displacement of each made middle node is the mean of those of its edge's ends."""
    equations = []
    for made in middles:
        what = f"are created in the middle of their edges (numbers {made.ids[0]} to {made.ids[-1]})"
        deck.warn(f"{made.where}: element", f"{len(made.ids)} midside nodes that the cards omit {what}.")
        for number, nodes in zip(made.ids, grid.table.find(np.column_stack([made.ids, made.ends])), strict=True):
            equations += middle_equations(number, nodes, made.where, grid.displacement_axes(nodes))
    return equations
