"""One run, inside a worker process: claimed, computed by the case, and recorded."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexmbs.case.cases import Case, CaseOutcome, run_case
from flexmbs.common.atomic_files import reason, write_bytes
from flexmbs.common.errors import ResultFolderError, StudyError
from flexmbs.result.result_folder import ResultFolder
from flexmbs.study.claim import HISTORIES, LOG, Claim
from flexmbs.study.execution import messages
from flexmbs.study.execution.captured_output import begin_output, end_output, text_in
from flexmbs.study.execution.failures import (
    failure_of,
    is_disk_full,
    is_finite,
    is_passing,
    plain_mapping,
    scalars,
    system_error,
    time_reached,
)
from flexmbs.study.execution.messages import Answer, Task
from flexmbs.study.execution.run_files import empty, has_files, size_of, write_histories, write_log
from flexmbs.study.execution.stop_requests import StopRequests
from flexmbs.study.execution.surroundings import host, peak_memory
from flexmbs.study.run_key import RunSpec, current_versions
from flexmbs.study.run_record import FAILED, FINISHED, RunFailure, RunRecord
from flexmbs.study.store import Store

_WARNINGS = 50  # texts kept of one run


class RunComputer:
    """Computes runs of one study, one after the other, in the main thread of this process."""

    def __init__(self, store: Store, case: Case, spec: RunSpec, requests: StopRequests) -> None:
        self._store, self._case, self._spec, self._requests = store, case, spec, requests

    def run(self, task: Task, last: bool) -> Answer:
        """Compute a run unless it is there; ``last``: an error of the system is a failure, too.

        Whatever the case raises ends in the answer.
        """
        started = time.perf_counter()
        claim: Claim | None = None
        try:
            claim = self._store.claim(task.key)
            if claim is None:
                return Answer(task.key, messages.BUSY)
            with claim:
                present = claim.present or self._store.record(task.key)
                if present is not None:
                    return Answer(task.key, messages.PRESENT)
                return self._computed(claim, task, last, started)
        except StudyError as error:
            return Answer(task.key, messages.STUDY, message=str(error))
        except Exception as error:
            return self._store_failed(task, error)

    def _computed(self, claim: Claim, task: Task, last: bool, started: float) -> Answer:
        begin_output()
        try:
            with _collected_warnings() as issued, self._requests.listening(task.key):
                outcome = self._outcome(claim.folder, task)
                figures = plain_mapping(outcome.figures, "figure")
                stats = plain_mapping(outcome.stats, "statistic")
                if self._spec.histories:
                    write_histories(outcome.result, self._spec, claim.folder)
        except KeyboardInterrupt as error:
            self._requests.deaf()
            return self._stopped(claim, task, started, error)
        except StudyError:
            raise
        except BaseException as error:
            self._requests.deaf()
            return self._failed(claim, task, started, error, tuple(issued), last)
        record = self._record(
            claim, task, started, FINISHED, tuple(issued), parameters=outcome.parameters, figures=figures, stats=stats
        )
        del outcome  # its files are closed before their folder gets another name
        if self._spec.keep == "results":
            self._keep_output(claim.folder)
        size = len(record.to_json()) + size_of(claim.folder, None if self._spec.keep == "results" else HISTORIES)
        claim.finish(record, self._spec.keep)
        odd = tuple(name for name, value in figures.items() if not is_finite(value))
        return Answer(task.key, messages.FINISHED, scalars(figures), odd, record.seconds, size)

    def _outcome(self, folder: Path, task: Task) -> CaseOutcome:
        """Begin or resume the run; what cannot be resumed, because a file of it is damaged, is begun again."""
        try:
            return self._run_case(folder, task)
        except ResultFolderError as error:
            if system_error(error) is not None or not has_files(folder):
                raise
            print(f"the finished part of this run is not used: {error}")
        empty(folder)
        return self._run_case(folder, task)

    def _run_case(self, folder: Path, task: Task) -> CaseOutcome:
        with ResultFolder(folder, resume=True, keep_short=self._spec.keep == "results") as out:
            return run_case(self._case, task.values, out=out, storage=self._spec.storage)

    def _stopped(self, claim: Claim, task: Task, started: float, error: BaseException) -> Answer:
        """Answer for a run that has been interrupted: a failed run if it has exceeded a limit, else one to resume."""
        kind, message = self._requests.asked
        if kind == messages.INTERRUPT:
            claim.give_back()
            return Answer(task.key, messages.STOPPED, seconds=time.perf_counter() - started, message=message)
        failure = RunFailure(kind, message, failure_of(error, claim.folder).traceback, time_reached(claim.folder))
        return self._recorded(claim, task, started, failure, ())

    def _failed(
        self, claim: Claim, task: Task, started: float, error: BaseException, issued: tuple[str, ...], last: bool
    ) -> Answer:
        if is_disk_full(error):
            return self._store_failed(task, error)
        failure = failure_of(error, claim.folder)
        if is_passing(error) and not last:
            seconds = time.perf_counter() - started
            return Answer(task.key, messages.AGAIN, seconds=seconds, kind=failure.kind, message=failure.message)
        return self._recorded(claim, task, started, failure, issued)

    def _recorded(self, claim: Claim, task: Task, started: float, failure: RunFailure, issued: tuple[str, ...]) -> Answer:
        record = self._record(claim, task, started, FAILED, issued, failure=failure)
        end_output()
        write_log(claim.folder, text_in(2), issued, failure)
        size = size_of(claim.folder)
        claim.fail(record)
        return Answer(task.key, messages.FAILED, {}, (), record.seconds, size, failure.kind, failure.message)

    def _record(self, claim: Claim, task: Task, started: float, status: str, issued: tuple[str, ...], **more: object) -> RunRecord:
        content = {"parameters": dict(task.values), "figures": {}} | more
        return RunRecord(
            key=task.key,
            status=status,
            seconds=time.perf_counter() - started,
            attempts=claim.attempts,
            warnings=issued,
            host=host(),
            versions=current_versions(),
            peak_memory=peak_memory(),
            **content,  # type: ignore[arg-type]
        )

    def _keep_output(self, folder: Path) -> None:
        end_output()
        text = text_in(2)
        if text:
            write_bytes(folder / LOG, text.encode(), StudyError)

    def _store_failed(self, task: Task, error: BaseException) -> Answer:
        """The disk is full, or the study's folder cannot be used: no failure of this run."""
        found = system_error(error)
        text = f"{type(error).__name__}: {error}" if found is None else f"{found.filename or ''}: {reason(found)}"
        if is_disk_full(error):
            text = f"{text.lstrip(': ')}. Runs that are finished are kept: free some space, and run the study again"
        return Answer(task.key, messages.STUDY, kind=type(error).__name__, message=text.lstrip(": "))


@contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Texts of the warnings that are issued, each once."""
    texts: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        seen: set[str] = set()

        def note(message: Warning | str, category: type[Warning], filename: str, line: int, *_: object) -> None:
            text = f"{category.__name__}: {message}"
            if text not in seen and len(seen) < _WARNINGS:
                seen.add(text)
                texts.append(text)

        warnings.showwarning = note  # type: ignore[assignment]
        yield texts
