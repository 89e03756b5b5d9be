"""From a deck, card by card, to a Mesh: its elements property by property, blocks, other elements, and the sets of properties."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh, MeshSurface, UnsupportedElements
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, TrueElements, face_kind, make_blocks, other_elements, split_skin
from flexmbs.mesh.reader_tools.numbering import ElementRows, check_element_numbers, split_by
from flexmbs.mesh.readers.nastran import sets
from flexmbs.mesh.readers.nastran.bar_cards import bar_fields, complete_bars, rod_fields
from flexmbs.mesh.readers.nastran.card import Card, integer
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.material_cards import OF_FAMILY, PLANE, all_materials, property_of, solid_fields
from flexmbs.mesh.readers.nastran.node_and_element_cards import OF_NASTRAN_95, Grid, family_of, make_grid
from flexmbs.mesh.readers.nastran.rigid_element_cards import couplings_and_equations
from flexmbs.mesh.readers.nastran.shell_cards import shell_fields
from flexmbs.mesh.readers.nastran.spring_and_mass_cards import PROPERTY_OF, point_masses, spring_elements

_WITHOUT_MASS = ("5", "105", "BUCKLING", "SEBUCKL")  # buckling, whose eigenvalues are of loads
_NOT_ELASTIC = {"MAT10": "fluid", "MAT4": "thermal", "MAT5": "thermal"}


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for what does not fit together."""
    if not deck.grids:
        raise _nothing_structural(deck)
    grid = make_grid(deck)
    true = TrueElements(grid.table.ids, grid.points)
    elements = [part for rows in deck.elements for part in true.of(rows.with_indices(grid.table))]
    grid.add_middles(true.points)
    deck.warnings += true.warnings
    deck.made_materials = all_materials(deck)
    pieces = _pieces(deck, [rows for rows in elements if rows.kind], grid)
    bodies = [rows for rows in pieces if not rows.role]
    described = [(rows, *_describe(deck, rows, grid)) for rows in bodies]
    if bodies:
        _note_lumped_masses(deck)
    springs, of_springs = spring_elements(deck, grid)
    described += [(rows, i, of_springs[i]) for all_rows in springs for i, rows in split_by(all_rows, all_rows.data["alike"])]
    without_kind = [*(rows.with_indices(grid.table) for rows in deck.others), *(rows for rows in elements if not rows.kind)]
    others = _others(without_kind, pieces)
    if not described:
        raise _nothing_structural(deck, others)
    check_element_numbers([*deck.elements, *springs, *(rows for rows in deck.others if rows.role != "geometry")])
    fields = {key: own for _, key, own in reversed(described)}  # the first of a key counts
    blocks = make_blocks([rows for rows, *_ in described], [key for _, key, _ in described], lambda kind, key: fields[key])
    couplings, equations = couplings_and_equations(deck, grid)
    numbers = np.unique(np.concatenate([block.ids for block in blocks]))
    node_sets = sets.node_sets(deck, grid)
    of_nodes, of_elements = sets.number_sets(deck, grid, numbers)
    for name, ids in of_nodes.items():  # the first of a name keeps it
        node_sets.setdefault(name, grid.table.find(ids))
    element_sets = dict(of_elements)
    for name, ids in (*_property_sets(deck, bodies, springs).items(), *sets.component_sets(deck, numbers).items()):
        element_sets.setdefault(name, ids)
    surfaces = _skin_surfaces(deck, pieces, node_sets)
    index = ElementIndex(blocks)
    systems = {system.name: system for system in grid.systems.values()}
    used = [number for number in np.unique(grid.displacement) if number > 0]
    displacement = {grid.systems[number].name: np.flatnonzero(grid.displacement == number) for number in used}
    return Mesh(
        points=true.points,
        node_ids=true.ids,
        blocks=blocks,
        node_sets={**node_sets, **{name: surface.nodes for name, surface in surfaces.items()}},
        element_sets={name: index.find(ids) for name, ids in element_sets.items()},
        surfaces=surfaces,
        materials={material.name: material for material in deck.made_materials.values()},
        couplings=couplings,
        equations=(*equations, *true.equations(systems, displacement)),
        point_masses=point_masses(deck, grid),
        boundary_conditions=sets.boundary_conditions(deck, grid),
        coordinate_systems=systems,
        displacement_systems=displacement,
        other_elements=others,
        source=deck.source,
        file_format="Nastran",
        skipped=deck.skipped.as_tuple(),
        warnings=tuple(dict.fromkeys(deck.warnings)),
    )


