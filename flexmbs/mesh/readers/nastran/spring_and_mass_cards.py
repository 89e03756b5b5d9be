"""Springs, dampers, bushings and masses at nodes: CELAS, CDAMP, CBUSH, CBUSH1D, CVISC, CONM, CMASS, their properties."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from flexmbs.mesh.mesh import PointMass
from flexmbs.mesh.properties import SpringSection
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Card, Field, Fields
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.node_and_element_cards import SECOND_ON_A_CARD, Grid

PROPERTY_OF = {"CELAS1": "PELAS", "CDAMP1": "PDAMP", "CBUSH": "PBUSH", "CBUSH1D": "PBUSH1D", "CVISC": "PVISC"}
_SCALAR = ("CELAS1", "CELAS2", "CDAMP1", "CDAMP2")
SPRINGS = (*_SCALAR, "CBUSH", "CBUSH1D", "CVISC")
MASSES = ("CONM1", "CONM2", "CMASS1", "CMASS2")
_SAME_PLACE = 1e-10  # closer than this part of the coordinates' size, two nodes are at one place

_ZERO, _FIRST = Field(float, 0.0), Field(float, 0.0, at=1)
_NUMBER = Field(int, least=1, label="EID")
_ENDS = {"g1": Field(int, 0, at=2, least=0), "c1": Field(tuple, ""), "g2": Field(int, 0, least=0), "c2": Field(tuple, "")}
PVISC = Fields(c1=_FIRST, c2=_ZERO)
PBUSH1D = Fields(k=_FIRST, c=_ZERO, m=_ZERO)
SCALAR = Fields(number=_NUMBER, **_ENDS)
BUSHING = Fields(number=_NUMBER, g1=Field(int, 0, at=2, least=0), g2=Field(int, 0, least=0))
_SYSTEM, _MASS = Field(int, 0, at=2), Field(float, 0.0, least=0.0)
CONM1 = Fields(number=_NUMBER, cid=_SYSTEM, m=Field(float, 0.0, count=21))
CONM2 = Fields(number=_NUMBER, cid=_SYSTEM, m=_MASS, x=Field(float, 0.0, count=3), i=Field(float, 0.0, at=8, count=6))
_OFFSETS_ARE_POINTS = -1  # CID of a CONM2 whose X1, X2, X3 are basic coordinates


@dataclass(frozen=True)
class Spring:
    """A spring as its card states it, without ends that are ground: numbers, components (of scalar ones), node indices."""

    card: Card
    number: int
    property_number: int
    given: Card | None  # where its constants stand: its property, or its own card; None when the deck has no such property
    dofs: tuple[tuple[int, ...], ...]
    nodes: np.ndarray  # (1 or 2,)


def spring_elements(deck: Deck, grid: Grid) -> tuple[list[ElementRows], list[dict]]:
    """The springs, and the fields of blocks of equal ones: ``data["alike"]`` of a spring is its position among them."""
    groups: dict[tuple[str, str, str], list[tuple]] = {}
    blocks: dict[tuple, tuple[int, dict]] = {}
    for card in deck.named(*SPRINGS):
        spring = _read_spring(deck, card, grid)
        if spring is not None:
            key, fields = _block_of(deck, spring, grid)
            if not fields and key not in blocks:
                deck.warn(card.where, "property {1} is not in the deck; add a {0} {1}.".format(*key))
            position, _ = blocks.setdefault(key, (len(blocks), fields))
            group = groups.setdefault((f"spring{len(spring.nodes)}", card.name, card.file), [])
            group.append((spring.number, card.line, spring.nodes, spring.property_number, position))
    found = []
    for (kind, name, file), members in groups.items():
        ids, lines, nodes, properties, alike = (np.array(column) for column in zip(*members, strict=True))
        found.append(ElementRows(kind, name, ids, nodes, file, lines, data={"property": properties, "alike": alike}))
    return found, [fields for _, fields in blocks.values()]


def _read_spring(deck: Deck, card: Card, grid: Grid) -> Spring | None:
    """The spring of a card; None for one on scalar points, which is left out and listed."""
    is_scalar = card.name in _SCALAR
    given = (SCALAR if is_scalar else BUSHING).read(card)
    components = (given.c1, given.c2) if is_scalar else ((), ())
    ends = [end for end in zip((given.g1, given.g2), components, strict=True) if end[0]]
    if not ends:
        raise card.wrong("has no node; give G1 (field 4).")
    if card.name == "CVISC" and card.filled(4)[:1] == [4]:
        deck.leave_out(card, SECOND_ON_A_CARD)
    numbers, dofs = zip(*ends, strict=True)
    property_number, constants = 0, card
    if card.name in PROPERTY_OF:
        property_number = card.integer(1, "PID", given.number, least=1)
        constants = deck.properties.get((PROPERTY_OF[card.name], property_number))
    if deck.scalar_points.contains(np.array(numbers)).any():
        deck.leave_out(card, "it is connected to a scalar point")
        return None
    nodes = grid.table.indices(np.array(numbers), card.where, f"element {given.number}")
    return Spring(card, given.number, property_number, constants, dofs, nodes)


def _block_of(deck: Deck, spring: Spring, grid: Grid) -> tuple[tuple, dict]:
    """What equal springs have in common: a key, and the fields of their block."""
    number, kind = spring.property_number, PROPERTY_OF.get(spring.card.name)
    if spring.given is None:
        return (kind, number), {}
    section = _spring_section(deck, spring, spring.given, grid)
    section = replace(section, mass=section.mass * deck.mass_factor)
    axes = () if section.axes is None else np.round(section.axes, 12).ravel().tolist()
    constants = *section.stiffness.tolist(), *section.damping.tolist(), section.mass, section.axial
    place = section.where if not section.first_dof or section.axes is not None else ""
    key = *constants, section.first_dof, section.second_dof, *axes, place
    return key, {"section": section, "property_name": f"{kind} {number}" if kind else "", "where": section.where}


def _spring_section(deck: Deck, spring: Spring, given: Card, grid: Grid) -> SpringSection:
    """The section of one spring by the card with its constants."""
    card = spring.card
    if card.name in _SCALAR:
        return _scalar(deck, spring, given, grid)
    if card.name == "CBUSH":
        return _bushing(deck, spring, given, grid)
    if card.name == "CVISC":
        viscous = PVISC.read(given)
        if viscous.c2:
            deck.warn(given.where, "the torsional damping C2 is ignored.")
        return SpringSection(damping=_along_x(viscous.c1), axial=True, where=given.place)
    bushing, at = PBUSH1D.read(given), grid.points[spring.nodes][:1]
    axes = grid.directions(card.integer(4, "CID"), at, card.where)[0] if card.text(4) else None
    values = _along_x(bushing.k), _along_x(bushing.c)
    return SpringSection(*values, axes=axes, axial=axes is None, mass=bushing.m, where=given.place)


def _along_x(value: float) -> np.ndarray:
    return np.array([value, 0.0, 0.0, 0.0, 0.0, 0.0])


def _scalar(deck: Deck, spring: Spring, given: Card, grid: Grid) -> SpringSection:
    card = spring.card
    if any(len(dof) != 1 for dof in spring.dofs):
        raise card.wrong("needs one component (1 to 6) at each of its nodes.")
    name, label = ("stiffness", "K") if "ELAS" in card.name else ("damping", "B")
    axes = grid.displacement_axes(spring.nodes)
    if np.ptp(axes, axis=0).max() > 1e-5:
        deck.warn(card.where, f"{spring.number}: the displacement systems (CD) of its nodes differ; the first one is used.")
    constant, turned = {name: _along_x(given.real(1, label, 0.0))}, None if np.array_equal(axes[0], np.eye(3)) else axes[0]
    first, *second = (dof[0] for dof in spring.dofs)
    return SpringSection(**constant, axes=turned, first_dof=first, second_dof=second[0] if second else None, where=given.place)


def _bushing(deck: Deck, spring: Spring, given: Card, grid: Grid) -> SpringSection:
    """PBUSH: a flag and six values to a line."""
    values = {"K": np.zeros(6), "B": np.zeros(6)}
    mass = 0.0
    for start in range(0, len(given.fields), 8):
        flag = given.text(start + 1)
        if flag in values:
            values[flag] = np.array(given.reals(start + 2, 6, flag))
        elif flag == "M":
            mass = given.real(start + 2, "M", 0.0)
        elif flag == "GE" and any(given.reals(start + 2, 6, "GE")):
            deck.warn(given.where, "the structural damping GE is ignored.")
    if spring.card.text(8) not in ("", "0.5", ".5") or spring.card.integer(9, "OCID", -1) >= 0:
        deck.warn(spring.card.where, "the location of the bushing (S, OCID) is ignored; it acts between its nodes.")
    across = [1, 2, 4, 5]
    axes = _bushing_axes(spring, grid, axial_only=not (values["K"][across].any() or values["B"][across].any()))
    return SpringSection(values["K"], values["B"], axes=axes, mass=mass, where=given.place)


def _bushing_axes(spring: Spring, grid: Grid, axial_only: bool) -> np.ndarray:
    """(3, 3) columns: directions of the bushing's axes."""
    card, nodes = spring.card, spring.nodes
    points = grid.points[nodes]
    if card.text(7):
        return grid.directions(card.integer(7, "CID"), points[:1], card.where)[0]
    if len(points) == 1:
        return grid.displacement_axes(nodes)[0]
    along = points[1] - points[0]
    if np.linalg.norm(along) <= _SAME_PLACE * max(np.abs(grid.points).max(), 1e-300):
        raise card.wrong("connects coincident nodes; give CID (field 9), the coordinate system of its directions.")
    across = _orientation(spring, grid, nodes[0])
    if across is None:
        if not axial_only:
            raise card.wrong("has no directions for its K2, K3, K5, K6; give X1, X2, X3, a grid point G0, or CID.")
        across = np.eye(3)[np.argmin(np.abs(along))]
    x = along / np.linalg.norm(along)
    z = np.cross(x, across)
    if np.linalg.norm(z) <= 1e-9 * np.linalg.norm(across):
        raise card.wrong("has an orientation parallel to its line; give another.")
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _orientation(spring: Spring, grid: Grid, first: int) -> np.ndarray | None:
    """(3,) the direction across the bushing that its card gives; None: it gives none."""
    card = spring.card
    if not any(card.text(i) for i in (4, 5, 6)):
        return None
    if card.text(4).isdigit() and not (card.text(5) or card.text(6)):
        vector = grid.points[grid.node(card, 4, "G0", "the bushing")] - grid.points[first]
    else:
        vector = grid.displacement_axes(np.array([first]))[0] @ np.array(card.reals(4, 3, "X"))
    if not vector.any():
        raise card.wrong("has the orientation X1, X2, X3 zero; give a direction.")
    return vector


