"""The record of one run of a study: what was computed, from what, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from flexmbs.common.stored_arrays import parsed_json

FINISHED, FAILED = "finished", "failed"


@dataclass(frozen=True)
class RunFailure:
    """Why a run failed.

    Attributes
    ----------
    kind : class of the exception, or "WallTime", "Memory", "DiskSpace", "WorkerDied", "NotFinite"
    message : what happened, in one or a few sentences
    traceback : of the exception; empty if there is none
    time : simulated time that was reached, s; None if the run did not get to its first step
    """

    kind: str
    message: str
    traceback: str = ""
    time: float | None = None


@dataclass(frozen=True)
class RunRecord:
    """One run, as run.json in its folder holds it.

    Attributes
    ----------
    key : name of the run: hash of all that determines its result
    status : "finished" or "failed"
    parameters : name -> value of every parameter of the case, as used
    figures : name -> value, as the case returned them (plain numbers, text, lists); every digit is kept, also nan
    seconds : time that the attempt that ended it took, including the reduction of bodies and the writing of files
    attempts : how often the run was begun
    stats : statistics of the run (steps, seconds of its parts)
    warnings : texts of the warnings that were issued
    files : path -> hash of the content, for each file that the case has read
    host, versions : where and with what it was computed; they are not part of the key
    peak_memory : bytes, of the worker process so far; 0 if unknown
    failure : why a failed run failed
    """

    key: str
    status: str
    parameters: Mapping[str, object]
    figures: Mapping[str, object]
    seconds: float
    attempts: int = 1
    stats: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    host: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    peak_memory: int = 0
    failure: RunFailure | None = None

    def to_json(self) -> str:
        """One line of JSON; nan and infinite values as NaN and Infinity, which Python's reader takes."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> RunRecord:
        """The record that :meth:`to_json` wrote; ValueError, KeyError or TypeError for any other text."""
        values = parsed_json(text)
        failure = values.pop("failure", None)
        warnings = tuple(values.pop("warnings", ()))
        return cls(**values, warnings=warnings, failure=failure and RunFailure(**failure))
