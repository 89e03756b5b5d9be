"""Worker processes of loky under supervision: their runs end within their limits, and a process that dies ends one run.

A pool of loky that loses a process ends all of them. Each slot is therefore a pool of one process, and whoever computes
n runs at the same time has n slots: one for each thread of this process, of a Dask worker, or of any executor of the
user that calls ``run_task``. Slots outlive the single task.
"""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
from loky.process_executor import BrokenProcessPool, ProcessPoolExecutor, ShutdownExecutorError

from flexmbs.common.errors import StudyError
from flexmbs.study.compute_run import begin, compute, fail_run, printed_in, ready
from flexmbs.study.run_record import RunFailure
from flexmbs.study.run_tasks import AGAIN, STOPPED, Answer, Task, WorkerSettings, answer_of
from flexmbs.study.store import Store

_LOOK = 0.1  # s between two looks at what a run uses
_FAR_BEYOND = 1.25  # times its limit of memory: a run that uses this is not waited for
_IDLE = 120.0  # s without a run, after which a process ends; the next run starts another one
_GONE = 5.0  # s that a killed process has to disappear
_CONNECT = 30.0  # s to reach a Dask scheduler
_ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")
_THREADS = ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "BLIS_NUM", "NUMBA_NUM", "VECLIB_MAXIMUM")
_DIED = (BrokenProcessPool, ShutdownExecutorError)


