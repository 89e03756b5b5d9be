"""Reading and writing run.json."""

from __future__ import annotations

import os
from pathlib import Path

from flexmbs.common.atomic_files import read_file, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.store.layout import RECORD
from flexmbs.study.store.run_record import FAILED, FINISHED, RunRecord

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)


def write_record(record: RunRecord, folder: Path) -> None:
    """Write run.json, and wait until it is on the disk.

    Not under a temporary name: the folder gets its final name only after this, so nobody takes a part for the whole.
    """
    path = folder / RECORD
    try:
        path.unlink(missing_ok=True)  # a link would be followed
        with open(path, "xb", buffering=0) as file:
            content = memoryview(record.to_json().encode() + b"\n")
            while content:
                content = content[file.write(content) :]
            os.fsync(file.fileno())
    except OSError as error:
        raise StudyError(f"{path}: cannot be written: {reason(error)}") from error


def parsed_record(text: bytes, key: str, status: str = "") -> RunRecord:
    """The record in a line of JSON; ValueError with the reason if it is not that of ``key`` (and ``status``)."""
    try:
        record = RunRecord.from_json(text)
    except _UNREADABLE as error:
        raise ValueError("it is empty" if not text.strip() else f"it is not a record of a run ({error})") from None
    if record.key != key:
        raise ValueError(f"it is the record of another run, {record.key}")
    if record.status not in (FINISHED, FAILED) or (status and record.status != status):
        raise ValueError(f"its status is {record.status!r}, not {status or FINISHED!r}")
    return record


def read_record(folder: Path, status: str = "") -> RunRecord | None:
    """The record in the folder of a run, whose name is its key; None if the folder is not there.

    A damaged one is named in a StudyWarning and counts as not there, so that the run is computed again.
    """
    try:
        return parsed_record(read_file(folder / RECORD), folder.name, status)
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
