"""Selections of nodes and elements: NSEL, ESEL, NSLE, ESLN, CMSEL, ALLSEL."""

from __future__ import annotations

import numpy as np

from flexmbs.mesh.readers.ansys.deck import Deck, handles, joined
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
        found = _nodes_by(deck, command) if entity == "NODE" else _elements_by(deck, command)
    _combine(deck, command, entity, how, found)


def _combine(deck: Deck, command: Command, entity: str, how: str, found: np.ndarray | None) -> None:
    present = deck.selected_ids(entity) if how != "S" else joined([])
    if found is None or present is None or how not in _COMBINE:
        deck.selected[entity] = "unknown"
        deck.skip(command.name, command.place, "the selection is not evaluated", analysis=True)
    else:
        deck.selected[entity] = _COMBINE[how](present, found)


def _nodes_by(deck: Deck, command: Command) -> np.ndarray | None:
    item = command.text(2) or "NODE"
    if item == "NODE":
        return _in_range(deck.all_ids("NODE"), deck.all_ids("NODE"), command)
    if item == "LOC" and deck.current["CSYS"] == 0 and command.text(3) in ("X", "Y", "Z"):
        points = np.concatenate([points for _, points in deck.node_chunks] or [np.empty((0, 3))])
        return _in_range(joined([ids for ids, _ in deck.node_chunks]), points[:, "XYZ".index(command.text(3))], command)
    return _of_component(deck, item, "NODE")


def _elements_by(deck: Deck, command: Command) -> np.ndarray | None:
    item = command.text(2) or "ELEM"
    if item == "ELEM":
        return _in_range(deck.all_ids("ELEM"), deck.all_ids("ELEM"), command)
    if item == "ENAME":
        return _by_name(deck, command)
    if item[:4] in _COLUMN:
        column = _COLUMN[item[:4]]
        found = [_in_range(own.ids, own.data["attributes"][:, column], command) for own in deck.elements]
        return None if any(ids is None for ids in found) else joined(found)
    return _of_component(deck, item, "ELEM")


def _of_component(deck: Deck, name: str, entity: str) -> np.ndarray | None:
    component = deck.components.get(name)
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
