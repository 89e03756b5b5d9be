"""Elements property by property, each with what its property says: material, section, thickness, directions."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.mesh.materials import AnisotropicMaterial, AnyMaterial, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.reader_tools.skin_elements import split_skin
from flexmbs.mesh.readers.nastran import shell_fields
from flexmbs.mesh.readers.nastran.bar_cards import complete_bars
from flexmbs.mesh.readers.nastran.beam_section_cards import beam_fields, rod_fields, truss_section
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.material_cards import for_bars, for_solids
from flexmbs.mesh.readers.nastran.number_fields import integer
from flexmbs.mesh.readers.nastran.property_cards import PLANE, PropertyUse, find_property, property_name
from flexmbs.mesh.readers.nastran.shell_section_cards import shell_property
from flexmbs.mesh.readers.nastran.true_elements import by_property

_ADD = {"solid": "PSOLID", "shell": "PSHELL", "bar": "PBAR", "rod": "PROD"}
_NOT_ELASTIC = {"MAT10": "fluid", "MAT4": "thermal", "MAT5": "thermal"}


@dataclass(eq=False)
class Piece:
    """Elements of one property with the fields of their block.

    Attributes
    ----------
    property : the card, None when the deck has none with the number
    role : why the elements are no part of a body ("fluid", "thermal", "plane", "geometry"); "" when they are
    fields : material, section, property_name, where
    arrays : fields of ElementBlock with a row per element
    """

    elements: Elements
    property: Card | None
    role: str = ""
    fields: dict = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of the property."""
        return int(self.elements.properties[0])

    @property
    def where(self) -> str:
        """ "file:line: CARD" of its first element."""
        return f"{self.elements.rows.where(0)}: {self.elements.rows.type_name}"


def make_pieces(deck: Deck, all_elements: list[Elements], grid: Grid, materials: dict[int, AnyMaterial]) -> list[Piece]:
    """All elements but springs, property by property. Raises MeshError for what their properties have wrong."""
    use = PropertyUse(deck, materials)
    pieces = []
    for elements in all_elements:
        elements = complete_bars(deck, elements, grid) if elements.family == "bar" else elements
        pieces += [_piece(use, part) for part in by_property(elements)]
    pieces = _skin_apart(pieces)
    for piece in pieces:
        if not piece.role:
            _describe(use, piece, grid)
    return pieces


def _piece(use: PropertyUse, part: Elements) -> Piece:
    """The elements with their property."""
    rows, number = part.rows, int(part.properties[0])
    if part.family == "own rod":
        return Piece(part, Card("CONROD", [str(rows.ids[0]), str(number)], rows.file, int(rows.lines[0])))
    found = find_property(use.deck, part.family, rows.type_name, number, f"{rows.where(0)}: {rows.type_name}")
    return Piece(part, found, _role(use.deck, part, found))


def _role(deck: Deck, part: Elements, card: Card | None) -> str:
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


def _describe(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    part, card = piece.elements, piece.property
    if part.family == "bar":
        piece.arrays = {"y_axes": part.extras["y_axes"], "offsets": part.extras["offsets"]}
    if card is None:
        use.deck.warn(
            piece.where,
            f"{len(part.rows.ids)} elements refer to property {piece.number}, which the deck does not define; add a"
            f" {_ADD[part.family]} {piece.number} with MID, and its MAT1.",
        )
        piece.fields = {"property_name": ""}
    else:
        piece.fields = {"property_name": property_name(card.name, piece.number), "where": card.place}
        _OF_FAMILY[part.family](use, piece, grid)


def _describe_solid(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    card, rows = piece.property, piece.elements.rows
    material = _of_layers(use, card) if card.name in ("PCOMPS", "PCOMPLS") else use.material(card, 1)
    if material is None:
        use.deck.warn(card.where, f"{piece.number}: layered solids are not supported; its elements have no material.")
        return
    material = for_solids(material, 0.5)
    piece.fields["material"] = material
    if not isinstance(material, OrthotropicMaterial | AnisotropicMaterial) or card.name != "PSOLID":
        return
    if card.integer(2, "CORDM", 0) < 0:
        reason = (
            f"{card.where} {piece.number} gives directions by the elements (CORDM = -1), which is not supported for"
            " anisotropic materials; give the number of a coordinate system (field 4)."
        )
        piece.fields["material"] = UnusableMaterial(material.name, reason, material.density, material.where)
    axes = shell_fields.solid_axes(card, rows.node_indices(grid.table), grid)
    if axes is not None:
        piece.arrays["material_axes"] = axes


def _of_layers(use: PropertyUse, card: Card) -> AnyMaterial | None:
    """The material of a layered solid all of whose layers have the same isotropic one; None otherwise."""
    lines = [start for start in range(8, len(card.fields), 8) if card.text(start + 1) and card.text(start) != "CFAIL"]
    materials = {card.text(start + 1) for start in lines}
    if len(materials) != 1:
        return None
    material = use.material(card, lines[0] + 1)
    return material if isinstance(material, Material) else None


def _describe_shell(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    part = piece.elements
    piece.fields |= shell_property(use, piece.property, shell_fields.own_thickness(part))
    section = piece.fields["section"]
    thickness = shell_fields.node_thickness(part, section.thickness)
    shell_fields.check_thickness(part, thickness)
    arrays = {"thickness": thickness, "shell_offsets": shell_fields.offsets(part, section.offset)}
    if shell_fields.has_directions(piece.fields.get("material"), section):
        nodes = part.rows.node_indices(grid.table)
        arrays["material_axes"] = shell_fields.shell_axes(part, nodes, grid)
    piece.arrays = {name: values for name, values in arrays.items() if values is not None}


def _describe_bar(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    piece.fields |= beam_fields(use, piece.property)


def _describe_rod(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    piece.fields |= rod_fields(use, piece.property)


def _describe_own_rod(use: PropertyUse, piece: Piece, grid: Grid) -> None:
    """CONROD: rods of one material; those of each section are a block of their own."""
    material = for_bars(use.deck, piece.number, use.material(piece.property, 1))
    piece.fields = {"material": material, "property_name": f"MAT {piece.number}"}


def own_rod_section(use: PropertyUse, piece: Piece, row: int):
    """Section of one CONROD: A, J, C, NSM."""
    area, torsion, _, mass = piece.elements.extras["section"][row]
    place = piece.elements.rows.where(row)
    number = piece.elements.rows.ids[row]
    return truss_section(f"{place}: CONROD", number, (area, torsion, mass * use.deck.mass_factor), place)


_OF_FAMILY = {
    "solid": _describe_solid,
    "shell": _describe_shell,
    "bar": _describe_bar,
    "rod": _describe_rod,
    "own rod": _describe_own_rod,
}
