"""Every documented command: it exists with these options, and it runs, on its smallest size."""

import importlib.util
import re
import shlex
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from documented_commands import ROOT, documented
from short_studies import PENDULUM

import flexmbs as fm
from flexmbs.app.cli.main import cli
from flexmbs.app.cli.study import open_study
from flexmbs.view.opengl import RenderingUnavailable, prepare_offscreen

README = (ROOT / "README.md").read_text(encoding="utf-8")
FLEXMBS, PYTHON, PYTEST = documented("flexmbs"), documented("python"), documented("pytest")
(NEW_STUDY,) = (command for command in FLEXMBS if command.startswith("flexmbs study new rod.py"))
SHORT = ["--set", "t_end=0.001", "--no-view"]
# What is added to a documented command to run it on its smallest size.  Not run are commands that only name an option
# or open a window, and synopses with METAVARS.
MORE = {
    "flexmbs cases": [],
    "flexmbs compare runs/ln runs/hc wall.force wall.gap --save comparison.svg": ["--force"],
    "flexmbs describe n_four_bar --set loops=3 --save topology.png": ["--set", "loops=1"],
    "flexmbs info housing.bdf --units mm-t-s": [],
    "flexmbs info meshes/gmsh_conrod.msh --units mm-t-s": [],
    "flexmbs reduce conrod.inp --interface big=NBIG --interface small=NSMALL --modes 20 -o conrod.h5": ["--modes", "1"],
    "flexmbs run bar_on_stop --out runs/first": SHORT,
    "flexmbs run damped_impact --out runs/ln": ["--no-view", "--force"],
    "flexmbs run damped_impact --set law=hunt_crossley --out runs/hc": ["--no-view", "--force"],
    "flexmbs run flexible_pendulum_impact --no-view": SHORT,
    "flexmbs run flexible_pendulum_impact --no-view --set geometric_stiffness=false --set rtol=1e-8": SHORT,
    "flexmbs run flexible_pendulum_impact --set bending_modes=2": SHORT,
    "flexmbs run my_case.py": ["--set", "t_end=0.1", "--no-view"],
    "flexmbs run sphere_on_beam --set modes=10 --set patch=massless": ["--set", "t_end=0.0002", "--no-view"],
    "flexmbs run spin_up_beam --set geometric_stiffness=false --no-view --out runs/soft": ["--set", "t_end=0.1"],
    "flexmbs run panel_lock --help": [],
    "flexmbs run swing.py --help": [],
    "flexmbs run swing.py --set ball_mass=0.2": SHORT,
    NEW_STUDY: [],
    "flexmbs study new": ["--help"],
    "flexmbs study run rod.py": ["--workers", "1"],
    "flexmbs study run rod.py --shard $SLURM_ARRAY_TASK_ID/40": ["--shard", "1/40", "--workers", "1"],
    'flexmbs study report rod.py --limit "peak_stress<60e6"': ["--limit", "speed>-10"],
    "flexmbs study report rod.py --save rod.html --force": [],
    "flexmbs study table rod.py": [],
    "flexmbs study export rod.py --to runs.csv --force": [],
    "flexmbs study plot rod.py --kind histogram": [],
    "flexmbs verify": ["hertz_impact"],
    "flexmbs verify --json": ["hertz_impact"],
    "flexmbs verify --list": [],
    "flexmbs verify pendulum nafems": ["--list"],
    "flexmbs view conrod.h5 --save conrod.html": [],
    "flexmbs view housing.bdf --save housing.html": [],
    "flexmbs view conrod.h5": [],
    "flexmbs view conrod.h5 --mode 3 --save mode3.png": ["--mode", "1"],
    "flexmbs view housing.bdf": [],
}
LONG = {"flexmbs reduce conrod.inp --interface big=NBIG --interface small=NSMALL --modes 20 -o conrod.h5"}
REFUSED = {"flexmbs run composite_inertia"}  # its page says why
WINDOWS = {"flexmbs view first_run"}
NAMED_ONLY = re.compile(r"flexmbs (\w+)( --[a-z-]+)?")  # "flexmbs modes --spin" in a sentence
METAVAR = re.compile(r"\b(NAME|CASE|DIR\d?|FILE|BODY\.h5|FILE\.png|STUDY|COMMAND|SCRIPT\.py|ADDRESS)\b|--dask tcp")


def is_run(command: str) -> bool:
    return command in MORE or not (METAVAR.search(command) or NAMED_ONLY.fullmatch(command) or command in WINDOWS | REFUSED)


def unknown(command: str) -> set[str]:
    """Subcommands and options of a command of flexmbs that do not exist."""
    found = cli
    for name in command.split()[1:]:
        if not isinstance(found, click.Group) or name.isupper():
            break
        found = found.get_command(click.Context(found), name)
        if found is None:
            return {name}
    known = {option for parameter in found.params for option in parameter.opts}
    return set(re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)", command)) - known - {"--help", "-h"}