class Slot:
    """Computes runs in a process, which is started when the first one comes and again when it has died.

    One thread calls ``run``; any thread may call ``stop`` and ``close``.
    """

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings, self._store = settings, Store(settings.study)
        self._pool: ProcessPoolExecutor | None = None
        self._process: Any = None  # of loky, the last one that was seen
        self._running = threading.Lock()
        self._stopped = False
        self._printed = Path(tempfile.gettempdir(), f"flexmbs-run-{secrets.token_hex(8)}")  # made by the process
        self._at_exit = Finalize(None, self.close, exitpriority=1)  # of a process of the user's executor

    def run(self, task: Task) -> Answer:
        """The run, in a new process where one has died or the system has failed. StudyError for what ends the study."""
        with self._running:
            for _ in range(self._settings.retries + 1):
                answer = self._attempt(task)
                if answer.status != AGAIN:
                    return answer
        assert answer.failure is not None
        times = f" ({self._settings.retries + 1} attempts)" if self._settings.retries else ""
        failure = replace(answer.failure, message=answer.failure.message + times)
        return fail_run(self._store, task, failure, answer.seconds, self._printed)

    def stop(self, now: bool) -> None:
        """Have the run stopped as soon as its state is saved, or ``now``; none is begun any more."""
        self._stopped = True
        if now:
            self._kill()

    def close(self) -> None:
        """End the process, which saves the state of its run first."""
        self._stopped = True
        if self._running.acquire(timeout=self._settings.limits.grace + 1.0):  # _watched stops the run
            self._running.release()
        self._kill()
        if self._process is not None:
            self._process.join(_GONE)
        with suppress(OSError):
            self._printed.unlink()
        self._at_exit.cancel()

    def _attempt(self, task: Task) -> Answer:
        """One attempt; of status AGAIN if another one may succeed."""
        started, exceeded = time.perf_counter(), None
        running: list[Future[Answer]] = []
        try:
            pool = self._ready_pool()
            if pool is None:
                return Answer(task.key, STOPPED)
            running.append(future := pool.submit(compute, task))
            exceeded = self._watched(future)
            answer = future.result()
            if answer.status == STOPPED and exceeded is not None:
                failure = replace(exceeded, traceback=answer.failure.traceback if answer.failure else "")
                return fail_run(self._store, task, failure, answer.seconds, self._printed, count=True)
            return answer
        except _DIED:
            self._pool = None
        except BaseException:  # what ends the study, or Ctrl-C in a process that was given as an executor
            self._interrupt()
            wait(running, self._settings.limits.grace)
            self._kill()
            raise
        record, seconds = self._store.record(task.key), time.perf_counter() - started
        if record is not None:  # it has died between its record and its answer
            return answer_of(record)
        if self._stopped:
            return Answer(task.key, STOPPED)
        if exceeded is None:
            return Answer(task.key, AGAIN, seconds, RunFailure("WorkerDied", self._end()))
        return fail_run(self._store, task, exceeded, seconds, self._printed)

    def _watched(self, future: Future[Answer]) -> RunFailure | None:
        """Wait for a run, which is stopped after ``stop`` or beyond a limit; the failure that the latter is."""
        limits, exceeded, started, asked = self._settings.limits, None, time.perf_counter(), 0.0
        while not self._done(future):
            now = time.perf_counter()
            memory = 0 if limits.memory is None else self._memory()
            if not asked:
                exceeded = None if self._stopped else limits.exceeded(now - started, memory)
                if self._stopped or exceeded:
                    asked = now
                    self._interrupt()
                continue
            far_beyond = limits.memory is not None and memory > _FAR_BEYOND * limits.memory
            if far_beyond or now - asked > limits.grace:
                self._kill()
                late = "at once" if far_beyond else f"since it did not save its state within {limits.grace:g} s"
                return exceeded and replace(exceeded, message=f"{exceeded.message}; it was killed {late}")
        return exceeded

    def _ready_pool(self) -> ProcessPoolExecutor | None:
        """The pool, whose process is ready; None after ``stop``. StudyError if it cannot start, or refuses the study."""
        if self._pool is not None and not self._pool._processes:  # its process has ended, for want of runs
            self._kill()
        pool = self._pool
        if pool is None and not self._stopped:
            arguments = (self._settings, str(self._printed), os.getpid())
            variables = {f"{name}_THREADS": str(self._settings.threads) for name in _THREADS}
            variables["PYTHONSAFEPATH"] = "1"  # a file beside the user's that is called like a module of Python is none
            self._pool = pool = ProcessPoolExecutor(1, timeout=_IDLE, initializer=begin, initargs=arguments, env=variables)
            with _lock, _ctrl_c_and_daemons_aside():
                future = pool.submit(ready)
            while not self._done(future):
                if self._stopped:
                    return None
            try:
                future.result()
            except _DIED as error:
                if "killed" in (ended := self._end()):  # which may have been an accident
                    raise
                raise StudyError(f"{ended} before its first run. It printed:\n{printed_in(self._printed)[-2000:]}") from error
        return None if self._stopped else pool

    def _done(self, future: Future[Any]) -> bool:
        """Whether a call has been answered, or its process has died, within a tenth of a second."""
        if self._pool is not None:  # loky says in no other way which process it is
            self._process = next(iter(self._pool._processes.values()), self._process)
        if wait([future], _LOOK).done:
            return True
        if self._process is not None and self._process.exitcode is not None:
            self._kill_group()  # one that it had forked holds the pipe by which loky sees the end, and the lock of the run
        return False

    def _memory(self) -> int:
        """Resident memory of the process and of those that it has started, bytes; 0 once one has ended."""
        with suppress(psutil.Error):
            process = psutil.Process(self._process.pid)
            return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))
        return 0

    def _interrupt(self) -> None:
        if sys.platform == "win32":  # which has no signal for this: what is stored so far stays
            self._kill()
        elif self._process is not None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGINT)

    def _kill(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            if self._process is not None and self._process.exitcode is None:
                self._kill_group()
            pool.shutdown(wait=False, kill_workers=True)

    def _kill_group(self) -> None:
        if sys.platform != "win32":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _end(self) -> str:
        """How the process has ended."""
        code = None if self._process is None else self._process.exitcode
        if code is None or code >= 0:
            return "the worker process " + ("has died" if code is None else f"ended with exit code {code}")
        hint = " (the system may have run out of memory)" if -code == signal.SIGKILL else ""
        return f"the worker process was killed by {signal.Signals(-code).name}{hint}"


@contextmanager
def _ctrl_c_and_daemons_aside() -> Iterator[None]:
    """For the start of a process, which Ctrl-C in a terminal is not to reach before it has a session of its own.

    multiprocessing forbids children to daemonic processes, such as Dask's workers, since these could outlive them; ours
    end with their parent.
    """
    here = multiprocessing.current_process()
    is_daemon, here.daemon = here.daemon, False
    before = None if sys.platform == "win32" else signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        here.daemon = is_daemon
        if before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


_slots: dict[tuple[str, int], Slot] = {}  # of this process, by WorkerSettings.call and thread
_over: set[str] = set()  # calls for which no run is begun any more
_lock = threading.Lock()


def run_task(settings: WorkerSettings, task: Task) -> Answer:
    """Compute a task in the slot of this thread."""
    with _lock:
        if settings.call in _over:
            return Answer(task.key, STOPPED)
        place = settings.call, threading.get_ident()
        slot = _slots.get(place) or _slots.setdefault(place, Slot(settings))
    return slot.run(task)


def stop_tasks(call: str, now: bool) -> None:
    """Stop what this process computes for a call as soon as its states are saved, or ``now``; no run is begun any more."""
    with _lock:
        _over.add(call)
        slots = [slot for place, slot in _slots.items() if place[0] == call]
    for slot in slots:
        slot.stop(now)


def end_tasks(call: str) -> None:
    """End the worker processes for a call in this process; those that compute save their states first."""
    stop_tasks(call, now=False)
    with _lock:
        slots = [_slots.pop(place) for place in list(_slots) if place[0] == call]
    for slot in slots:
        slot.close()


@dataclass(frozen=True)
class RunExecutor:
    """Where runs are computed, as the scheduler needs it."""

    submit: Callable[[Task], Future[Answer]]  # has a task computed
    count: Callable[[], int]  # how many runs are computed at the same time, which may change on a cluster
    # has all runs stopped as soon as their states are saved, or at once (True). Processes of an executor of the user are not
    # reached: they have got Ctrl-C themselves, or finish the runs that they have begun
    stop: Callable[[bool], object]


@contextmanager
def executor_for(given: Any, settings: WorkerSettings, workers: int | None) -> Iterator[RunExecutor]:
    """Where runs are computed; StudyError for anything that is no executor. At the end its worker processes are ended."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    most = workers or getattr(given, "_max_workers", None) or processors
    with ExitStack() as made:
        if given is None or given == "local":
            given = made.enter_context(ThreadPoolExecutor(most, thread_name_prefix="flexmbs-run"))
        client = None if isinstance(given, Executor) else _dask_client(given, most, made)
        executor = given if client is None else client.get_executor(pure=False)

        def everywhere(function: Callable[..., object], *args: object) -> None:
            if client is None:
                function(*args)
            else:
                with suppress(OSError, TimeoutError):  # the cluster has gone: its processes end by themselves
                    client.run(function, *args, on_error="ignore")

        try:
            yield RunExecutor(
                submit=lambda task: executor.submit(run_task, settings, task),
                count=lambda: most if client is None else sum(client.nthreads().values()),
                stop=lambda now: everywhere(stop_tasks, settings.call, now),
            )
        finally:
            everywhere(end_tasks, settings.call)


def _dask_client(given: Any, threads: int, made: ExitStack) -> Any:
    """A client of the Dask cluster that is given as a client, by its address, or as "dask": one in this process."""
    if type(given).__module__.startswith("distributed.") and hasattr(given, "get_executor"):
        return given
    if not isinstance(given, str) or not (given == "dask" or given.startswith(_ADDRESSES)):
        raise StudyError(
            f"executor={given!r}: it is 'local', 'dask', the address of a Dask scheduler such as 'tcp://host:8786', a "
            "distributed.Client, or a concurrent.futures.Executor"
        )
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise StudyError("Dask is not installed: pip install 'flexmbs[cluster]', or leave out executor") from None
    cluster: Any = given
    if given == "dask":
        cluster = made.enter_context(LocalCluster(n_workers=1, threads_per_worker=threads, processes=False, dashboard_address=None))
    try:
        _ = urlsplit(given).port  # ValueError if it is no number: a client would take a minute to end with that
        return made.enter_context(Client(cluster, timeout=_CONNECT, set_as_default=False))
    except (OSError, ValueError) as error:
        raise StudyError(f"no Dask scheduler answers at {given}: {error}") from None
