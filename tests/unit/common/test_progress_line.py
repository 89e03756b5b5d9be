"""Runs, stress recovery and animations show what they are doing on a terminal, and can be told not to."""

import sys
import types

import numpy as np
import pytest
from terminals import REMOVED, Terminal

import flexmbs as fm
from flexmbs.analysis.run import simulate as simulate_module
from flexmbs.analysis.run.run_progress import RunClock
from flexmbs.common import progress as reporting


@pytest.fixture
def on_terminal(monkeypatch):
    """Call it in the test, where pytest has put its own stderr in place."""

    def begin():
        monkeypatch.setattr(sys, "stderr", Terminal())
        monkeypatch.setattr(reporting, "MIN_DURATION", 0.0)
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
    assert "simulating: t = 1 of 1 s, step " in terminal.text
    assert terminal.text.endswith(REMOVED)


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


def test_the_environment_turns_it_off(on_terminal, monkeypatch):
    terminal = on_terminal()
    monkeypatch.setenv("FLEXMBS_PROGRESS", "off")
    falling().simulate(1.0)
    assert terminal.text == ""
    monkeypatch.setenv("FLEXMBS_PROGRESS", "1")
    falling().simulate(1.0)
    assert "simulating" in terminal.text


def test_a_silent_run_tells_none_of_its_stages(on_terminal, monkeypatch):
    terminal = on_terminal()
    monkeypatch.setattr(simulate_module, "_prepared", told_before(simulate_module._prepared))
    falling().simulate(0.1, progress=False)
    assert terminal.text == ""
    falling().simulate(0.1)
    assert "waiting for something" in terminal.text


def told_before(function):
    """``function`` behind a stage that is expected to be long."""

    def told(*arguments):
        reporting.stage("waiting for something", long=True)
        return function(*arguments)

    return told


def test_an_own_callback_takes_the_place_of_the_line(on_terminal):
    terminal = on_terminal()
    heard = []
    falling().simulate(1.0, progress=heard.append)
    assert heard[-1].time == 1.0 and "simulating" not in terminal.text


def test_nothing_is_written_into_pipes(capsys, monkeypatch):
    monkeypatch.setattr(reporting, "MIN_DURATION", 0.0)
    falling().simulate(1.0, progress=True)
    assert capsys.readouterr() == ("", "")


def test_stress_recovery_counts_its_states(on_terminal, monkeypatch):
    terminal = on_terminal()
    import swinging_bar as bar

    result = fm.Result(bar.structure(), bar.trajectory())
    monkeypatch.setattr(reporting, "MIN_INTERVAL", 0.0)
    result.von_mises("pendulum", np.linspace(0.0, 0.7, 70))
    assert "stress 0/164" in terminal.text  # surface points, a block at a time
    terminal.text = ""
    result.largest_von_mises("pendulum")
    assert "largest stress 0/" in terminal.text


def test_long_lines_do_not_wrap(on_terminal, monkeypatch):
    terminal = on_terminal()
    monkeypatch.setenv("COLUMNS", "20")
    with reporting.on_progress():
        reporting.stage("x" * 50, long=True)
    drawn = [line for line in terminal.text.splitlines() if "x" in line]
    assert drawn and all(line.count("x") < 20 for line in drawn)


def test_what_is_left_follows_the_pace_of_the_last_seconds():
    clock = RunClock()
    assert np.isnan(clock.seconds_left(0.0, 10.0, now=100.0))
    for second in range(1, 31):  # 0.1 s of the run in a second
        left = clock.seconds_left(0.1 * second, 10.0, now=100.0 + second)
        assert left == pytest.approx(100.0 - second)
    for second in range(1, 41):  # then ten times slower
        left = clock.seconds_left(3.0 + 0.01 * second, 10.0, now=130.0 + second)
    assert left == pytest.approx(660.0)
    told = fm.Progress(time=3.4, t_end=10.0, step=1e-3, seconds_left=left)
    assert told.numbers == "t = 3.4 of 10 s, step 1.0e-03 s, 11 min left"
    assert told.fraction == pytest.approx(0.34)


@pytest.mark.parametrize(
    "seconds, text",
    [
        (0.1234, "0.123 s"),
        (42.3, "42 s"),
        (99.6, "1 min 40 s"),
        (200.0, "3 min 20 s"),
        (3000.0, "50 min"),
        (18600.0, "5 h 10 min"),
        (2e5, "2 d 7 h"),
    ],
)
def test_durations_for_people(seconds, text):
    assert reporting.duration_text(seconds) == text


class Shell:
    """IPython as a kernel has it: what it displays is kept."""

    kernel = "of a notebook"

    def __init__(self):
        self.shown = []

    def display(self, content, raw, display_id):
        assert raw and display_id
        self.shown.append(content)
        return self

    def update(self, content, raw):
        assert raw
        self.shown.append(content)


@pytest.fixture
def notebook(monkeypatch):
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=shell.display))
    return shell


def test_a_notebook_gets_an_output_that_is_updated_and_emptied(notebook, monkeypatch):
    monkeypatch.setattr(reporting, "MIN_DURATION", 0.0)
    monkeypatch.setattr(reporting, "NOTEBOOK_INTERVAL", 0.0)
    falling().simulate(1.0)
    assert any(shown["text/plain"].startswith("simulating: t = 1 of 1 s, step") for shown in notebook.shown)
    assert any('<progress value="1.0000" max="1">' in shown["text/html"] for shown in notebook.shown)
    assert notebook.shown[-1] == {"text/plain": "", "text/html": ""}


def test_short_work_leaves_a_notebook_as_it_is(notebook):
    falling().simulate(1e-3)
    assert notebook.shown == []


def test_ipython_on_a_pipe_is_no_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: object()))
    assert not reporting.in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not reporting.in_notebook()
    assert "IPython" not in sys.modules
