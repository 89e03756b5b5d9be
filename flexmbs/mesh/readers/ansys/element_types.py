"""Element types (ET, KEYOPT, ETBLOCK) and the element library of Ansys, and the elements of a deck by what they truly are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from string import ascii_uppercase

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import elements_of
from flexmbs.mesh.reader_tools.element_blocks import TrueElements
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.text_numbers import integer, real
from flexmbs.mesh.readers.ansys.deck import END_OF_BLOCK, Deck, ElementType, attributes_of, handles
from flexmbs.mesh.readers.ansys.deck_text import Command


@dataclass(frozen=True)
class Routine:
    """An element of the library, such as SOLID186.

    Its kind is that of the full number of its nodes; what is no part of a body has none, but a role as in
    ``UnsupportedElements``, or "mass" or "rigid". One node more than ``node_count`` may give the orientation of a beam.
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
_OF_BODY = [element for element in elements_of("Ansys") if not element.name.startswith(_MESH_ONLY)]
_ROUTINES = {
    int(routine.name.lstrip(ascii_uppercase)): routine
    for routine in (
        *(Routine(element.name, element.kind, node_count=max(element.node_counts)) for element in _OF_BODY),
        *(Routine(name, None, role) for role, names in _NO_BODY.items() for name in names.split()),
    )
}
#: Coupled-field solids and the structural ones that they are where KEYOPT(1) ends in 1 (11: structural-thermal).
_COUPLED = {225: 185, 226: 186, 227: 187}


def routine_of(number: int) -> Routine:
    """The element with that number; one of role "unknown" when it is not in the list."""
    return _ROUTINES.get(number, Routine(f"element type {number}", None, "unknown"))


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


@handles("ET")
def _et(deck: Deck, command: Command) -> None:
    number, text = command.integer(1), command.text(2)
    if not text:
        raise command.wrong(f"the name of the element type is missing (ET,{number},186).")
    named = re.fullmatch(r"[^\W\d_]*?(\d{1,9})\d*", text)  # SOLID186 or 186
    options = {i + 1: value for i, value in command.given(3, 6).items()}
    deck.types[number] = ElementType(int(named[1]) if named else command.integer(2), options, command.place)


@handles("KEYO")
def _keyopt(deck: Deck, command: Command) -> None:
    number, option = command.integer(1), command.integer(2)
    if number not in deck.types:
        raise command.wrong(f"there is no element type {number}; an ET command must define it before.")
    deck.types[number].options[option] = command.number(3, 0.0)


_FORMAT = re.compile(r"\(2I([1-9]\d?),(\d{1,2})A([1-9]\d?)\)", re.IGNORECASE)


@handles("ETBL")
def _etblock(deck: Deck, command: Command) -> None:
    """ETBLOCK,types,highest; a format such as (2i9,19a9); of each type: number, routine, key options; -1."""
    text = (deck.source.next_line() or "").strip()
    known = _FORMAT.fullmatch(text.replace(" ", ""))
    if known is None:
        raise deck.wrong(command, f"'{text[:40]}' is not the format of a block, such as (2i9,19a9).")
    ends = [0, *accumulate((int(known[1]), int(known[1]), *[int(known[3])] * int(known[2])))]
    read_count = 0
    while (line := deck.source.next_line()) is not None and not END_OF_BLOCK.match(line):
        _take(deck, command, [line[start:end].strip() for start, end in pairwise(ends)])
        read_count += 1
    declared = command.integer(1, 0)
    deck.check_count(command, read_count, max(declared, read_count + 1) if line is None else declared, "element types")


def _take(deck: Deck, command: Command, fields: list[str]) -> None:
    number, routine = integer(fields[0]), integer(fields[1])
    if number is None or routine is None or number <= 0 or routine <= 0:
        found = f"'{fields[0]}' and '{fields[1]}' were found instead of"
        raise deck.wrong(command, f"{found} the number of an element type and its routine (186 of SOLID186).")
    given = {i: real(text) for i, text in enumerate(fields[2:], start=1) if text}
    # The fields are text by their format: names of options are none that the reader asks for.
    options = {option: value for option, value in given.items() if value is not None and abs(value) < 1e9}
    deck.types[number] = ElementType(routine, options, deck.source.place)


@dataclass
class Sorted:
    """All elements, with indices of nodes: those of the body, and those that are none, whose roles say what they are.

    Their data has "orientation", of beams the third node or -1.
    """

    true: TrueElements
    structural: list[ElementRows] = field(default_factory=list)
    others: list[ElementRows] = field(default_factory=list)


