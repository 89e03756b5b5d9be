"""Real constants (R, RMORE, RMODIF, RLBLOCK) and sections (SECTYPE, SECDATA, SECBLOCK, SECOFFSET)."""

from __future__ import annotations

import math

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import parse_format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, RawSection, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, data_line, is_release
from flexmbs.mesh.readers.ansys.expressions import evaluate

_CURRENT_SECTION, _CURRENT_SET = "current section", "current real set"
_MOST_CONSTANTS = 10000
_MOST_LINES = 100000


@handles("R")
def _r(deck: Deck, command: Command) -> None:
    """R,set,values, or as CDWRITE writes it: R,R5.0,LOC,set,start,values."""
    if is_release(command.text(1)):
        _put_constants(deck, command, command.integer(3), command.integer(4, 1), 5)
        return
    number = command.integer(1, 1)
    deck.reals[number] = {}
    _put_constants(deck, command, number, 1, 2)


@handles("RMOR")
def _rmore(deck: Deck, command: Command) -> None:
    number = deck.current.get(_CURRENT_SET)
    if number is None:
        raise MeshError(f"{command.where}: there is no R command before it.")
    filled = deck.current["filled"]
    _put_constants(deck, command, number, filled + 1, 1)


@handles("RMOD")
def _rmodif(deck: Deck, command: Command) -> None:
    _put_constants(deck, command, command.integer(1, 1), command.integer(2, 1), 3)


def _put_constants(deck: Deck, command: Command, number: int, start: int, first: int) -> None:
    if not 0 < start <= _MOST_CONSTANTS:
        raise MeshError(f"{command.where}: real constants begin at position {start}; the first position is 1.")
    constants = deck.reals.setdefault(number, {})
    deck.real_places.setdefault(number, command.place)
    for position in range(first, len(command.arguments) + 1):
        if command.text(position):
            constants[start + position - first] = command.number(position)
    deck.current[_CURRENT_SET] = number
    deck.current["filled"] = start + 5  # R and RMORE hold six values each


@handles("RLBL")
def _rlblock(deck: Deck, command: Command) -> None:
    """RLBLOCK,sets,highest,most values,per line; two format lines; of each set: number, count, values."""
    sets = command.integer(1)
    source = deck.source
    first = parse_format(source.next_line() or "", f"{command.file}:{command.line + 1}: RLBLOCK")
    other = parse_format(source.next_line() or "", f"{command.file}:{command.line + 2}: RLBLOCK")
    if len(first.integers) != 2 or not first.reals or not other.reals or other.integers:
        raise MeshError(f"{command.where}: the formats must be like (2i8,6g16.9) and (7g16.9).")
    for _ in range(min(sets, _MOST_LINES)):
        integers, reals = read_table([data_line(source, command, f"{sets} sets")], first, source.file, source.line, "RLBLOCK")
        number, count = integers[0].tolist()
        if number <= 0 or not 0 <= count <= _MOST_CONSTANTS:
            raise MeshError(f"{source.file}:{source.line}: RLBLOCK: set {number} has {count} constants, which is impossible.")
        place = f"{source.file}:{source.line}"
        values = reals[0].tolist()
        while len(values) < count:
            _, reals = read_table([data_line(source, command, f"{sets} sets")], other, source.file, source.line, "RLBLOCK")
            values += reals[0].tolist()
        deck.reals[number] = {i + 1: value for i, value in enumerate(values[:count])}
        deck.real_places[number] = place


@handles("SECT")
def _sectype(deck: Deck, command: Command) -> None:
    number = command.integer(1, 1)
    deck.sections[number] = RawSection(command.text(2), command.text(3), command.raw(4), command.place)
    deck.current[_CURRENT_SECTION] = number


def _section(deck: Deck, command: Command) -> RawSection:
    section = deck.sections.get(deck.current.get(_CURRENT_SECTION, -1))
    if section is None:
        raise MeshError(f"{command.where}: there is no SECTYPE command before it.")
    return section


@handles("SECD")
def _secdata(deck: Deck, command: Command) -> None:
    section = _section(deck, command)
    section.data.append([_value(command, i) for i in range(1, len(command.arguments) + 1)])
    section.data_where = section.data_where or command.place


def _value(command: Command, position: int) -> float | str:
    """A number, or the text that stands in its place (a name of a material, MESH, ...)."""
    text = command.text(position)
    value = evaluate(text, command.parameters) if text else 0.0
    return text if value is None else value


@handles("SECB")
def _secblock(deck: Deck, command: Command) -> None:
    """SECBLOCK,count and that many lines, each of one layer (shells) or of part of the data (beams)."""
    section = _section(deck, command)
    count = command.integer(1, 1)
    for _ in range(min(count, _MOST_LINES)):
        line = data_line(deck.source, command, f"{count} lines")
        place = f"{deck.source.file}:{deck.source.line}"
        fields = [part.strip() for part in (line.split("!")[0].split(",") if "," in line else line.split())]
        values = [evaluate(text, deck.parameters) if text else 0.0 for text in fields]
        if any(value is None for value in values):
            raise MeshError(f"{place}: SECBLOCK: {line.strip()[:40]!r} is not a list of numbers separated by commas.")
        section.data.append(values)
        section.data_where = section.data_where or place


@handles("SECO")
def _secoffset(deck: Deck, command: Command) -> None:
    section = _section(deck, command)
    where = command.text(1)
    number = evaluate(where, deck.parameters) if where else None
    if number is not None:  # pipes: two numbers, no word
        section.offset = ("USER", [number, command.number(2, 0.0)])
        return
    section.offset = (where, [command.number(2, 0.0), command.number(3, 0.0)])


@handles("SECC")
def _seccontrol(deck: Deck, command: Command) -> None:
    """Transverse shear stiffness and added mass of a section: left out, and said so when given."""
    values = [_value(command, i) for i in range(1, len(command.arguments) + 1)]
    if any(isinstance(value, float) and value and math.isfinite(value) for value in values):
        deck.skipped.add(command.name, command.file, command.line, why="given shear stiffness or added mass of a section")
