"""Cards that make nodes and elements out of others: *NGEN, *NFILL, *NCOPY, *ELGEN, *ELCOPY."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.cards import Card, label
from flexmbs.mesh.readers.abaqus.deck import Deck, Scope, SetItem
from flexmbs.mesh.readers.abaqus.deck_text import Line
from flexmbs.mesh.readers.abaqus.number_tables import integer, is_integer, number, numbers
from flexmbs.mesh.readers.abaqus.part_cards import rotation_about

_MOST_GENERATED = 2_000_000
_DEEPEST_SET = 50


def read_ngen(deck: Deck, card: Card) -> None:
    """*NGEN [, LINE=P|C] [, NSET=name]: first, last, increment [, node or point of the curve [, normal of the arc]]."""
    if card.option("SYSTEM", "R") not in ("", "R"):
        raise MeshError(f"{card.where} with SYSTEM= is not supported; list the nodes.")
    known = _Nodes(deck.scope)
    made = []
    for line in card.lines():
        fields = [*line.fields(), *[""] * 10][:10]
        first, last = (integer(text, card.at(line), "a node number") for text in fields[:2])
        step = integer(fields[2] or "1", card.at(line), "the increment")
        if step == 0 or (last - first) % step or (last - first) // step < 1:
            raise MeshError(f"{card.at(line)}: {last} - {first} is not a multiple of the step {step}.")
        count = (last - first) // step
        _count(deck, card, line, count)
        ends = known.points([first, last], card.at(line))
        ids = first + step * np.arange(count + 1, dtype=np.int64)
        points = _curve(card, line, fields[3:], known)(ends[0], ends[1], np.arange(1, count) / count)
        deck.scope.add_nodes(ids[1:-1], points, line.file, np.full(count - 1, line.number))
        made.append(ids)
    _add_set(deck.scope, card, "NSET", made)


def _curve(card: Card, line: Line, fields: list[str], known: _Nodes):
    shape = card.option("LINE")
    if not shape:
        return along_straight
    if shape not in ("P", "C"):
        raise MeshError(f"{card.where}: LINE={shape} is not supported; straight lines, P (parabola) and C (arc) are.")
    where = card.at(line)
    if fields[0]:
        extra = known.points([integer(fields[0], where, "the node of the curve")], where)[0]
    else:
        extra = np.array([number(text, where, "the point of the curve") for text in fields[1:4]])
    if shape == "P":
        return lambda start, end, at: along_parabola(start, end, extra, at)
    normal = np.array([number(text, where, "the normal of the arc") for text in fields[4:7]])
    return lambda start, end, at: along_arc(start, end, extra, normal, at, where)


def read_nfill(deck: Deck, card: Card) -> None:
    """*NFILL [, NSET=name] [, BIAS=b]: first set, last set, number of intervals, increment of the numbers."""
    if card.has("SINGULAR") or card.has("TWO STEP"):
        raise MeshError(f"{card.where} with SINGULAR or TWO STEP is not supported; list the nodes.")
    bias = number(card.text("BIAS", "1"), card.where, "BIAS")
    if not bias > 0.0:
        raise MeshError(f"{card.where}: BIAS = {bias:g} must be positive.")
    known = _Nodes(deck.scope)
    made = []
    for line in card.lines():
        fields = [*line.fields(), *[""] * 4][:4]
        first, last = (_set_members(deck.scope, label(text), card.at(line)) for text in fields[:2])
        intervals = integer(fields[2], card.at(line), "the number of intervals")
        step = integer(fields[3] or "1", card.at(line), "the increment")
        if len(first) != len(last) or intervals < 1:
            raise MeshError(
                f"{card.at(line)}: the sets have {len(first)} and {len(last)} nodes, intervals {intervals}; equal"
                " numbers of nodes and at least one interval are needed."
            )
        _count(deck, card, line, intervals * len(first))
        start, end = known.points(first, card.at(line)), known.points(last, card.at(line))
        lengths = bias ** -np.arange(intervals, dtype=float) if intervals < 1000 else np.ones(intervals)
        at = np.cumsum(lengths)[:-1] / lengths.sum()
        ids = first[None, :] + step * np.arange(1, intervals, dtype=np.int64)[:, None]
        points = start[None] + at[:, None, None] * (end - start)[None]
        deck.scope.add_nodes(ids.ravel(), points.reshape(-1, 3), line.file, np.full(ids.size, line.number))
        made += [first, ids.ravel(), last]
    _add_set(deck.scope, card, "NSET", made)


def read_ncopy(deck: Deck, card: Card) -> None:
    """*NCOPY, CHANGE NUMBER=n, OLD SET=name, SHIFT [, MULTIPLE=m] [, NEW SET=name]: translation; rotation."""
    if not card.has("SHIFT"):
        raise MeshError(f"{card.where} is supported with SHIFT only; list the nodes.")
    change = integer(card.text("CHANGE NUMBER"), card.where, "CHANGE NUMBER")
    copies = integer(card.text("MULTIPLE", "1"), card.where, "MULTIPLE")
    old = _set_members(deck.scope, card.required_name("OLD SET"), card.where)
    points = _Nodes(deck.scope).points(old, card.where)
    lines = card.lines()
    shift = np.array([*(numbers(card, lines[0], "the translation") if lines else []), 0.0, 0.0, 0.0][:3])
    rotation, offset = np.eye(3), np.zeros(3)
    if len(lines) > 1:
        values = numbers(card, lines[1], "the rotation")
        if len(values) != 7:
            raise MeshError(f"{card.at(lines[1])}: the rotation must be two points and an angle (7 numbers).")
        rotation, offset = rotation_about(values, card.at(lines[1]))
    _count(deck, card, card.line, max(copies, 1) * len(old))
    made = []
    for copy in range(1, copies + 1):
        points = (points + shift) @ rotation.T + offset
        made.append(old + copy * change)
        _append(deck.scope, made[-1], points, card.line)
    _add_set(deck.scope, card, "NEW SET", made)


def read_elgen(deck: Deck, card: Card) -> None:
    """*ELGEN [, ELSET=name]: element, then up to three times: count, increment of nodes, increment of elements."""
    made = []
    for line in card.lines():
        values = [integer(text or "0", card.at(line), "an entry") for text in line.fields()]
        if len(values) < 2 or len(values) > 10:
            raise MeshError(f"{card.at(line)}: needs an element, and up to three groups of a count and two increments.")
        values += [1] * (len(values) in (2, 3)) + [1] * (len(values) == 2)
        values += [0] * (-(len(values) - 1) % 3)
        group, row = _element(deck.scope, values[0], card.at(line))
        ids, nodes = group.ids[row : row + 1], group.nodes[row : row + 1]
        for number_of, node_step, element_step in zip(values[1::3], values[2::3], values[3::3], strict=True):
            count = max(number_of, 1)
            _count(deck, card, line, count * len(ids))
            times = np.arange(count, dtype=np.int64)[:, None]
            ids = (ids[None, :] + times * element_step).ravel()
            nodes = (nodes[None] + times[:, :, None] * node_step).reshape(-1, nodes.shape[1])
        _append_elements(deck.scope, group, ids[1:], nodes[1:], line)
        made.append(ids)
    _add_set(deck.scope, card, "ELSET", made, elements=True)


def read_elcopy(deck: Deck, card: Card) -> None:
    """*ELCOPY, ELEMENT SHIFT=n, OLD SET=name, SHIFT NODES=m [, NEW SET=name]."""
    if card.has("REFLECT"):
        raise MeshError(f"{card.where} with REFLECT is not supported; list the elements.")
    element_step = integer(card.text("ELEMENT SHIFT"), card.where, "ELEMENT SHIFT")
    node_step = integer(card.text("SHIFT NODES"), card.where, "SHIFT NODES")
    old = _set_members(deck.scope, card.required_name("OLD SET"), card.where, elements=True)
    _count(deck, card, card.line, len(old))
    for group in list(deck.scope.groups):
        rows = np.flatnonzero(np.isin(group.ids, old))
        if rows.size:
            _append_elements(deck.scope, group, group.ids[rows] + element_step, group.nodes[rows] + node_step, card.line)
    _add_set(deck.scope, card, "NEW SET", [old + element_step], elements=True)


def refuse(deck: Deck, card: Card) -> None:
    """Cards that change the mesh in a way not read here: going on would give another mesh than the file means."""
    raise MeshError(f"{card.where} is not supported; list all nodes and elements in global axes.")


class _Nodes:
    """The nodes given so far, by their numbers."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        scope.given.update(scope)

    def points(self, ids, where: str) -> np.ndarray:
        """(k, 3); MeshError for a node that is not there."""
        points = np.empty((len(ids), 3))
        for row, number_of in enumerate(np.asarray(ids).tolist()):
            place = self._scope.given.nodes.get(number_of)
            if place is None:
                raise MeshError(f"{where}: node {number_of} is not defined before this card.")
            points[row] = self._scope.node_chunks[place[0]][1][place[1]]
        return points


