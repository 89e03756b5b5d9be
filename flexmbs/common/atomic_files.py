"""Files that are whole under their names or not there at all, and what stands where a file is expected.

Everything that flexmbs writes for users goes through :func:`replacing`: a run that is killed, a full disk or a machine
that stops leaves the former file, or none, and never half of one.
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
    errno.ENOSPC: "no space is left on the disk: free some, or name a place on another one",
    errno.EDQUOT: "your quota of disk space is used up: free some, or name a place on another disk",
    errno.EFBIG: "it would be larger than a file may be here (limit of the process or the file system)",
    errno.EROFS: "the file system is read-only: name another place",
    errno.EACCES: "you may not write there: name another place",
    errno.EPERM: "you may not write there: name another place",
    errno.ENOENT: "the folder it belongs to does not exist: make it first",
    errno.ENOTDIR: "a file stands where a folder is expected: name another place",
    errno.EEXIST: "a file stands where a folder is expected: name another place",
    errno.EISDIR: "it is a folder: give the name of a file",
    errno.ELOOP: "it is a symbolic link that leads back to itself",
    errno.ENAMETOOLONG: "the name is too long",
}


def what_is(path: str | Path) -> str:
    """Why ``path`` cannot be read as a file, as the end of a sentence that begins with it; empty for a file."""
    try:
        mode = os.stat(path).st_mode
    except ValueError:
        return "is no path: it holds a NUL character"
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR):
            return reason(error) if error.errno in (errno.ELOOP, errno.ENAMETOOLONG) else f"cannot be read: {error}"
        return "is a symbolic link to nothing" if os.path.islink(path) else "does not exist"
    return next((words for is_kind, words in _KINDS if is_kind(mode)), "")


def reason(error: OSError) -> str:
    """What is wrong and what helps, in words."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error) or type(error).__name__)


def temporary_name(target: Path, owner: str = "") -> Path:
    """A name beside ``target`` that nothing else has; its ending stays, as writers choose the format by it."""
    return target.with_name(f".flexmbs-{owner}-{secrets.token_hex(8)}.part{target.suffix}")


def remove_leftovers(folder: Path, owner: str) -> None:
    """Remove what a killed process left half-written under names of ``owner``."""
    for path in folder.glob(f".flexmbs-{owner}-*.part*"):
        path.unlink(missing_ok=True)


@contextmanager
def replacing(path: str | Path, kind: type[FlexmbsError] = FlexmbsError, owner: str = "") -> Iterator[Path]:
    """A temporary path to write to, which takes the place of ``path`` at the end, also when the machine stops then.

    After an exception it is removed, and ``path`` is as it was. An OSError becomes a ``kind`` that says what helps.
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
        if isinstance(error, ValueError) and "null" not in str(error):
            raise
        raise kind(f"{path}: cannot be written: {reason(error) if isinstance(error, OSError) else error}") from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)


def require_writable(path: str | Path, kind: type[FlexmbsError] = FlexmbsError) -> None:
    """``kind`` when ``path`` cannot be written, before work is done for it; nothing is left there."""
    try:
        probe = temporary_name(_target(Path(path)))
        with open(probe, "xb"):
            pass
        probe.unlink()
    except OSError as error:
        raise kind(f"{path}: cannot be written: {reason(error)}") from error


@contextmanager
def replacing_in_folder(path: str | Path) -> Iterator[Path]:
    """:func:`replacing` for pictures, films and tables, whose folder is made when it is missing."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FlexmbsError(f"{path}: cannot be written: {reason(error)}") from error
    with replacing(path) as temporary:
        yield temporary


def _target(path: Path) -> Path:
    """Where a link leads; OSError when no file can take this place."""
    if not path.name:
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    words = next((words for is_kind, words in _KINDS if is_kind(mode)), "")
    if words:
        raise OSError(f"it {words}")
    return Path(os.path.realpath(path))


def _sync(path: Path) -> None:
    """Wait until it is on the disk (folders: where the system can do that)."""
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


def write_bytes(
    path: str | Path, content: bytes | memoryview, kind: type[FlexmbsError] = FlexmbsError, owner: str = ""
) -> None:
    """Write a file, whole or not at all; ``kind`` is raised when that cannot be done."""
    with replacing(path, kind, owner) as temporary, open(temporary, "xb") as file:
        file.write(content)


def write_lines(path: str | Path, lines: Iterator[str], kind: type[FlexmbsError] = FlexmbsError) -> None:
    """Write a text (UTF-8) line by line, whole or not at all; ``kind`` is raised when that cannot be done."""
    with replacing(path, kind) as temporary, open(temporary, "x", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def write_arrays(
    path: str | Path, arrays: Mapping[str, np.ndarray], kind: type[FlexmbsError] = FlexmbsError, *,
    compressed: bool = False, owner: str = "",
) -> None:  # fmt: skip
    """Write an .npz file, whole or not at all; ``kind`` is raised when that cannot be done."""
    content = io.BytesIO()  # an archive that meets a full disk cannot even be closed
    (np.savez_compressed if compressed else np.savez)(content, **arrays)
    write_bytes(path, content.getbuffer(), kind, owner)
