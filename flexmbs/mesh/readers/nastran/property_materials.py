"""What turns a property card into fields of a block: the materials of the deck."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.common.errors import MeshError
from flexmbs.common.names_in_messages import few
from flexmbs.mesh.materials import AnyMaterial
from flexmbs.mesh.readers.nastran.card import Card
from flexmbs.mesh.readers.nastran.deck import Deck


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
