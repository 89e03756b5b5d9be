"""A worker process of a study, from the inside: it computes one run after the other, and is stopped by signals.

:mod:`flexmbs.study.pool` has loky call ``begin`` in a new process, then ``ready`` and ``compute`` for each run.
SIGINT (or SIGTERM) stops the run that is being computed: ``System.simulate`` saves finished steps and state, everything
else raises KeyboardInterrupt. Between two runs both do nothing.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from flexmbs.case.case_source import source_of
from flexmbs.case.cases import CaseOutcome, load_case, run_case
from flexmbs.common.atomic_files import reason, write_arrays, write_bytes
from flexmbs.common.errors import FlexmbsError, ResultFolderError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.machine_code.load_objects import load
from flexmbs.reduction.body_cache import bodies_kept_in_memory
from flexmbs.result.result import Result
from flexmbs.result.result_folder import ResultFolder
from flexmbs.study.checks import ensure
from flexmbs.study.claim import HISTORIES, LOG, Claim, remove
from flexmbs.study.run_key import RunSpec, current_versions, named_file_digests
from flexmbs.study.run_record import FAILED, FINISHED, RunFailure, RunRecord
from flexmbs.study.run_tasks import (
    AGAIN,
    BUSY,
    PRESENT,
    STOPPED,
    Answer,
    Task,
    WorkerSettings,
    answer_of,
    failure_of,
    is_disk_full,
    is_passing,
    plain,
    system_error,
    time_reached,
)
from flexmbs.study.store import Store

_PRINTED = 400_000  # bytes kept of a longer text that a run prints
_WARNINGS = 50  # texts kept of one run
_LOOK_AT_PARENT = 0.5  # s between two looks whether it lives
_UNLOCKED = 2.0  # s after which the lock of a run is free for certain if those who held it were killed

# Of this process: what computes, or why it does not; what lasts as long as the process; whether it has a task; whether
# the run of that task is to stop.
_worker: Worker | FlexmbsError | None = None
_kept = ExitStack()
_computing = _asked = False


def begin(settings: WorkerSettings, printed: str, parent: int) -> None:
    """Make this process a worker; what is wrong with it, ``ready`` says.

    ``printed``: file for what runs print, which is there after any end of the process; ``parent``: id of the process
    with which this one ends.
    """
    global _worker
    if sys.platform != "win32":
        os.setsid()  # Ctrl-C in a terminal reaches the parent only, and one signal all that a run has started
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # which the parent has blocked until now
    signal.signal(signal.SIGINT, _ask)
    signal.signal(signal.SIGTERM, lambda number, frame: signal.raise_signal(signal.SIGINT))
    append = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    for path, flags, descriptors in ((printed, append, (1, 2)), (os.devnull, os.O_RDONLY, (0,))):
        file = os.open(path, flags, 0o600)
        for descriptor in descriptors:
            os.dup2(file, descriptor)
        os.close(file)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True, errors="backslashreplace")  # type: ignore[union-attr]
    faulthandler.enable(2)  # a segmentation fault says where
    threading.Thread(target=_end_with, args=(parent, printed), daemon=True).start()
    os.environ.pop("PYTHONSAFEPATH", None)  # was for the start of this process, not for those that a case starts
    sys.path += [place for place in settings.path if place not in sys.path]
    with suppress(OSError):  # on another machine, where only parameters that name files relative to it need it
        os.chdir(settings.spec.directory or ".")
    try:
        _worker = Worker(settings, Path(printed))
    except FlexmbsError as error:
        _worker = error


def ready() -> None:
    """StudyError if this worker refuses the study."""
    if not isinstance(_worker, Worker):
        raise StudyError(str(_worker))


def compute(task: Task) -> Answer:
    """Compute a run unless it is there; what the case raises ends in the answer. StudyError for what ends the study."""
    global _computing, _asked
    assert isinstance(_worker, Worker)
    _computing, _asked = True, False
    try:
        return _worker.run(task)
    finally:
        _computing = False


def _ask(number: int, frame: object) -> None:
    """Handle SIGINT where a run cannot be interrupted."""
    global _asked
    _asked = True


@contextmanager
def _interruptible() -> Iterator[None]:
    """Within this context SIGINT, also one that has come since the task did, raises KeyboardInterrupt."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which System.simulate replaces by its own
    try:
        if _asked:
            raise KeyboardInterrupt
        yield
    finally:
        signal.signal(signal.SIGINT, _ask)


