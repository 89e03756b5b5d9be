"""Nodes and elements: their cards, and the element types of Abaqus and CalculiX (kind, number of nodes, node order)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.element_names import FileElement, elements_of
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.cards import Card, Segment, Table, integer, joined, read_table
from flexmbs.mesh.readers.abaqus.deck import Deck, add_set


@dataclass(frozen=True)
class ElementType:
    """One element type of the format."""

    name: str = ""
    kind: str | None = None  # a name in ``KINDS``; None for types that are not structural (``role`` says why)
    counts: tuple[int, ...] | None = None  # numbers of nodes that an element may have; None: as many as its line gives
    order: tuple[int, ...] | None = None  # which of the file's nodes come in which place (VTK order); None: as they are
    role: str = ""
    shape: str = ""  # kind of a face that elements without ``kind`` may be on a solid ("tri3")
    family: str = ""  # which section card it takes: solid, shell, membrane, beam, truss, spring, dashpot, joint, mass
    left_out: str = ""  # what is dropped of it (where it has more nodes than ``order``), for a warning


def _surfaces(pattern: str, role: str, highest: int = 8) -> list[tuple[str, ElementType]]:
    """Types of surfaces, which may be faces of solids: one for each number of nodes {n}."""
    counts = {row.node_count: kind for kind, row in KINDS.items() if row.dimension == 2 and row.node_count <= highest}
    return [(pattern.replace("{n}", str(n)), ElementType(role=role, counts=(n,), shape=kind)) for n, kind in counts.items()]


_FAMILIES = {"M3D": "membrane", "DASHPOT": "dashpot", "SPRING": "spring"}  # of others the dimension says it
_WHOLE_NAME = re.compile(r"STRI|SPRING|DASHPOT|S\dR5")  # names that take no letters
_FACE_CENTRES = "the nodes in the middle of its faces and volume are left out"
_CONTINUUM_SHELL = "continuum shells are read as solids"
# Types that are not in the table of kinds; the first pattern that fits the whole name wins.
_PATTERNS: list[tuple[str, ElementType]] = [
    *_surfaces(r"(CPS|CPE|CPEG){n}[A-Z]*", "plane"),
    *_surfaces(r"(CAX|CGAX){n}[A-Z]*", "axisymmetric"),
    *_surfaces(r"SFM3D{n}[A-Z]*", "geometry"),
    *_surfaces(r"R3D{n}[A-Z]*", "geometry", highest=4),
    (r"MASS|ROTARYI", ElementType(role="mass", counts=(1,), family="mass")),
    (r"JOINTC", ElementType(kind="spring2", counts=(2,), family="joint")),  # springs in all directions, unlike SPRING2
    (r"DCOUP3D", ElementType(role="connector", counts=(1,), family="distributing")),
    (r"RB3D2[A-Z]*", ElementType(role="geometry", counts=(2,), shape="line2")),
    (r"D", ElementType(role="fluid", counts=(3,))),  # network elements of CalculiX
    (r"HEATCAP", ElementType(role="thermal", counts=(1,))),
    *(
        (pattern, ElementType(role=role))
        for role, pattern in (
            ("axisymmetric", r"(SAX|MAX|MGAX|SFMAX|SFMGAX|RAX|DSAX|DCAX|ACAX|CAXA|SAXA)\d.*"),
            ("plane", r"(B2\d|PIPE2\d|T2D\d|R2D2|RB2D2|WARP2D\d|COH2D4|CONN2D2|GK2D\d|GKPS\d|GKPE\d|CINPE\d|CINPS\d)[A-Z]*"),
            ("fluid", r"(AC(2D|3D|IN3D|IN2D|AX)|F2D|F3D|FC3D|FAX)\d+[A-Z]*"),
            ("fluid", r"(FLINK|FP3D\d|FPC3D\d|FPT3D\d|EC3D8R|EC3D8RT|PC3D)"),
            ("thermal", r"(DC1D|DC2D|DC3D|DCC1D|DCC2D|DCC3D|DS|DGAP)\d+[A-Z]*"),
            ("contact", r"(GAP|ITT|ITS|ISL|IRS|ISP|PSI|ASI|DRAG|LS)[A-Z0-9]*"),
            ("connector", r"(CONN3D2|COH3D\d+P?|GK3D\d+[A-Z]*|FRAME3D|TUBE\d+|ESPRNG[A-Z0-9]*|JOINT3D)"),
        )
    ),
]


@cache
def element_type(name: str) -> ElementType:
    """The type of that name (upper case); an unknown one has the role "unknown".

    Letters after the number of nodes (R, I, H, T, M, E, P, ...) choose integration and coupled fields for the same nodes.
    """
    for end in range(len(name), 0, -1):  # the longest name of the table with only letters after it
        for element in elements_of("Abaqus"):
            if element.name == name[:end] and (end == len(name) or not _WHOLE_NAME.match(element.name)):
                return _structural(name, element)
        if not name[end - 1].isalpha():
            break
    for pattern, known in _PATTERNS:
        if re.fullmatch(pattern, name):
            return replace(known, name=name)
    return ElementType(name, role="unknown")


def _structural(name: str, element: FileElement) -> ElementType:
    known = KINDS[element.kind]
    is_longer = max(element.node_counts) > known.node_count and not known.is_beam  # the last node of beams orients the section
    order = element.order if is_longer or element.order != tuple(range(known.node_count)) else None
    left_out = _FACE_CENTRES if is_longer else _CONTINUUM_SHELL if name.startswith(("SC", "CSS")) else ""
    family = {3: "solid", 2: "shell", 1: "beam" if known.is_beam else "truss"}.get(known.dimension, "")
    family = next((own for start, own in _FAMILIES.items() if name.startswith(start)), family)
    return ElementType(name, element.kind, element.node_counts, order, family=family, left_out=left_out)


def read_nodes(deck: Deck, card: Card) -> None:
    """*NODE [, NSET=name] [, SYSTEM=R|C]: number, x, y, z (or r, angle in degrees, z)."""
    system = card.option("SYSTEM", "R")
    if system not in ("R", "C"):
        raise MeshError(f"{card.where} with SYSTEM={system} is not supported; write x, y, z or cylindrical coordinates.")
    numbers = [np.empty(0, np.int64)]
    for segment in card.segments:
        table = read_table(segment, float, card.title, "a node: number, x, y, z")
        _check_node_lines(deck, table)
        _warn_of_end(deck, card, segment)
        rows = table.rows(4)
        ids = rows[:, 0].astype(np.int64)
        wrong = np.flatnonzero((rows[:, 0] != ids) | (ids < 1))
        if wrong.size:
            raise MeshError(f"{table.where(wrong[0])}: node number {rows[wrong[0], 0]:g} must be a positive whole number.")
        points = np.ascontiguousarray(rows[:, 1:])
        if system == "C":
            points = CoordinateSystem("", "cylindrical", np.zeros(3), np.eye(3)).points(points * [1.0, np.pi / 180.0, 1.0])
        deck.scope.add_nodes(ids, points, segment.file, table.lines)
        numbers.append(ids)
    add_set(deck.scope.node_sets, card, "NSET", numbers)


def _check_node_lines(deck: Deck, table: Table) -> None:
    """Too many or too few entries; a last line that the file's end cuts off."""
    counts = table.counts
    cut = table.segment.ends_file and len(counts) > 1 and counts[-1] < min(4, counts[:-1].min())
    if cut or (counts > 7).any():
        row = -1 if cut else int(np.argmax(counts > 7))
        end = " The file ends there: it is cut off." if cut else ""
        raise MeshError(f"{table.where(row)}: a node must be 'number, x, y, z', got {counts[row]} entries.{end}")
    bare = np.flatnonzero((counts == 1) & ~table.continued)
    if bare.size:
        deck.warn(f"{table.where(bare[0])}: {bare.size} nodes without coordinates lie at the origin, as in Abaqus.")