def sort_elements(deck: Deck) -> Sorted:
    """Give every element its true kind.

    Raises MeshError for elements of a type that no ET defines, and with a number of nodes that their type cannot have,
    and when there are none of a body.
    """
    elements, mesh_only = Sorted(TrueElements(deck.nodes.ids, deck.nodes.points)), []
    for given in _with_same_attributes(deck):
        rows = _typed(deck, given)
        for part in elements.true.of(rows) if rows.kind else [rows]:
            of_body = mesh_only if part.type_name == "MESH200" else elements.structural
            (of_body if part.kind else elements.others).append(part)
    deck.warnings.update(dict.fromkeys(elements.true.warnings))
    if mesh_only and not elements.structural:
        deck.warn(f"{mesh_only[0].where(0)}: the elements are MESH200 (mesh only); they are read as structural elements.")
        highest = max(KINDS[rows.kind].dimension for rows in mesh_only)
        elements.structural = [rows for rows in mesh_only if KINDS[rows.kind].dimension == highest]
        mesh_only = [rows for rows in mesh_only if KINDS[rows.kind].dimension < highest]
    elements.others += [replace(rows, kind=None, role="geometry") for rows in mesh_only]  # names places on other elements
    if not elements.structural:
        held = ", ".join(dict.fromkeys(f"{rows.type_name} ({rows.role})" for rows in elements.others[:2000]))
        what = f"no element in the deck {deck.source.path.name} can form a flexible body; it has {held}"
        where = elements.others[0].where(0)
        raise MeshError(f"{where}: ET: {what}. Three-dimensional solids, shells, beams or trusses are required.")
    return elements


def _with_same_attributes(deck: Deck) -> Iterator[ElementRows]:
    """The elements in groups with the same attributes and number of nodes; those of single commands are put together first."""
    for file, run in groupby(deck.elements, key=_file_of_one):
        for own in run if file is None else [_joined(list(run))]:
            counts = own.data["counts"]
            keys, which = np.unique(np.column_stack([own.data["attributes"], counts]), axis=0, return_inverse=True)
            for number, count in enumerate(keys[:, 5].tolist()):
                chosen = np.flatnonzero(which.ravel() == number)
                yield own.take(chosen, nodes=own.nodes[chosen, :count])


def _file_of_one(elements: ElementRows) -> str | None:
    return elements.file if len(elements.ids) == 1 else None


def _joined(run: list[ElementRows]) -> ElementRows:
    width = max(own.nodes.shape[1] for own in run)
    nodes = np.concatenate([np.pad(own.nodes, ((0, 0), (0, width - own.nodes.shape[1]))) for own in run])
    ids, lines = np.concatenate([own.ids for own in run]), np.concatenate([own.lines for own in run])
    data = {name: np.concatenate([own.data[name] for own in run]) for name in run[0].data}
    return replace(run[0], ids=ids, nodes=nodes, lines=lines, data=data)


def _typed(deck: Deck, rows: ElementRows) -> ElementRows:
    """Elements with the same attributes with their kind or role, and indices of nodes."""
    number = attributes_of(rows)[1]
    if number not in deck.types:
        what = f"element {rows.ids[0]} has type {number}, which no ET command defines"
        raise MeshError(f"{rows.where(0)}: {what}; add ET with the name of the element (ET,1,SOLID186).")
    known = deck.types[number]
    routine = routine_of_type(deck, known)
    kind = mesh_only_kind(known.option(1)) if routine.name == "MESH200" else routine.kind
    rows = replace(rows, kind=kind, type_name=routine.name, role="" if kind else routine.role)
    rows = (_shaped(deck, rows) if kind else rows).with_indices(deck.nodes)
    if rows.kind and KINDS[rows.kind].dimension == 2:
        rows.data["corners"] = rows.nodes[:, : KINDS[rows.kind].corner_count]  # to which thicknesses belong
    return rows


def _shaped(deck: Deck, rows: ElementRows) -> ElementRows:
    """The elements with the kind and nodes of their number; what beams have more is their orientation node."""
    count, needed = rows.nodes.shape[1], KINDS[rows.kind].node_count
    if count > needed:
        orientation = np.full(len(rows.nodes), -1)
        given = np.flatnonzero(rows.nodes[:, needed]) if rows.kind.startswith("beam") else []
        if len(given):
            orientation[given] = deck.nodes.indices(rows.nodes[given, needed], rows.where(given[0]), "the orientation of a beam")
        return replace(rows, nodes=rows.nodes[:, :needed], data={**rows.data, "orientation": orientation})
    kind = _with_fewer_nodes(rows.kind, count) or rows.kind if count < needed else rows.kind
    if count < KINDS[kind].corner_count:
        what = f"{rows.where(0)}: element {rows.ids[0]} ({rows.type_name}) has {count} nodes"
        raise MeshError(f"{what}; it needs at least {KINDS[kind].corner_count}.")
    return replace(rows, kind=kind, nodes=np.pad(rows.nodes, ((0, 0), (0, KINDS[kind].node_count - count))))


def _with_fewer_nodes(kind: str, count: int) -> str | None:
    """The kind of an element with fewer nodes than its type has (some exporters write SOLID186 with 15: a wedge)."""
    whole = KINDS[kind]
    for name, known in KINDS.items():
        same_order = known.has_middle_nodes == whole.has_middle_nodes or whole.dimension == 2
        smaller = known.dimension == whole.dimension >= 2 and known.corner_count < whole.corner_count
        if smaller and same_order and known.node_count == count:
            return name
    return None
