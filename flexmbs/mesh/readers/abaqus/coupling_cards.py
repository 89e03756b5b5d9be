"""Cards that join nodes or hold them: rigid bodies, couplings, equations, ties, supports."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.connectivity import ring
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.mesh import BoundaryCondition, Coupling, Equation, PointMass, Tie
from flexmbs.mesh.readers.abaqus.cards import Card, compact, integer, is_integer, label, number
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.sets_and_surfaces import Sets, Surfaces

_ALL = (1, 2, 3, 4, 5, 6)
_MOST_COUPLED = 100  # no body has a node in that many couplings; beyond, small files would fill the memory
_CYCLIC = ("CYCLIC SYMMETRY", "CYCLIC", "MULTISTAGE", "FLUID PERIODIC")  # parameters of *TIE that join sectors
_NAMED_SUPPORTS = {
    **{"ENCASTRE": _ALL, "PINNED": (1, 2, 3), "XSYMM": (1, 5, 6), "YSYMM": (2, 4, 6), "ZSYMM": (3, 4, 5)},
    **{"XASYMM": (2, 3, 4), "YASYMM": (1, 3, 5), "ZASYMM": (1, 2, 6), "NOWARP": (), "NOOVAL": (), "NODEFORM": ()},
}


@dataclass
class Joined:
    """What the cards that join and hold nodes have given so far."""

    model: Model
    node_sets: Sets
    element_sets: Sets
    surfaces: Surfaces
    couplings: list[Coupling] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    point_masses: list[PointMass] = field(default_factory=list)
    boundary_conditions: list[BoundaryCondition] = field(default_factory=list)
    coordinate_systems: dict[str, CoordinateSystem] = field(default_factory=dict)
    displacement_systems: dict[str, np.ndarray] = field(default_factory=dict)
    thickness: np.ndarray | None = None  # (number of nodes,) of *NODAL THICKNESS, NaN where there is none
    coupled: int = 0

    def nodes(self, region: Region, text: str, where: str) -> np.ndarray:
        """Node indices of a node or a node set."""
        return self.node_sets.named(region, label(text), where)

    def reference(self, region: Region, card: Card) -> int:
        """Index of the node that REF NODE= names, by its number or by a set with one node."""
        nodes = self.node_sets.named(region, card.required_name("REF NODE"), card.where)
        if len(nodes) != 1:
            raise MeshError(f"{card.where}: REF NODE must be one node; {card.text('REF NODE')} has {len(nodes)}.")
        return int(nodes[0])

    def count_equations(self, more: int, where: str) -> None:
        """MeshError when there are more equations than displacement components (sets times sets give billions)."""
        if len(self.equations) + more > len(_ALL) * len(self.model.points):
            raise MeshError(f"{where}: there are more equations than displacement components of the nodes.")

    def couple(self, card: Card, name: str, kind: str, reference: int, nodes: np.ndarray, weights=None, dofs=_ALL) -> None:
        """Add a coupling of nodes other than the reference."""
        self.coupled += len(nodes)
        if self.coupled > _MOST_COUPLED * (len(self.model.points) + 1000):
            raise MeshError(f"{card.where}: nodes are in more than {_MOST_COUPLED} couplings each; check their sets.")
        chosen = nodes != reference
        if not chosen.any():
            raise MeshError(f"{card.where}: {name} couples no nodes besides the reference node; add some.")
        weights = None if weights is None else weights[chosen]
        self.couplings.append(Coupling(name, kind, reference, nodes[chosen], tuple(dofs), weights, card.line.where))


def _components(first: str, last: str, where: str) -> set[int]:
    """Components 1 to 6 from the first to the last (blank: the first); others (temperature, ...) are none of a body."""
    low, high = integer(first, where, "a component"), integer(last or first, where, "a component")
    if high < low or low < 0:
        raise MeshError(f"{where}: the first component must not exceed the last, got {low} to {high}.")
    return {dof for dof in _ALL if low <= dof <= high}


def _rigid_body(joined: Joined, region: Region, card: Card) -> None:
    """*RIGID BODY, REF NODE=node, NSET= | PIN NSET= | TIE NSET= | ELSET= [, ROT NODE=node]."""
    names = {kind: card.required_name(kind) for kind in ("NSET", "TIE NSET", "PIN NSET", "ELSET") if card.has(kind)}
    given = {kind: joined.nodes(region, name, card.where) for kind, name in names.items() if kind != "ELSET"}
    if "ELSET" in names:
        serials = joined.element_sets.named(region, names["ELSET"], card.where)
        given["ELSET"] = joined.model.nodes_of_elements(serials)
    if not given and not card.has("ANALYTICAL SURFACE"):
        raise MeshError(f"{card.where} needs the parameter NSET=, PIN NSET=, TIE NSET= or ELSET=.")
    if not given or not card.has("REF NODE"):
        joined.model.deck.skip(card, "it has no REF NODE" if given else "an analytical surface has no nodes")
        return
    reference = joined.reference(region, card)
    if card.has("ROT NODE"):
        joined.model.deck.warn(f"{card.where}: instead of the displacements of ROT NODE the rotations of REF NODE are used.")
    name, pinned = f"RIGID BODY {card.line.number}", given.pop("PIN NSET", None)
    if given:
        joined.couple(card, name, "rigid", reference, np.unique(np.concatenate(list(given.values()))))
    if pinned is not None:
        joined.couple(card, f"{name} PIN", "rigid", reference, np.unique(pinned), dofs=(1, 2, 3))


def _coupling(joined: Joined, region: Region, card: Card) -> None:
    """*COUPLING, REF NODE=node, SURFACE=name, CONSTRAINT NAME=name, with *KINEMATIC or *DISTRIBUTING: components."""
    name = card.name("CONSTRAINT NAME") or f"COUPLING {card.line.number}"
    reference, points = joined.reference(region, card), joined.model.points
    surface, faces = card.required_name("SURFACE"), {}
    nodes = joined.node_sets.find(region, surface) if joined.surfaces.find(region, surface) is None else None
    if nodes is None:
        holder, own = joined.surfaces.named(region, surface, card.where)
        draft = holder.scope.surface(own)
        nodes = joined.surfaces.nodes(holder, draft)
        faces = {} if draft.of_nodes else joined.surfaces.faces(holder, draft).faces
    if not card.children:
        raise MeshError(f"{card.where} is incomplete; add *KINEMATIC or *DISTRIBUTING after it.")
    child = card.children[0]
    given = (_components(first, last, where) for _, where, (first, last) in child.rows(2))
    dofs = sorted(set().union(*given)) or _ALL
    if card.has("ORIENTATION") and not {1, 2, 3} <= set(dofs):
        joined.model.deck.skip(card, "only some components in the axes of an ORIENTATION")
        return
    if card.has("INFLUENCE RADIUS"):
        radius = number(card.text("INFLUENCE RADIUS"), card.where, "INFLUENCE RADIUS")
        nodes = nodes[np.linalg.norm(points[nodes] - points[reference], axis=1) <= radius]
    if child.key == "KINEMATIC":
        joined.couple(card, name, "rigid", reference, nodes, dofs=dofs)
        return
    if child.option("WEIGHTING METHOD", "UNIFORM") != "UNIFORM":
        joined.model.deck.warn(f"{child.where}: the weights are taken as uniform.")
    # The format always couples the translations of the reference node; rotations unless they are left out.
    joined.couple(card, name, "average", reference, nodes, _areas(points, faces, nodes), sorted({1, 2, 3, *dofs}))


def _areas(points: np.ndarray, faces: dict[str, np.ndarray], nodes: np.ndarray) -> np.ndarray | None:
    """(k,) share of each node in the area of the faces: that of the triangles at it, around the middle of the face."""
    share = np.zeros(len(points))
    for kind, rows in faces.items():
        around = ring(kind) if kind.startswith(("tri", "quad")) else []
        centre = points[rows].mean(axis=1)
        for one, other in zip(around, around[1:] + around[:1], strict=True):
            a, b = points[rows[:, one]] - centre, points[rows[:, other]] - centre
            area = np.linalg.norm(np.cross(a, b), axis=1) / 4.0
            np.add.at(share, rows[:, one], area)
            np.add.at(share, rows[:, other], area)
    return share[nodes] if (share[nodes] > 0.0).all() else None


def _kinematic_coupling(joined: Joined, region: Region, card: Card) -> None:
    """*KINEMATIC COUPLING, REF NODE=node: node or node set, first component, last component."""
    reference = joined.reference(region, card)
    if card.has("ORIENTATION"):
        joined.model.deck.skip(card, "with ORIENTATION")
        return
    by_dofs: dict[tuple[int, ...], list[np.ndarray]] = {}
    for _, where, (node, first, last) in card.rows(3):
        nodes = joined.nodes(region, node, where)
        by_dofs.setdefault(tuple(sorted(_components(first, last, where))) if first else _ALL, []).append(nodes)
    for dofs, parts in by_dofs.items():
        if dofs:
            nodes, name = np.unique(np.concatenate(parts)), f"KINEMATIC COUPLING {card.line.number}"
            joined.couple(card, name, "rigid", reference, nodes, dofs=dofs)


def _distributing_coupling(joined: Joined, region: Region, card: Card) -> None:
    """*DISTRIBUTING COUPLING, ELSET=set with one DCOUP3D element: node or node set, weight."""
    serials = joined.element_sets.named(region, card.required_name("ELSET"), card.where)
    reference = joined.model.nodes_of_elements(serials)
    if len(reference) != 1:
        raise MeshError(f"{card.where}: the set {card.name('ELSET')} must have one DCOUP3D element at one node.")
    nodes, weights = [], []
    for _, where, (node, weight) in card.rows(2):
        nodes.append(joined.nodes(region, node, where))
        weights.append(np.full(len(nodes[-1]), number(weight or "1", where, "the weight", "be positive")))
    if not nodes:
        raise MeshError(f"{card.where} needs data lines: node or node set, weight.")
    own, first = np.unique(np.concatenate(nodes), return_index=True)
    name, weights = f"DISTRIBUTING COUPLING {card.line.number}", np.concatenate(weights)[first]
    joined.couple(card, name, "average", int(reference[0]), own, weights)


def _mpc(joined: Joined, region: Region, card: Card) -> None:
    """*MPC: type, nodes or node sets. BEAM, TIE, PIN and LINK are read."""
    for line, where, (kind, one, other) in card.rows(3):
        kind = kind.upper()
        if kind not in ("BEAM", "TIE", "PIN", "LINK") or not other:
            joined.model.deck.skip(card, f"type {kind[:20]}; BEAM, TIE, PIN and LINK are read", line)
            continue
        first, second = joined.nodes(region, one, where), joined.nodes(region, other, where)
        if len(second) not in (1, len(first)):
            raise MeshError(f"{where}: {one} has {len(first)} nodes, but {other} has {len(second)}; the numbers must agree.")
        name, second = f"MPC {kind} {line.number}", np.broadcast_to(second, first.shape)
        if kind == "BEAM":
            for reference in np.unique(second):
                joined.couple(card, name, "rigid", int(reference), first[second == reference])
            continue
        dofs = _ALL if kind == "TIE" else (1, 2, 3)
        joined.count_equations(len(dofs) * len(first), where)
        for pair in np.column_stack([first, second]):
            terms = [(pair, [dof, dof], [1.0, -1.0]) for dof in dofs]
            if kind == "LINK":
                along = joined.model.points[pair[0]] - joined.model.points[pair[1]]
                length = np.linalg.norm(along)
                if not length > 0.0:
                    raise MeshError(f"{where}: the nodes of the link coincide.")
                terms = [(np.repeat(pair, 3), [1, 2, 3, 1, 2, 3], np.concatenate([along, -along]) / length)]
            joined.equations += [Equation(name, *map(np.array, term), where=line.where) for term in terms]


def _equation(joined: Joined, region: Region, card: Card) -> None:
    """*EQUATION: number of terms; then node or node set, component, coefficient of each, on any number of lines."""
    lines = iter(() if card.has("REMOVE") else card.lines())
    for line in lines:
        where, last, entries = card.at(line), line, []
        count = integer(line.entries(1)[0], where, "the number of terms", least=1)
        while len(entries) < 3 * count:
            last = next(lines, None)
            if last is None:
                raise MeshError(f"{where}: the equation has {count} terms, but its data ends earlier.")
            entries += last.fields()
        if len(entries) > 3 * count:
            raise MeshError(f"{card.at(last)}: there are more entries than the {count} terms of the equation need.")
        nodes = [joined.nodes(region, text, where) for text in entries[::3]]
        dofs = np.array([integer(text, where, "a component") for text in entries[1::3]])
        factors = np.array([number(text, where, "a coefficient") for text in entries[2::3]])
        if not ((dofs >= 1) & (dofs <= 6)).all():
            joined.model.deck.skip(card, "components other than displacements and rotations", line)
            continue
        size = max(map(len, nodes))
        if any(len(own) not in (1, size) for own in nodes):
            raise MeshError(f"{where}: the node sets of an equation must have equal numbers of nodes, or one node.")
        joined.count_equations(size, where)
        table = np.column_stack([np.broadcast_to(own, size) for own in nodes])
        joined.equations += [Equation(f"EQUATION {line.number}", row, dofs, factors, where=line.where) for row in table]


def _tie(joined: Joined, region: Region, card: Card) -> None:
    """*TIE, NAME=name [, POSITION TOLERANCE=distance]: one surface, the other."""
    cyclic = next((name for name in _CYCLIC if card.has(name)), None)
    if cyclic:
        joined.model.deck.skip(card, f"{cyclic}: only the sector in the file is read")
        return
    text = card.text("POSITION TOLERANCE")
    tolerance = number(text, card.where, "POSITION TOLERANCE") if text else None
    for line, where, names in card.rows(2):
        if not names[1]:
            raise MeshError(f"{where}: a tie needs two surfaces, got '{line.text[:60]}'.")
        pair = [label(name) for name in names]
        for position, name in enumerate(pair):
            if joined.surfaces.find(region, name) or joined.node_sets.find(region, name) is None:
                pair[position] = joined.model.final_name(*joined.surfaces.named(region, name, where))
        joined.ties.append(Tie(card.name("NAME") or f"TIE {line.number}", *pair, where=line.where, tolerance=tolerance))


def _boundary(joined: Joined, region: Region, card: Card) -> None:
    """*BOUNDARY: node or node set, first component, last component, value; or a named support (ENCASTRE, ...)."""
    if card.has("SUBMODEL") or card.option("OP") == "REMOVE":
        joined.model.deck.skip(card, "displacements from another analysis", analysis=True)
        return
    held: dict[str, tuple[np.ndarray, set[int]]] = {}
    for _, where, (node, first, last) in card.rows(3):
        support, key = compact(first), joined.model.deck.in_assembly(label(node))
        if not node:
            raise MeshError(f"{where}: a support must be 'node or node set, first component, last component'.")
        if support not in _NAMED_SUPPORTS and not is_integer(support):
            raise MeshError(f"{where}: '{support[:20]}' is not a component; give 1 to 6, or {', '.join(_NAMED_SUPPORTS)}.")
        dofs = _NAMED_SUPPORTS[support] if support in _NAMED_SUPPORTS else _components(support, last, where)
        if is_integer(key) and joined.node_sets.find(region, key) is None:
            joined.model.deck.warn(f"{where}: node {key} does not exist; its support is left out.")
            continue
        if key not in held:
            held[key] = (joined.nodes(region, node, where), set())
        held[key][1].update(dofs)
    parts = [(name, nodes, tuple(sorted(dofs))) for name, (nodes, dofs) in held.items() if dofs]
    conditions = [part for part in parts if not is_integer(part[0])]
    single: dict[tuple[int, ...], list[np.ndarray]] = {}
    for _, nodes, dofs in (part for part in parts if is_integer(part[0])):
        single.setdefault(dofs, []).append(nodes)
    for dofs, nodes in single.items():
        name = f"BOUNDARY {card.line.number}" + ("" if len(single) == 1 else " " + "".join(map(str, dofs)))
        conditions.append((name, np.concatenate(nodes), dofs))
    joined.boundary_conditions += [BoundaryCondition(*condition, where=card.line.where) for condition in conditions]
    if not conditions:
        joined.model.deck.skip(card, "it constrains no displacement", analysis=True)


JOINING_CARDS = {
    **{"RIGIDBODY": _rigid_body, "COUPLING": _coupling, "KINEMATICCOUPLING": _kinematic_coupling, "MPC": _mpc, "TIE": _tie},
    **{"DISTRIBUTINGCOUPLING": _distributing_coupling, "EQUATION": _equation, "BOUNDARY": _boundary},
}
