"""Sections of shells: PSHELL, PCOMP, PCOMPG, PSHEAR."""

from __future__ import annotations

import math

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import Layer, ShellSection
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.material_cards import for_solids
from flexmbs.mesh.readers.nastran.plate_bending import with_bending
from flexmbs.mesh.readers.nastran.property_cards import PropertyUse


def thickness_of(card: Card, index: int, required: bool = True) -> float:
    """A thickness; MeshError when it is zero or negative, or missing where the elements do not give it."""
    if not card.text(index) and not required:
        return 0.0
    thickness = card.real(index, "T", 0.0)
    if thickness <= 0.0:
        raise MeshError(f"{card.where} {card.text(0)} has the thickness {thickness:g}; give a positive one.")
    return thickness


def shell_property(use: PropertyUse, card: Card, all_own_thickness: bool) -> dict:
    """Fields of a block of shells (material, section) from its property.

    ``all_own_thickness`` : every element states its thickness, so the property needs none.
    """
    if card.name in ("PCOMP", "PCOMPG"):
        return {"section": _layered(use, card)}
    if card.name == "PSHELL":
        return _pshell(use, card, all_own_thickness)
    thickness = thickness_of(card, 2)
    if any(card.real(i, "F", 0.0) for i in (4, 5)):
        use.deck.warn(card.where, f"{card.text(0)}: the effective extensional areas F1, F2 are ignored.")
    mass = card.real(3, "NSM", 0.0) * use.deck.mass_factor
    section = ShellSection(thickness, behaviour="shear", nonstructural_mass=mass, where=card.place)
    return {"material": use.material(card, 1), "section": section}


def _pshell(use: PropertyUse, card: Card, all_own_thickness: bool) -> dict:
    """PID MID1 T MID2 12I/T3 MID3 TS/T NSM | Z1 Z2 MID4."""
    number = card.text(0)
    membrane, bending = card.text(1), card.text(3)
    if not membrane and not bending:
        raise MeshError(f"{card.where} {number} has no material; give MID1 (and MID2 for bending).")
    if bending == "-1":  # plane strain
        use.deck.warn(card.where, f"{number}: MID2 = -1 (plane strain) is read as a membrane.")
        bending = ""
    if not membrane:
        use.deck.warn(card.where, f"{number}: it has no membrane (no MID1); MID2 is used for it too.")
    if card.text(10):
        use.deck.warn(card.where, f"{number}: the coupling material MID4 is ignored.")
    section = ShellSection(
        None if all_own_thickness and not card.text(2) else thickness_of(card, 2),
        behaviour="shell" if bending else "membrane",
        nonstructural_mass=card.real(7, "NSM", 0.0) * use.deck.mass_factor,
        where=card.place,
    )
    material = for_solids(use.material(card, 1 if membrane else 3), 1.0)
    if bending:
        material, section = with_bending(use, card, material, section)
    return {"material": material, "section": section}


def _layered(use: PropertyUse, card: Card) -> ShellSection:
    """PCOMP: PID Z0 NSM SB FT TREF GE LAM | MID T THETA SOUT, two to a line; PCOMPG: one to a line, after a number."""
    width, skip = (4, 0) if card.name == "PCOMP" else (8, 1)
    layers: list[Layer] = []
    material, thickness = None, None
    for start in range(8, len(card.fields), width):
        if not any(card.text(start + i) for i in range(4)):
            continue
        first = start + skip
        if card.text(first):
            material = use.material(card, first)
        if card.text(first + 1):
            thickness = thickness_of(card, first + 1)
        if material is None or thickness is None:
            raise MeshError(f"{card.where} {card.text(0)}: the first layer needs a material and a thickness.")
        layers.append(Layer(material, thickness, math.radians(card.real(first + 2, "THETA", 0.0))))
    if not layers:
        raise MeshError(f"{card.where} {card.text(0)} has no layers; give MID, T and THETA of each.")
    lamination = card.text(7)
    if lamination == "SYM":
        layers += layers[::-1]
    elif lamination in ("BEND", "SMEAR", "SMCORE"):
        use.deck.warn(card.where, f"{card.text(0)}: LAM = {lamination} is ignored; the layers are used as given.")
    total = sum(layer.thickness for layer in layers)
    bottom = card.real(1, "Z0", -total / 2.0)
    return ShellSection(
        total,
        tuple(layers),
        offset=bottom + total / 2.0,
        behaviour="membrane" if lamination == "MEM" else "shell",
        nonstructural_mass=card.real(2, "NSM", 0.0) * use.deck.mass_factor,
        where=card.place,
    )
