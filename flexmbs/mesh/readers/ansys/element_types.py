"""The element library of Ansys, by the numbers of its elements, and ETBLOCK, which states the element types as a block."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate
from string import ascii_uppercase

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.reader_tools.fixed_columns import integer, real
from flexmbs.mesh.readers.ansys.deck import Deck, ElementType, handles
from flexmbs.mesh.readers.ansys.deck_text import Command


@dataclass(frozen=True)
class Routine:
    """An element of the library.

    Attributes
    ----------
    name : str
        "SOLID186"
    kind : str or None
        Kind by the full number of its nodes; None for what is no part of a body.
    role : str
        Of what is none, as in ``UnsupportedElements``; "mass", "rigid" and "spring" are made into masses, couplings, springs.
    node_count : int
        Nodes that define the element; one more may give the orientation of a beam. 0: varies.
    """

    name: str
    kind: str | None
    role: str
    node_count: int


_MESH_ONLY = "MESH200."  # and the option that says which shape


def _routines() -> dict[int, Routine]:
    known: dict[int, Routine] = {}
    for element in elements_of("Ansys"):
        if not element.name.startswith(_MESH_ONLY):
            role = "spring" if element.kind.startswith("spring") else ""
            number = int(element.name.lstrip(ascii_uppercase))
            known[number] = Routine(element.name, element.kind, role, max(element.node_counts))

    def add(family: str, node_count: int, numbers: str, role: str) -> None:
        for number in map(int, numbers.split()):
            known[number] = Routine(f"{family}{number}", None, role, node_count)

    add("MASS", 1, "21", "mass")
    add("MPC", 2, "184", "rigid")
    add("MESH", 0, "200", "geometry")
    add("SURF", 0, "153 154 156 159 19 22", "geometry")
    add("FOLLW", 1, "201", "geometry")
    add("PRETS", 3, "179", "connector")
    add("COMBIN", 2, "7 37 39 40", "connector")
    add("COMBI", 2, "214 165 250", "connector")
    add("LINK", 2, "11 160 167", "connector")
    add("MATRIX", 0, "27 50", "connector")
    add("PLANE", 0, "2 25 42 82 83 145 146 182 183 162", "plane")
    add("LINK", 2, "1", "plane")
    add("BEAM", 2, "3 23 54", "plane")
    add("SHELL", 0, "51 61 208 209", "axisymmetric")
    add("SOLID", 0, "272 273", "axisymmetric")
    add("FLUID", 0, "29 30 38 79 80 81 116 129 130 136 138 139 141 142 218 220 221 243 244", "fluid")
    add("HSFLD", 0, "241 242", "fluid")
    add("PLANE", 0, "13 35 53 55 67 75 77 78 121 223 230 233 238 292 293", "thermal")
    add("SOLID", 0, "5 62 69 70 87 90 96 97 98 117 122 123 226 227 225 231 232 236 237 239 240 278 279 291", "thermal")
    add("SHELL", 0, "57 131 132 157", "thermal")
    add("LINK", 0, "31 32 33 34 68", "thermal")
    add("SURF", 0, "151 152 155 251 252", "thermal")
    add("MASS", 1, "71", "thermal")
    add("CONTA", 0, "171 172 173 174 175 176 177 178", "contact")
    add("TARGE", 0, "169 170", "contact")
    add("CONTAC", 0, "12 26 48 49 52", "contact")
    add("INTER", 0, "192 193 194 195 202 203 204 205", "contact")
    return known


ROUTINES = _routines()


#: Coupled-field solids and the structural ones that they are where KEYOPT(1) ends in 1 (11: structural-thermal).
_COUPLED = {225: 185, 226: 186, 227: 187}


def routine_of(number: int) -> Routine:
    """The element with that number; one of role "unknown" when it is not in the list."""
    return ROUTINES.get(number, Routine(f"element type {number}", None, "unknown", 0))


def routine_of_type(deck: Deck, known: ElementType) -> Routine:
    """The element of an ET command: of coupled-field solids with displacements their structural part."""
    routine, fields = routine_of(known.routine), known.option(1)
    if known.routine not in _COUPLED or fields % 10 != 1:
        return routine
    what = f"{routine.name} with KEYOPT(1) = {fields}"
    deck.warn(f"{known.where}: ET: {what} is read as a structural solid; its other fields are left out.")
    return replace(routine_of(_COUPLED[known.routine]), name=routine.name)


def mesh_only_kind(option: int) -> str | None:
    """Kind of a MESH200 element by its KEYOPT(1); None when there is no such option."""
    return next((element.kind for element in elements_of("Ansys") if element.name == f"{_MESH_ONLY}{option}"), None)


_FORMAT = re.compile(r"\(2I(\d{1,2}),(\d{1,2})A(\d{1,2})\)", re.IGNORECASE)
_END = re.compile(r"\s*-1\s*($|,)")


@handles("ETBL")
def _etblock(deck: Deck, command: Command) -> None:
    """ETBLOCK,types,highest; a format such as (2i9,19a9); of each type: number, routine, key options; -1."""
    widths = _widths(deck.source.next_line() or "", f"{command.file}:{command.line + 1}: {command.name}")
    read_count = 0
    while (line := deck.source.next_line()) is not None and not _END.match(line):
        _take(deck, command, _fields(line, widths))
        read_count += 1
    declared = command.integer(1, 0)
    deck.source.check_count(command, read_count, max(declared, read_count + 1) if line is None else declared, "element types")


def _widths(text: str, where: str) -> tuple[int, ...]:
    known = _FORMAT.fullmatch(text.replace(" ", ""))
    if known is None or not int(known[1]) or not int(known[3]):
        raise MeshError(f"{where}: '{text.strip()[:40]}' is not the format of a block, such as (2i9,19a9).")
    return int(known[1]), int(known[1]), *[int(known[3])] * int(known[2])


def _fields(line: str, widths: tuple[int, ...]) -> list[str]:
    ends = accumulate(widths)
    return [line[end - width : end].strip() for width, end in zip(widths, ends, strict=True)]


def _take(deck: Deck, command: Command, fields: list[str]) -> None:
    number, routine = integer(fields[0]), integer(fields[1])
    if number is None or routine is None or number <= 0 or routine <= 0:
        found = f"'{fields[0]}' and '{fields[1]}' were found instead of"
        raise deck.source.wrong(command, f"{found} the number of an element type and its routine (186 of SOLID186).")
    given = {i: real(text) for i, text in enumerate(fields[2:], start=1) if text}
    # The fields are text by their format: names of options are none that the reader asks for.
    options = {option: value for option, value in given.items() if value is not None and abs(value) < 1e9}
    deck.types[number] = ElementType(routine, options, deck.source.place)
