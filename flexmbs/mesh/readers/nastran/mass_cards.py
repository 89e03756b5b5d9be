"""Masses at grid points: CONM1, CONM2, CMASS1-4 with PMASS."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.couplings import PointMass
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.grid_cards import Grid

NAMES = ("CONM1", "CONM2", "CMASS1", "CMASS2", "CMASS3", "CMASS4")
_OFFSETS_ARE_POINTS = -1  # CID of a CONM2 whose X1, X2, X3 are basic coordinates


def read_masses(deck: Deck, card: Card) -> None:
    """Any card of this module."""
    if card.name in ("CMASS3", "CMASS4"):
        deck.skipped.add(card.name, card.file, card.line, why="it joins scalar points")
    else:
        deck.masses.append(card)


def point_masses(deck: Deck, grid: Grid) -> tuple[PointMass, ...]:
    """The masses of a deck; those that act in some directions only are left out and listed.

    Raises MeshError for masses at nodes that do not exist, negative ones, and missing coordinate systems.
    """
    masses = []
    scalar: dict[int, dict[int, tuple[float, Card]]] = {}
    for card in deck.masses:
        if card.name == "CONM2":
            masses.append(_concentrated(card, grid))
        elif card.name == "CONM1":
            mass = _matrix(deck, card, grid)
            masses += [mass] if mass is not None else []
        else:
            _note_scalar(deck, card, scalar)
    return (*masses, *_scalar_masses(deck, grid, scalar))


def _node(card: Card, index: int, grid: Grid) -> int:
    return int(grid.table.indices(np.array([card.integer(index, "G")]), card.where, "the mass")[0])


def _concentrated(card: Card, grid: Grid) -> PointMass:
    number = card.integer(0, "EID", least=1)
    node = _node(card, 1, grid)
    system = card.integer(2, "CID", 0)
    mass = card.real(3, "M", 0.0)
    if mass < 0.0:
        raise MeshError(f"{card.where}: the mass of {number} is {mass:g}; give a positive one.")
    at = grid.table.points[node]
    offset = np.array(card.reals(4, 3, "X"))
    axes = np.eye(3)
    if system == _OFFSETS_ARE_POINTS:
        offset = offset - at
    else:
        axes = grid.directions(system, at[None], card.where)[0]
        offset = axes @ offset
    i11, i21, i22, i31, i32, i33 = card.reals(8, 6, "I")
    inertia = np.array([(i11, -i21, -i31), (-i21, i22, -i32), (-i31, -i32, i33)])
    return PointMass(f"CONM2 {number}", node, mass, axes @ inertia @ axes.T, offset, card.place)


def _matrix(deck: Deck, card: Card, grid: Grid) -> PointMass | None:
    """CONM1: the symmetric 6 x 6 matrix of a rigid body at the node, or nothing when it is that of none."""
    number = card.integer(0, "EID", least=1)
    node = _node(card, 1, grid)
    values = card.reals(3, 21, "M")
    matrix = np.zeros((6, 6))
    matrix[np.tril_indices(6)] = values
    matrix = matrix + np.tril(matrix, -1).T
    mass = np.trace(matrix[:3, :3]) / 3.0
    size = np.abs(matrix).max()
    coupling = matrix[3:, :3]  # m times the cross product matrix of the offset
    whole = np.allclose(matrix[:3, :3], mass * np.eye(3), atol=1e-6 * size)
    if not whole or not np.allclose(coupling, -coupling.T, atol=1e-6 * size) or mass < 0.0:
        deck.skipped.add("CONM1", card.file, card.line, why="its mass differs by direction")
        return None
    moment = np.array([coupling[2, 1], coupling[0, 2], coupling[1, 0]])
    offset = moment / mass if mass > 0.0 else np.zeros(3)
    inertia = matrix[3:, 3:] - mass * (offset @ offset * np.eye(3) - np.outer(offset, offset))
    axes = grid.directions(card.integer(2, "CID", 0), grid.table.points[node][None], card.where)[0]
    return PointMass(f"CONM1 {number}", node, float(mass), axes @ inertia @ axes.T, axes @ offset, card.place)


def _note_scalar(deck: Deck, card: Card, scalar: dict) -> None:
    """CMASS1, CMASS2 from a component of one node to ground, by node and component."""
    number = card.integer(0, "EID", least=1)
    nodes = card.integer(2, "G1", 0), card.integer(4, "G2", 0)
    dofs = card.dofs(3, "C1"), card.dofs(5, "C2")
    if card.name == "CMASS1":
        given = deck.properties.get(("PMASS", card.integer(1, "PID", number)))
        mass = None if given is None else given.real(1, "M", 0.0)
    else:
        mass = card.real(1, "M", 0.0)
    ends = [(node, dof[0]) for node, dof in zip(nodes, dofs, strict=True) if node and len(dof) == 1]
    if mass is None or len(ends) != 1 or ends[0][0] < 1:
        deck.skipped.add(card.name, card.file, card.line, why="it connects two components, or has no PMASS")
        return
    node, dof = ends[0]
    before = scalar.setdefault(node, {}).get(dof, (0.0, card))
    scalar[node][dof] = (before[0] + mass, before[1])


def _scalar_masses(deck: Deck, grid: Grid, scalar: dict) -> list[PointMass]:
    masses = []
    for number, of_dof in scalar.items():
        values = [of_dof.get(dof, (0.0, None))[0] for dof in range(1, 7)]
        card = next(iter(of_dof.values()))[1]
        node = int(grid.table.find(np.array([number]))[0])
        if node < 0 or not np.allclose(values[:3], values[0], rtol=1e-6, atol=0.0):
            why = "it is at a scalar point, or at none that exists" if node < 0 else "its mass differs by direction"
            for _, of_one in of_dof.values():
                deck.skipped.add(of_one.name, of_one.file, of_one.line, why=why)
            continue
        axes = grid.displacement_axes(np.array([node]))[0]
        inertia = axes @ np.diag(values[3:]) @ axes.T
        masses.append(PointMass(f"{card.name} {number}", node, values[0], inertia, np.zeros(3), card.place))
    return masses
