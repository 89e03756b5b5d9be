"""Reader of Abaqus and CalculiX input files (.inp): each card, in the order of the file, goes to the function that reads it."""

from __future__ import annotations

from pathlib import Path

from flexmbs.common.errors import MeshError
from flexmbs.mesh.mesh import Mesh
from flexmbs.mesh.readers.abaqus import (
    axes_cards,
    distribution_cards,
    generation_cards,
    material_cards,
    node_and_element_cards,
    part_cards,
)
from flexmbs.mesh.readers.abaqus.build_mesh import build
from flexmbs.mesh.readers.abaqus.cards import Card, CardReader
from flexmbs.mesh.readers.abaqus.coupling_card_table import CONSTRAINT_CARDS
from flexmbs.mesh.readers.abaqus.deck import Deck
from flexmbs.mesh.readers.abaqus.keywords import ALIASES, ANALYSIS, CHILDREN, ONLY_ABAQUS, ONLY_CALCULIX, SILENT, UNUSABLE
from flexmbs.mesh.readers.abaqus.section_cards import SECTION_CARDS

_HANDLERS = {
    "NODE": node_and_element_cards.read_nodes,
    "ELEMENT": node_and_element_cards.read_elements,
    "NSET": node_and_element_cards.read_node_set,
    "ELSET": node_and_element_cards.read_element_set,
    "SURFACE": node_and_element_cards.read_surface,
    "NGEN": generation_cards.read_ngen,
    "NFILL": generation_cards.read_nfill,
    "NCOPY": generation_cards.read_ncopy,
    "ELGEN": generation_cards.read_elgen,
    "ELCOPY": generation_cards.read_elcopy,
    "NMAP": generation_cards.refuse,
    "SYSTEM": axes_cards.read_system,
    "ORIENTATION": axes_cards.read_orientation,
    "DISTRIBUTION": distribution_cards.read_distribution,
    "PART": part_cards.read_part,
    "ASSEMBLY": part_cards.read_assembly,
    "INSTANCE": part_cards.read_instance,
    "ENDPART": part_cards.end_block,
    "ENDASSEMBLY": part_cards.end_block,
    "ENDINSTANCE": part_cards.end_block,
    "MATERIAL": material_cards.read_material,
    "ELASTIC": material_cards.read_elastic,
    "DENSITY": material_cards.read_density,
    "DAMPING": material_cards.read_damping,
    **dict.fromkeys(UNUSABLE, material_cards.read_unusable),
}
# Read when all names are known.
_LATER = {*SECTION_CARDS, *CONSTRAINT_CARDS, "NONSTRUCTURALMASS"}


def read_deck(path: Path, allow_outside: bool) -> Deck:
    """All cards of a file and of those it includes. Raises MeshError for what is wrong in a card."""
    deck = Deck(str(path))
    reader = CardReader(path, allow_outside)
    count = 0
    steps: list[Card] = []
    in_step = False
    for card in reader:
        count += 1
        last = card
        card.key = ALIASES.get(card.key, card.key)
        _note_program(deck, card)
        if card.key == "STEP":
            steps.append(card)
            in_step = True
        elif card.key == "ENDSTEP":
            in_step = False
        if in_step:
            _in_step(deck, card, len(steps))
        else:
            _in_model(deck, card)
    _check_ended(deck, reader, count, steps[-1] if in_step else None)
    if count and last.key not in ("NODE", "ELEMENT") and any(segment.ends_file for segment in last.segments):
        deck.warnings.append(f"{last.where}: the file ends with its data and without a line end; it may be cut off.")
    return deck


def _note_program(deck: Deck, card: Card) -> None:
    """Abaqus and CalculiX read few things differently; which of them a deck is for shows here and there."""
    if card.key in ONLY_ABAQUS:
        deck.written_for.add("Abaqus")
    elif card.key in ONLY_CALCULIX and (not ONLY_CALCULIX[card.key] or card.has(ONLY_CALCULIX[card.key])):
        deck.written_for.add("CalculiX")
    elif card.key == "ELEMENT" and card.option("TYPE") in ("B31R", "B32R"):
        deck.written_for.add("CalculiX")


def _in_model(deck: Deck, card: Card) -> None:
    if card.key in _HANDLERS:
        _HANDLERS[card.key](deck, card)
    elif card.key in CHILDREN:
        before = deck.scope.cards[-1] if deck.scope.cards else None
        if before is None or before.key not in CHILDREN[card.key]:
            raise MeshError(f"{card.where} must follow *{' or *'.join(CHILDREN[card.key])}, to which it belongs.")
        before.children.append(card.detached())
    elif card.key in ("SPRING", "DASHPOT") and not card.has("ELSET") and deck.scope.cards and deck.scope.cards[-1].key == "JOINT":
        deck.scope.cards[-1].children.append(card.detached())
    elif card.key in _LATER:
        deck.scope.cards.append(card.detached())
    elif card.key not in SILENT:
        deck.skipped.add(card.title, card.line.file, card.line.number, analysis=card.key in ANALYSIS)


def _in_step(deck: Deck, card: Card, step: int) -> None:
    """Supports of the first step are kept; everything else of steps belongs to the analysis."""
    if card.key == "BOUNDARY" and step == 1:
        deck.root.cards.append(card.detached())
    else:
        deck.skipped.add(card.title, card.line.file, card.line.number, analysis=True)


def _check_ended(deck: Deck, reader: CardReader, count: int, open_step: Card | None) -> None:
    if not count:
        line = reader.orphans[0] if reader.orphans else None
        shown = f"its first line is '{line.text[:60]}'" if line else "it has comments only"
        raise MeshError(
            f"{deck.source}:{line.number if line else 1}: not an Abaqus/CalculiX file: {shown}; keyword lines that"
            " start with * were expected (*NODE, *ELEMENT)."
        )
    if reader.orphans:
        line = reader.orphans[0]
        deck.skipped.add("text before the first keyword", line.file, line.number)
    if deck.open_blocks:
        block, last = deck.open_blocks[-1], reader.last_line
        raise MeshError(
            f"{last.where}: the file ends without *END {block.key} for {block.title} of line {block.line.number}; it is cut off."
        )
    if open_step is not None:
        deck.warnings.append(f"{open_step.where} has no *END STEP; the file may be cut off there.")


def read_abaqus(path: Path, *, allow_outside: bool = False) -> Mesh:
    """Mesh of an Abaqus/CalculiX file, in the units and numbers of the file.

    Names are upper case, as in the format (quoted ones as they are). A set SET of a part keeps its name when there is
    one instance only; with several it is "INSTANCE.SET". Sets of elements that are faces of others become surfaces and
    node sets. Supports are read from the model and from the first step; everything else of steps, and other cards that
    are not read, are listed in ``Mesh.skipped`` with their lines.

    Parameters
    ----------
    allow_outside : bool
        Let ``*INCLUDE`` and ``INPUT=`` leave the folder of the deck.

    Raises
    ------
    MeshError
        The content is wrong, cut off, or has no structural element; the message names file, line and card.
    """
    return build(read_deck(Path(path), allow_outside))
