"""Files in the folder of a run."""

from __future__ import annotations

import os
from pathlib import Path

from flexmbs.common.atomic_files import write_bytes
from flexmbs.common.errors import StudyError
from flexmbs.study.store.layout import LOG
from flexmbs.study.store.run_record import RunFailure


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
