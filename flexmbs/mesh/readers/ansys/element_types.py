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
        Of what is none, as in ``UnsupportedElements``; "mass" and "rigid" are made into masses and couplings.
    node_count : int
        Nodes that define an element of a body; one more may give the orientation of a beam.
    """

    name: str
    kind: str | None
    role: str = ""
    node_count: int = 0


_MESH_ONLY = "MESH200."  # and the option that says which shape
_NO_BODY = {
    "mass": "MASS21",
    "rigid": "MPC184",
    "geometry": "MESH200 SURF19 SURF22 SURF153 SURF154 SURF156 SURF159 FOLLW201",
    "connector": "PRETS179 COMBIN7 COMBIN37 COMBIN39 COMBIN40 COMBI165 COMBI214 COMBI250 LINK11 LINK160 LINK167 MATRIX27 MATRIX50",
    "plane": "PLANE2 PLANE25 PLANE42 PLANE82 PLANE83 PLANE145 PLANE146 PLANE162 PLANE182 PLANE183 LINK1 BEAM3 BEAM23 BEAM54",
    "axisymmetric": "SHELL51 SHELL61 SHELL208 SHELL209 SOLID272 SOLID273",
    "fluid": "FLUID29 FLUID30 FLUID38 FLUID79 FLUID80 FLUID81 FLUID116 FLUID129 FLUID130 FLUID136 FLUID138 FLUID139 FLUID141"
    " FLUID142 FLUID218 FLUID220 FLUID221 FLUID243 FLUID244 HSFLD241 HSFLD242",
    "thermal": "PLANE13 PLANE35 PLANE53 PLANE55 PLANE67 PLANE75 PLANE77 PLANE78 PLANE121 PLANE223 PLANE230 PLANE233 PLANE238"
    " PLANE292 PLANE293 SOLID5 SOLID62 SOLID69 SOLID70 SOLID87 SOLID90 SOLID96 SOLID97 SOLID98 SOLID117 SOLID122 SOLID123"
    " SOLID225 SOLID226 SOLID227 SOLID231 SOLID232 SOLID236 SOLID237 SOLID239 SOLID240 SOLID278 SOLID279 SOLID291 SHELL57"
    " SHELL131 SHELL132 SHELL157 LINK31 LINK32 LINK33 LINK34 LINK68 SURF151 SURF152 SURF155 SURF251 SURF252 MASS71",
    "contact": "CONTA171 CONTA172 CONTA173 CONTA174 CONTA175 CONTA176 CONTA177 CONTA178 TARGE169 TARGE170 CONTAC12 CONTAC26"
    " CONTAC48 CONTAC49 CONTAC52 INTER192 INTER193 INTER194 INTER195 INTER202 INTER203 INTER204 INTER205",
}


def _number(name: str) -> int:
    return int(name.lstrip(ascii_uppercase))


ROUTINES = {
    **{
        _number(element.name): Routine(element.name, element.kind, node_count=max(element.node_counts))
        for element in elements_of("Ansys")
        if not element.name.startswith(_MESH_ONLY)
    },
    **{_number(name): Routine(name, None, role) for role, names in _NO_BODY.items() for name in names.split()},
}


#: Coupled-field solids and the structural ones that they are where KEYOPT(1) ends in 1 (11: structural-thermal).
_COUPLED = {225: 185, 226: 186, 227: 187}


def routine_of(number: int) -> Routine:
    """The element with that number; one of role "unknown" when it is not in the list."""
    return ROUTINES.get(number, Routine(f"element type {number}", None, "unknown"))


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
    deck.check_count(command, read_count, max(declared, read_count + 1) if line is None else declared, "element types")


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
        raise deck.wrong(command, f"{found} the number of an element type and its routine (186 of SOLID186).")
    given = {i: real(text) for i, text in enumerate(fields[2:], start=1) if text}
    # The fields are text by their format: names of options are none that the reader asks for.
    options = {option: value for option, value in given.items() if value is not None and abs(value) < 1e9}
    deck.types[number] = ElementType(routine, options, deck.source.place)