def _note_lumped_masses(deck: Deck) -> None:
    """Say once that Nastran would compute the modes that the deck asks for with other masses than flexmbs."""
    requests = deck.named("EIGRL", "EIGR")
    given = [parameter.text(1) for parameter in deck.parameters if parameter.text(0) == "COUPMASS"]
    if not requests or deck.solution in _WITHOUT_MASS or (given and given[-1] not in ("NO", "-1", "0")):
        return
    what = "the deck has no PARAM,COUPMASS,1, so Nastran computes these modes with lumped masses; flexmbs has consistent ones"
    deck.warn(requests[0].where, f"{what}, with higher frequencies on coarse meshes (a rod of one element: 22 %).")


def _pieces(deck: Deck, elements: list[ElementRows], grid: Grid) -> list[ElementRows]:
    """All elements but springs, of one property each; those that are no part of a body have a role."""
    pieces = []
    for all_rows in elements:
        if family_of(all_rows) == "bar":
            all_rows = complete_bars(deck, all_rows, grid)
        for _, rows in split_by(all_rows, all_rows.data["property"]):
            pieces.append(replace(rows, role=_role(deck, property_of(deck, rows))))
    return _skin_apart(deck, pieces)


def _role(deck: Deck, card: Card | None) -> str:
    """ "fluid" or "thermal" for elements of such materials, "plane" for those of such properties."""
    if card is None:
        return ""
    if card.name in PLANE:
        return "plane"
    if card.name == "PSOLID" and card.text(6) in ("PFLUID", "FFLUID", "PPORO"):
        return "fluid"
    material = integer(card.text(1))
    known = deck.materials.get(material) or deck.thermal_materials.get(material)
    return _NOT_ELASTIC.get(known.name, "") if known is not None else ""


def _skin_apart(deck: Deck, pieces: list[ElementRows]) -> list[ElementRows]:
    """Elements without property on faces or edges of others become geometry, in pieces of their own."""
    structural = [rows for rows in pieces if not rows.role]
    keep = [np.full(len(rows.ids), property_of(deck, rows) is not None) for rows in structural]
    _, skins = split_skin(structural, keep)
    if not skins:
        return pieces
    on_faces = np.concatenate([rows.ids for rows in skins])
    result = []
    for rows in pieces:
        is_skin = np.isin(rows.ids, on_faces)
        parts = [rows.take(is_skin, role="geometry"), rows.take(~is_skin)] if is_skin.any() else [rows]
        result += [part for part in parts if len(part.ids)]
    return result


def _describe(deck: Deck, rows: ElementRows, grid: Grid) -> tuple[Hashable, dict]:
    """Key and fields of the block of a piece (its property and thickness rule); fields by element go into its ``data``."""
    card, family, number = property_of(deck, rows), family_of(rows), int(rows.data["property"][0])
    if card is None:
        what = f"{len(rows.ids)} elements refer to property {number}, which the deck does not define"
        add = f"add a {OF_FAMILY[family][0]} {number} with MID, and its MAT1"
        deck.warn(f"{rows.where(0)}: {rows.type_name}", f"{what}; {add}.")
        return (family, number), {"property_name": ""}
    if family == "solid":
        fields = solid_fields(deck, rows, card, grid)
    elif family in ("shell", "shear"):
        fields = shell_fields(deck, card, rows, grid)
    else:
        fields = (bar_fields if family == "bar" else rod_fields)(deck, card)
    name = f"{card.name} {number}" if card.name != "CONROD" else f"MAT {card.text(1)}"
    key = card.name, number, getattr(fields.get("section"), "thickness", 0.0)
    return key, {"property_name": name, "where": card.place, **fields}


