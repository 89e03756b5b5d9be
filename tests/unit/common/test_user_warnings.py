"""Warnings of flexmbs: their category, the line they point at, how often they come."""

import subprocess
import sys

import pytest

import flexmbs as fm
from flexmbs.common.user_warnings import reported, shown, warn


def test_all_categories_derive_from_one():
    for category in (fm.MeshWarning, fm.BodyWarning, fm.BasisWarning, fm.MechanismWarning, fm.ResultWarning):
        assert issubclass(category, fm.FlexmbsWarning)
    assert issubclass(fm.FlexmbsWarning, UserWarning)


def test_each_message_comes_once_with_its_body():
    with pytest.warns(fm.BodyWarning) as said:
        warn(["a", "b", "a", "known", "body 'rod': c"], fm.BodyWarning, where="body 'rod'", known=("known",))
    assert [str(entry.message) for entry in said] == ["body 'rod': a", "body 'rod': b", "body 'rod': c"]


def test_what_a_report_shows_is_not_issued_as_well():
    with pytest.warns(fm.MeshWarning) as said, reported():
        warn("in a table", fm.MeshWarning, where="file.inp")
        warn("nowhere else", fm.MeshWarning)
        shown(["in a table"])
    assert [str(entry.message) for entry in said] == ["nowhere else"]


def test_a_report_that_fails_loses_no_warning():
    with pytest.warns(fm.MeshWarning, match="lost otherwise"), pytest.raises(ZeroDivisionError), reported():
        warn("lost otherwise", fm.MeshWarning)
        raise ZeroDivisionError


def test_they_point_at_the_script_and_are_not_repeated_in_a_loop(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import flexmbs as fm\nfor _ in range(3):\n    fm.RigidBody(1.0, (1.0, 1.0, 5.0), allow_nonphysical=True)\n")
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert ran.stderr.count("MechanismWarning") == 1
    assert f"{script}:3: MechanismWarning" in ran.stderr
