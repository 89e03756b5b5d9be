"""Runs beside each other: differences against closed forms, what runs do not share, wrong use."""

import dataclasses
import json

import numpy as np
import pytest
import swinging_bar as bar
from click.testing import CliRunner

import flexmbs as fm
from flexmbs.app.cli.results import compare_command
from flexmbs.result.comparison.compare import Comparison
from flexmbs.view.plots import ComparedHistory

SHIFT = 0.02  # of the second run's deflection, relative


def other(steps=97, t_end=0.7, **replaced):
    """Another run of the bar: other steps, a shorter time, a deflection that is larger by a part of it."""
    run = bar.trajectory(steps, t_end)
    scale = np.array([1.0, 1.0 + SHIFT])
    return fm.Result(bar.structure(), run.replaced(q=run.q * scale, v=run.v * scale, a=run.a * scale, **replaced))


@pytest.fixture(scope="module")
def first():
    return fm.Result(bar.structure(), bar.trajectory())


def test_differences_are_those_of_the_motions_whatever_the_steps(first):
    found = fm.compare(first, other(), names=["pendulum.bending y 1", "hinge.angle"])
    same, bending = found["hinge.angle"], found["pendulum.bending y 1"]
    assert same.largest < 1e-6
    exact = SHIFT * 0.03 * np.sin(bar.BEND * bending.times)
    assert bending.differences[0] == pytest.approx(exact, abs=2e-6)
    assert bending.largest == pytest.approx(SHIFT * 0.03, rel=1e-2)
    assert np.sin(bar.BEND * bending.largest_at) ** 2 == pytest.approx(1.0, abs=1e-2)
    assert bending.rms == pytest.approx(np.sqrt(np.trapezoid(exact**2, bending.times) / 0.7), rel=1e-2)
    assert bending.relative_rms == pytest.approx(bending.rms / 0.06, rel=1e-2)
    assert (bending.times[0], bending.times[-1]) == (0.0, 0.7)  # what both cover
    assert np.all(np.isin(other().t, bending.times)) and np.all(np.diff(bending.times) > 0.0)


def test_three_runs_in_one_figure(first, tmp_path):
    found = fm.compare(first, other(), other(61), names=["pendulum.bending y 1"], labels=["a", "b", "c"])
    figure = found.plot(title="Bending")
    upper, lower = figure.axes
    assert [line.get_label() for line in upper.lines] == ["a", "b", "c"]
    assert len(lower.lines) == 2 and lower.get_ylabel() == "Δ [µm]" and upper.get_ylabel() == "[mm]"
    drawn = lower.lines[0].get_ydata()
    assert drawn == pytest.approx(1e6 * found.histories[0].differences[0])
    assert lower.get_xlabel() == "time [s]" and figure.get_supxlabel() == "Δ: difference from a"
    assert upper.get_shared_x_axes().joined(upper, lower)
    assert found.plot(save=tmp_path / "c.svg") is None
    with pytest.raises(fm.FlexmbsError, match=r"c.svg exists: give force=True"):
        found.plot(save=tmp_path / "c.svg")


def test_differences_of_rounding_are_not_drawn_first():
    times = np.linspace(0.0, 1.0, 3)
    tiny = ComparedHistory("still.displacement", "m", times, np.array([[0.0, 1e-9, 0.0], [1e-9, 0.0, 1e-9]]))
    others = [ComparedHistory(f"h{k}", "m", times, np.array([[0.0, 1.0, 0.0], [0.0, 1.0 + 0.01 * k, 0.0]])) for k in range(1, 5)]
    shown = Comparison(("a", "b"), (), (), (), {}, (tiny, *others)).most_different
    assert [one.name for one in shown] == ["h1", "h2", "h3", "h4"]


