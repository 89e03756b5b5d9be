"""Shells: sections of PSHELL, PCOMP, PCOMPG and PSHEAR, and what each element has: thickness, offset, directions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import unit_vectors
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.properties import (
    AnisotropicMaterial,
    AnyMaterial,
    Layer,
    Material,
    OrthotropicMaterial,
    ShellSection,
    UnusableMaterial,
)
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Card, Field, Fields
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.material_cards import for_solids, material_of, unusable
from flexmbs.mesh.readers.nastran.node_and_element_cards import Grid

_HOMOGENEOUS_SHEAR = 0.8333
_CLOSE = 0.01
_SOFT = 1e-9  # stiffness in its plane of the core of a sandwich, as part of that of the faces
_TEXT, _GIVEN, _ZERO = Field(str, ""), Field(float, None), Field(float, 0.0)
_RATIO, _SHEAR = Field(float, 1.0, label="12I/T**3"), Field(float, _HOMOGENEOUS_SHEAR, label="TS/T")
PSHELL = Fields(
    **{"mid1": Field(str, "", at=1), "t": _GIVEN, "mid2": _TEXT, "ratio": _RATIO, "mid3": _TEXT, "ts": _SHEAR, "nsm": _ZERO},
    mid4=Field(str, "", at=10),
)
PCOMP = Fields(z0=Field(float, None, at=1), nsm=_ZERO, lam=Field(str, "", at=7))
PLY = Fields(mid=_TEXT, t=_GIVEN, theta=_ZERO)
PSHEAR = Fields(t=Field(float, 0.0, at=2), nsm=_ZERO, f1=_ZERO, f2=_ZERO)


def shell_fields(deck: Deck, card: Card, rows: ElementRows, grid: Grid) -> dict:
    """Fields of a block of shells (material, section) from its property; those with a row for each go into its data."""
    if card.name == "PSHELL":
        fields = _pshell(deck, card, rows)
    elif card.name == "PSHEAR":
        fields = {"section": _pshear(deck, card), "material": material_of(deck, card, 1)}
    else:
        fields = {"section": _layered(deck, card)}
    section = fields["section"]
    thickness = _node_thickness(rows, section.thickness, grid)
    if thickness is not None:
        rows.data["thickness"] = thickness
    offsets = np.nan_to_num(rows.data.get("offset", 0.0))  # ZOFFS, on top of that of the section
    if np.any(offsets):
        rows.data["shell_offsets"] = offsets + section.offset
    materials = [fields.get("material"), *(layer.material for layer in section.layers)]
    if any(isinstance(material, OrthotropicMaterial | AnisotropicMaterial) for material in materials):
        rows.data["material_axes"] = _material_axes(rows, grid)
    return fields


def _positive(card: Card, thickness: float | None) -> float:
    """A thickness; MeshError when it is zero, negative, or missing."""
    if not (thickness or 0.0) > 0.0:
        raise card.wrong(f"has the thickness {thickness or 0.0:g}; give a positive one.")
    return thickness


def _pshell(deck: Deck, card: Card, rows: ElementRows) -> dict:
    given, number = PSHELL.read(card), card.text(0)
    bending = given.mid2
    if not given.mid1 and not bending:
        raise card.wrong("has no material; give MID1 (and MID2 for bending).")
    if bending == "-1":  # plane strain
        deck.warn(card.where, f"{number}: MID2 = -1 (plane strain) is read as a membrane.")
        bending = ""
    if not given.mid1:
        deck.warn(card.where, f"{number}: it has no membrane (no MID1); MID2 is used for it too.")
    if given.mid4:
        deck.warn(card.where, f"{number}: the coupling material MID4 is ignored.")
    own = rows.data.get("corner_thickness", np.nan)
    is_own = np.isfinite(own).all() and not rows.data["relative"].any()
    thickness = None if given.t is None and is_own else _positive(card, given.t)
    behaviour, mass = "shell" if bending else "membrane", given.nsm * deck.mass_factor
    section = ShellSection(thickness, behaviour=behaviour, nonstructural_mass=mass, where=card.place)
    material = for_solids(material_of(deck, card, 1 if given.mid1 else 3), 1.0)
    if bending:
        material, section = _with_bending(deck, card, given, material, section)
    return {"material": material, "section": section}


def _with_bending(deck: Deck, card: Card, given, material: AnyMaterial, section: ShellSection):
    """Material and section of a PSHELL with its bending stiffness.

    A plate that bends as one of its thickness stays as it is. A stiffer one becomes the sandwich with the same
    membrane, bending and transverse shear stiffness and mass: two faces of half the thickness, and between them a core
    without mass or stiffness in its plane. A softer one cannot be computed; its material says so.
    """
    bending, ratio, reason = for_solids(material_of(deck, card, 3), 1.0), given.ratio, ""
    if isinstance(material, Material) and isinstance(bending, Material):
        ratio *= _plate_modulus(bending) / _plate_modulus(material)
    elif bending is not material:
        reason = "has different materials MID1 and MID2 that are not both MAT1, which is not supported."
    if not reason and abs(ratio - 1.0) <= _CLOSE:
        if given.mid3 and abs(given.ts - _HOMOGENEOUS_SHEAR) > _CLOSE:
            deck.warn(card.where, f"{card.text(0)}: TS/T = {given.ts:g} is ignored; 5/6 is used.")
        return material, section
    if not reason and (ratio < 1.0 or section.thickness is None or isinstance(material, UnusableMaterial)):
        what = "is more flexible in bending than a plate of its thickness"
        reason = (
            f"{what} (12I/T**3 = {ratio:g} with MID1), or has no thickness; that is not supported. Give 12I/T**3 = 1 (field 6)."
        )
    if reason:
        return unusable(card, material.name, material.density, reason), section
    return None, _sandwich(deck, card, given, material, section, ratio)


def _plate_modulus(material: Material) -> float:
    return material.youngs_modulus / (1.0 - material.poisson_ratio**2)


def _sandwich(deck: Deck, card: Card, given, material: AnyMaterial, section: ShellSection, ratio: float) -> ShellSection:
    """Faces of T/2 at the distance that gives I = ratio T^3 / 12; the core's shear that of TS and MID3."""
    total = section.thickness
    face = total / 2.0
    # 2 (face^3 / 12 + face d^2) = ratio T^3 / 12 for the distance d of the faces' middles from the plate's
    middle = math.sqrt((ratio * total**3 / 12.0 - face**3 / 6.0) / total)
    core = 2.0 * middle - face
    stiff = material.youngs_modulus if isinstance(material, Material) else getattr(material, "E1", 1.0)
    shear = stiff * total  # transverse shear stiffness per length; without MID3 a large one
    if given.mid3:
        third = material_of(deck, card, 5, "MID3")
        moduli = (getattr(third, name, None) for name in ("shear_modulus", "G13", "G12"))
        shear = next(filter(None, moduli), stiff) * given.ts * total
    modulus, soft = shear * core / (core + face) ** 2, _SOFT * stiff
    name = f"core of {card.name} {card.text(0)}"
    filling = OrthotropicMaterial(name, soft, soft, None, 0.0, None, None, soft, modulus, modulus, 0.0, None, card.place)
    deck.warn(card.where, f"{card.text(0)}: 12I/T**3 = {ratio:g} is read as a sandwich: faces of {face:g}, a core of {core:g}.")
    layers = (Layer(material, face), Layer(filling, core), Layer(material, face))
    return replace(section, thickness=total + core, layers=layers)