def point_masses(deck: Deck, grid: Grid) -> tuple[PointMass, ...]:
    """The masses of a deck, times PARAM WTMASS; those that act in some directions only are left out and listed."""
    masses: list[PointMass] = []
    scalar: dict[int, tuple[np.ndarray, list[Card]]] = {}  # by node: its mass matrix, and the cards that state it
    for card in deck.named(*MASSES):
        if card.name.startswith("CMASS"):
            _add_scalar(deck, card, scalar)
        elif card.name == "CONM2":
            masses += _concentrated(card, grid)
        else:
            given, node = CONM1.read(card), grid.node(card, 1, "G", "the mass")
            matrix = np.zeros((6, 6))
            matrix[np.tril_indices(6)] = given.m
            axes = grid.directions(given.cid, grid.points[node][None], card.where)[0]
            masses += _rigid_mass(deck, node, given.number, matrix + np.tril(matrix, -1).T, axes, [card])
    for number, (matrix, cards) in scalar.items():
        node = int(grid.table.find(np.array([number]))[0])
        if node >= 0:
            masses += _rigid_mass(deck, node, number, matrix, grid.displacement_axes(np.array([node]))[0], cards)
        else:
            for card in cards:
                deck.leave_out(card, "it is at a scalar point, or at none that exists")
    return tuple(replace(one, mass=one.mass * deck.mass_factor, inertia=one.inertia * deck.mass_factor) for one in masses)


