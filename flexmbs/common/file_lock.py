"""Locks of the operating system on files: held by one process at a time, and free as soon as that process has ended.

However a process ends, its lock ends with it; the file may stay, which means nothing. On network file systems a lock is
effective between machines if the file system supports it (NFS from version 4, SMB, Lustre with the option ``flock``).
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)
_FIRST_LOOK, _LONGEST_LOOK = 0.005, 0.25  # s between two attempts to take a lock that one waits for
_NOTE_AT = 1  # byte where the note begins: Windows lets nobody read the first one, which is what is locked


class FileLock:
    """The lock ``path``: ``acquire`` it, ``release`` it. One object is used once.

    Attributes
    ----------
    supported : False once the file system has refused to lock at all; ``acquire`` then succeeds without a lock
    found : what the previous holder wrote into the file; empty if it removed the file, as an orderly release does
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.supported = True
        self.found: dict[str, object] = {}
        self._file: BinaryIO | None = None

    @property
    def held(self) -> bool:
        return self._file is not None

    def acquire(self) -> bool:
        """Whether the lock was free; it is then ours, and its file can name this process (:meth:`write`).

        OSError as of ``open``, and if something else than a file of its own is in its place.
        """
        while True:
            file = _opened(self.path)
            try:
                if not self._is_locked_now(file):
                    file.close()
                    return False
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.stat(self.path), os.fstat(file.fileno())):
                        break
            except BaseException:
                file.close()
                raise
            file.close()  # its holder removed it meanwhile
        self._file = file
        self.found = _note_in(file)
        return True

    def wait(self, report: Callable[[str], object] = lambda _: None) -> bool:
        """Acquire the lock as soon as it is free; whether another process had it. ``report`` is then called, with who.

        OSError as of ``open``. It looks again after 5 ms, and after longer and longer times up to a quarter second.
        """
        pause = _FIRST_LOOK
        while not self.acquire():
            if pause == _FIRST_LOOK:
                report(self.holder())
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_LOOK)
        return pause > _FIRST_LOOK

    def write(self, **more: object) -> None:
        """Write into the file who holds the lock, for people, and ``more`` for the next holder (``found``).

        One write call, so that a process killed at any moment leaves the old text or the new one.
        """
        assert self._file is not None
        note = {"pid": os.getpid(), "host": socket.gethostname(), "since": time.strftime("%Y-%m-%d %H:%M:%S %z")}
        line = b" " * _NOTE_AT + json.dumps({**note, "command": " ".join(sys.argv)[:200], **more}).encode() + b"\n"
        self._file.seek(0)
        self._file.write(line)
        self._file.truncate(len(line))

    def release(self, *, remove: bool = True) -> None:
        """Give the lock back; with ``remove`` its file goes too, without it stays for the next holder to read."""
        file, self._file = self._file, None
        if file is None:
            return
        if remove:
            with suppress(OSError):  # unlink first: a waiting process then sees that this file is no longer the lock
                self.path.unlink()
        from filelock import unlock_descriptor

        with suppress(OSError):
            unlock_descriptor(file.fileno())  # also where a forked process still has the file open
        file.close()
        if remove and sys.platform == "win32":  # where an open file cannot be removed
            with suppress(OSError):
                self.path.unlink()

    def holder(self) -> str:
        """Who holds the lock, for messages: "process 17 on machine since 2026-01-31 12:00:00 +0000: command"."""
        try:
            with open(self.path, "rb", buffering=0) as file:
                note = _note_in(file)
            return f"process {note['pid']} on {note['host']} since {note['since']}: {note['command']}"
        except (OSError, KeyError):
            return "its process is unknown"

    def _is_locked_now(self, file: BinaryIO) -> bool:
        """Lock the file; False if another process has it, True without a lock where the file system has none."""
        from filelock import lock_descriptor

        try:
            return lock_descriptor(file.fileno(), blocking=False)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            self.supported = False
            return True


def _opened(path: Path) -> BinaryIO:
    """OSError for a link, a pipe or a device: the note of the holder would overwrite what belongs to others."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        number = os.open(path, flags, 0o666)
        state = os.fstat(number)
        if stat.S_ISREG(state.st_mode) and state.st_nlink <= 1:  # 0: its holder has just removed it
            return open(number, "r+b", buffering=0)
        os.close(number)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
    raise OSError(f"{path.name} is a link, or not a file, and would be written to; remove it")


def _note_in(file: BinaryIO) -> dict[str, object]:
    """What a holder wrote; empty where that is nothing, or something else."""
    file.seek(_NOTE_AT)
    try:
        note = json.loads(file.read(65536).split(b"\n")[0])
    except (ValueError, RecursionError):
        return {}
    return note if isinstance(note, dict) else {}