def _warn_of_end(deck: Deck, card: Card, segment: Segment) -> None:
    if segment.ends_file:
        deck.warn(f"{card.where}: {segment.file} ends with its data and without a line end; it may be cut off.")


def read_elements(deck: Deck, card: Card) -> None:
    """*ELEMENT, TYPE=type [, ELSET=name]: number, nodes; an element may take several lines."""
    kind = element_type(card.required_name("TYPE").replace(" ", ""))
    if kind.role == "unknown":
        deck.warn(f"{card.where}: element type {kind.name} is unknown; its elements are not part of the body.")
    elif kind.left_out and kind.order is None:
        deck.warn(f"{card.where}: {kind.name}: {kind.left_out}.")
    numbers, tables = [np.empty(0, np.int64)], []
    for segment in card.segments:
        if deck.instances and deck.scope is deck.root and read_table(segment, np.int64) is None:
            numbers.append(_named_elements(deck, card, kind, segment))
            continue
        table = read_table(segment, np.int64, card.title, "element and node numbers")
        if len(table.values):
            _warn_of_end(deck, card, segment)
            goes_on = tables and tables[-1].continued[-1] and tables[-1].segment.file == segment.file  # behind a comment line
            tables.append(joined([tables.pop(), table]) if goes_on else table)
    for table in tables:
        for rows, lines in _element_rows(deck, kind, table):
            _add_elements(deck, card, kind, rows, table.segment.file, lines)
            numbers.append(rows[:, 0])
    add_set(deck.scope.element_sets, card, "ELSET", numbers)


def _named_elements(deck: Deck, card: Card, kind: ElementType, segment: Segment) -> np.ndarray:
    """Elements of the assembly, one in each line, whose nodes may be those of instances (ROD-1.5) or ground."""
    numbers = []
    for line in segment.lines():
        number, *nodes = [entry.strip() for entry in line.text.rstrip(",").split(",")]
        if kind.counts and len(nodes) not in kind.counts:
            raise MeshError(f"{card.at(line)}: {_wrong_count(kind, number[:20], len(nodes))}")
        numbers.append(integer(number, card.at(line), "element number"))
        order = list(kind.order or range(len(nodes)))[: min(kind.counts or (len(nodes),))]
        ids, names, lines = np.array(numbers[-1:]), np.array([nodes], object)[:, order], np.array([line.number])
        data = {"orienting": np.array(nodes[-1:], object)} if _is_oriented(kind, len(nodes)) else {}
        deck.scope.named_elements.append(ElementRows(kind.kind, kind.name, ids, names, line.file, lines, kind.role, data))
    return np.array(numbers, np.int64)


