"""Runs of a study on their way to workers and back: settings and limits, tasks, answers. They are pickled as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from flexmbs.case.cases import Case, checked_parameters
from flexmbs.common.errors import StudyError
from flexmbs.common.progress import size_text
from flexmbs.study.failures import is_finite
from flexmbs.study.run_key import RunSpec, run_key
from flexmbs.study.run_record import RunRecord

# What came of a task, beside "finished" and "failed", which are recorded:
PRESENT = "present"  # recorded already, or by another process, since the scheduler looked
BUSY = "busy"  # another process is computing this run
STOPPED = "stopped"  # interrupted: state and finished steps are in the run's work folder, from which it goes on
AGAIN = "again"  # its process has died, or an error of the system that another attempt may not meet
STUDY = "study"  # the whole study has to stop: its case has changed, the disk is full, its folder cannot be used


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run; None: no limit. A run that exceeds one saves its state, and is recorded as failed.

    Attributes
    ----------
    wall_time : s, of one attempt
    memory : bytes, resident, of the worker process (about 160 MB before the run begins) and the processes it started
    disk : bytes, of the run's folder and what it printed
    grace : s that a run has to save its state before its process is killed
    """

    wall_time: float | None = None
    memory: float | None = None
    disk: float | None = None
    grace: float = 10.0

    def __post_init__(self) -> None:
        for name, unit in (("wall_time", "s"), ("memory", "bytes"), ("disk", "bytes"), ("grace", "s")):
            value = getattr(self, name)
            if value is None and name != "grace":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < math.inf:
                raise StudyError(f"limits: {name} must be a positive number ({unit}) or None, not {value!r}")

    def exceeded(self, seconds: float, memory: float, disk: float) -> tuple[str, str] | None:
        """Kind of the failure and its message, for the first limit that is exceeded; None if none is."""
        if self.wall_time is not None and seconds > self.wall_time:
            return "WallTime", f"the run took longer than its limit of {self.wall_time:g} s"
        if self.memory is not None and memory > self.memory:
            return "Memory", f"the run used {size_text(memory)} of memory; its limit is {size_text(self.memory)}"
        if self.disk is not None and disk > self.disk:
            return "DiskSpace", f"the run's folder grew to {size_text(disk)}; its limit is {size_text(self.disk)}"
        return None


@dataclass(frozen=True)
class WorkerSettings:
    """What all runs of a worker have in common.

    Attributes
    ----------
    study : absolute path of the study's folder
    spec : how each point is run
    call : of ``run_points``, so that two calls for one study on one cluster do not share their worker processes
    limits : of each run
    retries : how often a run is begun again after its process died or the system failed
    threads : threads of the linear algebra in each worker process
    directory : that relative paths in parameters start from
    path : where modules are looked for, behind the places that a worker process knows itself
    """

    study: str
    spec: RunSpec
    call: str
    limits: RunLimits
    retries: int
    threads: int
    directory: str
    path: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """One run that is to be there: its key, and the values of all parameters."""

    key: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came of a task.

    Attributes
    ----------
    key : of the task
    status : FINISHED, FAILED, or one of the words above
    not_finite : names of the figures that hold a nan or infinite number
    seconds : that the run took
    size : bytes that it left on disk
    kind, message, traceback : of the failure; the traceback only of one that is not recorded yet
    """

    key: str
    status: str
    not_finite: tuple[str, ...] = ()
    seconds: float = 0.0
    size: int = 0
    kind: str = ""
    message: str = ""
    traceback: str = ""


def task_of(case: Case, spec: RunSpec, values: Mapping[str, object]) -> Task:
    """The task for one point; CaseError for values that the case does not take."""
    parameters = asdict(checked_parameters(case, {**spec.fixed, **values}))
    return Task(run_key(spec, parameters), parameters)


def answer_of(record: RunRecord, size: int = 0) -> Answer:
    """The answer that a record is: of the run that has just been stored, or was there before."""
    odd = tuple(name for name, value in record.figures.items() if not is_finite(value))
    kind, message = ("", "") if record.failure is None else (record.failure.kind, record.failure.message)
    return Answer(record.key, record.status, odd, record.seconds, size, kind, message)