def _concentrated(card: Card, grid: Grid) -> list[PointMass]:
    given, node = CONM2.read(card), grid.node(card, 1, "G", "the mass")
    axes, offset = grid.directions(given.cid, grid.points[node][None], card.where)[0], np.array(given.x)
    offset = offset - grid.points[node] if given.cid == _OFFSETS_ARE_POINTS else axes @ offset
    i11, i21, i22, i31, i32, i33 = given.i
    inertia = np.array([(i11, -i21, -i31), (-i21, i22, -i32), (-i31, -i32, i33)])
    return [PointMass(f"CONM2 {given.number}", node, given.m, axes @ inertia @ axes.T, offset, card.place)]


def _rigid_mass(deck: Deck, node: int, number: int, matrix: np.ndarray, axes: np.ndarray, cards: list[Card]) -> list[PointMass]:
    """The rigid body with this symmetric 6 x 6 matrix at a node, in ``axes``; nothing where it is that of none."""
    mass, size = matrix[0, 0], np.abs(matrix).max()
    coupling = matrix[3:, :3]  # m times the cross product matrix of the offset
    whole = np.allclose(matrix[:3, :3], mass * np.eye(3), atol=1e-6 * size)
    if not whole or not np.allclose(coupling, -coupling.T, atol=1e-6 * size) or mass < 0.0:
        for card in cards:
            deck.leave_out(card, "its mass differs by direction")
        return []
    moment = np.array([coupling[2, 1], coupling[0, 2], coupling[1, 0]])
    offset = moment / mass if mass > 0.0 else np.zeros(3)
    inertia = matrix[3:, 3:] - mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    return [PointMass(f"{cards[0].name} {number}", node, float(mass), axes @ inertia @ axes.T, axes @ offset, cards[0].place)]


def _add_scalar(deck: Deck, card: Card, scalar: dict[int, tuple[np.ndarray, list[Card]]]) -> None:
    """CMASS1, CMASS2 from a component of one node to ground."""
    given, named = SCALAR.read(card), card
    if card.name == "CMASS1":
        named = deck.properties.get(("PMASS", card.integer(1, "PID", given.number)))
    ends = [(node, dof[0]) for node, dof in ((given.g1, given.c1), (given.g2, given.c2)) if node and len(dof) == 1]
    if named is None or len(ends) != 1:
        deck.leave_out(card, "it connects two components, or has no PMASS")
        return
    node, dof = ends[0]
    matrix, cards = scalar.setdefault(node, (np.zeros((6, 6)), []))
    matrix[dof - 1, dof - 1] += named.real(1, "M", 0.0)
    cards.append(card)
