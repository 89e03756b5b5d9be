"""The scheduler: each run once, few at a time, in constant memory, whatever its executor and other schedulers do."""

import queue
import threading
import time
import tracemalloc
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace

import pytest

from flexmbs.common.errors import StudyError
from flexmbs.study import scheduler
from flexmbs.study.pool import RunExecutor
from flexmbs.study.run_record import FAILED, FINISHED, RunFailure, RunRecord
from flexmbs.study.run_tasks import BUSY, PRESENT, STOPPED, Answer, Task
from flexmbs.study.scheduler import Scheduler
from flexmbs.study.study_outcome import StudyInterrupted

WRONG = RunFailure("ValueError", "wrong")


class Records(dict):
    """In place of a store: the records that are there, by key."""

    def record(self, key):
        return self.get(key)

    def forget_failed(self, key):
        del self[key]

    def add(self, key, status=FINISHED, **figures):
        self[key] = RunRecord(key, status, {}, figures, 0.1, failure=WRONG if status == FAILED else None)


class Workers:
    """In place of an executor: answers from another thread, as ``behave`` says for the key and its attempts so far."""

    def __init__(self, store, behave=lambda key, attempt: FINISHED):
        self.store, self.behave = store, behave
        self.times, self.most, self.killed = Counter(), 0, False
        self.open = queue.SimpleQueue()
        threading.Thread(target=self.answer, daemon=True).start()

    def count(self):
        return 3

    def submit(self, task):
        future = Future()
        self.times[task.key] += 1
        self.open.put((task.key, future))
        self.most = max(self.most, self.open.qsize())
        return future

    def answer(self):
        while True:
            key, future = self.open.get()
            time.sleep(1e-3)
            if not future.set_running_or_notify_cancel():
                continue
            found = self.behave(key, self.times[key])
            if isinstance(found, BaseException):
                future.set_exception(found)
                continue
            if found in (FINISHED, FAILED):
                self.store.add(key, found, force=1.0)
            future.set_result(Answer(key, found, 0.1, WRONG if found == FAILED else None))

    def stop(self, now=False):
        self.killed = now


def run(points, store=None, behave=None, **options):
    """Schedule points, which are keys."""
    store = Records() if store is None else store
    workers = Workers(store, behave or (lambda key, attempt: FINISHED))
    made = Scheduler(store, workers, lambda key: Task(key, {}), **options)
    return made.run(points, range(len(points))), workers


def test_few_runs_at_a_time_and_each_once(monkeypatch):
    monkeypatch.setattr(scheduler, "_TELL", 0.0)
    seen = []
    outcome, workers = run([f"key {number}" for number in range(100)], progress=lambda so_far: seen.append(replace(so_far)))
    assert outcome.computed == outcome.done == 100 and set(workers.times.values()) == {1}
    assert 0 < workers.most <= 2 * workers.count() and outcome.parallel == 3
    assert outcome.run_seconds == pytest.approx(10.0)
    assert [one.done for one in seen] == sorted(one.done for one in seen) and {one.total for one in seen} == {100}
    assert (seen[-1].done, seen[-1].running, seen[-1].seconds_left) == (100, 0, 0.0)
    middle = next(one for one in seen if one.done == 52)
    assert middle.seconds_left == pytest.approx(48 * 0.1 / 3) and middle.running == 3  # the runs' own times, on three processors


def test_runs_that_are_there_are_left_out_and_equal_points_share_theirs():
    store = Records()
    store.add("a", force=float("nan"))
    store.add("b", FAILED)
    outcome, workers = run(["b", "a", "c", "c", "c", "d"], store, figures=["force[1]"])
    assert (outcome.present, outcome.computed, outcome.repeated) == (2, 2, 2) and outcome.done == 6
    assert workers.times == {"c": 1, "d": 1}
    assert (outcome.failed, outcome.not_finite) == (1, 1) and outcome.not_finite_figures == {"force": 1}
    assert outcome.first_failure == "point 0, run b: ValueError: wrong"
    outcome, workers = run(["a", "b"], store, retry_failed=True)
    assert (outcome.computed, outcome.present, outcome.failed) == (1, 1, 0) and workers.times == {"b": 1}


