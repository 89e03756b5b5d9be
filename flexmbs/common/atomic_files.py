"""Atomic writing of files, and messages about paths that cannot be read or written.

Everything that flexmbs writes for users goes through :func:`replacing`: if a run is killed, the disk is full or the
machine stops, the previous file (or none) remains, never a partial one.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from flexmbs.common.errors import FlexmbsError

_KINDS = (
    (stat.S_ISDIR, "is a folder"),
    (stat.S_ISFIFO, "is a named pipe (FIFO), not a file"),
    (stat.S_ISSOCK, "is a socket, not a file"),
    (stat.S_ISCHR, "is a device, not a file"),
    (stat.S_ISBLK, "is a device, not a file"),
)
_REASONS = {
    errno.ENOSPC: "no space is left on the disk: free some, or choose a path on another disk",
    errno.EDQUOT: "your disk quota is exhausted: free some space, or choose a path on another disk",
    errno.EFBIG: "it would exceed the maximum file size of the process or the file system",
    errno.EROFS: "the file system is read-only: choose another path",
    errno.EACCES: "you have no write permission: choose another path",
    errno.EPERM: "you have no write permission: choose another path",
    errno.ENOENT: "its folder does not exist: create it first",
    errno.ENOTDIR: "there is a file where a folder is expected: choose another path",
    errno.EEXIST: "there is a file where a folder is expected: choose another path",
    errno.EISDIR: "it is a folder: give the name of a file",
    errno.ELOOP: "it is a symbolic link that leads back to itself",
    errno.ENAMETOOLONG: "the name is too long",
}


def path_problem(path: str | Path) -> str:
    """Why ``path`` cannot be read as a file, as the end of a sentence that starts with the path; empty for a file."""
    try:
        mode = os.stat(path).st_mode
    except ValueError:
        return "is not a valid path: it contains a NUL character"
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            return reason(error) if error.errno in (errno.ELOOP, errno.ENAMETOOLONG) else f"cannot be read: {error}"
        return "is a broken symbolic link" if os.path.islink(path) else "does not exist"
    return next((text for is_kind, text in _KINDS if is_kind(mode)), "")


def read_file(path: str | Path) -> bytes:
    """The content of a file; OSError as of ``open``, and for pipes and devices, which may never end."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            raise OSError("it " + next((text for is_kind, text in _KINDS if is_kind(mode)), "is no file"))
        return file.read()


def reason(error: OSError) -> str:
    """What is wrong and what helps, as text."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error) or type(error).__name__)


def temporary_name(target: Path, owner: str = "") -> Path:
    """A unique path in the folder of ``target`` with the same suffix, by which writers choose the format."""
    return target.with_name(f".flexmbs-{owner}-{secrets.token_hex(8)}.part{target.suffix}")


def remove_leftovers(folder: Path, owner: str) -> None:
    """Remove partial files that a killed process left under names of ``owner``."""
    for path in folder.glob(f".flexmbs-{owner}-*.part*"):
        path.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | Path, kind: type[FlexmbsError] = FlexmbsError, owner: str = "") -> Iterator[Path]:
    """A temporary path that replaces ``path`` when the context ends; the data is synchronised to disk first.

    After an exception it is removed, and ``path`` is unchanged. An OSError becomes a ``kind`` with the remedy. A link is
    replaced, not followed: what it leads to may be no file of flexmbs.
    """
    temporary = None
    try:
        target = _target(Path(path))
        temporary = temporary_name(target, owner)
        yield temporary
        _sync(temporary)
        os.replace(temporary, target)
        _sync(target.parent)
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeEncodeError):
            wrong = error.object[max(error.start - 20, 0) : error.end + 20]
            raise kind(f"{path}: cannot be written: {wrong!r} contains what {error.encoding} text cannot hold") from error
        if isinstance(error, ValueError) and "null" not in str(error).lower():
            raise
        raise kind(f"{path}: cannot be written: {reason(error) if isinstance(error, OSError) else error}") from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def require_writable(path: str | Path, kind: type[FlexmbsError] = FlexmbsError) -> None:
    """Raise ``kind`` if ``path`` cannot be written, before work is done for it; leaves no file behind."""
    try:
        probe = temporary_name(_target(Path(path)))
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise kind(f"{path}: cannot be written: {reason(error)}") from error


def refuse_existing(path: str | Path, force: bool = False, kind: type[FlexmbsError] = FlexmbsError) -> None:
    """Raise ``kind`` if ``path``, which a user named, is a file already and ``force`` is not set.

    Also, whatever ``force``, if it is anything that no file can replace (a folder, a device, a link to itself). Call it
    before any work is done.
    """
    try:
        exists = os.path.lexists(_target(Path(path)))
    except OSError as error:
        raise kind(f"{path}: cannot be written: {reason(error)}") from error
    if exists and not force:
        raise kind(f"{path} exists: give force=True (--force) to replace it, or another name")


@contextmanager
def replacing_in_folder(path: str | Path) -> Iterator[Path]:
    """:func:`replacing` for pictures, animations and tables; a missing folder is created."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FlexmbsError(f"{path}: cannot be written: {reason(error)}") from error
    with replacing(path) as temporary:
        yield temporary


def _target(path: Path) -> Path:
    """The absolute path, links kept; OSError if it cannot be replaced by a file."""
    if not path.name:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    with suppress(FileNotFoundError):
        mode = os.stat(path).st_mode
        if text := next((text for is_kind, text in _KINDS if is_kind(mode)), ""):
            raise OSError(f"it {text}")
    return path.absolute()


def _sync(path: Path) -> None:
    """Wait until the file is on the disk (folders: where the system supports it)."""
    folder = path.is_dir()
    try:
        handle = os.open(path, os.O_RDONLY if folder else os.O_RDWR)
    except OSError:
        if folder:  # Windows opens none
            return
        raise
    try:
        os.fsync(handle)
    except OSError:
        if not folder:
            raise
    finally:
        os.close(handle)


def write_bytes(path: str | Path, content: bytes | memoryview, kind: type[FlexmbsError] = FlexmbsError, owner: str = "") -> None:
    """Write a file atomically; raises ``kind`` on failure."""
    with replacing(path, kind, owner) as temporary, open(temporary, "xb") as file:
        file.write(content)


def write_lines(path: str | Path, lines: Iterator[str], kind: type[FlexmbsError] = FlexmbsError) -> None:
    """Write a text file (UTF-8) line by line, atomically; raises ``kind`` on failure."""
    with replacing(path, kind) as temporary, open(temporary, "x", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def write_arrays(
    path: str | Path,
    arrays: Mapping[str, np.ndarray],
    kind: type[FlexmbsError] = FlexmbsError,
    *,
    compressed: bool = False,
    owner: str = "",
) -> None:
    """Write an .npz file atomically; raises ``kind`` on failure."""
    content = io.BytesIO()  # in memory: an archive on a full disk cannot even be closed
    (np.savez_compressed if compressed else np.savez)(content, **arrays)  # type: ignore[arg-type]  # an array is no option of NumPy
    write_bytes(path, content.getbuffer(), kind, owner)
