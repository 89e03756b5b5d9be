"""What a scheduler, its worker processes and executors tell each other: small plain values, as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from flexmbs.study.execution.limits import RunLimits
from flexmbs.study.run_key import RunSpec

FINISHED, FAILED = "finished", "failed"
#: The record was there already, or came from another process, since the scheduler looked.
PRESENT = "present"
#: Another process is computing this run.
BUSY = "busy"
#: Interrupted: state and finished steps are in the run's work folder, from which it goes on.
STOPPED = "stopped"
#: An error of the system that another attempt may not meet; what is finished is in the work folder.
AGAIN = "again"
#: The whole study has to stop: its case has changed, the disk is full, its folder cannot be used.
STUDY = "study"

#: Reason of a stop that is nobody's failure: Ctrl-C, the end of the parent process.
INTERRUPT = "interrupt"


@dataclass(frozen=True)
class WorkerSettings:
    """What all runs of a worker have in common.

    Attributes
    ----------
    study : absolute path of the study's folder
    spec : how each point is run
    limits : of each run
    retries : how often a run is begun again after its process died or the system failed
    threads : threads of the linear algebra in each worker process
    directory : that relative paths in parameters start from
    path : where modules are looked for, behind the places that a worker process knows itself
    call : of ``run_points``, so that two calls for one study on one cluster do not share their worker processes
    """

    study: str
    spec: RunSpec
    limits: RunLimits = field(default_factory=RunLimits)
    retries: int = 2
    threads: int = 1
    directory: str = ""
    path: tuple[str, ...] = ()
    call: str = ""

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> WorkerSettings:
        """The settings that :meth:`to_json` wrote."""
        values = json.loads(text)
        spec = values.pop("spec")
        spec["histories"] = tuple(spec["histories"])
        limits, path = RunLimits(**values["limits"]), tuple(values["path"])
        return cls(**values | {"spec": RunSpec(**spec), "limits": limits, "path": path})


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
    status : one of the words above
    figures : those that are single numbers, texts or None
    not_finite : names of the figures that hold a nan or infinite number
    seconds : that the run took
    size : bytes that it left on disk
    kind, message : of the failure, or why it was stopped
    """

    key: str
    status: str
    figures: Mapping[str, Any] = field(default_factory=dict)
    not_finite: tuple[str, ...] = ()
    seconds: float = 0.0
    size: int = 0
    kind: str = ""
    message: str = ""

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str | bytes) -> Answer:
        """The answer that :meth:`to_json` wrote."""
        values = json.loads(text)
        return cls(**values | {"not_finite": tuple(values["not_finite"])})
