"""One pack: many finished runs in one ZIP file, read without unpacking.

A pack begins with the member ``keys`` (the 16 bytes of each key, ascending), stored as it is, so that it is read
without the directory of the archive. ``records.jsonl`` holds a record a line in the same order, also stored as it is,
so that one record is read without those before it; the files of the runs follow as KEY/NAME.
"""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from flexmbs.common.atomic_files import path_problem, reason
from flexmbs.common.errors import StudyWarning
from flexmbs.common.user_warnings import warn_once

KEYS, RECORDS, SUFFIX = "keys", "records.jsonl", ".zip"
#: Errors of damaged archives.
DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, NotImplementedError)
_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_BLOCK = 1 << 20
_LINE_END = ord("\n")


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
        except (OSError, *DAMAGE) as error:
            self._warn(error)
            return Keys(b"")

    @property
    def intact(self) -> bool:
        """Whether all records can be read; a StudyWarning if not. Reads them once."""
        return self._ends is not None

    @cached_property
    def _ends(self) -> npt.NDArray[np.int64] | None:
        """Where each record ends in ``records.jsonl``, shape (runs,); None if they cannot all be read."""
        try:
            if self.archive().getinfo(RECORDS).compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{RECORDS} is compressed")
            found, size = [np.empty(0, np.int64)], 0
            with self.archive().open(RECORDS) as file:
                while block := file.read(_BLOCK):
                    found.append(np.flatnonzero(np.frombuffer(block, np.uint8) == _LINE_END) + (size + 1))
                    size += len(block)
            ends = np.concatenate(found)
            if len(ends) != len(self.keys):
                raise ValueError(f"it has {len(ends)} records for {len(self.keys)} keys")
            return ends
        except (OSError, *DAMAGE) as error:
            self._warn(error)
            return None

    def line(self, row: int) -> bytes:
        """One record as a line of JSON, of a pack that is intact."""
        ends = self._ends
        assert ends is not None
        begin = int(ends[row - 1]) if row else 0
        with open(self.path, "rb") as file:  # zipfile reads all that comes before
            file.seek(self._records_begin + begin)
            return file.read(int(ends[row]) - begin)

    @cached_property
    def _records_begin(self) -> int:
        """Where the content of ``records.jsonl`` begins in the file."""
        entry = self.archive().getinfo(RECORDS)
        with open(self.path, "rb") as file:
            file.seek(entry.header_offset)
            *_, name_length, extra_length = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
        return int(entry.header_offset + _LOCAL_HEADER.size + name_length + extra_length)

    def lines(self) -> Iterator[bytes]:
        """The records as lines of JSON, in the order of the keys."""
        with self.archive().open(RECORDS) as file:
            yield from file

    def archive(self) -> zipfile.ZipFile:
        if self._archive is None:
            _require_file(self.path)
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


def _require_file(path: Path) -> None:
    """ValueError for a pipe or a device, which may never end."""
    if path_problem(path):
        raise ValueError(f"it {path_problem(path)}")


def _first_member(path: Path) -> bytes:
    """The content of the first member, which is stored as it is; ValueError or BadZipFile if the file is no pack."""
    _require_file(path)
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
