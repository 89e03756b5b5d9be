"""One run in the hands of one process: claimed, then finished, failed or left for another process.

What a process that is killed at any instant leaves behind is either the state before or the state after:

- ``work/KEY.lock`` with the number of attempts (nobody holds it any more), ``work/KEY`` with what was computed so far:
  the next claim continues from there;
- ``work/KEY`` with its run.json: complete, but not under its final name yet: the next claim gives it its name, unless
  the record is only a part;
- ``runs/xx/KEY`` and still ``work/KEY.lock``: the next claim, or the next start of the study, removes the latter.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flexmbs.common.atomic_files import read_file, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.checks import ensure
from flexmbs.study.run_record import FAILED, FINISHED, RECORD, RunRecord

HISTORIES, LOG = "histories.npz", "log.txt"
RUNS, WORK, DAMAGED = "runs", "work", "damaged"
#: Ends of names in ``work``: locks, and what is being removed.
LOCK, GONE = ".lock", ".gone"
_KEY = re.compile(r"[0-9a-f]{32}")
_PAUSES = (0.01, 0.05, 0.2, 1.0)  # s; virus scanners and indexers of Windows keep folders busy for moments


@dataclass(frozen=True)
class Layout:
    """Paths in the folder of a study (docs/studies.md), and moving folders between them."""

    folder: Path

    def finished(self, key: str) -> Path:
        return self.folder / RUNS / key[:2] / key

    def failed(self, key: str) -> Path:
        return self.folder / FAILED / key[:2] / key

    def work(self, key: str, end: str = "") -> Path:
        return self.folder / WORK / (key + end)

    def move_away(self, path: Path) -> None:
        """Remove a folder, if it is there, so that no other process ever sees a part of it."""
        if os.path.lexists(path):
            gone = self.work(path.name, f".{secrets.token_hex(4)}{GONE}")
            gone.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # another process was faster
                move(path, gone)
            shutil.rmtree(gone, ignore_errors=True)

    def tidy(self, key: str) -> None:
        """Remove what a finished run does not need any more; a failure to do so loses nothing."""
        for left in (self.work(key), self.failed(key)):
            with suppress(OSError):
                self.move_away(left)


class Claim:
    """A run that no other process works on as long as this one does: ``with claim: ... claim.finish(record)``.

    Made by :meth:`Store.claim`. Leaving the context without ``finish`` or ``fail`` keeps what was computed so far
    for the next claim; an attempt that ends by KeyboardInterrupt or SystemExit does not count.

    Attributes
    ----------
    key : name of the run
    folder : where it is computed (``run_case(..., out=claim.folder, resume=True)``); made by whoever writes to it first
    attempts : how often the run was begun and not given back, this time included; also counts killed processes
    present : the record, if the run was finished meanwhile: nothing is left to do
    """

    def __init__(
        self, key: str, layout: Layout, lock: FileLock, finished_record: Callable[[str], RunRecord | None], count: bool
    ) -> None:
        """Tidy what a killed process left, and count the attempt (``count``)."""
        self.key, self.folder = key, layout.work(key)
        self._layout, self._lock = layout, lock
        try:
            RunRecord.parsed(read_file(self.folder / RECORD), key, FINISHED)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except ValueError:  # half written, or why an earlier attempt failed
            (self.folder / RECORD).unlink()
        else:
            self._publish()
        self.present = finished_record(key)
        former = lock.found.get("attempts", 0)
        self._former = former if isinstance(former, int) else 0  # attempts before this one
        self.attempts = self._former + count
        if self.present is not None:
            layout.tidy(key)
        else:
            lock.write(attempts=self.attempts)

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_error: object) -> None:
        if kind is not None and not issubclass(kind, Exception):
            self.give_back()
        self.release()

    def finish(self, record: RunRecord, keep: str = "results") -> None:
        """Store a finished run; the result of a process that has stored the same run meanwhile stays.

        ``keep``: "results": all that is in ``folder``; "figures": the record, and histories.npz if it is there.
        StudyError if it cannot be written (the run is not finished then).
        """
        with self._storing(FINISHED):
            record.write(self.folder)
            for path in self.folder.iterdir() if keep == "figures" else ():  # after it: a kill leaves files too many
                if path.name not in (HISTORIES, RECORD):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            self._publish()
        self._layout.tidy(self.key)
        self.release(done=True)

    def fail(self, record: RunRecord) -> None:
        """Store why the run failed, with all that was computed so far (``failed/xx/KEY``)."""
        with self._storing(FAILED):
            record.write(self.folder)
            target = self._layout.failed(self.key)
            self._layout.move_away(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            move(self.folder, target)
        self.release(done=True)

    def give_back(self) -> None:
        """This attempt does not count: it was ended from outside, not by the run."""
        self.attempts = self._former
        if self._lock.held:
            with suppress(OSError):
                self._lock.write(attempts=self.attempts)

    def release(self, *, done: bool = False) -> None:
        """Let others claim the run; its attempts stay counted unless it is done. A second call does nothing."""
        self._lock.release(remove=done or self.present is not None or self.attempts == 0)

    @contextmanager
    def _storing(self, status: str) -> Iterator[None]:
        ensure(self._lock.held, f"run {self.key}: it is not claimed any more, so nothing can be stored for it")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            yield
        except OSError as error:
            raise StudyError(f"{self.folder}: the {status} run cannot be stored: {reason(error)}") from error

    def _publish(self) -> None:
        """Move the complete folder to its final name; what is damaged there goes aside, a whole run stays."""
        target = self._layout.finished(self.key)
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target):
            if RunRecord.read(target, FINISHED) is not None:
                return self._layout.move_away(self.folder)
            # Nothing is thrown away that somebody may want to look at.
            aside = self._layout.folder / DAMAGED / f"{target.name}.{secrets.token_hex(4)}"
            aside.parent.mkdir(exist_ok=True)
            move(target, aside)
            warn_once(f"{target}: was damaged, and is now {aside}; the run was computed again", StudyWarning)
        move(self.folder, target)


def acquired(path: Path) -> FileLock | None:
    """The lock ``path``, now held by this process; None if another one has it.

    StudyError if it cannot be written, and on a file system without locks, where runs would be computed twice.
    """
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not lock.acquire():
            return None
    except OSError as error:
        raise StudyError(f"{path}: cannot be written: {reason(error)}") from error
    if not lock.supported:
        lock.release()
        raise StudyError(f"{path}: this file system does not support locks; NFS needs version 4, Lustre the mount option flock")
    return lock


def is_key(name: str) -> bool:
    """Whether a name can be that of a run: 32 hexadecimal digits."""
    return _KEY.fullmatch(name) is not None


def move(source: Path, target: Path) -> None:
    """Rename a folder; OSError if the target exists and is not empty."""
    pauses = iter(_PAUSES if sys.platform == "win32" else ())
    while True:
        try:
            os.rename(source, target)
            return
        except PermissionError:
            pause = next(pauses, None)
            if pause is None or os.path.lexists(target):
                raise
            time.sleep(pause)


def remove(folder: Path) -> None:
    """Remove a folder of ours with all that is in it, if it is there."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