def _pshear(deck: Deck, card: Card) -> ShellSection:
    given = PSHEAR.read(card)
    if given.f1 or given.f2:
        deck.warn(
            card.where,
            f"{card.text(0)}: the effective extensional areas F1, F2 are ignored; give rods (CROD) along the edges for them.",
        )
    thickness, mass = _positive(card, given.t), given.nsm * deck.mass_factor
    return ShellSection(thickness, behaviour="shear", nonstructural_mass=mass, where=card.place)


def _layered(deck: Deck, card: Card) -> ShellSection:
    """PCOMP: two layers to a line behind the first; PCOMPG: one to a line, after a number."""
    given = PCOMP.read(card)
    width, skip = (4, 0) if card.name == "PCOMP" else (8, 1)
    layers: list[Layer] = []
    material, thickness = None, None
    for start in range(8, len(card.fields), width):
        if not any(card.text(start + i) for i in range(4)):
            continue
        ply = PLY.read(card, start + skip)
        material = material_of(deck, card, start + skip) if ply.mid else material  # blank: those of the layer before
        thickness = thickness if ply.t is None else _positive(card, ply.t)
        if material is None or thickness is None:
            raise card.wrong("needs a material and a thickness of its first layer.")
        layers.append(Layer(material, thickness, math.radians(ply.theta)))
    if not layers:
        raise card.wrong("has no layers; give MID, T and THETA of each.")
    if given.lam == "SYM":
        layers += layers[::-1]
    elif given.lam in ("BEND", "SMEAR", "SMCORE"):
        deck.warn(card.where, f"{card.text(0)}: LAM = {given.lam} is ignored; the layers are used as given.")
    total = sum(layer.thickness for layer in layers)
    offset = (-total / 2.0 if given.z0 is None else given.z0) + total / 2.0
    behaviour, mass = "membrane" if given.lam == "MEM" else "shell", given.nsm * deck.mass_factor
    return ShellSection(total, tuple(layers), offset=offset, behaviour=behaviour, nonstructural_mass=mass, where=card.place)


