"""One process at a time computes a body: others that need the same one wait for it rather than compute it too."""

from __future__ import annotations

from pathlib import Path

from flexmbs.common.file_lock import FileLock
from flexmbs.common.progress import stage

SUFFIX = ".lock"


class Turn:
    """The right to compute the body ``key``, kept in a lock of the operating system in ``folder``.

    Its file is removed by an orderly end. One that is still there without being locked is that of a process that died.

    Attributes
    ----------
    was_left : whether the process before died while it computed
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.was_left = False
        self._lock = FileLock(folder / f"{key}{SUFFIX}")

    def take(self) -> bool:
        """Take the turn, and wait as long as another process has it; whether the body may be there now.

        OSError if the folder cannot be written.
        """
        self._lock.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        text = "waiting for another process that reduces this body"
        waited = self._lock.wait(lambda holder: stage(f"{text} ({holder})", long=True))
        self.was_left = bool(self._lock.found)
        self._lock.write()
        return waited

    def give_back(self) -> None:
        """End the turn, if it was taken and has not ended yet."""
        self._lock.release()


def remove_left(path: Path) -> None:
    """Remove the file of a lock that no process holds."""
    lock = FileLock(path)
    if lock.acquire():
        lock.release()