def _element(scope: Scope, wanted: int, where: str) -> tuple[ElementRows, int]:
    scope.given.update(scope)
    place = scope.given.elements.get(wanted)
    if place is None:
        raise MeshError(f"{where}: element {wanted} is not defined before this card.")
    return scope.groups[place[0]], place[1]


def _append(scope: Scope, ids: np.ndarray, points: np.ndarray, line: Line) -> None:
    system, scope.system = scope.system, None  # copies of nodes are in global axes already
    scope.add_nodes(ids, points, line.file, np.full(len(ids), line.number))
    scope.system = system


def _append_elements(scope: Scope, group: ElementRows, ids: np.ndarray, nodes: np.ndarray, line: Line) -> None:
    lines = np.full(len(ids), line.number)
    scope.groups.append(ElementRows(group.kind, group.type_name, ids, nodes, line.file, lines, group.role))


def _set_members(scope: Scope, name: str, where: str, elements: bool = False, depth: int = 0) -> np.ndarray:
    """Numbers in a set as it stands so far, rising."""
    sets = scope.element_sets if elements else scope.node_sets
    if is_integer(name):
        return np.array([int(name)], np.int64)
    if name not in sets or depth > _DEEPEST_SET:
        raise MeshError(f"{where}: the set {name} is not defined before this card.")
    parts = [np.empty(0, np.int64)]
    for item in sets[name]:
        if item.numbers is not None:
            parts.append(item.numbers)
        elif item.generated is not None:
            first, last, step = item.generated
            if (last - first) // step > _MOST_GENERATED:
                raise MeshError(f"{item.line.where}: {name} has more than {_MOST_GENERATED} members.")
            parts.append(np.arange(first, last + 1, step, dtype=np.int64))
        elif item.of_elements:
            raise MeshError(f"{where}: the set {name} is made of elements; list its nodes.")
        else:
            parts.append(_set_members(scope, item.set_name, where, elements, depth + 1))
        if sum(map(len, parts)) > _MOST_GENERATED:
            raise MeshError(f"{where}: the set {name} has more than {_MOST_GENERATED} members.")
    return np.unique(np.concatenate(parts))


