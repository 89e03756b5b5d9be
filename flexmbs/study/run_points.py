"""Running the points of a study: what workers need is prepared, then the scheduler goes over the points, or a part of them."""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from flexmbs.case.cases import Case, load_case
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.names_in_messages import near_names
from flexmbs.common.progress import on_progress, stage
from flexmbs.common.user_warnings import warn
from flexmbs.machine_code.load_objects import provide
from flexmbs.study.pool import executor_for
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_tasks import RunLimits, WorkerSettings, task_of
from flexmbs.study.scheduler import Scheduler
from flexmbs.study.store import Store
from flexmbs.study.study_outcome import StudyOutcome, StudyProgress

_ON_ERROR = ("skip", "stop", "nan")


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
    progress: Callable[[StudyProgress], object] | None = None,
) -> StudyOutcome:
    """Have each point computed whose run is not there yet; the counts. Failed runs and figures not finite are warned of.

    Parameters
    ----------
    points : parameter name -> value, for each point; only ``len`` and ``[i]`` are used, so it may be computed as needed
    store : of the study, which has been created
    spec : what all runs have in common
    case : the case of ``spec``, if it is loaded
    figures : names of figures that the first finished run must have
    progress : gets a :class:`StudyProgress` up to ten times a second
    executor, workers, shard, limits, retries, on_error, retry_failed, threads : see :meth:`flexmbs.Study.run`

    Raises
    ------
    StudyError
        The case file has changed, the disk is full, no executor answers, a figure is unknown, or a run failed
        (``on_error="stop"``). What is finished is stored.
    StudyInterrupted
        Ctrl-C, or SIGTERM (a KeyboardInterrupt). Runs that are going on save their state first.
    """
    if on_error not in _ON_ERROR:
        raise StudyError(f"on_error={on_error!r}: it is one of {', '.join(_ON_ERROR)}")
    for name, value, least in (("retries", retries, 0), ("workers", workers, 1), ("threads", threads, 1)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise StudyError(f"{name}={value!r}: it is a whole number, at least {least}")
    number, count = (1, 1) if shard is None else shard_of(shard)
    places = tuple(os.path.abspath(place) for place in sys.path)
    call, directory = secrets.token_hex(4), spec.directory or os.getcwd()
    settings = WorkerSettings(str(store.folder), spec, call, limits or RunLimits(), retries, threads, directory, places)
    case = case or load_case(spec.case)

    def check(key: str) -> None:
        record = store.record(key)
        known = {} if record is None else record.figures
        for name in figures if known else ():
            if name.partition("[")[0] not in known:
                raise StudyError(f"the case {case.name} has no figure {name!r}. {near_names(name, known)}")

    with executor_for(executor, settings, workers) as found, _sigterm_as_interrupt():
        with on_progress():  # before several processes look for the compiled kernels
            stage("looking for the compiled kernels")
            provide()
        scheduler = Scheduler(
            store, found, partial(task_of, case, spec), check, on_error == "stop", retries, retry_failed, progress
        )
        outcome = scheduler.run(points, range(number - 1, len(points), count))
    warn(outcome.notices(), StudyWarning)
    return outcome


def shard_of(given: str | tuple[int, int]) -> tuple[int, int]:
    """Number (from 1) and count of a part that is given as "3/40" or (3, 40): every fortieth point, from the third."""
    try:
        number, count = (int(part) for part in (given.split("/") if isinstance(given, str) else given))
    except (TypeError, ValueError):
        raise StudyError(f"shard {given!r}: write number/count, such as 3/40, the third of forty parts") from None
    if not 1 <= number <= count:
        raise StudyError(f"shard {given!r}: the number of a part runs from 1 to their count; the first of 40 is 1/40")
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
