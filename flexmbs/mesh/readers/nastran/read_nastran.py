"""Reader of Nastran bulk data (.bdf, .dat, .nas): MSC, NX and Simcenter, OptiStruct, MYSTRAN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.nastran import (
    bar_cards,
    element_cards,
    grid_cards,
    mass_cards,
    material_cards,
    property_cards,
    rigid_element_cards,
    set_cards,
    spring_cards,
)
from flexmbs.mesh.readers.nastran.build_mesh import build
from flexmbs.mesh.readers.nastran.bulk_sections import BulkLines, is_begin
from flexmbs.mesh.readers.nastran.card import Batch, Card
from flexmbs.mesh.readers.nastran.case_control import read_case_control
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.deck_files import DeckLines, LineOfDeck, has_sections
from flexmbs.mesh.readers.nastran.lexer import Lexer
from flexmbs.mesh.readers.nastran.skipped_cards import read_parameter, skip

BATCH_HANDLERS = {
    "GRID": grid_cards.read_grids,
    **dict.fromkeys(element_cards.NAMES, element_cards.read_elements),
    **dict.fromkeys(bar_cards.NAMES, bar_cards.read_bars),
}
HANDLERS = {
    "GRDSET": grid_cards.read_grid_defaults,
    **dict.fromkeys(("SPOINT", "EPOINT"), grid_cards.read_scalar_points),
    **{f"CORD{number}{kind}": grid_cards.read_system for number in "12" for kind in "RCS"},
    **dict.fromkeys(("BAROR", "BEAMOR"), bar_cards.read_bar_defaults),
    **dict.fromkeys(spring_cards.NAMES, spring_cards.read_springs),
    **dict.fromkeys(mass_cards.NAMES, mass_cards.read_masses),
    **dict.fromkeys(rigid_element_cards.NAMES, rigid_element_cards.read_rigid),
    **dict.fromkeys(("MPC", "MPCADD"), rigid_element_cards.read_equation),
    **dict.fromkeys(material_cards.NAMES, material_cards.read_material),
    **dict.fromkeys(property_cards.NAMES, property_cards.read_property),
    **dict.fromkeys(set_cards.NAMES, set_cards.read_set),
    "PARAM": read_parameter,
}
_CEND = re.compile(r"\s*CEND\b", re.IGNORECASE)
_PARAMETER = re.compile(r"\s*PARAM\s*,\s*(\w+)\s*,\s*([^\s,$]*)", re.IGNORECASE)
_SOLUTION = re.compile(r"\s*SOL\s+(\w+)", re.IGNORECASE)


def read_nastran(path: Path, *, allow_outside: bool = False) -> Mesh:
    """Mesh of a Nastran deck, in the file's units and numbers, coordinates in the basic system.

    Parameters
    ----------
    allow_outside : bool
        INCLUDE may name files outside the deck's folder.

    Raises
    ------
    MeshError
        What is wrong with the deck: "file:line: CARD: ...".
    """
    path = Path(path)
    deck = Deck(str(path))
    source = DeckLines(path, allow_outside)
    lines = iter(source)
    if has_sections(path):
        deck.has_case_control = True
        lines = chain([_read_head(deck, source, lines)], lines)
    lexer = Lexer(frozenset(BATCH_HANDLERS), deck.names.comment)
    bulk = BulkLines(deck, lines)
    for card in lexer.cards(bulk):
        if isinstance(card, Batch):
            BATCH_HANDLERS[card.name](deck, card)
        else:
            _read_card(deck, card)
    _check_end(deck, source, lexer, bulk.ended)
    return build(deck)


def _read_card(deck: Deck, card: Card) -> None:
    HANDLERS.get(card.name, skip)(deck, card)


def _read_head(deck: Deck, source: DeckLines, lines: Iterator[LineOfDeck]) -> LineOfDeck:
    """Executive and case control; returns the first BEGIN line, of the main bulk data or of a superelement."""
    case: list[LineOfDeck] = []
    source.in_executive = True
    for line in lines:
        if line[2][:1] == "$":
            deck.names.comment(line)
        elif _CEND.match(line[2]):
            source.in_executive, case = False, []
        elif is_begin(line[2]):
            break
        elif found := _PARAMETER.match(line[2]):
            _read_card(deck, Card("PARAM", [found.group(1), found.group(2)], line[0], line[1]))
        else:
            if source.in_executive and (solution := _SOLUTION.match(line[2])):
                deck.solution = solution.group(1).upper()
            case.append(line)
    else:
        raise MeshError(f"{source.last[0]}:{source.last[1]}: the deck ends before BEGIN BULK; the file is cut off.")
    source.in_executive = False
    deck.parameters_of_case, deck.parameters = deck.parameters, {}
    for file, number, name in source.missing:
        deck.skipped.add(f"INCLUDE '{name}'", file, number, analysis=True, why="not found; executive control only")
    deck.case = read_case_control(case)
    for card, file, number, why in deck.case.left_out:
        deck.skipped.add(card, file, number, analysis=True, why=why)
    return line


def _check_end(deck: Deck, source: DeckLines, lexer: Lexer, ended: bool) -> None:
    """MeshError when the file is cut off within a card or line; a warning when only ENDDATA is missing."""
    file, number, text = source.last
    if ended:
        return
    if lexer.open_card:
        raise MeshError(f"{lexer.open_card}: the file ends (line {number}), but this card needs another line; the file is cut off.")
    if deck.has_case_control and source.ends_open:
        raise MeshError(
            f"{file}:{number}: {text[:8].strip() or 'last line'}: the file ends within a line, without ENDDATA; it is cut off."
        )
    if deck.has_case_control:
        deck.warn(f"{file}:{number}: ENDDATA", "it is missing at the end; the file may be incomplete")
