"""Names of runs, equal for equal results only; what a case consists of, and what cannot be one."""

import json
import os
import subprocess
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import CaseError, StudyError
from flexmbs.case.case_source import difference, source_of
from flexmbs.case.cases import load_case
from flexmbs.common.installed_data import meshes_folder
from flexmbs.study.run_key import RunSpec, current_versions, named_file_digests, run_key, sources_digest

SPEC = RunSpec("/cases/rod.py", "c" * 32, storage={"store_every": 2}, sources="5" * 40)
VALUES = {"length": 0.1, "modes": 4, "mesh": "rod.inp", "axis": (0.0, 0.0, 1.0), "damped": True, "rate": None}
FILES = {"mesh": "f" * 32}


def test_everything_that_determines_the_result_changes_the_key():
    key = run_key(SPEC, VALUES, FILES)
    others = [
        run_key(SPEC, {**VALUES, name: value}, FILES)
        for name, value in [
            ("length", np.nextafter(0.1, 1.0)),
            ("modes", 5),
            ("mesh", "./rod.inp"),
            ("axis", (0.0, 1e-300, 1.0)),
            ("damped", False),
            ("rate", 0.0),
            ("extra", 1.0),
        ]
    ]
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
        "import json, sys; from flexmbs.study.run_key import run_key\n"
        "from flexmbs.study.run_key import RunSpec\n"
        "spec, values, files = json.load(sys.stdin); print(run_key(RunSpec(**spec), values, files))"
    )
    spec = {"case": "x", "case_digest": "c" * 32, "storage": {"store_every": 2}}
    text = json.dumps([spec, VALUES, FILES])
    child = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    assert child.stdout.strip() == run_key(RunSpec(**spec), VALUES, FILES)  # of the sources of this flexmbs
    assert current_versions()["sources"] == sources_digest()


def test_objects_are_no_values():
    with pytest.raises(StudyError, match="parameter 'length': object is not a value"):
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


def test_digest_follows_the_content_only(case, tmp_path):
    first = source_of(case)
    assert first.path == case and first.text == case.read_text() and list(first.files) == [""]
    elsewhere = tmp_path / "elsewhere" / "other_name.py"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(case.read_bytes())
    assert source_of(elsewhere).digest == first.digest == source_of(load_case(case)).digest
    case.write_text(case.read_text() + "# a remark\n")
    assert source_of(case).digest != first.digest


def test_modules_beside_the_case_belong_to_it(helped_case):
    path, helper = helped_case
    first = source_of(path)
    assert sorted(first.files) == ["", helper.stem]  # neither flexmbs nor dataclasses
    assert source_of(path) == first  # the module is imported already
    helper.write_text("FACTOR = 3.0\n")
    changed = source_of(path)
    assert changed.digest != first.digest and changed.files[""] == first.files[""]


def test_modules_of_modules_and_of_packages_belong_to_it(case, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    package = tmp_path / "rods_of_test"
    package.mkdir()
    (package / "__init__.py").write_text("from .inner import LENGTH\n")
    (package / "inner.py").write_text("from . import deepest\nLENGTH = deepest.LENGTH\n")
    (package / "deepest.py").write_text("LENGTH = 1.0\n")
    (package / "unused.py").write_text("LENGTH = 2.0\n")
    (tmp_path / "plain_folder_of_test").mkdir()
    (tmp_path / "plain_folder_of_test" / "rod.py").write_text("")
    (tmp_path / "late_of_test.py").write_text("")
    text = case.read_text().replace("return", "import late_of_test\n    return")  # imported when it runs
    case.write_text(
        text.replace("from flexmbs", "import plain_folder_of_test.rod\nfrom rods_of_test import LENGTH\nfrom flexmbs", 1)
    )
    names = ["", "late_of_test", "plain_folder_of_test.rod", "rods_of_test", "rods_of_test.deepest", "rods_of_test.inner"]
    assert sorted(source_of(case).files) == names


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda parameters: 1.0, "a function"),
        (np.sum, "a function"),
        (types.ModuleType("rod"), "of type module"),
        (fm.System, "of type type"),
        (None, "of type NoneType"),
    ],
)
def test_what_workers_cannot_load_is_refused(wrong, told):
    with pytest.raises(CaseError, match=f"the case is {told}, which the worker processes.*give the path of a case file"):
        source_of(wrong)


def test_missing_files_are_refused(case):
    loaded = load_case(case)
    os.unlink(case)
    with pytest.raises(CaseError, match="rod.py: the file of the case does not exist, and workers load"):
        source_of(loaded)
    with pytest.raises(CaseError, match="the file of the case does not exist"):
        source_of(case)
    with pytest.raises(CaseError, match="no case 'conecting_rod'"):
        source_of("conecting_rod")


def test_difference_names_the_first_lines():
    assert difference("a\nb\nc\n", "a\nB\nc\n").splitlines()[2:] == ["@@ -2 +2 @@", "-b", "+B"]
    assert difference("a\n", "a\n") == ""
    long = difference("", "\n".join(map(str, range(100)))).splitlines()
    assert len(long) == 21 and long[-1] == "..."
