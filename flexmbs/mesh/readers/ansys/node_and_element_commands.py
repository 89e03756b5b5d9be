"""Nodes and elements: NBLOCK, N, EBLOCK, E, EN and EMORE."""

from __future__ import annotations

import math
import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.text_numbers import Format, read_table
from flexmbs.mesh.readers.ansys.deck import END_OF_BLOCK, Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command
from flexmbs.mesh.readers.ansys.element_types import routine_of

_LAST = r"-1\s*($|,)|N\s*,(\s*(R?\d\.\d|UNBL)\s*,\s*LOC\s*,)?\s*-1\b"
_END_OF_NODES = re.compile(rf"\s*({_LAST})", re.IGNORECASE)
_END_OF_ALL_NODES = re.compile(rf"\s*({_LAST}|(?P<next>[A-Z/*!]|$))", re.IGNORECASE)  # where all nodes were read: any command
_MOST_NODES = 500
_GIVEN_NODES = "nodes given"  # of an element whose EN,R5.x,ATTR says how many it has
_ON_FIRST_LINE = 8  # nodes that stand on the first line of an element, SOLID form
_HEAD = 11  # numbers before the nodes, SOLID form: material, type, real constants, section, system, ..., count, 0, number


@handles("NBLO")
def _nblock(deck: Deck, command: Command) -> None:
    source, count = deck.source, command.integer(4, 0)
    known = deck.format_line(command)
    if len(known.reals) < 3 or len(known.integers) not in (1, 3):
        raise command.wrong("the format must have 1 or 3 integers and at least 3 real numbers (6 values).")
    read = 0
    expected = "nodes were expected, and N,R5.3,LOC,-1, or -1"
    while lines := deck.block_lines(command, _END_OF_ALL_NODES if read and read >= count else _END_OF_NODES, expected):
        _add_nodes(deck, known, lines, source.line - len(lines) + 1)
        read += len(lines)
    deck.check_count(command, read, count, "nodes")


def _add_nodes(deck: Deck, known: Format, lines: list[str], first: int) -> None:
    file = deck.source.file
    integers, reals = read_table(lines, known, file, first, "NBLOCK")
    ids = integers[:, 0]
    wrong = np.flatnonzero(ids <= 0)
    if wrong.size:
        raise MeshError(f"{file}:{first + wrong[0]}: NBLOCK: node number {ids[wrong[0]]}; it must be positive.")
    deck.add_nodes(ids, reals[:, :3], file, first + np.arange(len(ids)))
    turned = (reals[:, 3:6] != 0.0).any(axis=1)
    if reals.shape[1] >= 6 and turned.any():
        deck.angles.append((ids[turned], reals[turned, 3:6]))


@handles("N")
def _node(deck: Deck, command: Command) -> None:
    """N,number,x,y,z,angles, or as CDWRITE writes it: N,R5.3,LOC,number,x,y,z and N,R5.3,ANG,number,angles."""
    form, command = command.coded()
    if form[:3] == "ANG":
        deck.angles.append((np.array([command.integer(1)]), np.array([command.numbers(2, 3)])))
        return
    if not command.text(1) or "(" in "".join(command.arguments):
        raise command.wrong("the number of the node must be given as a number; write the mesh with CDWRITE,DB.")
    number = command.integer(1)
    if number == -1:
        return  # the end line of a block
    if number <= 0:
        raise command.wrong(f"node number {number}; it must be positive.")
    point, angles = command.numbers(2, 3), command.numbers(5, 3)
    if not form:
        point = _in_active_system(deck, command, point)
        if any(angles) and deck.current["CSYS"]:
            raise command.wrong("rotation angles are supported in the global system only; write the mesh with CDWRITE,DB.")
    deck.add_nodes(np.array([number]), np.array([point]), command.file, np.array([command.line]))
    if any(angles):
        deck.angles.append((np.array([number]), np.array([angles])))


def _in_active_system(deck: Deck, command: Command, point: list[float]) -> list[float]:
    active = deck.current["CSYS"]
    system = deck.system(active)
    if system is None:
        raise command.wrong(f"coordinate system {active} is active, but no LOCAL or CS defines it.")
    if active == 0:
        return point
    first, second, third = point
    if system.kind == "cylindrical":
        point = [first, math.radians(second), third]
    elif system.kind == "spherical":  # Ansys: radius, azimuth, elevation
        point = [first, math.radians(90.0 - third), math.radians(second)]
    return system.points(np.array([point]))[0].tolist()


