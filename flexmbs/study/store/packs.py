"""Packs: many finished runs in one ZIP file, read without unpacking.

A pack begins with the member ``keys`` (the 16 bytes of each key, ascending), stored as it is, so that it is read
without the directory of the archive. ``records.jsonl`` holds a record a line in the same order; the files of the runs
follow as KEY/NAME.
"""

from __future__ import annotations

import os
import secrets
import shutil
import struct
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Set
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from flexmbs.common.atomic_files import reason
from flexmbs.common.errors import StudyError, StudyWarning
from flexmbs.common.user_warnings import warn_once
from flexmbs.study.store.layout import move, remove
from flexmbs.study.store.record_file import parsed_record, read_record
from flexmbs.study.store.run_record import FINISHED, RunRecord

KEYS, RECORDS, SUFFIX = "keys", "records.jsonl", ".zip"
_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, NotImplementedError)
_BLOCK = 1 << 20
_OPEN_PACKS = 4  # archives whose directories are held in memory


class Keys:
    """Ascending keys of 16 bytes each in one piece of memory."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __len__(self) -> int:
        return len(self._content) // 16

    def __iter__(self) -> Iterator[bytes]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, row: int) -> bytes:
        if not 0 <= row < len(self):
            raise IndexError(row)
        return self._content[16 * row : 16 * row + 16]

    @property
    def heads(self) -> npt.NDArray[np.uint64]:
        """The first eight bytes of each key as a number."""
        return np.frombuffer(self._content, ">u8")[::2].astype(np.uint64)

    def row(self, key: bytes) -> int | None:
        """The place of a key; None if it is not among them."""
        row = bisect_left(self, key)
        return row if row < len(self) and self[row] == key else None


class Pack:
    """One pack."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive: zipfile.ZipFile | None = None

    @cached_property
    def keys(self) -> Keys:
        """Keys of its runs; none, with a StudyWarning, if the pack is damaged."""
        try:
            return Keys(_first_member(self.path))
        except (OSError, *_DAMAGE) as error:
            self._warn(error)
            return Keys(b"")

    @cached_property
    def intact(self) -> bool:
        """Whether all records can be read; a StudyWarning if not. Reads them once."""
        try:
            with self.archive().open(RECORDS) as file:
                lines = 0
                while block := file.read(_BLOCK):
                    lines += block.count(b"\n")
            if lines != len(self.keys):
                raise ValueError(f"it has {lines} records for {len(self.keys)} keys")
            return True
        except (OSError, *_DAMAGE) as error:
            self._warn(error)
            return False

    def lines(self) -> Iterator[bytes]:
        """The records as lines of JSON, in the order of the keys."""
        with self.archive().open(RECORDS) as file:
            yield from file

    def archive(self) -> zipfile.ZipFile:
        if self._archive is None:
            self._archive = zipfile.ZipFile(self.path)
        return self._archive

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def _warn(self, error: Exception) -> None:
        why = reason(error) if isinstance(error, OSError) else error
        warn_once(
            f"{self.path}: this pack is damaged ({why}); its runs count as not computed. Restore it from a backup, or "
            "remove it and run the study again",
            StudyWarning,
        )