def test_what_runs_do_not_share_is_named(first):
    structure = dataclasses.replace(bar.structure(), contacts=())
    run = bar.trajectory()
    none = {name: array[:, :0] for name, array in run.arrays().items() if name.startswith("contact_")}
    lone = fm.Result(structure, dataclasses.replace(run, **none))
    found = fm.compare(first, lone)
    assert "stop.force" in found.only_in["run 1"] and "run 2" not in found.only_in
    assert "stop.force" not in found.shared and "hinge.angle" in [history.name for history in found.histories]
    assert "Histories that not all runs have:\n  run 1: " in str(found)
    with pytest.raises(fm.FlexmbsError, match="run 2 has no history 'stop.force'"):
        fm.compare(first, lone, names=["stop.force"])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"names": ["hinge.angel"]}, "no run has a history 'hinge.angel'. Did you mean hinge.angle"),
        ({"start": 0.71}, "from 0.71 to 0.7 s is empty or outside of what all runs cover: 0 to 0.7 s"),
        ({"end": 0.75}, "outside of what all runs cover"),
        ({"labels": ["a", "a"]}, "labels must be 2 different names"),
    ],
)
def test_wrong_use(first, options, text):
    with pytest.raises(fm.FlexmbsError, match=text):
        fm.compare(first, other(), **options)


def test_one_run_and_runs_at_other_times(first):
    with pytest.raises(fm.FlexmbsError, match="1 run given; at least two"):
        fm.compare(first)
    late = other().resampled(np.linspace(0.5, 0.7, 9))
    early = first.resampled(np.linspace(0.0, 0.4, 9))
    with pytest.raises(fm.FlexmbsError, match="no time in common"):
        fm.compare(early, late)


@pytest.fixture
def folders(first, tmp_path):
    """Two result folders of a case."""
    for name, result, peak in (("a", first, 2000.0), ("b", other(), 2500.0)):
        result.save(tmp_path / name)
        summary = {
            "parameters": {"length": 1.0, "modes": 1 if name == "a" else 2},
            "figures": {"peak": peak, "hits": [0.1, 0.2], "zero": 0.0, "missing": None},
            "stats": {"steps_accepted": len(result.t), "integrator_reason": "none"},
        }
        (tmp_path / name / "summary.json").write_text(json.dumps(summary))
    return tmp_path


def test_tables_of_the_command_line(folders):
    done = CliRunner().invoke(
        compare_command, [str(folders / "a"), str(folders / "b"), "hinge.angle", "--save", str(folders / "c.png")]
    )
    assert done.exit_code == 0, done.output
    lines = {line.split()[0]: line.split()[1:] for line in done.output.splitlines() if line.startswith("  ")}
    assert lines["modes"] == ["1", "2", "1"] and "length" not in lines
    assert lines["peak"] == ["2000", "2500", "0.25"] and lines["zero"] == ["0", "0", "0"]
    assert lines["hits"] == ["[0.1,", "0.2]", "[0.1,", "0.2]"] and lines["missing"] == ["-", "-"]
    assert lines["steps_accepted"][:2] == ["151", "97"] and "integrator_reason" not in lines
    assert lines["hinge.angle"][0] == "[rad]" and float(lines["hinge.angle"][1]) < 1e-6
    assert (folders / "c.png").stat().st_size > 5000


def test_command_line_answers_wrong_use_without_a_traceback(folders):
    a, b = str(folders / "a"), str(folders / "b")
    (folders / "there.svg").write_text("mine")

    def told(*arguments):
        done = CliRunner().invoke(compare_command, list(arguments))
        assert done.exit_code != 0 and isinstance(done.exception, fm.FlexmbsError | SystemExit)
        return done.output + str(done.exception)

    assert "at least two result folders" in told(a)
    assert "no such folder" in told(a, "stop.force")
    assert "there.svg exists" in told(a, b, "--save", str(folders / "there.svg"))
    assert "must end in" in told(a, b, "--save", str(folders / "c.docx"))
    assert "Did you mean hinge.angle" in told(a, b, "hinge.angel")
    (folders / "b" / "summary.json").write_text("{")
    assert "summary.json: cannot be read" in told(a, b)
    assert (folders / "there.svg").read_text() == "mine"
