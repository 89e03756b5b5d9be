"""Runs that are killed or interrupted end with the digits of an uninterrupted run; their memory does not grow.

Every comparison is exact: the state between two steps holds all that the next step depends on, so nothing may differ,
wherever the run was cut.
"""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import long_runs
import numpy as np
import pytest
from long_runs import same

import flexmbs as fm

SCRIPT = Path(long_runs.__file__)
RUNS = [("impact", 0.15), ("four_bar", 3.0)]  # with a contact; with a loop and a ball joint; s
CUTS = [(signal.SIGKILL, RUNS[0]), (signal.SIGINT, RUNS[1])]  # one of each in every run of the tests


def started(name, folder, t_end, *more):
    return subprocess.Popen([sys.executable, str(SCRIPT), name, str(folder), str(t_end), *more])


def cut(name, folder, t_end, what, seconds):
    """Send a signal at a moment when some steps are stored; whether the run was still going on."""
    process = started(name, folder, t_end)
    begin = time.perf_counter()
    while not (folder / "state.npz").exists() and process.poll() is None:
        assert time.perf_counter() - begin < 300.0
        time.sleep(0.01)
    time.sleep(seconds)
    process.send_signal(what)
    return process.wait(timeout=300) != 0


@pytest.mark.parametrize(
    ("what", "name", "t_end"),
    [
        pytest.param(what, *run, id=f"{run[0]}-{label}", marks=[] if (what, run) in CUTS else [pytest.mark.slow])
        for what, label in ((signal.SIGKILL, "killed"), (signal.SIGINT, "interrupted"))
        for run in RUNS
    ],
)
def test_cut_run_ends_with_the_same_digits(name, t_end, what, tmp_path):
    whole = long_runs.run(name, t_end, tmp_path / "whole")
    folder = tmp_path / "cut"
    while_running = cut(name, folder, t_end, what, random.uniform(0.0, 0.7 * whole.stats["solve_seconds"]))
    part = fm.load(folder)
    assert part.status.startswith("interrupted at" if what == signal.SIGKILL else "stopped: interrupted")
    # where other work slowed the whole run more than the cut one, only the end of a run may be left to cut
    assert while_running and 0.0 < part.t[-1] <= t_end
    assert 0.0 < fm.load_state(folder).t <= part.t[-1]
    resumed = long_runs.run(name, t_end, folder, resume=True)
    assert resumed.status == "finished"
    same(whole, resumed)
    assert not list(folder.glob("chunk_*")) and not list(folder.glob("*.part"))


def test_what_is_stored_is_read_while_the_run_goes_on(tmp_path):
    """By another process: the lock keeps out only those who write."""
    folder, ends = tmp_path / "run", []
    process = started("pendulum", folder, 1000.0)
    try:
        begin = time.perf_counter()
        while len(ends) < 3 or ends[-1] < 3.0:  # a whole swing
            assert process.poll() is None and time.perf_counter() - begin < 300.0
            time.sleep(0.05)
            if (folder / "state.npz").exists():
                sofar = fm.load(folder)
                ends += [sofar.t[-1]] if not ends or sofar.t[-1] > ends[-1] else []
        assert sofar.status == f"interrupted at t = {ends[-1]:.6g} s" and sofar.stats["steps_accepted"] >= len(sofar.t) - 1
        angle = sofar["hinge.angle"]
        assert len(angle) == len(sofar.t) and [angle.min(), angle.max()] == pytest.approx([-1.0 - np.pi, 1.0], abs=1e-2)
        with pytest.raises(fm.ResultFolderError, match="another run is writing to this folder"):
            long_runs.run("pendulum", 1.0, folder, force=True)
        assert process.poll() is None
    finally:
        process.kill()
        process.wait(timeout=300)


@pytest.mark.slow
def test_run_cut_again_and_again(tmp_path):
    """Also between the leg that has been joined and the chunks that came after it."""
    name, t_end = RUNS[0]
    for what in (signal.SIGINT, signal.SIGKILL, signal.SIGKILL):
        cut(name, tmp_path / "cut", t_end, what, random.uniform(0.0, 0.2))
    resumed = long_runs.run(name, t_end, tmp_path / "cut", resume=True)
    same(long_runs.run(name, t_end), resumed)


@pytest.mark.parametrize(
    ("name", "integrator"),
    [(name, method) for name in ("four_bar", "impact") for method in ("radau", "bdf", "generalised_alpha")]
    + [("pendulum", "explicit")],
)
def test_every_integrator_goes_on_with_its_memory(name, integrator, tmp_path):
    """Interrupted where the history of a multistep method is full."""
    t_end = {"four_bar": 0.1, "impact": 0.02, "pendulum": 0.1}[name]
    whole = long_runs.run(name, t_end, tmp_path / "whole", integrator=integrator)

    def interrupt(progress):
        if progress.time > 0.4 * t_end:
            raise KeyboardInterrupt

    folder = tmp_path / "cut"
    with pytest.raises(KeyboardInterrupt):
        long_runs.run(name, t_end, folder, integrator=integrator, progress=interrupt)
    assert 0.0 < fm.load_state(folder).t < t_end
    same(whole, long_runs.run(name, t_end, folder, integrator=integrator, resume=True))


@pytest.mark.parametrize("rows", [pytest.param(1, marks=pytest.mark.slow), 7, 50, 512])
def test_chunks_do_not_change_a_digit(rows, monkeypatch):
    """Chunks as long as these, whatever the machine is doing."""
    from flexmbs.analysis.run import simulate as dynamics

    whole = long_runs.run("four_bar", 0.2)
    monkeypatch.setattr(dynamics.np, "clip", lambda *_: rows)
    same(whole, long_runs.run("four_bar", 0.2))


def resident(folder, t_end):
    """Largest resident memory in MB of a process that runs the pendulum, and steps taken."""
    program = (
        f"import sys, resource, json; sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
        "import long_runs\n"
        "long_runs.run('pendulum', 1.0)\n"
        f"result = long_runs.run('pendulum', {t_end}, {str(folder)!r}, storage_limit=None)\n"
        "steps = result.stats['steps_accepted']\n"
        "print(json.dumps([resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0, steps]))\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=600)
    return json.loads(found.stdout)


@pytest.mark.slow
def test_a_million_steps_need_no_more_memory_than_a_tenth_of_them(tmp_path):
    few, few_steps = resident(tmp_path / "few", 10.0)
    many, many_steps = resident(tmp_path / "many", 100.0)
    assert few_steps >= 100_000 and many_steps >= 1_000_000
    # the whole is 0.4 GB uncompressed; what waits for being written varies by some MB
    assert many < 1.1 * few
    result = fm.load(tmp_path / "many")
    assert len(result.t) == many_steps + 1 and result.t[-1] == 100.0
    energy = result["energy.total"]
    assert np.abs(energy - energy[0]).max() < 1e-9
