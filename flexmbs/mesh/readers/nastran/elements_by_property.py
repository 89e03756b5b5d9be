"""Elements property by property, each with what its property says: material, section, thickness, directions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.materials import AnisotropicMaterial, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.reader_tools.skin_elements import split_skin
from flexmbs.mesh.readers.nastran.bar_cards import bar_fields, complete_bars, rod_fields
from flexmbs.mesh.readers.nastran.card import Card, integer
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import by_property
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.material_cards import PLANE, find_property, for_solids, material_of
from flexmbs.mesh.readers.nastran.shell_cards import shell_fields

_ADD = {"solid": "PSOLID", "shell": "PSHELL", "bar": "PBAR", "rod": "PROD"}
_NOT_ELASTIC = {"MAT10": "fluid", "MAT4": "thermal", "MAT5": "thermal"}


@dataclass(eq=False)
class Piece:
    """Elements of one property with the fields of their block."""

    elements: Elements
    property: Card | None  # None when the deck has none with the number
    role: str = ""  # why the elements are no part of a body ("fluid", "thermal", "plane", "geometry"); "" when they are
    fields: dict = field(default_factory=dict)  # material, section, property_name, where
    arrays: dict[str, np.ndarray] = field(default_factory=dict)  # fields of ElementBlock with a row per element

    @property
    def number(self) -> int:
        """The number of the property."""
        return int(self.elements.properties[0])


def make_pieces(deck: Deck, all_elements: list[Elements], grid: Grid) -> list[Piece]:
    """All elements but springs, property by property. Raises MeshError for what their properties have wrong."""
    pieces = []
    for elements in all_elements:
        elements = complete_bars(deck, elements, grid) if elements.family == "bar" else elements
        for part in by_property(elements):
            found = find_property(deck, part.family, part.rows.type_name, int(part.properties[0]), part.where)
            pieces.append(Piece(part, found, _role(deck, found)))
    pieces = _skin_apart(pieces)
    for piece in pieces:
        if not piece.role:
            _describe(deck, piece, grid)
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
    """Elements without property on faces or edges of others become geometry, in groups of their own."""
    structural = [piece for piece in pieces if not piece.role]
    unclear = [p for p in structural if p.property is None and p.elements.family in ("shell", "bar", "rod")]
    if not unclear:
        return pieces
    keep = [np.full(len(p.elements.rows.ids), p.property is not None) for p in structural]
    _, skins = split_skin([p.elements.rows for p in structural], keep)
    on_faces = np.concatenate([rows.ids for rows in skins] or [np.empty(0, np.int64)])
    result = []
    for piece in pieces:
        is_skin = np.isin(piece.elements.rows.ids, on_faces)
        if piece not in unclear or not is_skin.any():
            result.append(piece)
            continue
        result.append(Piece(piece.elements.subset(np.flatnonzero(is_skin)), None, "geometry"))
        if not is_skin.all():
            result.append(Piece(piece.elements.subset(np.flatnonzero(~is_skin)), None))
    return result


def _describe(deck: Deck, piece: Piece, grid: Grid) -> None:
    part, card = piece.elements, piece.property
    if part.family == "bar":
        piece.arrays = part.extras
    if card is None:
        what = f"{len(part.rows.ids)} elements refer to property {piece.number}, which the deck does not define"
        deck.warn(part.where, f"{what}; add a {_ADD[part.family]} {piece.number} with MID, and its MAT1.")
        piece.fields = {"property_name": ""}
        return
    if part.family == "solid":
        fields, piece.arrays = _solid_fields(deck, piece, card, grid)
    elif part.family == "shell":
        fields, piece.arrays = shell_fields(deck, card, part, grid)
    else:
        fields = (bar_fields if part.family == "bar" else rod_fields)(deck, card)
    name = f"{card.name} {piece.number}" if card.name != "CONROD" else f"MAT {card.text(1)}"
    piece.fields = {"property_name": name, "where": card.place, **fields}


def _solid_fields(deck: Deck, piece: Piece, card: Card, grid: Grid) -> tuple[dict, dict[str, np.ndarray]]:
    at, is_layered = 1, card.name in ("PCOMPS", "PCOMPLS")
    if is_layered:  # a material where all layers have the same isotropic one
        lines = [start for start in range(8, len(card.fields), 8) if card.text(start + 1) and card.text(start) != "CFAIL"]
        at = lines[0] + 1 if len({card.text(start + 1) for start in lines}) == 1 else 0
    material = material_of(deck, card, at) if at else None
    if material is None or (is_layered and not isinstance(material, Material)):
        deck.warn(card.where, f"{piece.number}: layered solids are not supported; its elements have no material.")
        return {}, {}
    material = for_solids(material, 0.5)
    if not isinstance(material, OrthotropicMaterial | AnisotropicMaterial) or card.name != "PSOLID":
        return {"material": material}, {}
    system = card.integer(2, "CORDM", 0)
    if system < 0:
        reason = (
            f"{card.where} {piece.number} gives directions by the elements (CORDM = -1), which is not supported for"
            " anisotropic materials; give the number of a coordinate system (field 4)."
        )
        return {"material": UnusableMaterial(material.name, reason, material.density, material.where)}, {}
    if system == 0:  # the directions of the mesh
        return {"material": material}, {}
    middles = grid.table.points[piece.elements.rows.node_indices(grid.table)].mean(axis=1)
    return {"material": material}, {"material_axes": grid.directions(system, middles, card.where)}
