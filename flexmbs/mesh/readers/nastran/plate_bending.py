"""Plates of PSHELL whose bending is not that of their thickness: 12I/T**3, TS/T, and a material of its own."""

from __future__ import annotations

import math
from dataclasses import replace

from flexmbs.mesh.element_properties import Layer, ShellSection
from flexmbs.mesh.materials import AnyMaterial, Material, OrthotropicMaterial, UnusableMaterial
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.material_cards import for_solids
from flexmbs.mesh.readers.nastran.property_cards import PropertyUse

_CLOSE = 0.01
_HOMOGENEOUS_SHEAR = 0.8333
_SOFT = 1e-9  # stiffness of the core in its plane, as part of that of the faces


def with_bending(use: PropertyUse, card: Card, material: AnyMaterial, section: ShellSection) -> tuple[AnyMaterial, ShellSection]:
    """Material and section of a PSHELL with its bending stiffness.

    A plate that bends as one of its thickness stays as it is. A stiffer one becomes the sandwich with the same
    membrane, bending and transverse shear stiffness and mass: two faces of half the thickness, and between them a core
    without mass or stiffness in its plane. A softer one cannot be computed; its material says so.
    """
    bending = for_solids(use.material(card, 3), 1.0)
    ratio = card.real(4, "12I/T**3", 1.0)
    number = card.text(0)
    if isinstance(material, Material) and isinstance(bending, Material):
        ratio *= _plate_modulus(bending) / _plate_modulus(material)
    elif bending is not material:
        reason = f"{card.where} {number} has different materials MID1 and MID2 that are not both MAT1, which is not supported."
        return UnusableMaterial(material.name, reason, material.density, card.place), section
    if abs(ratio - 1.0) <= _CLOSE:
        shear = card.real(6, "TS/T", _HOMOGENEOUS_SHEAR) if card.text(5) else _HOMOGENEOUS_SHEAR
        if abs(shear - _HOMOGENEOUS_SHEAR) > _CLOSE:
            use.deck.warn(card.where, f"{number}: TS/T = {shear:g} is ignored; 5/6 is used.")
        return material, section
    if ratio < 1.0 or section.thickness is None or isinstance(material, UnusableMaterial):
        reason = (
            f"{card.where} {number} is more flexible in bending than a plate of its thickness (12I/T**3 = {ratio:g}"
            " with MID1), or has no thickness; that is not supported. Give 12I/T**3 = 1 (field 6)."
        )
        return UnusableMaterial(material.name, reason, material.density, card.place), section
    return None, _sandwich(use, card, material, section, ratio)


def _plate_modulus(material: Material) -> float:
    return material.youngs_modulus / (1.0 - material.poisson_ratio**2)


def _sandwich(use: PropertyUse, card: Card, material: AnyMaterial, section: ShellSection, ratio: float) -> ShellSection:
    """Faces of T/2 at the distance that gives I = ratio T^3 / 12; the core's shear that of TS and MID3."""
    total = section.thickness
    face = total / 2.0
    # 2 (face^3 / 12 + face d^2) = ratio T^3 / 12 for the distance d of the faces' middles from the plate's
    middle = math.sqrt((ratio * total**3 / 12.0 - face**3 / 6.0) / total)
    core = 2.0 * middle - face
    stiff, shear = _stiffness(use, card, material, total)
    modulus = shear * core / (core + face) ** 2
    soft = _SOFT * stiff
    name = f"core of {card.name} {card.text(0)}"
    filling = OrthotropicMaterial(name, soft, soft, None, 0.0, None, None, soft, modulus, modulus, 0.0, None, card.place)
    use.deck.warn(
        card.where, f"{card.text(0)}: 12I/T**3 = {ratio:g} is read as a sandwich: two faces of {face:g}, a core of {core:g}."
    )
    layers = (Layer(material, face), Layer(filling, core), Layer(material, face))
    return replace(section, thickness=total + core, layers=layers)


def _stiffness(use: PropertyUse, card: Card, material: AnyMaterial, total: float) -> tuple[float, float]:
    """Largest modulus of the faces, and transverse shear stiffness per length G TS (without MID3: a stiff one)."""
    stiff = material.youngs_modulus if isinstance(material, Material) else getattr(material, "E1", 1.0)
    if not card.text(5):
        return stiff, stiff * total
    shear = use.material(card, 5, "MID3")
    if isinstance(shear, Material):
        modulus = shear.shear_modulus
    else:
        modulus = getattr(shear, "G13", None) or getattr(shear, "G12", None) or stiff
    return stiff, modulus * card.real(6, "TS/T", _HOMOGENEOUS_SHEAR) * total
