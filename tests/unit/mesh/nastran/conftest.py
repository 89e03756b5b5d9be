"""Writing small decks and reading them."""

import pytest

from flexmbs.mesh.readers.nastran.read_nastran import read_nastran


@pytest.fixture
def read(tmp_path):
    """Read a deck given as text."""

    def write_and_read(text):
        path = tmp_path / "deck.bdf"
        path.write_text(text)
        return read_nastran(path)

    return write_and_read
