"""Whatever is done to a mesh file, reading it ends as a Mesh or as a MeshError that names the file."""

import pytest
from mutations import SUFFIXES, own_files, run

QUICKLY = {name: 15 if name == "vtk" else 60 for name in SUFFIXES}  # VTK's takes a process for each file


@pytest.mark.parametrize("name", SUFFIXES)
def test_damaged_files(name):
    assert own_files(name)
    outcomes, defects = run(name, QUICKLY[name])
    assert defects == []
    assert outcomes["mesh"] + outcomes["MeshError"] == QUICKLY[name]
    assert min(outcomes["mesh"], outcomes["MeshError"]) > 0  # the damage is neither always fatal nor always harmless


@pytest.mark.slow
@pytest.mark.parametrize("name", SUFFIXES)
def test_ten_thousand_damaged_files(name):
    _, defects = run(name, 10_000, first=1_000_000)
    assert defects == []
