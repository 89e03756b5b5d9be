"""The folder of a run while it is written: locked for other runs, and protected against accidental overwriting.

The writing process holds an operating-system lock on ``run.lock``, which is released when the process ends in any way,
so a killed run does not block the folder. On network file systems the lock is effective between machines if the file
system supports it (NFS from version 4, SMB); without any locks the run continues with a warning.
"""

from __future__ import annotations

import os
import secrets
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmbs.common.atomic_files import reason, remove_leftovers
from flexmbs.common.errors import MechanismWarning, ResultFolderError
from flexmbs.common.file_lock import FileLock
from flexmbs.result.chunks import chunk_files
from flexmbs.result.joined_file import lacks_its_state
from flexmbs.result.run_summary import MODEL, RESULT, STATE, SUMMARY, SYSTEM
from flexmbs.result.structure_store import run_of

LOCK = "run.lock"


def folder_path(folder: str | os.PathLike, argument: str = "out") -> Path:
    """Path of a result folder; ResultFolderError for an empty string, which would mean the current folder."""
    if not os.fspath(folder):
        raise ResultFolderError(f'{argument}="" is not a folder name (use "." for the current folder)')
    return Path(folder)


class ResultFolder(os.PathLike):
    """A result folder for one run: ``with ResultFolder("runs/a") as folder: system.simulate(1.0, out=folder)``.

    Data that belong together (a run, its summary, its plots) can be written under one lock in this way.
    """

    def __init__(self, folder: str | os.PathLike, *, force: bool = False, resume: bool = False, keep_short: bool = True) -> None:
        """``force``: a new run replaces an existing result; ``resume``: the existing run is continued.

        With ``keep_short=False`` a run that finishes before its first steps are due to be written (1 s) leaves no
        files: its result is in memory only, and ``holds_result`` stays false. A longer run, and one that fails or is
        interrupted, is written as always.
        """
        self.path = folder_path(folder)
        self.force, self.resume, self.keep_short = force, resume, keep_short
        self.holds_result = False  # whether the run has written its result, or a part of it
        self.run = ""  # identity of the run
        self._former: str | None = None  # identity of the run that this one replaces
        self._lock: FileLock | None = None
        self._made: list[Path] = []

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def __enter__(self) -> ResultFolder:
        """Create the folder, lock it and check its content.

        Raises
        ------
        ResultFolderError
            The folder cannot be written, another run is writing to it, or it holds a result (nothing is changed).
        """
        try:
            self._make()
            self._take_lock()
        except OSError as error:
            self.__exit__()
            raise ResultFolderError(f"{self.path}: cannot write to this folder: {reason(error)}") from error
        try:
            self._look()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        """Release the lock; remove the folder if it was created for this run and is empty."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        for part in self._made:
            with suppress(OSError):  # not empty
                part.rmdir()
        self._made = []

    def clear(self) -> None:
        """Remove the result of a previous run: its files and chunks; all other files stay."""
        if self._former is not None:
            remove_leftovers(self.path, self._former)
            for path in chunk_files(self.path, self._former).values():
                path.unlink(missing_ok=True)
        for name in (RESULT, STATE, SYSTEM, SUMMARY):
            (self.path / name).unlink(missing_ok=True)

    def leave_nothing(self) -> None:
        """Remove also model.h5 of the run that this one replaces: its own result stays in memory."""
        self.clear()
        (self.path / MODEL).unlink(missing_ok=True)

    def _make(self) -> None:
        missing = [part for part in (self.path, *self.path.parents) if not part.exists()]
        self.path.mkdir(parents=True, exist_ok=True)
        self._made = missing

    def _take_lock(self) -> None:
        lock = FileLock(self.path / LOCK)
        if not lock.acquire():
            raise ResultFolderError(
                f"{self.path}: another run is writing to this folder ({lock.holder()}); wait for it to end, or give another folder"
            )
        self._lock = lock
        if not lock.supported:
            warnings.warn(
                f"{lock.path}: this file system does not support locks: make sure that no other run writes to this folder",
                MechanismWarning,
                stacklevel=2,
            )
        lock.write()

    def _look(self) -> None:
        """Raise ResultFolderError if an existing result would be overwritten or cannot be resumed."""
        present = [name for name in (MODEL, RESULT, STATE, SYSTEM, SUMMARY) if os.path.lexists(self.path / name)]
        fresh = secrets.token_hex(4)
        if self.resume and MODEL in present:
            found = run_of(self.path / MODEL)
            if STATE in present and SYSTEM in present:
                self.run = found
                return
            first_only = RESULT not in present and len(chunk_files(self.path, found)) <= 1
            if first_only or (RESULT in present and lacks_its_state(self.path, found)):
                self.run, self._former = fresh, found  # killed before its first state was saved: start again
                return
            raise ResultFolderError(
                f"{self.path}: this run cannot be resumed because {STATE} or {SYSTEM} is missing; restore it from a "
                "backup, or replace the result with force=True (--force)"
            )
        if present and not self.force:
            raise ResultFolderError(
                f"{self.path}: already holds a result ({', '.join(present)}), which would be lost; give another "
                "folder, force=True (--force) to replace it, or resume=True (--resume) to continue the run"
            )
        self.run = fresh
        with suppress(ResultFolderError):  # damaged: chunks are kept, because their run cannot be identified
            self._former = run_of(self.path / MODEL) if MODEL in present else None


@contextmanager
def locked_result_folder(out, *, force: bool = False, resume: bool = False) -> Iterator[ResultFolder | None]:
    """The folder ``out`` locked as long as this lasts; what is locked already stays so afterwards; None for None."""
    if out is None or isinstance(out, ResultFolder):
        yield out
        return
    with ResultFolder(out, force=force, resume=resume) as folder:
        yield folder


@contextmanager
def numbered(base: Path, *, force: bool = False, resume: bool = False) -> Iterator[ResultFolder]:
    """A locked folder that need not be named: the first of ``base``, ``base``-2, ... that nothing is in.

    With ``resume`` the last of them that holds a run, with ``force`` ``base`` itself. Several processes that ask at
    once get different ones.
    """
    while True:  # until no other process is faster
        paths = [base]  # those that are there, then the first that is not
        while paths[-1].exists():
            paths.append(base.with_name(f"{base.name}-{len(paths) + 1}"))
        if resume:
            paths = [path for path in paths if (path / MODEL).exists()][-1:] or [base]
        elif not force:
            paths = [path for path in paths if not _holds_something(path)]
        if not paths:
            continue
        folder = ResultFolder(base if force else paths[0], force=force, resume=resume)
        try:
            folder.__enter__()
            break
        except ResultFolderError:
            if force or resume or not _holds_something(folder.path):
                raise
    try:
        yield folder
    finally:
        folder.__exit__()


def _holds_something(path: Path) -> bool:
    try:
        return any(path.iterdir())
    except FileNotFoundError:
        return False
    except OSError:  # a file, or what may not be read
        return True
