"""Masses, rigid elements, remote points, equations and supports of a deck as a Mesh has them."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import BoundaryCondition, Coupling, Equation, PointMass
from flexmbs.mesh.readers.ansys.constraint_commands import DOFS
from flexmbs.mesh.readers.ansys.deck import Deck, RigidRegion
from flexmbs.mesh.readers.ansys.element_groups import Group, type_of

_CONTACTS = ("CONTA173", "CONTA174", "CONTA175", "CONTA177")
_RIGID_LINK, _RIGID_BEAM = 0, 1


def point_masses(deck: Deck, groups: list[Group]) -> list[PointMass]:
    """MASS21 elements; those whose masses differ by direction are left out and noted."""
    masses = []
    for group in groups:
        known, constants = type_of(deck, group.key), deck.reals.get(group.key[2], {})
        place = deck.real_places.get(group.key[2], group.rows.where(0))
        values = [constants.get(i, 0.0) for i in range(1, 7)]
        why = _unusable_mass(known.option(1), known.option(2), known.option(3), values)
        if not constants or why:
            _omit(deck, group, why or f"there is no R,{group.key[2]} with its mass; add it")
            continue
        mass, inertia = values[0], np.diag(values[3:6]) if known.option(3) == 0 else np.zeros((3, 3))
        if mass < 0.0 or (np.diag(inertia) < 0.0).any():
            raise MeshError(f"{place}: R,{group.key[2]}: the mass {mass:g} or an inertia is negative.")
        indices = group.rows.nodes[:, 0]
        for number, node, row in zip(group.rows.ids, indices, range(len(indices)), strict=True):
            masses.append(PointMass(f"MASS21 {number}", int(node), mass, inertia, np.zeros(3), group.rows.where(row)))
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


def rigid_elements(deck: Deck, groups: list[Group]) -> tuple[list[Coupling], list[Equation]]:
    """MPC184: rigid beams are couplings, rigid links equations along their line; joints are left out and noted."""
    couplings: dict[int, tuple[list[int], str]] = {}
    equations = []
    turned = turned_nodes(deck)
    for group in groups:
        option = type_of(deck, group.key).option(1)
        if option not in (_RIGID_LINK, _RIGID_BEAM):
            _omit(deck, group, f"a joint (KEYOPT(1) = {option}); state it as a joint of the mechanism")
            continue
        indices = group.rows.nodes
        if indices.shape[1] < 2 or (indices[:, :2] < 0).any():
            raise MeshError(f"{group.rows.where(0)}: element {group.rows.ids[0]} (MPC184) needs two nodes.")
        for row, (first, second) in enumerate(indices[:, :2].tolist()):
            if option == _RIGID_BEAM:
                couplings.setdefault(first, ([], group.rows.where(row)))[0].append(second)
            else:
                equations.append(_rigid_link(deck, group, row, first, second, turned))
    made = [
        Coupling(f"MPC184 {deck.nodes.ids[first]}", "rigid", first, np.array(list(dict.fromkeys(nodes))), where=place)
        for first, (nodes, place) in couplings.items()
    ]
    return made, [equation for equation in equations if equation is not None]


def _rigid_link(deck: Deck, group: Group, row: int, first: int, second: int, turned: set[int]) -> Equation | None:
    along = deck.nodes.points[second] - deck.nodes.points[first]
    length = np.linalg.norm(along)
    if not length > 0.0 or first in turned or second in turned:
        _omit(deck, group, "a rigid link of zero length, or between rotated nodes")
        return None
    along = along / length
    return Equation(
        f"MPC184 {group.rows.ids[row]}",
        np.array([first] * 3 + [second] * 3),
        np.array([1, 2, 3, 1, 2, 3]),
        np.concatenate([-along, along]),
        where=group.rows.where(row),
    )


def remote_points(deck: Deck, others: list[Group]) -> list[RigidRegion]:
    """Contact pairs that Workbench writes for remote points: bonded, with constraint equations to one pilot node."""
    by_set: dict[int, list[Group]] = {}
    for group in others:
        by_set.setdefault(group.key[2], []).append(group)
    found = []
    for groups in by_set.values():
        pilots = [own for own in groups if own.routine.name in ("TARGE169", "TARGE170") and own.rows.nodes.shape[1] == 1]
        contacts = [own for own in groups if own.routine.name in _CONTACTS]
        if len(pilots) != 1 or len(pilots[0].rows.ids) != 1 or not contacts:
            continue
        contact, target = type_of(deck, contacts[0].key), type_of(deck, pilots[0].key)
        kind = {1: "average", 2: "rigid"}.get(contact.option(4))
        if contact.option(2) != 2 or contact.option(12) not in (5, 6) or kind is None:
            continue
        digits = f"{target.option(4):06d}"[::-1]
        dofs = tuple(i + 1 for i, digit in enumerate(digits[:6]) if digit == "1") or (1, 2, 3, 4, 5, 6)
        pilot = int(pilots[0].rows.nodes[0, 0])
        nodes = np.unique(np.concatenate([own.rows.nodes.ravel() for own in contacts]))
        nodes, pilot = deck.nodes.ids[nodes[(nodes >= 0) & (nodes != pilot)]], int(deck.nodes.ids[pilot])
        found.append(RigidRegion(f"REMOTE POINT {pilot}", kind, pilot, nodes, dofs, pilots[0].rows.where(0)))
    return found


def couplings_of(deck: Deck, regions: list[RigidRegion]) -> list[Coupling]:
    """Rigid regions and remote points with node indices."""
    made = []
    for region in regions:
        reference = deck.nodes.indices(np.array([region.reference]), region.where, region.name)[0]
        nodes = deck.nodes.indices(region.nodes, region.where, region.name)
        if len(nodes):
            made.append(Coupling(region.name, region.kind, int(reference), nodes, region.dofs, where=region.where))
    return made


def equations_of(deck: Deck) -> list[Equation]:
    """CE and CP."""
    made = []
    if deck.rotated_by_command and (deck.equations or deck.coupled):
        first = (deck.equations or deck.coupled)[0]
        _note(deck, "CE, CP", first.where, f"NROTAT in {deck.rotated_by_command} rotates their directions")
    else:
        made += [equation for raw in deck.equations if (equation := _equation(deck, raw)) is not None]
        for own in deck.coupled:
            made += _coupled(deck, own)
    return made


def _equation(deck: Deck, raw) -> Equation | None:
    unknown = next((label for _, label, _ in raw.terms if label not in DOFS), None)
    terms = [term for term in raw.terms if term[2] != 0.0]
    if unknown is not None or not terms:
        _note(deck, f"CE {raw.name}", raw.where, f"{unknown} is not a displacement" if unknown else "no factors", bool(unknown))
        return None
    nodes = deck.nodes.indices(np.array([node for node, _, _ in terms]), raw.where, f"equation {raw.name}")
    dofs = np.array([DOFS[label] for _, label, _ in terms])
    coefficients = np.array([factor for *_, factor in terms])
    return Equation(f"CE {raw.name}", nodes, dofs, coefficients, raw.constant, raw.where)


def _coupled(deck: Deck, own) -> list[Equation]:
    nodes = deck.nodes.indices(np.array(list(dict.fromkeys(own.nodes)), np.int64), own.where, f"coupled set {own.name}")
    dofs = np.full(2, DOFS[own.component])
    name = f"CP {own.name} {own.component}"
    return [Equation(name, np.array([node, nodes[0]]), dofs, np.array([1.0, -1.0]), where=own.where) for node in nodes[1:]]


def supports(deck: Deck) -> list[BoundaryCondition]:
    """D commands, put together by component and by what they hold."""
    held: dict[str, np.ndarray] = {}
    places: dict[str, str] = {}
    for support in deck.supports:
        indices = deck.nodes.find(support.nodes)
        if (indices < 0).any():
            missing = support.nodes[indices < 0]
            deck.warn(f"{support.where}: node {missing[0]} does not exist ({len(missing)} in all); it is left out.")
        mask = held.setdefault(support.name, np.zeros((len(deck.nodes.ids), 6), bool))
        places.setdefault(support.name, support.where)
        for label in support.labels:
            mask[indices[indices >= 0], DOFS[label] - 1] = True
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


def turned_nodes(deck: Deck) -> set[int]:
    """Indices of nodes whose displacement directions are turned."""
    if not deck.angles:
        return set()
    indices = deck.nodes.find(np.concatenate([ids for ids, _ in deck.angles]))
    return set(indices[indices >= 0].tolist())


def _omit(deck: Deck, group: Group, why: str) -> None:
    for line in group.rows.lines[:1]:
        name = f"{group.routine.name} ({len(group.rows.ids)} elements)"
        deck.skipped.add(name, group.rows.file, int(line), why=why)


def _note(deck: Deck, card: str, where: str, why: str, analysis: bool = False) -> None:
    file, line = where.split(": ")[0].rsplit(":", 1)
    deck.skipped.add(card, file, int(line), analysis=analysis, why=why)