def _end_with(parent: int, printed: str) -> None:
    """End this process once its parent has gone, as soon as the state of its run is saved."""
    while os.getppid() == parent and psutil.pid_exists(parent):  # Windows does not change the number
        time.sleep(_LOOK_AT_PARENT)
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGINT)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # also where it sleeps
    while _computing:
        time.sleep(0.01)
    with suppress(OSError):
        os.unlink(printed)
    os._exit(0)


class Worker:
    """Computes runs of one study; StudyError if its case or flexmbs is not what the study began with."""

    def __init__(self, settings: WorkerSettings, printed: Path) -> None:
        self._store, self._spec, self._printed = Store(settings.study), settings.spec, printed
        statement = self._store.open()
        here, began = current_versions(), statement.versions[-1]
        if all(known["sources"] != here["sources"] for known in statement.versions):
            raise StudyError(
                f"the workers on {socket.gethostname()} have another flexmbs ({here['flexmbs']}, sources {here['sources']}) than "
                f"this study ({began['flexmbs']}, sources {began['sources']}); install the same on all machines, and do not "
                "change it while a study runs"
            )
        now = source_of(settings.spec.case)
        statement.require_same_case(settings.spec.case, now.digest, now.files, now.text, self._store.folder)
        self._case = load_case(settings.spec.case)
        load()
        _kept.enter_context(bodies_kept_in_memory())
        gc.collect()
        gc.freeze()  # modules and kernels, which stay: searches for the garbage of runs leave them out

    def run(self, task: Task) -> Answer:
        """See :func:`compute`."""
        started = time.perf_counter()
        try:
            claim = self._store.claim(task.key)
            if claim is None:
                return Answer(task.key, BUSY)
            with claim:
                if claim.present or self._store.record(task.key):
                    return Answer(task.key, PRESENT)
                return self._computed(claim, task, started)
        except Exception as error:
            raise _refusal(error) from None

    def _computed(self, claim: Claim, task: Task, started: float) -> Answer:
        os.truncate(self._printed, 0)
        issued: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as issued, _interruptible():
                warnings.simplefilter("default")
                outcome = self._outcome(claim.folder, task)
                figures, stats = plain(outcome.figures, "figure"), plain(outcome.stats, "statistic")
                if self._spec.histories:
                    _write_histories(outcome.result, self._spec, claim.folder)
        except BaseException as error:
            if isinstance(error, StudyError) or is_disk_full(error):
                raise _refusal(error) from None
            failure, seconds = failure_of(error, claim.folder), time.perf_counter() - started
            if isinstance(error, KeyboardInterrupt):
                claim.give_back()
                return Answer(task.key, STOPPED, seconds, failure)
            if is_passing(error):
                return Answer(task.key, AGAIN, seconds, failure)
            return _fail(claim, task, failure, seconds, self._printed, _texts(issued))
        files, seconds = named_file_digests(outcome.parameters, self._spec.directory), time.perf_counter() - started
        more = {"stats": stats, "warnings": _texts(issued), "files": files}
        record = _record(claim, FINISHED, outcome.parameters, seconds, figures, **more)
        del outcome  # its files are closed before their folder gets another name
        text = printed_in(self._printed)
        if self._spec.keep == "results" and text:
            write_bytes(claim.folder / LOG, text.encode(), StudyError)
        claim.finish(record, self._spec.keep)
        return answer_of(record)

    def _outcome(self, folder: Path, task: Task, *, again: bool = False) -> CaseOutcome:
        """Begin or resume the run; what cannot be resumed, because a file of it is damaged, is begun again."""
        try:
            with ResultFolder(folder, resume=True, keep_short=self._spec.keep == "results") as out:
                return run_case(self._case, task.values, out=out, storage=self._spec.storage)
        except ResultFolderError as error:
            if again or system_error(error) is not None or not folder.is_dir():
                raise
            print(f"the finished part of this run is not used: {error}")
        remove(folder)
        return self._outcome(folder, task, again=True)


