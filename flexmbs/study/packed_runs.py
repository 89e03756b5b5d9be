"""Packed runs: records and files of finished runs in one SQLite file, where a million folders would be too many.

Table ``runs`` (key, record: run.json), table ``files`` (key, name, content). A run is written in one transaction with
others, and its folder removed after that: killed in between, it is in both, and counts once.
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator, Set
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import path_problem, reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.user_warnings import warn, warn_once
from flexmbs.study.claim import Layout, move, remove
from flexmbs.study.run_record import FINISHED, RECORD, RunRecord

PACK = "runs.sqlite"
_TABLES = (
    "CREATE TABLE IF NOT EXISTS runs (key BLOB PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS files (key BLOB NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL)",
    "CREATE INDEX IF NOT EXISTS files_of_run ON files (key)",
)
_LARGEST = 900_000_000  # bytes of a file that SQLite takes
_BATCH_RUNS, _BATCH_BYTES = 1000, 1 << 28  # of one transaction
_WAIT = 60.0  # s for another process that writes


class PackedRuns:
    """The pack of a study; other processes may add to it at any time."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self.path = layout, layout.folder / PACK
        self._reader: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None  # that it reads: device and number

    def has(self, key: str) -> bool:
        """Whether a run is packed."""
        return bool(self._rows("SELECT 1 FROM runs WHERE key = ?", key))

    def keys(self) -> set[bytes]:
        """The keys of all packed runs, 16 bytes each."""
        return {key for (key,) in self._rows("SELECT key FROM runs")}

    def record(self, key: str) -> RunRecord | None:
        """The record of a packed run; None if it is not packed."""
        return next((_parsed(self.path, key, text) for (text,) in self._rows("SELECT record FROM runs WHERE key = ?", key)), None)

    def records(self, seen: Set[bytes]) -> Iterator[RunRecord]:
        """The records of all packed runs but those of ``seen``, a thousand at a time."""
        last = b""
        while rows := self._rows("SELECT key, record FROM runs WHERE key > ? ORDER BY key LIMIT 1000", last):
            for key, text in rows:
                record = None if key in seen else _parsed(self.path, key.hex(), text)
                if record is not None:
                    yield record
            last = rows[-1][0]

    def content_of(self, key: str, name: str) -> bytes | None:
        """A file of a packed run; None if it has none of this name."""
        rows = self._rows("SELECT content FROM files WHERE key = ? AND name = ?", key, name)
        return bytes(rows[0][0]) if rows else None

    def extracted(self, key: str, target: Path) -> Path | None:
        """``target``/KEY with the files of a packed run, written if it is not there; None if it is not packed."""
        folder = target / key
        if folder.is_dir() and RunRecord.read(folder, FINISHED) is not None:
            return folder
        record = self.record(key)
        if record is None:
            return None
        temporary = target / f"{key}.{secrets.token_hex(4)}"
        try:
            for (name,) in self._rows("SELECT name FROM files WHERE key = ?", key):
                file = temporary / name
                if not file.resolve().is_relative_to(temporary.resolve()):  # of a file that was made elsewhere
                    raise StudyError(f"{self.path}: the run {key} names the file {name!r}, which is outside of its folder")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self.content_of(key, name) or b"")
            temporary.mkdir(parents=True, exist_ok=True)
            record.write(temporary)
            remove(folder)  # a damaged one
            with suppress(OSError):  # another process was faster
                move(temporary, folder)
        except OSError as error:
            raise StudyError(f"{temporary}: cannot be written: {reason(error)}") from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return folder

    def add(self, folders: Iterator[Path]) -> int:
        """Pack the folders of finished runs; how many. 0 with a StudyWarning if another process is packing."""
        lock = FileLock(self._layout.work("packing.lock"))
        lock.path.parent.mkdir(parents=True, exist_ok=True)
        if not lock.acquire():
            warn(f"{self._layout.folder}: another process is packing this study ({lock.holder()}); nothing was done", StudyWarning)
            return 0
        try:
            lock.write()
            with self._explained(), closing(sqlite3.connect(self.path, timeout=_WAIT)) as writer:
                writer.executescript("; ".join(("BEGIN", *_TABLES, "COMMIT")))
                count, batch, size = 0, list[Path](), 0
                for folder in folders:
                    size += self._insert(writer, folder, batch)
                    if len(batch) >= _BATCH_RUNS or size >= _BATCH_BYTES:
                        count, size = count + self._commit(writer, batch), 0
                return count + self._commit(writer, batch)
        finally:
            lock.release()

    def _insert(self, writer: sqlite3.Connection, folder: Path, batch: list[Path]) -> int:
        """Write a run, and append its folder to ``batch``; its bytes. Runs that cannot be packed stay as they are."""
        record = RunRecord.read(folder, FINISHED)
        if record is None:
            return 0
        files = [path for path in folder.rglob("*") if path.is_file() and path != folder / RECORD]
        if any(path.stat().st_size > _LARGEST for path in files):
            warn_once(f"{folder}: has a file of more than {_LARGEST / 1e6:.0f} MB, and stays as it is", StudyWarning)
            return 0
        key = bytes.fromhex(folder.name)
        contents = [(key, path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]
        writer.execute("DELETE FROM files WHERE key = ?", (key,))  # of a packer that was killed
        writer.execute("INSERT OR REPLACE INTO runs VALUES (?, ?)", (key, record.to_json().encode()))
        writer.executemany("INSERT INTO files VALUES (?, ?, ?)", contents)
        batch.append(folder)
        return sum(len(content) for *_, content in contents)

    def _commit(self, writer: sqlite3.Connection, batch: list[Path]) -> int:
        writer.commit()
        for folder in batch:
            with suppress(OSError):  # still read by somebody on Windows: it is removed by the next packing
                self._layout.move_away(folder)
        count = len(batch)
        batch.clear()
        return count

    def _rows(self, query: str, key: str | bytes = b"", *more: object) -> list[tuple[Any, ...]]:
        with self._explained():
            try:
                state = os.stat(self.path)
            except FileNotFoundError:
                return []
            if self._reader is None or self._file != (state.st_dev, state.st_ino):
                if wrong := path_problem(self.path):
                    raise sqlite3.DatabaseError(f"it {wrong}")
                if state.st_size == 0:  # a packer that was killed at once
                    return []
                # One connection for all threads: SQLite lets them in one by one.
                self._reader = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False, isolation_level=None)
                self._file = (state.st_dev, state.st_ino)
            given = (bytes.fromhex(key) if isinstance(key, str) else key, *more)
            return self._reader.execute(query, given if "?" in query else ()).fetchall()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StudyError(f"{self.path}: the packed runs cannot be read or written: {reason(error)}") from error
        except sqlite3.Error as error:
            raise StudyError(
                f"{self.path}: the packed runs cannot be read or written ({error}); free space if the disk is full, else restore "
                "the file from a backup, or remove it and run the study again"
            ) from error


def _parsed(path: Path, key: str, text: bytes) -> RunRecord | None:
    try:
        return RunRecord.parsed(text, key, FINISHED)
    except ValueError as error:
        warn_once(f"{path}: the record of run {key} is damaged ({error}); the run is left out", StudyWarning)
        return None