@handles("EBLO")
def _eblock(deck: Deck, command: Command) -> None:
    solid, count = command.text(2) == "SOLID", command.integer(4, 0)
    known = deck.format_line(command)
    if known.reals or len(known.integers) < (_HEAD + _ON_FIRST_LINE if solid else 7):
        raise command.wrong("the format must have whole numbers only, 19 (SOLID) or at least 7.")
    block = _ElementBlock(deck, command, known, solid)
    block.read()
    deck.check_count(command, block.read_count, count, "elements")


class _ElementBlock:
    """The lines of an EBLOCK; an element goes on in further lines when its nodes do not fit into the first."""

    def __init__(self, deck: Deck, command: Command, known: Format, solid: bool) -> None:
        self._deck, self._source, self._command = deck, deck.source, command
        self._format, self._solid = known, solid
        width = len(known.integers)
        # Numbers before the nodes, and nodes on the first line of an element and on its other lines.
        self._head, self._on_first, self._on_others = (_HEAD, _ON_FIRST_LINE, width) if solid else (5, width - 5, width)
        self.read_count = 0

    def read(self) -> None:
        tail: list[str] = []  # lines of an element that did not end
        ended = False
        while not ended:
            more = self._deck.block_lines(self._command, END_OF_BLOCK, "elements were expected, and -1")
            ended = not more
            lines = tail + more
            tail = self._take(lines, self._source.line - len(lines) + (0 if ended else 1), ended) if lines else []

    def _take(self, lines: list[str], first: int, ended: bool) -> list[str]:
        """Read the elements of lines, of which ``first`` is the number of the first; the lines of one that goes on."""
        file = self._source.file
        table, _ = read_table(lines, self._format, file, first, "EBLOCK")
        counts = table[:, 8] if self._solid else self._compact_counts(table, lines)
        heads, spans = self._heads(counts, first, ended)
        if not heads.size:
            return lines
        nodes = self._nodes(table, heads, spans, counts[heads])
        if self._solid:
            attributes, ids = table[heads, :5], table[heads, 10]
        else:
            attributes, ids = table[heads][:, [3, 1, 2, 1, 4]], table[heads, 0]
            attributes[:, 1] = self._types_of(attributes[:, 1])
        data = {"attributes": attributes, "counts": counts[heads]}
        self._add(ElementRows(None, "", ids, nodes, file, first + heads, data=data))
        return lines[heads[-1] + spans[-1] :]

    def _heads(self, counts: np.ndarray, first: int, ended: bool) -> tuple[np.ndarray, np.ndarray]:
        """Lines on which elements begin, and how many lines each takes."""
        spans = 1 + np.maximum(-(-(counts - self._on_first) // self._on_others), 0)
        steps, heads, at = spans.tolist(), [], 0
        while at < len(steps):
            if not 0 < counts[at] <= _MOST_NODES:
                found = f"{self._source.file}:{first + at}: EBLOCK: an element with {counts[at]} nodes"
                raise MeshError(f"{found}; the line does not match the format of the block.")
            if at + steps[at] > len(steps):
                if ended:
                    what = f"the element of line {first + at}, which has {counts[at]} nodes"
                    raise self._deck.wrong(self._command, f"the block ends within {what}; lines are missing.")
                break
            heads.append(at)
            at += steps[at]
        return np.array(heads, np.int64), spans[heads]

    def _compact_counts(self, table: np.ndarray, lines: list[str]) -> np.ndarray:
        """Nodes of each element: those on the line, or those of its type where the line is full."""
        widths, ends = np.cumsum(self._format.integers), np.array([len(line.rstrip()) for line in lines])
        counts = np.minimum(np.searchsorted(widths, ends, side="left") + 1, len(widths)) - self._head
        full = counts == self._on_first
        for number in np.unique(table[full, 1]):
            known = self._deck.types.get(int(self._types_of(np.array([number]))[0]))
            needed = routine_of(known.routine).node_count if known else 0
            counts[full & (table[:, 1] == number)] = max(needed, self._on_first)
        return counts

    def _types_of(self, given: np.ndarray) -> np.ndarray:
        """Where no type has the number of the line, the active one is meant."""
        known = np.isin(given, list(self._deck.types))
        return np.where(known, given, self._deck.current["TYPE"])

    def _nodes(self, table: np.ndarray, heads: np.ndarray, spans: np.ndarray, counts: np.ndarray) -> np.ndarray:
        longest, on_first = int(counts.max()), self._on_first
        nodes = np.zeros((len(heads), max(longest, on_first)), np.int64)
        nodes[:, :on_first] = table[heads, self._head : self._head + on_first]
        for more in range(1, int(spans.max())):
            rows = np.flatnonzero(spans > more)
            left = on_first + (more - 1) * self._on_others
            width = min(self._on_others, nodes.shape[1] - left)
            nodes[rows, left : left + width] = table[heads[rows] + more, :width]
        nodes = nodes[:, :longest]
        nodes[np.arange(longest) >= counts[:, None]] = 0
        return nodes

    def _add(self, own: ElementRows) -> None:
        wrong = np.flatnonzero((own.ids <= 0) | (own.nodes[:, 0] <= 0) | (own.nodes < 0).any(axis=1))
        if wrong.size:
            row = wrong[0]
            found = f"element {own.ids[row]} with the nodes {own.nodes[row][: own.data['counts'][row]].tolist()}"
            raise MeshError(f"{own.where(row)}: EBLOCK: {found}; numbers must be positive.")
        self.read_count += len(own.ids)
        self._deck.add_elements(own)


@handles("E")
def _e(deck: Deck, command: Command) -> None:
    _add_one(deck, command, deck.highest_element + 1, _without_last_zeros(command.integers(1), command))


@handles("EN")
def _en(deck: Deck, command: Command) -> None:
    """EN,number,nodes, or as CDWRITE writes it: EN,R5.x,ATTR,count,material,type,... and EN,R5.x,NODE,nodes."""
    form, command = command.coded()
    if not form:
        _add_one(deck, command, command.integer(1), _without_last_zeros(command.integers(2), command))
    elif form == "ATTR":
        values = command.integers(1)
        if values[:1] == [-1]:
            return  # how CDWRITE ends the elements
        if len(values) < 7 or not 0 <= values[0] <= _MOST_NODES:
            raise command.wrong("ATTR needs the number of nodes, 5 attributes and the number of the element.")
        _add_one(deck, command, values[6], [0] * values[0], values[1:6])
        deck.current[_GIVEN_NODES] = 0
    elif form == "NODE" and deck.elements and len(deck.elements[-1].ids) == 1:
        nodes, start = deck.elements[-1].nodes[0], deck.current.get(_GIVEN_NODES, 0)
        given = command.integers(1)[: len(nodes) - start]
        nodes[start : start + len(given)] = given
        deck.current[_GIVEN_NODES] = start + len(given)
    else:
        raise command.wrong("the second argument must be ATTR or NODE, ATTR first.")


@handles("EMOR")
def _emore(deck: Deck, command: Command) -> None:
    if not deck.elements or len(deck.elements[-1].ids) != 1:
        raise command.wrong("there is no E or EN command before it.")
    own = deck.elements[-1]
    nodes = np.array([[*own.nodes[0].tolist(), *command.integers(1)]], np.int64)
    if nodes.shape[1] > _MOST_NODES or (nodes < 0).any():
        raise command.wrong("too many nodes, or negative numbers.")
    own.nodes, own.data["counts"] = nodes, np.array([nodes.shape[1]])


def _without_last_zeros(nodes: list[int], command: Command) -> list[int]:
    while nodes and nodes[-1] == 0:
        nodes.pop()
    if not nodes:
        raise command.wrong("the numbers of the nodes are missing.")
    return nodes


def _add_one(deck: Deck, command: Command, number: int, nodes: list[int], attributes: list[int] | None = None) -> None:
    if number <= 0 or any(node < 0 for node in nodes):
        raise command.wrong(f"element {number} with the nodes {nodes}; numbers must be positive.")
    attributes = attributes or [deck.current[name] for name in ("MAT", "TYPE", "REAL", "SECN", "ESYS")]
    data = {"attributes": np.array([attributes], np.int64), "counts": np.array([len(nodes)])}
    ids, given, lines = np.array([number]), np.array([nodes], np.int64), np.array([command.line])
    deck.add_elements(ElementRows(None, "", ids, given, command.file, lines, data=data))
