"""Has every point of a study computed, unless it is there: a bounded number at a time, in constant memory.

The store decides what is there, so any number of schedulers may work on one study, and nothing is lost with any of
them.
"""

from __future__ import annotations

import math
import os
import queue
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from flexmbs.case.cases import Case, load_case
from flexmbs.common.errors import FlexmbsError, StudyError, StudyWarning
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.machine_code.load_objects import provide
from flexmbs.study.checks import ensure, whole_number
from flexmbs.study.compute_run import fail_run
from flexmbs.study.pool import RunExecutor, executor_for
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_record import FAILED, FINISHED, RunFailure
from flexmbs.study.run_tasks import BUSY, PRESENT, STOPPED, Answer, RunLimits, Task, WorkerSettings, answer_of, task_of
from flexmbs.study.store import Store
from flexmbs.study.study_outcome import StudyInterrupted, StudyOutcome

_AHEAD = 2  # tasks handed over for each run that is computed, so that no worker waits for the next one
_LOOK_AGAIN = 1.0  # s between two looks at runs of other processes
_LOOK_AT_EXECUTOR = 2.0  # s between two looks at how many runs it computes at the same time
_TELL = 0.1  # s between two reports of progress
_ON_ERROR = ("skip", "stop", "nan")


@dataclass
class _Pending:
    """A run that was handed over, or that another process computes, and the points that it belongs to."""

    task: Task
    indices: list[int]
    strikes: int = 0  # how often it came back without an answer
    look_again: float = 0.0  # when
    future: Future[Answer] | None = None


