"""D (supports), CP (coupled sets), CE (equations), CERIG (rigid regions)."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.fixed_columns import integer
from flexmbs.mesh.readers.ansys.deck import CoupledSet, Deck, RawEquation, RigidRegion, Support, handles
from flexmbs.mesh.readers.ansys.deck_text import Command

DOFS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}
_MANY = {"ALL": tuple(DOFS), "U": ("UX", "UY", "UZ"), "ROT": ("ROTX", "ROTY", "ROTZ")}
_MOST_TERMS = 1000000
_DBLOCK_FORMAT = re.compile(r"\(i(\d{1,2}),a(\d{1,2})", re.IGNORECASE)


@handles("D")
def _d(deck: Deck, command: Command) -> None:
    """D,node,label,value,value2,last node,step,more labels; ALL means the selected nodes."""
    labels = [command.text(2), *command.texts(7)[:5]]
    held = tuple(dict.fromkeys(dof for label in labels for dof in _MANY.get(label, (label,)) if dof in DOFS))
    nodes = _nodes_of(deck, command) if held else None
    if not held:
        deck.skip(f"D,,{command.text(2)}", command.place, "no displacement", analysis=True)
    elif nodes is None:
        deck.skip(command.name, command.place, "its selection is not evaluated", analysis=True)
    else:
        deck.supports.append(Support(_name_of_support(deck, command.text(1)), nodes, held, command.where))


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
        line = source.data_line(command, f"{count} supports")
        number, label = line[:width].strip(), line[width : width + label_width].strip().upper()
        node = integer(number)
        if node is None or node <= 0:
            raise source.wrong(command, f"'{number}' is not the number of a node.")
        held.setdefault(label, []).append(node)
    end = source.next_line()
    if end is not None and end.strip() != "-1":
        source.push_back(end)
    for label, nodes in held.items():
        if label in DOFS:
            deck.supports.append(Support("", np.array(nodes), (label,), command.where))
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


@handles("CP")
def _cp(deck: Deck, command: Command) -> None:
    """CP,set,component,nodes, or as CDWRITE writes it: CP,R5.x,set,component,count,nodes."""
    name, command = command.coded()
    if command.left_off:
        label, nodes = command.text(1), [node for node in command.integers(3) if node]
        while len(nodes) < min(command.integer(2), _MOST_TERMS):
            nodes += _continued(deck, command)
    else:
        name, label = command.text(1), command.text(2)
        nodes = deck.selected_ids("NODE") if command.text(3) == "ALL" else [abs(node) for node in command.integers(3) if node]
    labels = _MANY["ALL"] if label == "ALL" else (label,)
    if nodes is None or any(label not in DOFS for label in labels):
        deck.skip(f"CP,,{label}", command.place, "no displacement, or a selection that is not evaluated")
        return
    known = next((own for own in deck.coupled if (own.name, own.component) == (name, label)), None)
    if known is not None:
        known.nodes += list(nodes)
    else:
        deck.coupled += [CoupledSet(name, own, list(nodes), command.where) for own in labels]


def _continued(deck: Deck, command: Command) -> list[int]:
    """Numbers on a further line of a CP command of CDWRITE."""
    fields = re.findall(r"[^,\s]+", deck.source.next_line() or "")
    if fields and fields[0].upper() == "CP":
        fields = fields[2:]
    if not fields or any(not re.fullmatch(r"\d{1,15}", part) for part in fields):
        raise deck.source.wrong(command, f"node numbers of the set in line {command.line} are missing; the set declares more.")
    return [int(part) for part in fields if int(part)]


@handles("CE")
def _ce(deck: Deck, command: Command) -> None:
    """CE,number,constant,node,label,factor,..., or as CDWRITE writes it: CE,R5.0,DEFI,... and CE,R5.0,NODE,..."""
    form, command = command.coded()
    if command.left_off:
        if form[:4] == "DEFI":
            deck.equations.append(RawEquation(command.text(2), [], command.number(3, 0.0), command.where))
        elif deck.equations:
            _add_terms(command, deck.equations[-1], 1)
        else:
            raise command.wrong("there is no CE,R5.0,DEFI before it.")
        return
    name = command.text(1)
    if name == "HIGH":
        name = deck.equations[-1].name if deck.equations else "1"
    elif name in ("NEXT", ""):
        name = str(len(deck.equations) + 1)
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
    reference, label, which = command.integer(1), command.text(3) or "ALL", command.text(2)
    if which in deck.components:
        nodes = deck.components[which].ids
    else:
        nodes = deck.selected_ids("NODE") if which == "ALL" else np.array([command.integer(2)])
    many = {**_MANY, "UXYZ": _MANY["U"], "RXYZ": _MANY["ROT"]}
    labels = [*many.get(label, (label,)), *command.texts(4)[:4]]
    dofs = tuple(sorted({DOFS[own] for own in labels if own in DOFS}))
    if nodes is None or not dofs:
        deck.skip(command.name, command.place, "its selection is not evaluated")
        return
    deck.rigid.append(RigidRegion(f"CERIG {reference}", "rigid", reference, nodes[nodes != reference], dofs, command.where))
