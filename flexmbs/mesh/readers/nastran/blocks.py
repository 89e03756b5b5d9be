"""From the elements of a deck to the blocks of a Mesh, its other elements, and the sets of its properties."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import SpringSection
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.mesh import ElementBlock, MeshSurface, UnsupportedElements
from flexmbs.mesh.reader_tools.element_blocks import make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.skin_elements import face_kind
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import OF_NASTRAN_95
from flexmbs.mesh.readers.nastran.elements_by_property import Piece, own_rod_section
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.property_cards import PropertyUse, property_name
from flexmbs.mesh.readers.nastran.spring_section_cards import PROPERTY_OF, spring_section

_PER_ELEMENT = ("y_axes", "offsets", "thickness", "shell_offsets", "material_axes")


def structural_blocks(
    deck: Deck, pieces: list[Piece], springs: list[Elements], grid: Grid, materials: dict[int, AnyMaterial]
) -> tuple[ElementBlock, ...]:
    """The blocks: one per kind, card and property (and per section where elements state it themselves)."""
    use = PropertyUse(deck, materials)
    fields: dict[Hashable, dict] = {}
    groups, keys = [], []
    arrays: dict[str, list] = {name: [] for name in _PER_ELEMENT}
    for piece in pieces:
        if not piece.role:
            own = _keys_of(use, piece, fields)
            groups.append(piece.elements.rows)
            keys.append(own)
            for name in _PER_ELEMENT:
                arrays[name].append(piece.arrays.get(name))
    for elements in springs:
        groups.append(elements.rows)
        keys.append(_spring_keys(deck, elements, grid, fields))
        for name in _PER_ELEMENT:
            arrays[name].append(None)
    return make_blocks(groups, grid.table, keys, lambda kind, key: fields[key], arrays)


def _keys_of(use: PropertyUse, piece: Piece, fields: dict) -> list[Hashable]:
    """Key of the elements' fields; pieces of one property and thickness rule share it."""
    if piece.elements.family == "own rod":
        sections = piece.elements.extras["section"]
        keys = [("CONROD", piece.number, *values) for values in sections.tolist()]
        for row, key in enumerate(keys):
            if key not in fields:
                section = own_rod_section(use, piece, row)
                fields[key] = {**piece.fields, "section": section, "where": section.where}
        return keys
    card = piece.property
    section = piece.fields.get("section")
    key = (card.name if card else piece.elements.family, piece.number, getattr(section, "thickness", 0.0))
    fields.setdefault(key, piece.fields)
    return [key]


def _spring_keys(deck: Deck, elements: Elements, grid: Grid, fields: dict) -> list[Hashable]:
    keys: list[Hashable] = []
    without = {}
    for row, spring in enumerate(elements.extras["springs"]):
        section = spring_section(deck, spring, grid)
        if section is None:
            without.setdefault(spring.property_number, row)
            key: Hashable = ("spring", spring.property_number)
            fields.setdefault(key, {})
        else:
            if section.mass:
                section = replace(section, mass=section.mass * deck.mass_factor)
            key = _content(section)
            name = PROPERTY_OF.get(spring.card.name, "")
            label = property_name(name, spring.property_number) if name else ""
            fields.setdefault(key, {"section": section, "property_name": label, "where": section.where})
        keys.append(key)
    for number, row in without.items():
        spring = elements.extras["springs"][row]
        kind = PROPERTY_OF[spring.card.name]
        deck.warn(spring.card.where, f"property {number} is not in the deck; add a {kind} {number}.")
    return keys


def _content(section: SpringSection) -> Hashable:
    axes = () if section.axes is None else np.round(section.axes, 12).ravel().tolist()
    numbers = (*section.stiffness.tolist(), *section.damping.tolist(), section.mass)
    place = section.where if not section.first_dof or section.axes is not None else ""
    return ("spring", *numbers, section.axial, section.first_dof, section.second_dof, *axes, place)


