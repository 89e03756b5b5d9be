"""Every benchmark runs: with its smallest sizes, without looking at times."""

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from flexmbs.machine_code.load_objects import kernel_cache_folder

FOLDER = Path(__file__).parents[1] / "benchmarks"
PROGRAMS = {path.stem for path in FOLDER.glob("*.py") if '__name__ == "__main__"' in path.read_text()}


@pytest.fixture
def benchmark_of(monkeypatch):
    """A benchmark by name, to be run with the words of its command line."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def get(name):
        module = importlib.import_module(name)
        assert module.__file__ == str(FOLDER / f"{name}.py")

        def run(*words):
            monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, words)])
            module.main()

        return module, run

    return get


def alone(name, settings: str, *words: object) -> str:
    """What a benchmark prints in a process of its own, where kernels are numba functions (FLEXMBS_NUMBA_KERNELS)."""
    program = (
        f"import sys; sys.path[:0] = {[str(FOLDER), str(FOLDER.parent)]!r}; import {name} as module; "
        f"sys.argv = {[f'{name}.py', *map(str, words)]!r}; {settings}"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_program_is_tested_here():
    assert {name.removeprefix("test_") for name in globals() if name.startswith("test_")} >= PROGRAMS


def test_study_throughput(benchmark_of, tmp_path):
    module, _ = benchmark_of("study_throughput")
    found = module.throughput(2, False, "local", "figures", tmp_path / "study", 1, 1)
    assert 0.0 < found["efficiency_own"] < 1.0 and found["overhead_own"] > 0.0
    assert len(module.table_of("local, figures", found).splitlines()) == 13


def test_study_scale(benchmark_of, capsys):
    _, run = benchmark_of("study_scale")
    run("--runs", 20, "--stored", 20)
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 20 ")]
    assert len(rows) == 2


def test_start_times(benchmark_of, monkeypatch):
    module, _ = benchmark_of("start_times")
    monkeypatch.setattr(module, "COMMAND", [*module.COMMAND, "--set", "t_end=0.001"])
    measured = module.seconds_of

    def with_kernels(command, cache, folder):  # nothing is compiled here, also in an editable install
        if kernel_cache_folder().is_dir():
            shutil.copytree(kernel_cache_folder(), cache / kernel_cache_folder().name, dirs_exist_ok=True)
        return measured(command, cache, folder)

    monkeypatch.setattr(module, "seconds_of", with_kernels)
    found = module.start_times(later_runs=1, short_runs=1)
    assert 0.0 < found["load_seconds"] < found["first_steps_seconds"]
    assert 0.0 < found["import_seconds"] < found["help_seconds"]


@pytest.mark.slow
def test_step_costs():
    said = alone(
        "step_costs", "import json; module.CHAINS, module.BUDGET = {1: 0.02}, 0.0; print(); print(json.dumps(module.step_costs()))"
    )
    (row,) = json.loads(said.splitlines()[-1])
    assert row["bodies"] == 1 and row["steps"] > 0


@pytest.mark.slow
def test_step_profile():
    assert "all of the residual" in alone("step_profile", "module.RUNS, module.T_END = 1, 0.02; module.main()")


@pytest.mark.slow
def test_residual_costs():
    assert "| 4 | rtol 1e-4 |" in alone("residual_costs", "module.main()", "--modes", 4, "--rounds", 1)


def test_condition_numbers(benchmark_of, monkeypatch, capsys):
    module, run = benchmark_of("condition_numbers")
    monkeypatch.setattr(module, "STEPS", np.array([1e-2, 1e-4]))
    run()
    assert "h = 1e-04 s" in capsys.readouterr().out


def test_tolerances(benchmark_of, monkeypatch, capsys):
    module, run = benchmark_of("tolerances")
    monkeypatch.setattr(module, "TIGHTEST", {"radau": 4, "explicit": 4})
    monkeypatch.setattr(module, "MOTIONS", {"double pendulum": module.MOTIONS["double pendulum"]})
    monkeypatch.setattr(module, "OTHERS", {})
    run()
    assert "| double pendulum | explicit |" in capsys.readouterr().out


@pytest.mark.slow
def test_work_precision(tmp_path):
    said = alone(
        "work_precision",
        "from pathlib import Path; import work_precision_scan as scan, work_precision_systems as systems; "
        f"module.PICTURES = Path({str(tmp_path)!r}); scan.SHARPEST, scan.ROUND_SECONDS = 1e-3, 0.0; "
        "systems.TOLERANCES = [1e-2, 1e-3]; "
        "sys.argv += ['--only', next(name for name, case in systems.CASES.items() if case.ordinary)]; module.main()",
    )
    assert "other / ours" in said
    assert len(list(tmp_path.glob("*.png"))) == 2


def test_read_inp(benchmark_of, capsys):
    _, run = benchmark_of("read_inp")
    run("--nodes", 2000)
    assert "meshio / flexmbs" in capsys.readouterr().out


def test_reduce_sizes(benchmark_of, monkeypatch, capsys):
    pytest.importorskip("gmsh")
    module, run = benchmark_of("reduce_sizes")
    monkeypatch.setattr(module, "SIZES", {30: 12e-3})
    run("--sizes", 30, "--columns", "modes:scipy")
    assert "frequencies apart" in capsys.readouterr().out


def test_reduce_bodies(benchmark_of, monkeypatch, capsys):
    module, run = benchmark_of("reduce_bodies")
    small = {"modes": module.fm.ClampedFree("foot", count=2), "interfaces": {"foot": "FOOT", "end": "END"}}
    monkeypatch.setitem(module.ROWS, "88 beams", module.Row(module.ladder, small))
    run("--only", "88 beams", "--repeat", 1, "--profile")
    said = capsys.readouterr().out
    assert "| 88 beams | 82 | 2 | 3 | 3 |" in said and "tottime" in said


def test_many_bodies(benchmark_of, monkeypatch, capsys):
    for peer in ("exudyn", "mujoco"):
        pytest.importorskip(peer)
    module, run = benchmark_of("many_bodies")
    monkeypatch.setattr(module, "SIZES", (4,))
    monkeypatch.setattr(module, "FINEST", {"flexmbs": 1e-7, "Exudyn": 400, "MuJoCo": 200})
    monkeypatch.setattr(module, "FIRST_ORDER_STEPS", ())
    run("--largest", 10)
    assert "| loops | 4 | flexmbs, absolute | rtol" in capsys.readouterr().out


def test_many_contacts(benchmark_of, monkeypatch, capsys):
    for peer in ("exudyn", "mujoco"):
        pytest.importorskip(peer)
    module, run = benchmark_of("many_contacts")
    monkeypatch.setattr(module, "SIZES", (8,))
    run("--largest", 10, "--time", 1e-4, "--repeat", 1)
    assert "| 8 | flexmbs |" in capsys.readouterr().out


@pytest.mark.slow
def test_auto_choice(benchmark_of, capsys):
    _module, run = benchmark_of("auto_choice")
    run("--only", "four-bar, driven", "free body", "--rtol", "1e-3", "--repeat", "1")
    said = capsys.readouterr().out
    assert "| free body | 1e-03 | explicit |" in said and "2 runs; " in said


def test_compare_exudyn():
    pytest.importorskip("exudyn")
    settings = "module.TOLERANCES, module.RATIOS = [1e-4, 1e-6, 1e-8], [1.0]; module.main()"
    assert "(c) chain of 10 rigid links" in alone("compare_exudyn", settings, "--only", "c")


def test_engineers_bodies(benchmark_of, capsys):
    pytest.importorskip("exudyn")
    _, run = benchmark_of("engineers_bodies")
    run("--quick", "--only", "swing", "stiff")
    said = capsys.readouterr().out
    assert "| 2 modes | Exudyn, no numerical damping | 200 steps" in said and "| radau | 6 |" in said
    assert "failed" not in said and "not reached" not in said


@pytest.mark.slow
def test_engineers_bodies_all():
    pytest.importorskip("exudyn")
    said = alone("engineers_bodies", "module.main()", "--quick")
    assert "3000 rpm" in said and "A residual" in said and "failed" not in said


def test_impact_work_precision(benchmark_of, capsys):
    _, run = benchmark_of("impact_work_precision")
    run("--only", "table", "--repeat", 1, "--rtols", 1e-6, "--steps", 1e-2, 1e-3)
    rows = [line.split("|") for line in capsys.readouterr().out.splitlines() if line.startswith(("| located", "| fm."))]
    errors = [float(row[5]) for row in rows]
    assert len(errors) == 3 and errors[0] < 1e-6 < errors[2] < errors[1]
