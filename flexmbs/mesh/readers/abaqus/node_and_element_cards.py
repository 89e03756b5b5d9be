"""Cards that state the mesh itself: nodes, elements, sets, surfaces."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.coordinate_systems import CoordinateSystem
from flexmbs.mesh.element_kinds import KINDS
from flexmbs.mesh.reader_tools.numbering import ElementRows
from flexmbs.mesh.readers.abaqus.deck import Deck, SetItem, SurfaceDraft
from flexmbs.mesh.readers.abaqus.deck_text import Card, Segment, compact, label
from flexmbs.mesh.readers.abaqus.element_types import ElementType, element_type
from flexmbs.mesh.readers.abaqus.number_tables import Table, integer, is_integer, read_table, try_integers


def read_nodes(deck: Deck, card: Card) -> None:
    """*NODE [, NSET=name] [, SYSTEM=R|C]: number, x, y, z (or r, angle in degrees, z)."""
    system = card.option("SYSTEM", "R")
    if system not in ("R", "C"):
        raise MeshError(f"{card.where} with SYSTEM={system} is not supported; write x, y, z or cylindrical coordinates.")
    numbers = [np.empty(0, np.int64)]
    for segment in card.segments:
        table = read_table(segment, float, card.title, "a node: number, x, y, z")
        _check_node_lines(deck, card, segment, table)
        rows = table.rows(4)
        ids = rows[:, 0].astype(np.int64)
        wrong = np.flatnonzero((rows[:, 0] != ids) | (ids < 1))
        if wrong.size:
            where = card.at(segment.line(table.lines[wrong[0]]))
            raise MeshError(f"{where}: node number {rows[wrong[0], 0]:g} must be a positive whole number.")
        points = np.ascontiguousarray(rows[:, 1:])
        if system == "C":
            points = CoordinateSystem("", "cylindrical", np.zeros(3), np.eye(3)).points(points * [1.0, np.pi / 180.0, 1.0])
        deck.scope.add_nodes(ids, points, segment.file, table.lines)
        numbers.append(ids)
    if card.name("NSET"):
        deck.scope.node_sets[card.name("NSET")].append(SetItem(card.line, np.concatenate(numbers)))


def _check_node_lines(deck: Deck, card: Card, segment: Segment, table: Table) -> None:
    """Too many or too few entries; a last line that the file's end cuts off."""
    wrong = np.flatnonzero(table.counts > 7)
    cut = segment.ends_file and len(table.counts) > 1 and table.counts[-1] < min(4, table.counts[:-1].min())
    if cut or wrong.size:
        row = -1 if cut else wrong[0]
        end = " The file ends there: it is cut off." if cut else ""
        where = card.at(segment.line(table.lines[row]))
        raise MeshError(f"{where}: a node must be 'number, x, y, z', got {table.counts[row]} entries.{end}")
    _warn_of_end(deck, card, segment)
    bare = np.flatnonzero((table.counts == 1) & ~table.continued)
    if bare.size:
        where = card.at(segment.line(table.lines[bare[0]]))
        deck.warn(f"{where}: {bare.size} nodes without coordinates lie at the origin, as in Abaqus.")


def _warn_of_end(deck: Deck, card: Card, segment: Segment) -> None:
    if segment.ends_file:
        deck.warn(f"{card.where}: {segment.file} ends with its data and without a line end; it may be cut off.")


def read_elements(deck: Deck, card: Card) -> None:
    """*ELEMENT, TYPE=type [, ELSET=name]: number, nodes; an element may take several lines."""
    type_name = card.required_name("TYPE").replace(" ", "")
    kind = element_type(type_name)
    if kind.role == "unknown":
        deck.warn(f"{card.where}: element type {type_name} is unknown; its elements are not part of the body.")
    elif kind.left_out and kind.order is None:
        deck.warn(f"{card.where}: {type_name}: {kind.left_out}.")
    numbers = [np.empty(0, np.int64)]
    for segment in card.segments:
        if deck.instances and deck.scope is deck.root and try_integers(segment) is None:
            numbers.append(_named_elements(deck, card, kind, type_name, segment))
            continue
        table = read_table(segment, np.int64, card.title, "element and node numbers")
        if not len(table.values):
            continue
        _warn_of_end(deck, card, segment)
        for rows, lines in _element_rows(deck, card, kind, type_name, segment, table):
            _add_elements(deck, card, kind, type_name, rows, segment, lines)
            numbers.append(rows[:, 0])
    if card.name("ELSET"):
        deck.scope.element_sets[card.name("ELSET")].append(SetItem(card.line, np.concatenate(numbers)))


