"""What a case consists of, read without running it, and what cannot be one."""

import os
import types

import numpy as np
import pytest
from small_case import write_case

import flexmbs as fm
from flexmbs import CaseError
from flexmbs.case.case_source import difference, source_of
from flexmbs.case.cases import load_case


@pytest.fixture
def case(tmp_path):
    return write_case(tmp_path)


def test_digest_follows_the_content_only(case, tmp_path):
    first = source_of(case)
    assert first.path == case and first.text == case.read_text() and list(first.files) == [""]
    elsewhere = tmp_path / "elsewhere" / "other_name.py"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(case.read_bytes())
    assert source_of(elsewhere).digest == first.digest == source_of(load_case(case)).digest
    case.write_text(case.read_text() + "# a remark\n")
    assert source_of(case).digest != first.digest


def test_modules_beside_the_case_belong_to_it(tmp_path):
    path, helper = write_case(tmp_path, "helper_of_test"), tmp_path / "helper_of_test.py"
    first = source_of(path)
    assert sorted(first.files) == ["", helper.stem]  # neither flexmbs nor dataclasses
    assert source_of(path) == first  # the module is imported already
    helper.write_text("FACTOR = 3.0\n")
    changed = source_of(path)
    assert changed.digest != first.digest and changed.files[""] == first.files[""]


def test_modules_of_modules_and_of_packages_belong_to_it(case, tmp_path):
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
