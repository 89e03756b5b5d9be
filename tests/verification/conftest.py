"""Reference data of the verification tests (origin: data/README.md)."""

import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference():
    """reference("name") is the content of data/name.json."""

    def read(name):
        return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())

    return read
