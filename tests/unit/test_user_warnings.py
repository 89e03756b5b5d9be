"""Warnings of flexmbs: their category, the line they point at, how often they come."""

import subprocess
import sys
import warnings

import pytest

import flexmbs as fm
from flexmbs.user_warnings import reported_by_caller, warn


def test_all_categories_derive_from_one():
    for category in (fm.MeshWarning, fm.BodyWarning, fm.BasisWarning, fm.MechanismWarning, fm.ResultWarning):
        assert issubclass(category, fm.FlexmbsWarning)
    assert issubclass(fm.FlexmbsWarning, UserWarning)


def test_each_message_comes_once_with_its_body():
    with pytest.warns(fm.BodyWarning) as said:
        warn(["a", "b", "a", "known", "body 'rod': c"], fm.BodyWarning, where="body 'rod'", known=("known",))
    assert [str(entry.message) for entry in said] == ["body 'rod': a", "body 'rod': b", "body 'rod': c"]


def test_a_report_of_the_caller_replaces_them_unless_it_fails():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with reported_by_caller():
            warn("shown in a table", fm.MeshWarning)
    with pytest.warns(fm.MeshWarning, match="lost otherwise"), pytest.raises(ZeroDivisionError), reported_by_caller():
        warn("lost otherwise", fm.MeshWarning)
        raise ZeroDivisionError


def test_they_point_at_the_script_and_are_not_repeated_in_a_loop(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import flexmbs as fm\n"
        "for _ in range(3):\n"
        "    fm.RigidBody(1.0, (1.0, 1.0, 5.0), allow_nonphysical=True)\n"
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert ran.stderr.count("MechanismWarning") == 1
    assert f"{script}:3: MechanismWarning" in ran.stderr
