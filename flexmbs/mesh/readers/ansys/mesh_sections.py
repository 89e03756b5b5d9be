"""Sections of shells, beams, trusses and springs, from SECTYPE commands and from real constants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import AnySection, BeamSection, Layer, ShellSection, SpringSection, TrussSection
from flexmbs.mesh.materials import AnyMaterial, Material
from flexmbs.mesh.readers.ansys.deck import Deck, ElementType, RawSection
from flexmbs.mesh.sections.beam_sections import general_section, pipe
from flexmbs.mesh.sections.profiles.profile_section import profile_section

_BY_CONSTANTS = (63, 43, 93, 28, 41, 143, 91, 99, 4, 44, 24, 16, 20, 8, 10)
_BEAM4 = ("AREA", "IZZ", "IYY", "TKZ", "TKY", "THETA", "ISTRN", "IXX", "SHEARZ", "SHEARY", "SPIN", "ADDMAS")


@dataclass(frozen=True)
class Given:
    """Section of elements, the material that it names instead of theirs, and thicknesses at corners where they differ.

    ``missing`` says what is not there, when there is no section.
    """

    section: AnySection | None
    name: str
    material: AnyMaterial | None = None
    corner_thickness: tuple[float, ...] = ()
    turned: float = 0.0  # rad, of a beam's axes about its line
    missing: str = ""


def make_section(deck: Deck, kind: str, known: ElementType, real: int, number: int, materials: Mapping[int, AnyMaterial]) -> Given:
    """Section of elements of a type with a set of real constants and a section number.

    Raises MeshError for thicknesses, areas and the like that are not positive, naming their command.
    """
    raw = deck.sections.get(number) if known.routine not in _BY_CONSTANTS else None
    if kind.startswith(("tri", "quad")):
        found = _shell(deck, known, real, raw, number, materials)
    elif kind.startswith("truss"):
        found = _truss(deck, known, real, raw, number)
    elif kind.startswith("beam"):
        found = _beam(deck, known, real, raw, number)
    elif kind.startswith("spring"):
        found = _spring(deck, known, real)
    else:
        found = Given(None, "")
    return found


def _constants(deck: Deck, real: int) -> tuple[dict[int, float], str]:
    return deck.reals.get(real, {}), deck.real_places.get(real, "")


def _positive(where: str, what: str, value) -> float:
    if not (isinstance(value, float) and math.isfinite(value) and value > 0.0):
        raise MeshError(f"{where}: {what} is {value if isinstance(value, str) else f'{value:g}'}; it must be positive.")
    return value


def _numbers(raw: RawSection) -> list[float]:
    values = [value for row in raw.data for value in row]
    text = next((value for value in values if isinstance(value, str)), None)
    if text is not None:
        raise MeshError(f"{raw.data_where}: SECDATA: '{text}' is not a number; write the value (CDWRITE does).")
    return values


def _shell(deck: Deck, known: ElementType, real: int, raw: RawSection | None, number: int, materials) -> Given:
    membrane = known.routine == 41 or known.routine == 181 and known.option(1) == 1
    behaviour = "shear" if known.routine == 28 else "membrane" if membrane else "shell"
    if raw is not None and raw.kind == "SHELL" and raw.data:
        return _shell_section(deck, raw, number, materials, behaviour)
    constants, place = _constants(deck, real)
    if not constants or known.routine in (91, 99):
        return Given(None, "", missing="SECTYPE,,SHELL and SECDATA with the thickness")
    where = f"{place}: R,{real}"
    thickness = [constants.get(i, 0.0) for i in range(1, 2 if known.routine == 28 else 5)]
    _positive(where, "the thickness", thickness[0])
    if any(value < 0.0 for value in thickness):
        raise MeshError(f"{where}: a thickness is negative ({min(thickness):g}).")
    same = all(value in (0.0, thickness[0]) for value in thickness[1:])
    added = constants.get(6 if known.routine in (181, 93) else 19 if known.routine == 63 else 0, 0.0)
    section = ShellSection(thickness[0] if same else None, behaviour=behaviour, nonstructural_mass=added, where=place)
    corners = () if same else tuple(value or thickness[0] for value in thickness)
    return Given(section, f"R {real}", corner_thickness=corners)


def _shell_section(deck: Deck, raw: RawSection, number: int, materials, behaviour: str) -> Given:
    where = f"{raw.data_where}: SECDATA"
    rows = [[*row, 0.0, 0.0, 0.0][:3] for row in raw.data]
    layers = []
    for thickness, material, angle in rows:
        _positive(where, f"a thickness of section {number}", thickness)
        if isinstance(material, str) or isinstance(angle, str):
            raise MeshError(f"{where}: material and angle of a layer must be numbers.")
        if material and int(material) not in materials:
            raise MeshError(f"{where}: a layer of section {number} has material {material:g}, which no MP or TB defines.")
        layers.append(Layer(materials.get(int(material)), thickness, math.radians(angle)))
    total = sum(layer.thickness for layer in layers)
    where_nodes, values = raw.offset
    offset = {"TOP": -total / 2.0, "BOT": total / 2.0}.get(where_nodes[:3], 0.0)
    if where_nodes == "USER" and values:
        offset = -values[0]
    name = f"SECTYPE {number}" + (f" {raw.name}" if raw.name else "")
    one = len(layers) == 1 and (not layers[0].angle or isinstance(layers[0].material, Material))
    section = ShellSection(total, () if one else tuple(layers), offset, behaviour, where=raw.data_where)
    return Given(section, name, material=layers[0].material if one else None)


def _truss(deck: Deck, known: ElementType, real: int, raw: RawSection | None, number: int) -> Given:
    if raw is not None and raw.kind == "LINK" and raw.data:
        values = _numbers(raw)
        area = _positive(f"{raw.data_where}: SECDATA", "the area", values[0] if values else 0.0)
        return Given(TrussSection(area, where=raw.data_where), f"SECTYPE {number}")
    constants, place = _constants(deck, real)
    if not constants:
        return Given(None, "", missing="R with the area, or SECTYPE,,LINK and SECDATA")
    area = _positive(f"{place}: R,{real}", "the area", constants.get(1, 0.0))
    added = constants.get(2, 0.0) if known.routine == 180 else 0.0
    return Given(TrussSection(area, nonstructural_mass=added, where=place), f"R {real}")


def _beam(deck: Deck, known: ElementType, real: int, raw: RawSection | None, number: int) -> Given:
    constants, place = _constants(deck, real)
    if known.routine in (16, 20):
        if not constants:
            return Given(None, "", missing="R with the outer diameter and the wall")
        return Given(_pipe(f"{place}: R,{real}", place, constants.get(1, 0.0), constants.get(2, 0.0)), f"R {real}")
    if known.routine == 4:
        return _beam4(deck, real, constants, place)
    if known.routine == 44:
        return _beam44(deck, real, constants, place)
    if raw is None or raw.kind not in ("BEAM", "PIPE") or not raw.data or raw.subtype == "MESH":
        missing = "SECTYPE,,BEAM with SECDATA (a supported shape: RECT, CSOLID, I, ASEC, ...)"
        return Given(None, "", missing=missing)
    name = f"SECTYPE {number} {raw.subtype or raw.kind}" + (f" {raw.name}" if raw.name else "")
    values, where = _numbers(raw), f"{raw.data_where}: SECDATA"
    if raw.kind == "PIPE":
        values += [0.0, 0.0]
        return Given(_pipe(where, raw.data_where, values[0], values[1]), name)
    place_of_nodes, offset = raw.offset
    line = {"ORIG": "origin", "USER": "origin", "SHRC": "shear center"}.get(place_of_nodes[:4], "centroid")
    section = profile_section("ansys", raw.subtype, tuple(values), where=where, line=line)
    if place_of_nodes == "USER":
        section = replace(section, centroid=_moved(section, *offset))
    return Given(replace(section, where=raw.data_where), name)


def _moved(section: BeamSection, y: float, z: float) -> tuple[float, float]:
    """Where the centroid lies, in principal axes, seen from nodes at y, z of the profile's own axes."""
    cos, sin = math.cos(section.principal_angle), math.sin(section.principal_angle)
    return section.centroid[0] - (cos * y + sin * z), section.centroid[1] - (cos * z - sin * y)


