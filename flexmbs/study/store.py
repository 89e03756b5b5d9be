"""The folder of a study: what was run, what failed, and claims of what is to be run."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from flexmbs.common.atomic_files import read_file, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.progress import size_text
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.checks import ensure
from flexmbs.study.claim import GONE, LOCK, RUNS, WORK, Claim, Layout, acquired, is_key, move, remove
from flexmbs.study.packed_runs import PackedRuns
from flexmbs.study.run_record import FAILED, FINISHED, RECORD, RunRecord
from flexmbs.study.statement import Statement

UNPACKED = "unpacked"


@dataclass(frozen=True)
class StudyStatus:
    """Numbers of points of a study by what has become of them, and what it takes on disk."""

    folder: str  #: of the study
    points: int  #: all
    finished: int  #: points whose run is finished; failed; was begun and is going on or was cut off; was never begun
    failed: int
    begun: int
    missing: int
    packed: int  #: finished runs that are packed
    files: int  #: number and size of all files of the study
    bytes: int

    def __str__(self) -> str:
        parts = [f"{self.finished} finished" + (f" ({self.packed} of them packed)" if self.packed else "")]
        counts = ((self.failed, "failed"), (self.begun, "begun"), (self.missing, "to be computed"))
        parts += [f"{count} {what}" for count, what in counts if count]
        return f"{self.folder}: {self.points} points: {', '.join(parts)}; {self.files} files, {size_text(self.bytes)}"


class Store:
    """The runs of a study in ``folder``; any number of processes may use it at the same time."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.layout = Layout(self.folder)
        self._packed = PackedRuns(self.layout)

    def create_or_open(self, statement: Statement, *, accept_versions: bool = False) -> Statement:
        """Begin the study, or go on with it: the statement as it is stored now.

        StudyError if the folder holds another study, if the case file has changed, or if flexmbs has changed (unless
        ``accept_versions``); the first differences are named.
        """
        self._refuse_former_packs()
        stored = statement.stored_in(self.folder, accept_versions=accept_versions)
        self.tidy()
        return stored

    def open(self) -> Statement:
        """The statement of the study that is there; StudyError if there is none."""
        self._refuse_former_packs()
        return Statement.read(self.folder)

    def has(self, key: str) -> bool:
        """Whether the run is finished (and its record whole)."""
        return self.finished_record(key) is not None

    def finished_record(self, key: str) -> RunRecord | None:
        """The record of a finished run; None if there is none."""
        _require_key(key)
        return RunRecord.read(self.layout.finished(key), FINISHED) or self._packed.record(key)

    def record(self, key: str) -> RunRecord | None:
        """The record of a finished or failed run; None if there is none."""
        return self.finished_record(key) or RunRecord.read(self.layout.failed(key), FAILED)

    def records(self) -> Iterator[RunRecord]:
        """All records, each key once: finished runs, then failed ones. Reads them one by one; memory: 100 bytes a run."""
        seen: set[bytes] = set()
        # Folders first: what is packed meanwhile is found in one of them.
        for record in chain(self._read(RUNS, FINISHED), self._packed.records(), self._read(FAILED, FAILED)):
            key = bytes.fromhex(record.key)
            if key not in seen:
                seen.add(key)
                yield record

    def finished_keys(self) -> set[bytes]:
        """Keys of the finished runs, 16 bytes each; reads every record once, so that damaged ones do not count."""
        return {bytes.fromhex(record.key) for record in self._read(RUNS, FINISHED)} | self._packed.keys()

    def failed_keys(self) -> set[bytes]:
        """Keys of the failed runs, 16 bytes each."""
        failed = {bytes.fromhex(folder.name) for folder in self._folders(FAILED)}
        return {key for key in failed if not self.layout.finished(key.hex()).exists()} - self._packed.keys()

    def claim(self, key: str, *, count: bool = True) -> Claim | None:
        """The run, for this process alone; None if another process has it.

        ``count``: False for a process that does not begin the run, but only stores that it failed.
        """
        lock = acquired(self.layout.work(_require_key(key), LOCK))
        if lock is None:
            return None
        try:
            return Claim(key, self.layout, lock, self.finished_record, count)
        except BaseException as error:
            lock.release(remove=not lock.found)
            if isinstance(error, OSError):
                raise StudyError(f"{self.layout.work(key)}: cannot be written: {reason(error)}") from error
            raise

    def forget_failed(self, key: str) -> bool:
        """Let a failed run be tried again, from its last saved state; its attempts begin anew at zero.

        False if it is not among the failed ones (any more), or another process works on it.
        """
        failed, work = self.layout.failed(_require_key(key)), self.layout.work(key)
        lock = acquired(self.layout.work(key, LOCK))
        if lock is None:
            return False
        try:
            if not failed.exists():
                return False
            remove(work)  # of a claim after the failure, which began again and did not end
            move(failed, work)
            (work / RECORD).unlink(missing_ok=True)
        except OSError as error:
            raise StudyError(f"{failed}: cannot be moved: {reason(error)}") from error
        finally:
            lock.release()
        return True

    def files_of(self, key: str) -> Path:
        """The folder of a finished or failed run, for reading; packed runs are unpacked into ``unpacked`` once.

        StudyError if there is no such run.
        """
        for folder in (self.layout.finished(_require_key(key)), self.layout.failed(key)):
            if (folder / RECORD).exists():
                return folder
        found = self._packed.extracted(key, self.folder / UNPACKED)
        if found is None:
            raise StudyError(f"{self.folder}: there is no run {key}; 'flexmbs study table' lists the runs with their keys")
        return found

    def content_of(self, key: str, name: str) -> bytes | None:
        """One file of a finished or failed run, such as histories.npz, without unpacking; None if it has none."""
        for folder in (self.layout.finished(_require_key(key)), self.layout.failed(key)):
            try:
                return read_file(folder / name)
            except (FileNotFoundError, NotADirectoryError):
                pass
            except OSError as error:
                raise StudyError(f"{folder / name}: cannot be read: {reason(error)}") from error
        return self._packed.content_of(key, name)

    def pack(self, keys: Iterable[str] | None = None) -> int:
        """Put the folders of finished runs (all, or ``keys``) into one file, runs.sqlite; how many were packed.

        Their space is needed twice meanwhile. 0 with a StudyWarning if another process is packing this study.
        """
        if keys is None:
            return self._packed.add(self._folders(RUNS))
        folders = (self.layout.finished(_require_key(key)) for key in keys)
        return self._packed.add(folder for folder in folders if folder.is_dir())

    def tidy(self) -> None:
        """Remove what killed processes left and nobody needs; what other processes work on stays."""
        for name in entries(self.folder / WORK):
            key = name.removesuffix(LOCK)
            if name.endswith(GONE):
                remove(self.folder / WORK / name)
            elif name != key and is_key(key):
                finished, work = self.has(key), self.layout.work(key)
                ended = finished or (self.layout.failed(key).exists() and not work.exists())
                if ended and (lock := acquired(self.layout.work(key, LOCK))):
                    if finished:
                        self.layout.tidy(key)
                    lock.release()

    def status(self, points: Mapping[bytes, Sequence[int]]) -> StudyStatus:
        """What has become of the runs with these keys; ``points``: of each run. Visits every file."""
        begun = {name[:32] for name in entries(self.folder / WORK) if is_key(name[:32]) and not name.endswith(GONE)}
        known = {"finished": self.finished_keys(), "failed": self.failed_keys(), "begun": set(map(bytes.fromhex, begun))}
        count = dict.fromkeys((*known, "missing"), 0)
        for key, indices in points.items():
            count[next((what for what, keys in known.items() if key in keys), "missing")] += len(indices)
        files = size = 0
        for place, _, found in os.walk(self.folder):
            for name in found:
                with suppress(FileNotFoundError):  # moved meanwhile
                    size += os.lstat(os.path.join(place, name)).st_size
                    files += 1
        total = sum(count.values())
        return StudyStatus(str(self.folder), total, **count, packed=len(self._packed.keys()), files=files, bytes=size)

    def _read(self, place: str, status: str) -> Iterator[RunRecord]:
        records = (RunRecord.read(folder, status) for folder in self._folders(place))
        return (record for record in records if record is not None)

    def _folders(self, place: str) -> Iterator[Path]:
        """The folders of runs in ``runs`` or ``failed``, by key; what else is there is named in a StudyWarning."""
        for prefix in entries(self.folder / place):
            inside = self.folder / place / prefix
            runs = len(prefix) == 2 and inside.is_dir()
            for path in [inside / name for name in entries(inside)] if runs else [inside]:
                if runs and is_key(path.name) and path.name.startswith(prefix):
                    yield path
                else:
                    warn_once(f"{path}: is not a run of this study; it is ignored", StudyWarning)

    def _refuse_former_packs(self) -> None:
        """StudyError for the packs of flexmbs 0.1.0."""
        former = [name for name in entries(self.folder / "packs") if name.endswith(".zip")]
        right = "evaluate this study with that version, or remove the folder packs and run the study again"
        ensure(not former, f"{self.folder}: packs of flexmbs 0.1.0 ({', '.join(former[:1])}) are not read any more: {right}")


def entries(folder: Path) -> list[str]:
    """Names in a folder, sorted; none if it does not exist."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _require_key(key: str) -> str:
    ensure(is_key(key), f"{key!r} is not the key of a run, which has 32 hexadecimal digits")
    return key
