"""Supports: D and DBLOCK."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import BoundaryCondition
from flexmbs.mesh.reader_tools.fixed_columns import integer
from flexmbs.mesh.readers.ansys.deck import Deck, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

DOFS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}
SEVERAL = {"ALL": tuple(DOFS), "U": ("UX", "UY", "UZ"), "ROT": ("ROTX", "ROTY", "ROTZ")}
_DBLOCK_FORMAT = re.compile(r"\(i(\d{1,2}),a(\d{1,2})", re.IGNORECASE)


@handles("D")
def _d(deck: Deck, command: Command) -> None:
    """D,node,label,value,value2,last node,step,more labels; ALL means the selected nodes."""
    labels = [command.text(2), *command.texts(7)[:5]]
    held = tuple(dict.fromkeys(dof for label in labels for dof in SEVERAL.get(label, (label,)) if dof in DOFS))
    nodes = _nodes_of(deck, command) if held else None
    if not held:
        deck.skip(f"D,,{command.text(2)}", command.place, "no displacement", analysis=True)
    elif nodes is None:
        deck.skip(command.name, command.place, "its selection is not evaluated", analysis=True)
    else:
        dofs = tuple(DOFS[label] for label in held)
        deck.supports.append(BoundaryCondition(_name_of_support(deck, command.text(1)), nodes, dofs, command.where))


def _name_of_support(deck: Deck, nodes: str) -> str:
    """The component that a support holds, or that was selected last if it is all that is selected."""
    if nodes != "ALL" or not isinstance(deck.selected["NODE"], np.ndarray):
        return nodes if nodes in deck.components else ""
    component = deck.components.get(deck.last_component)
    same = component is not None and np.array_equal(component.ids, deck.selected["NODE"])
    return deck.last_component if same else ""


@handles("DBLO")
def _dblock(deck: Deck, command: Command) -> None:
    """DBLOCK,count; a format such as (i9,a6,2(pg16.9)); of each support: node, label, value; -1."""
    source, count = deck.source, command.integer(1)
    known = _DBLOCK_FORMAT.match((source.next_line() or "").replace(" ", ""))
    if known is None:
        raise MeshError(f"{command.file}:{command.line + 1}: DBLOCK: a format such as (i9,a6,2(pg16.9)) must stand here.")
    held: dict[str, list[int]] = {}
    width, label_width = int(known[1]), int(known[2])
    for _ in range(count):
        line = deck.data_line(command, f"{count} supports")
        number, label = line[:width].strip(), line[width : width + label_width].strip().upper()
        node = integer(number)
        if node is None or node <= 0:
            raise deck.wrong(command, f"'{number}' is not the number of a node.")
        held.setdefault(label, []).append(node)
    end = source.next_line()
    if end is not None and end.strip() != "-1":
        source.push_back(end)
    for label, nodes in held.items():
        if label in DOFS:
            deck.supports.append(BoundaryCondition("", np.array(nodes), (DOFS[label],), command.where))
        else:
            deck.skip(f"DBLOCK,,{label}", command.place, "no displacement", analysis=True)


def _nodes_of(deck: Deck, command: Command) -> np.ndarray | None:
    text = command.text(1)
    if text == "ALL":
        return deck.selected_ids("NODE")
    if text in deck.components:
        component = deck.components[text]
        return component.ids if component.entity == "NODE" else None
    if text == "P":
        return None
    first = command.integer(1)
    last, step = command.integer(5, first), command.integer(6, 1)
    if last <= first or step <= 0:
        return np.array([first])
    existing = deck.all_ids("NODE")
    existing = existing[(existing >= first) & (existing <= last)]
    return existing[(existing - first) % step == 0]


def supports(deck: Deck) -> list[BoundaryCondition]:
    """D commands, put together by component and by what they hold."""
    held: dict[str, np.ndarray] = {}
    places: dict[str, str] = {}
    for support in deck.supports:
        indices = deck.nodes.find(support.nodes)
        missing = support.nodes[indices < 0]
        if missing.size:
            deck.warn(f"{support.where}: node {missing[0]} does not exist ({len(missing)} in all); it is left out.")
        mask = held.setdefault(support.name, np.zeros((len(deck.nodes.ids), 6), bool))
        places.setdefault(support.name, support.where)
        for dof in support.dofs:
            mask[indices[indices >= 0], dof - 1] = True
    made = []
    for name, mask in held.items():
        used = np.flatnonzero(mask.any(axis=1))
        patterns, which = np.unique(mask[used], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            dofs = tuple((np.flatnonzero(pattern) + 1).tolist())
            labels = ",".join(label for label, dof in DOFS.items() if dof in dofs)
            nodes = used[which.ravel() == number]
            made.append(BoundaryCondition(f"{name or 'D'} {labels}", nodes, dofs, places[name]))
    return made