def fail_run(
    store: Store, task: Task, failure: RunFailure, seconds: float = 0.0, printed: Path | None = None, *, count: bool = False
) -> Answer:
    """Record a failed run in place of its process; the run may be in the hands of another one by now.

    ``seconds`` that it took; ``printed``: file with what it printed; ``count``: the attempt, which the process has given
    back because it was stopped.
    """
    end = time.monotonic() + _UNLOCKED
    while (claim := store.claim(task.key, count=count)) is None:
        if time.monotonic() > end:
            return Answer(task.key, BUSY)
        time.sleep(0.01)
    with claim:
        if claim.present or store.record(task.key):
            return Answer(task.key, PRESENT)
        return _fail(claim, task, replace(failure, time=time_reached(claim.folder)), seconds, printed)


def printed_in(path: Path) -> str:
    """What has been printed into this file; of a very long text the end."""
    if not path.exists():  # its process has ended before that
        return ""
    with path.open("rb") as file:
        skipped = max(path.stat().st_size - _PRINTED, 0)
        file.seek(skipped)
        begin = f"... {skipped} bytes are left out here ...\n" if skipped else ""
        return begin + file.read().decode(errors="replace")


def _fail(
    claim: Claim, task: Task, failure: RunFailure, seconds: float, printed: Path | None, issued: Sequence[str] = ()
) -> Answer:
    """Record that a claimed run has failed, with all that it has printed."""
    record = _record(claim, FAILED, task.values, seconds, {}, warnings=tuple(issued), failure=failure)
    parts = [printed_in(printed) if printed else "", *(f"warning: {text}" for text in issued)]
    parts += [f"{failure.kind}: {failure.message}", failure.traceback]
    claim.folder.mkdir(parents=True, exist_ok=True)
    write_bytes(claim.folder / LOG, "\n".join(filter(None, parts)).encode(), StudyError)
    claim.fail(record)
    return answer_of(record)


def _record(claim: Claim, status: str, parameters: Any, seconds: float, figures: Any, **more: Any) -> RunRecord:
    more |= {"host": socket.gethostname(), "versions": current_versions()}
    return RunRecord(claim.key, status, dict(parameters), figures, seconds, claim.attempts, **more)


def _texts(issued: Sequence[warnings.WarningMessage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{one.category.__name__}: {one.message}" for one in issued))[:_WARNINGS]


def _refusal(error: BaseException) -> StudyError:
    """No failure of this run: the disk is full, the study's folder cannot be used, or what is asked for is wrong."""
    if isinstance(error, StudyError):
        return error
    found = system_error(error)
    text = f"{type(error).__name__}: {error}" if found is None else f"{found.filename or ''}: {reason(found)}".lstrip(": ")
    if is_disk_full(error):
        text += ". Runs that are finished are kept: free some space, and run the study again"
    return StudyError(text)


def _write_histories(result: Result | None, spec: RunSpec, folder: Path) -> None:
    """Write folder/histories.npz: "t" in s, each history that the study asks for, of shape (history_times,), and units.

    StudyError for a name that the result does not have: it is wrong for all runs (None: it has no motion).
    """
    if result is None:
        raise StudyError("histories: this case has no motion, so there are none")
    for name in spec.histories:
        ensure(name in result.names, f"histories: the case has no history {name!r}. {near_names(name, result.names)}")
    times = np.linspace(result.t[0], result.t[-1], spec.history_times)
    part = result.resampled(times)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"t": times, **{name: np.asarray(part[name]) for name in spec.histories}}
    arrays |= {f"{name} unit": np.array(result.unit(name)) for name in spec.histories}
    write_arrays(folder / HISTORIES, arrays, ResultFolderError, compressed=True)