def others(deck: Deck, pieces: list[Piece], grid: Grid) -> tuple[UnsupportedElements, ...]:
    """Elements that are no part of a body."""
    groups = list(deck.others)
    for piece in pieces:
        if piece.role:
            rows = piece.elements.rows
            name = face_kind(rows.kind) if piece.role == "geometry" else rows.type_name
            groups.append(ElementRows(None, name, rows.ids, rows.nodes, rows.file, rows.lines, piece.role))
    return other_elements(groups, grid.table)


def check_structural(deck: Deck, blocks: tuple[ElementBlock, ...], other: Sequence[UnsupportedElements] = ()) -> None:
    """MeshError when nothing of a body is in the deck, with what it holds instead and where."""
    if blocks:
        return
    held = [(f"{e.where}: {e.type_name}", f"{len(e.ids)} {e.type_name} ({_role(e)})") for e in other]
    for card in deck.skipped.as_tuple():
        if not card.analysis and card.card.upper().startswith(("C", "BEGIN")):
            what = f"{card.count} {card.card} ({card.why or 'unknown'})"
            held.append((f"{card.file}:{card.lines[0]}: {card.card}", what))
    joining = [*deck.masses, *deck.rigid]  # which need a body
    held += [(card.where, f"{count} {name}") for card, name, count in _first_of_each_name(joining)]
    where = held[0][0] if held else f"{deck.source}:1: GRID"
    lacking = "solid, shell, beam or truss elements" if deck.grids else "grid points"
    raise MeshError(
        f"{where}: the deck has no {lacking}; it has {', '.join(what for _, what in held) or 'no elements at all'}."
        " Export a structural mesh (GRID with CTETRA, CHEXA, CQUAD4, CBAR, ...)."
    )


def _role(elements: UnsupportedElements) -> str:
    return "NASTRAN-95 elements, which are not read" if elements.type_name in OF_NASTRAN_95 else elements.role


def _first_of_each_name(cards: Sequence[Card]) -> list[tuple[Card, str, int]]:
    """(first card, name, number of cards) of each name."""
    names = [card.name for card in cards]
    return [(cards[names.index(name)], name, names.count(name)) for name in dict.fromkeys(names)]


def property_sets(deck: Deck, pieces: list[Piece], springs: list[Elements]) -> dict[str, np.ndarray]:
    """Element numbers of each property, by its name ("PSHELL 3", or what a comment calls it)."""
    members: dict[tuple[str, int], list[np.ndarray]] = {}
    for piece in pieces:
        if not piece.role and piece.elements.family != "own rod":
            card = piece.property.name if piece.property else "PID"
            members.setdefault((card, piece.number), []).append(piece.elements.rows.ids)
    for elements in springs:
        kind = PROPERTY_OF.get(elements.rows.type_name)
        if kind:
            for number in np.unique(elements.properties):
                ids = elements.rows.ids[elements.properties == number]
                members.setdefault((kind, int(number)), []).append(ids)
    sets: dict[str, np.ndarray] = {}
    for (card, number), ids in members.items():
        sets[_set_name(deck, card, number, sets)] = np.concatenate(ids)
    return sets


def skin_surfaces(deck: Deck, pieces: list[Piece], grid: Grid, taken) -> dict[str, MeshSurface]:
    """Faces that only name a place, by the name of their property number."""
    faces: dict[int, dict[str, list[np.ndarray]]] = {}
    for piece in pieces:
        if piece.role == "geometry":
            kind = face_kind(piece.elements.rows.kind)
            nodes = piece.elements.rows.node_indices(grid.table)
            faces.setdefault(piece.number, {}).setdefault(kind, []).append(nodes)
    surfaces: dict[str, MeshSurface] = {}
    for number, of_kind in faces.items():
        name = _set_name(deck, "PID", number, {**surfaces, **dict.fromkeys(taken)})
        surfaces[name] = MeshSurface({kind: np.concatenate(parts) for kind, parts in of_kind.items()})
    return surfaces


def _set_name(deck: Deck, card: str, number: int, taken) -> str:
    """What a comment calls the property, if no other set has the name; else "PSHELL 3"."""
    name = deck.names.get("component", number) or deck.names.get("property", number)
    return name if name and name not in taken else property_name(card, number)
