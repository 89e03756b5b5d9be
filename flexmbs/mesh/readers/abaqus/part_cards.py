"""Cards that structure a deck: parts, instances and where they stand, the assembly, steps."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.abaqus.cards import Card
from flexmbs.mesh.readers.abaqus.deck import Deck, Instance, Placement
from flexmbs.mesh.readers.abaqus.number_tables import numbers


def read_part(deck: Deck, card: Card) -> None:
    """*PART, NAME=name: what follows, up to *END PART, belongs to it."""
    name = card.required_name("NAME")
    if name in deck.parts:
        raise MeshError(f"{card.where}: part {name} is defined twice (first in line {deck.parts[name].line.number}).")
    _open(deck, card, allowed_in=())
    deck.scope = deck.parts[name] = deck.new_scope(name, card.line)


def read_assembly(deck: Deck, card: Card) -> None:
    """*ASSEMBLY [, NAME=name]: instances, and sets and couplings between them, up to *END ASSEMBLY."""
    _open(deck, card, allowed_in=())
    deck.scope = deck.root
    deck.assembly = card.name("NAME") or ""


def read_instance(deck: Deck, card: Card) -> None:
    """*INSTANCE, NAME=name, PART=name: translation; two points of an axis and an angle."""
    name = card.required_name("NAME")
    if card.has("LIBRARY"):
        raise MeshError(f"{card.where}: instances of earlier analyses (LIBRARY=) are not supported; include the part in the file.")
    if name in deck.instances:
        raise MeshError(f"{card.where}: instance {name} is defined twice (first in line {deck.instances[name].line.number}).")
    _open(deck, card, allowed_in=("ASSEMBLY",))
    deck.scope = deck.new_scope(name, card.line)
    deck.instances[name] = Instance(deck.scope, card.name("PART"), card.line, _placement(card))


def end_block(deck: Deck, card: Card) -> None:
    """*END PART, *END INSTANCE, *END ASSEMBLY."""
    block = deck.open_blocks[-1] if deck.open_blocks else None
    if block is None or block.key != card.key.removeprefix("END"):
        open_one = "no such block is open" if block is None else f"{block.title} of line {block.line.number} is open"
        raise MeshError(f"{card.where} has no matching start: {open_one}.")
    deck.open_blocks.pop()
    deck.scope = deck.root


def _open(deck: Deck, card: Card, allowed_in: tuple[str, ...]) -> None:
    if deck.open_blocks and deck.open_blocks[-1].key not in allowed_in:
        block = deck.open_blocks[-1]
        raise MeshError(f"{card.where} is inside {block.title} of line {block.line.number}; end that first (*END {block.key}).")
    deck.open_blocks.append(card.detached())


def _placement(card: Card) -> Placement:
    lines = card.lines()
    rotation, translation = np.eye(3), np.zeros(3)
    if len(lines) > 2:
        raise MeshError(f"{card.at(lines[2])}: an instance can have at most two lines: translation and rotation.")
    if lines:
        values = numbers(card, lines[0], "the translation")
        if len(values) > 3:
            raise MeshError(f"{card.at(lines[0])}: the translation must be three numbers, got {len(values)}.")
        translation = np.array([*values, 0.0, 0.0, 0.0][:3])
    if len(lines) == 2:
        values = numbers(card, lines[1], "the rotation")
        if len(values) != 7:
            raise MeshError(f"{card.at(lines[1])}: the rotation must be two points and an angle (7 numbers).")
        rotation, shift = rotation_about(values, card.at(lines[1]))
        translation = rotation @ translation + shift  # the translation comes first
    return Placement(rotation, translation)


def rotation_about(values: list[float], where: str) -> tuple[np.ndarray, np.ndarray]:
    """R, t with x -> R x + t: turned about the axis through two points by an angle in degrees (7 numbers)."""
    start, end = np.array(values[:3]), np.array(values[3:6])
    axis, angle = end - start, np.radians(values[6])
    length = np.linalg.norm(axis)
    if not (np.isfinite(length) and length > 0.0):
        raise MeshError(f"{where}: the two points of the axis of rotation coincide.")
    x, y, z = axis / length
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return rotation, start - rotation @ start
