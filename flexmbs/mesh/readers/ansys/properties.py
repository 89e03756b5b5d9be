"""Real constants (R, RMORE, RMODIF, RLBLOCK) and materials (MP, MPDATA, UIMP, TB, TBDATA), and what materials are for flexmbs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.properties import AnisotropicMaterial, AnyMaterial, Damping, Material, OrthotropicMaterial, UnusableMaterial, flaw
from flexmbs.mesh.reader_tools.text_numbers import Format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, RawMaterial, RawTable, RealConstants, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

_MOST_CONSTANTS = 10000


@handles("R")
def _r(deck: Deck, command: Command) -> None:
    """R,set,values, or as CDWRITE writes it: R,R5.0,LOC,set,start,values."""
    _, command = command.coded()
    number = command.integer(1, 1)
    if command.left_off:
        _put_constants(deck, command, number, command.integer(2, 1), 3)
    else:
        deck.reals.pop(number, None)
        _put_constants(deck, command, number, 1, 2)


@handles("RMOR")
def _rmore(deck: Deck, command: Command) -> None:
    if deck.next_constant is None:
        raise command.wrong("there is no R command before it.")
    _put_constants(deck, command, *deck.next_constant, 1)


@handles("RMOD")
def _rmodif(deck: Deck, command: Command) -> None:
    _put_constants(deck, command, command.integer(1, 1), command.integer(2, 1), 3)


def _put_constants(deck: Deck, command: Command, number: int, start: int, first: int) -> None:
    """Arguments from ``first`` on are the constants of a set from ``start`` on."""
    if not 0 < start <= _MOST_CONSTANTS:
        raise command.wrong(f"real constants begin at position {start}; the first position is 1.")
    constants = deck.reals.setdefault(number, RealConstants(command.place, f"{command.place}: R,{number}"))
    constants.values.update({start + i: value for i, value in command.given(first).items()})
    deck.next_constant = (number, start + 6)  # R and RMORE hold six values each


@handles("RLBL")
def _rlblock(deck: Deck, command: Command) -> None:
    """RLBLOCK,sets,highest,most values,per line; two format lines; of each set: number, count, values."""
    sets, source = command.integer(1), deck.source
    first, other = deck.format_line(command), deck.format_line(command, after=2)
    if len(first.integers) != 2 or not first.reals or not other.reals or other.integers:
        raise command.wrong("the formats must be like (2i8,6g16.9) and (7g16.9).")

    def numbers(known: Format) -> tuple[list[int], list[float]]:
        lines = [deck.data_line(command, f"{sets} sets")]
        integers, reals = read_table(lines, known, source.file, source.line, "RLBLOCK")
        return integers[0].tolist(), reals[0].tolist()

    for _ in range(sets):
        (number, count), values = numbers(first)
        if number <= 0 or not 0 <= count <= _MOST_CONSTANTS:
            raise deck.wrong(command, f"set {number} has {count} constants, which is impossible.")
        constants = deck.reals[number] = RealConstants(source.place, f"{source.place}: R,{number}")
        while len(values) < count:
            values += numbers(other)[1]
        constants.values.update(enumerate(values[:count], 1))


@handles("MP")
def _mp(deck: Deck, command: Command) -> None:
    label, number = command.text(1), command.integer(2, 1)
    if not command.text(3):
        deck.skip(f"MP,{label}", command.place, "without a value")
    elif not _is_identifier(deck, command, label):
        _put(deck, command, label, number, command.number(3), varies=any(command.numbers(4, 4)))


@handles("MPDA")
def _mpdata(deck: Deck, command: Command) -> None:
    """MPDATA,label,material,start,values, or as CDWRITE writes it: MPDATA,R5.0,count,label,material,start,values."""
    _, command = command.coded()
    label, number, start = command.text(1), command.integer(2, 1), command.integer(3, 1)
    if _is_identifier(deck, command, label):
        return
    values = list(command.given(4).values())
    if not values:
        raise command.wrong(f"{label or 'the property'} of material {number} has no value.")
    if start == 1:  # of the first temperatures
        _put(deck, command, label, number, values[0], varies=len(set(values)) > 1)


@handles("UIMP")
def _uimp(deck: Deck, command: Command) -> None:
    number = command.integer(1, 1)
    for position in (2, 3, 4):
        if command.text(position) and command.text(position + 3):
            _put(deck, command, command.text(position), number, command.number(position + 3))


def _is_identifier(deck: Deck, command: Command, label: str) -> bool:
    """Whether a label of MP is no property: the identifiers of Workbench, whose values are no numbers or seem to vary."""
    if label not in ("UVID", "UMID"):
        return False
    deck.skip(f"MP,{label}", command.place, "no property, but an identifier", analysis=True)
    return True


def _put(deck: Deck, command: Command, label: str, number: int, value: float, varies: bool = False) -> None:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", label):
        raise command.wrong(f"'{label[:20]}' is not the label of a property, such as EX, PRXY or DENS.")
    material = deck.materials.setdefault(number, RawMaterial(command.place))
    material.values[label] = value
    material.places[label] = command.place
    if varies:
        what = f"{label} of material {number} depends on temperature"
        deck.warn(f"{command.where}: {what}; the first of its values, {value:g}, is used.")


@handles("TB")
def _tb(deck: Deck, command: Command) -> None:
    label, number = command.text(1)[:4], command.integer(2, 1)
    material = deck.materials.setdefault(number, RawMaterial(command.place))
    deck.table = material.tables.setdefault(label, RawTable(label, command.text(5), command.place))


@handles("TBTE", "TBFI")
def _tbtemp(deck: Deck, command: Command) -> None:
    """After the second temperature of a table no more constants are taken."""
    if deck.table is not None and deck.table.constants:
        deck.warn(f"{deck.table.where}: TB,{deck.table.label}: the table of the first temperature is used.")
        deck.table = None


@handles("TBDA")
def _tbdata(deck: Deck, command: Command) -> None:
    if deck.table is not None:
        constants = deck.table.constants
        start = command.integer(1, max(constants, default=0) + 1)
        constants.update({start + i: value for i, value in command.given(2, 6).items()})


_READ_TABLES = ("ELAS", "ANEL", "SDAM")
_NOT_LINEAR = ("HYPE", "MOON", "OGDE", "BB", "AHYP", "GASK", "FLUI", "SMA", "CDM", "FOAM", "MPLA", "PERF")
_ELASTIC_LABELS = "EX EY EZ PRXY PRYZ PRXZ NUXY NUYZ NUXZ GXY GYZ GXZ DENS ALPD BETD DMPR DMPS".split()
_ISOTROPIC, _ORTHOTROPIC = "EX PRXY".split(), "EX EY EZ GXY GYZ GXZ PRXY PRYZ PRXZ".split()
_ELASTIC_TABLES = {"": _ISOTROPIC, "ISOT": _ISOTROPIC, "OELM": _ORTHOTROPIC, "ORTH": _ORTHOTROPIC, "ORTHO": _ORTHOTROPIC}
_SAME = 0.01  # a shear modulus that differs less from E / (2 (1 + nu)) is rounded, not meant
_DEFAULT_POISSON = 0.3  # what Ansys takes when none is given
# Upper triangle of the 6 by 6 matrix row by row, as TBDATA gives it.
_TRIANGLE = [(row, column) for row in range(6) for column in range(row, 6)]


def make_material(deck: Deck, number: int, raw: RawMaterial) -> AnyMaterial:
    """A material by what the deck says of it; what is not used of that is noted.

    Raises MeshError for moduli that are not positive, Poisson's ratios outside of the possible, negative densities.
    """
    name = f"MAT {number}"
    for label, place in raw.places.items():
        if label not in _ELASTIC_LABELS:
            deck.skip(f"MP,{label}", place, analysis=True)
    for label, table in raw.tables.items():
        if label not in _READ_TABLES:
            deck.skip(f"TB,{label}", table.where)
    density = _density(deck, name, raw)
    common = {"density": density, "damping": _damping(raw), "where": raw.where}
    if "ANEL" in raw.tables:
        return _anisotropic(name, raw.tables["ANEL"], common)
    if "ELAS" in raw.tables:
        return _from_table(deck, name, raw, common)
    values = raw.values
    softest = next((label for label in raw.tables if label in _NOT_LINEAR), None)
    if "EX" not in values or softest:
        missing = f"TB,{softest} is not linear elastic" if softest else "there is no MP,EX"
        instead = f"remove TB,{softest},{number} or give TB,ELASTIC,{number}"
        remedy = instead if "EX" in values else f"add MP,EX,{number} and MP,PRXY,{number}"
        return UnusableMaterial(name, f"{raw.where}: {name} has no linear elasticity ({missing}); {remedy}", density, raw.where)
    return _by_constants(deck, name, raw, values, common)


def _density(deck: Deck, name: str, raw: RawMaterial) -> float | None:
    density = raw.values.get("DENS")
    if density is not None and density < 0.0:
        raise MeshError(f"{raw.places['DENS']}: MP,DENS: the density is {density:g}; it must be positive.")
    if density == 0.0:
        deck.warn(f"{raw.places['DENS']}: MP,DENS: the density of {name} is 0: its elements have no mass.")
    return density


def _damping(raw: RawMaterial) -> Damping | None:
    values = dict(raw.values)
    table = raw.tables.get("SDAM")
    if table is not None and 1 in table.constants:
        values.setdefault("DMPS" if table.option == "STRU" else table.option, table.constants[1])
    # DMPR is a damping ratio: the loss factor is twice that.
    structural = values.get("DMPS", 0.0) + 2.0 * values.get("DMPR", 0.0)
    damping = Damping(values.get("ALPD", 0.0), values.get("BETD", 0.0), structural)
    return None if damping == Damping() else damping


def _from_table(deck: Deck, name: str, raw: RawMaterial, common: dict) -> AnyMaterial:
    table, values = raw.tables["ELAS"], {}
    if table.option in ("AELS", "AELF"):
        return _anisotropic(name, table, common)
    if table.option not in _ELASTIC_TABLES:
        raise MeshError(f"{table.where}: TB,ELASTIC: the option {table.option} is unknown; known are ISOT, OELM, AELS and AELF.")
    labels = _ELASTIC_TABLES[table.option]
    for place, label in enumerate(labels, 1):
        if place not in table.constants:
            raise MeshError(f"{table.where}: TB,ELAS: constant {place} is missing; TBDATA must give {len(labels)}.")
        values[label], raw.places[label] = table.constants[place], table.where
    return _by_constants(deck, name, raw, values, common)


def _anisotropic(name: str, table: RawTable, common: dict) -> AnisotropicMaterial:
    matrix = np.zeros((6, 6))
    for place, (row, column) in enumerate(_TRIANGLE, 1):
        matrix[row, column] = matrix[column, row] = table.constants.get(place, 0.0)
    flexible = table.option in ("AELF", "1") if table.label == "ELAS" else table.option == "1"
    made = AnisotropicMaterial(name, matrix, **common)
    return replace(made, stiffness=np.linalg.inv(matrix)) if flexible and not flaw(made) else made


def _by_constants(deck: Deck, name: str, raw: RawMaterial, values: dict, common: dict) -> AnyMaterial:
    E1 = values["EX"]
    E2, E3 = values.get("EY", E1), values.get("EZ", E1)
    for label, value in (("EX", E1), ("EY", E2), ("EZ", E3)):
        if not value > 0.0:
            raise MeshError(f"{raw.places[label]}: MP,{label}: the modulus of {name} is {value:g}; it must be positive.")
    nu12 = _poisson(values, "XY", E1, E2)
    if nu12 is None:
        nu12 = _DEFAULT_POISSON
        deck.warn(f"{raw.places['EX']}: {name} has no Poisson's ratio (MP,PRXY); {nu12:g} is used, as in Ansys.")
    nu13, nu23 = _poisson(values, "XZ", E1, E3), _poisson(values, "YZ", E2, E3)
    plain = E1 == E2 == E3 and nu13 in (None, nu12) and nu23 in (None, nu12)
    shear = E1 / (2.0 * (1.0 + nu12)) if nu12 > -1.0 else -1.0
    given = [values[label] for label in ("GXY", "GYZ", "GXZ") if values.get(label)]
    if plain and all(abs(value - shear) <= _SAME * shear for value in given):
        if not -1.0 < nu12 < 0.5:
            place = raw.places.get("PRXY", raw.places.get("NUXY", raw.where))
            raise MeshError(f"{place}: {name}: Poisson's ratio is {nu12:g}; it must lie between -1 and 0.5.")
        return Material(name, E1, nu12, **common)
    return _orthotropic(name, values, (E1, E2, E3), (nu12, nu13, nu23), common)


def _orthotropic(name: str, values: dict, moduli, ratios, common: dict) -> AnyMaterial:
    (E1, E2, E3), (nu12, nu13, nu23) = moduli, ratios
    G12 = values.get("GXY") or (E1 / (2.0 * (1.0 + nu12)) if nu12 > -1.0 else 0.0)
    G13, G23 = values.get("GXZ") or G12, values.get("GYZ") or G12
    if "EZ" not in values and "EY" in values:
        return OrthotropicMaterial(name, E1, E2, None, nu12, None, None, G12, G13, G23, **common)
    nu13, nu23 = nu12 if nu13 is None else nu13, nu12 if nu23 is None else nu23
    return OrthotropicMaterial(name, E1, E2, E3, nu12, nu13, nu23, G12, G13, G23, **common)


def _poisson(values: dict, plane: str, first: float, second: float) -> float | None:
    """Major ratio; NU is the minor one: PR / E_first = NU / E_second."""
    if f"PR{plane}" in values:
        return values[f"PR{plane}"]
    return values[f"NU{plane}"] * first / second if f"NU{plane}" in values else None
