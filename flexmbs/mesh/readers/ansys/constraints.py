"""What holds and joins nodes: D, CP, CE, CERIG, rigid elements and remote points, and what a Mesh has of them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import BoundaryCondition, Coupling, Equation
from flexmbs.mesh.reader_tools.element_blocks import rigid_link
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.reader_tools.text_numbers import integer
from flexmbs.mesh.readers.ansys.deck import Deck, RawEquation, attributes_of, handles, joined
from flexmbs.mesh.readers.ansys.deck_text import Command

DOFS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}
_SEVERAL = {"ALL": tuple(DOFS), "U": ("UX", "UY", "UZ"), "ROT": ("ROTX", "ROTY", "ROTZ")}
_DBLOCK_FORMAT = re.compile(r"\(i(\d{1,2}),a(\d{1,2})", re.IGNORECASE)


@handles("D")
def _d(deck: Deck, command: Command) -> None:
    """D,node,label,value,value2,last node,step,more labels; ALL means the selected nodes."""
    labels = [own for label in (command.text(2), *command.texts(7)[:5]) for own in _SEVERAL.get(label, (label,))]
    dofs = tuple(dict.fromkeys(DOFS[label] for label in labels if label in DOFS))
    nodes = _nodes_of(deck, command) if dofs else None
    if not dofs:
        deck.skip(f"D,,{command.text(2)}", command.place, "no displacement", analysis=True)
    elif nodes is None:
        deck.skip(command.name, command.place, "its selection is not evaluated", analysis=True)
    else:
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
        raise deck.wrong(command, "a format such as (i9,a6,2(pg16.9)) must stand here.")
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
    if text in ("ALL", "P"):  # P: picked on the screen
        return deck.selected_ids("NODE") if text == "ALL" else None
    if text in deck.components:
        component = deck.components[text]
        return component.ids if component.entity == "NODE" else None
    first = command.integer(1)
    last, step = command.integer(5, first), command.integer(6, 1)
    if last <= first or step <= 0:
        return np.array([first])
    existing = deck.all_ids("NODE")
    existing = existing[(existing >= first) & (existing <= last)]
    return existing[(existing - first) % step == 0]


def supports(deck: Deck) -> list[BoundaryCondition]:
    """D commands, put together by component and by what they hold."""
    held: dict[str, tuple[np.ndarray, str]] = {}
    for support in deck.supports:
        indices = deck.nodes.find(support.nodes)
        missing = support.nodes[indices < 0]
        if missing.size:
            deck.warn(f"{support.where}: node {missing[0]} does not exist ({len(missing)} in all); it is left out.")
        mask, _ = held.setdefault(support.name, (np.zeros((len(deck.nodes.ids), 6), bool), support.where))
        for dof in support.dofs:
            mask[indices[indices >= 0], dof - 1] = True
    made = []
    for name, (mask, where) in held.items():
        used = np.flatnonzero(mask.any(axis=1))
        patterns, which = np.unique(mask[used], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            dofs = tuple((np.flatnonzero(pattern) + 1).tolist())
            labels = ",".join(label for label, dof in DOFS.items() if dof in dofs)
            nodes = used[which.ravel() == number]
            made.append(BoundaryCondition(f"{name or 'D'} {labels}", nodes, dofs, where))
    return made


@handles("CP")
def _cp(deck: Deck, command: Command) -> None:
    """CP,set,component,nodes, or as CDWRITE writes it: CP,R5.x,set,component,count,nodes."""
    name, command = command.coded()
    if command.left_off:
        label, nodes = command.text(1), [node for node in command.integers(3) if node]
        while len(nodes) < command.integer(2):
            nodes += _continued(deck, command)
    else:
        name, label = command.text(1), command.text(2)
        nodes = deck.selected_ids("NODE") if command.text(3) == "ALL" else [abs(node) for node in command.integers(3) if node]
    labels = _SEVERAL["ALL"] if label == "ALL" else (label,)
    if nodes is None or any(label not in DOFS for label in labels):
        deck.skip(f"CP,,{label}", command.place, "no displacement, or a selection that is not evaluated")
        return
    name = _name_of_set(name, [known for known, _ in deck.coupled])
    for own in labels:
        deck.coupled.setdefault((name, own), ([], command.where))[0].extend(nodes)


def _name_of_set(given: str, known: list[str]) -> str:
    """The number of a set; NEXT is one more than the highest of those that are known, HIGH the one before it."""
    if given == "HIGH":
        return known[-1] if known else "1"
    return str(1 + max((int(name) for name in known if name.isdigit()), default=0)) if given in ("NEXT", "") else given


def _continued(deck: Deck, command: Command) -> list[int]:
    """Numbers on a further line of a CP command of CDWRITE."""
    fields = re.findall(r"[^,\s]+", deck.source.next_line() or "")
    if fields and fields[0].upper() == "CP":
        fields = fields[2:]
    if not fields or any(not re.fullmatch(r"\d{1,15}", part) for part in fields):
        raise deck.wrong(command, f"node numbers of the set in line {command.line} are missing; the set declares more.")
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
    name = _name_of_set(command.text(1), [known.name for known in deck.equations])
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
    many = {**_SEVERAL, "UXYZ": _SEVERAL["U"], "RXYZ": _SEVERAL["ROT"]}
    labels = [*many.get(label, (label,)), *command.texts(4)[:4]]
    dofs = tuple(sorted({DOFS[own] for own in labels if own in DOFS}))
    if nodes is None or not dofs:
        deck.skip(command.name, command.place, "its selection is not evaluated")
        return
    nodes = nodes[nodes != reference]
    deck.rigid.append(Coupling(f"CERIG {reference}", "rigid", reference, nodes, dofs, where=command.where))


_CONTACTS = ("CONTA173", "CONTA174", "CONTA175", "CONTA177")
_RIGID_LINK, _RIGID_BEAM = 0, 1


def rigid_elements(deck: Deck, others: list[ElementRows]) -> tuple[list[Coupling], list[Equation]]:
    """MPC184: rigid beams are couplings, rigid links equations along their line; joints are left out and noted."""
    couplings: dict[int, tuple[list[int], str]] = {}
    equations = []
    for rows in others:
        if rows.role != "rigid":
            continue
        option = deck.type_of(rows).option(1)
        if option not in (_RIGID_LINK, _RIGID_BEAM):
            omit(deck, rows, f"a joint (KEYOPT(1) = {option}); state it as a joint of the mechanism")
            continue
        if rows.nodes.shape[1] < 2 or (rows.nodes[:, :2] < 0).any():
            raise MeshError(f"{rows.where(0)}: element {rows.ids[0]} (MPC184) needs two nodes.")
        if option == _RIGID_LINK:
            equations += _rigid_links(deck, rows)
            continue
        for row, (first, second) in enumerate(rows.nodes[:, :2].tolist()):
            couplings.setdefault(first, ([], rows.where(row)))[0].append(second)
    made = [
        Coupling(f"MPC184 {deck.nodes.ids[first]}", "rigid", first, np.array(list(dict.fromkeys(nodes))), where=place)
        for first, (nodes, place) in couplings.items()
    ]
    return made, equations


def _rigid_links(deck: Deck, rows: ElementRows) -> list[Equation]:
    turned = deck.nodes.find(joined([ids for ids, _ in deck.angles]))  # nodes whose displacement directions are turned
    equations = []
    for row, ends in enumerate(rows.nodes[:, :2]):
        link = rigid_link(f"MPC184 {rows.ids[row]}", ends, deck.nodes.points, rows.where(row))
        if link is None or np.isin(ends, turned).any():
            omit(deck, rows, "a rigid link of zero length, or between rotated nodes")
        else:
            equations.append(link)
    return equations


def couplings_of(deck: Deck, others: list[ElementRows]) -> list[Coupling]:
    """Rigid regions and remote points."""
    made = []
    for region in deck.rigid:
        reference = deck.nodes.indices(np.array([region.reference]), region.where, region.name)[0]
        nodes = deck.nodes.indices(region.nodes, region.where, region.name)
        made.append(replace(region, reference=int(reference), nodes=nodes))
    return [coupling for coupling in (*made, *_remote_points(deck, others)) if len(coupling.nodes)]


def _remote_points(deck: Deck, others: list[ElementRows]) -> list[Coupling]:
    """Contact pairs that Workbench writes for remote points: bonded, with constraint equations to one pilot node."""
    by_set: dict[int, list[ElementRows]] = {}
    for rows in others:
        by_set.setdefault(attributes_of(rows)[2], []).append(rows)
    found = []
    for pair in by_set.values():
        pilots = [rows for rows in pair if rows.type_name in ("TARGE169", "TARGE170") and rows.nodes.shape[1] == 1]
        if any((rows.nodes < 0).any() for rows in pilots):
            raise MeshError(f"{pilots[0].where(0)}: the pilot element {pilots[0].ids[0]} has no node; give its number.")
        contacts = [rows for rows in pair if rows.type_name in _CONTACTS]
        if len(pilots) != 1 or len(pilots[0].ids) != 1 or not contacts:
            continue
        contact, target = deck.type_of(contacts[0]), deck.type_of(pilots[0])
        kind = {1: "average", 2: "rigid"}.get(contact.option(4))
        if contact.option(2) != 2 or contact.option(12) not in (5, 6) or kind is None:
            continue
        digits = f"{target.option(4):06d}"[::-1]
        dofs = tuple(i + 1 for i, digit in enumerate(digits[:6]) if digit == "1") or (1, 2, 3, 4, 5, 6)
        pilot = int(pilots[0].nodes[0, 0])
        nodes = np.unique(np.concatenate([rows.nodes.ravel() for rows in contacts]))
        nodes = nodes[(nodes >= 0) & (nodes != pilot)]
        found.append(Coupling(f"REMOTE POINT {deck.nodes.ids[pilot]}", kind, pilot, nodes, dofs, where=pilots[0].where(0)))
    return found


def equations_of(deck: Deck) -> list[Equation]:
    """CE and CP."""
    if deck.rotated_by_command and (deck.equations or deck.coupled):
        where = [*(raw.where for raw in deck.equations), *(where for _, where in deck.coupled.values())][0]
        deck.skip("CE, CP", where.rpartition(": ")[0], f"NROTAT in {deck.rotated_by_command} rotates their directions")
        return []
    made = [equation for raw in deck.equations if (equation := _equation(deck, raw)) is not None]
    for (name, component), (numbers, where) in deck.coupled.items():
        nodes = deck.nodes.indices(np.array(list(dict.fromkeys(numbers)), np.int64), where, f"coupled set {name}")
        dofs, factors = np.full(2, DOFS[component]), np.array([1.0, -1.0])
        ends = [np.array([node, nodes[0]]) for node in nodes[1:]]
        made += [Equation(f"CP {name} {component}", own, dofs, factors, where=where) for own in ends]
    return made


def _equation(deck: Deck, raw: RawEquation) -> Equation | None:
    unknown = next((label for _, label, _ in raw.terms if label not in DOFS), None)
    terms = [term for term in raw.terms if term[2] != 0.0]
    if unknown is not None or not terms:
        why = f"{unknown} is not a displacement" if unknown else "no factors"
        deck.skip(f"CE {raw.name}", raw.where.rpartition(": ")[0], why, analysis=bool(unknown))
        return None
    numbers, labels, factors = zip(*terms, strict=True)
    nodes = deck.nodes.indices(np.array(numbers), raw.where, f"equation {raw.name}")
    dofs = np.array([DOFS[label] for label in labels])
    return Equation(f"CE {raw.name}", nodes, dofs, np.array(factors), raw.constant, raw.where)


def omit(deck: Deck, rows: ElementRows, why: str) -> None:
    """Note that elements are left out."""
    deck.skip(f"{rows.type_name} ({len(rows.ids)} elements)", rows.where(0), why)