def _is_oriented(kind: ElementType, node_count: int) -> bool:
    """Whether the last node of elements with so many says how a beam is turned about its line."""
    return bool(kind.kind and KINDS[kind.kind].is_beam and node_count == max(kind.counts))


def _wrong_count(kind: ElementType, number: object, count: int) -> str:
    wanted = " or ".join(map(str, kind.counts or ("at least one",)))
    return f"element {number} of type {kind.name} has {count} nodes, needs {wanted}."


def _add_elements(deck: Deck, card: Card, kind: ElementType, rows: np.ndarray, file: str, lines: np.ndarray) -> None:
    ids, nodes, scope = rows[:, 0].copy(), rows[:, 1:], deck.scope
    if (ids < 1).any():
        row = int(np.argmax(ids < 1))
        raise MeshError(f"{file}:{lines[row]}: {card.title}: element number {ids[row]} must be positive.")
    data = {"orienting": nodes[:, -1].copy()} if _is_oriented(kind, nodes.shape[1]) else {}
    if kind.order:
        if kind.left_out and nodes.shape[1] > len(kind.order):
            deck.warn(f"{card.where}: {kind.name}: {kind.left_out}.")
        nodes = nodes[:, list(kind.order)]
    elif kind.counts:
        nodes = nodes[:, : min(kind.counts)]
    scope.groups.append(ElementRows(kind.kind, kind.name, ids, nodes.copy(), file, lines, kind.role, data))


def _element_rows(deck: Deck, kind: ElementType, table: Table) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(rows with number and nodes, line of each) of the elements with one number of nodes each."""
    if kind.counts is not None and len(kind.counts) == 1:
        yield _fixed_rows(deck, kind, table)
        return
    ends = np.union1d(np.flatnonzero(~_goes_on(kind, table)) + 1, [len(table.counts)])
    starts = np.concatenate([[0], ends[:-1]])
    before = np.concatenate([[0], np.cumsum(table.counts)])
    sizes = before[ends] - before[starts]
    for size in np.unique(sizes):
        chosen = starts[sizes == size]
        if not (size >= 2 if kind.counts is None else size - 1 in kind.counts):
            number = table.values[before[chosen[0]]]
            raise MeshError(f"{table.where(chosen[0])}: {_wrong_count(kind, number, size - 1)}")
        yield table.values[before[chosen][:, None] + np.arange(size)], table.lines[chosen]


def _goes_on(kind: ElementType, table: Table) -> np.ndarray:
    """(k,) bool: the element goes on in the next line: there is a comma, and it lacks nodes, or optional ones follow."""
    going = table.continued.copy()
    if kind.counts is not None and going.any():
        least, most = min(kind.counts) + 1, max(kind.counts) + 1
        counts = [*table.counts.tolist(), least]
        total = 0
        for row, more in enumerate(table.continued.tolist()):
            total += counts[row]
            optional = counts[row + 1] < least and total + counts[row + 1] <= most
            going[row] = more and (total < least or optional)
            total = total if going[row] else 0
    return going


def _fixed_rows(deck: Deck, kind: ElementType, table: Table) -> tuple[np.ndarray, np.ndarray]:
    """As ``_element_rows`` for types with one number of nodes, whose elements may go on in any line."""
    width, counts, values = kind.counts[0] + 1, table.counts, table.values
    if (counts == width).all():
        return values.reshape(-1, width), table.lines
    surplus = int(counts[0]) - width
    if surplus > 0 and len(counts) > 1 and table.continued.all() and (counts == counts[0]).all():
        # Lines of a larger type whose continuation lines were taken out: CalculiX takes the first nodes.
        doubt = f"each line of type {kind.name} has {surplus} extra nodes"
        deck.warn(f"{table.where(0)}: {doubt}; they are ignored, as in CalculiX.")
        return table.rows(width), table.lines
    before = np.cumsum(counts) - counts
    element_starts = np.arange(0, len(values), width)
    row = np.minimum(np.searchsorted(before, element_starts), len(before) - 1)
    aligned = before[row] == element_starts
    if len(values) % width == 0 and aligned.all():
        return values.reshape(-1, width), table.lines[row]
    first = row[len(row) - 1 if aligned.all() else int(np.argmin(aligned)) - 1]  # line of the first wrong element
    end = ", and the data ends before it is complete." if aligned.all() else " and what follows."
    wanted = f"element {values[before[first]]} of type {kind.name} needs its number and {width - 1} nodes"
    raise MeshError(f"{table.where(first)}: {wanted}, got {counts[first]} numbers in this line{end}")
