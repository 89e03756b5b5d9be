"""HyperMesh components: element sets that comment lines ($HMMOVE, $HMNAME COMP) define."""

from __future__ import annotations

import re

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.thru_ranges import read_ranges

_COLUMNS = 8  # of a field; numbers that fill them stand without a blank between


def component_sets(deck: Deck, elements: np.ndarray) -> dict[str, np.ndarray]:
    """Element numbers of each component by its name; ``elements`` are all element numbers, rising."""
    sets: dict[str, np.ndarray] = {}
    for number, lines in deck.names.components.items():
        words = [word for text, *_ in lines for word in _words(text.upper())]
        name = deck.names.get("component", number) or f"component {number}"
        if not words:
            continue
        where = f"{lines[0][1]}:{lines[0][2]}: $HMMOVE"
        try:
            members = read_ranges(words, where, "element")
        except MeshError as error:  # comment lines cannot make a deck wrong
            deck.warnings.append(f"{error} The component is left out.")
            continue
        found = elements[members.select(elements)]
        if len(found):
            sets[name] = np.union1d(sets[name], found) if name in sets else found
        elif not len(members.select(_without_body(deck))):
            deck.warn(where, f"none of the elements of component '{name}' exists; it is left out.")
    return sets


def _words(text: str) -> list[str]:
    """Numbers and THRU of a line, whose first field of 8 columns has lost its "$"."""
    words = text.replace("THRU", " THRU ").split()
    if all(len(word) <= _COLUMNS for word in words):
        return words
    columns = [text[at : at + _COLUMNS].strip() for at in range(_COLUMNS - 1, len(text), _COLUMNS)]
    return columns if all(re.fullmatch(r"\d*|THRU", column) for column in columns) else words


def _without_body(deck: Deck) -> np.ndarray:
    """Numbers, rising, of what is no element of a block: rigid elements, masses, plot elements, ..."""
    of_cards = [card.integer(0, "EID") for card in (*deck.rigid, *deck.masses)]
    return np.unique(np.concatenate([np.array(of_cards, np.int64), *(rows.ids for rows in deck.others)]))
