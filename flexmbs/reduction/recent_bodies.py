"""Bodies that a process has reduced lately, for workers that build one thousands of times; and the turn to reduce one."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from flexmbs.common.file_lock import FileLock
from flexmbs.common.progress import stage
from flexmbs.reduction.flexible_body import FlexibleBody

COUNT, SIZE = 8, 2e8  # bodies, and bytes of all of them


class RecentBodies:
    """The bodies used last, by the hash of what they depend on.

    They are held as bytes (pickled by this process): every user gets a body of its own, and may change its arrays.
    """

    def __init__(self, count: int, size: float) -> None:
        self._count, self._size = count, size
        self._bodies: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def find(self, key: str) -> FlexibleBody | None:
        """The body, bit for bit as it was computed, or None."""
        with self._lock:
            content = self._bodies.get(key)
            if content is None:
                return None
            self._bodies.move_to_end(key)
        body: FlexibleBody = pickle.loads(content)
        return body

    def keep(self, key: str, body: FlexibleBody) -> None:
        """Hold a body, and let go of those used longest ago; one that is larger than all may be is not held."""
        content = pickle.dumps(body, protocol=pickle.HIGHEST_PROTOCOL)
        if len(content) > self._size:
            return
        with self._lock:
            self._bodies[key] = content
            self._bodies.move_to_end(key)
            while len(self._bodies) > self._count or sum(map(len, self._bodies.values())) > self._size:
                self._bodies.popitem(last=False)


_recent: RecentBodies | None = None


@contextmanager
def bodies_kept_in_memory(count: int = COUNT, size: float = SIZE) -> Iterator[None]:
    """While this lasts, ``fm.reduce`` returns copies of bodies that this process has reduced before.

    Parameters
    ----------
    count : bodies that are held at most
    size : bytes that they take at most
    """
    global _recent
    before, _recent = _recent, RecentBodies(count, size)
    try:
        yield
    finally:
        _recent = before


def recent_bodies() -> RecentBodies | None:
    """The bodies in memory; None outside :func:`bodies_kept_in_memory`."""
    return _recent


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
