"""What joins nodes, and masses: CP, CE, CERIG, rigid elements, remote points, MASS21."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import Coupling, Equation, PointMass
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.ansys.deck import CoupledSet, Deck, RawEquation, attributes_of, handles, joined
from flexmbs.mesh.readers.ansys.deck_text import Command
from flexmbs.mesh.readers.ansys.supports import DOFS, SEVERAL

_MOST_TERMS = 1000000


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
    labels = SEVERAL["ALL"] if label == "ALL" else (label,)
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
    many = {**SEVERAL, "UXYZ": SEVERAL["U"], "RXYZ": SEVERAL["ROT"]}
    labels = [*many.get(label, (label,)), *command.texts(4)[:4]]
    dofs = tuple(sorted({DOFS[own] for own in labels if own in DOFS}))
    if nodes is None or not dofs:
        deck.skip(command.name, command.place, "its selection is not evaluated")
        return
    nodes = nodes[nodes != reference]
    deck.rigid.append(Coupling(f"CERIG {reference}", "rigid", reference, nodes, dofs, where=command.where))


_CONTACTS = ("CONTA173", "CONTA174", "CONTA175", "CONTA177")
_RIGID_LINK, _RIGID_BEAM = 0, 1


def point_masses(deck: Deck, others: list[ElementRows]) -> list[PointMass]:
    """MASS21 elements; those whose masses differ by direction are left out and noted."""
    masses = []
    for rows in others:
        if rows.role != "mass":
            continue
        known, number = deck.type_of(rows), attributes_of(rows)[2]
        constants = deck.constants(number)
        values = [constants[place] for place in range(1, 7)] if constants is not None else [0.0] * 6
        why = _unusable_mass(known.option(1), known.option(2), known.option(3), values)
        if constants is None or why:
            _omit(deck, rows, why or f"there is no R,{number} with its mass; add it")
            continue
        mass, inertia = values[0], np.diag(values[3:6]) if known.option(3) == 0 else np.zeros((3, 3))
        if mass < 0.0 or (np.diag(inertia) < 0.0).any():
            raise MeshError(f"{constants.where}: the mass {mass:g} or an inertia is negative.")
        for row, (number, node) in enumerate(zip(rows.ids, rows.nodes[:, 0], strict=True)):
            masses.append(PointMass(f"MASS21 {number}", int(node), mass, inertia, np.zeros(3), rows.where(row)))
    return masses


def _unusable_mass(volumes: int, turned: int, form: int, values: list[float]) -> str:
    if volumes:
        return "KEYOPT(1): its constants are volumes, not masses"
    if form in (3, 4):
        return "KEYOPT(3): a mass in the plane"
    if form == 0 and not values[0] == values[1] == values[2]:
        return "its mass is not the same in all directions"
    if turned and form == 0 and any(values[3:6]) and len(set(values[3:6])) > 1:
        return "KEYOPT(2): its inertia rotates with the nodal system"
    return ""


def rigid_elements(deck: Deck, others: list[ElementRows]) -> tuple[list[Coupling], list[Equation]]:
    """MPC184: rigid beams are couplings, rigid links equations along their line; joints are left out and noted."""
    couplings: dict[int, tuple[list[int], str]] = {}
    equations = []
    for rows in others:
        if rows.role != "rigid":
            continue
        option = deck.type_of(rows).option(1)
        if option not in (_RIGID_LINK, _RIGID_BEAM):
            _omit(deck, rows, f"a joint (KEYOPT(1) = {option}); state it as a joint of the mechanism")
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
        along = deck.nodes.points[ends[1]] - deck.nodes.points[ends[0]]
        length = np.linalg.norm(along)
        if not length > 0.0 or np.isin(ends, turned).any():
            _omit(deck, rows, "a rigid link of zero length, or between rotated nodes")
            continue
        dofs, factors = np.array([1, 2, 3, 1, 2, 3]), np.concatenate([-along / length, along / length])
        equations.append(Equation(f"MPC184 {rows.ids[row]}", np.repeat(ends, 3), dofs, factors, where=rows.where(row)))
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
        first = (deck.equations or deck.coupled)[0]
        _note(deck, "CE, CP", first.where, f"NROTAT in {deck.rotated_by_command} rotates their directions")
        return []
    made = [equation for raw in deck.equations if (equation := _equation(deck, raw)) is not None]
    for own in deck.coupled:
        numbers = np.array(list(dict.fromkeys(own.nodes)), np.int64)
        nodes = deck.nodes.indices(numbers, own.where, f"coupled set {own.name}")
        name, dofs, factors = f"CP {own.name} {own.component}", np.full(2, DOFS[own.component]), np.array([1.0, -1.0])
        made += [Equation(name, np.array([node, nodes[0]]), dofs, factors, where=own.where) for node in nodes[1:]]
    return made


def _equation(deck: Deck, raw: RawEquation) -> Equation | None:
    unknown = next((label for _, label, _ in raw.terms if label not in DOFS), None)
    terms = [term for term in raw.terms if term[2] != 0.0]
    if unknown is not None or not terms:
        _note(deck, f"CE {raw.name}", raw.where, f"{unknown} is not a displacement" if unknown else "no factors", bool(unknown))
        return None
    numbers, labels, factors = zip(*terms, strict=True)
    nodes = deck.nodes.indices(np.array(numbers), raw.where, f"equation {raw.name}")
    dofs = np.array([DOFS[label] for label in labels])
    return Equation(f"CE {raw.name}", nodes, dofs, np.array(factors), raw.constant, raw.where)


def _omit(deck: Deck, rows: ElementRows, why: str) -> None:
    deck.skip(f"{rows.type_name} ({len(rows.ids)} elements)", rows.where(0), why)


def _note(deck: Deck, card: str, where: str, why: str, analysis: bool = False) -> None:
    deck.skip(card, where.rpartition(": ")[0], why, analysis)
