"""Springs, dampers and bushings: CELAS1-4, CDAMP1-4, CBUSH, CBUSH1D, CVISC."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, Elements
from flexmbs.mesh.readers.nastran.element_cards import SECOND_ON_A_CARD

SCALAR = ("CELAS1", "CELAS2", "CDAMP1", "CDAMP2")
NAMES = (*SCALAR, "CELAS3", "CELAS4", "CDAMP3", "CDAMP4", "CDAMP5", "CBUSH", "CBUSH1D", "CVISC")
_ON_SCALAR_POINTS = ("CELAS3", "CELAS4", "CDAMP3", "CDAMP4", "CDAMP5")


@dataclass(frozen=True)
class Spring:
    """A spring as its card states it, with its nodes in order (0: ground)."""

    card: Card
    number: int
    property_number: int
    nodes: tuple[int, int]


def read_springs(deck: Deck, card: Card) -> None:
    """Any card of this module; springs between scalar points are left out."""
    if card.name in _ON_SCALAR_POINTS:
        deck.skipped.add(card.name, card.file, card.line, why="it joins scalar points")
        return
    number = card.integer(0, "EID", least=1)
    second = 4 if card.name in ("CELAS1", "CELAS2", "CDAMP1", "CDAMP2") else 3
    own = card.name in ("CELAS2", "CDAMP2")
    property_number = 0 if own else card.integer(1, "PID", number, least=1)
    nodes = card.integer(2, "G1", 0, least=0), card.integer(second, "G2", 0, least=0)
    if not any(nodes):
        raise MeshError(f"{card.where}: element {number} has no node; give G1 (field 4).")
    deck.springs.append(Spring(card, number, property_number, nodes))
    if card.name == "CVISC" and card.filled(4)[:1] == [4]:
        deck.skipped.add(card.name, card.file, card.line, why=SECOND_ON_A_CARD)


def spring_elements(deck: Deck) -> list[Elements]:
    """The springs as elements of their kinds; those on scalar points are left out and listed."""
    springs: dict[tuple, list[tuple[Spring, tuple]]] = {}
    for spring in deck.springs:
        nodes = [node for node in spring.nodes if node]
        if deck.scalar_points.contains(np.array(nodes)).any():
            deck.skipped.add(spring.card.name, spring.card.file, spring.card.line, why="it is connected to a scalar point")
            continue
        kind = "spring2" if len(nodes) == 2 else "spring1"
        key = (kind, spring.card.name, spring.card.file)
        springs.setdefault(key, []).append((spring, nodes))
    groups = []
    for (kind, name, file), members in springs.items():
        rows = ElementRows(
            kind,
            name,
            np.array([spring.number for spring, _ in members], np.int64),
            np.array([nodes for _, nodes in members], np.int64),
            file,
            np.array([spring.card.line for spring, _ in members]),
        )
        properties = np.array([spring.property_number for spring, _ in members], np.int64)
        owners = np.empty(len(members), object)
        owners[:] = [spring for spring, _ in members]
        groups.append(Elements(rows, "spring", properties, {"springs": owners}))
    return groups
