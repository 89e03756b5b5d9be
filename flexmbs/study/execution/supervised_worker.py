"""A worker process under supervision: its runs end within their limits, and its death ends a run, not the study."""

from __future__ import annotations

import json
import queue
import threading
import time
from contextlib import suppress
from dataclasses import replace

from flexmbs.common.errors import FlexmbsError, StudyError
from flexmbs.study.execution import messages
from flexmbs.study.execution.child_process import ChildProcess
from flexmbs.study.execution.failures import time_reached
from flexmbs.study.execution.messages import Answer, Task, WorkerSettings
from flexmbs.study.execution.run_files import size_of, write_log
from flexmbs.study.execution.surroundings import host
from flexmbs.study.execution.watch import Watch
from flexmbs.study.run_key import current_versions
from flexmbs.study.run_record import FAILED, RunFailure, RunRecord
from flexmbs.study.store import Store

_START = 900.0  # s that a worker process has to be ready; on another machine it may have to compile the kernels
_UNLOCKED = 2.0  # s after which the lock of a run is free for certain if those who held it were killed
_LOOK = 0.1  # s between two looks at what a run uses
#: Answers of this file only: the process has died by accident, or was killed because of a limit.
_DIED, _OVER = "died", "over"


class SupervisedWorker:
    """Computes runs in a worker process, which is started when the first one comes and again when it has died.

    One thread calls ``run``; any thread may call ``interrupt``, ``kill`` and ``close``.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self.settings = settings
        self._store = Store(settings.study)
        self._store.open()
        self._child: ChildProcess | None = None
        self._interrupted = threading.Event()
        self._killed = False
        self._printed = ""  # by the process that has died

    def run(self, task: Task) -> Answer:
        """Have the run computed, again in a new process where one has died or the system has failed."""
        for attempt in range(self.settings.retries + 1):
            try:
                answer = self._attempt(task, last=attempt == self.settings.retries)
                if answer.status == _OVER:
                    return self._record_failure(task, answer)
            except FlexmbsError as error:
                return self._study_answer(task, error)
            except BaseException:  # Ctrl-C in a process that was given as an executor
                self.close()
                raise
            if answer.status not in (messages.AGAIN, _DIED):
                return answer
        times = f" ({self.settings.retries + 1} attempts)" if self.settings.retries else ""
        try:
            return self._record_failure(task, replace(answer, message=answer.message + times))
        except FlexmbsError as error:
            return self._study_answer(task, error)

    def _study_answer(self, task: Task, error: FlexmbsError) -> Answer:
        status = messages.STOPPED if self._interrupted.is_set() else messages.STUDY
        return Answer(task.key, status, kind=type(error).__name__, message=str(error))

    def interrupt(self) -> None:
        """Have the run that is being computed stopped as soon as its state is saved, and begin none any more."""
        self._interrupted.set()

    def kill(self) -> None:
        """End the process now; its run goes on from its last saved state another time."""
        self._interrupted.set()
        self._killed = True
        child = self._child
        if child is not None:
            child.kill()

    def begin_close(self) -> None:
        """Tell the process to end, without waiting."""
        if self._child is not None:
            self._child.close_input()

    def close(self) -> None:
        """End the process, which saves the state of a run first."""
        child, self._child = self._child, None
        if child is not None:
            child.close(self.settings.limits.grace)

    def _attempt(self, task: Task, last: bool) -> Answer:
        """One attempt; of status ``_DIED`` if its process has."""
        while not self._interrupted.is_set():
            child = self._ready_child()
            child.send({"run": task.key, "values": dict(task.values), "last": last})
            answer = self._wait(child, Watch(task.key, child, self._store.layout.work(task.key), self.settings.limits))
            if answer is not None:
                return answer
        return Answer(task.key, messages.STOPPED)

    def _wait(self, child: ChildProcess, watch: Watch) -> Answer | None:
        """The answer to a run; None if the process had ended, because it had nothing to do, before it got the run."""
        idle = False
        while True:
            try:
                line = child.line(_LOOK)
            except queue.Empty:
                if self._interrupted.is_set():
                    watch.stop(messages.INTERRUPT, "interrupted")
                watch.look()
                continue
            if line is None and idle:
                self._child = None
                child.end()
                return None
            if line is None:
                return self._after_death(child, watch)
            found = json.loads(line)
            if "idle" not in found:
                return Answer.from_json(line)
            idle = True

    def _after_death(self, child: ChildProcess, watch: Watch) -> Answer:
        """What the end of the process means: a limit whose message it did not heed, Ctrl-C, or an accident."""
        self._child = None
        self._printed = child.printed()
        ended = child.end()
        if self._killed or (watch.stopped and watch.stopped[0] == messages.INTERRUPT):
            return Answer(watch.key, messages.STOPPED)
        if watch.stopped:
            kind, message = watch.stopped
            return Answer(watch.key, _OVER, seconds=watch.seconds, kind=kind, message=f"{message}; {watch.how_it_went}")
        message = f"the worker process {ended}"
        return Answer(watch.key, _DIED, seconds=watch.seconds, kind="WorkerDied", message=message)

    def _record_failure(self, task: Task, answer: Answer) -> Answer:
        """Record a failed run in place of its dead process; the run may be in the hands of another one by now."""
        begin = time.monotonic()
        while (claim := self._store.claim(task.key, count=False)) is None:
            if time.monotonic() - begin > _UNLOCKED:
                return Answer(task.key, messages.BUSY)
            time.sleep(0.01)
        with claim:
            present = claim.present or self._store.record(task.key)
            if present is not None:
                return Answer(task.key, messages.PRESENT)
            failure = RunFailure(answer.kind, answer.message, "", time_reached(claim.folder))
            write_log(claim.folder, self._printed, (), failure)
            size = size_of(claim.folder)
            claim.fail(
                RunRecord(
                    key=task.key,
                    status=FAILED,
                    parameters=dict(task.values),
                    figures={},
                    seconds=answer.seconds,
                    attempts=claim.attempts,
                    host=host(),
                    versions=current_versions(),
                    failure=failure,
                )
            )
        return replace(answer, status=messages.FAILED, size=size)

    def _ready_child(self) -> ChildProcess:
        """The process, started and ready; StudyError if it cannot be, or refuses the study's case."""
        for attempt in range(self.settings.retries + 1):
            if self._child is not None:
                return self._child
            self._start(last=attempt == self.settings.retries)
        assert self._child is not None
        return self._child

    def _start(self, last: bool) -> None:
        """Start a process. One that is killed from outside before it is ready is an error if it is the ``last``."""
        self._child = child = ChildProcess(self.settings.threads)
        child.send(self.settings.to_json())
        line = self._first_line(child)
        if line is None:
            self._child = None
            printed = child.printed()
            ended = child.end()
            if self._interrupted.is_set():
                raise StudyError("interrupted")
            if last or not child.was_killed:
                raise StudyError(f"a worker process {ended} before its first run. It printed:\n{printed[-2000:]}")
            return
        answer = json.loads(line)
        if "refused" in answer:
            self._child = None
            child.close(self.settings.limits.grace)
            raise StudyError(answer["refused"])

    def _first_line(self, child: ChildProcess) -> bytes | None:
        """What the process says when it has loaded the case; None if it ends, or is interrupted, before."""
        begin = time.monotonic()
        while not self._interrupted.is_set():
            with suppress(queue.Empty):
                return child.line(_LOOK)
            if time.monotonic() - begin > _START:
                raise StudyError(f"a worker process was not ready after {_START:g} s: {child.printed()[-2000:]}")
        return None
