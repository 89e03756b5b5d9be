"""Property cards: which there are, how many stand on one card, which elements may name them, and their materials."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck

# Cards with several properties: fields of each.
_SEVERAL = {"PELAS": 4, "PVISC": 4, "PDAMP": 2, "PMASS": 2}
_SHELLS = ("PSHELL", "PCOMP", "PCOMPG")
PLANE = ("PLPLANE", "PPLANE")  # make plane elements of CQUAD4 and CTRIA3
# The properties that elements of a card can have.
OF_FAMILY = {
    "solid": ("PSOLID", "PLSOLID", "PCOMPS", "PCOMPLS"),
    "bar": ("PBAR", "PBARL", "PBEAM", "PBEAML", "PBCOMP", "PBRSECT", "PBMSECT"),
    "rod": ("PROD", "PTUBE"),
    "shell": (*_SHELLS, *PLANE),
}
OF_CARD = {"CSHEAR": ("PSHEAR",)}
NAMES = frozenset(
    (*_SHELLS, *OF_FAMILY["solid"], *OF_FAMILY["bar"], *OF_FAMILY["rod"], "PSHEAR", *PLANE, "PFAST")
    + ("PELAS", "PDAMP", "PBUSH", "PBUSH1D", "PVISC", "PMASS", "PGAP", "PWELD", "PBEND", "PBEAM3", "PAXSYMH")
)


def read_property(deck: Deck, card: Card) -> None:
    """Any property card: kept until elements use it."""
    count = _SEVERAL.get(card.name)
    starts = range(0, len(card.fields), count) if count else [0]
    for start in starts:
        if start and not card.text(start):
            continue
        part = Card(card.name, card.fields[start : start + count], card.file, card.line) if count else card
        number = part.integer(0, "PID", least=1)
        deck.names.take_next("property", number)
        deck.add_once(deck.properties, (card.name, number), part)


def find_property(deck: Deck, family: str, element: str, number: int, where: str) -> Card | None:
    """The property that elements of a card name; None when the deck has none with the number.

    Raises MeshError when the number belongs to a property for other elements only.
    """
    possible = OF_CARD.get(element) or OF_FAMILY[family]
    found = next((deck.properties[name, number] for name in possible if (name, number) in deck.properties), None)
    if found is None:
        wrong = next((card for (_, other), card in deck.properties.items() if other == number), None)
        if wrong is not None and wrong.name not in ("PELAS", "PDAMP", "PVISC", "PMASS", "PBUSH", "PBUSH1D"):
            raise MeshError(
                f"{where}: property {number} is a {wrong.name} ({wrong.place}), but {element} needs {' or '.join(possible[:3])}."
            )
    return found


def property_name(card_name: str, number: int) -> str:
    """What messages and sets call a property: "PSHELL 3"."""
    return f"{card_name} {number}"


@dataclass(frozen=True)
class PropertyUse:
    """Turns a property into fields of a block: materials of the deck, and where to warn."""

    deck: Deck
    materials: dict[int, AnyMaterial]

    def material(self, card: Card, index: int, what: str = "MID", default: int | None = None) -> AnyMaterial:
        """The material that a property names; MeshError when it does not exist."""
        number = card.integer(index, what, default, least=1)
        if number not in self.materials:
            known = few(sorted(self.materials), 10) or "none"
            raise MeshError(
                f"{card.where} {card.text(0)} names material {number}, which no MAT card defines (there are: {known}); add a MAT1."
            )
        return self.materials[number]
