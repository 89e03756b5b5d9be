"""From a deck, card by card, to a Mesh: its elements property by property, blocks, other elements, and the sets of properties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.materials import AnisotropicMaterial, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.mesh import Mesh, MeshSurface, UnsupportedElements
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex, make_blocks, other_elements
from flexmbs.mesh.reader_tools.numbering import ElementRows, check_element_numbers, split_by
from flexmbs.mesh.reader_tools.skin_elements import face_kind, split_skin
from flexmbs.mesh.reader_tools.true_elements import TrueElements
from flexmbs.mesh.readers.nastran import sets
from flexmbs.mesh.readers.nastran.bar_cards import bar_fields, complete_bars, rod_fields
from flexmbs.mesh.readers.nastran.card import Card, integer
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.material_cards import PLANE, all_materials, find_property, for_solids, material_of
from flexmbs.mesh.readers.nastran.node_and_element_cards import OF_NASTRAN_95, Grid, family_of, make_grid
from flexmbs.mesh.readers.nastran.rigid_element_cards import NAMES as RIGID
from flexmbs.mesh.readers.nastran.rigid_element_cards import couplings_and_equations
from flexmbs.mesh.readers.nastran.shell_cards import shell_fields
from flexmbs.mesh.readers.nastran.spring_and_mass_cards import MASSES, PROPERTY_OF, point_masses, spring_elements, spring_fields

_WITHOUT_MASS = ("5", "105", "BUCKLING", "SEBUCKL")  # buckling, whose eigenvalues are of loads
_ADD = {"solid": "PSOLID", "shell": "PSHELL", "bar": "PBAR", "rod": "PROD"}
_NOT_ELASTIC = {"MAT10": "fluid", "MAT4": "thermal", "MAT5": "thermal"}


@dataclass(eq=False)
class Piece:
    """Elements of one property with the fields of their block."""

    rows: ElementRows
    property: Card | None  # None when the deck has none with the number
    role: str = ""  # why the elements are no part of a body ("fluid", "thermal", "plane", "geometry"); "" when they are
    fields: dict = field(default_factory=dict)  # material, section, property_name, where

    @property
    def number(self) -> int:
        """The number of the property."""
        return int(self.rows.data["property"][0])

    @property
    def key(self) -> tuple:
        """Pieces of one property and thickness rule are one block."""
        name = self.property.name if self.property else family_of(self.rows)
        return name, self.number, getattr(self.fields.get("section"), "thickness", 0.0)


def build(deck: Deck) -> Mesh:
    """The Mesh of a deck. Raises MeshError for what does not fit together."""
    if not deck.grids:
        _check_structural(deck, False)
    springs = spring_elements(deck)
    check_element_numbers([*deck.elements, *springs, *(rows for rows in deck.others if rows.role != "geometry")])
    grid = make_grid(deck)
    true = TrueElements(grid.table.ids, grid.points)
    elements = [part for rows in deck.elements for part in true.of(rows.with_indices(grid.table))]
    grid.add_middles(true.points)
    deck.warnings += true.warnings
    springs = [rows.with_indices(grid.table) for rows in springs]
    deck.made_materials = all_materials(deck)
    pieces = _pieces(deck, [rows for rows in elements if rows.kind], grid)
    bodies = [piece for piece in pieces if not piece.role]
    others = _others(deck, [rows for rows in elements if not rows.kind], pieces, grid)
    _check_structural(deck, bool(bodies or springs), others)
    if bodies:
        _note_lumped_masses(deck)
    with_keys = [(piece.rows, piece.key, piece.fields) for piece in bodies]
    with_keys += [part for rows in springs for part in spring_fields(deck, rows, grid)]
    fields = {key: own for _, key, own in reversed(with_keys)}  # the first of a key counts
    blocks = make_blocks([rows for rows, *_ in with_keys], [key for _, key, _ in with_keys], lambda kind, key: fields[key])
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
    displacement = np.unique(grid.displacement)
    return Mesh(
        points=true.points,
        node_ids=true.ids,
        blocks=blocks,
        node_sets={**node_sets, **{name: surface.nodes for name, surface in surfaces.items()}},
        element_sets={name: index.find(ids) for name, ids in element_sets.items()},
        surfaces=surfaces,
        materials={material.name: material for material in deck.made_materials.values()},
        couplings=couplings,
        equations=(*equations, *true.equations(grid.displacement_axes)),
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


def _note_lumped_masses(deck: Deck) -> None:
    """Say once that Nastran would compute the modes that the deck asks for with other masses than flexmbs."""
    card = deck.eigenvalue_request
    given = [parameter.text(1) for parameter in deck.parameters.get("COUPMASS", ())]
    if card is None or deck.solution in _WITHOUT_MASS or (given and given[-1] not in ("NO", "-1", "0")):
        return
    what = "the deck has no PARAM,COUPMASS,1, so Nastran computes these modes with lumped masses; flexmbs has consistent ones"
    deck.warn(card.where, f"{what}, with higher frequencies on coarse meshes (a rod of one element: 22 %).")


def _pieces(deck: Deck, elements: list[ElementRows], grid: Grid) -> list[Piece]:
    """All elements but springs, property by property. Raises MeshError for what their properties have wrong."""
    pieces = []
    for all_rows in elements:
        family = family_of(all_rows)
        if family == "bar":
            all_rows = complete_bars(deck, all_rows, grid)
        for number, rows in split_by(all_rows, all_rows.data["property"]):
            card = find_property(deck, family, rows.type_name, number, f"{rows.where(0)}: {rows.type_name}")
            pieces.append(Piece(rows, card, _role(deck, card)))
    pieces = _skin_apart(pieces)
    for piece in pieces:
        if not piece.role:
            piece.fields = _describe(deck, piece, grid)
    return pieces


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


def _skin_apart(pieces: list[Piece]) -> list[Piece]:
    """Elements without property on faces or edges of others become geometry, in pieces of their own."""
    structural = [piece for piece in pieces if not piece.role]
    if all(piece.property for piece in structural):
        return pieces
    keep = [np.full(len(piece.rows.ids), piece.property is not None) for piece in structural]
    _, skins = split_skin([piece.rows for piece in structural], keep)
    on_faces = np.concatenate([rows.ids for rows in skins] or [np.empty(0, np.int64)])
    result = []
    for piece in pieces:
        is_skin = np.isin(piece.rows.ids, on_faces) & (piece.property is None and not piece.role)
        if is_skin.any():
            result.append(Piece(piece.rows.take(is_skin), None, "geometry"))
            piece = Piece(piece.rows.take(~is_skin), None)
        if len(piece.rows.ids):
            result.append(piece)
    return result


def _describe(deck: Deck, piece: Piece, grid: Grid) -> dict:
    """The fields of a block of the piece; those with a row for each element go into its ``data``."""
    rows, card, family = piece.rows, piece.property, family_of(piece.rows)
    if card is None:
        what = f"{len(rows.ids)} elements refer to property {piece.number}, which the deck does not define"
        deck.warn(f"{rows.where(0)}: {rows.type_name}", f"{what}; add a {_ADD[family]} {piece.number} with MID, and its MAT1.")
        return {"property_name": ""}
    if family == "solid":
        fields = _solid_fields(deck, piece, card, grid)
    elif family == "shell":
        fields = shell_fields(deck, card, rows, grid)
    else:
        fields = (bar_fields if family == "bar" else rod_fields)(deck, card)
    name = f"{card.name} {piece.number}" if card.name != "CONROD" else f"MAT {card.text(1)}"
    return {"property_name": name, "where": card.place, **fields}


def _solid_fields(deck: Deck, piece: Piece, card: Card, grid: Grid) -> dict:
    at, is_layered = 1, card.name in ("PCOMPS", "PCOMPLS")
    if is_layered:  # a material where all layers have the same isotropic one
        lines = [start for start in range(8, len(card.fields), 8) if card.text(start + 1) and card.text(start) != "CFAIL"]
        at = lines[0] + 1 if len({card.text(start + 1) for start in lines}) == 1 else 0
    material = material_of(deck, card, at) if at else None
    if material is None or (is_layered and not isinstance(material, Material)):
        deck.warn(card.where, f"{piece.number}: layered solids are not supported; its elements have no material.")
        return {}
    material = for_solids(material, 0.5)
    if not isinstance(material, OrthotropicMaterial | AnisotropicMaterial) or card.name != "PSOLID":
        return {"material": material}
    system = card.integer(2, "CORDM", 0)
    if system < 0:
        reason = (
            f"{card.where} {piece.number} gives directions by the elements (CORDM = -1), which is not supported for"
            " anisotropic materials; give the number of a coordinate system (field 4)."
        )
        return {"material": UnusableMaterial(material.name, reason, material.density, material.where)}
    if system == 0:  # the directions of the mesh
        return {"material": material}
    centres = grid.points[piece.rows.nodes].mean(axis=1)
    piece.rows.data["material_axes"] = grid.directions(system, centres, card.where)
    return {"material": material}


def _others(deck: Deck, collapsed: list[ElementRows], pieces: list[Piece], grid: Grid) -> tuple[UnsupportedElements, ...]:
    """Elements that are no part of a body."""
    groups = [*(rows.with_indices(grid.table) for rows in deck.others), *collapsed]
    for piece in pieces:
        if piece.role:
            name = face_kind(piece.rows.kind) if piece.role == "geometry" else piece.rows.type_name
            groups.append(replace(piece.rows, kind=None, type_name=name, role=piece.role))
    return other_elements(groups)


def _check_structural(deck: Deck, has_body: bool, others: Sequence[UnsupportedElements] = ()) -> None:
    """MeshError when nothing of a body is in the deck, with what it holds instead and where."""
    if has_body:
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


def _property_sets(deck: Deck, bodies: list[Piece], springs: list[ElementRows]) -> dict[str, np.ndarray]:
    """Element numbers of each property, by its name ("PSHELL 3", or what a comment calls it)."""
    members: dict[tuple[str, int], list[np.ndarray]] = {}
    for piece in bodies:
        if family_of(piece.rows) != "own rod":
            card = piece.property.name if piece.property else "PID"
            members.setdefault((card, piece.number), []).append(piece.rows.ids)
    for all_rows in springs:
        if kind := PROPERTY_OF.get(all_rows.type_name):
            for number, rows in sorted(split_by(all_rows, all_rows.data["property"])):
                members.setdefault((kind, number), []).append(rows.ids)
    found: dict[str, np.ndarray] = {}
    for (card, number), ids in members.items():
        found[_set_name(deck, card, number, found)] = np.concatenate(ids)
    return found


def _skin_surfaces(deck: Deck, pieces: list[Piece], taken) -> dict[str, MeshSurface]:
    """Faces that only name a place, by the name of their property number."""
    faces: dict[int, dict[str, list[np.ndarray]]] = {}
    for piece in pieces:
        if piece.role == "geometry":
            faces.setdefault(piece.number, {}).setdefault(face_kind(piece.rows.kind), []).append(piece.rows.nodes)
    surfaces: dict[str, MeshSurface] = {}
    for number, of_kind in faces.items():
        name = _set_name(deck, "PID", number, {**surfaces, **dict.fromkeys(taken)})
        surfaces[name] = MeshSurface({kind: np.concatenate(parts) for kind, parts in of_kind.items()})
    return surfaces


def _set_name(deck: Deck, card: str, number: int, taken) -> str:
    """What a comment calls the property, if no other set has the name; else "PSHELL 3"."""
    name = deck.names.get(("component", number)) or deck.names.get(("property", number), "")
    return name if name and name not in taken else f"{card} {number}"