def _pipe(where: str, place: str, diameter: float, wall: float) -> BeamSection:
    _positive(where, "the outer diameter", diameter)
    _positive(where, "the wall", wall)
    if wall > diameter / 2.0:
        raise MeshError(f"{where}: a wall of {wall:g} is thicker than half the outer diameter {diameter:g}.")
    return replace(pipe(diameter / 2.0, wall), profile="PIPE", dimensions=(diameter, wall), where=place)


def _beam4(deck: Deck, real: int, constants: dict[int, float], place: str) -> Given:
    if not constants:
        return Given(None, "", missing="R with area and second moments")
    values = {name: constants.get(i, 0.0) for i, name in enumerate(_BEAM4, 1)}
    where = f"{place}: R,{real}"
    for name in ("AREA", "IZZ", "IYY"):
        _positive(where, name, values[name])
    torsion = values["IXX"] or values["IYY"] + values["IZZ"]
    section = general_section(values["AREA"], values["IYY"], values["IZZ"], _positive(where, "IXX", torsion))
    factors = {}
    for axis, name in (("y", "SHEARY"), ("z", "SHEARZ")):
        if values[name] > 0.0:
            factors[f"shear_factor_{axis}"] = 1.0 / values[name]
        else:
            deck.warn(f"{where}: without {name} Ansys neglects shear deflection; flexmbs uses the whole area for shear.")
    section = replace(section, nonstructural_mass=values["ADDMAS"], where=place, **factors)
    return Given(section, f"R {real}", turned=math.radians(values["THETA"]))


