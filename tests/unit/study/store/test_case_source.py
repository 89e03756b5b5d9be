"""What a case consists of, and what cannot be one."""

import os
import types

import numpy as np
import pytest

import flexmbs as fm
from flexmbs import StudyError
from flexmbs.case.cases import load_case
from flexmbs.common.installed_data import cases_folder
from flexmbs.study.store.case_source import difference, source_of


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


def test_cases_by_name_are_files_too():
    path = sorted(file for file in cases_folder().glob("*.py") if not file.name.startswith("_"))[0]
    source = source_of(path.stem)
    assert source.path == path and all(name == "" or not name.startswith("flexmbs") for name in source.files)


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
    with pytest.raises(StudyError, match=f"the case is {told}, which the worker processes.*give the path of a case file"):
        source_of(wrong)


def test_missing_files_are_refused(case):
    loaded = load_case(case)
    os.unlink(case)
    with pytest.raises(StudyError, match="rod.py: the file of case 'rod' does not exist, and workers load"):
        source_of(loaded)
    with pytest.raises(StudyError, match="no such file"):
        source_of(case)
    with pytest.raises(StudyError, match="no case 'conecting_rod'"):
        source_of("conecting_rod")


def test_difference_names_the_first_lines():
    assert difference("a\nb\nc\n", "a\nB\nc\n").splitlines()[2:] == ["@@ -2 +2 @@", "-b", "+B"]
    assert difference("a\n", "a\n") == ""
    long = difference("", "\n".join(map(str, range(100)))).splitlines()
    assert len(long) == 21 and long[-1] == "..."


def test_installed_packages_are_not_sources(case, tmp_path, monkeypatch):
    folder = tmp_path / "base" / "lib" / "site-packages"  # of another environment than this one
    folder.mkdir(parents=True)
    (folder / "installed_of_test.py").write_text("LENGTH = 1.0\n")
    monkeypatch.syspath_prepend(folder)
    case.write_text(case.read_text().replace("from flexmbs", "import numpy as np, installed_of_test\nfrom flexmbs", 1))
    assert list(source_of(case).files) == [""]
