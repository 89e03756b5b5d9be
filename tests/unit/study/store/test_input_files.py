"""Files that runs read: part of the key where a parameter names them, compared where a case opens them."""

import os

import numpy as np
import pytest

from flexmbs import StudyError
from flexmbs.common.errors import StudyWarning
from flexmbs.common.installed_data import meshes_folder
from flexmbs.study.store.input_files import file_digest, files_read, named_file_digests, named_files, require_unchanged
from flexmbs.study.store.recorded_inputs import RecordedInputs


def test_parameters_that_name_files(tmp_path, monkeypatch):
    mesh = sorted(meshes_folder().glob("*.inp"))[0]
    own = tmp_path / "own.inp"
    own.write_text("*NODE")
    monkeypatch.chdir(tmp_path)
    values = {"a": "own.inp", "b": mesh.name, "c": "lumped", "d": "", "e": 3.0, "f": ".", "g": str(own), "h": "a\0b"}
    assert named_files(values) == {"a": own, "b": mesh, "g": own}
    digests = named_file_digests(values)
    assert digests["a"] == digests["g"] == file_digest(own) != digests["b"]
    own.write_text("*NODE, changed")
    assert named_file_digests(values)["a"] != digests["a"]


def test_files_that_are_opened_while_a_case_runs(tmp_path):
    for name in ("table.csv", "array.npy", "study/state.npz", "late.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        np.save(path, np.arange(3.0)) if name.endswith("npy") else path.write_text("1,2")
    compiled = tmp_path / "__pycache__"
    compiled.mkdir()
    (compiled / "case.build-1.py311.nbi").write_text("an index of numba, which each worker may change")
    with files_read(excluded=[tmp_path / "study"]) as found:
        open(tmp_path / "table.csv").close()
        np.load(tmp_path / "array.npy")
        open(tmp_path / "study" / "state.npz").close()
        os.close(os.open(tmp_path / "late.txt", os.O_RDONLY))
        (tmp_path / "written.txt").write_text("by the case")
        (tmp_path / "written.txt").read_text()
        (compiled / "case.build-1.py311.nbi").read_bytes()
        open(os.__file__).close()
        open(np.__file__).close()
        open("/proc/self/stat").close()
        (mesh,) = sorted(meshes_folder().glob("*.inp"))[:1]
        open(mesh).close()
    open(tmp_path / "written.txt").close()
    names = {"table.csv", "array.npy", "late.txt"}
    assert found.digests() == {str(path): file_digest(path) for path in [*(tmp_path / name for name in names), mesh]}


def test_changed_files_are_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("1")
    recorded = {str(path): file_digest(path), str(tmp_path / "elsewhere.csv"): "0" * 32}
    require_unchanged(recorded)
    path.write_text("12")
    with pytest.raises(StudyError, match=r"table.csv: changed since other runs.*would mix two versions"):
        require_unchanged(recorded)


def test_runs_of_one_study_read_one_version(tmp_path):
    inputs = RecordedInputs(tmp_path / "inputs")
    inputs.add({"/data/table.csv": "1" * 32})
    inputs.add({"/data/table.csv": "1" * 32, "/data/mesh.inp": "2" * 32})
    for other in (inputs, RecordedInputs(tmp_path / "inputs")):
        with pytest.raises(StudyError, match="^/data/table.csv: changed since"):
            other.add({"/data/table.csv": "3" * 32, "/data/mesh.inp": "2" * 32})
    assert other.recorded() == {"/data/table.csv": "1" * 32, "/data/mesh.inp": "2" * 32}
    for path in (tmp_path / "inputs").iterdir():
        path.write_bytes(b"{")
    with pytest.warns(StudyWarning, match="damaged"):
        assert other.recorded() == {}
