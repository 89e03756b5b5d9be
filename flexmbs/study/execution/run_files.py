"""Files in the folder of a run, and its histories at evenly spaced times."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from flexmbs.common.atomic_files import write_arrays, write_bytes
from flexmbs.common.errors import ResultFolderError, StudyError
from flexmbs.common.names_in_messages import near_names
from flexmbs.result.result import Result
from flexmbs.study.claim import HISTORIES, LOG
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_record import RunFailure


def write_log(folder: Path, printed: str, issued: tuple[str, ...], failure: RunFailure) -> None:
    """Write what a failed run has printed, its warnings, and how it ended."""
    parts = [printed, *(f"warning: {text}" for text in issued), f"{failure.kind}: {failure.message}", failure.traceback]
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / LOG, "\n".join(filter(None, parts)).encode(), StudyError)


def size_of(folder: Path, name: str | None = None) -> int:
    """Bytes in the files of a folder, or in those called ``name``; those that vanish meanwhile count nothing."""
    total, waiting = 0, [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif name is None or entry.name == name:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return total


def has_files(folder: Path) -> bool:
    """Whether there is anything in a folder, which need not exist."""
    return folder.is_dir() and any(folder.iterdir())


def empty(folder: Path) -> None:
    """Remove the files of a folder."""
    for path in folder.iterdir():
        if path.is_file() or path.is_symlink():
            path.unlink()


def write_histories(result: Result | None, spec: RunSpec, folder: Path) -> None:
    """Write folder/histories.npz: "t" in s, each history that the study asks for, of shape (history_times,), and units.

    StudyError for a name that the result does not have: it is wrong for all runs (None: it has no motion).
    """
    if result is None:
        raise StudyError("histories: this case has no motion, so there are none")
    for name in spec.histories:
        if name not in result.names:
            raise StudyError(f"histories: the case has no history {name!r}. {near_names(name, result.names)}")
    times = np.linspace(result.t[0], result.t[-1], spec.history_times)
    part = result.resampled(times)
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {"t": times, **{name: np.asarray(part[name]) for name in spec.histories}}
    arrays |= {f"{name} unit": np.array(result.unit(name)) for name in spec.histories}
    write_arrays(folder / HISTORIES, arrays, ResultFolderError, compressed=True)
