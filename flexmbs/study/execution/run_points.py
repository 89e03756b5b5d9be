"""Running the points of a study: what workers need is prepared, then the scheduler goes over the points."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from flexmbs.case.cases import Case, load_case
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.machine_code.load_objects import provide
from flexmbs.study.execution.dask_cluster import DaskExecutor
from flexmbs.study.execution.executors import GivenExecutor, LocalExecutor, RunExecutor
from flexmbs.study.execution.limits import RunLimits
from flexmbs.study.execution.messages import WorkerSettings
from flexmbs.study.execution.run_tasks import task_of
from flexmbs.study.execution.scheduler import OnAnswer, Scheduler
from flexmbs.study.execution.shards import Shard, shard_of
from flexmbs.study.execution.study_outcome import StudyOutcome
from flexmbs.study.execution.study_progress import StudyProgress
from flexmbs.study.run_key import RunSpec
from flexmbs.study.store import Store

#: What becomes of a study after a failed run.
ON_ERROR = ("skip", "stop", "nan")
_ADDRESSES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


def run_points(
    points: Sequence[Mapping[str, object]],
    store: Store,
    spec: RunSpec,
    *,
    case: Case | None = None,
    executor: object = None,
    workers: int | None = None,
    shard: str | tuple[int, int] | Shard | None = None,
    limits: RunLimits | None = None,
    retries: int = 2,
    on_error: str = "skip",
    retry_failed: bool = False,
    threads: int = 1,
    progress: Callable[[StudyProgress], object] | None = None,
    on_answer: OnAnswer | None = None,
) -> StudyOutcome:
    """Have each point computed whose run is not there yet.

    Parameters
    ----------
    points : parameter name -> value, for each point; only ``len`` and ``[i]`` are used, so it may be computed as needed
    store : of the study, which has been created
    spec : what all runs have in common
    case : the case of ``spec``, if it is loaded
    executor : None or "local": worker processes on this machine. "dask": a Dask cluster in this process; the address of
        a Dask scheduler ("tcp://..."); a ``distributed.Client``; any ``concurrent.futures.Executor``
    workers : runs at the same time on this machine; None: one for each processor
    shard : part of the points, (3, 40) or "3/40": every fortieth, beginning at the third
    limits : of each run
    retries : how often a run is begun again after its process died, or the system failed (a passing OSError)
    on_error : "skip": failed runs are recorded and counted; "nan": the same (the table has a row of nan for each);
        "stop": no run is begun after a failed one
    retry_failed : failed runs are computed again, from the state that they have saved
    threads : threads of the linear algebra in each worker process
    progress : gets a :class:`StudyProgress` up to ten times a second
    on_answer : gets the index of each point, as soon as its run is done, and the answer with its scalar figures

    Returns the counts. Failed runs and figures that are not finite are warned of.

    Raises
    ------
    StudyError
        The case file has changed, the disk is full, no executor answers, or a run failed (``on_error="stop"``). What is
        finished is stored.
    StudyInterrupted
        Ctrl-C, or SIGTERM (a KeyboardInterrupt). Runs that are going on save their state first.
    """
    if on_error not in ON_ERROR:
        raise StudyError(f"on_error={on_error!r}: it is one of {', '.join(ON_ERROR)}")
    _check_count("retries", retries, 0)
    _check_count("workers", workers, 1)
    _check_count("threads", threads, 1)
    indices = range(len(points)) if shard is None else shard_of(shard).indices(len(points))
    places = tuple(os.path.abspath(place) for place in sys.path)
    directory = spec.directory or os.getcwd()
    settings = WorkerSettings(
        str(store.folder), spec, limits or RunLimits(), retries, threads, directory, places, secrets.token_hex(4)
    )
    case = case or load_case(spec.case)
    found = executor_for(executor, settings, workers)
    try:
        with _sigterm_as_interrupt():
            if found.is_here:
                prepare_kernels()
            scheduler = Scheduler(
                store,
                found,
                partial(task_of, case, spec),
                on_error=on_error,
                retries=retries,
                retry_failed=retry_failed,
                progress=progress,
                on_answer=on_answer,
            )
            outcome = scheduler.run(points, indices)
    finally:
        found.close()
    warn(outcome.notices(), StudyWarning)
    return outcome


def executor_for(given: Any, settings: WorkerSettings, workers: int | None) -> RunExecutor:
    """Where runs are computed; StudyError for anything that is no executor."""
    if given is None or given == "local":
        return LocalExecutor(settings, workers)
    if isinstance(given, str) and given == "dask":
        return DaskExecutor(settings, None, workers)
    if isinstance(given, str) and given.startswith(_ADDRESSES):
        return DaskExecutor(settings, given)
    if isinstance(given, Executor):
        return GivenExecutor(settings, given, workers)
    if type(given).__module__.partition(".")[0] == "distributed" and hasattr(given, "get_executor"):
        return DaskExecutor(settings, given)
    raise StudyError(
        f"executor={given!r}: it is 'local', 'dask', the address of a Dask scheduler such as 'tcp://host:8786', a "
        "distributed.Client, or a concurrent.futures.Executor"
    )


def prepare_kernels() -> None:
    """Have the compiled kernels on this machine before several processes look for them."""
    with on_progress():
        stage("looking for the compiled kernels")
        provide()


def _check_count(name: str, value: object, least: int) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise StudyError(f"{name}={value!r}: it is a whole number, at least {least}")


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Within this context SIGTERM, by which queues announce the end of a job, does what Ctrl-C does."""
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
