"""Selections (NSEL, ESEL, ...) and components (CMBLOCK, CM, CMGRP, CMDELE), and the sets and surfaces of a Mesh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_kinds import FIRST_ORDER, KINDS
from flexmbs.mesh.mesh import ElementBlock, MeshSurface
from flexmbs.mesh.reader_tools.degenerate_elements import true_kinds
from flexmbs.mesh.reader_tools.element_blocks import ElementIndex
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.text_numbers import read_table
from flexmbs.mesh.readers.ansys.deck import Component, Deck, handles, joined
from flexmbs.mesh.readers.ansys.deck_text import Command

_COLUMN = {"MAT": 0, "TYPE": 1, "REAL": 2, "SECN": 3, "ESYS": 4}
_COMBINE = {"S": np.union1d, "A": np.union1d, "R": np.intersect1d, "U": np.setdiff1d}


@handles("NSEL", "ESEL")
def _select(deck: Deck, command: Command) -> None:
    entity = "NODE" if command.key == "NSEL" else "ELEM"
    how = command.text(1) or "S"
    if how in ("ALL", "NONE"):
        deck.selected[entity] = None if how == "ALL" else joined([])
        return
    found = None
    if how == "INVE":
        present = deck.selected_ids(entity)
        found = None if present is None else np.setdiff1d(deck.all_ids(entity), present)
        how = "S"
    elif how in _COMBINE:
        found = _found(deck, command, entity)
    _combine(deck, command, entity, how, found)


def _combine(deck: Deck, command: Command, entity: str, how: str, found: np.ndarray | None) -> None:
    present = deck.selected_ids(entity) if how != "S" else joined([])
    if found is None or present is None or how not in _COMBINE:
        deck.selected[entity] = "unknown"
        deck.skip(command.name, command.place, "the selection is not evaluated", analysis=True)
    else:
        deck.selected[entity] = _COMBINE[how](present, found)


def _found(deck: Deck, command: Command, entity: str) -> np.ndarray | None:
    """Numbers of the nodes or elements that NSEL or ESEL means; None when that cannot be said."""
    item, direction = command.text(2) or entity, command.text(3)
    if item == entity:
        return _in_range(deck.all_ids(entity), deck.all_ids(entity), command)
    if entity == "NODE" and item == "LOC" and deck.current["CSYS"] == 0 and direction in ("X", "Y", "Z"):
        points = np.concatenate([points for _, points in deck.node_chunks] or [np.empty((0, 3))])
        return _in_range(joined(deck.chunks("NODE")), points[:, "XYZ".index(direction)], command)
    if entity == "ELEM" and item == "ENAME":
        return _by_name(deck, command)
    if entity == "ELEM" and item[:4] in _COLUMN:
        column = _COLUMN[item[:4]]
        found = [_in_range(own.ids, own.data["attributes"][:, column], command) for own in deck.elements]
        return None if any(ids is None for ids in found) else joined(found)
    component = deck.components.get(item)
    return component.ids if component is not None and component.entity == entity else None


def _by_name(deck: Deck, command: Command) -> np.ndarray:
    digits = "".join(character for character in command.text(4) if character.isdigit())
    routine = int(digits) if 0 < len(digits) < 6 else -1
    types = [number for number, known in deck.types.items() if known.routine == routine]
    return joined([own.ids[np.isin(own.data["attributes"][:, 1], types)] for own in deck.elements])


def _in_range(ids: np.ndarray, values: np.ndarray, command: Command) -> np.ndarray | None:
    """Numbers of those whose value lies in VMIN, VMAX, VINC of a selection; None when these cannot be evaluated."""
    if command.text(4) in ("", "ALL", "P"):
        return None
    low = command.number(4)
    high, step = command.number(5, low), command.number(6, 1.0)
    whole = values.dtype.kind != "f"
    margin = 0.0 if whole else _margin(low, high)
    chosen = (values >= low - margin) & (values <= high + margin)
    if whole and step > 1:
        chosen &= (values - int(low)) % int(step) == 0
    return ids[chosen]


def _margin(low: float, high: float) -> float:
    """The tolerance of a selection by place: half a percent of a single value, little of a range."""
    if low == high:
        return 0.005 * abs(low) if low else 1e-6
    return 1e-8 * abs(high - low)


@handles("NSLE")
def _nsle(deck: Deck, command: Command) -> None:
    elements, found = deck.selected_ids("ELEM"), None
    if elements is not None and command.text(2) in ("", "ALL", "ACTIVE"):
        found = np.unique(joined([own.nodes[np.isin(own.ids, elements)].ravel() for own in deck.elements]))
        found = found[found > 0]
    _combine(deck, command, "NODE", command.text(1)[:1] or "S", found)


@handles("ESLN")
def _esln(deck: Deck, command: Command) -> None:
    nodes, found = deck.selected_ids("NODE"), None
    if nodes is not None:
        parts = []
        for own in deck.elements:
            given, hit = own.nodes > 0, np.isin(own.nodes, nodes)
            chosen = (hit | ~given).all(axis=1) if command.text(2) == "1" else (hit & given).any(axis=1)
            parts.append(own.ids[chosen])
        found = joined(parts)
    _combine(deck, command, "ELEM", command.text(1)[:1] or "S", found)


@handles("CMSE")
def _cmsel(deck: Deck, command: Command) -> None:
    how, name = command.text(1) or "S", command.text(2)
    if how == "ALL" or (how == "S" and not name):
        _allsel(deck, command)
        return
    component = deck.components.get(name)
    if component is None or how not in _COMBINE:
        deck.selected.update(NODE="unknown", ELEM="unknown")
        deck.skip(command.name, command.place, f"{name} is not a known component", analysis=True)
        return
    deck.last_component = name if how == "S" else ""
    _combine(deck, command, component.entity, how, component.ids)


@handles("ALLS")
def _allsel(deck: Deck, command: Command) -> None:
    deck.selected.update(NODE=None, ELEM=None)


_ENTITIES = {"NODE": "NODE", "ELEM": "ELEM", "ELEMENT": "ELEM", "NODES": "NODE"}
_OF_GEOMETRY = ("KP", "LINE", "AREA", "VOLU")


@handles("CMBL")
def _cmblock(deck: Deck, command: Command) -> None:
    """CMBLOCK,name,NODE|ELEM,count; a format line; numbers, a negative one ends a range that the one before begins."""
    name, entity, count = command.text(1), _ENTITIES.get(command.text(2)), command.integer(3)
    if not name or (entity is None and command.text(2)[:4] not in _OF_GEOMETRY):
        raise command.wrong("a name and NODE or ELEM are required.")
    given = _numbers_of_block(deck, command, count)
    if entity is None:
        deck.skip(command.name, command.place, "a component of geometry", analysis=True)
        return
    ids = _with_ranges(given, f"{command.where}: {name}", deck.all_ids(entity))
    deck.components[name] = Component(entity, ids, command.place, "CMBLOCK")


def _numbers_of_block(deck: Deck, command: Command, count: int) -> np.ndarray:
    source = deck.source
    known = deck.format_line(command)
    if known.reals or count < 0:
        raise command.wrong("the format must have whole numbers, and the count must not be negative.")
    lines = [deck.data_line(command, f"{count} numbers") for _ in range(-(-count // len(known.integers)))]
    given = read_table(lines, known, source.file, source.line - len(lines) + 1, "CMBLOCK")[0].ravel()[:count]
    deck.check_count(command, int((given != 0).sum()), count, "numbers")
    return given


def _with_ranges(given: np.ndarray, where: str, existing: np.ndarray) -> np.ndarray:
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
    return np.unique(np.concatenate([*parts, given[at:]]))


@handles("CM")
def _cm(deck: Deck, command: Command) -> None:
    """CM,name,NODE|ELEM: the selected nodes or elements."""
    name, entity = command.text(1), _ENTITIES.get(command.text(2))
    ids = deck.selected_ids(entity) if name and entity is not None else None
    if ids is not None:
        deck.components[name] = Component(entity, ids, command.place, "CM")
    elif name and entity is not None:
        deck.skip(f"CM,{name}", command.place, "the selection before it is not evaluated")
    else:
        deck.skip(command.name, command.place, "a component of geometry")


@handles("CMGR")
def _cmgrp(deck: Deck, command: Command) -> None:
    if not command.text(1):
        raise command.wrong("the name of the assembly is missing.")
    deck.groups[command.text(1)] = ([name for name in command.texts(2) if name], command.place)


@handles("CMDE")
def _cmdele(deck: Deck, command: Command) -> None:
    deck.components.pop(command.text(1), None)
    deck.groups.pop(command.text(1), None)


_FACES = ("SURF154", "SURF156", "MESH200", "CONTA173", "CONTA174", "SURF153")
_FACE_KINDS = {known.node_count: kind for kind, known in KINDS.items() if known.dimension == 2 and not known.inner_count}
_MOST_NODES = max(_FACE_KINDS)  # of a face; surface elements may have one more, that gives a direction


def make_sets(deck: Deck, blocks: Sequence[ElementBlock], others: list[ElementRows]) -> dict[str, dict]:
    """The node sets, element sets and surfaces of a Mesh, from all components and assemblies.

    Members that do not exist are left out with a warning. Raises MeshError for a component none of whose members
    exists.
    """
    node_sets: dict[str, np.ndarray] = {}
    element_sets: dict[str, np.ndarray] = {}
    surfaces: dict[str, MeshSurface] = {}
    index, not_structural = ElementIndex(blocks), joined([rows.ids for rows in others])
    for name, component in deck.components.items():
        of_nodes = component.entity == "NODE"
        found = (deck.nodes if of_nodes else index).find(component.ids)
        members, missing = np.unique(found[found >= 0]), component.ids[found < 0]
        if of_nodes:
            _check_members(deck, name, component, missing, "nodes")
            if len(found):
                node_sets[name] = members
            continue
        _check_members(deck, name, component, missing[~np.isin(missing, not_structural)], "elements")
        faces = _faces(missing, others)
        if len(members):
            element_sets[name] = members
        if faces:
            surfaces[name] = MeshSurface(faces)
        elif len(found) and not len(members):
            deck.warn(f"{component.where}: the component {name} has no structural elements; it is left out.")
    for name in deck.groups:
        _add_group(deck, name, node_sets, element_sets)
    for name, surface in surfaces.items():
        node_sets.setdefault(name, surface.nodes)
    return {"node_sets": node_sets, "element_sets": element_sets, "surfaces": surfaces}


def _check_members(deck: Deck, name: str, component: Component, missing: np.ndarray, what: str) -> None:
    if not len(component.ids):
        if component.how == "CMBLOCK":
            raise MeshError(f"{component.where}: CMBLOCK: the component {name} is empty; list its {what} or remove it.")
        deck.warn(f"{component.where}: CM: nothing is selected for the component {name}; it is left out.")
    elif len(missing) == len(component.ids):
        none = f"none of the {len(missing)} {what} of the component {name} exists (first: {missing[0]})"
        raise MeshError(f"{component.where}: CMBLOCK: {none}; list {what} of the mesh or remove it.")
    elif missing.size:
        some = f"{len(missing)} {what} of the component {name} do not exist (first: {missing[0]})"
        deck.warn(f"{component.where}: {some}; they are left out.")


def _faces(ids: np.ndarray, others: list[ElementRows]) -> dict[str, np.ndarray]:
    """Faces and edges among surface elements, by their kind."""
    faces: dict[str, list[np.ndarray]] = {}
    for rows in others:
        chosen = np.isin(rows.ids, ids)
        if rows.type_name not in _FACES or not chosen.any():
            continue
        count = min(rows.nodes.shape[1], _MOST_NODES)
        kind, nodes = _FACE_KINDS.get(count, "line2" if count == 2 else ""), rows.nodes[chosen, :count]
        for true, _, own in true_kinds(kind, nodes) if kind in KINDS else [(kind, None, nodes)]:
            corners = own[:, : KINDS[true].corner_count if true in KINDS else 2]
            if true and not (corners < 0).any():
                absent = (own < 0).any()  # middle nodes
                faces.setdefault(FIRST_ORDER[true] if absent else true, []).append(corners if absent else own)
    return {kind: np.concatenate(parts) for kind, parts in faces.items()}


def _add_group(deck: Deck, name: str, node_sets: dict, element_sets: dict) -> None:
    place, members = deck.groups[name][1], _members(deck, name)
    missing = [own for own in members if own not in deck.components]
    if missing:
        deck.warn(f"{place}: CMGRP: the component {missing[0]} of the assembly {name} does not exist; it is left out.")
    if len(missing) == len(members):
        raise MeshError(f"{place}: CMGRP: the assembly {name} is empty; list components that exist, or remove it.")
    for named in (node_sets, element_sets):
        parts = [named[own] for own in members if own in named]
        if parts:
            named.setdefault(name, np.unique(np.concatenate(parts)))


def _members(deck: Deck, name: str) -> list[str]:
    """Components of an assembly and of the assemblies in it."""
    found, waiting = {name: False}, [name]
    while waiting:
        for own in deck.groups[waiting.pop(0)][0]:
            if own not in found:
                found[own] = own not in deck.groups
                waiting += [] if found[own] else [own]
    return [own for own, is_component in found.items() if is_component]
