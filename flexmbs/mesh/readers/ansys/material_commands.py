"""MP, MPTEMP, MPDATA, UIMP, TB and TBDATA: the properties of materials as the deck states them."""

from __future__ import annotations

import re

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.ansys.commands import Command, is_release
from flexmbs.mesh.readers.ansys.deck import Deck, RawMaterial, RawTable

_TABLE = "current table"


def _mp(deck: Deck, command: Command) -> None:
    label, number = command.text(1), command.integer(2, 1)
    if not command.text(3):
        deck.skipped.add(f"MP,{label}", command.file, command.line, why="without a value")
        return
    if _is_none(deck, command, label):
        return
    _put(deck, command, label, number, command.number(3))
    if any(command.number(4 + i, 0.0) for i in range(4)):
        deck.warn(
            f"{command.where}: {label} of material {number} depends on temperature; its constant part"
            f" {command.number(3):g} is used."
        )


def _mpdata(deck: Deck, command: Command) -> None:
    """MPDATA,label,material,start,values, or as CDWRITE writes it: MPDATA,R5.0,count,label,material,start,values."""
    first = 3 if is_release(command.text(1)) else 1
    label, number, start = command.text(first), command.integer(first + 1, 1), command.integer(first + 2, 1)
    if _is_none(deck, command, label):
        return
    values = [command.number(i, 0.0) for i in range(first + 3, len(command.arguments) + 1) if command.text(i)]
    if not values:
        raise MeshError(f"{command.where}: {label or 'the property'} of material {number} has no value.")
    if start > 1:
        return  # further temperatures
    _put(deck, command, label, number, values[0])
    if len(set(values)) > 1:
        deck.warn(
            f"{command.where}: {label} of material {number} depends on temperature; the value at the first"
            f" temperature, {values[0]:g}, is used."
        )


def _uimp(deck: Deck, command: Command) -> None:
    number = command.integer(1, 1)
    for position in (2, 3, 4):
        if command.text(position) and command.text(position + 3):
            _put(deck, command, command.text(position), number, command.number(position + 3))


def _is_none(deck: Deck, command: Command, label: str) -> bool:
    """Whether a label of MP is no property: the identifiers of Workbench, whose values are no numbers or seem to vary."""
    if label not in ("UVID", "UMID"):
        return False
    deck.skipped.add(f"MP,{label}", command.file, command.line, analysis=True, why="no property, but an identifier")
    return True


def _put(deck: Deck, command: Command, label: str, number: int, value: float) -> None:
    if not re.fullmatch(r"[A-Z][A-Z0-9_]*", label):
        raise MeshError(f"{command.where}: '{label[:20]}' is not the label of a property, such as EX, PRXY or DENS.")
    material = deck.materials.setdefault(number, RawMaterial(command.place))
    material.values[label] = value
    material.places[label] = command.place


def _tb(deck: Deck, command: Command) -> None:
    label, number = command.text(1)[:4], command.integer(2, 1)
    material = deck.materials.setdefault(number, RawMaterial(command.place))
    table = RawTable(label, command.text(5), {}, command.place)
    material.tables.setdefault(label, table)
    deck.current[_TABLE] = number
    deck.parameters[_TABLE] = label


def _tbtemp(deck: Deck, command: Command) -> None:
    """After the second temperature of a table no more constants are taken."""
    table = _present(deck)
    if table is not None and table.constants:
        deck.warn(f"{table.where}: TB,{table.label}: the table of the first temperature is used.")
        deck.parameters[_TABLE] = None


def _tbdata(deck: Deck, command: Command) -> None:
    table = _present(deck)
    if table is None:
        return
    start = command.integer(1, max(table.constants, default=0) + 1)
    for position in range(2, min(len(command.arguments), 7) + 1):
        if command.text(position):
            table.constants[start + position - 2] = command.number(position)


def _present(deck: Deck) -> RawTable | None:
    label = deck.parameters.get(_TABLE)
    material = deck.materials.get(deck.current.get(_TABLE, -1))
    return material.tables.get(label) if material is not None and isinstance(label, str) else None


def _temperatures(deck: Deck, command: Command) -> None:
    """MPTEMP: temperatures of the MPDATA after it, of which the first is taken; TBPT: points of curves."""


MATERIAL_COMMANDS = {
    "MP": _mp,
    "MPDA": _mpdata,
    "MPTE": _temperatures,
    "UIMP": _uimp,
    "TB": _tb,
    "TBTE": _tbtemp,
    "TBFI": _tbtemp,
    "TBDA": _tbdata,
    "TBPT": _temperatures,
}
