"""Worker processes: which end means what, in those of fake_worker.py; and where they run, with those that compute."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import fake_worker
import psutil
import pytest
from short_studies import ShortStudy, settings_of, worker_processes

from flexmbs.common.errors import StudyError
from flexmbs.study import pool
from flexmbs.study.compute_run import fail_run, printed_in
from flexmbs.study.pool import Slot, end_tasks, run_task, stop_tasks
from flexmbs.study.run_record import FAILED, FINISHED, RunFailure
from flexmbs.study.run_tasks import BUSY, PRESENT, STOPPED, RunLimits, Task
from flexmbs.study.study_outcome import StudyInterrupted

POINTS = [{"length": 0.5 + 0.1 * index} for index in range(4)]


@pytest.fixture
def slot_of(tmp_path, monkeypatch):
    """Makes slots, and ends their processes after the test."""
    for name in ("begin", "ready", "compute"):
        monkeypatch.setattr(pool, name, getattr(fake_worker, name))
    study, made = ShortStudy(tmp_path), []

    def make(**options):
        made.append(Slot(replace(settings_of(study), **options)))
        return made[-1]

    make.study = study
    yield make
    for slot in made:
        slot.stop(now=True)
        slot.close()
    assert not worker_processes()


def task(what="", number=0):
    return Task(f"{number:032x}", {"what": what})


def test_one_process_for_many_runs(slot_of):
    slot = slot_of()
    first, second = (slot.run(task(number=number)) for number in range(2))
    assert first.status == second.status == FINISHED and first.seconds == second.seconds  # in place of which stands the process
    slot.close()
    assert not psutil.pid_exists(first.seconds)


def test_process_that_has_ended_for_want_of_work_is_no_failure(slot_of, monkeypatch):
    monkeypatch.setattr(pool, "_IDLE", 0.2)
    slot, pids = slot_of(retries=0), set()
    for number in range(2):
        pids.add(slot.run(task(number=number)).seconds)
        psutil.wait_procs(worker_processes(), timeout=10.0)
    assert len(pids) == 2


@pytest.mark.parametrize(
    ("what", "limits", "kind", "message", "attempts"),
    [
        ("segmentation fault", {}, "WorkerDied", "the worker process was killed by SIGSEGV (2 attempts)", 0),
        ("again", {}, "OSError", "stale file handle (2 attempts)", 0),
        ("heeds", {"wall_time": 0.3, "grace": 9.0}, "WallTime", "the run took longer than its limit of 0.3 s", 1),
        ("deaf", {"wall_time": 0.3, "grace": 0.3}, "WallTime", "did not save its state within 0.3 s", 0),
        ("hoards", {"memory": 200e6, "grace": 60.0}, "Memory", "its limit is 200 MB; it was killed at once", 0),
    ],
)
def test_failed_runs_are_recorded_and_the_next_one_is_computed(slot_of, what, limits, kind, message, attempts):
    """``attempts``: counted by the slot, in place of a worker that gave its attempt back."""
    slot, begin = slot_of(retries=1, limits=RunLimits(**limits)), time.monotonic()
    answer = slot.run(task(what))
    assert (answer.status, answer.failure.kind) == (FAILED, kind) and message in answer.failure.message
    store = slot_of.study.store
    record = store.record(answer.key)
    assert record.failure.message == answer.failure.message and record.parameters == {"what": what}
    assert record.attempts == attempts and record.failure.traceback == ("Traceback of it" if what in ("again", "heeds") else "")
    assert ("about to fail" in (store.files_of(answer.key) / "log.txt").read_text()) == (what == "segmentation fault")
    assert slot.run(task(number=1)).status == FINISHED and time.monotonic() - begin < 30.0


def test_interrupted_run_is_stopped_and_none_begins_any_more(slot_of):
    slot = slot_of(limits=RunLimits(grace=0.2))
    threading.Timer(0.5, slot.stop, [False]).start()
    assert slot.run(task("deaf")).status == slot.run(task(number=1)).status == STOPPED
    assert slot_of.study.store.record(task("deaf").key) is None


def test_tasks_of_a_call_that_is_over_are_not_begun(slot_of):
    settings = replace(settings_of(slot_of.study), call="a call")
    assert run_task(settings, task()).status == FINISHED
    stop_tasks("a call", now=False)
    end_tasks("a call")
    assert run_task(settings, task(number=1)).status == STOPPED and not worker_processes()


def test_process_that_refuses_or_cannot_start_stops_the_study(slot_of):
    with pytest.raises(StudyError, match="the case has changed"):
        slot_of(call="refuses").run(task())
    with pytest.raises(StudyError, match="(?s)ended with exit code 1 before its first run.*no module named flexmbs"):
        slot_of(call="broken").run(task())


def test_process_that_is_killed_before_it_is_ready_is_started_again(slot_of, tmp_path):
    assert slot_of(call=str(tmp_path / "begun"), retries=1).run(task()).status == FINISHED


def test_lost_run_in_other_hands_is_not_recorded(tmp_path):
    study = ShortStudy(tmp_path)
    lost = RunFailure("WorkerDied", "gone")
    with study.store.claim(task().key):
        assert fail_run(study.store, task(), lost).status == BUSY
    assert fail_run(study.store, task(), lost).failure == lost
    assert fail_run(study.store, task(), lost).status == PRESENT


def test_long_output_keeps_its_end(tmp_path):
    path = tmp_path / "printed"
    path.write_bytes(b"a" * 300_000 + b"z" * 300_000)
    text = printed_in(path)
    assert text.startswith("... 200000 bytes are left out here ...\naaa") and text.endswith("a" + "z" * 300_000)


def test_dask_in_this_process(tmp_path):
    study = ShortStudy(tmp_path, keep="figures", histories=("hinge.angle",), history_times=5)
    outcome = study.run(POINTS, executor="dask", workers=1)
    assert outcome.computed == 4 and outcome.parallel == 1
    study.check(POINTS)
    assert files_of(study) == {"histories.npz", "run.json"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [ThreadPoolExecutor, partial(ProcessPoolExecutor, mp_context=get_context("spawn"))])
def test_executor_of_the_user_stays_theirs(kind, tmp_path):
    study = ShortStudy(tmp_path)
    with kind(1) as executor:
        outcome = study.run(POINTS, executor=executor)
        assert outcome.computed == 4 and outcome.parallel == 1
        assert executor.submit(len, "abc").result() == 3
        end = time.monotonic()
    assert time.monotonic() - end < 20.0 and not worker_processes()  # its end does not wait for workers without a run
    assert not list(Path(tempfile.gettempdir()).glob("flexmbs-run-*"))
    study.check(POINTS)
    assert {"run.json", "result.h5", "summary.json"} <= files_of(study)


def files_of(study):
    return {path.name for path in study.store.files_of(study.key(POINTS[0])).iterdir()}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executor": "slurm"}, "executor='slurm': it is 'local', 'dask', the address"),
        ({"executor": "tcp://host:87x"}, "no Dask scheduler answers at tcp://host:87x: Port could not be cast"),
        ({"executor": 4}, "executor=4: it is 'local'"),
        ({"on_error": "ignore"}, "on_error='ignore': it is one of skip, stop, nan"),
        ({"retries": -1}, "the number of retries must be a whole number of at least 0, not -1"),
        ({"workers": 0}, "the number of workers must be a whole number of at least 1, not 0"),
        ({"workers": 1.5}, "the number of workers must be a whole number"),
        ({"shard": "5/4"}, "the number of a part runs from 1"),
        ({"spec": {"histories": ("hinge.angel",)}, "workers": 1}, r"no history 'hinge.angel'. Did you mean hinge.angle\?"),
    ],
)
def test_wrong_options(options, message, tmp_path):
    study = ShortStudy(tmp_path, **options.get("spec", {}))
    with pytest.raises(StudyError, match=message):
        study.run(POINTS[:1], **{name: value for name, value in options.items() if name != "spec"})
    assert not study.store.failed_keys()


def test_run_whose_finished_part_is_damaged_begins_again(tmp_path):
    study = ShortStudy(tmp_path)
    folder = study.store.layout.work(study.key({}))
    folder.mkdir(parents=True)
    (folder / "result.h5").write_bytes(b"damaged")
    assert study.run([{}], workers=1).failed == 0
    study.check([{}])
    log = study.store.files_of(study.key({})) / "log.txt"
    assert "the finished part of this run is not used" in log.read_text()


@pytest.mark.slow
def test_modules_beside_the_script_do_not_replace_those_of_python(tmp_path):
    """The script is in a folder with a random.py, and needs no guard against being imported by its workers."""
    (tmp_path / "random.py").write_text("raise ImportError('of the user')")
    (tmp_path / "run.py").write_text(
        "import sys\nsys.path.pop(0)\nsys.path.append(sys.argv[1])\nfrom pathlib import Path\n"
        "from short_studies import ShortStudy\nprint(ShortStudy(Path('.').absolute()).run([{}, {'length': 2.0}], workers=1))\n"
    )
    command = [sys.executable, "run.py", os.path.dirname(fake_worker.__file__)]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "2 of 2 runs: 2 computed" in found.stdout, found.stderr


@pytest.mark.slow
def test_interrupt_of_dask_leaves_no_process(tmp_path):
    study = ShortStudy(tmp_path)
    points = [{"length": 0.5 + 0.1 * index, "what": "slow"} for index in range(12)]
    seen = []

    def interrupt(progress):
        seen.extend(worker_processes())
        if progress.computed >= 2:
            raise KeyboardInterrupt

    with pytest.raises(StudyInterrupted):
        study.run(points, executor="dask", workers=2, progress=interrupt)
    assert seen and not any(child.is_running() for child in seen)
    assert study.run(points, executor="dask", workers=2).done == 12
    study.check(points)
