"""What springs, dampers and bushings are made of: PELAS, PDAMP, PBUSH, PBUSH1D, PVISC, and their directions."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.element_properties import SpringSection
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.spring_cards import SCALAR, Spring

PROPERTY_OF = {"CELAS1": "PELAS", "CDAMP1": "PDAMP", "CBUSH": "PBUSH", "CBUSH1D": "PBUSH1D", "CVISC": "PVISC"}
# Closer than this part of the coordinates' size, two nodes are at one place.
_SAME_PLACE = 1e-10


def spring_section(deck: Deck, spring: Spring, grid: Grid) -> SpringSection | None:
    """The section of one spring; None when the deck has no property for it.

    Raises MeshError for a bushing without directions, components that are none, and missing coordinate systems.
    """
    card = spring.card
    given: Card | None = card
    if card.name in PROPERTY_OF:
        given = deck.properties.get((PROPERTY_OF[card.name], spring.property_number))
        if given is None:
            return None
    if card.name in SCALAR:
        return _scalar(deck, spring, given, grid)
    if card.name == "CVISC":
        damping = np.array([given.real(1, "C1", 0.0), 0, 0, 0, 0, 0])
        if given.real(2, "C2", 0.0):
            deck.warn(given.where, "the torsional damping C2 is ignored.")
        return SpringSection(damping=damping, axial=True, where=given.place)
    if card.name == "CBUSH1D":
        return _bushing_1d(spring, given, grid)
    return _bushing(deck, spring, given, grid)


def _scalar(deck: Deck, spring: Spring, given: Card, grid: Grid) -> SpringSection:
    card = spring.card
    dofs = [card.dofs(3, "C1"), card.dofs(5, "C2")]
    own = [dof for dof, node in zip(dofs, spring.nodes, strict=True) if node]
    if any(len(dof) != 1 for dof in own):
        raise MeshError(f"{card.where}: element {spring.number} needs one component (1 to 6) at each of its nodes.")
    value = given.real(1, "K" if "ELAS" in card.name else "B", 0.0)
    constant = np.array([value, 0.0, 0.0, 0.0, 0.0, 0.0])
    nodes = grid.table.indices(np.array([node for node in spring.nodes if node]), card.where, "the element")
    axes = grid.displacement_axes(nodes)
    if len(nodes) == 2 and not np.allclose(axes[0], axes[1], atol=1e-9):
        deck.warn(
            card.where,
            f"the nodes of element {spring.number} have different displacement systems (CD); the directions at the"
            " first node are used.",
        )
    return SpringSection(
        **{"stiffness" if "ELAS" in card.name else "damping": constant},
        axes=None if np.array_equal(axes[0], np.eye(3)) else axes[0],
        first_dof=own[0][0],
        second_dof=own[1][0] if len(own) == 2 else None,
        where=given.place,
    )


def _bushing_1d(spring: Spring, given: Card, grid: Grid) -> SpringSection:
    values = [np.array([given.real(i, what, 0.0), 0, 0, 0, 0, 0]) for i, what in ((1, "K"), (2, "C"))]
    mass = given.real(3, "M", 0.0)
    axes = None
    if spring.card.text(4):
        at = _points(spring, grid)[:1]
        axes = grid.directions(spring.card.integer(4, "CID"), at, spring.card.where)[0]
    return SpringSection(*values, axes=axes, axial=axes is None, mass=mass, where=given.place)


def _bushing(deck: Deck, spring: Spring, given: Card, grid: Grid) -> SpringSection:
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
    axial_only = not (values["K"][[1, 2, 4, 5]].any() or values["B"][[1, 2, 4, 5]].any())
    axes = _bushing_axes(spring, grid, axial_only)
    return SpringSection(values["K"], values["B"], axes=axes, mass=mass, where=given.place)


def _bushing_axes(spring: Spring, grid: Grid, axial_only: bool) -> np.ndarray:
    """(3, 3) columns: directions of the bushing's axes."""
    card = spring.card
    points = _points(spring, grid)
    if card.text(7):
        return grid.directions(card.integer(7, "CID"), points[:1], card.where)[0]
    if len(points) == 1:
        node = grid.table.indices(np.array([node for node in spring.nodes if node]), card.where, "the bushing")
        return grid.displacement_axes(node)[0]
    along = points[1] - points[0]
    if np.linalg.norm(along) <= _SAME_PLACE * max(np.abs(grid.table.points).max(), 1e-300):
        raise MeshError(
            f"{card.where}: bushing {spring.number} connects coincident nodes; give CID (field 9), the coordinate"
            " system of its directions."
        )
    across = _orientation(spring, grid, points[0])
    if across is None:
        if not axial_only:
            raise MeshError(
                f"{card.where}: bushing {spring.number} has no directions for its K2, K3, K5, K6; give X1, X2, X3, a"
                " grid point G0, or CID."
            )
        across = np.eye(3)[np.argmin(np.abs(along))]
    x = along / np.linalg.norm(along)
    z = np.cross(x, across)
    if np.linalg.norm(z) <= 1e-9 * np.linalg.norm(across):
        raise MeshError(f"{card.where}: the orientation of bushing {spring.number} is parallel to its line; give another.")
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def _orientation(spring: Spring, grid: Grid, first: np.ndarray) -> np.ndarray | None:
    card = spring.card
    if not any(card.text(i) for i in (4, 5, 6)):
        return None
    if card.text(4).isdigit() and not (card.text(5) or card.text(6)):
        point = grid.table.indices(np.array([card.integer(4, "G0")]), card.where, "the bushing")[0]
        vector = grid.table.points[point] - first
    else:
        vector = np.array(card.reals(4, 3, "X"))
        node = grid.table.indices(np.array([spring.nodes[0] or spring.nodes[1]]), card.where, "the bushing")
        vector = grid.displacement_axes(node)[0] @ vector
    if not vector.any():
        raise MeshError(f"{card.where}: the orientation X1, X2, X3 of bushing {spring.number} is zero; give a direction.")
    return vector


def _points(spring: Spring, grid: Grid) -> np.ndarray:
    ids = np.array([node for node in spring.nodes if node])
    return grid.table.points[grid.table.indices(ids, spring.card.where, "the element")]
