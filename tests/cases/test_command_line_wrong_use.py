"""Options that mean nothing here end with exit code 2 and one line: neither a traceback nor silence."""

import pytest
from click.testing import CliRunner
from command_line import flexmbs

from flexmbs import FlexmbsError, load, run_case
from flexmbs.app.cli.run import run_command
from flexmbs.app.cli.view import view_command

BEAM = """*NODE
1,0,0,0
2,1,0,0
*ELEMENT,TYPE=B31,ELSET=E
1,1,2
*NSET,NSET=ROOT
1
"""
GOOD = {"--section": "circle:0.01", "--material": "210e9,0.3,7850", "--fix": "ROOT"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run")
    run_case("flexible_four_bar", {"t_end": 0.02, "bending_modes": 1}, out=out)
    return out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"--section": "circle:-1"}, "circle needs its radius, above 0"),
        ({"--thickness": "0.001"}, "no shell elements that could take a thickness"),
        ({"--material": "210e9,0.7,7850"}, "nu = 0.7"),
        ({"--fix": "NOWHERE"}, "--fix: beam.inp: no node set NOWHERE"),
    ],
)
def test_wrong_properties_of_a_mesh_are_wrong_use(tmp_path, given, message):
    (tmp_path / "beam.inp").write_text(BEAM)
    words = [word for option in (GOOD | given).items() for word in option]
    done = flexmbs("modes", "beam.inp", *words, cwd=tmp_path, check=False)
    assert done.returncode == 2 and message in done.stderr and done.stdout == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--save", "a.png", "--fps", "5"], "--fps is for animations; a.png is a picture"),
        (["--save", "a.gif", "--time", "0.01"], "--time is for pictures; a.gif is not a .png"),
        (["--time", "0.01"], "--time is for files; give --save"),
        (["--save", "a.png", "--set", "ROOT"], "--set is for meshes"),
        (["--save", "a.png", "--units", "mm-t-s"], "--units is for meshes"),
        (["--save", "a.png", "--mode", "2"], "--mode is for reduced bodies"),
    ],
)
def test_options_of_another_kind_of_picture_are_not_left_out_in_silence(folder, words, message):
    outcome = CliRunner().invoke(view_command, [str(folder), *words])
    assert outcome.exit_code == 2 and message in " ".join(outcome.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["some.inp", "--mode", "2"], "--mode is for reduced bodies; some.inp is a mesh"),
        (["some.inp", "--scale", "2"], "--scale is for results and reduced bodies; some.inp is a mesh"),
        (["some.inp", "--color", "von_mises"], "--color is for results and reduced bodies; some.inp is a mesh"),
        (["some.h5", "--set", "ROOT"], "--set is for meshes; some.h5 is a reduced body"),
        (["some.h5", "--units", "mm-t-s"], "--units is for meshes; some.h5 is a reduced body"),
        (["some.h5", "--allow-outside-includes"], "--allow-outside-includes is for meshes; some.h5 is a reduced body"),
    ],
)
def test_options_of_another_kind_of_file_are_refused(words, message):
    outcome = CliRunner().invoke(view_command, words)
    assert outcome.exit_code == 2 and message in " ".join(outcome.output.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "0x0"], r"window_size is \(0, 0\); width and height must be whole numbers from 64 to 8192"),
        (["--size", "320.5x240"], r"window_size is \(320.5, 240\)"),
        (["--size", "nanx240"], r"window_size is \(nan, 240\)"),
        (["--size", "100000x100000"], "whole numbers from 64 to 8192"),
        (["--scale", "nan"], "scale is nan; it must be a finite number, the factor on the deformation"),
    ],
)
def test_impossible_sizes_and_scales_are_refused(folder, tmp_path, words, message):
    picture = tmp_path / "a.png"
    with pytest.raises(FlexmbsError, match=message):
        CliRunner().invoke(view_command, [str(folder), "--save", str(picture), *words], catch_exceptions=False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--store-every", "2", "--output-step", "0.1"], "store_every = 2 and output_step = 0.1 both say which steps"),
        (["--store-every", "0"], "store_every = 0 must be a whole number of steps"),
        (["--output-step", "100"], "output_step = 100 s is longer than the run"),
        (["--storage-limit", "much"], "--storage-limit 'much': expected a number of MB, or 'none'"),
        (["--storage-limit", "0.001"], "storage_limit = 1000 bytes holds"),
    ],
)
def test_storage_that_contradicts_itself_is_refused(tmp_path, words, message):
    folder = tmp_path / "run"
    with pytest.raises(FlexmbsError, match=message):
        CliRunner().invoke(run_command, ["heavy_top", "--no-view", "--out", str(folder), *words], catch_exceptions=False)
    assert not folder.exists()


def test_storage_options_reach_the_run(tmp_path):
    words = ["heavy_top", "--set", "t_end=0.05", "--no-view", "--out", str(tmp_path / "run"), "--output-step", "0.01"]
    assert CliRunner().invoke(run_command, words, catch_exceptions=False).exit_code == 0
    stored = load(tmp_path / "run")
    assert 6 <= len(stored.t) <= 8 and stored.stats["steps_accepted"] > 8
