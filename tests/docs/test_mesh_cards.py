"""The page of cards says what the readers declare."""

import re
import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
MADE_BY = runpy.run_path(str(DOCS / "make_card_table.py"))


def test_the_page_of_cards_is_what_the_readers_declare():
    assert (DOCS / "mesh_cards.md").read_text() == MADE_BY["page"](), "run python docs/make_card_table.py"


def test_cards_that_share_a_declaration_are_read():
    named = {name for words in MADE_BY["ALSO"].values() for name in re.findall(r"\b[A-Z][A-Z0-9]{2,}", words)}
    assert named <= {*MADE_BY["BATCH_HANDLERS"], *MADE_BY["HANDLERS"]}