def _named_elements(deck: Deck, card: Card, kind: ElementType, type_name: str, segment: Segment) -> np.ndarray:
    """Elements of the assembly, one in each line, whose nodes may be those of instances (ROD-1.5) or ground."""
    numbers = []
    for line in segment.lines():
        fields = [entry.strip() for entry in line.text.rstrip(",").split(",")]
        if kind.counts and len(fields) - 1 not in kind.counts:
            element = f"element {fields[0][:20]} of type {type_name}"
            raise MeshError(f"{card.at(line)}: {element} has {len(fields) - 1} nodes, needs {_one_of(kind.counts)}.")
        numbers.append(integer(fields[0], card.at(line), "element number"))
        deck.scope.named_elements.append((type_name, numbers[-1], fields[1:], line))
    return np.array(numbers, np.int64)


def _one_of(counts: tuple[int, ...]) -> str:
    return " or ".join(map(str, counts))


def _add_elements(deck: Deck, card: Card, kind: ElementType, type_name: str, rows: np.ndarray, segment: Segment, lines) -> None:
    scope = deck.scope
    wrong = np.flatnonzero(rows[:, 0] < 1)
    if wrong.size:
        raise MeshError(f"{card.at(segment.line(lines[wrong[0]]))}: element number {rows[wrong[0], 0]} must be positive.")
    nodes = rows[:, 1:]
    if kind.kind and KINDS[kind.kind].is_beam and nodes.shape[1] == max(kind.counts):
        scope.orientation_nodes[len(scope.groups)] = nodes[:, -1].copy()
    if kind.order:
        if kind.left_out and nodes.shape[1] > len(kind.order):
            deck.warn(f"{card.where}: {type_name}: {kind.left_out}.")
        nodes = nodes[:, list(kind.order)]
    elif kind.counts and nodes.shape[1] > min(kind.counts):
        nodes = nodes[:, : min(kind.counts)]
    scope.groups.append(ElementRows(kind.kind, type_name, rows[:, 0].copy(), nodes.copy(), segment.file, lines, kind.role))


def _element_rows(deck: Deck, card: Card, kind: ElementType, type_name: str, segment: Segment, table: Table):
    """(rows with number and nodes, line of each) of the elements with one number of nodes each."""
    if kind.counts is not None and len(kind.counts) == 1:
        yield _fixed_rows(deck, card, type_name, kind.counts[0] + 1, segment, table)
        return
    ends = np.flatnonzero(~_goes_on(kind, table)) + 1
    if not len(ends) or ends[-1] < len(table.counts):
        ends = np.append(ends, len(table.counts))
    starts = np.concatenate([[0], ends[:-1]])
    before = np.concatenate([[0], np.cumsum(table.counts)])
    sizes = before[ends] - before[starts]
    for size in np.unique(sizes):
        chosen = starts[sizes == size]
        if not (size >= 2 if kind.counts is None else size - 1 in kind.counts):
            wanted = "at least one" if kind.counts is None else _one_of(kind.counts)
            number, where = table.values[before[chosen[0]]], card.at(segment.line(table.lines[chosen[0]]))
            raise MeshError(f"{where}: element {number} of type {type_name} has {size - 1} nodes, needs {wanted}.")
        yield table.values[before[chosen][:, None] + np.arange(size)], table.lines[chosen]


def _goes_on(kind: ElementType, table: Table) -> np.ndarray:
    """(k,) bool: the element goes on in the next line, as a comma at the end says.

    Not if it is complete, and the next line is none that only holds its optional nodes.
    """
    going = table.continued.copy()
    if kind.counts is not None and going.any():
        least, most = min(kind.counts) + 1, max(kind.counts) + 1
        counts = [*table.counts.tolist(), least]
        total = 0
        for row, more in enumerate(table.continued.tolist()):
            total += counts[row]
            optional = counts[row + 1] < least and total + counts[row + 1] <= most
            going[row] = more and (total < least or optional)
            total = total if going[row] else 0
    return going