def _node_thickness(rows: ElementRows, common: float | None, grid: Grid) -> np.ndarray | None:
    """(n, nodes per element) thickness of shells that state one (0 at some corners is fine), NaN rows for others."""
    given, kind = rows.data.get("corner_thickness"), KINDS[rows.kind]
    if given is None or np.isnan(given).all():
        return None
    if kind.corner_count < given.shape[1]:  # a collapsed element has lost corners
        own = grid.table.ids[rows.nodes[:, : kind.corner_count]]
        at = (own[:, :, None] == rows.data["corners"][:, None, :]).argmax(axis=2)
        given = np.take_along_axis(given, at, axis=1)
    thickness = np.where(rows.data["relative"][:, None], given * (common or np.nan), given)
    stated = np.isfinite(thickness).any(axis=1)
    thickness[stated] = np.where(np.isfinite(thickness[stated]), thickness[stated], common or np.nan)
    if kind.node_count > kind.corner_count:
        ends = np.array(kind.edges)
        thickness = np.hstack([thickness, (thickness[:, ends[:, 0]] + thickness[:, ends[:, 1]]) / 2.0])
    possible = (thickness >= 0.0).all(axis=1) & (thickness > 0.0).any(axis=1)
    wrong = np.flatnonzero(np.isfinite(thickness).any(axis=1) & ~possible)
    if wrong.size:
        element, values = f"{rows.where(wrong[0])}: {rows.type_name} {rows.ids[wrong[0]]}", thickness[wrong[0]].tolist()
        raise MeshError(f"{element} has the thicknesses {values}; give positive T1, T2, ... or T on its PSHELL.")
    return thickness


def _material_axes(rows: ElementRows, grid: Grid) -> np.ndarray:
    """(n, 3, 3) material directions of shells: the side G1-G2 turned by THETA, or the x axis of MCID projected."""
    corners = grid.points[rows.nodes[:, : KINDS[rows.kind].corner_count]]
    side, across = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    is_quad = corners.shape[1] == 4
    normal = unit_vectors(np.cross(across, corners[:, 3] - corners[:, 1]) if is_quad else np.cross(side, across))
    angle = rows.data.get("angle", np.zeros(len(corners)))  # CSHEAR has none
    system = rows.data.get("system", np.full(len(corners), -1))
    first = unit_vectors(side - np.sum(side * normal, axis=1, keepdims=True) * normal)
    first = np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * np.cross(normal, first)
    for number in np.unique(system[system >= 0]):
        own = np.flatnonzero(system == number)
        where = f"{rows.where(own[0])}: {rows.type_name}"
        x = grid.directions(int(number), corners[own].mean(axis=1), where)[:, :, 0]
        first[own] = unit_vectors(x - np.sum(x * normal[own], axis=1, keepdims=True) * normal[own])
    return np.stack([first, np.cross(normal, first), normal], axis=2)