class Scheduler:
    """One pass over the points of a study, with the options of :func:`run_points`.

    ``task_of``: the task for the values of a point; ``stops``: no run is begun after a failed one.
    """

    def __init__(
        self,
        store: Store,
        executor: RunExecutor,
        task_of: Callable[[Mapping[str, object]], Task],
        figures: Sequence[str] = (),
        stops: bool = False,
        retries: int = 2,
        retry_failed: bool = False,
        progress: Callable[[StudyOutcome], object] | None = None,
    ) -> None:
        self.outcome = StudyOutcome()
        self._store, self._executor, self._task_of, self._figures = store, executor, task_of, figures
        self._stops, self._retries, self._retry_failed, self._progress = stops, retries, retry_failed, progress
        self._running: dict[str, _Pending] = {}
        self._elsewhere: dict[str, _Pending] = {}
        self._answers: queue.SimpleQueue[tuple[str, Future[Answer]]] = queue.SimpleQueue()
        self._begin = self._told = time.monotonic()
        self._looked = -math.inf

    def run(self, points: Sequence[Mapping[str, object]], indices: Sequence[int]) -> StudyOutcome:
        """Have these points computed; StudyError where the study cannot go on, StudyInterrupted after Ctrl-C."""
        self.outcome.total = len(indices)
        try:
            for index in indices:
                self._tell()
                self._begin_point(index, self._task_of(points[index]))
                while len(self._running) >= _AHEAD * self.outcome.parallel:
                    self._take()
                while self._take(patience=0.0):
                    pass
                if self._ends():
                    break
            while self._running or (self._elsewhere and not self._ends()):
                self._take()
            if self._ends():
                first = self.outcome.first_failure
                raise StudyError(f"a run failed, and the study stops at failures (on_error='stop'); the first is {first}")
            self._tell(now=True)
        except KeyboardInterrupt:
            self._stop()
            raise StudyInterrupted(self.outcome) from None
        except BaseException:
            self._stop()
            raise
        finally:
            self.outcome.wall_seconds, self.outcome.running, self.outcome.awaited = time.monotonic() - self._begin, 0, 0
        return self.outcome

    def _begin_point(self, index: int, task: Task) -> None:
        """Hand a point over, unless its run is there or under way."""
        pending = self._running.get(task.key) or self._elsewhere.get(task.key)
        if pending is not None:
            pending.indices.append(index)
            return
        record = self._store.record(task.key)
        if record is not None and record.status == FAILED and self._retry_failed:
            self._store.forget_failed(task.key)
            record = None
        if record is None:
            self._submit(_Pending(task, [index]))
        else:
            self.outcome.present += 1
            self._count([index], answer_of(record))

    def _ends(self) -> bool:
        """Whether no further run is begun because one has failed."""
        return self._stops and self.outcome.failed > 0

    def _submit(self, pending: _Pending) -> None:
        now, key = time.monotonic(), pending.task.key
        if now - self._looked > _LOOK_AT_EXECUTOR:
            self.outcome.parallel, self._looked = max(self._executor.count(), 1), now
        try:
            pending.future = future = self._executor.submit(pending.task)
        except RuntimeError as error:  # also BrokenExecutor
            raise StudyError(f"the executor takes no further runs ({error}). What is finished is stored") from error
        future.add_done_callback(lambda future: self._answers.put((key, future)))
        self._running[key] = pending

    def _take(self, patience: float = 0.5) -> bool:
        """Deal with an answer, if one comes within ``patience`` s."""
        self._tell()
        due = [key for key, pending in self._elsewhere.items() if pending.look_again <= time.monotonic()]
        for key in due[: _AHEAD * self.outcome.parallel]:  # they are done, free, or still busy, as the answer will say
            self._submit(self._elsewhere.pop(key))
        try:
            key, future = self._answers.get(timeout=patience) if patience else self._answers.get_nowait()
        except queue.Empty:
            return False
        pending = self._running.pop(key)
        error = CancelledError("by its executor") if future.cancelled() else future.exception()
        if isinstance(error, FlexmbsError):  # it concerns all runs: a worker cannot read the study's folder, for example
            raise StudyError(str(error)) from None
        if error is None:
            self._deal_with(pending, future.result())
        else:
            self._lost(pending, f"{type(error).__name__}: {error}")
        return True

    def _deal_with(self, pending: _Pending, answer: Answer) -> None:
        if answer.status == STOPPED:  # not by this process
            self._lost(pending, "the worker process was told to end")
        elif answer.status == BUSY:
            pending.look_again = time.monotonic() + _LOOK_AGAIN
            self._elsewhere[answer.key] = pending
        elif answer.status != PRESENT:
            self._done(pending, answer)
        elif (record := self._store.record(answer.key)) is None:  # taken away again meanwhile
            self._submit(pending)
        else:
            self.outcome.elsewhere += 1
            self._count(pending.indices, answer_of(record))

    def _done(self, pending: _Pending, answer: Answer) -> None:
        self.outcome.computed += 1
        self.outcome.run_seconds += answer.seconds
        self._count(pending.indices, answer)

    def _count(self, indices: list[int], answer: Answer) -> None:
        """Count the points of a run, and the run as failed or as having figures that are not finite."""
        self.outcome.repeated += len(indices) - 1
        if answer.failure is not None:
            self.outcome.failed += 1
            self.outcome.failures[answer.failure.kind] += 1
            why = f"{answer.failure.kind}: {answer.failure.message}"
            self.outcome.first_failure = self.outcome.first_failure or f"point {indices[0]}, run {answer.key}: {why}"
        if answer.not_finite:
            self.outcome.not_finite += 1
            self.outcome.not_finite_figures.update(answer.not_finite)
        if answer.status == FINISHED and self._figures and (record := self._store.record(answer.key)):
            for name in self._figures if record.figures else ():
                right = near_names(name, record.figures)
                ensure(name.partition("[")[0] in record.figures, f"the case has no figure {name!r}. {right}")
            self._figures = ()

    def _lost(self, pending: _Pending, why: str) -> None:
        """The executor has lost the run, with the machine or process that it was on: hand it over again, or record it."""
        pending.strikes += 1
        if pending.strikes <= self._retries:
            self._submit(pending)
            return
        why = f"its executor lost the run {pending.strikes} times; the last time: {why}"
        self._deal_with(pending, fail_run(self._store, pending.task, RunFailure("WorkerDied", why)))

    def _stop(self) -> None:
        """Stop what is being computed, which saves its state; a second Ctrl-C does not wait for that."""
        try:
            begun = {one.future: one for one in self._running.values() if one.future is not None and not one.future.cancel()}
            self._executor.stop(False)
            while wait(begun, timeout=0.5).not_done:  # Windows notices a second Ctrl-C between two waits only
                pass
            for future, pending in begun.items():
                if future.exception() is None and future.result().status in (FINISHED, FAILED):
                    self._done(pending, future.result())
        except KeyboardInterrupt:
            self._executor.stop(True)
            raise

    def _tell(self, now: bool = False) -> None:
        if self._progress is None or (time.monotonic() - self._told < _TELL and not now):
            return
        self._told = time.monotonic()
        self.outcome.wall_seconds = self._told - self._begin
        self.outcome.running, self.outcome.awaited = min(len(self._running), self.outcome.parallel), len(self._elsewhere)
        self._progress(self.outcome)


