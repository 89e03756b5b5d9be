"""ET, KEYOPT, EBLOCK, E, EN and EMORE."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import Format, parse_format, read_table
from flexmbs.mesh.readers.ansys.deck import Deck, Elements, ElementType, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, is_release
from flexmbs.mesh.readers.ansys.element_types import routine_of
from flexmbs.mesh.readers.ansys.sets import select_new

_CHUNK = 20000  # lines
_MOST_NODES = 500
_ON_FIRST_LINE = 8  # nodes that stand on the first line of an element, SOLID form
_HEAD = 11  # numbers before the nodes, SOLID form: material, type, real constants, section, system, ..., count, 0, number


@handles("ET")
def _et(deck: Deck, command: Command) -> None:
    number, text = command.integer(1), command.text(2)
    digits = re.search(r"\d+$", text)
    if text and digits is not None and (text[: digits.start()].isalpha() or not text[: digits.start()]):
        routine = int(digits[0][:9])
    elif text:
        routine = command.integer(2)
    else:
        raise MeshError(f"{command.where}: the name of the element type is missing (ET,{number},186).")
    options = {i + 1: command.number(3 + i, 0.0) for i in range(6) if command.text(3 + i)}
    deck.types[number] = ElementType(routine, options, command.place)


@handles("KEYO")
def _keyopt(deck: Deck, command: Command) -> None:
    number, option = command.integer(1), command.integer(2)
    known = deck.types.get(number)
    if known is None:
        raise MeshError(f"{command.where}: there is no element type {number}; an ET command must define it before.")
    known.options[option] = command.number(3, 0.0)


@handles("EBLO")
def _eblock(deck: Deck, command: Command) -> None:
    solid, count = command.text(2) == "SOLID", command.integer(4, 0)
    known = parse_format(deck.source.next_line() or "", f"{command.file}:{command.line + 1}: EBLOCK")
    if known.reals or len(known.integers) < (_HEAD + _ON_FIRST_LINE if solid else 7):
        raise MeshError(f"{command.where}: the format must have whole numbers only, 19 (SOLID) or at least 7.")
    reader = _ElementBlock(deck, command, known, solid)
    reader.read()
    if reader.read_count < count:
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: EBLOCK: the block ends after {reader.read_count} elements, but"
            f" its first line (line {command.line}) declares {count}; the file is cut off or the count is wrong."
        )


class _ElementBlock:
    """The lines of an EBLOCK; an element goes on in further lines when its nodes do not fit into the first."""

    def __init__(self, deck: Deck, command: Command, known: Format, solid: bool) -> None:
        self._deck, self._command, self._format, self._solid = deck, command, known, solid
        self._tail: list[str] = []
        self.read_count = 0

    def read(self) -> None:
        ended = False
        while not ended:
            lines, ended = self._lines()
            first = self._deck.source.line - len(lines) + (0 if ended else 1)
            if lines:
                self._take(lines, first, ended)

    def _lines(self) -> tuple[list[str], bool]:
        """More lines after those of an element that did not end, and whether the block ended."""
        source = self._deck.source
        lines, self._tail = self._tail, []
        more = source.number_lines(_CHUNK)
        if more:
            return lines + more, False
        line = source.next_line()
        if line is not None and re.match(r"\s*-1\s*($|,)", line):
            return lines, True
        what = "the file ends" if line is None else f"{line.strip()[:40]!r} stands"
        raise MeshError(
            f"{source.file}:{source.line}: EBLOCK: {what} within the block that begins in line {self._command.line};"
            " elements were expected, and -1 after the last."
        )

    def _take(self, lines: list[str], first: int, ended: bool) -> None:
        file = self._deck.source.file
        table, _ = read_table(lines, self._format, file, first, "EBLOCK")
        counts = table[:, 8] if self._solid else self._compact_counts(table, _filled(lines, self._format))
        heads, spans = self._heads(counts, len(lines), first, ended)
        if not ended:
            self._tail = lines[heads[-1] + spans[-1] :] if heads.size else lines
        if not heads.size:
            return
        nodes = self._nodes(table, heads, spans, counts[heads])
        if self._solid:
            attributes, ids = table[heads, :5], table[heads, 10]
        else:
            attributes, ids = table[heads][:, [3, 1, 2, 1, 4]], table[heads, 0]
            attributes[:, 1] = self._types_of(attributes[:, 1])
        self._add(ids, attributes, nodes, counts[heads], first + heads)

    def _heads(self, counts, line_count: int, first: int, ended: bool) -> tuple[np.ndarray, np.ndarray]:
        """Lines on which elements begin, and how many lines each takes."""
        on_first, on_others = self._places()
        spans = 1 + np.maximum(-(-(counts - on_first) // on_others), 0)
        steps, heads, at = spans.tolist(), [], 0
        while at < line_count:
            if not 0 < counts[at] <= _MOST_NODES:
                raise MeshError(
                    f"{self._deck.source.file}:{first + at}: EBLOCK: an element with {counts[at]} nodes; the line"
                    " does not match the format of the block."
                )
            if at + steps[at] > line_count:
                if ended:
                    raise MeshError(
                        f"{self._deck.source.file}:{self._deck.source.line}: EBLOCK: the block ends within the element"
                        f" of line {first + at}, which has {counts[at]} nodes; lines are missing."
                    )
                break
            heads.append(at)
            at += steps[at]
        return np.array(heads, np.int64), spans[heads]

    def _places(self) -> tuple[int, int]:
        """Nodes on the first line of an element and on its other lines."""
        width = len(self._format.integers)
        return (_ON_FIRST_LINE, width) if self._solid else (width - 5, width)

    def _compact_counts(self, table: np.ndarray, filled: np.ndarray) -> np.ndarray:
        """Nodes of each element: those on the line, or those of its type where the line is full."""
        on_line, width = filled - 5, len(self._format.integers) - 5
        counts = on_line.copy()
        for number in np.unique(table[filled == width + 5, 1]):
            known = self._deck.types.get(int(self._types_of(np.array([number]))[0]))
            needed = routine_of(known.routine).node_count if known else 0
            counts[(table[:, 1] == number) & (on_line == width)] = max(needed, width)
        return counts

    def _types_of(self, given: np.ndarray) -> np.ndarray:
        """Where no type has the number of the line, the active one is meant."""
        known = np.isin(given, list(self._deck.types))
        return np.where(known, given, self._deck.current["TYPE"])

    def _nodes(self, table, heads, spans, counts) -> np.ndarray:
        on_first, on_others = self._places()
        start = _HEAD if self._solid else 5
        longest = int(counts.max(initial=1))
        nodes = np.zeros((len(heads), max(longest, on_first)), np.int64)
        nodes[:, :on_first] = table[heads, start : start + on_first]
        for more in range(1, int(spans.max(initial=1))):
            rows = np.flatnonzero(spans > more)
            left = on_first + (more - 1) * on_others
            width = min(on_others, nodes.shape[1] - left)
            nodes[rows, left : left + width] = table[heads[rows] + more, :width]
        nodes = nodes[:, :longest]
        nodes[np.arange(longest) >= counts[:, None]] = 0
        return nodes

    def _add(self, ids, attributes, nodes, counts, lines) -> None:
        file = self._deck.source.file
        wrong = np.flatnonzero((ids <= 0) | (nodes[:, 0] <= 0) | (nodes < 0).any(axis=1)) if len(ids) else []
        if len(wrong):
            raise MeshError(
                f"{file}:{lines[wrong[0]]}: EBLOCK: element {ids[wrong[0]]} with the nodes"
                f" {nodes[wrong[0]][: counts[wrong[0]]].tolist()}; numbers must be positive."
            )
        self.read_count += len(ids)
        self._deck.add_elements(Elements(ids, attributes, nodes, counts, file, lines))
        select_new(self._deck, "ELEM", ids)


def _filled(lines: list[str], known: Format) -> np.ndarray:
    """How many fields of each line are given."""
    widths = np.cumsum(known.integers)
    ends = np.array([len(line.rstrip()) for line in lines])
    return np.minimum(np.searchsorted(widths, ends, side="left") + 1, len(widths))


@handles("E")
def _e(deck: Deck, command: Command) -> None:
    _add_one(deck, command, deck.highest_element + 1, command.integers(1), _attributes(deck))


@handles("EN")
def _en(deck: Deck, command: Command) -> None:
    """EN,number,nodes, or as CDWRITE writes it: EN,R5.x,ATTR,count,material,type,... and EN,R5.x,NODE,nodes."""
    if not is_release(command.text(1)):
        _add_one(deck, command, command.integer(1), command.integers(2), _attributes(deck))
    elif command.text(2) == "ATTR":
        values = command.integers(3)
        if values[:1] == [-1]:
            return  # how CDWRITE ends the elements
        if len(values) < 7:
            raise MeshError(f"{command.where}: ATTR needs the number of nodes, 5 attributes and the number of the element.")
        count, attributes, number = values[0], values[1:6], values[6]
        _add_one(deck, command, number, [], attributes, count)
    elif command.text(2) == "NODE" and deck.elements:
        own = deck.elements[-1]
        nodes = own.nodes[0][own.nodes[0] > 0].tolist() + command.integers(3)
        count = int(own.counts[0])
        own.nodes = np.array([(nodes + [0] * count)[:count]], np.int64)
    else:
        raise MeshError(f"{command.where}: the second argument must be ATTR or NODE, ATTR first.")


@handles("EMOR")
def _emore(deck: Deck, command: Command) -> None:
    if not deck.elements or len(deck.elements[-1].ids) != 1:
        raise MeshError(f"{command.where}: there is no E or EN command before it.")
    own = deck.elements[-1]
    nodes = np.array([[*own.nodes[0].tolist(), *command.integers(1)]], np.int64)
    if nodes.shape[1] > _MOST_NODES or (nodes < 0).any():
        raise MeshError(f"{command.where}: too many nodes, or negative numbers.")
    own.nodes, own.counts = nodes, np.array([nodes.shape[1]])


def _attributes(deck: Deck) -> list[int]:
    return [deck.current[name] for name in ("MAT", "TYPE", "REAL", "SECN", "ESYS")]


def _add_one(deck: Deck, command: Command, number: int, nodes: list[int], attributes, count: int | None = None) -> None:
    if count is None:
        while nodes and nodes[-1] == 0:
            nodes.pop()
        if not nodes:
            raise MeshError(f"{command.where}: the numbers of the nodes are missing.")
    if number <= 0 or any(node < 0 for node in nodes) or not 0 < (count or 1) <= _MOST_NODES:
        raise MeshError(f"{command.where}: element {number} with the nodes {nodes}; numbers must be positive.")
    given = np.array([nodes or [0] * (count or 1)], np.int64)
    counts = np.array([count or len(nodes)])
    deck.add_elements(
        Elements(np.array([number]), np.array([attributes], np.int64), given, counts, command.file, np.array([command.line]))
    )
    select_new(deck, "ELEM", np.array([number]))


@handles("TSHA", "ETCO")
def _tshape(deck: Deck, command: Command) -> None:
    """TSHAP says what the next target elements are; those of one node are pilot nodes anyway."""
