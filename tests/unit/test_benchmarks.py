"""Every benchmark runs: with its smallest sizes, without looking at times."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

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


def test_each_program_is_tested_here():
    assert {name.removeprefix("test_") for name in globals() if name.startswith("test_")} >= PROGRAMS


def test_start_times(benchmark_of, monkeypatch):
    from flexmbs.common.cache_folder import cache_folder

    module, _ = benchmark_of("start_times")
    monkeypatch.setattr(module, "COMMAND", [*module.COMMAND, "--set", "t_end=0.001"])
    found = module.start_times(cache_folder(), warm_runs=1, short_runs=1)
    assert 0.0 < found["warm_load_seconds"] < found["warm_first_steps_seconds"]


def test_step_costs(benchmark_of, monkeypatch):
    module, _ = benchmark_of("step_costs")
    monkeypatch.setattr(module, "CHAINS", {1: 0.02})
    monkeypatch.setattr(module, "BUDGET", 0.0)
    (row,) = module.step_costs()
    assert row["bodies"] == 1 and row["steps"] > 0


@pytest.mark.slow
def test_step_profile(benchmark_of, monkeypatch, capsys):
    module, run = benchmark_of("step_profile")
    monkeypatch.setattr(module, "RUNS", 1)
    monkeypatch.setattr(module, "T_END", 0.02)
    run()
    assert "all of the residual" in capsys.readouterr().out


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
def test_work_precision(benchmark_of, monkeypatch, tmp_path, capsys):
    module, run = benchmark_of("work_precision")
    scan, systems = importlib.import_module("work_precision_scan"), importlib.import_module("work_precision_systems")
    monkeypatch.setattr(module, "PICTURES", tmp_path)
    for name, value in (("SHARPEST", 1e-3), ("ROUND_SECONDS", 0.0)):
        monkeypatch.setattr(scan, name, value)
    monkeypatch.setattr(systems, "TOLERANCES", [1e-2, 1e-3])
    case = next(name for name, case in systems.CASES.items() if case.ordinary)
    run("--only", case)
    assert "other / ours" in capsys.readouterr().out
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


def test_many_bodies(benchmark_of, capsys):
    for peer in ("exudyn", "mujoco"):
        pytest.importorskip(peer)
    _, run = benchmark_of("many_bodies")
    run("--largest", 10)
    assert "| loops | flexmbs, absolute | 10 |" in capsys.readouterr().out


@pytest.mark.slow
def test_compare_exudyn(benchmark_of, monkeypatch, capsys):
    pytest.importorskip("exudyn")
    module, run = benchmark_of("compare_exudyn")
    for name, value in (("TOLERANCES", [1e-4, 1e-6, 1e-8]), ("RATIOS", [1.0])):
        monkeypatch.setattr(module, name, value)
    run("--only", "c")
    assert "(c) chain of 10 rigid links" in capsys.readouterr().out
