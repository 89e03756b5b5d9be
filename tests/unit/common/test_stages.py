"""A progress callback receives the stages of a long computation; without one nothing is shown."""

import sys

from terminals import REMOVED, Terminal

import flexmbs as fm
from flexmbs import on_progress
from flexmbs.common import progress
from flexmbs.common.progress import stage

STEEL = fm.Material("steel", 210e9, 0.3, 7850.0)


def reduced():
    mesh = fm.box_mesh((0.5, 0.04, 0.02), (12, 2, 2), STEEL)
    return fm.reduce(mesh, interfaces={"root": "ROOT"}, modes=fm.ClampedFree("root", count=3), cache=False)


def test_stages_of_a_reduction():
    heard = []
    with on_progress(heard.append):
        reduced()
    names = list(dict.fromkeys(stage.text.split(" (")[0] for stage in heard))
    order = ["assembling", "factorising", "modes", "second-order fields"]
    assert [name for name in names if name in order] == order
    assert [str(s) for s in heard if s.text == "second-order fields"][0] == "second-order fields 0/6"
    stage("afterwards")
    assert heard[-1].text != "afterwards"


def test_nothing_is_written_where_no_terminal_is(capsys):
    reduced()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_line_that_goes_away(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(progress, "MIN_DURATION", 0.0)
    reduced()
    assert " factorising (" in sys.stderr.text
    assert sys.stderr.text.endswith(REMOVED)


def test_short_work_is_not_worth_a_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with on_progress():
        stage("something short")
        assert sys.stderr.text == ""
        stage("something long", long=True)
        assert "something long" in sys.stderr.text and "something short" not in sys.stderr.text
    assert sys.stderr.text.endswith(REMOVED)


def test_the_own_listener_replaces_the_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    heard = []
    with on_progress(heard.append), on_progress():
        stage("inside", 1, 2, long=True)
    assert [str(s) for s in heard] == ["inside 1/2"] and sys.stderr.text == ""
