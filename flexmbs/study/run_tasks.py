"""Runs of a study on their way to workers and back - settings, limits, tasks, answers - and what an exception in one means."""

from __future__ import annotations

import errno
import math
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from flexmbs.case.cases import Case, checked_parameters
from flexmbs.common.errors import CaseError, FlexmbsError
from flexmbs.common.progress import size_text
from flexmbs.result.run_summary import STATE
from flexmbs.result.saved_state import load_state
from flexmbs.study.checks import number_of
from flexmbs.study.run_key import RunSpec, run_key
from flexmbs.study.run_record import RunFailure, RunRecord

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Errors of the system that mean the same at every attempt: a file that is not there, or may not be read.
_LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError)

# What came of a task, beside "finished" and "failed", which are recorded. What concerns the whole study is raised as a
# StudyError: its case has changed, the disk is full, its folder cannot be used.
PRESENT = "present"  # recorded already, or by another process, since the scheduler looked
BUSY = "busy"  # another process is computing this run
STOPPED = "stopped"  # interrupted: state and finished steps are in the run's work folder, from which it goes on
AGAIN = "again"  # its process has died, or an error of the system that another attempt may not meet


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run; None: no limit. A run that exceeds one saves its state, and is recorded as failed."""

    wall_time: float | None = None  #: s, of one attempt
    #: bytes, resident, of the worker process (about 160 MB before the run begins) and the processes it started
    memory: float | None = None
    grace: float = field(default=10.0, kw_only=True)  #: s that a run has to save its state before its process is killed

    def __post_init__(self) -> None:
        for name, unit in (("wall_time", "s"), ("memory", "bytes"), ("grace", "s")):
            if name == "grace" or getattr(self, name) is not None:
                number_of(getattr(self, name), f"limit {name} ({unit}) of a run", above=0.0)

    def exceeded(self, seconds: float, memory: float) -> RunFailure | None:
        """The failure of a run that has taken these s and bytes; None within the limits."""
        if self.wall_time is not None and seconds > self.wall_time:
            return RunFailure("WallTime", f"the run took longer than its limit of {self.wall_time:g} s")
        if self.memory is not None and memory > self.memory:
            return RunFailure("Memory", f"the run used {size_text(memory)} of memory; its limit is {size_text(self.memory)}")
        return None


@dataclass(frozen=True)
class WorkerSettings:
    """What all runs of a worker have in common."""

    study: str  # absolute path of the study's folder
    spec: RunSpec  # how each point is run
    call: str  # of ``run_points``, so that two calls for one study on one cluster do not share their worker processes
    limits: RunLimits  # of each run
    retries: int  # how often a run is begun again after its process died or the system failed
    threads: int  # threads of the linear algebra in each worker process
    path: tuple[str, ...]  # where modules are looked for, behind the places that a worker process knows itself


@dataclass(frozen=True)
class Task:
    """One run that is to be there: its key, and the values of all parameters."""

    key: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came of a task."""

    key: str  # of the task
    status: str  # FINISHED, FAILED, or one of the words above
    seconds: float = 0.0  # that the run took
    failure: RunFailure | None = None  # if it has failed, or may succeed AGAIN
    not_finite: tuple[str, ...] = ()  # names of the figures that hold a nan or infinite number


def task_of(case: Case, spec: RunSpec, values: Mapping[str, object]) -> Task:
    """The task for one point; CaseError for values that the case does not take."""
    used = checked_parameters(case, {**spec.fixed, **values})
    parameters = {entry.name: getattr(used, entry.name) for entry in fields(used)}
    return Task(run_key(spec, parameters), parameters)


def answer_of(record: RunRecord) -> Answer:
    """The answer that a record is: of the run that has just been stored, or was there before."""
    odd = tuple(name for name, value in record.figures.items() if not is_finite(value))
    failure = record.failure and replace(record.failure, traceback="")  # which is long, and in the record
    return Answer(record.key, record.status, record.seconds, failure, odd)


def system_error(error: BaseException | None) -> OSError | None:
    """The error of the operating system that an exception is, or that it was raised from; None if there is none."""
    while error is not None and not isinstance(error, OSError):
        error = error.__cause__
    return error


def is_disk_full(error: BaseException) -> bool:
    """Whether there was no space left for a file."""
    found = system_error(error)
    return found is not None and found.errno in _DISK_FULL


def is_passing(error: BaseException) -> bool:
    """Whether another attempt may succeed: an error of the system that is no lasting property of the run."""
    found = system_error(error)
    return found is not None and not isinstance(found, _LASTING)


def failure_of(error: BaseException, folder: Path) -> RunFailure:
    """What the record of a failed run says of its exception; ``folder`` holds its saved state, if there is one."""
    kind = "Memory" if isinstance(error, MemoryError) else type(error).__name__
    text = str(error) or ("no memory was left" if kind == "Memory" else kind)
    result = getattr(error, "result", None)
    time = time_reached(folder) if result is None or not len(result.t) else float(result.t[-1])
    return RunFailure(kind, text, "".join(traceback.format_exception(error)), time)


def time_reached(folder: Path) -> float | None:
    """Simulated time of the state that a run has saved, s; None without one."""
    with suppress(FlexmbsError, OSError, ValueError):
        if (folder / STATE).exists():
            return float(load_state(folder).t)
    return None


def plain(value: object, name: str) -> Any:
    """``value`` as numbers, texts, None, lists and mappings of them; CaseError, with ``name``, for anything else.

    Numbers that are not finite stay what they are.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufUS":
        return value.astype(str).tolist() if value.dtype.kind == "S" else value.tolist()
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item, f"{name}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    found = type(value).__name__
    raise CaseError(f"{name} is a {found}; only numbers, texts, None, lists and mappings of these can be stored")


def is_finite(value: object) -> bool:
    """Whether no number in a plain value is nan or infinite."""
    if isinstance(value, Mapping | list):
        return all(map(is_finite, value.values() if isinstance(value, Mapping) else value))
    return not isinstance(value, float) or math.isfinite(value)
