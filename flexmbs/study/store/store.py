"""The folder of a study: what was run, what failed, and claims of what is to be run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from flexmbs.common.atomic_files import read_file, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.store import run_record
from flexmbs.study.store.claim import Claim
from flexmbs.study.store.input_files import require_unchanged
from flexmbs.study.store.layout import (
    FAILED,
    GONE,
    INPUTS,
    LOCK,
    RECORD,
    RUNS,
    UNPACKED,
    WORK,
    Layout,
    entries,
    is_key,
    move,
    remove,
    run_folders,
)
from flexmbs.study.store.packing import pack_runs
from flexmbs.study.store.packs import Packs
from flexmbs.study.store.record_file import read_record
from flexmbs.study.store.recorded_inputs import RecordedInputs
from flexmbs.study.store.run_record import FINISHED, RunRecord
from flexmbs.study.store.statement import Statement


@dataclass(frozen=True)
class StoreSize:
    """What a study takes on disk.

    Attributes
    ----------
    finished, packed, failed, unfinished : numbers of runs; packed ones are among the finished ones
    files, bytes : number and size of all files
    """

    finished: int
    packed: int
    failed: int
    unfinished: int
    files: int
    bytes: int


class Store:
    """The runs of a study in ``folder``; any number of processes may use it at the same time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.layout = Layout(self.folder)
        self.inputs = RecordedInputs(self.folder / INPUTS)
        self._packs = Packs(self.layout.packs)

    def create_or_open(self, statement: Statement, *, accept_versions: bool = False) -> Statement:
        """Begin the study, or go on with it: the statement as it is stored now.

        StudyError if the folder holds another study, if the case file or a file that runs have read has changed, or
        if flexmbs has changed (unless ``accept_versions``); the first differences are named.
        """
        stored = statement.stored_in(self.folder, accept_versions=accept_versions)
        require_unchanged(self.inputs.recorded())
        self.tidy()
        return stored

    def open(self) -> Statement:
        """The statement of the study that is there; StudyError if there is none."""
        return Statement.read(self.folder)

    def has(self, key: str) -> bool:
        """Whether the run is finished (and its record whole)."""
        return self.finished_record(key) is not None

    def finished_record(self, key: str) -> RunRecord | None:
        """The record of a finished run; None if there is none."""
        _require_key(key)
        return read_record(self.layout.finished(key), FINISHED) or self._packs.record(key)

    def failed_record(self, key: str) -> RunRecord | None:
        """The record of a failed run; None if it is not among those that failed."""
        return read_record(self.layout.failed(_require_key(key)), run_record.FAILED)

    def record(self, key: str) -> RunRecord | None:
        """The record of a finished or failed run; None if there is none."""
        return self.finished_record(key) or self.failed_record(key)

    def records(self) -> Iterator[RunRecord]:
        """All records, each key once: finished runs, then failed ones. Reads them one by one.

        Memory: 100 bytes for each run that is not in a pack, 20 for each that is.
        """
        seen: set[bytes] = set()
        for record in self._read(RUNS, FINISHED):
            seen.add(bytes.fromhex(record.key))
            yield record
        yield from self._packs.records(seen)  # after the folders: what is packed meanwhile is found in one of them
        for record in self._read(FAILED, run_record.FAILED):
            if bytes.fromhex(record.key) not in seen and not self._packs.has(record.key):
                yield record

    def finished_keys(self) -> set[bytes]:
        """Keys of the finished runs, 16 bytes each; reads every record once, so that damaged ones do not count."""
        found = {bytes.fromhex(record.key) for record in self._read(RUNS, FINISHED)}
        return found | self._packs.keys()

    def failed_keys(self) -> set[bytes]:
        """Keys of the failed runs, 16 bytes each."""
        names = (folder.name for folder in run_folders(self.folder / FAILED))
        return {bytes.fromhex(key) for key in names if not self.layout.finished(key).exists() and not self._packs.has(key)}

    def begun_keys(self) -> set[bytes]:
        """Keys of the runs that are going on or were cut off, 16 bytes each."""
        names = {name[:32] for name in entries(self.folder / WORK) if not name.endswith(GONE)}
        return {bytes.fromhex(name) for name in names if is_key(name)}

    def claim(self, key: str, *, count: bool = True) -> Claim | None:
        """The run, for this process alone; None if another process has it.

        ``count``: False for a process that does not begin the run, but only stores that it failed.
        """
        lock = FileLock(self.layout.lock(_require_key(key)))
        if not _acquired(lock):
            return None
        if not lock.supported:
            warn_once(
                f"{self.folder}: this file system does not support locks. Two schedulers on this study may compute the "
                "same runs twice (one result of each is kept), and killed runs begin again",
                StudyWarning,
            )
        claim = Claim(key, self.layout, lock, self.inputs, self.finished_record)
        try:
            claim.begin(count)
        except OSError as error:
            claim.release()
            raise StudyError(f"{claim.folder}: cannot be written: {reason(error)}") from error
        except BaseException:
            claim.release()
            raise
        return claim

    def forget_failed(self, key: str) -> bool:
        """Let a failed run be tried again, from its last saved state; its attempts begin anew at zero.

        False if it is not among the failed ones (any more), or another process works on it.
        """
        lock = FileLock(self.layout.lock(_require_key(key)))
        if not _acquired(lock):
            return False
        try:
            if not self.layout.failed(key).exists():
                return False
            remove(self.layout.work(key))  # of a claim after the failure, which began again and did not end
            move(self.layout.failed(key), self.layout.work(key))
            (self.layout.work(key) / RECORD).unlink(missing_ok=True)
        except OSError as error:
            raise StudyError(f"{self.layout.failed(key)}: cannot be moved: {reason(error)}") from error
        finally:
            lock.release()
        return True

    def files_of(self, key: str) -> Path:
        """The folder of a finished or failed run, for reading; packed runs are unpacked into ``unpacked`` once.

        StudyError if there is no such run, or its pack is damaged.
        """
        for folder in (self.layout.finished(_require_key(key)), self.layout.failed(key)):
            if (folder / RECORD).exists():
                return folder
        found = self._packs.extracted(key, self.folder / UNPACKED)
        if found is None and not self.layout.finished(key).exists():
            raise StudyError(f"{self.folder}: there is no run {key}; 'flexmbs study table' lists the runs with their keys")
        return found or self.layout.finished(key)

    def content_of(self, key: str, name: str) -> bytes | None:
        """One file of a finished or failed run, such as histories.npz, without unpacking; None if it has none."""
        for folder in (self.layout.finished(_require_key(key)), self.layout.failed(key)):
            try:
                return read_file(folder / name)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError as error:
                raise StudyError(f"{folder / name}: cannot be read: {reason(error)}") from error
        return self._packs.content_of(key, name)

    def pack(self, keys: Iterable[str] | None = None, *, runs_per_pack: int = 10_000, bytes_per_pack: float = 2e9) -> int:
        """Put finished runs (all that are not packed yet, or ``keys``) into packs; how many were packed.

        A pack is full with ``runs_per_pack`` runs or ``bytes_per_pack``; that much space is needed meanwhile.
        0 with a StudyWarning if another process is packing this study.
        """
        return pack_runs(self.layout, self._packs, keys, runs_per_pack, bytes_per_pack)

    def tidy(self) -> None:
        """Remove what killed processes left and nobody needs; what other processes work on stays."""
        for name in entries(self.folder / WORK):
            path = self.folder / WORK / name
            if name.endswith(GONE):
                remove(path)
            elif name.endswith(LOCK) and is_key(name[: -len(LOCK)]):
                self._tidy_lock(name[: -len(LOCK)], FileLock(path))
            elif "~" in name and is_key(name[:32]) and self.has(name[:32]):
                self.layout.move_away(path)

    def _tidy_lock(self, key: str, lock: FileLock) -> None:
        """Remove the lock file of a run that has ended, if nobody holds it, and what is left of its work."""
        if self.has(key):
            claim = self.claim(key, count=False)
            if claim is not None:
                claim.release()
        elif self.layout.failed(key).exists() and not self.layout.work(key).exists() and lock.acquire():
            lock.release()

    def size(self) -> StoreSize:
        """Numbers of runs, files and bytes. Visits every file."""
        packed = self._packs.keys()
        names = {bytes.fromhex(folder.name) for folder in run_folders(self.folder / RUNS)}
        failed = len(self.failed_keys())
        work = sum(1 for name in entries(self.folder / WORK) if is_key(name[:32]) and not name.endswith((GONE, LOCK)))
        files = size = 0
        for place, _, found in os.walk(self.folder):
            for name in found:
                try:
                    size += os.lstat(os.path.join(place, name)).st_size
                    files += 1
                except FileNotFoundError:  # moved meanwhile
                    continue
        return StoreSize(len(names | packed), len(packed), failed, work, files, size)

    def _read(self, place: str, status: str) -> Iterator[RunRecord]:
        foreign: list[Path] = []
        for folder in run_folders(self.folder / place, foreign):
            record = read_record(folder, status)
            if record is not None:
                yield record
        for path in foreign:
            warn_once(f"{path}: is not a run of this study; it is ignored", StudyWarning)


def _acquired(lock: FileLock) -> bool:
    try:
        lock.path.parent.mkdir(parents=True, exist_ok=True)
        return lock.acquire()
    except OSError as error:
        raise StudyError(f"{lock.path}: cannot be written: {reason(error)}") from error


def _require_key(key: str) -> str:
    """The key; StudyError if it cannot be one."""
    if not is_key(key):
        raise StudyError(f"{key!r} is not the key of a run, which has 32 hexadecimal digits")
    return key
