"""Real constants: R, RMORE, RMODIF, RLBLOCK."""

from __future__ import annotations

from flexmbs.mesh.reader_tools.fixed_columns import Format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, RealConstants, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

_CURRENT_SET, _FILLED = "current real set", "filled"
_MOST_CONSTANTS = 10000
_MOST_SETS = 100000


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
    constants = deck.reals.setdefault(number, RealConstants(command.place, f"{command.place}: R,{number}"))
    constants.values.update({start + i: value for i, value in command.given(first).items()})
    deck.current[_CURRENT_SET] = number
    deck.current[_FILLED] = start + 5  # R and RMORE hold six values each


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

    for _ in range(min(sets, _MOST_SETS)):
        (number, count), values = numbers(first)
        if number <= 0 or not 0 <= count <= _MOST_CONSTANTS:
            raise deck.wrong(command, f"set {number} has {count} constants, which is impossible.")
        constants = deck.reals[number] = RealConstants(source.place, f"{source.place}: R,{number}")
        while len(values) < count:
            values += numbers(other)[1]
        constants.values.update(enumerate(values[:count], 1))
