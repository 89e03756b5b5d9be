"""Supervision of worker processes: which end means what. Those here are of fake_worker.py, which computes nothing."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import fake_worker
import psutil
import pytest
from short_studies import ShortStudy

from flexmbs.study.execution import child_process, messages
from flexmbs.study.execution.limits import RunLimits
from flexmbs.study.execution.messages import Task, WorkerSettings
from flexmbs.study.execution.supervised_worker import SupervisedWorker


@pytest.fixture
def worker_of(tmp_path, monkeypatch):
    """Makes supervised workers, and ends their processes after the test."""
    monkeypatch.setattr(child_process, "_WORKER", "fake_worker")
    monkeypatch.setenv("PYTHONPATH", str(Path(fake_worker.__file__).parent))
    study, made = ShortStudy(tmp_path), []

    def make(store_every=1, **options):
        spec = replace(study.spec, storage={"store_every": store_every})
        worker = SupervisedWorker(WorkerSettings(str(study.folder), spec, **options))
        made.append(worker)
        return worker

    make.study = study
    yield make
    for worker in made:
        worker.kill()
        worker.close()


def task(what="", number=0):
    return Task(f"{number:032x}", {"what": what})


def test_one_process_for_many_runs(worker_of):
    worker = worker_of()
    first, second = (worker.run(task(number=number)) for number in range(2))
    assert first.status == second.status == messages.FINISHED
    assert first.figures["pid"] == second.figures["pid"]
    worker.close()
    assert not psutil.pid_exists(first.figures["pid"])


def test_process_that_has_ended_for_want_of_work_is_no_failure(worker_of):
    worker = worker_of(retries=0)
    pids = {worker.run(task("idle", number)).figures["pid"] for number in range(3)}
    assert len(pids) == 3


def test_death_is_retried_then_recorded_with_the_signal(worker_of):
    worker = worker_of(retries=1)
    answer = worker.run(task("segmentation fault"))
    assert (answer.status, answer.kind) == (messages.FAILED, "WorkerDied")
    assert "SIGSEGV (2 attempts)" in answer.message
    store = worker_of.study.store
    record = store.record(answer.key)
    assert record.failure.message == answer.message and record.parameters == {"what": "segmentation fault"}
    assert "about to fail" in (store.files_of(answer.key) / "log.txt").read_text()
    assert worker.run(task(number=1)).status == messages.FINISHED


def test_errors_of_the_system_are_retried_and_the_last_attempt_knows_that_it_is(worker_of):
    worker = worker_of(retries=2)
    answer = worker.run(task("again"))
    assert (answer.status, answer.kind) == (messages.FAILED, "OSError")
    assert "stale file handle (3 attempts)" in answer.message
    assert worker.run(task(number=1)).figures["last"] is False
    assert worker_of(retries=0).run(task(number=1)).figures["last"] is True


def test_limit_is_heeded_or_enforced(worker_of):
    worker = worker_of(limits=RunLimits(wall_time=0.3, grace=0.3))
    answer = worker.run(task("heeds"))
    assert (answer.kind, answer.message) == ("WallTime", "the run took longer than its limit of 0.3 s")
    answer = worker.run(task("deaf", 1))
    assert (answer.status, answer.kind) == (messages.FAILED, "WallTime")
    assert "it did not save its state within 0.3 s, and was killed" in answer.message
    assert worker_of.study.store.record(answer.key).failure.kind == "WallTime"


def test_far_too_much_memory_is_not_waited_for(worker_of):
    worker = worker_of(limits=RunLimits(memory=100e6, grace=60.0))
    begin = time.monotonic()
    answer = worker.run(task("hoards"))
    assert answer.kind == "Memory" and "its limit is 100 MB; it was killed at once" in answer.message
    assert time.monotonic() - begin < 30.0


def test_interrupted_run_is_stopped_and_none_begins_any_more(worker_of):
    worker = worker_of(limits=RunLimits(grace=0.2))
    threading.Timer(0.5, worker.interrupt).start()
    assert worker.run(task("deaf")).status == messages.STOPPED
    assert worker.run(task(number=1)).status == messages.STOPPED
    assert worker_of.study.store.record(task("deaf").key) is None


def test_process_that_refuses_or_cannot_start_stops_the_study(worker_of):
    answer = worker_of(store_every=7).run(task())
    assert (answer.status, answer.message) == (messages.STUDY, "the case has changed")
    answer = worker_of(store_every=8).run(task())
    assert answer.status == messages.STUDY and "ended with exit code 1 before its first run" in answer.message
    assert "no module named flexmbs" in answer.message


def test_process_that_is_killed_before_it_is_ready_is_started_again(worker_of, tmp_path):
    worker = worker_of(store_every=9, directory=str(tmp_path / "begun"), retries=1)
    assert worker.run(task()).status == messages.FINISHED and (tmp_path / "begun").exists()
