"""Names of runs, equal for equal results only; what a case consists of, and what cannot be one."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from flexmbs import StudyError
from flexmbs.common.installed_data import meshes_folder
from flexmbs.study.run_key import RunSpec, named_file_digests, run_key

SPEC = RunSpec("/cases/rod.py", "c" * 32, storage={"store_every": 2}, sources="5" * 40)
VALUES = {"length": 0.1, "modes": 4, "mesh": "rod.inp", "axis": (0.0, 0.0, 1.0), "damped": True, "rate": None}
FILES = {"mesh": "f" * 32}


def test_everything_that_determines_the_result_changes_the_key():
    key = run_key(SPEC, VALUES, FILES)
    changed = {"length": np.nextafter(0.1, 1.0), "modes": 5, "mesh": "./rod.inp", "axis": (0.0, 1e-300, 1.0), "damped": False}
    changed |= {"rate": 0.0, "extra": 1.0}
    others = [run_key(SPEC, {**VALUES, name: value}, FILES) for name, value in changed.items()]
    others += [run_key(SPEC, VALUES, {"mesh": "e" * 32}), run_key(SPEC, VALUES, {})]
    changes = {"case_digest": "d" * 32, "storage": {"store_every": 3}, "sources": "6" * 40}
    others += [run_key(replace(SPEC, **{name: value}), VALUES, FILES) for name, value in changes.items()]
    assert len({key, *others}) == 1 + len(others)
    assert len(key) == 32 and int(key, 16)


def test_nothing_else_changes_the_key():
    key = run_key(SPEC, VALUES, FILES)
    same = {"rate": None, **{name: VALUES[name] for name in reversed(VALUES)}}
    same |= {"length": np.float64(0.1), "modes": np.int64(4), "axis": np.array([0.0, 0.0, 1.0])}
    assert run_key(SPEC, same, FILES) == key
    for change in ({"case": "elsewhere/rod.py"}, {"keep": "figures"}, {"histories": ("force",)}, {"fixed": {"modes": 4}}):
        assert run_key(replace(SPEC, **change), VALUES, FILES) == key
    assert run_key(replace(SPEC, storage={"store_every": 2, "output_step": None}), VALUES, FILES) == key


def test_other_processes_give_the_same_name():
    code = (
        "import json, sys; from flexmbs.study.run_key import RunSpec, run_key\n"
        "spec, values, files = json.load(sys.stdin); print(run_key(RunSpec(**spec), values, files))"
    )
    spec = {"case": "x", "case_digest": "c" * 32, "storage": {"store_every": 2}}
    text = json.dumps([spec, VALUES, FILES])
    child = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    assert child.stdout.strip() == run_key(RunSpec(**spec), VALUES, FILES)  # of the sources of this flexmbs


def test_objects_are_no_values():
    with pytest.raises(StudyError, match="object object at .*: object is not a value"):
        run_key(SPEC, {"length": object()}, {})


def test_parameters_that_name_files(tmp_path, monkeypatch):
    mesh = sorted(meshes_folder().glob("*.inp"))[0]
    own = tmp_path / "own.inp"
    own.write_text("*NODE")
    monkeypatch.chdir(tmp_path)
    values = {"a": "own.inp", "b": mesh.name, "c": "lumped", "d": "", "e": 3.0, "f": ".", "g": str(own), "h": "a\0b"}
    digests = named_file_digests(values)
    assert sorted(digests) == ["a", "b", "g"] and digests["a"] == digests["g"] != digests["b"]
    own.write_text("*NODE, changed")
    assert named_file_digests(values)["a"] != digests["a"]
