"""Cards that make nodes and elements out of others: *NGEN, *NFILL, *NCOPY, *ELGEN, *ELCOPY; parts and their instances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import near_names
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.cards import Card, Line, integer, is_integer, label, number, numbers
from flexmbs.mesh.readers.abaqus.deck import Deck, Placement, Scope, SetItem, add_set

_MOST_MADE = 2_000_000
_DEEPEST_SET = 50


def read_ngen(deck: Deck, card: Card) -> None:
    """*NGEN [, LINE=P|C] [, NSET=name]: first, last, increment [, node or point of the curve [, normal of the arc]]."""
    if card.option("SYSTEM", "R") != "R":
        raise MeshError(f"{card.where} with SYSTEM= is not supported; list the nodes.")
    made = []
    for line, where, fields in card.rows(10):
        first, last = (integer(text, where, "a node number") for text in fields[:2])
        step = integer(fields[2] or "1", where, "the increment")
        if step == 0 or (last - first) % step or (last - first) // step < 1:
            raise MeshError(f"{where}: {last} - {first} is not a multiple of the step {step}.")
        count = (last - first) // step
        _count(deck, where, count)
        start, end = _points(deck.scope, [first, last], where)
        ids = first + step * np.arange(count + 1, dtype=np.int64)
        points = _along(deck.scope, card, where, fields[3:], start, end, np.arange(1, count)[:, None] / count)
        deck.scope.add_nodes(ids[1:-1], points, line.file, line.number)
        made.append(ids)
    add_set(deck.scope.node_sets, card, "NSET", made)


def _along(scope: Scope, card: Card, where: str, fields: list[str], start: np.ndarray, end: np.ndarray, at: np.ndarray):
    """(k, 3) points at parts ``at`` (k, 1) of the way from ``start`` to ``end``, straight or along the curve of the card."""
    shape = card.option("LINE")
    if not shape:
        return start + at * (end - start)
    if shape not in ("P", "C"):
        raise MeshError(f"{card.where}: LINE={shape} is not supported; straight lines, P (parabola) and C (arc) are.")
    if fields[0]:
        extra = _points(scope, [integer(fields[0], where, "the node of the curve")], where)[0]
    else:
        extra = np.array([number(text, where, "the point of the curve") for text in fields[1:4]])
    if shape == "C":
        normal = np.array([number(text, where, "the normal of the arc") for text in fields[4:7]])
        return _along_arc(start, end, extra, normal, at, where)
    # the parabola is at the extra point half of the way
    return start * (1 - at) * (1 - 2 * at) + 4 * extra * at * (1 - at) + end * at * (2 * at - 1)


def _along_arc(start, end, centre, normal, at: np.ndarray, where: str) -> np.ndarray:
    """(k, 3) points on the arc about ``centre``, the shorter way unless ``normal`` (not zero) says which way around."""
    first, last = start - centre, end - centre
    axis = normal if np.linalg.norm(normal) > 0.0 else np.cross(first, last)
    length = np.linalg.norm(axis)
    if not (length > 0.0 and np.isfinite(length) and np.linalg.norm(first) > 0.0):
        raise MeshError(f"{where}: the arc is undetermined; give a centre that is not on the line, or its normal.")
    across = np.cross(axis / length, first)
    angle = np.arctan2(last @ across / np.linalg.norm(first), last @ first / np.linalg.norm(first))
    turned = (angle + 2.0 * np.pi if angle <= 0.0 else angle) * at
    radius = 1.0 + at * (np.linalg.norm(last) / np.linalg.norm(first) - 1.0)
    return centre + radius * (np.cos(turned) * first + np.sin(turned) * across)


def read_nfill(deck: Deck, card: Card) -> None:
    """*NFILL [, NSET=name] [, BIAS=b]: first set, last set, number of intervals, increment of the numbers."""
    if card.has("SINGULAR") or card.has("TWO STEP"):
        raise MeshError(f"{card.where} with SINGULAR or TWO STEP is not supported; list the nodes.")
    bias = number(card.text("BIAS") or "1", card.where, "BIAS", "be positive")
    made = []
    for line, where, fields in card.rows(4):
        first, last = (_set_members(deck.scope.node_sets, label(text), where) for text in fields[:2])
        intervals = integer(fields[2], where, "the number of intervals", least=1)
        step = integer(fields[3] or "1", where, "the increment")
        if len(first) != len(last):
            raise MeshError(f"{where}: the sets have {len(first)} and {len(last)} nodes; they must have equally many.")
        _count(deck, where, intervals * len(first))
        start, end = _points(deck.scope, first, where), _points(deck.scope, last, where)
        lengths = bias ** -np.arange(intervals, dtype=float) if intervals < 1000 else np.ones(intervals)
        at = np.cumsum(lengths)[:-1] / lengths.sum()
        ids = first[None, :] + step * np.arange(1, intervals, dtype=np.int64)[:, None]
        points = start[None] + at[:, None, None] * (end - start)[None]
        deck.scope.add_nodes(ids.ravel(), points.reshape(-1, 3), line.file, line.number)
        made += [first, ids.ravel(), last]
    add_set(deck.scope.node_sets, card, "NSET", made)


def read_ncopy(deck: Deck, card: Card) -> None:
    """*NCOPY, CHANGE NUMBER=n, OLD SET=name, SHIFT [, MULTIPLE=m] [, NEW SET=name]: translation; rotation."""
    scope, made = deck.scope, []
    if not card.has("SHIFT"):
        raise MeshError(f"{card.where} is supported with SHIFT only; list the nodes.")
    change = integer(card.text("CHANGE NUMBER"), card.where, "CHANGE NUMBER")
    copies = integer(card.text("MULTIPLE") or "1", card.where, "MULTIPLE")
    old = _set_members(scope.node_sets, card.required_name("OLD SET"), card.where)
    points = _points(scope, old, card.where)
    translation, rotation, shift = placement_of(card)
    _count(deck, card.where, max(copies, 1) * len(old))
    system, scope.system = scope.system, None  # copies of nodes are in global axes already
    for copy in range(1, copies + 1):
        points = (points + translation) @ rotation.T + shift
        made.append(old + copy * change)
        scope.add_nodes(made[-1], points, card.line.file, card.line.number)
    scope.system = system
    add_set(scope.node_sets, card, "NEW SET", made)


def read_elgen(deck: Deck, card: Card) -> None:
    """*ELGEN [, ELSET=name]: element, then up to three times: count, increment of nodes, increment of elements."""
    made = []
    for line in card.lines():
        where = card.at(line)
        first, *groups = [integer(text or "0", where, "an entry") for text in line.fields()]
        if not 1 <= len(groups) <= 9:
            raise MeshError(f"{where}: needs an element, and up to three groups of a count and two increments.")
        groups += [1] * max(3 - len(groups), 0)
        groups += [0] * (-len(groups) % 3)
        place = deck.scope.given_elements.place(first, deck.scope.groups)
        if place is None:
            raise MeshError(f"{where}: element {first} is not defined before this card.")
        group, row = deck.scope.groups[place[0]], place[1]
        ids, nodes = group.ids[row : row + 1], group.nodes[row : row + 1]
        for count, node_step, element_step in zip(groups[::3], groups[1::3], groups[2::3], strict=True):
            _count(deck, where, max(count, 1) * len(ids))
            times = np.arange(max(count, 1), dtype=np.int64)[:, None]
            ids = (ids[None, :] + times * element_step).ravel()
            nodes = (nodes[None] + times[:, :, None] * node_step).reshape(-1, nodes.shape[1])
        _append_elements(deck, group, ids[1:], nodes[1:], line)
        made.append(ids)
    add_set(deck.scope.element_sets, card, "ELSET", made)


def read_elcopy(deck: Deck, card: Card) -> None:
    """*ELCOPY, ELEMENT SHIFT=n, OLD SET=name, SHIFT NODES=m [, NEW SET=name]."""
    if card.has("REFLECT"):
        raise MeshError(f"{card.where} with REFLECT is not supported; list the elements.")
    element_step, node_step = (integer(card.text(name), card.where, name) for name in ("ELEMENT SHIFT", "SHIFT NODES"))
    old = _set_members(deck.scope.element_sets, card.required_name("OLD SET"), card.where)
    _count(deck, card.where, len(old))
    for group in list(deck.scope.groups):
        rows = np.flatnonzero(np.isin(group.ids, old))
        if rows.size:
            _append_elements(deck, group, group.ids[rows] + element_step, group.nodes[rows] + node_step, card.line)
    add_set(deck.scope.element_sets, card, "NEW SET", [old + element_step])


def _points(scope: Scope, ids, where: str) -> np.ndarray:
    """(k, 3) of nodes given so far; MeshError for one that is not there."""
    points = np.empty((len(ids), 3))
    for row, number_of in enumerate(np.asarray(ids).tolist()):
        place = scope.given_nodes.place(number_of, scope.node_chunks)
        if place is None:
            raise MeshError(f"{where}: node {number_of} is not defined before this card.")
        points[row] = scope.node_chunks[place[0]].points[place[1]]
    return points


def _append_elements(deck: Deck, group: ElementRows, ids: np.ndarray, nodes: np.ndarray, line: Line) -> None:
    if "orienting" in group.data:
        deck.warn(f"{line.where}: the beams made here are turned by n1 of their section, not by the orientation nodes of others.")
    deck.scope.groups.append(replace(group, ids=ids, nodes=nodes, file=line.file, lines=np.full(len(ids), line.number), data={}))


def _set_members(sets: dict[str, list[SetItem]], name: str, where: str, depth: int = 0) -> np.ndarray:
    """Numbers in a set as it stands so far, rising."""
    if is_integer(name):
        return np.array([int(name)], np.int64)
    if name not in sets or depth > _DEEPEST_SET:
        raise MeshError(f"{where}: the set {name} is not defined before this card.")
    parts, size = [np.empty(0, np.int64)], 0
    for item in sets[name]:
        if item.of_elements:
            raise MeshError(f"{where}: the set {name} is made of elements; list its nodes.")
        first, last, step = item.generated or (0, -1, 1)
        size += (last - first) // step + 1
        if size > _MOST_MADE:
            raise MeshError(f"{where}: the set {name} has more than {_MOST_MADE} members.")
        if item.set_name is not None:
            parts.append(_set_members(sets, item.set_name, where, depth + 1))
        else:
            parts.append(np.arange(first, last + 1, step, dtype=np.int64) if item.generated else item.numbers)
        size = sum(map(len, parts))
    return np.unique(np.concatenate(parts))


def _count(deck: Deck, where: str, count: int) -> None:
    deck.generated += count
    if deck.generated > _MOST_MADE:
        raise MeshError(f"{where}: the cards of this file generate more than {_MOST_MADE} nodes and elements; check the counts.")


def read_part(deck: Deck, card: Card) -> None:
    """*PART, NAME=name: what follows, up to *END PART, belongs to it."""
    name = _open(deck, card, deck.parts)
    deck.scope = deck.parts[name] = Scope(name, card.line)


def read_assembly(deck: Deck, card: Card) -> None:
    """*ASSEMBLY [, NAME=name]: instances, and sets and couplings between them, up to *END ASSEMBLY."""
    deck.assembly, deck.scope = _open(deck, card), deck.root


def read_instance(deck: Deck, card: Card) -> None:
    """*INSTANCE, NAME=name, PART=name: translation; two points of an axis and an angle."""
    if card.has("LIBRARY"):
        raise MeshError(f"{card.where}: instances of earlier analyses (LIBRARY=) are not supported; include the part in the file.")
    name, part, lines = _open(deck, card, deck.instances, within="ASSEMBLY"), card.name("PART"), card.lines()
    if len(lines) > 2:
        raise MeshError(f"{card.at(lines[2])}: an instance can have at most two lines: translation and rotation.")
    if lines and len(lines[0].fields()) > 3:
        raise MeshError(f"{card.at(lines[0])}: the translation must be three numbers, got {len(lines[0].fields())}.")
    translation, rotation, shift = placement_of(card)
    placement = Placement(rotation, rotation @ translation + shift)  # the translation comes first
    if part and part not in deck.parts:
        raise MeshError(f"{card.where} names the part {part}, which is not defined. {near_names(part, deck.parts)}")
    deck.scope = deck.instances[name] = deck.parts.get(part, Scope()).placed(name, card.line, placement)


def end_block(deck: Deck, card: Card) -> None:
    """*END PART, *END INSTANCE, *END ASSEMBLY."""
    block = deck.open_blocks[-1] if deck.open_blocks else None
    if block is None or block.key != card.key.removeprefix("END"):
        open_one = "no such block is open" if block is None else f"{block.title} of line {block.line.number} is open"
        raise MeshError(f"{card.where} has no matching start: {open_one}.")
    deck.open_blocks.pop()
    deck.scope = deck.root


def _open(deck: Deck, card: Card, known: dict[str, Scope] | None = None, within: str = "") -> str:
    """Open a block, which may stand in one of the key ``within`` only; its name, new among those ``known``."""
    name = card.name("NAME") if known is None else card.required_name("NAME")
    if known and name in known:
        raise MeshError(f"{card.where}: {name} is defined twice (first in line {known[name].line.number}).")
    if deck.open_blocks and deck.open_blocks[-1].key != within:
        block = deck.open_blocks[-1]
        raise MeshError(f"{card.where} is inside {block.title} of line {block.line.number}; end that first (*END {block.key}).")
    deck.open_blocks.append(card.detached())
    return name


def placement_of(card: Card) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Translation t (3,), rotation R (3, 3) and shift s (3,) of the data lines of a card: x -> R (x + t) + s."""
    lines = card.lines()
    translation = np.array([*(numbers(card, lines[0], "the translation") if lines else []), 0.0, 0.0, 0.0][:3])
    if len(lines) < 2:
        return translation, np.eye(3), np.zeros(3)
    # The second line turns about the axis through two points by an angle in degrees.
    values, where = numbers(card, lines[1], "the rotation"), card.at(lines[1])
    if len(values) != 7:
        raise MeshError(f"{where}: the rotation must be two points and an angle (7 numbers).")
    start, end = np.array(values[:3]), np.array(values[3:6])
    axis, angle = end - start, np.radians(values[6])
    length = np.linalg.norm(axis)
    if not (np.isfinite(length) and length > 0.0):
        raise MeshError(f"{where}: the two points of the axis of rotation coincide.")
    x, y, z = axis / length
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return translation, rotation, start - rotation @ start
