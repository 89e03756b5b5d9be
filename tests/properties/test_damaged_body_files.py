"""Whatever is done to a body file or a result folder, it ends as a body that can be run or an error that names it."""

import pytest
from body_mutations import KINDS, run

QUICKLY = {"h5": 20, "npz": 20, "folder": 10}
THOROUGHLY = {"h5": 1000, "npz": 1000, "folder": 500}


def total(outcomes, name):
    return sum(found[name] for found in outcomes.values())


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(kind):
    outcomes, defects = run(kind, QUICKLY[kind])
    assert defects == []
    read = total(outcomes, kind) + total(outcomes, "run stopped by name")
    assert read + total(outcomes, "error") == QUICKLY[kind]
    assert min(read, total(outcomes, "error")) > 0  # the damage is neither always fatal nor always harmless


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_damaged_files(kind):
    _, defects = run(kind, THOROUGHLY[kind], first=1_000_000)
    assert defects == []
