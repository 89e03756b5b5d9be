"""Reader of Abaqus and CalculiX input files (.inp)."""

from __future__ import annotations

from pathlib import Path

from flexmbs.mesh.abaqus import entities, properties
from flexmbs.mesh.abaqus.build import build
from flexmbs.mesh.abaqus.deck import Deck
from flexmbs.mesh.abaqus.lines import read_cards
from flexmbs.mesh.mesh import Mesh

HANDLERS = {
    "NODE": entities.read_nodes,
    "ELEMENT": entities.read_elements,
    "NSET": entities.read_node_set,
    "ELSET": entities.read_element_set,
    "PART": entities.read_part,
    "INSTANCE": entities.read_instance,
    "MATERIAL": properties.read_material,
    "ELASTIC": properties.read_elastic,
    "DENSITY": properties.read_density,
    "SOLID SECTION": properties.read_solid_section,
    "BEAM SECTION": properties.read_beam_section,
    "BEAM GENERAL SECTION": properties.read_beam_general_section,
    **dict.fromkeys(("NGEN", "NFILL", "NCOPY", "NMAP", "ELGEN", "ELCOPY", "SYSTEM", "MESH"), entities.refuse),
}
_NOTHING_TO_READ = {"HEADING", "END PART", "ASSEMBLY", "END ASSEMBLY", "END INSTANCE", "PREPRINT", "RESTART"}


def read_abaqus(path: Path) -> Mesh:
    """Mesh of an Abaqus/CalculiX file: nodes, elements, sets, materials and sections, as the file's numbers have them.

    Analysis steps are left out; other cards that are not read are listed in ``Mesh.warnings`` with their lines.
    Set and material names are upper case, as in the format.
    """
    deck = Deck()
    in_step = False
    for card in read_cards(path):
        if in_step or card.keyword == "STEP":
            in_step = card.keyword != "END STEP"
        elif card.keyword in HANDLERS:
            HANDLERS[card.keyword](deck, card)
        elif card.keyword not in _NOTHING_TO_READ:
            deck.skipped[card.keyword].append(card.line)
    return build(deck, str(path))
