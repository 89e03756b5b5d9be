"""HDF5 files written atomically, with a checksum in their user block, which all HDF5 tools skip."""

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

BLOCK = 512  # bytes, the minimum that HDF5 allows
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


@contextmanager
def writing_hdf5(path: str | Path, kind: type[FlexmbsError] = FlexmbsError, owner: str = "") -> Iterator[Any]:
    """An empty open h5py.File that replaces ``path`` once it is complete; raises ``kind`` on failure."""
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
    """What is wrong with the content of a file of :func:`writing_hdf5`; empty if every byte is as it was written.

    Files of other tools have no checksum and are not checked. OSError if ``path`` cannot be read.
    """
    with open(path, "rb", buffering=0) as file:
        found = file.read(BLOCK)
        if found.startswith(_SIGNATURE):
            return ""
        return "" if found == _header(file) else "its content has changed since it was written (checksum mismatch)"


def refuse_external_links(file: Any) -> None:
    """ValueError if an open h5py.File links to other files: h5py opens them wherever, and whatever, they are."""
    import h5py

    name = file.id.links.visit(lambda name, link: name if link.type == h5py.h5l.TYPE_EXTERNAL else None, info=True)
    if name is not None:
        raise ValueError(f"/{name.decode(errors='replace')}: the data is in another file; copy it into this one")


def _header(file: io.RawIOBase) -> bytes:
    """The user block for what follows in ``file``."""
    digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    return f"flexmbs: blake2b of all behind these {BLOCK} bytes: {digest}\n".encode().ljust(BLOCK, b" ")


class _Sink:
    """A file object for h5py that never raises, because HDF5 cannot handle errors while it closes a file.

    The first error is kept in ``error``; after it nothing more is written.
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
        """Read what was written; zeros where writing failed."""
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
