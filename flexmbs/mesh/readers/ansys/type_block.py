"""ETBLOCK: the element types of a deck as a block, as later releases of CDWRITE write them instead of ET and KEYOP."""

from __future__ import annotations

import re

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import integer, real
from flexmbs.mesh.readers.ansys.commands import Command
from flexmbs.mesh.readers.ansys.deck import Deck, ElementType

_FORMAT = re.compile(r"\(2I(\d{1,2}),(\d{1,2})A(\d{1,2})\)", re.IGNORECASE)
_END = re.compile(r"\s*-1\s*($|,)")


def _etblock(deck: Deck, command: Command) -> None:
    """ETBLOCK,types,highest; a format such as (2i9,19a9); of each type: number, routine, key options; -1."""
    widths = _widths(deck.source.next_line() or "", f"{command.file}:{command.line + 1}: ETBLOCK")
    read_count = 0
    while (line := deck.source.next_line()) is not None and not _END.match(line):
        _take(deck, _fields(line, widths))
        read_count += 1
    if line is None or read_count < command.integer(1, 0):
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: ETBLOCK: the block ends after {read_count} element types, but"
            f" {command.integer(1, 0)} (line {command.line}), followed by -1, were expected; the file is cut off."
        )


def _widths(text: str, where: str) -> tuple[int, ...]:
    known = _FORMAT.fullmatch(text.replace(" ", ""))
    if known is None or not int(known[1]) or not int(known[3]):
        raise MeshError(f"{where}: '{text.strip()[:40]}' is not the format of a block, such as (2i9,19a9).")
    return int(known[1]), int(known[1]), *[int(known[3])] * int(known[2])


def _fields(line: str, widths: tuple[int, ...]) -> list[str]:
    fields, start = [], 0
    for width in widths:
        fields.append(line[start : start + width].strip())
        start += width
    return fields


def _take(deck: Deck, fields: list[str]) -> None:
    number, routine = integer(fields[0]), integer(fields[1])
    if number is None or routine is None or number <= 0 or routine <= 0:
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: ETBLOCK: '{fields[0]}' and '{fields[1]}' were found instead of"
            " the number of an element type and its routine (186 of SOLID186)."
        )
    given = {i: real(text) for i, text in enumerate(fields[2:], start=1) if text}
    # The fields are text by their format: names of options are none that the reader asks for.
    options = {option: value for option, value in given.items() if value is not None and abs(value) < 1e9}
    deck.types[number] = ElementType(routine, options, f"{deck.source.file}:{deck.source.line}")


TYPE_BLOCK_COMMANDS = {"ETBL": _etblock}
