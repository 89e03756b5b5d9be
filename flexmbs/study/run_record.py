"""The record of one run of a study - what was computed, from what, and what came of it - and run.json, which holds it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import read_file, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.stored_arrays import parsed_json
from flexmbs.common.user_warnings import warn_once

FINISHED, FAILED = "finished", "failed"
RECORD = "run.json"
_BRIEF = 0.1  # s; of a shorter run the record is not waited for
# Types of what others compute with or show.
_KINDS: dict[str, Any] = dict.fromkeys(("parameters", "figures", "stats", "files", "versions"), dict) | {"seconds": float | int}
_KINDS_OF_FAILURE: dict[str, Any] = dict.fromkeys(("kind", "message", "traceback"), str) | {"time": float | int | None}


@dataclass(frozen=True)
class RunFailure:
    """Why a run failed."""

    kind: str  #: class of the exception, or "WallTime", "Memory", "WorkerDied"
    message: str  #: what happened, in one or a few sentences
    traceback: str = ""  #: of the exception; empty if there is none
    time: float | None = None  #: simulated time that was reached, s; None if the run did not get to its first step


@dataclass(frozen=True)
class RunRecord:
    """One run, as run.json in its folder holds it."""

    key: str  #: name of the run: hash of all that determines its result
    status: str  #: "finished" or "failed"
    parameters: Mapping[str, object]  #: name -> value of every parameter of the case, as used
    #: name -> value, as the case returned them (plain numbers, text, lists); every digit is kept, also nan
    figures: Mapping[str, object]
    seconds: float  #: time that the attempt that ended it took, including the reduction of bodies and the writing of files
    attempts: int = 1  #: how often the run was begun
    stats: Mapping[str, object] = field(default_factory=dict)  #: statistics of the run (steps, seconds of its parts)
    warnings: tuple[str, ...] = ()  #: texts of the warnings that were issued
    files: Mapping[str, str] = field(default_factory=dict)  #: name of a parameter -> hash of the file that it names
    host: str = ""  #: where and with what it was computed; they are not part of the key
    versions: Mapping[str, str] = field(default_factory=dict)
    failure: RunFailure | None = None  #: why a failed run failed

    def to_json(self) -> str:
        """One line of JSON; nan and infinite values as NaN and Infinity, which Python's reader takes."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def parsed(cls, text: str | bytes, key: str, status: str = "") -> RunRecord:
        """The record in a line of JSON; ValueError with the reason if it is not that of ``key`` (and ``status``)."""
        try:
            values = parsed_json(text)
            failure = values.pop("failure", None)
            values.pop("peak_memory", 0)  # of the worker process, in records of flexmbs 0.1.0
            warnings = tuple(map(str, values.pop("warnings", ())))
            record = cls(**values, warnings=warnings, failure=failure and RunFailure(**failure))
            for part, kinds in ((record, _KINDS), (record.failure, _KINDS_OF_FAILURE)):
                for name, kind in kinds.items() if part else ():
                    if not isinstance(getattr(part, name), kind):
                        raise TypeError(f"{name} is {getattr(part, name)!r:.40}")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError("it is empty" if not text.strip() else f"it is not a record of a run ({error})") from None
        if record.key != key:
            raise ValueError(f"it is the record of another run, {record.key}")
        if record.status not in (FINISHED, FAILED) or (status and record.status != status):
            raise ValueError(f"its status is {record.status!r}, not {status or FINISHED!r}")
        return record

    def write(self, folder: Path) -> None:
        """Write run.json, and wait until it is on the disk, if the run took a tenth of a second or more.

        A brief run is computed again as quickly as a disk answers; after a crash of the machine (a kill loses nothing) its
        record may be empty, and it counts as not computed.
        Not under a temporary name: the folder gets its final name only after this, so nobody takes a part for the whole.
        """
        path = folder / RECORD
        try:
            path.unlink(missing_ok=True)  # a link would be followed
            with open(path, "xb") as file:
                file.write(self.to_json().encode() + b"\n")
                if self.seconds >= _BRIEF:
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            raise StudyError(f"{path}: cannot be written: {reason(error)}") from error

    @classmethod
    def read(cls, folder: Path, status: str = "") -> RunRecord | None:
        """The record in the folder of a run, whose name is its key; None if the folder is not there.

        A damaged one is named in a StudyWarning and counts as not there, so that the run is computed again.
        """
        try:
            return cls.parsed(read_file(folder / RECORD), folder.name, status)
        except (FileNotFoundError, NotADirectoryError):
            if not os.path.lexists(folder):
                return None
            wrong = "it is missing" if folder.is_dir() else "there is a file where the folder of a run is expected"
        except ValueError as error:
            wrong = str(error)
        except OSError as error:
            raise StudyError(f"{folder / RECORD}: cannot be read: {reason(error)}") from error
        warn_once(f"{folder / RECORD}: {wrong}; this run counts as not computed", StudyWarning)
        return None
