"""Real constants (R, RMORE, RMODIF, RLBLOCK) and sections (SECTYPE, SECDATA, SECBLOCK, SECOFFSET)."""

from __future__ import annotations

import math

from flexmbs.mesh.reader_tools.fixed_columns import Format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, RawSection, handles
from flexmbs.mesh.readers.ansys.deck_text import Command
from flexmbs.mesh.readers.ansys.expressions import evaluate

_CURRENT_SECTION, _CURRENT_SET, _FILLED = "current section", "current real set", "filled"
_MOST_CONSTANTS = 10000
_MOST_LINES = 100000


@handles("R")
def _r(deck: Deck, command: Command) -> None:
    """R,set,values, or as CDWRITE writes it: R,R5.0,LOC,set,start,values."""
    _, command = command.coded()
    number = command.integer(1, 1)
    if command.left_off:
        _put_constants(deck, command, number, command.integer(2, 1), 3)
    else:
        deck.reals[number] = {}
        _put_constants(deck, command, number, 1, 2)


@handles("RMOR")
def _rmore(deck: Deck, command: Command) -> None:
    if _CURRENT_SET not in deck.current:
        raise command.wrong("there is no R command before it.")
    _put_constants(deck, command, deck.current[_CURRENT_SET], deck.current[_FILLED] + 1, 1)


@handles("RMOD")
def _rmodif(deck: Deck, command: Command) -> None:
    _put_constants(deck, command, command.integer(1, 1), command.integer(2, 1), 3)


def _put_constants(deck: Deck, command: Command, number: int, start: int, first: int) -> None:
    """Arguments from ``first`` on are the constants of a set from ``start`` on."""
    if not 0 < start <= _MOST_CONSTANTS:
        raise command.wrong(f"real constants begin at position {start}; the first position is 1.")
    deck.real_places.setdefault(number, command.place)
    deck.reals.setdefault(number, {}).update({start + i: value for i, value in command.given(first).items()})
    deck.current[_CURRENT_SET] = number
    deck.current[_FILLED] = start + 5  # R and RMORE hold six values each


@handles("RLBL")
def _rlblock(deck: Deck, command: Command) -> None:
    """RLBLOCK,sets,highest,most values,per line; two format lines; of each set: number, count, values."""
    sets, source = command.integer(1), deck.source
    first, other = source.format_line(command), source.format_line(command, after=2)
    if len(first.integers) != 2 or not first.reals or not other.reals or other.integers:
        raise command.wrong("the formats must be like (2i8,6g16.9) and (7g16.9).")

    def numbers(known: Format) -> tuple[list[int], list[float]]:
        lines = [source.data_line(command, f"{sets} sets")]
        integers, reals = read_table(lines, known, source.file, source.line, "RLBLOCK")
        return integers[0].tolist(), reals[0].tolist()

    for _ in range(min(sets, _MOST_LINES)):
        (number, count), values = numbers(first)
        if number <= 0 or not 0 <= count <= _MOST_CONSTANTS:
            raise source.wrong(command, f"set {number} has {count} constants, which is impossible.")
        deck.real_places[number] = source.place
        while len(values) < count:
            values += numbers(other)[1]
        deck.reals[number] = {i + 1: value for i, value in enumerate(values[:count])}


@handles("SECT")
def _sectype(deck: Deck, command: Command) -> None:
    number = command.integer(1, 1)
    deck.sections[number] = RawSection(command.text(2), command.text(3), command.raw(4).strip("'"))
    deck.current[_CURRENT_SECTION] = number


def _section(deck: Deck, command: Command) -> RawSection:
    section = deck.sections.get(deck.current.get(_CURRENT_SECTION, -1))
    if section is None:
        raise command.wrong("there is no SECTYPE command before it.")
    return section


@handles("SECD")
def _secdata(deck: Deck, command: Command) -> None:
    _add_data(_section(deck, command), _values(deck, command.texts(1)), command.place)


@handles("SECB")
def _secblock(deck: Deck, command: Command) -> None:
    """SECBLOCK,count and that many lines, each of one layer (shells) or of part of the data (beams)."""
    section, count, source = _section(deck, command), command.integer(1, 1), deck.source
    for _ in range(min(count, _MOST_LINES)):
        line = source.data_line(command, f"{count} lines")
        values = _values(deck, line.split("!")[0].split(",") if "," in line else line.split())
        if any(isinstance(value, str) for value in values):
            raise source.wrong(command, f"{line.strip()[:40]!r} is not a list of numbers separated by commas.")
        _add_data(section, values, source.place)


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
