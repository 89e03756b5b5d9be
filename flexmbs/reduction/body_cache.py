"""Caches of reduced bodies, by a hash of everything they depend on: an HDF5 file each, and bytes in memory for workers."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock

import numpy as np

from flexmbs.common.cache_folder import cache_folder, distrust, folders_to_read
from flexmbs.common.errors import BodyError
from flexmbs.common.file_lock import FileLock
from flexmbs.common.progress import stage
from flexmbs.common.versions import source_digest
from flexmbs.fem.solvers.factor import chosen_solver
from flexmbs.reduction.body_store import load_body, save_body
from flexmbs.reduction.flexible_body import FlexibleBody

#: Environment variable: most gigabytes that the bodies take on disk; 0 turns the cache off.
VARIABLE = "FLEXMBS_BODY_CACHE_GB"
DEFAULT_GIGABYTES = 5.0
BODIES = "bodies"  # folder of the cache
#: Bodies that take less time than this (s) are computed again rather than kept.
WORTH_KEEPING = 1.0
_LIBRARIES = ("numpy", "scipy", "pypardiso", "python-mumps", "h5py")
# Errors of files that cannot be written or read: the body is then computed as without a cache.
_UNUSABLE = (OSError, BodyError, KeyError, ValueError, TypeError, RuntimeError)
_ABANDONED = 86400.0  # s after which a temporary file belongs to no running process
_LOCK = ".lock"
COUNT, SIZE = 8, 2e8  # bodies in memory, and bytes of all of them


class RecentBodies:
    """The bodies used last, as bytes pickled by this process: every user gets one of its own, and may change its arrays.

    For workers that build one thousands of times.
    """

    def __init__(self, count: int, size: float) -> None:
        self._count, self._size = count, size
        self._bodies: dict[str, bytes] = {}  # the one used last stands last
        self._lock = Lock()

    def find(self, key: str) -> FlexibleBody | None:
        """The body, bit for bit as it was computed, or None."""
        with self._lock:
            if key not in self._bodies:
                return None
            content = self._bodies[key] = self._bodies.pop(key)
        body: FlexibleBody = pickle.loads(content)
        return body

    def keep(self, key: str, body: FlexibleBody) -> None:
        """Hold a body, and let go of those used longest ago; one that is larger than all may be is not held."""
        content = pickle.dumps(body, protocol=pickle.HIGHEST_PROTOCOL)
        if len(content) > self._size:
            return
        with self._lock:
            self._bodies.pop(key, None)
            self._bodies[key] = content
            while len(self._bodies) > self._count or sum(map(len, self._bodies.values())) > self._size:
                del self._bodies[next(iter(self._bodies))]


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


class BodyCache:
    """The place of one body in the cache: ``find`` it, or compute it and ``keep`` it.

    From ``find`` to the end of the context other processes that need the same body wait for this one::

        with BodyCache(contents) as place:
            body = place.find()
            if body is None:
                body = ...
                place.keep(body)

    Parameters
    ----------
    contents : everything that the body depends on, data only
    wanted : None: kept if it took ``WORTH_KEEPING`` to compute; True: always; False: neither looked up nor kept
    """

    def __init__(self, contents: object, wanted: bool | None = None) -> None:
        self._wanted = wanted
        self._start = time.perf_counter()
        self._limit = 1e9 * gigabytes()
        self._key = None if wanted is False else content_key(contents)
        self._recent = _recent
        self._lock: FileLock | None = None

    def __enter__(self) -> BodyCache:
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._lock is not None:
            self._lock.release()

    def find(self) -> FlexibleBody | None:
        """The body, bit for bit as it was computed; None if it is not in the cache or its file is damaged.

        After None it is this process's turn to compute it; a process that has it already is waited for.
        """
        body = self._recent.find(self._key) if self._recent and self._key else None
        if body is not None:
            return body
        body = self._on_disk() or self._after_others()
        if body is not None and self._recent and self._key:
            self._recent.keep(self._key, body)
        return body

    def _after_others(self) -> FlexibleBody | None:
        """The body that another process has computed meanwhile, if one was computing it."""
        if self._key is None or self._limit == 0.0:
            return None
        lock = FileLock(bodies_folder() / f"{self._key}{_LOCK}")
        text = "waiting for another process that reduces this body"
        try:
            lock.path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            waited = lock.wait(lambda holder: stage(f"{text} ({holder})", long=True))
            was_left = bool(lock.found)  # a file that an orderly end would have removed: the process before has died
            lock.write()
        except OSError:  # a folder that cannot be written
            return None
        self._lock = lock
        body = self._on_disk()  # also without waiting: it may have come since the first look
        if body is not None or (waited and not was_left):
            lock.release()  # not kept: it took less than a second, for which nobody need wait
        return body

    def _on_disk(self) -> FlexibleBody | None:
        for path in self._files():
            with suppress(*_UNUSABLE):
                if _digest(path) == path.stem.rpartition("-")[2]:
                    body = load_body(path)
                    with suppress(OSError):  # a cache that cannot be written serves as well
                        os.utime(path)  # the least recently used are dropped first
                    stage("taken from the cache of reduced bodies")
                    return body
        return None

    def keep(self, body: FlexibleBody) -> None:
        """Store the body; failures to write are ignored."""
        took = time.perf_counter() - self._start
        if self._key is None:
            return
        if self._recent:
            self._recent.keep(self._key, body)
        if self._limit == 0.0 or not (self._wanted or took >= WORTH_KEEPING):
            return
        with suppress(*_UNUSABLE):
            folder = bodies_folder()
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            self._write(folder, body)
            drop_oldest(folder, self._limit)

    def _files(self) -> list[Path]:
        if self._key is None or self._limit == 0.0:
            return []
        folders = [place / BODIES for place in folders_to_read()]
        return [path for f in folders if not distrust(f) for path in sorted(f.glob(f"{self._key}-*.h5"))]

    def _write(self, folder: Path, body: FlexibleBody) -> None:
        """Write under a temporary name first, so that no other process sees an incomplete file."""
        handle, name = tempfile.mkstemp(suffix=".part", dir=folder)
        os.close(handle)
        temporary = Path(name)
        try:
            save_body(body, temporary)
            final = folder / f"{self._key}-{_digest(temporary)}.h5"
            damaged = [path for path in self._files() if path != final]
            os.replace(temporary, final)
            for path in damaged:
                path.unlink(missing_ok=True)
        finally:
            temporary.unlink(missing_ok=True)


def bodies_folder() -> Path:
    """Folder of the cached bodies."""
    return cache_folder() / BODIES


def gigabytes() -> float:
    """The limit of the cache, GB (``FLEXMBS_BODY_CACHE_GB``, default 5)."""
    text = os.environ.get(VARIABLE, "").strip()
    try:
        limit = float(text) if text else DEFAULT_GIGABYTES
    except ValueError:
        limit = -1.0
    if not limit >= 0.0:
        raise BodyError(f"the environment variable {VARIABLE} is '{text}'; it must be a number of gigabytes, 0 for no cache.")
    return limit


def drop_oldest(folder: Path, limit: float) -> None:
    """Remove the least recently used bodies until the rest takes at most ``limit`` bytes."""
    files = []
    for path in folder.iterdir():
        with suppress(OSError):  # another process may remove it meanwhile
            state = path.stat()
            if path.suffix == ".h5":
                files.append((state.st_mtime, state.st_size, path))
            elif path.suffix == ".part" and time.time() - state.st_mtime > _ABANDONED:
                path.unlink()
            elif path.suffix == _LOCK and time.time() - state.st_mtime > _ABANDONED:
                lock = FileLock(path)
                if lock.acquire():  # no process holds it
                    lock.release()
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files, key=lambda file: file[0]):
        if total <= limit:
            return
        with suppress(OSError):
            path.unlink()
        total -= size


def content_key(contents: object) -> str | None:
    """Hexadecimal hash of contents, sources and libraries; None if the contents are not plain data."""
    digest = hashlib.blake2b(f"{_SOURCES} {chosen_solver()}".encode(), digest_size=20)
    try:
        for piece in _pieces(contents):
            digest.update(piece)
    except TypeError:
        return None
    return digest.hexdigest()


def _pieces(value: object) -> Iterator[bytes]:
    """Bytes that identify a value uniquely: its type, length and content."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str, bytes):
        text = repr(value).encode("utf-8", "surrogatepass")
        yield f"{kind.__name__} {len(text)}:".encode()
        yield text
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.hasobject:
            raise TypeError("an array of objects")
        yield f"array {array.dtype.str} {array.shape}:".encode()
        yield array.tobytes()
    elif isinstance(value, Mapping):
        yield f"mapping {len(value)}:".encode()
        for key, item in value.items():
            yield from _pieces(key)
            yield from _pieces(item)
    elif isinstance(value, list | tuple):
        yield f"{kind.__name__} {len(value)}:".encode()
        for item in value:
            yield from _pieces(item)
    elif is_dataclass(value) and not isinstance(value, type):
        yield f"{kind.__module__}.{kind.__qualname__}:".encode()
        for part in fields(value):
            yield from _pieces(part.name)
            yield from _pieces(getattr(value, part.name))
    else:
        raise TypeError(f"{kind.__name__} is not plain data")


def _hash_of_sources() -> str:
    """Hash of the sources that make a body of a mesh, and the versions of the libraries they use."""
    digest = hashlib.blake2b(source_digest(("common", "mesh", "fem", "reduction")).encode(), digest_size=20)
    for library in _LIBRARIES:
        with suppress(PackageNotFoundError):
            digest.update(f"{library} {version(library)}".encode())
    return digest.hexdigest()


# Computed on import: later edits of the sources do not affect the running code.
_SOURCES = _hash_of_sources()


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=8)).hexdigest()
