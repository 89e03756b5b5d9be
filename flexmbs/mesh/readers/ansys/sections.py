"""Sections of shells, beams, trusses and springs, from SECTYPE, SECDATA, SECBLOCK, SECOFFSET and from real constants."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import AnyMaterial, AnySection, BeamSection, Layer, Material, ShellSection, SpringSection, TrussSection
from flexmbs.mesh.readers.ansys.deck import Deck, ElementType, RawSection, RealConstants, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, evaluate
from flexmbs.mesh.sections.beam_sections import general_section, pipe
from flexmbs.mesh.sections.profile_section import profile_section


@handles("SECT")
def _sectype(deck: Deck, command: Command) -> None:
    number = command.integer(1, 1)
    deck.section = RawSection(number, command.text(2), command.text(3), command.raw(4).strip("'"))
    deck.sections[number] = deck.section


def _section(deck: Deck, command: Command) -> RawSection:
    if deck.section is None:
        raise command.wrong("there is no SECTYPE command before it.")
    return deck.section


@handles("SECD")
def _secdata(deck: Deck, command: Command) -> None:
    _add_data(_section(deck, command), _values(deck, command.texts(1)), command.place)


@handles("SECB")
def _secblock(deck: Deck, command: Command) -> None:
    """SECBLOCK,count and that many lines, each of one layer (shells) or of part of the data (beams)."""
    section, count = _section(deck, command), command.integer(1, 1)
    for _ in range(count):
        line = deck.data_line(command, f"{count} lines")
        values = _values(deck, line.split("!")[0].split(",") if "," in line else line.split())
        if any(isinstance(value, str) for value in values):
            raise deck.wrong(command, f"{line.strip()[:40]!r} is not a list of numbers separated by commas.")
        _add_data(section, values, deck.source.place)


def _values(deck: Deck, texts: list[str]) -> list[float | str]:
    """Numbers, and the texts that stand in their places (a name of a material, MESH, ...); blanks are 0."""
    values = [evaluate(text, deck.parameters) if text.strip() else 0.0 for text in texts]
    return [text if value is None else value for text, value in zip(texts, values, strict=True)]


def _add_data(section: RawSection, values: list[float | str], place: str) -> None:
    section.data.append(values)
    section.data_where = section.data_where or place


@handles("SECO")
def _secoffset(deck: Deck, command: Command) -> None:
    section, where = _section(deck, command), command.text(1)
    number = evaluate(where, deck.parameters)
    if number is not None:  # pipes: two numbers, no word
        section.offset = ("USER", [number, command.number(2, 0.0)])
    else:
        section.offset = (where, command.numbers(2, 2))


@handles("SECC")
def _seccontrol(deck: Deck, command: Command) -> None:
    """Transverse shear stiffness and added mass of a section: left out, and said so when given."""
    if any(isinstance(value, float) and value and math.isfinite(value) for value in _values(deck, command.texts(1))):
        deck.skip(command.name, command.place, "given shear stiffness or added mass of a section")


_BY_CONSTANTS = (63, 43, 93, 28, 41, 143, 91, 99, 4, 44, 24, 16, 20, 8, 10)  # routines that have no SECTYPE
_LAYERED = (91, 99)  # whose real constants are layers, which are not read
_ADDED_MASS = {181: 6, 93: 6, 63: 19, 28: 3}  # its place among the real constants of shells


@dataclass(frozen=True)
class Given:
    """Section of elements, the material that it names instead of theirs, and thicknesses at corners where they differ.

    ``missing`` says what is not there, when there is no section.
    """

    section: AnySection | None = None
    name: str = ""
    material: AnyMaterial | None = None
    corner_thickness: tuple[float, ...] = ()
    turned: float = 0.0  # rad, of a beam's axes about its line
    missing: str = ""


def make_section(deck: Deck, kind: str, known: ElementType, real: int, number: int, materials: Mapping[int, AnyMaterial]) -> Given:
    """Section of elements of a type with a set of real constants and a section number.

    Raises MeshError for thicknesses, areas and the like that are not positive, naming their command.
    """
    raw = deck.sections.get(number)
    if raw is not None and (not raw.data or known.routine in _BY_CONSTANTS):
        raw = None
    constants = deck.constants(real)
    if kind.startswith(("tri", "quad")):
        given = _shell(known, constants, raw, materials)
    elif kind.startswith("truss"):
        given = _truss(known, constants, raw)
    elif kind.startswith("beam"):
        given = _beam(known, constants, raw)
    elif kind.startswith("spring"):
        given = _spring(deck, known, constants)
    else:
        return Given()
    return given if given.missing or given.name else replace(given, name=f"R {real}")


def _positive(where: str, what: str, value: float | str) -> float:
    if not (isinstance(value, float) and math.isfinite(value) and value > 0.0):
        raise MeshError(f"{where}: {what} is {value if isinstance(value, str) else f'{value:g}'}; it must be positive.")
    return value


def _numbers(raw: RawSection) -> list[float]:
    values = [value for row in raw.data for value in row]
    text = next((value for value in values if isinstance(value, str)), None)
    if text is not None:
        raise MeshError(f"{raw.data_where}: SECDATA: '{text}' is not a number; write the value (CDWRITE does).")
    return values


def _shell(known: ElementType, constants: RealConstants | None, raw: RawSection | None, materials) -> Given:
    membrane = known.routine == 41 or known.routine == 181 and known.option(1) == 1
    panel = "twist" if known.option(1) == 1 else "shear"
    behaviour = panel if known.routine == 28 else "membrane" if membrane else "shell"
    if raw is not None and raw.kind == "SHELL":
        return _shell_section(raw, materials, behaviour)
    if constants is None or known.routine in _LAYERED:
        return Given(missing="SECTYPE,,SHELL and SECDATA with the thickness")
    thickness = [constants[place] for place in range(1, 2 if known.routine == 28 else 5)]
    _positive(constants.where, "the thickness", thickness[0])
    if min(thickness) < 0.0:
        raise MeshError(f"{constants.where}: a thickness is negative ({min(thickness):g}).")
    added = constants[_ADDED_MASS[known.routine]] if known.routine in _ADDED_MASS else 0.0
    corners = tuple(value or thickness[0] for value in thickness)
    same = len(set(corners)) == 1
    section = ShellSection(thickness[0] if same else None, behaviour=behaviour, nonstructural_mass=added, where=constants.place)
    return Given(section, corner_thickness=() if same else corners)


def _shell_section(raw: RawSection, materials: Mapping[int, AnyMaterial], behaviour: str) -> Given:
    where, layers = f"{raw.data_where}: SECDATA", []
    for thickness, material, angle in ([*row, 0.0, 0.0, 0.0][:3] for row in raw.data):
        _positive(where, f"a thickness of section {raw.number}", thickness)
        if isinstance(material, str) or isinstance(angle, str):
            raise MeshError(f"{where}: material and angle of a layer must be numbers.")
        if material and int(material) not in materials:
            raise MeshError(f"{where}: a layer of section {raw.number} has material {material:g}, which no MP or TB defines.")
        layers.append(Layer(materials.get(int(material)), thickness, math.radians(angle)))
    total = sum(layer.thickness for layer in layers)
    place_of_nodes, values = raw.offset
    offset = -values[0] if place_of_nodes == "USER" else {"TOP": -total / 2.0, "BOT": total / 2.0}.get(place_of_nodes[:3], 0.0)
    one = len(layers) == 1 and (not layers[0].angle or isinstance(layers[0].material, Material))
    section = ShellSection(total, () if one else tuple(layers), offset, behaviour, where=raw.data_where)
    return Given(section, raw.title(), material=layers[0].material if one else None)


def _truss(known: ElementType, constants: RealConstants | None, raw: RawSection | None) -> Given:
    if raw is not None and raw.kind == "LINK":
        area = _positive(f"{raw.data_where}: SECDATA", "the area", [*_numbers(raw), 0.0][0])
        return Given(TrussSection(area, where=raw.data_where), f"SECTYPE {raw.number}")
    if constants is None:
        return Given(missing="R with the area, or SECTYPE,,LINK and SECDATA")
    area = _positive(constants.where, "the area", constants[1])
    return Given(TrussSection(area, nonstructural_mass=constants[2] if known.routine == 180 else 0.0, where=constants.place))


def _beam(known: ElementType, constants: RealConstants | None, raw: RawSection | None) -> Given:
    if known.routine in (16, 20):
        if constants is None:
            return Given(missing="R with the outer diameter and the wall")
        return Given(_pipe(constants.where, constants.place, constants[1], constants[2]))
    if known.routine in (4, 44):
        if constants is None:
            return Given(missing="R with area and second moments")
        return _beam4(constants) if known.routine == 4 else _beam44(constants)
    if raw is None or raw.kind not in ("BEAM", "PIPE") or raw.subtype == "MESH":
        return Given(missing="SECTYPE,,BEAM with SECDATA (a supported shape: RECT, CSOLID, I, ASEC, ...)")
    name = raw.title(raw.subtype or raw.kind)
    values, where = _numbers(raw), f"{raw.data_where}: SECDATA"
    if raw.kind == "PIPE":
        diameter, wall = [*values, 0.0, 0.0][:2]
        return Given(_pipe(where, raw.data_where, diameter, wall), name)
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


def _by_integrals(constants: RealConstants, names: tuple[str, str, str], torsion: float, *shear: float) -> BeamSection:
    """Section by its area and second moments Iz and Iy, the first three constants; ``torsion`` 0: their sum.

    ``shear``: the area over that which carries shear along y and z; 0 is no shear deformation (Ansys element manual, BEAM4).
    """
    area, Iz, Iy = (_positive(constants.where, name, constants[place]) for place, name in enumerate(names, 1))
    factors = tuple(1.0 / part if part > 0.0 else math.inf for part in shear)
    torsion = _positive(constants.where, "IXX", torsion or Iy + Iz)
    return replace(general_section(area, Iy, Iz, torsion, shear_factor=factors), where=constants.place)


def _beam4(constants: RealConstants) -> Given:
    """AREA, IZZ, IYY, TKZ, TKY, THETA, ISTRN, IXX, SHEARZ, SHEARY, SPIN, ADDMAS."""
    section = _by_integrals(constants, ("AREA", "IZZ", "IYY"), constants[8], constants[10], constants[9])
    return Given(replace(section, nonstructural_mass=constants[12]), turned=math.radians(constants[6]))


def _beam44(constants: RealConstants) -> Given:
    """AREA1, IZ1, IY1, TKZB1, TKYB1, IX1; the same at the other end, where 0 stands for the same; offsets and more."""
    tapered = any(constants[place + 6] not in (0.0, constants[place]) for place in range(1, 7))
    if tapered or any(value for place, value in constants.values.items() if place >= 13):
        return Given(missing="a constant section (BEAM44 with taper, offsets or shear data is not read)")
    return Given(_by_integrals(constants, ("AREA1", "IZ1", "IY1"), constants[6], 0.0, 0.0))


def _spring(deck: Deck, known: ElementType, constants: RealConstants | None) -> Given:
    """COMBIN14: K, CV1, CV2; along its line, about it, or in one component of the nodes."""
    if constants is None:
        return Given(missing="R with the stiffness")
    component, mode = known.option(2), known.option(3)
    in_component = 1 <= component <= 6
    if not in_component and mode not in (0, 2):
        return Given(missing="another KEYOPT(3) (torsional springs about their line are not supported)")
    stiffness, damping = np.zeros(6), np.zeros(6)
    at = component - 1 if in_component else 0
    stiffness[at], damping[at] = constants[1], constants[2]
    if constants[3]:
        deck.warn(f"{constants.where}: the nonlinear part CV2 of the damping is left out.")
    if min(constants[1], constants[2]) < 0.0:
        raise MeshError(f"{constants.where}: stiffness and damping of a spring must not be negative.")
    return Given(SpringSection(stiffness, damping, axial=not in_component, where=constants.place))