class Packs:
    """All packs of a study, looked up again at each call: other processes add some."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._packs: dict[tuple[str, int], Pack] = {}  # by name and number of the file
        self._heads = np.empty(0, np.uint64)  # of all keys, ascending
        self._recent: list[Pack] = []

    def all(self) -> list[Pack]:
        present = _pack_files(self.folder)
        if present != list(self._packs):
            for gone in self._packs.keys() - set(present):  # replaced, where it was damaged
                self._packs[gone].close()
            self._packs = {file: self._packs.get(file) or Pack(self.folder / file[0]) for file in present}
            heads = [pack.keys.heads for pack in self._packs.values()]
            self._heads = np.sort(np.concatenate(heads)) if heads else np.empty(0, np.uint64)
        return list(self._packs.values())

    def has(self, key: str) -> bool:
        return self._find(key) is not None

    def keys(self) -> set[bytes]:
        """The keys in all packs whose records are whole."""
        found: set[bytes] = set()
        for pack in self.all():
            if self._opened(pack).intact:
                found.update(pack.keys)
        return found

    def record(self, key: str) -> RunRecord | None:
        found = self._find(key)
        if found is None:
            return None
        pack, row = found
        return _checked(pack, next(islice(pack.lines(), row, None)), key)

    def records(self, seen: Set[bytes]) -> Iterator[RunRecord]:
        """The records in all packs, but those of ``seen`` and those that an earlier pack has too."""
        earlier: list[Pack] = []
        packs = self.all()
        repeated = set(self._heads[1:][self._heads[1:] == self._heads[:-1]].tolist())
        for pack in packs:
            if not self._opened(pack).intact:
                continue
            for key, line in zip(pack.keys, pack.lines(), strict=True):
                if key in seen:
                    continue
                if repeated and _head(key) in repeated and any(other.keys.row(key) is not None for other in earlier):
                    continue
                record = _checked(pack, line, key.hex())
                if record is not None:
                    yield record
            earlier.append(pack)

    def content_of(self, key: str, name: str) -> bytes | None:
        """A file of a packed run; None if it has none of this name. StudyError if it is damaged."""
        found = self._find(key)
        if found is None:
            return None
        try:
            archive = found[0].archive()
            try:
                member = archive.getinfo(f"{key}/{name}")
            except KeyError:
                return None
            return archive.read(member)
        except (OSError, *_DAMAGE) as error:
            raise _damaged(found[0], f"{key}/{name}", error) from error

    def extracted(self, key: str, target: Path) -> Path | None:
        """``target``/KEY with the files of a packed run, extracted if it is not there; None if no pack has it."""
        folder = target / key
        if folder.is_dir() and read_record(folder, FINISHED) is not None:
            return folder
        found = self._find(key)
        if found is None:
            return None
        pack, row = found
        temporary = target / f"{key}.{secrets.token_hex(4)}"
        try:
            temporary.mkdir(parents=True)
            archive = pack.archive()
            for name in archive.namelist():
                if name.startswith(f"{key}/"):
                    archive.extract(name, temporary)
            inner = temporary / key
            inner.mkdir(exist_ok=True)
            (inner / "run.json").write_bytes(next(islice(pack.lines(), row, None)))
            remove(folder)  # a damaged one
            with suppress(FileExistsError, PermissionError, OSError):  # another process was faster
                move(inner, folder)
        except OSError as error:
            raise StudyError(f"{temporary}: cannot be written: {reason(error)}") from error
        except _DAMAGE as error:
            raise _damaged(pack, key, error) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return folder

    def _find(self, key: str) -> tuple[Pack, int] | None:
        """The pack that holds a run, and the line of its record."""
        wanted = bytes.fromhex(key)
        packs = self.all()
        place = np.searchsorted(self._heads, np.uint64(_head(wanted)))
        if place == len(self._heads) or self._heads[place] != _head(wanted):
            return None
        for pack in packs:
            row = pack.keys.row(wanted)
            if row is not None and self._opened(pack).intact:
                return pack, row
        return None

    def _opened(self, pack: Pack) -> Pack:
        """The pack, with the archives closed that were not used for longest: their directories take memory."""
        if pack in self._recent:
            self._recent.remove(pack)
        self._recent.append(pack)
        while len(self._recent) > _OPEN_PACKS:
            self._recent.pop(0).close()
        return pack


def _pack_files(folder: Path) -> list[tuple[str, int]]:
    """Names and numbers of the packs in a folder, by name."""
    try:
        with os.scandir(folder) as found:
            return sorted(
                (entry.name, entry.inode())
                for entry in found
                if entry.name.endswith(SUFFIX) and not entry.name.startswith(".")
            )
    except FileNotFoundError:
        return []


def _head(key: bytes) -> int:
    return int.from_bytes(key[:8], "big")


def _checked(pack: Pack, line: bytes, key: str) -> RunRecord | None:
    try:
        return parsed_record(line, key, FINISHED)
    except ValueError as error:
        warn_once(f"{pack.path}: the record of run {key} is damaged ({error}); the run is left out", StudyWarning)
        return None


def _damaged(pack: Pack, what: str, error: Exception) -> StudyError:
    return StudyError(
        f"{pack.path}: {what} cannot be read from this pack ({error}); restore the pack from a backup, or remove it "
        "and run the study again"
    )


def _first_member(path: Path) -> bytes:
    """The content of the first member, which is stored as it is; ValueError or BadZipFile if the file is no pack."""
    with open(path, "rb") as file:
        header = file.read(_LOCAL_HEADER.size)
        if len(header) < _LOCAL_HEADER.size:
            raise ValueError("it is too short")
        magic, _, _, method, _, _, crc, size, _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        if magic != b"PK\x03\x04" or method != 0 or file.read(name_length) != KEYS.encode():
            raise ValueError("it does not begin with the keys of its runs")
        file.seek(extra_length, os.SEEK_CUR)
        content = file.read(size)
        if len(content) != size or zlib.crc32(content) != crc or size % 16:
            raise ValueError("the keys of its runs are damaged")
        file.seek(-22, os.SEEK_END)
        if file.read(4) != b"PK\x05\x06":
            raise ValueError("its end is missing")
        return content
