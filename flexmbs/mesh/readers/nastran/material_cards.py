"""Materials (MAT1, MAT2, MAT8, MAT9, MAT11, MAT12; what other material cards lack), and which property names which of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.properties import AnisotropicMaterial, AnyMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Card, Field, Fields
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.node_and_element_cards import Grid, family_of

_ZERO, _FIRST, _GIVEN, _RHO = Field(float, 0.0), Field(float, 0.0, at=1), Field(float, None), Field(float, None, least=0.0)
MAT1 = Fields(e=_FIRST, g=_ZERO, nu=_GIVEN, rho=_RHO, ge=Field(float, 0.0, at=7))
MAT2 = Fields(g=Field(float, 0.0, at=1, count=6), rho=_RHO, ge=Field(float, 0.0, at=12))
MAT8 = Fields(
    **{"e1": _FIRST, "e2": _ZERO, "nu12": _ZERO, "g12": _ZERO, "g1z": Field(float, 0.0, label="G1,Z")},
    **{"g2z": Field(float, 0.0, label="G2,Z"), "rho": _RHO, "ge": Field(float, 0.0, at=16)},
)
MAT9 = Fields(g=Field(float, 0.0, at=1, count=21), rho=_RHO, ge=Field(float, 0.0, at=30))
MAT11 = Fields(constants=Field(float, 0.0, at=1, count=9, label="constant"), rho=_RHO, ge=Field(float, 0.0, at=15))
MAT12 = Fields(  # of Autodesk's Nastran; OptiStruct calls it MAT9OR
    **{"e": Field(float, 0.0, at=1, count=3), "nu12": _ZERO, "nu23": _ZERO, "nu31": _GIVEN, "rho": _RHO},
    **{"g": Field(float, 0.0, count=3), "ge": Field(float, 0.0, at=15)},
)
_THERMAL = ("MAT4", "MAT5")
_UNUSABLE = {
    "MAT3": "is orthotropic in an axisymmetric body; use MAT9 for solids",
    "MAT10": "is a fluid (MAT10); use MAT1 for an elastic material",
    **dict.fromkeys(("MATHE", "MATHP"), "is hyperelastic; use MAT1 for its linear elasticity"),
    "MATG": "is a gasket (MATG); use MAT9 for a linear elasticity",
    "MATVE": "is viscoelastic (MATVE); use MAT1 for its linear elasticity",
    **dict.fromkeys(_THERMAL, "is thermal; add a MAT1 with the same number and E, NU, RHO"),
}
_SAME_SHEAR = 0.01  # G of a MAT1 that is further than this part from E / (2 (1 + nu)) is worth a warning

# Cards with several properties: fields of each.
_SEVERAL = {"PELAS": 4, "PVISC": 4, "PDAMP": 2, "PMASS": 2}
PLANE = ("PLPLANE", "PPLANE")  # make plane elements of CQUAD4 and CTRIA3
# The properties that elements of a family can have, and those of springs and masses.
OF_FAMILY = {
    "solid": ("PSOLID", "PLSOLID", "PCOMPS", "PCOMPLS"),
    "bar": ("PBAR", "PBARL", "PBEAM", "PBEAML", "PBCOMP", "PBRSECT", "PBMSECT"),
    "rod": ("PROD", "PTUBE"),
    "own rod": ("CONROD",),
    "shell": ("PSHELL", "PCOMP", "PCOMPG", *PLANE),
    "shear": ("PSHEAR",),
}
_OF_SPRINGS = ("PELAS", "PDAMP", "PBUSH", "PBUSH1D", "PVISC", "PMASS")
_OF_OTHERS = ("PFAST", "PGAP", "PWELD", "PBEND", "PBEAM3", "PAXSYMH")
PROPERTIES = {*(name for names in OF_FAMILY.values() for name in names), *_OF_SPRINGS, *_OF_OTHERS} - {"CONROD"}


def read_material(deck: Deck, card: Card) -> None:
    """Any material card: kept until it is used."""
    number = card.integer(0, "MID", least=1)
    deck.add_once(deck.thermal_materials if card.name in _THERMAL else deck.materials, number, card, "material")


def read_property(deck: Deck, card: Card) -> None:
    """Any property card: kept until elements use it."""
    length = len(card.fields) or 1
    count = _SEVERAL.get(card.name, length)
    for start in range(0, length, count):
        part = card.part(start, count)
        if start == 0 or part.text(0):
            deck.add_once(deck.properties, (card.name, part.integer(0, "PID", least=1)), part, "property")


def property_of(deck: Deck, rows: ElementRows) -> Card | None:
    """The property that elements name (all the same one); None when the deck has none, MeshError when it is for others."""
    possible, number = OF_FAMILY[family_of(rows)], int(rows.data["property"][0])
    found = next((deck.properties[name, number] for name in possible if (name, number) in deck.properties), None)
    if found is None:
        wrong = next((card for (_, other), card in deck.properties.items() if other == number), None)
        if wrong is not None and wrong.name not in _OF_SPRINGS:
            what = f"property {number} is a {wrong.name} ({wrong.place}), but {rows.type_name} needs {' or '.join(possible[:3])}."
            raise MeshError(f"{rows.where(0)}: {rows.type_name}: {what}")
    return found


def material_of(deck: Deck, card: Card, index: int, what: str = "MID") -> AnyMaterial:
    """The material that a field of a property names; MeshError when it does not exist."""
    number = card.integer(index, what, least=1)
    if number not in deck.made_materials:
        known = few(sorted(deck.made_materials), 10) or "none"
        raise card.wrong(f"names material {number}, which no MAT card defines (there are: {known}); add a MAT1.")
    return deck.made_materials[number]


def all_materials(deck: Deck) -> dict[int, AnyMaterial]:
    """Every material of the deck by its number; densities times PARAM WTMASS.

    A blank RHO is zero for Nastran, and is meant where other materials have one (which is said); else it is missing.
    """
    cards = {**deck.thermal_materials, **deck.materials}
    materials = {number: _material(deck, number, card) for number, card in cards.items()}
    if not any(material.density for material in materials.values()):
        return materials
    zero = [number for number, material in materials.items() if material.density == 0.0]
    for number in deck.materials:
        if materials[number].density is None:
            deck.warn(cards[number].where, f"{number} has no RHO: its elements have no mass, as in Nastran.")
            materials[number] = replace(materials[number], density=0.0)
    if zero:
        others = f" (also: {few(zero[1:])})" if zero[1:] else ""
        deck.warn(cards[zero[0]].where, f"{zero[0]} has RHO = 0{others}: its elements have no mass, as in Nastran.")
    return materials


def _material(deck: Deck, number: int, card: Card) -> AnyMaterial:
    name = deck.names.get(("material", number), "")
    same = [other for other in deck.materials if name and deck.names.get(("material", other)) == name]
    name = name if len(same) == 1 else f"{card.name} {number}"
    if card.name in _UNUSABLE:
        return unusable(card, name, None, f"{_UNUSABLE[card.name]}.")
    fields, make = _MAKERS[card.name]
    given = fields.read(card)
    density = None if given.rho is None else given.rho * deck.mass_factor
    return make(deck, card, given, name, (density, Damping(structural=given.ge) if given.ge else None, card.place))


def unusable(card: Card, name: str, density: float | None, why: str) -> UnusableMaterial:
    """The material of a card that cannot be computed, with the reason."""
    return UnusableMaterial(name, f"{card.where} {card.text(0)} {why}", density, card.place)


def _mat1(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    """E, G, nu: two of them give the third; one alone leaves the others zero (QRG, MAT1, remark 2)."""
    modulus, shear, ratio = given.e, given.g, given.nu or 0.0
    if modulus == 0.0 and shear > 0.0 and given.nu is not None:
        modulus = 2.0 * shear * (1.0 + ratio)
    elif given.nu is None and modulus > 0.0 and shear > 0.0:
        ratio = modulus / (2.0 * shear) - 1.0
    if modulus <= 0.0 or shear < 0.0:
        return unusable(card, name, rest[0], f"has E = {modulus:g}, G = {shear:g}; give positive ones (field 3).")
    if ratio <= -1.0:
        return unusable(card, name, rest[0], f"has a Poisson's ratio of {ratio:g}; give NU between -1 and 0.5 (field 5).")
    if not card.text(2) and given.nu is None:
        deck.warn(card.where, f"{card.text(0)} has neither G nor NU; NU = 0 is used.")
    implied = modulus / (2.0 * (1.0 + ratio))
    if shear and abs(shear - implied) > _SAME_SHEAR * implied:
        text = f"material {card.text(0)} has G = {shear:g}, but E and NU imply {implied:g}"
        deck.warn(card.where, f"{text}; solids and shells use E and NU, bars and rods use E and G.")
    return Material(name, modulus, ratio, *rest)


def for_bars(deck: Deck, number: int, material: AnyMaterial) -> AnyMaterial:
    """The material as bars and rods take it: by E and G of a MAT1, whatever its NU."""
    card = deck.materials.get(number)
    if card is None or card.name != "MAT1" or not isinstance(material, Material):
        return material
    shear = MAT1.read(card).g
    ratio = material.youngs_modulus / (2.0 * shear) - 1.0 if shear > 0.0 else material.poisson_ratio
    if abs(ratio - material.poisson_ratio) <= _SAME_SHEAR * (1.0 + material.poisson_ratio):
        return material
    return replace(material, poisson_ratio=ratio)


def for_solids(material: AnyMaterial, largest_ratio: float) -> AnyMaterial:
    """The material, or why it cannot be one of solids (ratio below 0.5) or shells (below 1)."""
    if isinstance(material, Material) and material.poisson_ratio >= largest_ratio:
        what = f"{material.name} has a Poisson's ratio of {material.poisson_ratio:g} (NU, or E / 2G - 1)"
        reason = f"{material.where}: MAT1: {what}; give a NU below {largest_ratio:g} (field 5)."
        return UnusableMaterial(material.name, reason, material.density, material.where)
    return material


def solid_fields(deck: Deck, rows: ElementRows, card: Card, grid: Grid) -> dict:
    """Fields of a block of solids from its property (material); those with a row for each go into its data."""
    at, is_layered = 1, card.name in ("PCOMPS", "PCOMPLS")
    if is_layered:  # a material where all layers have the same isotropic one
        lines = [start for start in range(8, len(card.fields), 8) if card.text(start + 1) and card.text(start) != "CFAIL"]
        at = lines[0] + 1 if len({card.text(start + 1) for start in lines}) == 1 else 0
    material = material_of(deck, card, at) if at else None
    if material is None or (is_layered and not isinstance(material, Material)):
        deck.warn(card.where, f"{card.text(0)}: layered solids are not supported; its elements have no material.")
        return {}
    material = for_solids(material, 0.5)
    if isinstance(material, OrthotropicMaterial | AnisotropicMaterial) and card.name == "PSOLID":
        system = card.integer(2, "CORDM", 0)  # 0: the directions of the mesh
        if system > 0:
            rows.data["material_axes"] = grid.directions(system, grid.points[rows.nodes].mean(axis=1), card.where)
        elif system < 0:
            what = "gives directions by the elements (CORDM = -1), which anisotropic materials do not support; give the number of a"
            why = unusable(card, material.name, material.density, f"{what} coordinate system (field 4).")
            material = replace(why, where=material.where)
    return {"material": material}


def _mat2(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    """Plane stress stiffness 11, 12, 13, 22, 23, 33 (3: shear), as engineering constants if shear is by itself."""
    c11, c12, c13, c22, c23, c33 = given.g
    if max(abs(c13), abs(c23)) > 1e-9 * max(abs(c11), abs(c22), abs(c33)):
        return unusable(card, name, rest[0], "couples shear and extension (G13, G23), which is not supported.")
    determinant = c11 * c22 - c12**2
    if not (c11 > 0.0 and c22 > 0.0):
        return unusable(card, name, rest[0], "has a stiffness that is not positive definite (G11, G22).")
    moduli, ratios = (determinant / c22, determinant / c11, None), (c12 / c22, None, None)
    return OrthotropicMaterial(name, *moduli, *ratios, c33, c33, c33, *rest)


def _mat8(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    """Without G1Z or G2Z (rigid in transverse shear) G12 stands in."""
    e1, e2, nu12, g12 = given.e1, given.e2, given.nu12, given.g12
    if not (given.g1z > 0.0 and given.g2z > 0.0):
        deck.warn(card.where, f"{card.text(0)}: G1,Z or G2,Z is missing (rigid in transverse shear); G12 is used.")
    shear = g12, given.g1z if given.g1z > 0.0 else g12, given.g2z if given.g2z > 0.0 else g12
    return OrthotropicMaterial(name, e1, e2, None, nu12, None, None, *shear, *rest)


def _mat9(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    """The upper triangle by rows, components 11, 22, 33, 12, 23, 13 as flexmbs has them."""
    stiffness = np.zeros((6, 6))
    stiffness[np.triu_indices(6)] = given.g
    return AnisotropicMaterial(name, stiffness + np.triu(stiffness, 1).T, *rest)


def _mat11(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    return OrthotropicMaterial(name, *given.constants, *rest)


def _mat12(deck: Deck, card: Card, given, name: str, rest: tuple) -> AnyMaterial:
    """E1, E2, E3, NU12, NU23, NU31 (of strain 1 under stress 3, NU23 if blank), G12, G23, G31."""
    (e1, e2, e3), (g12, g23, g31) = given.e, given.g
    nu31 = given.nu23 if given.nu31 is None else given.nu31
    nu13 = nu31 * e1 / e3 if e3 else nu31
    return OrthotropicMaterial(name, e1, e2, e3, given.nu12, nu13, given.nu23, g12, g31, g23, *rest)


_MAKERS = {
    **{"MAT1": (MAT1, _mat1), "MAT2": (MAT2, _mat2), "MAT8": (MAT8, _mat8), "MAT9": (MAT9, _mat9), "MAT11": (MAT11, _mat11)},
    **dict.fromkeys(("MAT12", "MAT9OR"), (MAT12, _mat12)),
}
MATERIALS = (*_MAKERS, *_UNUSABLE)