def test_options_of_flexmbs_exist():
    assert {command: wrong for command in FLEXMBS if (wrong := unknown(command))} == {}


def test_files_and_options_of_programs_exist():
    missing = []
    for command in (*PYTHON, *PYTEST):
        words = command.split()
        files = [word for word in words if re.fullmatch(r"[\w./-]+\.py|(?:tests|docs)/[\w./-]+", word)]
        missing += [f"{command}: {file}" for file in files if not (ROOT / file).exists()]
        if words[0] == "python" and words[1] != "-m":
            source = (ROOT / words[1]).read_text(encoding="utf-8")
            options = [word for word in words[2:] if word.startswith("--")]
            missing += [f"{command}: {word}" for word in options if f'"{word}"' not in source]
    assert missing == []


ELSEWHERE = ("tests/benchmarks/", "tests/unit/")  # run by tests of their own
SCRIPTS = sorted({command.split()[1] for command in PYTHON if command.split()[1] != "-m"})


@pytest.mark.parametrize("path", [path for path in SCRIPTS if not path.startswith(("tests/benchmarks/", "tests/unit/"))])
def test_scripts_load(path, monkeypatch):
    """Imports and definitions. Programs that write the tables of pages take minutes, and would overwrite them."""
    file = ROOT / path
    monkeypatch.syspath_prepend(str(file.parent))
    spec = importlib.util.spec_from_file_location(f"documented_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        if error.name.split(".")[0] in ("flexmbs", "tests"):
            raise
        pytest.skip(f"needs {error.name}")
    assert 'if __name__ == "__main__":' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("python tests/mutations.py run all 10000", "run unv 3"),
        pytest.param("python tests/mutations.py run all 10000", "run all 20", marks=pytest.mark.slow),
        pytest.param("python tests/body_mutations.py run h5 1000", "run h5 20", marks=pytest.mark.slow),
    ],
)
def test_programs_that_damage_files_run_on_their_smallest_size(command, words):
    assert command in PYTHON
    program = ROOT / command.split()[1]
    run = subprocess.run([sys.executable, program, *words.split()], capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr
    assert "Error" in run.stdout  # damaged files are refused


@pytest.fixture(scope="module")
def place(tmp_path_factory, meshes):
    """A folder with the files that the commands name."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "meshes").symlink_to(meshes)
    (folder / "conrod.inp").symlink_to(meshes / "conrod.inp")
    (folder / "swing.py").write_text(re.search(r"^```python\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)[1])
    (folder / "my_case.py").write_text((ROOT / "cases" / "spin_up_beam.py").read_text())
    (folder / "housing.bdf").write_text(
        "GRID,1,,0.,0.,0.\nGRID,2,,10.,0.,0.\nGRID,3,,0.,10.,0.\nGRID,4,,0.,0.,10.\nCTETRA,1,1,1,2,3,4\n"
        "PSOLID,1,1\nMAT1,1,2.1+5,,.3,7.85-9\n"
    )
    return folder


def write_study(script):
    """A study of two short runs, which have been computed."""
    script.with_name("pendulum.py").write_text(PENDULUM.replace('"steps":', '"peak_stress":'))
    script.write_text(
        "from pathlib import Path\nimport flexmbs as fm\nstudy = fm.Study(Path(__file__).parent / 'pendulum.py', "
        "{'length': (0.5, 1.0)}, fm.Sobol(2), folder=Path(__file__).with_suffix(''), keep='figures')\n"
    )
    if not script.with_suffix("").exists():
        open_study(script).run(workers=1, progress=False)


@pytest.mark.parametrize(
    "command", [pytest.param(command, marks=pytest.mark.slow if command in LONG else ()) for command in FLEXMBS if is_run(command)]
)
def test_command_runs_on_its_smallest_size(command, place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    if command.startswith("flexmbs view"):
        try:
            prepare_offscreen()
        except RenderingUnavailable as error:
            pytest.skip(str(error))
    if command.startswith("flexmbs view") and not (place / "conrod.h5").exists():
        beam = fm.line_mesh(1.0, 4, *fm.section_from_rigidities(1e6, 1.0, 1.0, 1.0, 1.0))
        body = fm.reduce(beam, interfaces={"root": "ROOT"}, modes=fm.ClampedFree("root", bending=(1, 1)))
        fm.save_body(body, "conrod.h5")
    if command.startswith("flexmbs study"):
        (place / "rod.py").unlink(missing_ok=True)
        if command != NEW_STUDY:
            write_study(place / "rod.py")
    if command.startswith("flexmbs compare"):
        for folder in ("runs/ln", "runs/hc"):
            CliRunner().invoke(cli, ["run", "damped_impact", "--no-view", "--force", "--out", folder])
    result = CliRunner().invoke(cli, [*shlex.split(command)[1:], *MORE[command]], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.output


def test_every_command_of_flexmbs_is_documented():
    shown = {command.split()[1] for command in FLEXMBS}
    assert set(cli.list_commands(click.Context(cli))) <= shown