def _others(groups: list[ElementRows], pieces: list[ElementRows]) -> tuple[UnsupportedElements, ...]:
    """Elements that are no part of a body: those without a kind, and pieces that have a role."""
    for rows in pieces:
        if rows.role:
            groups.append(replace(rows, kind=None, type_name=face_kind(rows.kind) if rows.role == "geometry" else rows.type_name))
    return other_elements(groups)


def _nothing_structural(deck: Deck, others: Sequence[UnsupportedElements] = ()) -> MeshError:
    """The error that nothing of a body is in the deck, with what it holds instead and where."""
    held, told = [], {e.type_name for e in others}
    for e in others:
        role = "NASTRAN-95 elements, which are not read" if e.type_name in OF_NASTRAN_95 else e.role
        held.append((f"{e.where}: {e.type_name}", f"{len(e.ids)} {e.type_name} ({role})"))
    for card in deck.skipped.as_tuple():
        if not card.analysis and card.card.upper().startswith(("C", "BEGIN")) and card.card not in told:
            what = f"{card.count} {card.card} ({card.why or 'unknown'})"
            held.append((f"{card.file}:{card.lines[0]}: {card.card}", what))
    joining = deck.named(*sets.JOINING)  # which need a body
    names = [card.name for card in joining]
    held += [(joining[names.index(name)].where, f"{names.count(name)} {name}") for name in dict.fromkeys(names)]
    where = held[0][0] if held else f"{deck.source}:1: GRID"
    lacking = "solid, shell, beam or truss elements" if deck.grids else "grid points"
    return MeshError(
        f"{where}: the deck has no {lacking}; it has {', '.join(what for _, what in held) or 'no elements at all'}."
        " Export a structural mesh (GRID with CTETRA, CHEXA, CQUAD4, CBAR, ...)."
    )


def _property_sets(deck: Deck, bodies: list[ElementRows], springs: list[ElementRows]) -> dict[str, np.ndarray]:
    """Element numbers of each property, by its name ("PSHELL 3", or what a comment calls it)."""
    members: dict[tuple[str, int], list[np.ndarray]] = {}
    for rows in bodies:
        if family_of(rows) != "own rod":
            card = property_of(deck, rows)
            members.setdefault((card.name if card else "PID", int(rows.data["property"][0])), []).append(rows.ids)
    for all_rows in springs:
        if kind := PROPERTY_OF.get(all_rows.type_name):
            for number, rows in sorted(split_by(all_rows, all_rows.data["property"])):
                members.setdefault((kind, number), []).append(rows.ids)
    found: dict[str, np.ndarray] = {}
    for (kind, number), ids in members.items():
        found[_set_name(deck, kind, number, found)] = np.concatenate(ids)
    return found


def _skin_surfaces(deck: Deck, pieces: list[ElementRows], taken) -> dict[str, MeshSurface]:
    """Faces that only name a place, by the name of their property number."""
    faces: dict[int, dict[str, list[np.ndarray]]] = {}
    for rows in pieces:
        if rows.role == "geometry":
            faces.setdefault(int(rows.data["property"][0]), {}).setdefault(face_kind(rows.kind), []).append(rows.nodes)
    surfaces: dict[str, MeshSurface] = {}
    for number, of_kind in faces.items():
        name = _set_name(deck, "PID", number, {**surfaces, **dict.fromkeys(taken)})
        surfaces[name] = MeshSurface({kind: np.concatenate(parts) for kind, parts in of_kind.items()})
    return surfaces


def _set_name(deck: Deck, card: str, number: int, taken) -> str:
    """What a comment calls the property, if no other set has the name; else "PSHELL 3"."""
    name = deck.names.get(("component", number)) or deck.names.get(("property", number), "")
    return name if name and name not in taken else f"{card} {number}"
