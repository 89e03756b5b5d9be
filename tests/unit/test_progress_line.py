"""Runs, stress recovery and animations show what they are doing on a terminal, and can be told not to."""

import sys

import numpy as np
import pytest
from terminals import Terminal

import flexmbs as fm
from flexmbs.common import progress as reporting


@pytest.fixture
def on_terminal(monkeypatch):
    """Call it in the test, where pytest has put its own stderr in place."""

    def begin():
        monkeypatch.setattr(sys, "stderr", Terminal())
        monkeypatch.setattr(reporting, "_MIN_DURATION", 0.0)
        return sys.stderr

    yield begin
    fm.show_progress(True)


def falling():
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody.point(2.0), name="ball")
    system.prismatic(system.ground["origin"], body["origin"], axis="y", name="drop")
    return system


def test_a_run_shows_its_time_and_the_line_goes_away(on_terminal):
    terminal = on_terminal()
    falling().simulate(1.0)
    assert "\r\x1b[2Ksimulating: t = 1 of 1 s, step " in terminal.text
    assert terminal.text.endswith("\r\x1b[2K")


def test_it_can_be_turned_off(on_terminal):
    terminal = on_terminal()
    falling().simulate(1.0, progress=False)
    assert "simulating" not in terminal.text
    fm.show_progress(False)
    falling().simulate(1.0)
    assert "simulating" not in terminal.text
    fm.show_progress(True)
    falling().simulate(1.0)
    assert "simulating" in terminal.text


def test_an_own_callback_takes_the_place_of_the_line(on_terminal):
    terminal = on_terminal()
    heard = []
    falling().simulate(1.0, progress=heard.append)
    assert heard[-1].time == 1.0 and "simulating" not in terminal.text


def test_nothing_is_written_into_pipes(capsys, monkeypatch):
    monkeypatch.setattr(reporting, "_MIN_DURATION", 0.0)
    falling().simulate(1.0, progress=True)
    assert capsys.readouterr() == ("", "")


def test_stress_recovery_counts_its_states(on_terminal, monkeypatch):
    terminal = on_terminal()
    import swinging_bar as bar

    result = fm.Result(bar.structure(), bar.trajectory())
    monkeypatch.setattr(reporting, "_MIN_INTERVAL", 0.0)
    result.von_mises("pendulum", np.linspace(0.0, 0.7, 70))
    assert "stress 32/70" in terminal.text
    terminal.text = ""
    result.largest_von_mises("pendulum")
    assert "largest stress 0/" in terminal.text


def test_long_lines_do_not_wrap(on_terminal, monkeypatch):
    terminal = on_terminal()
    monkeypatch.setenv("COLUMNS", "20")
    with reporting.on_progress():
        reporting.stage("x" * 50, long=True)
    assert terminal.text.startswith("\r\x1b[2K" + "x" * 19) and "x" * 20 not in terminal.text