def _beam44(deck: Deck, real: int, constants: dict[int, float], place: str) -> Given:
    if not constants:
        return Given(None, "", missing="R with area and second moments")
    first = [constants.get(i, 0.0) for i in range(1, 7)]
    second = [constants.get(i, 0.0) for i in range(7, 13)]
    more = [value for i, value in constants.items() if i >= 13 and value]
    if any(value not in (0.0, own) for own, value in zip(first, second, strict=True)) or more:
        return Given(None, "", missing="a constant section (BEAM44 with taper, offsets or shear data is not read)")
    where = f"{place}: R,{real}"
    area, Iz, Iy, _, _, torsion = first
    for name, value in (("AREA1", area), ("IZ1", Iz), ("IY1", Iy)):
        _positive(where, name, value)
    return Given(replace(general_section(area, Iy, Iz, torsion or Iy + Iz), where=place), f"R {real}")


def _spring(deck: Deck, known: ElementType, real: int) -> Given:
    """COMBIN14: K, CV1, CV2; along its line, about it, or in one component of the nodes."""
    constants, place = _constants(deck, real)
    if not constants:
        return Given(None, "", missing="R with the stiffness")
    stiffness, damping = np.zeros(6), np.zeros(6)
    component, mode = known.option(2), known.option(3)
    if 1 <= component <= 6:
        at, axial = component - 1, False
    elif mode in (0, 2):
        at, axial = 0, True
    else:
        return Given(None, "", missing="another KEYOPT(3) (torsional springs about their line are not supported)")
    stiffness[at], damping[at] = constants.get(1, 0.0), constants.get(2, 0.0)
    if constants.get(3, 0.0):
        deck.warn(f"{place}: R,{real}: the nonlinear part CV2 of the damping is left out.")
    if stiffness[at] < 0.0 or damping[at] < 0.0:
        raise MeshError(f"{place}: R,{real}: stiffness and damping of a spring must not be negative.")
    return Given(SpringSection(stiffness, damping, axial=axial, where=place), f"R {real}")
