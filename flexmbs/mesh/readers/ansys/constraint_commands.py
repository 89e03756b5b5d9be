"""D (supports), CP (coupled sets), CE (equations), CERIG (rigid regions)."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import integer
from flexmbs.mesh.readers.ansys.deck import CoupledSet, Deck, RawEquation, RigidRegion, Support, handles
from flexmbs.mesh.readers.ansys.deck_text import Command, data_line, is_release
from flexmbs.mesh.readers.ansys.sets import all_ids, selected_ids

DOFS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}
_MANY = {"ALL": tuple(DOFS), "U": ("UX", "UY", "UZ"), "ROT": ("ROTX", "ROTY", "ROTZ")}
_MOST_TERMS = 1000000
_DBLOCK_FORMAT = re.compile(r"\(i(\d{1,2}),a(\d{1,2})", re.IGNORECASE)


@handles("D")
def _d(deck: Deck, command: Command) -> None:
    """D,node,label,value,value2,last node,step,more labels; ALL means the selected nodes."""
    labels = [command.text(2), *(command.text(position) for position in range(7, 12))]
    held = tuple(dict.fromkeys(dof for label in labels for dof in _MANY.get(label, (label,)) if dof in DOFS))
    if not held:
        deck.skipped.add(f"D,,{command.text(2)}", command.file, command.line, analysis=True, why="no displacement")
        return
    nodes = _nodes_of(deck, command)
    if nodes is None:
        deck.skipped.add(command.name, command.file, command.line, analysis=True, why="its selection is not evaluated")
        return
    name = command.text(1) if command.text(1) in deck.components else ""
    if command.text(1) == "ALL" and isinstance(deck.selected["NODE"], np.ndarray):
        component = deck.components.get(deck.last_component)
        same = component is not None and np.array_equal(component.ids, deck.selected["NODE"])
        name = deck.last_component if same else ""
    deck.supports.append(Support(name, nodes, held, command.where))


@handles("DBLO")
def _dblock(deck: Deck, command: Command) -> None:
    """DBLOCK,count; a format such as (i9,a6,2(pg16.9)); of each support: node, label, value; -1."""
    known = _DBLOCK_FORMAT.match((deck.source.next_line() or "").replace(" ", ""))
    if known is None:
        raise MeshError(f"{command.file}:{command.line + 1}: DBLOCK: a format such as (i9,a6,2(pg16.9)) must stand here.")
    held: dict[str, list[int]] = {}
    width, label_width, count = int(known[1]), int(known[2]), command.integer(1)
    for _ in range(count):
        line = data_line(deck.source, command, f"{count} supports")
        node = integer(line[:width].strip())
        if node is None or node <= 0:
            raise MeshError(f"{deck.source.file}:{deck.source.line}: DBLOCK: '{line[:width].strip()}' is not the number of a node.")
        held.setdefault(line[width : width + label_width].strip().upper(), []).append(node)
    end = deck.source.next_line()
    if end is not None and end.strip() != "-1":
        deck.source.push_back([end])
    for label, nodes in held.items():
        if label in DOFS:
            deck.supports.append(Support("", np.array(nodes), (label,), command.where))
        else:
            deck.skipped.add(f"DBLOCK,,{label}", command.file, command.line, analysis=True, why="no displacement")


def _nodes_of(deck: Deck, command: Command) -> np.ndarray | None:
    text = command.text(1)
    if text == "ALL":
        return selected_ids(deck, "NODE")
    if text in deck.components:
        component = deck.components[text]
        return component.ids if component.entity == "NODE" else None
    if text == "P":
        return None
    first = command.integer(1)
    last, step = command.integer(5, first), command.integer(6, 1)
    if last <= first or step <= 0:
        return np.array([first])
    existing = all_ids(deck, "NODE")
    existing = existing[(existing >= first) & (existing <= last)]
    return existing[(existing - first) % step == 0]


@handles("CP")
def _cp(deck: Deck, command: Command) -> None:
    """CP,set,component,nodes, or as CDWRITE writes it: CP,R5.x,set,component,count,nodes."""
    first = 1
    count = None
    if is_release(command.text(1)):
        first, count = 2, command.integer(4)
    label = command.text(first + 1)
    nodes = [] if count is not None else None
    if count is not None:
        nodes = [node for node in command.integers(5) if node]
        while len(nodes) < min(count, _MOST_TERMS):
            nodes += _continued(deck, command)
    elif command.text(3) == "ALL":
        selected = selected_ids(deck, "NODE")
        nodes = None if selected is None else selected.tolist()
    else:
        nodes = [abs(node) for node in command.integers(3) if node]
    labels = ("UX", "UY", "UZ") + (("ROTX", "ROTY", "ROTZ") if label == "ALL" else ()) if label == "ALL" else (label,)
    if nodes is None or any(label not in DOFS for label in labels):
        deck.skipped.add(f"CP,,{label}", command.file, command.line, why="no displacement, or a selection that is not evaluated")
        return
    known = next((own for own in deck.coupled if (own.name, own.component) == (command.text(first), label)), None)
    if known is not None:
        known.nodes += nodes
        return
    deck.coupled += [CoupledSet(command.text(first), own, list(nodes), command.where) for own in labels]


def _continued(deck: Deck, command: Command) -> list[int]:
    """Numbers on a further line of a CP command of CDWRITE."""
    line = deck.source.next_line()
    fields = [] if line is None else [part for part in re.split(r"[,\s]+", line.strip()) if part]
    if fields and fields[0].upper() == "CP":
        fields = fields[2:]
    if not fields or any(not re.fullmatch(r"\d{1,15}", part) for part in fields):
        raise MeshError(
            f"{deck.source.file}:{deck.source.line}: CP: node numbers of the set in line {command.line} are missing;"
            " the set declares more."
        )
    return [int(part) for part in fields if int(part)]


@handles("CE")
def _ce(deck: Deck, command: Command) -> None:
    """CE,number,constant,node,label,factor,..., or as CDWRITE writes it: CE,R5.0,DEFI,... and CE,R5.0,NODE,..."""
    if is_release(command.text(1)):
        if command.text(2)[:4] == "DEFI":
            equation = RawEquation(command.text(4), [], command.number(5, 0.0), command.where)
            deck.equations.append(equation)
        elif deck.equations:
            _add_terms(command, deck.equations[-1], 3)
        else:
            raise MeshError(f"{command.where}: there is no CE,R5.0,DEFI before it.")
        return
    name = command.text(1)
    if name in ("NEXT", "HIGH", ""):
        name = str(len(deck.equations) + 1) if name != "HIGH" else (deck.equations[-1].name if deck.equations else "1")
    equation = next((own for own in reversed(deck.equations[-50:]) if own.name == name), None)
    if equation is None:
        equation = RawEquation(name, [], command.number(2, 0.0), command.where)
        deck.equations.append(equation)
    _add_terms(command, equation, 3)


def _add_terms(command: Command, equation: RawEquation, first: int) -> None:
    for position in range(first, len(command.arguments) + 1, 3):
        if command.text(position) and command.integer(position):
            equation.terms.append((command.integer(position), command.text(position + 1), command.number(position + 2, 0.0)))


@handles("CERI")
def _cerig(deck: Deck, command: Command) -> None:
    """CERIG,reference,nodes,components: a rigid region."""
    reference, label = command.integer(1), command.text(3) or "ALL"
    nodes = selected_ids(deck, "NODE") if command.text(2) == "ALL" else None
    if command.text(2) in deck.components:
        nodes = deck.components[command.text(2)].ids
    elif command.text(2) != "ALL":
        nodes = np.array([command.integer(2)])
    many = {**_MANY, "UXYZ": _MANY["U"], "RXYZ": _MANY["ROT"]}
    labels = [*many.get(label, (label,)), *(command.text(position) for position in range(4, 8))]
    dofs = tuple(sorted({DOFS[own] for own in labels if own in DOFS}))
    if nodes is None or not dofs:
        deck.skipped.add(command.name, command.file, command.line, why="its selection is not evaluated")
        return
    nodes = nodes[nodes != reference]
    deck.rigid.append(RigidRegion(f"CERIG {reference}", "rigid", reference, nodes, dofs, command.where))
