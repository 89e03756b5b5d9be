"""Packed runs: finished runs in one SQLite file, where a million folders would be too many.

Table ``runs``: key (16 bytes), record (run.json), files (its other files as a ZIP archive, or NULL). Runs are written in
transactions, and their folders removed after that: killed in between, a run is in both, and counts once.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import path_problem, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.user_warnings import warn, warn_once
from flexmbs.study.claim import Layout, acquired, move
from flexmbs.study.run_record import FINISHED, RECORD, RunRecord

_TABLE = "CREATE TABLE IF NOT EXISTS runs (key BLOB PRIMARY KEY, record BLOB NOT NULL, files BLOB)"
_LARGEST = 900_000_000  # bytes of a run's files that SQLite takes
_BATCH_RUNS, _BATCH_BYTES = 1000, 1 << 28  # of one transaction
_NO_FILES = b"PK\5\6" + bytes(18)  # an empty ZIP archive
_WAIT = 60.0  # s for another process that writes


class PackedRuns:
    """The packed runs of a study; other processes may add to them at any time."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self.path = layout, layout.folder / "runs.sqlite"

    def keys(self) -> set[bytes]:
        """The keys of all packed runs, 16 bytes each."""
        return {key for (key,) in self._rows("SELECT key FROM runs")}

    def record(self, key: str) -> RunRecord | None:
        """The record of a packed run; None if it is not packed."""
        found = self._rows("SELECT record FROM runs WHERE key = ?", bytes.fromhex(key))
        return self._parsed(key, found[0][0]) if found else None

    def records(self) -> Iterator[RunRecord]:
        """The records of all packed runs, read a thousand at a time."""
        last = b""
        while rows := self._rows("SELECT key, record FROM runs WHERE key > ? ORDER BY key LIMIT 1000", last):
            found = (self._parsed(key.hex(), text) for key, text in rows)
            yield from (record for record in found if record is not None)
            last = rows[-1][0]

    def content_of(self, key: str, name: str) -> bytes | None:
        """A file of a packed run; None if it has none of this name."""
        with self._explained(), self._archive(key) as archive:
            return archive.read(name) if name in archive.namelist() else None

    def extracted(self, key: str, target: Path) -> Path | None:
        """``target``/KEY with the files of a packed run, written if it is not there; None if it is not packed."""
        folder, temporary = target / key, target / f"{key}.{secrets.token_hex(4)}"
        if folder.is_dir():
            return folder
        if (record := self.record(key)) is None:
            return None
        try:
            temporary.mkdir(parents=True)
            with self._explained(), self._archive(key) as archive:
                archive.extractall(temporary)  # never outside of it
            record.write(temporary)
            with suppress(OSError):  # another process was faster
                move(temporary, folder)
        except OSError as error:
            raise StudyError(f"{temporary}: cannot be written: {reason(error)}") from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return folder

    def add(self, folders: Iterator[Path]) -> int:
        """Pack the folders of finished runs; how many. 0 with a StudyWarning if another process is packing."""
        path = self._layout.work("packing.lock")
        lock = acquired(path)
        if lock is None:
            holder = FileLock(path).holder()
            warn(f"{self._layout.folder}: another process is packing this study ({holder}); nothing was done", StudyWarning)
            return 0
        try:
            lock.write()
            with self._explained(), closing(sqlite3.connect(self.path, timeout=_WAIT)) as writer:
                writer.execute(_TABLE)
                batch, count, size = list[Path](), 0, 0
                for folder in folders:
                    if (written := self._insert(writer, folder)) is None:
                        continue
                    batch, count, size = [*batch, folder], count + 1, size + written
                    if len(batch) >= _BATCH_RUNS or size >= _BATCH_BYTES:
                        self._commit(writer, batch)
                        batch, size = [], 0
                self._commit(writer, batch)
                return count
        finally:
            lock.release()

    def _insert(self, writer: sqlite3.Connection, folder: Path) -> int | None:
        """Write a run; the bytes of its files, None if it stays as it is."""
        record = RunRecord.read(folder, FINISHED)
        files = [path for path in folder.rglob("*") if path.is_file() and path != folder / RECORD]
        size = sum(path.stat().st_size for path in files)
        if size > _LARGEST:
            warn_once(f"{folder}: has files of more than {_LARGEST / 1e6:.0f} MB, and stays as it is", StudyWarning)
        if record is None or size > _LARGEST:
            return None
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", strict_timestamps=False) as archive:
            for path in files:
                archive.write(path, path.relative_to(folder).as_posix())
        row = (bytes.fromhex(folder.name), record.to_json().encode(), content.getvalue() if files else None)
        writer.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?)", row)
        return size

    def _commit(self, writer: sqlite3.Connection, batch: list[Path]) -> None:
        writer.commit()
        for folder in batch:
            with suppress(OSError):  # still read by somebody on Windows: it is removed by the next packing
                self._layout.move_away(folder)

    def _archive(self, key: str) -> zipfile.ZipFile:
        """The files of a packed run; without any if it has none, or is not packed."""
        found = self._rows("SELECT files FROM runs WHERE key = ? AND files IS NOT NULL", bytes.fromhex(key))
        return zipfile.ZipFile(io.BytesIO(found[0][0] if found else _NO_FILES))

    def _rows(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        with self._explained():
            if not os.path.lexists(self.path):
                return []
            if wrong := path_problem(self.path):
                raise sqlite3.DatabaseError(f"it {wrong}")
            if self.path.stat().st_size == 0:  # a packer that was killed at once
                return []
            with closing(sqlite3.connect(self.path, timeout=_WAIT)) as reader:
                if reader.execute("SELECT type FROM sqlite_master WHERE name = 'runs'").fetchall() == [("view",)]:
                    raise sqlite3.DatabaseError("its table 'runs' is a view, which may be without end")
                return reader.execute(query, given).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zipfile.BadZipFile) as error:
            raise StudyError(
                f"{self.path}: the packed runs cannot be read or written ({error}); free space if the disk is full, else restore "
                "the file from a backup, or remove it and run the study again"
            ) from error

    def _parsed(self, key: str, text: bytes) -> RunRecord | None:
        try:
            return RunRecord.parsed(text, key, FINISHED)
        except ValueError as error:
            warn_once(f"{self.path}: the record of run {key} is damaged ({error}); the run is left out", StudyWarning)
            return None
