"""``flexmbs view`` of a result: as its case says, and with what ``Result.animate`` takes."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from flexmbs import CaseError, FlexmbsError, load, load_case, run_case
from flexmbs.app.cli.run import view_values
from flexmbs.app.cli.view import view_command
from flexmbs.result.run_summary import read_summary


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    run_case("flexible_four_bar", {"t_end": 0.02, "bending_modes": 1}, out=out)
    return out


@pytest.fixture
def asked(monkeypatch):
    """What ``flexmbs view`` asks of films and pictures."""
    options = {}
    monkeypatch.setattr("flexmbs.result.picture_methods.animate", lambda result, path, **given: options.update(given) or path)
    return options


def view(*words):
    return CliRunner().invoke(view_command, [str(word) for word in words], standalone_mode=True)


def test_summary_keeps_how_the_case_is_shown(folder):
    case = load_case("flexible_four_bar")
    assert read_summary(folder).view == {"title": case.title, "color": "von_mises", "scale": 10.0}
    assert json.loads((folder / "summary.json").read_text())["case"] == "flexible_four_bar"


def test_folder_is_shown_as_its_case_says_unless_told_otherwise(folder, asked):
    assert view(folder, "--save", "a.mp4").exit_code == 0
    assert asked == read_summary(folder).view
    asked.clear()
    words = "--scale 3 --start 0.005 --end 0.01 --duration 2 --fps 10 --color-range 0,1e6 --camera -x"
    more = ("--zoom", 1.5, "--title", "T", "--size", "320x240")
    assert view(folder, "--save", "a.mp4", *words.split(), *more).exit_code == 0
    assert asked == {
        "color": "von_mises",
        "scale": 3.0,
        "start": 0.005,
        "end": 0.01,
        "duration": 2.0,
        "frames_per_second": 10,
        "color_range": (0.0, 1e6),
        "camera": "-x",
        "zoom": 1.5,
        "title": "T",
        "window_size": (320, 240),
    }
    asked.clear()
    view(folder, "--save", "a.png", "--camera", "1,0,0.5", "--time", "0.01")
    assert asked["camera"] == (1.0, 0.0, 0.5) and asked["time"] == 0.01
    asked.clear()
    view(folder, "--save", "a.png", "--time", "0", "--scale", "0")
    assert asked["time"] == asked["scale"] == 0.0  # zeros are values, too


def test_python_shows_a_run_as_its_case_says(folder, monkeypatch):
    given = {}
    monkeypatch.setattr("flexmbs.result.picture_methods.animate", lambda result, path, **options: given.update(options))
    result = load(folder)
    result.animate("a.png", scale=2.0)
    assert given == read_summary(folder).view | {"scale": 2.0}
    outcome = run_case(load_case("flexible_four_bar").viewed(camera="x"), {"t_end": 0.002, "bending_modes": 1})
    assert outcome.result.view == read_summary(folder).view | {"camera": "x"} == outcome.view


def test_new_options(folder, asked):
    words = "--camera-position 0,0,3 --camera-target 0.1,0,0 --follow crank --background navy --color-map viridis"
    assert view(folder, "--save", "a.mp4", *words.split(), "--hide", "joints", "--hide", "floor").exit_code == 0
    assert asked == read_summary(folder).view | {
        "camera_position": (0.0, 0.0, 3.0),
        "camera_target": (0.1, 0.0, 0.0),
        "follow": "crank",
        "background": "navy",
        "color_map": "viridis",
        "hide": ("joints", "floor"),
    }
    assert view_values(["zoom=2", "camera=0,0,1", "window_size=640x480", "hide=floor,axes", "slow_motion=true"]) == {
        "zoom": 2,
        "camera": (0, 0, 1),
        "window_size": (640, 480),
        "hide": ("floor", "axes"),
        "slow_motion": True,
    }
    with pytest.raises(CaseError, match="view: no option 'colour'. Did you mean color?"):
        load_case("flexible_four_bar").viewed(colour="body")


def test_existing_files_are_kept_unless_told(folder, tmp_path):
    (tmp_path / "a.png").write_text("mine")
    outcome = CliRunner().invoke(view_command, [str(folder), "--save", str(tmp_path / "a.png")])
    assert "a.png exists: give force=True (--force)" in str(outcome.exception)


def test_options_of_contacts(folder, asked):
    words = "--slow-motion auto --force-scale sqrt --stick-speed 0.01"
    assert view(folder, "--save", "a.mp4", *words.split()).exit_code == 0
    assert asked == read_summary(folder).view | {"slow_motion": True, "force_scale": "sqrt", "stick_speed": 0.01}
    view(folder, "--save", "a.gif", "--slow-motion", "50")
    assert asked["slow_motion"] == 50.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--slow-motion", "auto"], "--slow-motion is for animations; a.png is a picture"),
        (["--slow-motion", "much"], "--slow-motion much: must be 'auto' or a number above 1"),
        (["--force-scale", "cubic"], "'cubic' is not one of 'linear', 'sqrt', 'log'"),
        (["--color-range", "1"], "must be 2 numbers separated by ','"),
        (["--size", "320"], "must be 2 numbers separated by 'x'"),
        (["--camera", "1,2"], "must be 3 numbers separated by ','"),
    ],
)
def test_wrong_options_say_what_is_right(folder, words, message):
    outcome = view(folder, "--save", "a.png", *words)
    assert outcome.exit_code == 2 and message in outcome.output


def test_options_of_results_are_refused_for_meshes(tmp_path):
    outcome = view("some.inp", "--save", tmp_path / "a.png", "--fps", "10")
    assert outcome.exit_code == 2 and "--fps is for results; some.inp is a mesh" in outcome.output


def test_damaged_summary_is_named(tmp_path):
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(FlexmbsError, match=r"summary\.json: cannot be read"):
        read_summary(tmp_path)
    assert read_summary(tmp_path / "nowhere").view == {}


def test_wrong_pictures_are_refused_before_work(folder):
    from flexmbs.view import opengl as gl
    from flexmbs.view.colours import checked_range

    for bounds in ((1.0, 0.0), (0.0, np.nan), 3.0, ("a", "b")):
        with pytest.raises(FlexmbsError, match="color_range is .*must be two numbers"):
            checked_range(bounds)
    import flexmbs as fm

    result = fm.load(folder)
    for options, message in (
        ({"start": 0.5}, "start 0.5 s is outside the run"),
        ({"start": 0.01, "end": 0.005}, "start 0.01 s is after end 0.005 s"),
        ({"duration": 0.0}, "must be positive"),
    ):
        with pytest.raises(FlexmbsError, match=message):
            result.animate("a.mp4", **options)
    try:
        gl.prepare_offscreen()
    except gl.RenderingUnavailable as error:
        pytest.skip(str(error))
    for options, message in (({"camera": "up"}, "unknown camera 'up'"), ({"zoom": -1.0}, "zoom is -1.0")):
        with pytest.raises(FlexmbsError, match=message):
            result.animate("a.png", **options)