def _fixed_rows(deck: Deck, card: Card, type_name: str, width: int, segment: Segment, table: Table):
    """As ``_element_rows`` for types with one number of nodes, whose elements may go on in any line."""
    if (table.counts == width).all():
        return table.values.reshape(-1, width), table.lines
    surplus = int(table.counts[0]) - width
    if surplus > 0 and len(table.counts) > 1 and table.continued.all() and (table.counts == table.counts[0]).all():
        # Lines of a larger type whose continuation lines were taken out: CalculiX takes the first nodes.
        where = card.at(segment.line(table.lines[0]))
        deck.warn(f"{where}: each line of type {type_name} has {surplus} extra nodes; they are ignored, as in CalculiX.")
        return table.rows(width), table.lines
    before = np.cumsum(table.counts) - table.counts
    element_starts = np.arange(0, len(table.values), width)
    row = np.minimum(np.searchsorted(before, element_starts), len(before) - 1)
    aligned = before[row] == element_starts
    if len(table.values) % width == 0 and aligned.all():
        return table.values.reshape(-1, width), table.lines[row]
    element = len(element_starts) - 1 if aligned.all() else int(np.argmin(aligned)) - 1
    start = before[row[element]]
    following = before[before > start]
    got = (following[0] if len(following) else len(table.values)) - start
    end = ", and the data ends before it is complete." if aligned.all() else " and what follows."
    where, element = card.at(segment.line(table.lines[row[element]])), f"element {table.values[start]} of type {type_name}"
    raise MeshError(f"{where}: {element} needs its number and {width - 1} nodes, got {got} numbers in this line{end}")


def read_node_set(deck: Deck, card: Card) -> None:
    """*NSET, NSET=name [, GENERATE] [, ELSET=name] [, INSTANCE=name]."""
    items = deck.scope.node_sets[card.required_name("NSET")]
    if card.has("ELSET"):
        name, instance = card.required_name("ELSET"), card.name("INSTANCE")
        items.append(SetItem(card.line, set_name=name, of_elements=True, instance=instance))
    items += _set_items(card)


def read_element_set(deck: Deck, card: Card) -> None:
    """*ELSET, ELSET=name [, GENERATE] [, INSTANCE=name]."""
    items = deck.scope.element_sets[card.required_name("ELSET")]
    items += _set_items(card)


def _set_items(card: Card) -> list[SetItem]:
    instance = card.name("INSTANCE")
    items = [SetItem(card.line, np.empty(0, np.int64))]  # names the card where the set turns out to be empty
    if card.has("GENERATE"):
        for line in card.lines():
            entries = [integer(entry, card.at(line), "an entry of a GENERATE line") for entry in line.fields()]
            first, last, step = (*entries, 1)[:3] if len(entries) in (2, 3) else (0, 0, 0)
            if step < 1 or last < first:
                wanted = "'first, last, step' with first <= last and step >= 1"
                raise MeshError(f"{card.at(line)}: a GENERATE line must be {wanted}, got '{line.text[:60]}'.")
            items.append(SetItem(line, generated=(first, last, step), instance=instance))
        return items
    for segment in card.segments:
        table = try_integers(segment)
        if table is None:
            for line in segment.lines():
                fields = [entry for entry in line.fields() if entry]
                plain = [integer(entry, card.at(line), "a member") for entry in fields if is_integer(entry)]
                items += [SetItem(line, np.array(plain, np.int64), instance=instance)] if plain else []
                items += [SetItem(line, set_name=label(name), instance=instance) for name in fields if not is_integer(name)]
        elif len(table.values):
            items.append(SetItem(segment.line(table.lines[0]), table.values, instance=instance))
    return items


def read_surface(deck: Deck, card: Card) -> None:
    """*SURFACE, NAME=name [, TYPE=ELEMENT|NODE]: element set or element (blank: the whole body), face; or node sets and nodes."""
    name, kind = card.required_name("NAME"), card.option("TYPE", "ELEMENT")
    if kind not in ("ELEMENT", "NODE") or card.has("COMBINE"):
        deck.skip(card, f"{name}: only surfaces of element faces and of nodes are read")
        return
    surfaces = deck.scope.node_surfaces if kind == "NODE" else deck.scope.surfaces
    surface = surfaces.setdefault(name, SurfaceDraft(card.line, kind == "NODE"))
    for line, _, (region, face) in card.rows(2):
        surface.items.append((line, label(region), compact(face)))
