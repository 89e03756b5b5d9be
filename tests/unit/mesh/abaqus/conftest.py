"""Writing small decks and reading them."""

from pathlib import Path

import pytest

from flexmbs.mesh.readers.abaqus.deck_reader import read_abaqus

_DATA = Path(__file__).parents[3] / "data" / "mesh" / "abaqus"


@pytest.fixture
def read(tmp_path):
    """Read a deck given as text (or bytes)."""

    def write_and_read(content, name="mesh.inp", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_abaqus(path, **options)

    return write_and_read


@pytest.fixture(scope="session")
def deck():
    """Read one of the decks in tests/data/mesh/abaqus."""
    return lambda name: read_abaqus(_DATA / name)
