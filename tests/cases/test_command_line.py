"""The commands as users type them."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from command_line import flexmbs

from flexmbs import load

BREAKING_CASE = '''
"""A force that stops being a number."""
import math
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    t_end: float = 1.0

def build(p):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    body = system.add(fm.RigidBody(mass=1.0, inertia=(1.0, 1.0, 1.0)), name="block")
    system.prismatic(system.ground.marker("rail"), body["origin"], axis="x", name="slide")
    system.force(body["origin"], (lambda t: 1.0 if t < 0.2 else math.nan, 0.0, 0.0))
    return system

def figures(result, p):
    return {"end": result["slide.displacement"][-1]}
'''


def test_cases_are_listed_with_their_titles():
    command = [sys.executable, "-m", "flexmbs.app.cli.main", "cases"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert "spin_up_beam" in shown and "A slender beam is spun up" in shown


def test_help_of_a_case_shows_units_and_defaults():
    shown = flexmbs("run", "spin_up_beam", "--help").stdout
    line = next(line for line in shown.splitlines() if line.strip().startswith("bending_rigidity"))
    assert line.split() == ["bending_rigidity", "14000", "N", "m2", "EI"]


def test_run_writes_summary_result_and_plots(tmp_path):
    out = tmp_path / "run"
    shown = flexmbs("run", "spin_up_beam", "--set", "t_end=1", "--set", "modes=1", "--out", out, "--no-view").stdout
    assert "tip_deflection_end" in shown
    summary = json.loads((out / "summary.json").read_text())
    assert summary["parameters"]["modes"] == 1 and summary["parameters"]["length"] == 10.0
    assert set(summary["figures"]) == {
        "tip_deflection_extreme",
        "tip_deflection_extreme_time",
        "tip_deflection_end",
        "tip_extension_end",
    }
    for name in (
        "steps_accepted",
        "steps_rejected",
        "residual_evaluations",
        "tangent_evaluations",
        "solve_seconds",
        "compile_seconds",
    ):
        assert name in summary["stats"]
    assert (out / "tip_deflection.png").is_file()
    assert not (out / "animation.mp4").exists()
    result = load(out)
    assert result.status == "finished"
    assert result["beam.tip.displacement.y"][-1] == summary["figures"]["tip_deflection_end"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "spin_up_beam", "--set", "lenght=1"], 2, "did you mean 'length'"),
        (["run", "spin_up_beam", "--set", "length=nan"], 2, "'length' [m] must be a finite number"),
        (["run", "no_such_case"], 2, "no case 'no_such_case'"),
        (["run", "flexible_pendulum_impact", "--set", "mesh=missing.inp"], 2, "no mesh file 'missing.inp'"),
        (["run", "flexible_pendulum_impact", "--set", "sphere_radius=-0.01"], 2, "radius"),
        (["run", "spin_up_beam", "--set", "modes=100000"], 2, "modes"),
        (["view", "no_such_folder"], 2, "no such file or folder"),
        (["run"], 2, "no case given"),
    ],
)
def test_errors_are_one_message_without_traceback(tmp_path, arguments, code, message):
    run = flexmbs(*arguments, check=False, cwd=tmp_path)
    assert run.returncode == code
    assert message in run.stderr


def test_killed_run_leaves_a_readable_result(tmp_path):
    endless = ["run", "flexible_pendulum_impact", "--no-view", "--set", "stop=false", "--set", "t_end=1e5"]
    command = [sys.executable, "-m", "flexmbs.app.cli.main", *endless, "--out", str(tmp_path)]
    with open(tmp_path / "shown", "w") as shown:
        process = subprocess.Popen(command, stdout=shown, stderr=shown)
    deadline = time.monotonic() + 200.0
    while not list(tmp_path.glob("chunk_*.npz")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    result = load(tmp_path)
    assert result.status.startswith("interrupted at t = ")
    assert len(result.t) > 10 and result.t[-1] > 0.0


def test_run_that_breaks_off_says_why_and_keeps_what_was_finished(tmp_path):
    case = tmp_path / "broken.py"
    case.write_text(BREAKING_CASE)
    run = flexmbs("run", case, "--no-view", "--out", tmp_path / "out", check=False)
    assert run.returncode == 1
    assert "broken stopped:" in run.stderr and "The finished steps are in" in run.stderr
    result = load(tmp_path / "out")
    assert result.status.startswith("stopped: ")
    # the force is no longer a number from 0.2 s on
    assert 0.1 < result.t[-1] <= 0.2
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    # figures are those of the finished part
    assert list(summary["figures"]) == ["end"] and summary["stats"]["status"] == result.status


def test_picture_of_a_result(tmp_path):
    flexmbs("run", "spin_up_beam", "--set", "t_end=0.5", "--set", "modes=1", "--out", tmp_path, "--no-view")
    picture = tmp_path / "end.png"
    run = flexmbs("view", tmp_path, "--save", picture, "--time", "0.3", "--color", "von_mises", check=False)
    if run.returncode == 1 and "apt-get install" in run.stderr:
        pytest.skip("no OpenGL on this machine")
    assert run.returncode == 0, run.stderr
    assert picture.stat().st_size > 5000


BRICK = """*NODE, NSET=ALL
1, 0, 0, 0
2, 1000, 0, 0
3, 1000, 200, 0
4, 0, 200, 0
5, 0, 0, 100
6, 1000, 0, 100
7, 1000, 200, 100
8, 0, 200, 100
*ELEMENT, TYPE=C3D8, ELSET=BODY
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=ROOT
1, 4, 5, 8
*SOLID SECTION, ELSET=BODY, MATERIAL=STEEL
*MATERIAL, NAME=STEEL
*ELASTIC
210000., 0.3
*DENSITY
7.85e-9
"""


@pytest.fixture
def brick(tmp_path):
    path = tmp_path / "brick.inp"
    path.write_text(BRICK)
    return path


def test_info_as_json_and_as_text(brick):
    summary = json.loads(flexmbs("info", brick, "--units", "mm-t-s", "--json").stdout)
    assert (summary["nodes"], summary["elements"], summary["elements_by_type"]) == (8, 1, {"hex8": 1})
    assert summary["mass"] == pytest.approx(7850.0 * 0.02)
    assert summary["center"] == pytest.approx([0.5, 0.1, 0.05])
    assert summary["bounding_box"] == [[0.0, 0.0, 0.0], [1.0, pytest.approx(0.2), pytest.approx(0.1)]]
    assert {"name": "ROOT", "kind": "node", "size": 4} in summary["sets"]
    assert summary["units"] == "mm-t-s" and summary["warnings"] == []
    text = flexmbs("info", brick, "--units", "0.001,1000,1").stdout
    assert "157 kg" in text and "ROOT" in text and "STEEL" in text


def test_info_without_units_names_the_likely_ones(brick):
    summary = json.loads(flexmbs("info", brick, "--json").stdout)
    assert summary["units"] == "mm-t-s"
    assert any("--units mm-t-s" in warning for warning in summary["warnings"])


def test_info_of_a_bad_file_is_one_line(brick):
    brick.write_text(BRICK.replace("210000.", "abc"))
    shown = flexmbs("info", brick, "--json", check=False)
    assert shown.returncode == 1 and shown.stdout == ""
    assert len(shown.stderr.splitlines()) == 1 and "brick.inp:17: *ELASTIC" in shown.stderr
    shown = flexmbs("info", brick, "--units", "cm", check=False)
    assert shown.returncode == 2 and "units 'cm' are unknown" in shown.stderr


def test_view_of_a_mesh_writes_a_picture(brick, tmp_path):
    shown = flexmbs("view", brick, "--save", tmp_path / "brick.png", "--units", "mm-t-s", check=False)
    if "no OpenGL library" in shown.stderr:
        pytest.skip(shown.stderr)
    assert shown.returncode == 0 and (tmp_path / "brick.png").stat().st_size > 10_000
    shown = flexmbs("view", brick, "--save", tmp_path / "b.png", "--set", "ROTO", check=False)
    assert "Did you mean ROOT?" in shown.stderr
    assert "no such mesh file" in flexmbs("view", tmp_path / "none.inp", check=False).stderr


def test_modes_of_a_mesh_file(brick):
    arguments = ("modes", brick, "--units", "mm-t-s", "--fix", "ROOT", "--count", "3")
    found = json.loads(flexmbs(*arguments, "--json").stdout)
    assert len(found["frequencies_hz"]) == 3 and found["frequencies_hz"][0] > 1.0
    (warning,) = found["warnings"]
    assert found["mass"] == pytest.approx(157.0) and "hex8 elements are the only ones through the thickness of a wall" in warning
    assert len(found["effective_mass"]) == 3 and found["seconds"] > 0.0
    lighter = json.loads(flexmbs(*arguments, "--json", "--material", "210e9,0.3,1962.5").stdout)
    assert lighter["frequencies_hz"] == pytest.approx([2.0 * f for f in found["frequencies_hz"]], rel=1e-9)
    refused = flexmbs(*arguments, "--material", "210000,0.3,7.85e-9", check=False)
    assert refused.returncode == 2 and refused.stdout == ""
    assert "look like MPa and t/mm3 (in SI: 2.1e+11 and 7850), but they are taken as Pa" in refused.stderr
    table = flexmbs("modes", brick, "--units", "mm-t-s", "--fix", "none").stdout
    assert "modes 1 to 6 at 0 Hz: motion without resistance" in table and table.count("\n    7 ") == 1 and "\n    6 " not in table
    assert "must be E,NU,RHO" in flexmbs(*arguments, "--material", "steel", check=False).stderr
    assert "not both" in flexmbs(*arguments, "--max-hz", "5", check=False).stderr


def test_modes_held_at_several_sets_and_more_modes_than_there_are(brick):
    brick.write_text(f"{BRICK}*NSET, NSET=CORNER\n7\n")
    held = [
        json.loads(flexmbs("modes", brick, "--units", "mm-t-s", "--json", *options).stdout)
        for options in (("--fix", "ROOT", "--fix", "CORNER"), ("--fix", "ROOT", "CORNER"), ("--fix", "ROOT"))
    ]
    assert held[0]["frequencies_hz"] == held[1]["frequencies_hz"] != held[2]["frequencies_hz"]
    assert all(0 < len(found["frequencies_hz"]) <= 10 for found in held)  # ten at most, when no number is given
    few = flexmbs("modes", brick, "--units", "mm-t-s", "--fix", "none", "--count", "24").stdout
    assert "24 elastic modes were requested; the mesh has " in few
    held = flexmbs("modes", brick, "--units", "mm-t-s", "--fix", "none", "--count", "25", check=False)
    assert "25 modes were requested, but there are only 24 degrees of freedom" in held.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--spin", "nan"], "--spin nan: must be a speed"),
        (["--spin", "inf"], "--spin inf: must be a speed"),
        (["--axis", "1,0,0"], "give it with --spin"),
        (["--spin", "1", "--axis", "0,0,0"], "not all zero"),
        (["--fix", "none", "--fix", "ROOT"], "--fix none means a free body"),
        (["--count", "0"], "must be at least 1"),
        (["--max-hz", "-10"], "above 0"),
    ],
)
def test_options_of_modes_are_checked_before_the_file_is_read(options, message):
    run = flexmbs("modes", "no_such_file.inp", *options, check=False)
    assert run.returncode == 2 and message in run.stderr


def test_modes_tell_what_the_reader_left_out(tmp_path):
    deck = tmp_path / "arm.bdf"
    deck.write_text(
        "MAT1,1,2.1+11,,0.3,7850.\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,0.,0.\n"
        "PBARL,5,1,,BAR\n,0.02,0.03\nCBAR,1,5,1,2,0.,1.,0.\nRJOINT,11,2,3,123456\nSPC1,1,123456,1,3\n"
    )
    found = json.loads(flexmbs("modes", deck, "--count", "1", "--json").stdout)
    assert any("left out: " in warning and "RJOINT is skipped (line 8" in warning for warning in found["warnings"])
    assert "RJOINT is skipped (line 8" in flexmbs("modes", deck, "--count", "1").stdout


def test_modes_of_a_spinning_beam(meshes):
    file = meshes / "pendulum_beam.inp"
    still, spun = (
        json.loads(flexmbs("modes", file, "--fix", "ROOT", "--json", "--count", "1", *spin).stdout)["frequencies_hz"][0]
        for spin in ((), ("--spin", "20", "--axis", "0,1,0"))
    )
    assert spun > still + 1.0
    assert "three numbers" in flexmbs("modes", file, "--spin", "1", "--axis", "y", check=False).stderr
    free = flexmbs("modes", file, "--fix", "none", "--spin", "100", check=False).stderr
    assert free == "error: nothing holds the body against the centrifugal load; hold it (--fix SET).\n"
