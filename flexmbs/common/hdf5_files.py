"""HDF5 files that are written whole or not at all, with a checksum ahead of what HDF5 reads.

HDF5 has a *user block* for that: its own content begins behind it, and every tool for HDF5 files skips it.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flexmbs.common.atomic_files import replacing
from flexmbs.common.errors import FlexmbsError

BLOCK = 512  # bytes, the least that HDF5 allows
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


@contextmanager
def writing_hdf5(path: str | Path, kind: type[FlexmbsError] = FlexmbsError, owner: str = "") -> Iterator[Any]:
    """An empty open h5py.File that takes the place of ``path`` once it is whole; ``kind`` when that cannot be done."""
    import h5py

    with replacing(path, kind, owner) as temporary, open(temporary, "x+b", buffering=0) as file:
        sink = _Sink(file)
        with h5py.File(sink, "w", userblock_size=BLOCK) as content:
            yield content
        if sink.error is not None:
            raise sink.error
        file.seek(BLOCK)
        header = _header(file)
        file.seek(0)
        file.write(header)


def damage(path: str | Path) -> str:
    """What is wrong with the content of a file of :func:`writing_hdf5`, or nothing: every byte is as it was written.

    Files of flexmbs 0.1.0 and of other tools have no checksum: nothing is said about them. OSError when ``path``
    cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        found = file.read(BLOCK)
        if found.startswith(_SIGNATURE):
            return ""
        return "" if found == _header(file) else "its content is not what was written (the checksum differs)"


def _header(file: io.RawIOBase) -> bytes:
    """The user block for what follows in ``file``."""
    digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return f"flexmbs: blake2b of all behind these {BLOCK} bytes: {digest}\n".encode().ljust(BLOCK, b" ")


class _Sink:
    """A file for h5py that never fails: HDF5 does not survive errors when it closes a file, so they are kept.

    After the first error nothing more is written.
    """

    def __init__(self, file: io.RawIOBase) -> None:
        self.error: OSError | None = None
        self._file = file

    def write(self, data: bytes) -> int:
        rest = memoryview(data).cast("B")
        size = len(rest)
        try:
            while self.error is None and len(rest):
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self.error = error
        return size

    def readinto(self, buffer: Any) -> int:
        """What was written; zeros where it could not be."""
        view = memoryview(buffer).cast("B")
        found = self._file.readinto(view) or 0
        view[found:] = bytes(len(view) - found)
        return len(view)

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def truncate(self, size: int | None = None) -> int:
        try:
            return self._file.truncate(size)
        except OSError as error:
            self.error = self.error or error
            return size or 0

    def flush(self) -> None:
        """Nothing is buffered."""
