"""Has every point of a study computed, unless it is there: a bounded number at a time, in constant memory.

The store decides what is there, so any number of schedulers may work on one study, and nothing is lost with any of
them.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, field
from typing import Any

from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.study.execution import messages
from flexmbs.study.execution.executors import RunExecutor
from flexmbs.study.execution.failures import is_finite, scalars, time_reached
from flexmbs.study.execution.messages import Answer, Task
from flexmbs.study.execution.study_outcome import StudyInterrupted, StudyOutcome
from flexmbs.study.execution.study_progress import StudyProgress
from flexmbs.study.run_record import FAILED, RunFailure, RunRecord
from flexmbs.study.store import Store

_AHEAD = 2  # tasks handed over for each run that is computed, so that no worker waits for the next one
_MANY = 1000  # points that wait for other processes or for the same run, beyond which no further ones are looked at
_LOOK_AGAIN = 1.0  # s between two looks at runs of other processes
_LOOK_AT_EXECUTOR = 2.0  # s between two looks at how many runs it computes at the same time
_TELL = 0.1  # s between two reports of progress

#: How the scheduler tells of a point that is done: its index and the answer.
OnAnswer = Callable[[int, Answer], object]


@dataclass
class _Pending:
    """A run that was handed over, or that another process computes."""

    task: Task
    indices: list[int] = field(default_factory=list)  # the points that it belongs to
    strikes: int = 0  # how often it came back without an answer
    look_again: float = 0.0  # when
    future: Future[Answer] | None = None


class Scheduler:
    """One pass over the points of a study.

    Parameters
    ----------
    store : of the study
    executor : where runs are computed
    task_of : the task for the values of a point
    on_error : "skip" and "nan" go on after a failed run, "stop" begins no further ones
    retries : how often a run is handed over again when its executor has lost it
    retry_failed : runs that have failed before are computed again, from the state that they have saved
    """

    def __init__(
        self,
        store: Store,
        executor: RunExecutor,
        task_of: Callable[[Mapping[str, object]], Task],
        *,
        on_error: str = "skip",
        retries: int = 2,
        retry_failed: bool = False,
        progress: Callable[[StudyProgress], object] | None = None,
        on_answer: OnAnswer | None = None,
    ) -> None:
        self.outcome = StudyOutcome()
        self._store, self._executor, self._task_of = store, executor, task_of
        self._stops, self._retries, self._retry_failed = on_error == "stop", retries, retry_failed
        self._progress, self._on_answer = progress, on_answer
        self._running: dict[str, _Pending] = {}
        self._elsewhere: dict[str, _Pending] = {}
        self._answers: queue.SimpleQueue[tuple[str, Future[Answer]]] = queue.SimpleQueue()
        self._begin = self._told = time.monotonic()
        self._looked = -1e9
        self._parallel = 1

    def run(self, points: Sequence[Mapping[str, object]], indices: Sequence[int]) -> StudyOutcome:
        """Have these points computed; StudyError where the study cannot go on, StudyInterrupted after Ctrl-C."""
        self.outcome.total = len(indices)
        try:
            self._go(points, indices)
        except KeyboardInterrupt:
            self._stop()
            raise StudyInterrupted(self._counted()) from None
        except BaseException:
            self._stop()
            raise
        return self._counted()

    def _go(self, points: Sequence[Mapping[str, object]], indices: Sequence[int]) -> None:
        for index, task in self._to_do(points, indices):
            self._submit(_Pending(task, [index]))
            while len(self._running) >= _AHEAD * self._parallel or self._waiting() > _MANY:
                self._take()
            while self._take(patience=0.0):
                pass
            if self._stops and self.outcome.failed:
                break
        while self._running or (self._elsewhere and not (self._stops and self.outcome.failed)):
            self._take()
        if self._stops and self.outcome.failed:
            raise StudyError(f"a run failed, and the study stops at failures (on_error='stop'): {self.outcome.first_failure_text}")
        self._tell(now=True)

    def _to_do(self, points: Sequence[Mapping[str, object]], indices: Sequence[int]) -> Iterator[tuple[int, Task]]:
        """The points whose runs are neither there nor under way."""
        for index in indices:
            self._tell()
            task = self._task_of(points[index])
            pending = self._running.get(task.key) or self._elsewhere.get(task.key)
            if pending is not None:
                pending.indices.append(index)
                continue
            record = self._store.record(task.key)
            if record is not None and record.status == FAILED and self._retry_failed:
                self._store.forget_failed(task.key)
                record = None
            if record is None:
                yield index, task
                continue
            self.outcome.present += 1
            self._count_figures(record.key, index, answer_of(record))
            if self._stops and self.outcome.failed:
                return

    def _submit(self, pending: _Pending) -> None:
        key = pending.task.key
        self._look_at_executor()
        try:
            pending.future = future = self._executor.submit(pending.task)
        except RuntimeError as error:  # also BrokenExecutor
            raise StudyError(f"the executor takes no further runs ({error}). What is finished is stored") from error
        future.add_done_callback(lambda future: self._answers.put((key, future)))
        self._running[key] = pending

    def _look_at_executor(self) -> None:
        """How many runs it computes at the same time, which may change on a cluster."""
        now = time.monotonic()
        if now - self._looked > _LOOK_AT_EXECUTOR:
            self._parallel, self._looked = max(self._executor.parallel, 1), now
            self.outcome.parallel = max(self.outcome.parallel, self._parallel)

    def _take(self, patience: float = 0.5) -> bool:
        """Deal with an answer, if one comes within ``patience`` s."""
        self._tell()
        self._look_elsewhere()
        try:
            key, future = self._answers.get(timeout=patience) if patience else self._answers.get_nowait()
        except queue.Empty:
            return False
        pending = self._running.pop(key)
        try:
            answer = future.result()
        except FlexmbsError as error:  # of the executor's worker: it cannot read the study's folder, for example
            raise StudyError(str(error)) from error
        except (Exception, CancelledError) as error:
            self._lost(pending, error)
            return True
        self._deal_with(pending, answer)
        return True

    def _deal_with(self, pending: _Pending, answer: Answer) -> None:
        if answer.status == messages.STUDY:
            raise StudyError(answer.message)
        if answer.status == messages.BUSY:
            pending.look_again = time.monotonic() + _LOOK_AGAIN
            self._elsewhere[answer.key] = pending
        elif answer.status == messages.STOPPED:  # not by this process: somebody has ended the worker
            self._lost(pending, StudyError("the worker process was told to end"))
        elif answer.status == messages.PRESENT:
            self._done_elsewhere(pending)
        else:
            self._done(pending, answer)

    def _done_elsewhere(self, pending: _Pending) -> None:
        """Another process has finished the run, or seen it fail."""
        record = self._store.record(pending.task.key)
        if record is None:  # taken away again meanwhile
            self._submit(pending)
        else:
            self._done(pending, answer_of(record), seconds=False)

    def _done(self, pending: _Pending, answer: Answer, seconds: bool = True) -> None:
        self.outcome.computed += 1
        self.outcome.repeated += len(pending.indices) - 1
        self.outcome.size += answer.size
        self.outcome.run_seconds += answer.seconds if seconds else 0.0
        self._count_figures(answer.key, pending.indices[0], answer)
        for index in pending.indices[1:]:
            self._say(index, answer)

    def _count_figures(self, key: str, index: int, answer: Answer) -> None:
        if answer.status == messages.FAILED:
            self.outcome.failed += 1
            self.outcome.failures[answer.kind] += 1
            if self.outcome.first_failure is None:
                self.outcome.first_failure = index, key, answer.kind, answer.message
        if answer.not_finite:
            self.outcome.not_finite += 1
            self.outcome.not_finite_figures.update(answer.not_finite)
        self._say(index, answer)

    def _say(self, index: int, answer: Answer) -> None:
        if self._on_answer is not None:
            self._on_answer(index, answer)

    def _lost(self, pending: _Pending, error: BaseException) -> None:
        """The executor has lost the run, with the machine or process that it was on: hand it over again."""
        pending.strikes += 1
        if pending.strikes <= self._retries:
            self._submit(pending)
            return
        message = f"its executor lost the run {pending.strikes} times; the last time: {type(error).__name__}: {error}"
        self._fail(pending, message)

    def _fail(self, pending: _Pending, message: str) -> None:
        """Record that a run has failed; what computed it cannot."""
        key = pending.task.key
        claim = self._store.claim(key, count=False)
        if claim is None:
            pending.look_again = time.monotonic() + _LOOK_AGAIN
            self._elsewhere[key] = pending
            return
        with claim:
            if claim.present is None:
                failure = RunFailure("WorkerDied", message, "", time_reached(claim.folder))
                claim.fail(RunRecord(key, FAILED, pending.task.values, {}, 0.0, attempts=claim.attempts, failure=failure))
        self._done_elsewhere(pending)

    def _look_elsewhere(self) -> None:
        """Hand runs of other processes over again: they are done, free, or still busy, as the answer will say."""
        now = time.monotonic()
        due = [key for key, pending in self._elsewhere.items() if pending.look_again <= now]
        for key in due[: max(_AHEAD * self._parallel, 1)]:
            self._submit(self._elsewhere.pop(key))

    def _waiting(self) -> int:
        waiting = len(self._elsewhere)
        return waiting + sum(len(pending.indices) - 1 for pending in self._running.values())

    def _stop(self) -> None:
        """Stop what is being computed, which saves its state; a second Ctrl-C does not wait for that."""
        try:
            futures = [pending.future for pending in self._running.values() if pending.future is not None]
            begun = [future for future in futures if not future.cancel()]
            self._executor.interrupt()
            while wait(begun, timeout=0.5).not_done:  # Windows notices a second Ctrl-C between two waits only
                pass
            for pending in self._running.values():
                if pending.future in begun and pending.future.exception() is None:
                    answer = pending.future.result()
                    if answer.status in (messages.FINISHED, messages.FAILED):
                        self._done(pending, answer)
            self._running.clear()
        except KeyboardInterrupt:
            self._executor.kill()
            raise

    def _counted(self) -> StudyOutcome:
        self.outcome.wall_seconds = time.monotonic() - self._begin
        return self.outcome

    def _tell(self, now: bool = False) -> None:
        if self._progress is None or (time.monotonic() - self._told < _TELL and not now):
            return
        self._told = time.monotonic()
        self._progress(self.progress())

    def progress(self) -> StudyProgress:
        """How far the study is."""
        found, seconds = self.outcome, time.monotonic() - self._begin
        left = None
        if found.computed and found.run_seconds:
            left = (found.total - found.done) * found.run_seconds / found.computed / self._parallel
        return StudyProgress(
            done=found.done,
            total=found.total,
            computed=found.computed,
            failed=found.failed,
            not_finite=found.not_finite,
            running=min(len(self._running), self._parallel),
            elsewhere=len(self._elsewhere),
            seconds=seconds,
            rate=found.computed / max(seconds, 1e-9),
            left=left,
            size=found.size,
        )


def answer_of(record: RunRecord) -> Answer:
    """What a worker would have said of a run that is in the store."""
    figures: dict[str, Any] = dict(record.figures)
    odd = tuple(name for name, value in figures.items() if not is_finite(value))
    kind, message = ("", "") if record.failure is None else (record.failure.kind, record.failure.message)
    return Answer(record.key, record.status, scalars(figures), odd, record.seconds, 0, kind, message)