def _add_set(scope: Scope, card: Card, parameter: str, made: list[np.ndarray], elements: bool = False) -> None:
    name = card.name(parameter)
    if name and made:
        sets = scope.element_sets if elements else scope.node_sets
        sets[name].append(SetItem(card.line, np.concatenate(made)))


def _count(deck: Deck, card: Card, line: Line, count: int) -> None:
    deck.generated += count
    if deck.generated > _MOST_GENERATED:
        raise MeshError(
            f"{card.at(line)}: the cards of this file generate more than {_MOST_GENERATED} nodes and elements; check"
            " the counts, or list them."
        )


def along_straight(start: np.ndarray, end: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(k, 3) points at parts ``at`` (k,) of the way."""
    return start + at[:, None] * (end - start)


def along_parabola(start: np.ndarray, end: np.ndarray, middle: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(k, 3) points on the parabola that is at ``middle`` half of the way."""
    at = at[:, None]
    return start * (1 - at) * (1 - 2 * at) + 4 * middle * at * (1 - at) + end * at * (2 * at - 1)


def along_arc(start, end, centre, normal, at: np.ndarray, where: str) -> np.ndarray:
    """(k, 3) points on the arc about ``centre``, the shorter way unless ``normal`` (not zero) says which way around."""
    first, last = start - centre, end - centre
    axis = normal if np.linalg.norm(normal) > 0.0 else np.cross(first, last)
    length = np.linalg.norm(axis)
    if not (length > 0.0 and np.isfinite(length) and np.linalg.norm(first) > 0.0):
        raise MeshError(f"{where}: the arc is undetermined; give a centre that is not on the line, or its normal.")
    axis = axis / length
    across = np.cross(axis, first)
    angle = np.arctan2(last @ across / np.linalg.norm(first), last @ first / np.linalg.norm(first))
    angle = angle + 2.0 * np.pi if angle <= 0.0 else angle
    turned = angle * at[:, None]
    radius = 1.0 + at[:, None] * (np.linalg.norm(last) / np.linalg.norm(first) - 1.0)
    return centre + radius * (np.cos(turned) * first + np.sin(turned) * across)
