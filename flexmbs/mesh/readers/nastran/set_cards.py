"""Named nodes and elements: SPC, SPC1, SPCD, ASET, BSET, CSET, QSET, SUPORT, USET, SET, SET1, SET3, and their sets."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.couplings import BoundaryCondition
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck, NamedNodes
from flexmbs.mesh.readers.nastran.grid_cards import Grid
from flexmbs.mesh.readers.nastran.thru_ranges import Ranges, read_ranges

_PAIRS = ("ASET", "BSET", "CSET", "QSET", "OMIT", "SUPORT")
_LISTS = ("ASET1", "BSET1", "CSET1", "QSET1", "OMIT1")
NAMES = (
    *_PAIRS,
    *_LISTS,
    "SUPORT1",
    "USET",
    "USET1",
    "SPC",
    "SPC1",
    "SET1",
    "SET3",
    "SET",
    "BNDFIX",
    "BNDFIX1",
    "BNDFREE",
    "BNDFREE1",
)
_SAME_AS = {"BNDFIX": "BSET", "BNDFREE": "CSET"}


def read_set(deck: Deck, card: Card) -> None:
    """Any card of this module."""
    base = card.name.rstrip("1")
    base = _SAME_AS.get(base, base)
    if card.name in ("SET", "SET1", "SET3"):
        deck.number_sets.append(card)
    elif card.name == "SPC":
        _read_spc(deck, card)
    elif card.name == "SPC1":
        number = card.integer(0, "SID", least=1)
        _add_list(deck, card, f"SPC {number}", 1, holds=True)
    elif base in ("ASET", "BSET", "CSET", "QSET", "OMIT") and card.name.endswith("1"):
        _add_list(deck, card, base, 0)
    elif card.name == "USET1":
        _add_list(deck, card, f"USET {card.text(0)}", 1)
    else:
        start = {"USET": 1, "SUPORT1": 1}.get(card.name, 0)
        name = f"USET {card.text(0)}" if start and base == "USET" else base
        _add_pairs(deck, card, name, start, holds=base == "SUPORT")


def _read_spc(deck: Deck, card: Card) -> None:
    """SPC: up to two nodes with components and enforced values."""
    number = card.integer(0, "SID", least=1)
    for start in (1, 4):
        if card.text(start) or start == 1:
            node = card.integer(start, "G", least=1)
            if card.real(start + 2, "D", 0.0):
                deck.warn(card.where, f"the enforced displacement of node {node} is ignored; the node is read as fixed.")
            _add(deck, f"SPC {number}", card.dofs(start + 1, "C"), Ranges([(node, node, 1)]), card, True)


def _add_pairs(deck: Deck, card: Card, name: str, start: int, holds: bool) -> None:
    """Node and components in turn."""
    for i in range(start, len(card.fields), 2):
        if card.text(i):
            node = card.integer(i, "ID", least=1)
            _add(deck, name, card.dofs(i + 1, "C"), Ranges([(node, node, 1)]), card, holds)


def _add_list(deck: Deck, card: Card, name: str, start: int, holds: bool = False) -> None:
    """Components, then nodes with THRU."""
    members = read_ranges(card.fields[start + 1 :], card.where, "grid point")
    if not members.parts and not members.everything:
        raise MeshError(f"{card.where}: no grid points are given (from field {start + 3}); list them, or remove the card.")
    _add(deck, name, card.dofs(start, "C"), members, card, holds)


def _add(deck: Deck, name: str, dofs, members: Ranges, card: Card, holds: bool) -> None:
    if deck.named_nodes:
        last = deck.named_nodes[-1]
        if (last.name, last.dofs, last.holds) == (name, dofs, holds):
            last.members.parts += members.parts
            last.members.everything = last.members.everything or members.everything
            return
    deck.named_nodes.append(NamedNodes(name, dofs, members, card, holds))


def node_sets(deck: Deck, grid: Grid) -> dict[str, np.ndarray]:
    """Node sets of SPC, ASET, QSET, ... cards (components or not), by their names."""
    parts: dict[str, list[np.ndarray]] = {}
    first: dict[str, Card] = {}
    for named in deck.named_nodes:
        parts.setdefault(named.name, []).append(_existing(deck, named, grid))
        first.setdefault(named.name, named.card)
    sets = {name: np.unique(np.concatenate(nodes)) for name, nodes in parts.items()}
    for name, nodes in list(sets.items()):
        if not len(nodes):
            card = first[name]
            ends = [end for named in deck.named_nodes if named.name == name for part in named.members.parts for end in part[:2]]
            if not deck.scalar_points.contains(np.array(ends, np.int64)).any():
                raise MeshError(f"{card.where}: none of the grid points of '{name}' exists; correct the numbers.")
            deck.skipped.add(card.name, card.file, card.line, analysis=True, why="it lists scalar points only, which are no nodes")
            del sets[name]
    return sets


def boundary_conditions(deck: Deck, grid: Grid) -> tuple[BoundaryCondition, ...]:
    """Supports: of SPC and SUPORT cards by set and components, and of the PS field of GRID cards."""
    parts: dict[tuple, list[np.ndarray]] = {}
    place: dict[tuple, str] = {}
    for named in deck.named_nodes:
        if named.holds and named.dofs:
            key = (named.name, named.dofs)
            parts.setdefault(key, []).append(_existing(deck, named, grid, quiet=True))
            place.setdefault(key, named.card.place)
    held = np.char.strip(grid.held)
    for text in np.unique(held):
        rows = np.flatnonzero(held == text)
        where = grid.table.place(rows[0])
        file, line = where.rsplit(":", 1)
        dofs = Card("GRID", [text.decode("latin-1")], file, int(line)).dofs(0, "PS")
        if dofs:
            parts["PS", dofs], place["PS", dofs] = [rows], where
    joined = {key: np.unique(np.concatenate(nodes)) for key, nodes in parts.items()}
    return tuple(BoundaryCondition(key[0], nodes, key[1], place[key]) for key, nodes in joined.items() if len(nodes))


def _existing(deck: Deck, named: NamedNodes, grid: Grid, quiet: bool = False) -> np.ndarray:
    missing = named.members.missing(grid.sorted_ids)
    missing = missing[~deck.scalar_points.contains(missing)]
    if len(missing) and not quiet:
        deck.warn(named.card.where, f"{len(missing)} grid points that do not exist are left out ({few(missing)}).")
    return grid.order[named.members.select(grid.sorted_ids)]


def number_sets(deck: Deck, grid: Grid, elements: np.ndarray) -> tuple[dict, dict]:
    """Sets of case control and of SET, SET1, SET3 cards: (node sets, element sets), as names -> numbers.

    A set whose output requests do not say what it holds is a node set if it names nodes, and an element set if it
    names elements. ``elements`` are the numbers of all elements, rising.
    """
    of_nodes: dict[str, np.ndarray] = {}
    of_elements: dict[str, np.ndarray] = {}
    for number, members, kinds, where, section in _all_sets(deck):
        own_name = f"SET {number} (OUTPUT({section}))" if section else f"SET {number}"
        name = own_name if section else deck.names.get("set", number) or own_name
        nodes = grid.sorted_ids[members.select(grid.sorted_ids)] if kinds != {"elements"} else np.empty(0, int)
        found = elements[members.select(elements)] if kinds != {"nodes"} else np.empty(0, int)
        if not len(nodes) and not len(found):
            deck.warn(where, f"none of the members of set {number} exists; the set is left out.")
            continue
        missing = members.missing(grid.sorted_ids if len(nodes) else elements)
        if len(missing) and (not len(found) or not len(nodes)):
            deck.warn(where, f"{len(missing)} members of set {number} do not exist and are left out ({few(missing)}).")
        if len(nodes):
            of_nodes[name if name not in of_nodes else own_name] = nodes
        if len(found):
            of_elements[name if name not in of_elements else own_name] = found
    return of_nodes, of_elements


def _all_sets(deck: Deck):
    for case_set in deck.case.sets:
        where = f"{case_set.file}:{case_set.line}: SET"
        yield case_set.number, case_set.members, set(case_set.of), where, case_set.section
    for card in deck.number_sets:
        number = card.integer(0, "SID", least=1)
        if card.name == "SET1":
            texts = [card.text(i) for i in card.filled(1) if card.text(i) != "SKIN"]
            yield number, read_ranges(texts, card.where, "member"), set(), card.where, ""
            continue
        what = card.text(1)  # SET3 and OptiStruct's SET say what they hold
        kinds = {"GRID": {"nodes"}, "POINT": {"nodes"}, "NODE": {"nodes"}, "ELEM": {"elements"}}.get(what)
        if kinds is None or (card.name == "SET" and card.text(2) not in ("LIST", "")):
            deck.skipped.add(card.name, card.file, card.line, why=f"a set of {what or 'an unspecified type'}")
            continue
        start = 8 if card.name == "SET" else 2
        texts = [card.text(i) for i in card.filled(start)]
        members = read_ranges(texts, card.where, "member")
        if not members.parts and not members.everything:
            raise MeshError(f"{card.where} {number} has no members; list them, or remove the card.")
        yield number, members, kinds, card.where, ""