def run_points(
    points: Sequence[Mapping[str, object]],
    store: Store,
    spec: RunSpec,
    *,
    case: Case | None = None,
    figures: Sequence[str] = (),
    executor: object = None,
    workers: int | None = None,
    shard: str | tuple[int, int] | None = None,
    limits: RunLimits | None = None,
    retries: int = 2,
    on_error: str = "skip",
    retry_failed: bool = False,
    threads: int = 1,
    progress: Callable[[StudyOutcome], object] | None = None,
) -> StudyOutcome:
    """Have each point computed whose run is not there yet; the counts. Failed runs and figures not finite are warned of.

    ``points`` : parameter name -> value of each; only ``len`` and ``[i]`` are used, so it may be computed as needed.
    ``spec`` : what all runs have in common, ``case``: its case, if it is loaded. ``figures`` : names of figures that the
    first finished run must have. ``progress`` gets the outcome so far up to ten times a second. All others, and what is
    raised: :meth:`flexmbs.Study.run`; also SIGTERM ends as a KeyboardInterrupt.
    """
    ensure(on_error in _ON_ERROR, f"on_error={on_error!r}: it is one of {', '.join(_ON_ERROR)}")
    for value, what, least in ((retries, "retries", 0), (1 if workers is None else workers, "workers", 1), (threads, "threads", 1)):
        whole_number(value, f"number of {what}", least)
    number, count = (1, 1) if shard is None else shard_of(shard)
    places = tuple(os.path.abspath(place) for place in sys.path)
    settings = WorkerSettings(str(store.folder), spec, secrets.token_hex(4), limits or RunLimits(), retries, threads, places)
    case = case or load_case(spec.case)
    with executor_for(executor, settings, workers) as found, _sigterm_as_interrupt():
        with on_progress():  # before several processes look for the compiled kernels
            stage("looking for the compiled kernels")
            provide()
        tasks, stops = partial(task_of, case, spec), on_error == "stop"
        scheduler = Scheduler(store, found, tasks, figures, stops, retries, retry_failed, progress)
        outcome = scheduler.run(points, range(number - 1, len(points), count))
    warn(outcome.notices(), StudyWarning)
    return outcome


def shard_of(given: str | tuple[int, int]) -> tuple[int, int]:
    """Number (from 1) and count of a part that is given as "3/40" or (3, 40): every fortieth point, from the third."""
    try:
        number, count = (int(part) for part in (given.split("/") if isinstance(given, str) else given))
    except (TypeError, ValueError):
        raise StudyError(f"shard {given!r}: write number/count, such as 3/40, the third of forty parts") from None
    ensure(1 <= number <= count, f"shard {given!r}: the number of a part runs from 1 to their count; the first of 40 is 1/40")
    return number, count


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Within this context SIGTERM, by which queues announce the end of a job, does what Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
