"""Cards that join nodes: rigid bodies, couplings, multi-point constraints, equations, ties."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import BoundaryCondition, Coupling, Equation, PointMass, Tie
from flexmbs.mesh.outer_faces import ring
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.number_tables import integer, number
from flexmbs.mesh.readers.abaqus.placed_instances import Model, Region
from flexmbs.mesh.readers.abaqus.set_members import Sets
from flexmbs.mesh.readers.abaqus.surfaces import Surfaces, known_names

ALL_DOFS = (1, 2, 3, 4, 5, 6)
_CYCLIC = ("CYCLIC SYMMETRY", "CYCLIC", "MULTISTAGE", "FLUID PERIODIC")  # parameters of *TIE that join sectors
_MOST_COUPLED = 100  # no body has a node in that many couplings; beyond, small files would fill the memory


@dataclass
class Joined:
    """What the constraint cards of a deck have given so far."""

    model: Model
    node_sets: Sets
    element_sets: Sets
    surfaces: Surfaces
    couplings: list[Coupling] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    point_masses: list[PointMass] = field(default_factory=list)
    boundary_conditions: list[BoundaryCondition] = field(default_factory=list)
    systems: dict = field(default_factory=dict)
    displacement_systems: dict = field(default_factory=dict)
    thickness: np.ndarray | None = None
    coupled: int = 0

    def nodes(self, region: Region, text: str, where: str) -> np.ndarray:
        """Node indices of a node or a node set."""
        return self.node_sets.named(region, label(text), where)

    def one_node(self, region: Region, text: str, where: str, what: str) -> int:
        """Index of a node, given by its number or by a set with one node."""
        nodes = self.nodes(region, text, where)
        if len(nodes) != 1:
            raise MeshError(f"{where}: {what} must be one node; {text} has {len(nodes)}.")
        return int(nodes[0])

    def skip(self, card: Card, why: str, line: Line | None = None, analysis: bool = False) -> None:
        """Note a card that is left out."""
        self.model.skip(card, why, line, analysis)

    def count_equations(self, more: int, where: str) -> None:
        """MeshError when there are more equations than displacement components (sets times sets give billions)."""
        if len(self.equations) + more > len(ALL_DOFS) * len(self.model.points):
            raise MeshError(f"{where}: there are more equations than displacement components of the nodes.")

    def couple(self, card: Card, name: str, kind: str, reference: int, nodes: np.ndarray, **more) -> None:
        """Add a coupling of nodes other than the reference."""
        self.coupled += len(nodes)
        if self.coupled > _MOST_COUPLED * (len(self.model.points) + 1000):
            raise MeshError(f"{card.where}: nodes are in more than {_MOST_COUPLED} couplings each; check their sets.")
        chosen = nodes != reference
        if not chosen.any():
            raise MeshError(f"{card.where}: {name} couples no nodes besides the reference node; add some.")
        weights = more.pop("weights", None)
        weights = None if weights is None else np.asarray(weights)[chosen]
        self.couplings.append(Coupling(name, kind, reference, nodes[chosen], weights=weights, where=card.line.where, **more))


def read_rigid_body(joined: Joined, region: Region, card: Card) -> None:
    """*RIGID BODY, REF NODE=node, NSET= | PIN NSET= | TIE NSET= | ELSET= [, ROT NODE=node]."""
    parts, pinned = [], []
    for parameter in ("NSET", "TIE NSET", "PIN NSET"):
        if card.has(parameter):
            found = joined.nodes(region, card.required_name(parameter), card.where)
            (pinned if parameter.startswith("PIN") else parts).append(found)
    if card.has("ELSET"):
        serials = joined.element_sets.named(region, card.required_name("ELSET"), card.where)
        parts.append(joined.model.nodes_of_elements(serials))
    if not parts and not pinned and card.has("ANALYTICAL SURFACE"):
        joined.skip(card, "an analytical surface has no nodes")
        return
    if not parts and not pinned:
        raise MeshError(f"{card.where} needs the parameter NSET=, PIN NSET=, TIE NSET= or ELSET=.")
    if not card.has("REF NODE"):
        joined.skip(card, "it has no REF NODE")
        return
    reference = joined.one_node(region, card.required_name("REF NODE"), card.where, "REF NODE")
    if card.has("ROT NODE"):
        joined.model.warn(
            f"{card.where}: the displacements of ROT NODE {card.text('ROT NODE')} stand for the rotations of"
            f" the body; the rotations of node {card.text('REF NODE')} are used instead."
        )
    name = f"RIGID BODY {card.line.number}"
    if parts:
        joined.couple(card, name, "rigid", reference, np.unique(np.concatenate(parts)))
    if pinned:
        joined.couple(card, f"{name} PIN", "rigid", reference, np.unique(np.concatenate(pinned)), dofs=(1, 2, 3))


def read_coupling(joined: Joined, region: Region, card: Card) -> None:
    """*COUPLING, REF NODE=node, SURFACE=name, CONSTRAINT NAME=name, with *KINEMATIC or *DISTRIBUTING."""
    name = card.name("CONSTRAINT NAME") or f"COUPLING {card.line.number}"
    reference = joined.one_node(region, card.required_name("REF NODE"), card.where, "REF NODE")
    surface_name = card.required_name("SURFACE")
    found = joined.surfaces.find(region, surface_name)
    faces = None
    if found is not None:
        nodes = joined.surfaces.nodes(*found)
        faces = None if found[1].of_nodes else joined.surfaces.faces(*found).faces
    else:
        nodes = joined.node_sets.find(region, surface_name)
        if nodes is None:
            joined.surfaces.named(region, surface_name, card.where)
    if not card.children:
        raise MeshError(f"{card.where} is incomplete; add *KINEMATIC or *DISTRIBUTING after it.")
    child = card.children[0]
    dofs = _dof_lines(child)
    if card.has("ORIENTATION") and not {1, 2, 3} <= set(dofs):
        joined.skip(card, "only some components in the axes of an ORIENTATION")
        return
    if card.has("INFLUENCE RADIUS"):
        nodes = _within(joined, card, reference, nodes)
    if child.key == "KINEMATIC":
        joined.couple(card, name, "rigid", reference, nodes, dofs=dofs)
        return
    if child.option("WEIGHTING METHOD", "UNIFORM") not in ("UNIFORM", ""):
        joined.model.warn(f"{child.where}: the weights are taken as uniform.")
    weights = None if faces is None else _areas(joined.model.points, faces, nodes)
    joined.couple(card, name, "average", reference, nodes, dofs=_of_reference(dofs), weights=weights)


def _within(joined: Joined, card: Card, reference: int, nodes: np.ndarray) -> np.ndarray:
    radius = number(card.text("INFLUENCE RADIUS"), card.where, "INFLUENCE RADIUS")
    points = joined.model.points
    return nodes[np.linalg.norm(points[nodes] - points[reference], axis=1) <= radius]


def _of_reference(dofs: tuple[int, ...]) -> tuple[int, ...]:
    """The format always couples the translations of the reference node; rotations unless they are left out."""
    return tuple(sorted({1, 2, 3, *dofs}))


def _dof_lines(card: Card) -> tuple[int, ...]:
    dofs: set[int] = set()
    for line in card.lines():
        fields = line.fields()
        first = integer(fields[0] if fields else "", card.at(line), "a component")
        last = integer(fields[1], card.at(line), "a component") if len(fields) > 1 and fields[1] else first
        dofs |= components(first, last, card.at(line))
    return tuple(sorted(dofs)) or ALL_DOFS


def components(first: int, last: int, where: str) -> set[int]:
    """Components 1 to 6 of a range; others (temperature, ...) are none of a body."""
    if last < first or first < 0:
        raise MeshError(f"{where}: the first component must not exceed the last, got {first} to {last}.")
    return {dof for dof in ALL_DOFS if first <= dof <= last}


def _areas(points: np.ndarray, faces, nodes: np.ndarray) -> np.ndarray:
    """(k,) share of each node in the area of the faces: that of the triangles at it, around the middle of the face."""
    share = np.zeros(len(points))
    for kind, rows in faces.items():
        if not kind.startswith(("tri", "quad")):
            continue
        around = ring(kind)
        centre = points[rows].mean(axis=1)
        for one, other in zip(around, around[1:] + around[:1], strict=True):
            a, b = points[rows[:, one]] - centre, points[rows[:, other]] - centre
            area = np.linalg.norm(np.cross(a, b), axis=1) / 4.0
            np.add.at(share, rows[:, one], area)
            np.add.at(share, rows[:, other], area)
    weights = share[nodes]
    return weights if (weights > 0.0).all() else None


def read_kinematic_coupling(joined: Joined, region: Region, card: Card) -> None:
    """*KINEMATIC COUPLING, REF NODE=node: node or node set, first component, last component."""
    reference = joined.one_node(region, card.required_name("REF NODE"), card.where, "REF NODE")
    if card.has("ORIENTATION"):
        joined.skip(card, "with ORIENTATION")
        return
    by_dofs: dict[tuple[int, ...], list[np.ndarray]] = {}
    for line in card.lines():
        fields, where = [*line.fields(), "", "", ""][:3], card.at(line)
        nodes = joined.nodes(region, fields[0], where)
        dofs = ALL_DOFS
        if fields[1]:
            first = integer(fields[1], where, "a component")
            dofs = tuple(sorted(components(first, integer(fields[2] or fields[1], where, "a component"), where)))
        by_dofs.setdefault(dofs, []).append(nodes)
    for dofs, parts in by_dofs.items():
        if dofs:
            name = f"KINEMATIC COUPLING {card.line.number}"
            joined.couple(card, name, "rigid", reference, np.unique(np.concatenate(parts)), dofs=dofs)


def read_distributing_coupling(joined: Joined, region: Region, card: Card) -> None:
    """*DISTRIBUTING COUPLING, ELSET=set with one DCOUP3D element: node or node set, weight."""
    serials = joined.element_sets.named(region, card.required_name("ELSET"), card.where)
    reference = joined.model.nodes_of_elements(serials)
    if len(reference) != 1:
        raise MeshError(f"{card.where}: the set {card.name('ELSET')} must have one DCOUP3D element at one node.")
    nodes, weights = [], []
    for line in card.lines():
        fields, where = [*line.fields(), "", ""][:2], card.at(line)
        found = joined.nodes(region, fields[0], where)
        weight = number(fields[1], where, "the weight") if fields[1] else 1.0
        if not weight > 0.0:
            raise MeshError(f"{where}: the weight is {weight:g}; it must be positive.")
        nodes.append(found)
        weights.append(np.full(len(found), weight))
    if not nodes:
        raise MeshError(f"{card.where} needs data lines: node or node set, weight.")
    own, first = np.unique(np.concatenate(nodes), return_index=True)
    name = f"DISTRIBUTING COUPLING {card.line.number}"
    joined.couple(card, name, "average", int(reference[0]), own, weights=np.concatenate(weights)[first])


def read_mpc(joined: Joined, region: Region, card: Card) -> None:
    """*MPC: type, nodes or node sets. BEAM, TIE, PIN and LINK are read."""
    for line in card.lines():
        fields, where = line.fields(), card.at(line)
        kind = fields[0].upper() if fields else ""
        if kind not in ("BEAM", "TIE", "PIN", "LINK") or len(fields) < 3:
            joined.skip(card, f"type {kind[:20]}; BEAM, TIE, PIN and LINK are read", line)
            continue
        first, second = (joined.nodes(region, text, where) for text in fields[1:3])
        if len(second) not in (1, len(first)):
            raise MeshError(
                f"{where}: {fields[1]} has {len(first)} nodes, but {fields[2]} has {len(second)}; the numbers must agree."
            )
        second = np.broadcast_to(second, first.shape)
        _multi_point(joined, card, line, kind, first, second)


def _multi_point(joined: Joined, card: Card, line: Line, kind: str, first: np.ndarray, second: np.ndarray) -> None:
    name = f"MPC {kind} {line.number}"
    if kind == "BEAM":
        for reference in np.unique(second):
            joined.couple(card, name, "rigid", int(reference), first[second == reference])
        return
    points = joined.model.points
    joined.count_equations(len(ALL_DOFS if kind == "TIE" else (1, 2, 3)) * len(first), card.at(line))
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        if kind == "LINK":
            along = points[one] - points[other]
            length = np.linalg.norm(along)
            if not length > 0.0:
                raise MeshError(f"{card.at(line)}: the nodes of the link coincide.")
            coefficients = np.concatenate([along, -along]) / length
            nodes, dofs = np.repeat([one, other], 3), np.array([1, 2, 3, 1, 2, 3])
            joined.equations.append(Equation(name, nodes, dofs, coefficients, where=line.where))
            continue
        for dof in (1, 2, 3) if kind == "PIN" else ALL_DOFS:
            pair = np.array([one, other])
            joined.equations.append(Equation(name, pair, np.array([dof, dof]), np.array([1.0, -1.0]), where=line.where))


def read_equation(joined: Joined, region: Region, card: Card) -> None:
    """*EQUATION: number of terms; then node or node set, component, coefficient of each, on any number of lines."""
    if card.has("REMOVE"):
        return
    lines = iter(card.lines())
    for line in lines:
        fields = line.fields()
        count = integer(fields[0] if fields else "", card.at(line), "the number of terms")
        if count < 1:
            raise MeshError(f"{card.at(line)}: the number of terms is {count}; at least one is needed.")
        entries: list[str] = []
        last = line
        while len(entries) < 3 * count:
            last = next(lines, None)
            if last is None:
                raise MeshError(f"{card.at(line)}: the equation has {count} terms, but its data ends earlier.")
            entries += last.fields()
        if len(entries) > 3 * count:
            raise MeshError(f"{card.at(last)}: there are more entries than the {count} terms of the equation need.")
        _equation(joined, region, card, line, entries)


def _equation(joined: Joined, region: Region, card: Card, line: Line, entries: list[str]) -> None:
    where = card.at(line)
    nodes = [joined.nodes(region, text, where) for text in entries[::3]]
    dofs = [integer(text, where, "a component") for text in entries[1::3]]
    factors = [number(text, where, "a coefficient") for text in entries[2::3]]
    if not all(1 <= dof <= 6 for dof in dofs):
        joined.skip(card, "components other than displacements and rotations", line)
        return
    size = max(map(len, nodes))
    if any(len(own) not in (1, size) for own in nodes):
        raise MeshError(f"{where}: the node sets of an equation must have equal numbers of nodes, or one node.")
    joined.count_equations(size, where)
    name, dofs, factors = f"EQUATION {line.number}", np.array(dofs), np.array(factors)
    table = np.concatenate(nodes)[None] if size == 1 else np.column_stack([np.broadcast_to(n, size) for n in nodes])
    joined.equations += [Equation(name, row, dofs, factors, where=line.where) for row in table]


def read_tie(joined: Joined, region: Region, card: Card) -> None:
    """*TIE, NAME=name [, POSITION TOLERANCE=distance]: one surface, the other."""
    cyclic = next((name for name in _CYCLIC if card.has(name)), None)
    if cyclic:
        joined.skip(card, f"{cyclic}: only the sector in the file is read")
        return
    text = card.text("POSITION TOLERANCE")
    tolerance = number(text, card.where, "POSITION TOLERANCE") if text else None
    for line in card.lines():
        fields, where = line.fields(), card.at(line)
        if len(fields) < 2:
            raise MeshError(f"{where}: a tie needs two surfaces, got '{line.text[:60]}'.")
        names = [_surface_or_set(joined, region, label(text), where) for text in fields[:2]]
        name = card.name("NAME") or f"TIE {line.number}"
        joined.ties.append(Tie(name, *names, where=line.where, tolerance=tolerance))


def _surface_or_set(joined: Joined, region: Region, name: str, where: str) -> str:
    found = joined.surfaces.find(region, name)
    if found is None and joined.node_sets.find(region, name) is not None:
        return name
    holder, draft = found or joined.surfaces.named(region, name, where)
    own = next(key for key in known_names(holder) if holder.scope.surface(key) is draft)
    return joined.model.final_name(holder, own)
