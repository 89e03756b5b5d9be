"""Named nodes and elements: sets of case control, of SPC, ASET, ..., SUPORT, USET, BNDFIX, SET cards, and components."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.mesh import BoundaryCondition
from flexmbs.mesh.readers.nastran.card import Card, LineOfDeck, integer, real
from flexmbs.mesh.readers.nastran.deck import CaseSet, Deck, Ranges, read_ranges
from flexmbs.mesh.readers.nastran.node_and_element_cards import Grid
from flexmbs.mesh.readers.nastran.rigid_element_cards import NAMES as RIGID
from flexmbs.mesh.readers.nastran.spring_and_mass_cards import MASSES

_SET = re.compile(r"SET\s+(\d+)\s*=\s*(.*)$", re.I)
_CHOICE = re.compile(r"(SPC|MPC|SUPORT1)\s*=\s*(\d+)\s*$", re.I)
_OUTPUT = re.compile(r"([A-Z]{3,})\s*(?:\([^)]*\))?\s*=\s*(\d+)\s*$", re.I)
_SECTION = re.compile(r"OUTPUT\s*\(\s*(PLOT|XYOUT|XYPLOT|CARDS|POST)", re.I)
_SURFACE = re.compile(r"(?:SURFACE|VOLUME)\s+\d+\s.*?\bSET\s*=?\s*(\d+)", re.I)  # of OUTPUT(POST)
_OF_NODES = ("DISP", "VECT", "VELO", "ACCE", "SPCF", "MPCF", "OLOA", "GPFO", "GPST", "GPKE", "PRES", "THER", "SVEC")
_OF_ELEMENTS = ("STRE", "STRA", "FORC", "ELFO", "ELST", "ELDA", "ESE", "EKE", "EDE", "ELSUM")

# Cards of named nodes: name of the set (SPC and USET: and the first field), first field, whether they list nodes behind
# the components ("1") or pairs of both, and whether they hold the nodes.
_NAMED = {
    **{name: (name, 0, False, False) for name in ("ASET", "BSET", "CSET", "QSET", "OMIT")},
    **{f"{name}1": (name, 0, True, False) for name in ("ASET", "BSET", "CSET", "QSET", "OMIT")},
    **{"BNDFIX": ("BSET", 0, False, False), "BNDFREE": ("CSET", 0, False, False)},
    **{"BNDFIX1": ("BSET", 0, True, False), "BNDFREE1": ("CSET", 0, True, False)},
    **{"SUPORT": ("SUPORT", 0, False, True), "SUPORT1": ("SUPORT", 1, False, True), "SPC1": ("SPC", 1, True, True)},
    **{"USET": ("USET", 1, False, False), "USET1": ("USET", 1, True, False), "SPC": ("SPC", 1, False, True)},
}
JOINING = (*MASSES, *RIGID)
NUMBERED = ("SET", "SET1", "SET3")
NAMES = tuple(_NAMED)
_COLUMNS = 8  # of a number in a comment of HyperMesh; numbers that fill them stand without a blank between


def read_case_control(deck: Deck, lines: Iterable[LineOfDeck]) -> None:
    """Sets and chosen constraints of the lines between CEND (or the start of the file) and BEGIN BULK."""
    used: dict[tuple[str, int], set[str]] = {}
    drafts: dict[tuple[str, int], tuple[str, str, int]] = {}
    section = ""
    for text, file, line in _statements(lines):
        if found := _SET.match(text):
            number = int(found[1][:18])
            if section in ("", "POST"):
                drafts[section, number] = found[2], file, line
            else:
                deck.skipped.add(f"SET {number}", file, line, analysis=True, why=f"a set for plots, in OUTPUT({section})")
        elif begins := _SECTION.match(text):
            section = begins[1].upper()
        elif choice := _CHOICE.match(text):
            numbers, number = deck.chosen.setdefault(choice[1].upper(), []), int(choice[2][:18])
            numbers += [] if number in numbers else [number]
        elif request := _OUTPUT.match(text):
            for starts, of in ((_OF_NODES, "nodes"), (_OF_ELEMENTS, "elements")):
                if request[1].upper().startswith(starts):
                    used.setdefault((section, int(request[2][:18])), set()).add(of)
        elif section == "POST" and (surface := _SURFACE.match(text)):
            used.setdefault((section, int(surface[1][:18])), set()).add("elements")
    for (section, number), draft in drafts.items():
        # A set that stands before OUTPUT(POST) may be used there.
        of = used.get((section, number), () if section else used.get(("POST", number), ()))
        _add_case_set(deck, number, section == "POST" and ("", number) in drafts, frozenset(of), *draft)


def _statements(lines: Iterable[LineOfDeck]) -> Iterator[tuple[str, str, int]]:
    """The lines without comments, and their places; sets that go on in further lines as one."""
    begun = None
    for file, number, text in lines:
        text = text.split("$")[0].strip()
        if text:
            begun = (text, file, number) if begun is None else (f"{begun[0]} {text}", *begun[1:])
            if not (text.endswith(",") and _SET.match(begun[0])):
                yield begun
                begun = None


def _add_case_set(deck: Deck, number: int, of_post: bool, of: frozenset[str], text: str, file: str, line: int) -> None:
    words = text.replace(",", " ").split()
    if any(integer(word) is None and real(word) is not None for word in words):
        why = "times or frequencies of an output request"
    elif any(not re.fullmatch(r"-?\d+|THRU|BY|EXCEPT|ALL", word.upper()) for word in words):
        why = "its members are not numbers"
    elif text.upper().partition("EXCEPT")[0].split() in ([], ["ALL"]):
        why = "it lists no individual nodes or elements"
    else:
        where = f"{file}:{line}: SET"
        try:
            deck.case_sets.append(CaseSet(number, read_ranges(words, f"{where} {number}", "member"), of, where, of_post))
        except MeshError as error:
            deck.warnings.append(f"{error} The set is left out.")
        return
    deck.skipped.add(f"SET {number}", file, line, analysis=True, why=why)


def read_set(deck: Deck, card: Card) -> None:
    """Cards of named nodes."""
    name, start, lists, holds = _NAMED[card.name]
    if name == "SPC":
        name = f"SPC {card.integer(0, 'SID', least=1)}"
    elif name == "USET":
        name = f"USET {card.text(0)}"
    given: list[tuple[int, Ranges]] = []  # the field of the components, and who has them
    if lists:
        given.append((start, read_ranges(card.fields[start + 1 :], card.where, "grid point")))
        if not given[0][1].parts:
            raise MeshError(f"{card.where}: no grid points are given (from field {start + 3}); list them, or remove the card.")
    of_spc = card.name == "SPC"  # with an enforced value behind the components
    for i in () if lists else (1, 4) if of_spc else range(start, len(card.fields), 2):
        if card.text(i) or (of_spc and i == 1):
            node = card.integer(i, "G" if of_spc else "ID", least=1)
            if of_spc and card.real(i + 2, "D", 0.0):
                deck.warn(card.where, f"the enforced displacement of node {node} is ignored; the node is read as fixed.")
            given.append((i + 1, Ranges([(node, node, 1)])))
    for at, members in given:
        known, _ = deck.named_nodes.setdefault((name, card.dofs(at, "C"), holds), (Ranges(), card))
        known.parts += members.parts


def node_sets(deck: Deck, grid: Grid) -> dict[str, np.ndarray]:
    """Node sets of SPC, ASET, QSET, ... cards (components or not), by their names."""
    sets: dict[str, np.ndarray] = {}
    for (name, *_), (members, card) in deck.named_nodes.items():
        missing = members.missing(grid.sorted_ids)
        missing = missing[~deck.scalar_points.contains(missing)]
        if len(missing):
            deck.warn(card.where, f"{len(missing)} grid points that do not exist are left out ({few(missing)}).")
        sets[name] = np.union1d(sets.get(name, []), grid.order[members.select(grid.sorted_ids)]).astype(int)
    for name in [name for name, nodes in sets.items() if not len(nodes)]:
        empty = [one for key, one in deck.named_nodes.items() if key[0] == name]
        card = empty[0][1]
        ends = np.array([end for members, _ in empty for part in members.parts for end in part[:2]], np.int64)
        if not deck.scalar_points.contains(ends).any():
            raise MeshError(f"{card.where}: none of the grid points of '{name}' exists; correct the numbers.")
        deck.leave_out(card, "it lists scalar points only, which are no nodes", analysis=True)
        del sets[name]
    return sets


def boundary_conditions(deck: Deck, grid: Grid) -> tuple[BoundaryCondition, ...]:
    """Supports: of SPC and SUPORT cards by set and components, and of the PS field of GRID cards."""
    found = []
    for (name, dofs, holds), (members, card) in deck.named_nodes.items():
        if holds and dofs:
            nodes = np.unique(grid.order[members.select(grid.sorted_ids)])
            found.append(BoundaryCondition(name, nodes, dofs, card.place))
    held = np.char.strip(grid.held)
    for text in np.unique(held):
        rows = np.flatnonzero(held == text)
        file, line = grid.table.place(rows[0]).rsplit(":", 1)
        dofs = Card("GRID", [text.decode("latin-1")], file, int(line)).dofs(0, "PS")
        if dofs:
            found.append(BoundaryCondition("PS", rows, dofs, f"{file}:{line}"))
    return tuple(one for one in found if len(one.nodes))


def number_sets(deck: Deck, grid: Grid, elements: np.ndarray) -> tuple[dict, dict]:
    """Sets of case control and of SET, SET1, SET3 cards: (node sets, element sets), as names -> numbers.

    One whose output requests do not say what it holds names nodes and elements. ``elements`` : rising numbers of all.
    """
    existing = {"nodes": grid.sorted_ids, "elements": elements}
    found: dict[str, dict[str, np.ndarray]] = {"nodes": {}, "elements": {}}
    for one in _all_sets(deck):
        own_name = f"SET {one.number}{' (OUTPUT(POST))' if one.of_post else ''}"
        name = own_name if one.of_post else deck.names.get(("set", one.number), own_name)
        members = {of: existing[of][one.members.select(existing[of])] for of in sorted(one.of or existing)}
        members = {of: ids for of, ids in members.items() if len(ids)}
        missing = one.members.missing(existing[min(members)]) if len(members) == 1 else ()
        if not members:
            deck.warn(one.where, f"none of the members of set {one.number} exists; the set is left out.")
        elif len(missing):
            deck.warn(one.where, f"{len(missing)} members of set {one.number} do not exist and are left out ({few(missing)}).")
        for of, ids in members.items():
            found[of][name if name not in found[of] else own_name] = ids
    return found["nodes"], found["elements"]


def _all_sets(deck: Deck) -> Iterator[CaseSet]:
    yield from deck.case_sets
    for card in deck.named(*NUMBERED):
        number = card.integer(0, "SID", least=1)
        of = {"GRID": "nodes", "POINT": "nodes", "NODE": "nodes", "ELEM": "elements"}.get(card.text(1), "")
        if card.name == "SET1":  # SET3 and OptiStruct's SET say what they hold
            texts, of = [text for text in card.texts(1) if text != "SKIN"], ""
        elif not of or (card.name == "SET" and card.text(2) not in ("LIST", "")):
            deck.leave_out(card, f"a set of {card.text(1) or 'an unspecified type'}")
            continue
        else:
            texts = card.texts(8 if card.name == "SET" else 2)
        members = read_ranges(texts, card.where, "member")
        if of and not members.parts:
            raise card.wrong("has no members; list them, or remove the card.")
        yield CaseSet(number, members, frozenset({of} - {""}), card.where)


def component_sets(deck: Deck, elements: np.ndarray) -> dict[str, np.ndarray]:
    """Of the rising numbers of all elements those of each of HyperMesh's components ($HMMOVE, $HMNAME COMP), by its name."""
    sets: dict[str, np.ndarray] = {}
    joining = np.array([card.integer(0, "EID", least=1) for card in deck.named(*JOINING)], np.int64)
    without_body = np.unique(np.concatenate([joining, *(rows.ids for rows in deck.others)]))
    for number, lines in deck.components.items():
        words = [word for text, *_ in lines for word in _words(text.upper())]
        if not words:
            continue
        name = deck.names.get(("component", number), f"component {number}")
        where = f"{lines[0][1]}:{lines[0][2]}: $HMMOVE"
        try:
            members = read_ranges(words, where, "element")
        except MeshError as error:  # comment lines cannot make a deck wrong
            deck.warnings.append(f"{error} The component is left out.")
            continue
        found = elements[members.select(elements)]
        if len(found):
            sets[name] = np.union1d(sets[name], found) if name in sets else found
        elif not len(members.select(without_body)):
            deck.warn(where, f"none of the elements of component '{name}' exists; it is left out.")
    return sets


def _words(text: str) -> list[str]:
    """Numbers and THRU of a line, whose first field of 8 columns has lost its "$"."""
    words = text.replace("THRU", " THRU ").split()
    if all(len(word) <= _COLUMNS for word in words):
        return words
    columns = [text[at : at + _COLUMNS].strip() for at in range(_COLUMNS - 1, len(text), _COLUMNS)]
    return columns if all(re.fullmatch(r"\d*|THRU", column) for column in columns) else words