def test_runs_of_other_processes_are_looked_at_again_and_counted_for_themselves(monkeypatch):
    monkeypatch.setattr(scheduler, "_LOOK_AGAIN", 0.05)
    store = Records()

    def behave(key, attempt):
        if attempt == 3:
            return PRESENT if key in store else FINISHED
        if key == "done there" and attempt == 2:
            store.add(key, force=2.0)
        return BUSY

    outcome, workers = run(["freed", "done there"], store, behave)
    assert (outcome.computed, outcome.elsewhere, outcome.done) == (1, 1, 2)
    assert "1 computed, 1 computed elsewhere" in str(outcome)
    assert workers.times == {"freed": 3, "done there": 3}
    assert outcome.run_seconds == pytest.approx(0.1)  # of the one that was computed here


@pytest.mark.parametrize("lost", [RuntimeError("a Dask worker was lost"), STOPPED], ids=["lost", "told to end"])
def test_lost_runs_are_handed_over_again_and_fail_in_the_end(lost, monkeypatch):
    outcome, workers = run(["a", "b"], behave=lambda key, attempt: lost if key == "b" and attempt < 3 else FINISHED, retries=2)
    assert outcome.failed == 0 and workers.times["b"] == 3
    monkeypatch.setattr(scheduler, "fail_run", lambda store, task, failure: Answer(task.key, FAILED, failure=failure))
    outcome, workers = run(["a", "b"], behave=lambda key, attempt: lost if key == "b" else FINISHED, retries=1)
    assert outcome.failures == {"WorkerDied": 1} and workers.times["b"] == 2
    assert "its executor lost the run 2 times; the last time: " in outcome.notices()[0]


def test_study_stops_for_what_concerns_all_runs():
    points = ["a", "b", *(f"c {number}" for number in range(100))]
    with pytest.raises(StudyError, match="cannot read"):
        run(points, behave=lambda key, attempt: StudyError("cannot read") if key == "b" else FINISHED)
    shut = ThreadPoolExecutor(1)
    shut.shutdown()
    executor = RunExecutor(shut.submit, count=lambda: 1, stop=lambda now: None)
    with pytest.raises(StudyError, match="the executor takes no further runs .cannot schedule new futures"):
        Scheduler(Records(), executor, lambda key: Task(key, {})).run(points, range(2))


@pytest.mark.parametrize("before", [False, True], ids=["now", "before"])
def test_failure_stops_the_study_if_it_is_to(before):
    store = Records()
    if before:
        store.add("b", FAILED)
    keys = ["a", "b", *(f"c {number}" for number in range(100))]

    def behave(key, attempt):
        return FAILED if key == "b" else FINISHED

    with pytest.raises(StudyError, match="point 1, run b: ValueError: wrong"):
        run(keys, store, behave, stops=True)
    assert len(store) < 30
    outcome, _ = run(keys, store, behave)
    assert outcome.failed == 1 and outcome.failures == {"ValueError": 1} and len(store) == 102
    assert "1 of 102 runs failed (1 ValueError)" in outcome.notices()[0]


@pytest.mark.parametrize("twice", [False, True])
def test_interrupt_says_how_far_it_was_and_a_second_one_does_not_wait(twice, monkeypatch):
    store, patience = Records(), pytest.raises(KeyboardInterrupt) if twice else nullcontext()

    class Stubborn(Workers):
        def stop(self, now=False):
            super().stop(now)
            if twice and not now:
                raise KeyboardInterrupt  # while the first waits for states to be saved

    def interrupt(progress):
        if progress.computed >= 6:
            raise KeyboardInterrupt

    monkeypatch.setattr(scheduler, "_TELL", 0.0)
    workers = Stubborn(store)
    made = Scheduler(store, workers, lambda key: Task(key, {}), progress=interrupt)
    with patience, pytest.raises(StudyInterrupted, match="of 50 runs are done.*the same command goes on") as told:
        made.run([f"key {number}" for number in range(50)], range(50))
    assert workers.killed == twice and 6 <= made.outcome.computed < 50
    assert twice or told.value.outcome is made.outcome


def test_memory_does_not_grow_with_the_number_of_points():
    class Forgetful(Records):
        def record(self, key):
            return None

    class Brief(Workers):
        def __init__(self): ...

        def submit(self, task):
            future = Future()
            future.set_result(Answer(task.key, FINISHED))
            return future

    def most(count):
        made = Scheduler(Forgetful(), Brief(), lambda index: Task(f"key {index}", {"length": 1.0}))
        tracemalloc.start()
        try:
            assert made.run(range(count), range(count)).computed == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert most(4000) < most(400) + 20_000  # bytes
