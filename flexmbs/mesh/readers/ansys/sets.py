"""Components and selections: CMBLOCK, CM, CMGRP, CMDELE, NSEL, ESEL and their like."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import parse_format, read_table
from flexmbs.mesh.readers.ansys.deck import Component, Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, data_line

_COLUMN = {"MAT": 0, "TYPE": 1, "REAL": 2, "SECN": 3, "ESYS": 4}


def select_new(deck: Deck, entity: str, ids: np.ndarray) -> None:
    """New nodes and elements are selected when they are made."""
    selected = deck.selected[entity]
    if isinstance(selected, np.ndarray):
        deck.selected[entity] = np.union1d(selected, ids)


def selected_ids(deck: Deck, entity: str) -> np.ndarray | None:
    """Numbers of the selected nodes ("NODE") or elements ("ELEM"); None when they are not known."""
    selected = deck.selected[entity]
    if selected is None:
        return all_ids(deck, entity)
    return selected if isinstance(selected, np.ndarray) else None


def all_ids(deck: Deck, entity: str) -> np.ndarray:
    """Numbers of all nodes or elements that the deck has defined so far."""
    chunks = [ids for ids, _ in deck.node_chunks] if entity == "NODE" else [own.ids for own in deck.elements]
    return np.unique(np.concatenate(chunks or [np.empty(0, np.int64)]))


@handles("NSEL")
def _nsel(deck: Deck, command: Command) -> None:
    _select(deck, command, "NODE", _nodes_by)


@handles("ESEL")
def _esel(deck: Deck, command: Command) -> None:
    _select(deck, command, "ELEM", _elements_by)


def _select(deck: Deck, command: Command, entity: str, find) -> None:
    how = command.text(1) or "S"
    if how == "ALL":
        deck.selected[entity] = None
        return
    if how == "NONE":
        deck.selected[entity] = np.empty(0, np.int64)
        return
    found = None
    if how == "INVE":
        present = selected_ids(deck, entity)
        found = None if present is None else np.setdiff1d(all_ids(deck, entity), present)
        how = "S"
    elif how in ("S", "R", "A", "U"):
        found = find(deck, command)
    _combine(deck, command, entity, how, found)


def _combine(deck: Deck, command: Command, entity: str, how: str, found: np.ndarray | None) -> None:
    present = selected_ids(deck, entity) if how != "S" else np.empty(0, np.int64)
    combine = {"S": np.union1d, "A": np.union1d, "R": np.intersect1d, "U": np.setdiff1d}.get(how)
    if found is None or present is None or combine is None:
        deck.selected[entity] = "unknown"
        deck.skipped.add(command.name, command.file, command.line, analysis=True, why="the selection is not evaluated")
        return
    deck.selected[entity] = combine(present, found)


def _nodes_by(deck: Deck, command: Command) -> np.ndarray | None:
    item = command.text(2) or "NODE"
    if item == "NODE":
        return _in_range(all_ids(deck, "NODE"), all_ids(deck, "NODE"), command, 4)
    if item == "LOC" and deck.current["CSYS"] == 0 and command.text(3) in ("X", "Y", "Z"):
        ids = np.concatenate([ids for ids, _ in deck.node_chunks] or [np.empty(0, np.int64)])
        points = np.concatenate([points for _, points in deck.node_chunks] or [np.empty((0, 3))])
        return _in_range(ids, points[:, "XYZ".index(command.text(3))], command, 4)
    if item in deck.components and deck.components[item].entity == "NODE":
        return deck.components[item].ids
    return None


def _elements_by(deck: Deck, command: Command) -> np.ndarray | None:
    item = command.text(2) or "ELEM"
    if item == "ELEM":
        return _in_range(all_ids(deck, "ELEM"), all_ids(deck, "ELEM"), command, 4)
    if item == "ENAME":
        return _by_name(deck, command)
    column = _COLUMN.get(item[:4] if item != "TYPE" else item)
    if column is not None:
        found = [_in_range(own.ids, own.attributes[:, column], command, 4) for own in deck.elements]
        if any(ids is None for ids in found):
            return None
        return np.concatenate(found or [np.empty(0, np.int64)])
    if item in deck.components and deck.components[item].entity == "ELEM":
        return deck.components[item].ids
    return None


def _by_name(deck: Deck, command: Command) -> np.ndarray | None:
    digits = "".join(character for character in command.text(4) if character.isdigit())
    routine = int(digits) if 0 < len(digits) < 6 else -1
    types = [number for number, known in deck.types.items() if known.routine == routine]
    found = [own.ids[np.isin(own.attributes[:, 1], types)] for own in deck.elements]
    return np.concatenate(found or [np.empty(0, np.int64)])


def _in_range(ids: np.ndarray, values: np.ndarray, command: Command, first: int) -> np.ndarray | None:
    """Numbers of those whose value lies in VMIN, VMAX, VINC of a command; None when these cannot be evaluated."""
    if not command.text(first) or command.text(first) in ("ALL", "P"):
        return None
    low = command.number(first)
    high = command.number(first + 1, low)
    step = command.number(first + 2, 1.0)
    margin = _margin(low, high) if values.dtype.kind == "f" else 0.0
    chosen = (values >= low - margin) & (values <= high + margin)
    if values.dtype.kind != "f" and step > 1:
        chosen &= (values - int(low)) % int(step) == 0
    return ids[chosen]


def _margin(low: float, high: float) -> float:
    """The tolerance of a selection by place: half a percent of a single value, little of a range."""
    if low == high:
        return 0.005 * abs(low) if low else 1e-6
    return 1e-8 * abs(high - low)


@handles("NSLE")
def _nsle(deck: Deck, command: Command) -> None:
    elements = selected_ids(deck, "ELEM")
    found = None
    if elements is not None and command.text(2) in ("", "ALL", "ACTIVE"):
        nodes = [own.nodes[np.isin(own.ids, elements)].ravel() for own in deck.elements]
        found = np.unique(np.concatenate(nodes or [np.empty(0, np.int64)]))
        found = found[found > 0]
    _combine(deck, command, "NODE", command.text(1)[:1] or "S", found)


@handles("ESLN")
def _esln(deck: Deck, command: Command) -> None:
    nodes = selected_ids(deck, "NODE")
    found = None
    if nodes is not None:
        parts = []
        for own in deck.elements:
            given, hit = own.nodes > 0, np.isin(own.nodes, nodes)
            chosen = ((hit | ~given).all(axis=1)) if command.text(2) == "1" else (hit & given).any(axis=1)
            parts.append(own.ids[chosen])
        found = np.concatenate(parts or [np.empty(0, np.int64)])
    _combine(deck, command, "ELEM", command.text(1)[:1] or "S", found)


@handles("CMSE")
def _cmsel(deck: Deck, command: Command) -> None:
    how, name = command.text(1) or "S", command.text(2)
    if how == "ALL" or (how == "S" and not name):
        deck.selected.update(NODE=None, ELEM=None)
        return
    component = deck.components.get(name)
    if component is None or how not in ("S", "R", "A", "U"):
        deck.selected.update(NODE="unknown", ELEM="unknown")
        deck.skipped.add(command.name, command.file, command.line, analysis=True, why=f"{name} is not a known component")
        return
    deck.last_component = name if how == "S" else ""
    _combine(deck, command, component.entity, how, component.ids)


@handles("ALLS")
def _allsel(deck: Deck, command: Command) -> None:
    deck.selected.update(NODE=None, ELEM=None)


_CHUNK = 20000
_ENTITIES = {"NODE": "NODE", "ELEM": "ELEM", "ELEMENT": "ELEM", "NODES": "NODE"}
_OF_GEOMETRY = ("KP", "LINE", "AREA", "VOLU")


@handles("CMBL")
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
        lines = [data_line(source, command, f"{count} numbers") for _ in range(min(left, _CHUNK))]
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


@handles("CM")
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


@handles("CMGR")
def _cmgrp(deck: Deck, command: Command) -> None:
    names = [command.text(position) for position in range(2, len(command.arguments) + 1)]
    if not command.text(1):
        raise MeshError(f"{command.where}: the name of the assembly is missing.")
    deck.groups[command.text(1)] = ([name for name in names if name], command.place)


@handles("CMDE")
def _cmdele(deck: Deck, command: Command) -> None:
    deck.components.pop(command.text(1), None)
    deck.groups.pop(command.text(1), None)
