"""CMBLOCK, CM, CMGRP, CMDELE and the selections."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import parse_format, read_table
from flexmbs.mesh.readers.ansys.commands import Command
from flexmbs.mesh.readers.ansys.deck import Component, Deck
from flexmbs.mesh.readers.ansys.selection import SELECTION_COMMANDS, all_ids, selected_ids

_CHUNK = 20000
_ENTITIES = {"NODE": "NODE", "ELEM": "ELEM", "ELEMENT": "ELEM", "NODES": "NODE"}
_OF_GEOMETRY = ("KP", "LINE", "AREA", "VOLU")


def _cmblock(deck: Deck, command: Command) -> None:
    """CMBLOCK,name,NODE|ELEM,count; a format line; numbers, a negative one ends a range that the one before begins."""
    name, entity, count = command.text(1), _ENTITIES.get(command.text(2)), command.integer(3)
    geometry = command.text(2)[:4] in _OF_GEOMETRY
    if not name or (entity is None and not geometry):
        raise MeshError(f"{command.where}: a name and NODE or ELEM are required.")
    source = deck.source
    known = parse_format(source.next_line() or "", f"{command.file}:{command.line + 1}: CMBLOCK")
    if known.reals or count < 0:
        raise MeshError(f"{command.where}: the format must have whole numbers, and the count must not be negative.")
    left = -(-count // len(known.integers))
    numbers = []
    while left > 0:
        lines = [_line(deck, command, count) for _ in range(min(left, _CHUNK))]
        left -= len(lines)
        numbers.append(read_table(lines, known, source.file, source.line - len(lines) + 1, "CMBLOCK")[0].ravel())
    given = np.concatenate(numbers or [np.empty(0, np.int64)])[:count]
    if (given == 0).any():
        raise MeshError(
            f"{source.file}:{source.line}: CMBLOCK: {name} has fewer than the {count} numbers that line"
            f" {command.line} declares; the file is cut off or the count is wrong."
        )
    if entity is None:
        deck.skipped.add(command.name, command.file, command.line, analysis=True, why="a component of geometry")
        return
    ids = expand_ranges(given, f"{command.where}: {name}", all_ids(deck, entity))
    deck.components[name] = Component(entity, ids, command.place, "CMBLOCK")


def _line(deck: Deck, command: Command, count: int) -> str:
    line = deck.source.next_line()
    if line is None or not line.strip() or line.strip()[0] not in "-0123456789":
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: CMBLOCK: the block of line {command.line} ends before the"
            f" {count} numbers that it declares; the file is cut off or the count is wrong."
        )
    return line


def expand_ranges(given: np.ndarray, where: str, existing: np.ndarray) -> np.ndarray:
    """Numbers with ranges (1, -5 is 1 to 5) expanded, to members that exist; ``existing`` is sorted.

    Numbers given one by one are kept, whether they exist or not; MeshError when a range begins with nothing or falls.
    """
    ends = np.flatnonzero(given < 0)
    if ends.size and (ends[0] == 0 or (given[ends - 1] <= 0).any() or (-given[ends] < given[ends - 1]).any()):
        raise MeshError(f"{where}: a negative number must end a range that starts with the number before it.")
    parts, at = [], 0
    for end in ends.tolist():
        first, last = int(given[end - 1]), -int(given[end])
        parts += [given[at:end], existing[np.searchsorted(existing, first) : np.searchsorted(existing, last, "right")]]
        at = end + 1
    ids = np.concatenate([*parts, given[at:]])
    return np.unique(ids)


def _cm(deck: Deck, command: Command) -> None:
    """CM,name,NODE|ELEM: the selected nodes or elements."""
    name, entity = command.text(1), _ENTITIES.get(command.text(2))
    if not name or entity is None:
        deck.skipped.add(command.name, command.file, command.line, why="a component of geometry")
        return
    ids = selected_ids(deck, entity)
    if ids is None:
        deck.skipped.add(f"CM,{name}", command.file, command.line, why="the selection before it is not evaluated")
        return
    deck.components[name] = Component(entity, ids, command.place, "CM")


def _cmgrp(deck: Deck, command: Command) -> None:
    names = [command.text(position) for position in range(2, len(command.arguments) + 1)]
    if not command.text(1):
        raise MeshError(f"{command.where}: the name of the assembly is missing.")
    deck.groups[command.text(1)] = ([name for name in names if name], command.place)


def _cmdele(deck: Deck, command: Command) -> None:
    deck.components.pop(command.text(1), None)
    deck.groups.pop(command.text(1), None)


SET_COMMANDS = {"CMBL": _cmblock, "CM": _cm, "CMGR": _cmgrp, "CMDE": _cmdele, **SELECTION_COMMANDS}
