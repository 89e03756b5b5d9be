"""Result folders and doubtful names on the command line: exit codes, one line, nothing overwritten."""

import json
import os

import pytest
from click.testing import CliRunner
from command_line import flexmbs

from flexmbs import ResultFolder, load
from flexmbs.app.cli import main as cli
from flexmbs.app.cli.main import LINE, WORD, plain, short_paths
from flexmbs.case.cases import find_mesh

CASE = '''
"""A pendulum."""
from dataclasses import dataclass
import flexmbs as fm

@dataclass(frozen=True)
class Parameters:
    angle: float = fm.parameter(1.0, "rad", "angle at the start")
    t_end: float = 0.01

def build(p):
    system = fm.System(gravity=(0.0, -9.81, 0.0))
    rod = system.add(fm.RigidBody.rod(1.0, 1.0), name="rod")
    system.revolute(system.ground["origin"], rod["origin"], name="hinge", angle=p.angle)
    return system

def figures(result, p):
    return {"end": result["hinge.angle"][-1]}
'''


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The command line: exit code, output, error output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "swing.py").write_text(CASE)

    def command(*words):
        done = flexmbs(*words, check=False)
        return done.returncode, done.stdout, done.stderr

    return command


def test_default_folders_are_counted_and_named_ones_refused(run, tmp_path):
    case = ("run", "swing.py", "--no-view")
    for angle, name in ((1.0, "swing"), (0.9, "swing-2")):
        code, shown, _ = run(*case, "--set", f"angle={angle}")
        assert code == 0 and f"runs/{name}/summary.json" in shown
        assert json.loads((tmp_path / "runs" / name / "summary.json").read_text())["parameters"]["angle"] == angle
    code, _, error = run(*case, "--out", "runs/swing", "--set", "angle=0.5")
    assert code == 2 and "already holds a result" in error and "--force" in error and len(error.splitlines()) == 1
    assert load("runs/swing")["hinge.angle"][0] == 1.0
    assert run(*case, "--out", "runs/swing", "--set", "angle=0.5", "--force")[0] == 0
    assert load("runs/swing")["hinge.angle"][0] == 0.5
    code, shown, _ = run(*case, "--resume", "--set", "angle=0.9", "--set", "t_end=0.02")
    assert code == 0 and "runs/swing-2/summary.json" in shown and load("runs/swing-2").t[-1] == 0.02
    code, _, error = run(*case, "--force", "--resume")
    assert code == 2 and "give only one of them" in error


def test_a_picture_of_someone_else_is_not_replaced(run, tmp_path):
    """A plot of the case has the name of a file that is there: said before the run."""
    (tmp_path / "swing.py").write_text(CASE + 'PLOTS = {"Hinge angle": ["hinge.angle"]}\n')
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "hinge_angle.png").write_text("a picture")
    code, _, error = run("run", "swing.py", "--no-view", "--out", "mine")
    assert code == 2 and "hinge_angle.png exists" in error and "--force" in error
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["hinge_angle.png"]
    assert (tmp_path / "mine" / "hinge_angle.png").read_text() == "a picture"
    assert run("run", "swing.py", "--no-view", "--out", "mine", "--force")[0] == 0
    assert (tmp_path / "mine" / "hinge_angle.png").read_bytes()[:4] == b"\x89PNG"


def test_nothing_to_resume_is_said(run):
    code, _, error = run("run", "swing.py", "--no-view", "--out", "new", "--resume")
    assert code == 0 and error == "new holds no run to resume: starting from the beginning\n"
    code, _, error = run("run", "swing.py", "--no-view", "--out", "new", "--resume", "--set", "t_end=0.02")
    assert (code, error) == (0, "") and load("new").t[-1] == 0.02


def test_folder_in_use_is_named_with_its_holder(run):
    with ResultFolder("busy"):
        code, _, error = run("run", "swing.py", "--no-view", "--out", "busy", "--force")
    assert code == 2 and f"another run is writing to this folder (process {os.getpid()} on " in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize("out", ["", "file", "file/below"])
def test_folders_that_cannot_be(run, tmp_path, out):
    (tmp_path / "file").write_text("in the way")
    code, _, error = run("run", "swing.py", "--no-view", "--out", out)
    assert code == 2 and ("is not a folder name" in error or "is a file" in error or "a file stands" in error)
    assert sorted(os.listdir(tmp_path)) == ["file", "swing.py"]


def test_wrong_parameters_leave_no_folder(run, tmp_path):
    assert run("run", "swing.py", "--set", "length=1")[0] == 2
    assert sorted(os.listdir(tmp_path)) == ["swing.py"]


@pytest.mark.parametrize(
    "command", [("info", "{}.inp"), ("run", "{}.py"), ("modes", "{}.inp"), ("view", "{}.h5"), ("describe", "{}.py")]
)
def test_what_is_no_file_is_called_what_it_is(run, tmp_path, command):
    word, ending = command[0], command[1][2:]
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"loop{ending}").symlink_to(tmp_path / f"loop{ending}")
    for name, text in (("pipe", "is a named pipe (FIFO)"), ("loop", "a symbolic link that leads back to itself")):
        code, _, error = run(word, f"{name}{ending}", *(("--fix", "none") if word == "modes" else ()))
        assert code in (1, 2) and text in error and len(error.splitlines()) == 1, error
    code, _, error = run(word, "n" * 40_000 + ending)
    assert code in (1, 2) and "the name is too long" in error and len(error) < 3 * WORD


def test_texts_for_a_terminal():
    assert plain("a\x00b\x07\x1b[31m c\td\ne \x85\u202e") == "a\\x00b\\x07\\x1b[31m c\td\ne \\x85\\u202e"
    assert plain("Größe 5 µm, 日本") == "Größe 5 µm, 日本"
    assert len(plain("x" * 40_000)) <= WORD and "39840 characters" in plain("x" * 40_000)
    assert len(plain("x " * 40_000)) <= LINE


def test_paths_are_shown_as_short_as_they_can_be(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mesh = find_mesh("pendulum_beam.inp")
    assert short_paths(f"{mesh}: a set; {tmp_path / 'a' / 'b.inp'}:3: /elsewhere/c.inp") == (
        f"pendulum_beam.inp: a set; {os.path.join('a', 'b.inp')}:3: /elsewhere/c.inp"
    )


def test_control_characters_of_files_are_not_echoed(run, tmp_path):
    (tmp_path / "bell.inp").write_bytes(b"*NODE\n1, 0, 0, \x07\x1b[2J\x00\n")
    code, _, error = run("info", "bell.inp")
    assert code == 1 and not set(error) & set("\x00\x07\x1b"), repr(error)
    for arguments in (("--set", "angle=\x07\x1b"), ("--o\x07ut",), ("--set", "x" * 40_000)):
        code, _, error = run("run", "swing.py", *arguments)
        assert code == 2 and not set(error) & set("\x00\x07\x1b") and len(error) < 3000, repr(error)


def test_help_names_the_folders():
    shown = CliRunner().invoke(cli.cli, ["run", "--help"]).output
    assert "runs/CASE-2" in shown and "--force" in shown
