"""The commands of studies as users type them: what they print, exit codes, one line for each error."""

import importlib.util

import pytest
from click.testing import CliRunner
from short_studies import PENDULUM

import flexmbs as fm
from flexmbs.app.cli import main as cli
from flexmbs.app.cli.study import open_study


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a case, and a study of it that has run: two runs finished, one failed."""
    folder = tmp_path_factory.mktemp("studies")
    (folder / "pendulum.py").write_text(PENDULUM)
    (folder / "points.csv").write_text("length,what\n[m],\n0.5,\n0.7,raise\n0.9,\n")
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "empty.py").write_text("import flexmbs as fm\n")
    return folder


def flexmbs(*words):
    """Exit code and output of a command, errors as the program shows them."""
    found = CliRunner().invoke(cli.cli, [*map(str, words)], standalone_mode=False)
    error = found.exception
    if error is None:
        return found.return_value or 0, found.output
    if isinstance(error, fm.FlexmbsError):
        return cli.exit_code(error), f"{found.output}error: {error}"
    return getattr(error, "exit_code", 1), f"{found.output}error: {getattr(error, 'message', error)}"


def test_from_case_to_report(place, monkeypatch):
    monkeypatch.chdir(place)
    code, said = flexmbs("study", "new", "mine", "--case", "pendulum.py", "--sampler", "points.csv", "--keep", "figures")
    assert code == 0 and "3 runs of pendulum, varying length, what" in said and "wrote mine.py" in said
    script = (place / "mine.py").read_text()
    assert 'Path(__file__).parent / "pendulum.py"' in script and '# "angle": (0.45, 0.55),  # rad' in script
    with pytest.warns(fm.StudyWarning, match="1 of 3 runs failed"):
        code, said = flexmbs("study", "run", "mine.py", "--workers", 1)
    assert code == 1 and "3 of 3 runs: 3 computed, 1 failed" in said
    for study in ("mine.py", "mine", "mine/study.json"):
        assert "3 points: 2 finished, 1 failed" in flexmbs("study", "status", study)[1]
    assert "run 1 (length = 0.7, what = raise)\n    ValueError: this case does not" in flexmbs("study", "failed", "mine")[1]
    shown = flexmbs("study", "failed", "mine", "--run", 1)[1]
    assert "Traceback" in shown and "printed by the case" in shown and "length" in shown
    assert "length [m]" in flexmbs("study", "table", "mine", "--figure", "speed")[1]
    assert flexmbs("study", "export", "mine", "--to", "mine.csv")[0] == 0
    code, said = flexmbs("study", "export", "mine", "--to", "mine.csv")
    assert code == 2 and "mine.csv exists" in said
    assert flexmbs("study", "plot", "mine", "length", "speed")[1].strip().endswith("scatter.png")
    said = flexmbs("study", "report", "mine")[1]
    assert said.splitlines() == [f"wrote {(place / 'mine' / name).resolve()}" for name in ("report.html", "report.csv")]
    assert flexmbs("study", "report", "mine")[1] == said.replace("wrote", "replaced")
    (place / "notes.html").write_text("mine")
    code, said = flexmbs("study", "report", "mine", "--save", "notes.html")
    assert code == 2 and "notes.html" in said and "--force" in said and (place / "notes.html").read_text() == "mine"
    assert flexmbs("study", "pack", "mine")[1] == "packed 2 runs\n"
    assert "2 finished (2 of them packed)" in flexmbs("study", "status", "mine")[1]


def test_script_is_what_was_asked_for(place, monkeypatch):
    monkeypatch.chdir(place)
    code, _ = flexmbs(
        "study",
        "new",
        "varied.py",
        "--case",
        "flexible_pendulum_impact",
        "--vary",
        "length=0.9..1.1",
        "--vary",
        "youngs_modulus=1e9..1e11:log",
        "--vary",
        "bending_modes=1,2",
        "--vary",
        "density=normal(7850,50,low=7700)",
        "--set",
        "t_end=0.1",
        "--sampler",
        "sobol",
        "--runs",
        8,
        "--seed",
        3,
    )
    assert code == 0
    study = open_study(place / "varied.py")
    assert study.sampler == fm.Sobol(8) and study.seed == 3 and study.space.fixed == {"t_end": 0.1}
    assert str(study.space).splitlines() == [
        "length [m]: 0.9 to 1.1",
        "youngs_modulus [Pa]: 1e+09 to 1e+11, logarithmic",
        "bending_modes: 1, 2",
        "density [kg/m3]: norm(7850, 50, low=7700)",
    ]
    spec = importlib.util.spec_from_file_location("varied", place / "varied.py")
    assert spec is not None  # plain Python
    assert not (place / "varied").exists()  # nothing is written before it is run


REFUSED = {
    "no study": (["status", "nowhere"], 2, "no study here (no study.json)"),
    "no script": (["run", "nowhere.py"], 2, "does not exist; expected the script of a study"),
    "script that fails": (["run", "broken.py"], 2, "broken.py: the script raised ZeroDivisionError"),
    "script without a study": (["run", "empty.py"], 2, "has no variable 'study'"),
    "shard": (["run", "mine.py", "--shard", "5/4"], 2, "must be NUMBER/COUNT with 1 <= NUMBER <= COUNT"),
    "limit of a report": (["report", "mine.py", "--limit", "speed"], 2, "write what is required"),
    "negative limit": (["run", "empty.py", "--wall-time", "-1"], 2, "the limit wall_time (s) of a run must be above 0"),
    "script exists": (["new", "empty.py", "--case", "pendulum.py", "--vary", "length=1..2"], 2, "empty.py exists"),
    "unknown parameter": (["new", "x.py", "--case", "pendulum.py", "--vary", "lenth=1..2"], 2, "length"),
    "no values": (["new", "x.py", "--case", "pendulum.py", "--vary", "length"], 2, "write name=values, for example"),
    "inverted range": (["new", "x.py", "--case", "pendulum.py", "--vary", "length=2..1"], 2, "smaller number first"),
    "too large a grid": (
        [
            "new",
            "x.py",
            "--case",
            "pendulum.py",
            "--vary",
            "length=1..2",
            "--vary",
            "angle=0..1",
            "--sampler",
            "grid",
            "--levels",
            "400",
        ],
        2,
        "400 x 400 = 160000 points",
    ),
    "unknown case": (["new", "x.py", "--case", "spin_up_beams"], 2, "did you mean 'spin_up_beam'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, place, monkeypatch):
    words, code, text = REFUSED[name]
    monkeypatch.chdir(place)
    found, said = flexmbs("study", *words)
    assert found == code and text in said, said
    assert "Traceback" not in said and not (place / "x.py").exists()
