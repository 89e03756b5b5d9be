"""Rigid and averaging elements and equations: RBE1, RBE2, RBE3, RBAR, RBAR1, RROD, MPC, MPCADD."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Coupling, Equation
from flexmbs.mesh.reader_tools.element_blocks import rigid_link, weighted_sum
from flexmbs.mesh.readers.nastran.card import Card, Field, Fields, integer, real
from flexmbs.mesh.readers.nastran.deck import Deck, read_ranges
from flexmbs.mesh.readers.nastran.node_and_element_cards import Grid

_ALL, _TRANSLATIONS = (1, 2, 3, 4, 5, 6), (1, 2, 3)
_DOFS = Field(tuple, "")
RBAR = Fields(cna=Field(tuple, "", at=3), cnb=_DOFS, cma=_DOFS, cmb=_DOFS)


def couplings_and_equations(deck: Deck, grid: Grid) -> tuple[tuple[Coupling, ...], tuple[Equation, ...]]:
    """All rigid elements, and the equations of the MPC sets that the case control chooses."""
    made: list[Coupling | Equation] = []
    for card in deck.named(*NAMES):
        card.integer(0, "EID", least=1)
        made += _MAKERS[card.name](deck, card, grid)
    cards = deck.named("MPC")
    chosen = _chosen_equations(deck, cards)
    for card in cards:
        if card.integer(0, "SID") in chosen:
            made += _equation(deck, card, grid)
        else:
            deck.leave_out(card, "its set is not selected in case control", analysis=True)
    return tuple(one for one in made if isinstance(one, Coupling)), tuple(one for one in made if isinstance(one, Equation))


def _nodes(deck: Deck, card: Card, texts: list[str], grid: Grid) -> np.ndarray:
    """Nodes of a list with THRU; scalar points among them are left out with a warning."""
    members = read_ranges(texts, card.where, "grid point")
    missing = members.missing(grid.sorted_ids)
    scalar = missing[deck.scalar_points.contains(missing)]
    if len(scalar):
        deck.warn(card.where, f"{len(scalar)} scalar points are ignored (first: {scalar[0]}).")
    absent = np.setdiff1d(missing, scalar)
    if len(absent):
        raise card.wrong(f"uses node {absent[0]}, which no GRID defines.")
    single = members.single[np.sort(np.unique(members.single, return_index=True)[1])]
    in_ranges = grid.order[members.select(grid.sorted_ids)]
    given = grid.table.find(np.setdiff1d(single, scalar, assume_unique=True))
    return np.concatenate([given, np.setdiff1d(in_ranges, given)]).astype(int)


def _rbe2(deck: Deck, card: Card, grid: Grid) -> list[Coupling]:
    texts = card.texts(3)
    reals = [i for i, text in enumerate(texts) if integer(text) is None and real(text) is not None]
    nodes = _nodes(deck, card, texts[: reals[0]] if reals else texts, grid)  # ALPHA, TREF: thermal
    return _rigid(card, grid.node(card, 1, "GN"), nodes, card.dofs(2, "CM"))


def _rigid(card: Card, reference: int, nodes: np.ndarray, dofs: tuple[int, ...]) -> list[Coupling]:
    nodes = nodes[nodes != reference]
    if not len(nodes) or not dofs:
        raise card.wrong(f"has no {'components' if len(nodes) else 'dependent nodes'}; add them, or remove the card.")
    return [Coupling(f"{card.name} {card.text(0)}", "rigid", reference, nodes, dofs, None, card.place)]


def _rbe1(deck: Deck, card: Card, grid: Grid) -> list[Coupling]:
    """RBE1 with one independent node that has all components; others are left out."""
    texts = card.texts(1)
    if "UM" not in texts:
        raise card.wrong("has no UM and dependent nodes; add them.")
    first, rest = texts[: texts.index("UM")], texts[texts.index("UM") + 1 :]
    if len(first) != 2 or set(first[1]) != set("123456"):
        deck.leave_out(card, "it has several independent nodes")
        return []
    part = Card("RBE1", [card.text(0), *first, *rest], card.file, card.line)
    reference = grid.node(part, 1, "GN")
    by_dofs: dict[tuple[int, ...], list[int]] = {}
    for i in range(3, len(part.fields) - 1, 2):  # an odd one at the end is ALPHA
        by_dofs.setdefault(part.dofs(i + 1, "CM"), []).append(grid.node(part, i, "GM"))
    if not by_dofs:
        raise card.wrong("has no dependent nodes; add them after UM.")
    return [c for dofs, nodes in by_dofs.items() for c in _rigid(card, reference, np.array(nodes), dofs)]


def _rbar(deck: Deck, card: Card, grid: Grid) -> list[Coupling] | list[Equation]:
    """Rigid when the independent components hold a rigid body, equal translations when they are 123 of one end."""
    ends = np.array([grid.node(card, 1, "GA"), grid.node(card, 2, "GB")])
    if card.name == "RBAR1":
        return _rigid(card, ends[0], ends[1:], card.dofs(3, "CB", "123456"))  # all independent ones at the first end
    given = RBAR.read(card)
    independent, dependent = [given.cna, given.cnb], [given.cma, given.cmb]
    if not any(independent):
        deck.warn(card.where, f"{card.text(0)} has no independent components; CNA = 123456 is used.")
        independent = [_ALL, ()]
    for at, other in ((0, 1), (1, 0)):
        if independent[at] == _ALL and not independent[other]:
            return _rigid(card, ends[at], ends[other:][:1], dependent[other] or _ALL)
        if independent[at] == _TRANSLATIONS and not independent[other] and dependent[other] in ((), _TRANSLATIONS):
            deck.warn(card.where, f"{card.text(0)} ties the translations of its ends to each other; rotations do not count.")
            return weighted_sum(f"RBAR {card.text(0)}", ends, np.array([-1.0, 1.0]), card.place, grid.displacement_axes(ends))
    rest = [tuple(dof for dof in _ALL if dof not in own) for own in independent]
    if not _hold_a_rigid_body(ends, independent, grid):
        deck.leave_out(card, "its independent components CNA, CNB are not six that hold a rigid body")
    elif any(dependent) and dependent != rest:
        deck.leave_out(card, "CMA and CMB are only a part of the components that are not independent")
    else:  # all twelve components move as a rigid body, whichever six are called independent
        return _rigid(card, ends[0], ends[1:], _ALL)
    return []


def _hold_a_rigid_body(ends: np.ndarray, independent: list[tuple[int, ...]], grid: Grid) -> bool:
    """Whether six components of two nodes (indices), in their displacement systems, determine every rigid motion."""
    arm = grid.points[ends[1]] - grid.points[ends[0]]
    arm = arm / (np.linalg.norm(arm) or 1.0)
    rows = []
    for lever, axes, dofs in zip((np.zeros(3), arm), grid.displacement_axes(ends), independent, strict=True):
        for dof in dofs:
            axis = axes[:, (dof - 1) % 3]
            rows.append(np.concatenate([axis, np.cross(lever, axis)] if dof <= 3 else [np.zeros(3), axis]))
    return len(rows) == len(_ALL) and bool(np.linalg.matrix_rank(np.array(rows), tol=1e-6) == len(_ALL))


def _rbe3(deck: Deck, card: Card, grid: Grid) -> list[Coupling]:
    """RBE3: the groups weight, components, nodes; then perhaps UM and ALPHA."""
    texts = card.texts(4)
    if "UM" in texts:
        deck.warn(card.where, "the dependent components after UM are ignored; those of REFC are dependent.")
    texts = texts[: min(texts.index(stop) if stop in texts else len(texts) for stop in ("UM", "ALPHA"))]
    nodes, weights, components = _weighted(deck, card, texts, grid)
    if not nodes:
        raise card.wrong("has no nodes to average; give WT, C and nodes.")
    if any(set(dofs) & {4, 5, 6} for dofs in components) and len(nodes) > 1:
        deck.warn(card.where, "the rotations of the averaged nodes (components 456) are ignored.")
    if any(not {1, 2, 3} <= set(dofs) for dofs in components):
        deck.warn(card.where, "some nodes are averaged in some directions only; all three directions are used.")
    reference = grid.node(card, 2, "REFGRID")
    equal = None if len(set(weights)) == 1 else np.array(weights)
    dofs = card.dofs(3, "REFC", "123456") or _ALL
    return [Coupling(f"RBE3 {card.text(0)}", "average", reference, np.array(nodes, int), dofs, equal, card.place)]


def _weighted(deck: Deck, card: Card, texts: list[str], grid: Grid) -> tuple[list[int], list[float], list[tuple[int, ...]]]:
    """Nodes, their weights and the components of each group; a weight is written with a point, so starts a group."""
    groups: list[tuple[float, list[str]]] = []  # weight; components and nodes
    for text in texts:
        value = real(text)
        if value is not None and (not groups or integer(text) is None):
            groups.append((value, []))
        elif not groups:
            raise MeshError(f"{card.where} {card.text(0)}: the first weight WT1 is '{text}'; give a number.")
        else:
            groups[-1][1].append(text)
    nodes: list[int] = []
    weights: list[float] = []
    components = []
    for weight, members in groups:
        if weight < 0.0:
            raise MeshError(f"{card.where} {card.text(0)}: weight {weight:g}; give positive weights.")
        if weight > 0.0:
            components.append(Card("RBE3", members[:1], card.file, card.line).dofs(0, "C"))
            own = _nodes(deck, card, members[1:], grid)
            nodes += own.tolist()
            weights += [weight] * len(own)
    return nodes, weights, components


def _rigid_rod(deck: Deck, card: Card, grid: Grid) -> list[Equation]:
    """RROD: the distance of two nodes stays, so the displacements along their line are equal."""
    ends = np.array([grid.node(card, 1, "GA"), grid.node(card, 2, "GB")])
    link = rigid_link(f"RROD {card.text(0)}", ends, grid.points, card.place, grid.displacement_axes(ends))
    if link is None:
        raise card.wrong("has zero length; its nodes must differ.")
    return [link]


def _chosen_equations(deck: Deck, cards: list[Card]) -> set[int]:
    """Numbers of the MPC sets that hold; without case control the first one."""
    numbers = sorted({card.integer(0, "SID", least=1) for card in cards})
    first, chosen = cards[0].where if cards else f"{deck.source}:1: MPC", deck.chosen.get("MPC", [])
    if not chosen:
        if deck.has_case_control:
            return set()
        if len(numbers) > 1:
            deck.warn(first, f"of the sets {numbers} only the first is used (there is no MPC = in case control).")
        return set(numbers[:1])
    if len(chosen) > 1:
        deck.warn(first, f"the subcases select the sets {chosen}; those of the first subcase are used.")
    sums = [card for card in deck.named("MPCADD") if card.integer(0, "SID", least=1) == chosen[0]]
    return {chosen[0], *(card.integer(i, "S") for card in sums[-1:] for i in card.filled(1))}


def _equation(deck: Deck, card: Card, grid: Grid) -> list[Equation]:
    starts = [i for i in card.filled(1) if i % 8 in (1, 4)]
    if not starts:
        raise MeshError(f"{card.where}: the equation has no terms; give G, C and A.")
    ids = np.array([card.integer(i, "G", least=1) for i in starts])
    if deck.scalar_points.contains(ids).any():
        deck.leave_out(card, "it has scalar points")
        return []
    dofs = [card.dofs(i + 1, "C") for i in starts]
    if any(len(dof) != 1 for dof in dofs):
        raise MeshError(f"{card.where}: each term needs one component, 1 to 6.")
    nodes = grid.table.indices(ids, card.where, "the equation")
    coefficients = np.array([card.real(i + 2, "A") for i in starts])
    return [Equation(f"MPC {card.text(0)}", nodes, np.array([d[0] for d in dofs]), coefficients, 0.0, card.place)]


_MAKERS = {"RBE1": _rbe1, "RBE2": _rbe2, "RBE3": _rbe3, "RBAR": _rbar, "RBAR1": _rbar, "RROD": _rigid_rod}
NAMES = tuple(_MAKERS)
