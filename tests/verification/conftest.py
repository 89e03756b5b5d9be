"""Reference data of the verification tests (origin: data/README.md)."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from flexmbs.app.verification.cases import reference as shipped_reference


@pytest.fixture(scope="session")
def reference():
    """reference("name") is the content of data/name.json, or of what ``flexmbs verify`` has of that name."""

    def read(name):
        path = Path(__file__).parent / "data" / f"{name}.json"
        return json.loads(path.read_text()) if path.exists() else shipped_reference(name)

    return read


@pytest.fixture
def figures(request):
    """figures(what, source, found, expected, relative) asserts that all found values lie that near to the expected.

    Deviations are relative to each expected value, or to ``scale`` where that is given.
    The largest deviation is printed (pytest -s), and appended to the file that FLEXMBS_FIGURES names, from which
    docs/make_verification_table.py makes its table.
    """

    def compare(what, source, found, expected, relative, scale=None):
        found, expected = np.atleast_1d(found), np.atleast_1d(np.asarray(expected, float))
        assert found.shape == expected.shape, (found, expected)
        deviation = float(np.max(np.abs(found - expected) / (np.abs(expected) if scale is None else scale)))
        print(f"{what}: {source}, figures: {expected.size}, largest deviation {deviation:.2g} (allowed {relative:g})")
        if "FLEXMBS_FIGURES" in os.environ:
            row = dict(what=what, source=source, count=expected.size, deviation=deviation, allowed=relative)
            row["test"] = Path(request.node.path).name
            with open(os.environ["FLEXMBS_FIGURES"], "a") as file:
                file.write(json.dumps(row) + "\n")
        assert deviation <= relative, (found, expected)

    return compare
