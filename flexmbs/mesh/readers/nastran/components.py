"""HyperMesh components: element sets that comment lines ($HMMOVE, $HMNAME COMP) define."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MeshError
from flexmbs.mesh.readers.nastran.deck import Deck
from flexmbs.mesh.readers.nastran.thru_ranges import read_ranges


def component_sets(deck: Deck, elements: np.ndarray) -> dict[str, np.ndarray]:
    """Element numbers of each component by its name; ``elements`` are all element numbers, rising."""
    sets: dict[str, np.ndarray] = {}
    for number, lines in deck.names.components.items():
        words = " ".join(text.upper().replace("THRU", " THRU ") for text, *_ in lines).split()
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
    return sets
