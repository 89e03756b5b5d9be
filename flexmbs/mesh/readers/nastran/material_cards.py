"""Materials: MAT1, MAT2, MAT8, MAT9, MAT11; what other material cards lack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.materials import AnisotropicMaterial, AnyMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck

ELASTIC = ("MAT1", "MAT2", "MAT8", "MAT9", "MAT11")
_UNUSABLE = {
    "MAT3": "is orthotropic in an axisymmetric body; use MAT9 for solids",
    "MAT10": "is a fluid (MAT10); use MAT1 for an elastic material",
    "MATHE": "is hyperelastic (MATHE); use MAT1 for its linear elasticity",
    "MATHP": "is hyperelastic (MATHP); use MAT1 for its linear elasticity",
    "MATG": "is a gasket (MATG); use MAT9 for a linear elasticity",
    "MATVE": "is viscoelastic (MATVE); use MAT1 for its linear elasticity",
}
_THERMAL = ("MAT4", "MAT5")
NAMES = (*ELASTIC, *_UNUSABLE, *_THERMAL)
_DENSITY = {"MAT1": 4, "MAT2": 7, "MAT8": 7, "MAT9": 22, "MAT11": 10}  # fields of RHO
# G of a MAT1 that is further than this part from E / (2 (1 + nu)) is worth a warning.
_SAME_SHEAR = 0.01


def read_material(deck: Deck, card: Card) -> None:
    """Any card of this module: kept until it is used."""
    number = card.integer(0, "MID", least=1)
    deck.names.take_next("material", number)
    deck.add_once(deck.thermal_materials if card.name in _THERMAL else deck.materials, number, card)


def material_name(deck: Deck, number: int) -> str:
    """The name that a comment gives a material, else "MAT1 7"."""
    card = deck.materials.get(number) or deck.thermal_materials.get(number)
    own = f"{card.name if card else 'MAT'} {number}"
    name = deck.names.get("material", number)
    same = [other for other in deck.materials if name and deck.names.get("material", other) == name]
    return name if len(same) == 1 else own


def all_materials(deck: Deck) -> dict[int, AnyMaterial]:
    """Every material of the deck by its number; densities times PARAM WTMASS.

    A blank RHO is zero for Nastran. In a deck where other materials have one, that is what was meant (and is said, as
    is a RHO of 0); in a deck without any the densities are missing.
    """
    cards = {**deck.thermal_materials, **deck.materials}
    materials = {number: _material(deck, number, card) for number, card in cards.items()}
    if not any(material.density for material in materials.values()):
        return materials
    for number, material in materials.items():
        if material.density is None and number in deck.materials:
            card = cards[number]
            deck.warn(card.where, f"{number} has no RHO: its elements have no mass, as in Nastran.")
            materials[number] = replace(material, density=0.0)
    zero = [number for number, card in deck.materials.items() if materials[number].density == 0.0 and _states_density(card)]
    if zero:
        others = f" (also: {few(zero[1:])})" if zero[1:] else ""
        deck.warn(cards[zero[0]].where, f"{zero[0]} has RHO = 0{others}: its elements have no mass, as in Nastran.")
    return materials


def _material(deck: Deck, number: int, card: Card) -> AnyMaterial:
    name = material_name(deck, number)
    if card.name in _THERMAL:
        reason = f"{card.where} {number} is thermal; add a MAT1 with the same number and E, NU, RHO."
        return UnusableMaterial(name, reason, None, card.place)
    if card.name in _UNUSABLE:
        return UnusableMaterial(name, f"{card.where} {number} {_UNUSABLE[card.name]}.", None, card.place)
    maker = {"MAT1": _mat1, "MAT2": _mat2, "MAT8": _mat8, "MAT9": _mat9, "MAT11": _mat11}[card.name]
    return maker(deck, card, name)


def _states_density(card: Card) -> bool:
    return card.name in _DENSITY and bool(card.text(_DENSITY[card.name]))


def _density(deck: Deck, card: Card) -> float | None:
    index = _DENSITY[card.name]
    if not card.text(index):
        return None
    density = card.real(index, "RHO") * deck.mass_factor
    if density < 0.0:
        raise MeshError(f"{card.where} {card.text(0)}: RHO is {density:g}; it must be positive.")
    return density


def _damping(card: Card, index: int) -> Damping | None:
    structural = card.real(index, "GE", 0.0)
    return Damping(structural=structural) if structural else None


def _mat1(deck: Deck, card: Card, name: str) -> AnyMaterial:
    """E, G, nu: two of them give the third; one alone leaves the others zero (QRG, MAT1, remark 2)."""
    modulus, shear = card.real(1, "E", 0.0), card.real(2, "G", 0.0)
    ratio = card.real(3, "NU", 0.0)
    density = _density(deck, card)
    if modulus == 0.0 and shear > 0.0 and card.text(3):
        modulus = 2.0 * shear * (1.0 + ratio)
    elif not card.text(3) and modulus > 0.0 and shear > 0.0:
        ratio = modulus / (2.0 * shear) - 1.0
    if modulus <= 0.0 or shear < 0.0:
        reason = f"{card.where} {card.text(0)} has E = {modulus:g}, G = {shear:g}; give positive ones (field 3)."
        return UnusableMaterial(name, reason, density, card.place)
    if ratio <= -1.0:
        reason = f"{card.where} {card.text(0)} has a Poisson's ratio of {ratio:g}; give NU between -1 and 0.5 (field 5)."
        return UnusableMaterial(name, reason, density, card.place)
    if not (card.text(2) or card.text(3)):
        deck.warn(card.where, f"{card.text(0)} has neither G nor NU; NU = 0 is used.")
    implied = modulus / (2.0 * (1.0 + ratio))
    if shear and abs(shear - implied) > _SAME_SHEAR * implied:
        text = f"material {card.text(0)} has G = {shear:g}, but E and NU imply {implied:g}"
        deck.warn(card.where, f"{text}; solids and shells use E and NU, bars and rods use E and G.")
    return Material(name, modulus, ratio, density, _damping(card, 7), card.place)


def for_bars(deck: Deck, number: int, material: AnyMaterial) -> AnyMaterial:
    """The material as bars and rods take it: by E and G of a MAT1, whatever its NU."""
    card = deck.materials.get(number)
    if card is None or card.name != "MAT1" or not isinstance(material, Material):
        return material
    shear = card.real(2, "G", 0.0)
    ratio = material.youngs_modulus / (2.0 * shear) - 1.0 if shear > 0.0 else material.poisson_ratio
    if abs(ratio - material.poisson_ratio) <= _SAME_SHEAR * (1.0 + material.poisson_ratio):
        return material
    return replace(material, poisson_ratio=ratio)


def for_solids(material: AnyMaterial, largest_ratio: float) -> AnyMaterial:
    """The material, or why it cannot be one of solids (ratio below 0.5) or shells (below 1)."""
    if isinstance(material, Material) and material.poisson_ratio >= largest_ratio:
        reason = (
            f"{material.where}: MAT1: {material.name} has a Poisson's ratio of {material.poisson_ratio:g} (NU, or E"
            f" / 2G - 1); give a NU below {largest_ratio:g} (field 5)."
        )
        return UnusableMaterial(material.name, reason, material.density, material.where)
    return material


def _mat2(deck: Deck, card: Card, name: str) -> AnyMaterial:
    """Plane stress stiffness 11, 12, 13, 22, 23, 33 (3: shear), as engineering constants if shear is by itself."""
    c11, c12, c13, c22, c23, c33 = card.reals(1, 6, "G")
    density, damping = _density(deck, card), _damping(card, 12)
    size = max(abs(c11), abs(c22), abs(c33))
    if max(abs(c13), abs(c23)) > 1e-9 * size:
        reason = f"{card.where} {card.text(0)} couples shear and extension (G13, G23), which is not supported."
        return UnusableMaterial(name, reason, density, card.place)
    determinant = c11 * c22 - c12**2
    if not (c11 > 0.0 and c22 > 0.0 and c33 > 0.0 and determinant > 0.0):
        reason = f"{card.where} {card.text(0)} has a stiffness that is not positive definite (G11, G12, G22, G33)."
        return UnusableMaterial(name, reason, density, card.place)
    moduli = determinant / c22, determinant / c11, None
    ratios = c12 / c22, None, None
    return OrthotropicMaterial(name, *moduli, *ratios, c33, c33, c33, density, damping, card.place)


def _mat8(deck: Deck, card: Card, name: str) -> AnyMaterial:
    """E1, E2, NU12, G12, G1Z, G2Z, RHO; without G1Z or G2Z (rigid in transverse shear) G12 stands in."""
    e1, e2, nu12 = card.real(1, "E1", 0.0), card.real(2, "E2", 0.0), card.real(3, "NU12", 0.0)
    g12, g1z, g2z = card.real(4, "G12", 0.0), card.real(5, "G1,Z", 0.0), card.real(6, "G2,Z", 0.0)
    density, damping = _density(deck, card), _damping(card, 16)
    start = f"{card.where} {card.text(0)}"
    if not (e1 > 0.0 and e2 > 0.0 and nu12**2 * e2 < e1):
        reason = f"{start} has E1 = {e1:g}, E2 = {e2:g}, NU12 = {nu12:g}; these are not constants of an elastic material."
        return UnusableMaterial(name, reason, density, card.place)
    if not g12 > 0.0:
        return UnusableMaterial(name, f"{start} has no shear modulus G12; add it (field 6).", density, card.place)
    if not (g1z > 0.0 and g2z > 0.0):
        deck.warn(card.where, f"{card.text(0)}: G1,Z or G2,Z is missing (rigid in transverse shear); G12 is used.")
    shear = g12, g1z if g1z > 0.0 else g12, g2z if g2z > 0.0 else g12
    return OrthotropicMaterial(name, e1, e2, None, nu12, None, None, *shear, density, damping, card.place)


def _mat9(deck: Deck, card: Card, name: str) -> AnyMaterial:
    """The upper triangle by rows, components 11, 22, 33, 12, 23, 13 as flexmbs has them."""
    stiffness = np.zeros((6, 6))
    stiffness[np.triu_indices(6)] = card.reals(1, 21, "G")
    stiffness = stiffness + np.triu(stiffness, 1).T
    density = _density(deck, card)
    if np.linalg.eigvalsh(stiffness).min() <= 0.0:
        reason = f"{card.where} {card.text(0)} has a stiffness that is not positive definite."
        return UnusableMaterial(name, reason, density, card.place)
    return AnisotropicMaterial(name, stiffness, density, _damping(card, 30), card.place)


def _mat11(deck: Deck, card: Card, name: str) -> AnyMaterial:
    values = card.reals(1, 9, "constant")
    density = _density(deck, card)
    if not all(value > 0.0 for value in (*values[:3], *values[6:])):
        reason = f"{card.where} {card.text(0)} needs positive E1, E2, E3, G12, G13, G23."
        return UnusableMaterial(name, reason, density, card.place)
    return OrthotropicMaterial(name, *values, density, _damping(card, 15), card.place)
