"""The page of cards says what the readers declare."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_of_cards_is_what_the_readers_declare():
    assert (DOCS / "mesh_cards.md").read_text() == runpy.run_path(str(DOCS / "make_card_table.py"))["page"](), (
        "run python docs/make_card_table.py"
    )
