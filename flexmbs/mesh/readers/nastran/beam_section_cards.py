"""Sections of bars, beams and rods: PBAR, PBARL, PBEAM, PBEAML, PROD, PTUBE."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import BeamSection, TrussSection
from flexmbs.mesh.materials import Material
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.material_cards import for_bars
from flexmbs.mesh.readers.nastran.property_cards import PropertyUse
from flexmbs.mesh.sections.beam_sections import general_section
from flexmbs.mesh.sections.profiles.profile_section import profile_section

# Number of dimensions of each cross section (QRG, PBARL and PBEAML).
DIMENSIONS = {
    "ROD": 1,
    "TUBE": 2,
    "TUBE2": 2,
    "I": 6,
    "CHAN": 4,
    "T": 4,
    "BOX": 4,
    "BAR": 2,
    "CROSS": 4,
    "H": 4,
    "T1": 4,
    "I1": 4,
    "CHAN1": 4,
    "Z": 4,
    "CHAN2": 4,
    "T2": 4,
    "BOX1": 6,
    "HEXA": 3,
    "HAT": 4,
    "HAT1": 5,
    "DBOX": 10,
    "L": 4,
}


def beam_fields(use: PropertyUse, card: Card) -> dict:
    """Fields of a block of bars (material, section) from its property."""
    material = for_bars(use.deck, card.integer(1, "MID"), use.material(card, 1))
    if card.name not in _MAKERS:
        use.deck.warn(card.where, f"{card.text(0)} is not supported; its elements have no section. Use a PBEAM instead.")
        return {"material": material}
    ratio = material.poisson_ratio if isinstance(material, Material) else 0.3
    return {"material": material, "section": _MAKERS[card.name](use, card, ratio)}


def rod_fields(use: PropertyUse, card: Card) -> dict:
    """Fields of a block of rods: PROD (A, J, C, NSM) and PTUBE (OD, T, NSM, OD2)."""
    factor = use.deck.mass_factor
    if card.name == "PROD":
        area, torsion, mass = card.real(2, "A", 0.0), card.real(3, "J", 0.0), card.real(5, "NSM", 0.0)
    else:
        outer, wall, mass = card.real(2, "OD", 0.0), card.real(3, "T", 0.0), card.real(4, "NSM", 0.0)
        inner = outer - 2.0 * wall if wall else 0.0
        if not 0.0 <= inner < outer:
            raise MeshError(f"{card.where} {card.text(0)} has OD = {outer:g} and T = {wall:g}; give 0 < T <= OD / 2.")
        if card.text(5) and card.real(5, "OD2") != outer:
            use.deck.warn(card.where, f"{card.text(0)}: OD2 (taper) is ignored; OD is used.")
        area, torsion = math.pi / 4.0 * (outer**2 - inner**2), math.pi / 32.0 * (outer**4 - inner**4)
    section = truss_section(card.where, card.text(0), (area, torsion, mass * factor), card.place)
    material = for_bars(use.deck, card.integer(1, "MID"), use.material(card, 1))
    return {"material": material, "section": section}


def truss_section(where: str, number, values, place: str) -> TrussSection:
    """Area, torsion constant and mass per length; MeshError unless the area is positive."""
    area, torsion, mass = (float(value) for value in values)
    if not area > 0.0:
        raise MeshError(f"{where} {number} has the area {area:g}; give a positive A.")
    return TrussSection(area, max(torsion, 0.0), mass, place)


def integrals_section(where: str, area, first, second, product, torsion, shear, mass, centroid, place) -> BeamSection:
    """Section by its area, I1 (bending in plane 1), I2, I12, J, shear factors K1, K2, mass per length and centroid.

    Zeros stay zero: Nastran allows them, for bars without axial or bending stiffness; such a bar can be read, but not
    computed. Raises MeshError for negative values.
    """
    if area < 0.0:
        raise MeshError(f"{where} has the area {area:g}; give a positive A.")
    if min(first, second, torsion) < 0.0 or (product and first * second <= product**2):
        raise MeshError(
            f"{where} has I1 = {first:g}, I2 = {second:g}, I12 = {product:g}, J = {torsion:g}; these are not"
            " properties of a section."
        )
    if min(area, first, second, torsion) > 0.0:
        section = general_section(area, second, first, torsion, shear_factor=tuple(shear), Iyz=product, centroid=tuple(centroid))
    else:
        y, z = (math.sqrt(3.0 * inertia / area) if area else 0.0 for inertia in (first, second))
        outline = np.array([(-y, -z), (y, -z), (y, z), (-y, z)])
        section = BeamSection(area, second, first, torsion, outline, np.array([0.0, 1.0, 0.0]), *shear)
        section = replace(section, centroid=tuple(centroid))
    return replace(section, nonstructural_mass=mass, where=place)


def _pbar(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    """PID MID A I1 I2 J NSM | C1 .. F2 | K1 K2 I12."""
    area, first, second, torsion, mass = card.reals(2, 5, "A, I1, I2, J, NSM")
    shear = _shear_factors(card, 16, 0.0)
    return _checked(use, card, area, first, second, card.real(18, "I12", 0.0), torsion, shear, mass)


def _shear_factors(card: Card, at: int, default: float) -> list[float]:
    """K1 and K2 from a field on; 0 means no shear deformation (QRG: a blank one is 0 on PBAR, but 1 on PBEAM)."""
    factors = [card.real(at + i, f"K{i + 1}", default) for i in (0, 1)]
    if min(factors) < 0.0:
        raise MeshError(
            f"{card.where} {card.text(0)} has K1 = {factors[0]:g}, K2 = {factors[1]:g}; give the part of the area that"
            " carries shear, or 0 for no shear deformation."
        )
    return [factor or math.inf for factor in factors]


def _checked(use: PropertyUse, card: Card, area, first, second, product, torsion, shear, mass, centroid=(0.0, 0.0)) -> BeamSection:
    if 0.0 in (area, first, second, torsion):
        use.deck.warn(
            card.where, f"{card.text(0)} has A = {area:g}, I1 = {first:g}, I2 = {second:g}, J = {torsion:g}; they must be positive."
        )
    where = f"{card.where} {card.text(0)}"
    mass = mass * use.deck.mass_factor
    return integrals_section(where, area, first, second, product, torsion, shear, mass, centroid, card.place)


def _pbeam(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    """PID MID A I1 I2 I12 J NSM | C1 .. F2 | per station SO X/XB A I1 I2 I12 J NSM (| C1 .. F2) | K1 K2 S1 S2 ..."""
    start = card.reals(2, 6, "A, I1, I2, I12, J, NSM")
    at = 8 if _is_station(card, 8) else 16
    stations: list[tuple[float, list[float]]] = []
    while _is_station(card, at):
        values = [card.real(at + 2 + i, "A, I1, I2, I12, J, NSM", start[i]) for i in range(6)]
        stations.append((card.real(at + 1, "X/XB", 1.0), values))
        at += 16 if card.text(at) == "YES" else 8
    shear = _shear_factors(card, at, 1.0)
    if any(card.real(at + i, "S", 0.0) for i in (2, 3)):
        use.deck.warn(card.where, f"{card.text(0)}: the shear relief S1, S2 is ignored.")
    centroids = [card.real(at + 8 + i, "N", 0.0) for i in (4, 5)]
    sections = []
    for area, first, second, product, torsion, mass in (start, *(values for x, values in stations if x == 1.0)):
        section = _checked(use, card, area, first, second, product, torsion, shear, mass, centroids)
        y, z = section.centroid
        sections.append(replace(section, shear_center=(-y, -z)))  # the line of a CBEAM is that of its shear centres
    if any(x != 1.0 and values != start for x, values in stations):
        use.deck.warn(card.where, f"{card.text(0)}: intermediate stations are ignored; the taper is linear.")
    if card.real(at + 4, "NSI(A)", 0.0) or card.real(at + 5, "NSI(B)", 0.0):
        use.deck.warn(card.where, f"{card.text(0)}: the rotational mass NSI is ignored.")
    if len(sections) > 1 and stations[-1][1] != start:
        return replace(sections[0], end=sections[-1])
    return sections[0]


def _is_station(card: Card, at: int) -> bool:
    return card.text(at) in ("YES", "YESA", "NO")


def _profile(use: PropertyUse, card: Card, ratio: float) -> BeamSection:
    """PBARL: PID MID GROUP TYPE, 4 blanks, DIM1.. NSM; PBEAML: NSM SO X/XB DIM1.. NSM for more stations."""
    shape = card.text(3)
    count = DIMENSIONS.get(shape)
    where = f"{card.where} {card.text(0)}"
    if count is None:
        raise MeshError(f"{where} has the cross section '{shape}'; known are {', '.join(DIMENSIONS)}.")
    dimensions = card.reals(8, count, "DIM", None)
    line = "shear center" if card.name == "PBEAML" else "centroid"  # where the nodes of CBEAM and CBAR are
    section = profile_section("nastran", shape, dimensions, poisson_ratio=ratio, where=where, line=line)
    mass = card.real(8 + count, "NSM", 0.0) * use.deck.mass_factor
    section = replace(section, nonstructural_mass=mass, where=card.place)
    end = None
    at = 9 + count
    while card.name == "PBEAML" and card.text(at) in ("YES", "NO"):
        place = card.real(at + 1, "X/XB", 1.0)
        own = [card.real(at + 2 + i, "DIM", dimensions[i]) for i in range(count)]
        if place == 1.0 and own != dimensions:
            end = profile_section("nastran", shape, own, poisson_ratio=ratio, where=where, line=line)
            end_mass = card.real(at + 2 + count, "NSM", 0.0) * use.deck.mass_factor
            end = replace(end, nonstructural_mass=end_mass, where=card.place)
        elif place != 1.0 and own != dimensions:
            use.deck.warn(card.where, f"{card.text(0)}: intermediate stations are ignored; the taper is linear.")
        at += 3 + count
    return replace(section, end=end)


_MAKERS = {"PBAR": _pbar, "PBARL": _profile, "PBEAM": _pbeam, "PBEAML": _profile}
