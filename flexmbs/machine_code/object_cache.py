"""Object files in the cache folder, under their keys; compiled and kept where they are missing."""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from flexmbs.common.cache_folder import cache_folder, distrust, folders_to_read, read_trusted, write_whole
from flexmbs.common.errors import CacheWarning
from flexmbs.common.file_lock import FileLock
from flexmbs.common.progress import stage
from flexmbs.common.user_warnings import warn_once
from flexmbs.machine_code.build import object_files
from flexmbs.machine_code.switches import BOUNDS_CHECKED
from flexmbs.machine_code.target_processor import Target

SUFFIX = ".o"
_DIGEST = 32  # bytes at the head of a file: hash of the rest


def complete(found: dict[str, bytes], wanted: dict[str, str], target: Target, reason: str) -> dict[str, bytes]:
    """Object files of all modules: those that were found, from the cache folder, or compiled now, and kept.

    Parameters
    ----------
    found : object files that need not be looked for
    wanted : key of each module
    reason : why they are compiled, for the message
    """
    found = found | from_cache(wanted, found, target)
    if len(found) == len(wanted):
        return found
    with _alone(target):
        found |= from_cache(wanted, found, target)  # another process may have been quicker
        missing = [module for module in wanted if module not in found]
        if missing:
            made = object_files(missing, target, reason)
            for module in missing:
                keep(cache_folder() / cache_name(target) / _file_name(module, wanted[module]), made[module])
            found |= made
    return found


def cache_name(target: Target) -> str:
    """Folder inside the cache folder for object files of a target."""
    features = hashlib.sha256(target.features.encode()).hexdigest()[:8] if target.features else ""
    return "-".join(filter(None, ["kernels", target.name, features, "checked" if BOUNDS_CHECKED else ""]))


def from_cache(wanted: dict[str, str], found: dict[str, bytes], target: Target) -> dict[str, bytes]:
    """What the cache folders hold of that which has not been found yet."""
    more = {}
    for place in folders_to_read():
        folder = place / cache_name(target)
        for module, key in wanted.items():
            if module in found or module in more:
                continue
            content = read_kept(folder / _file_name(module, key))
            if content is not None:
                more[module] = content
    return more


def read_kept(path: Path) -> bytes | None:
    """What was kept in a file; None where it is missing or damaged, or others could have written it."""
    content = read_trusted(path)
    if not content or hashlib.sha256(content[_DIGEST:]).digest() != content[:_DIGEST] or distrust(path.parent):
        return None
    return content[_DIGEST:]


def keep(path: Path, content: bytes) -> None:
    """Keep machine code as NAME-KEY.SUFFIX where that is possible; CacheWarning where it is not."""
    try:
        write_whole(path, hashlib.sha256(content).digest() + content)
    except OSError as error:
        why = error.strerror or error
        warn_once(f"compiled code is not kept in {path.parent} ({why}): it is compiled anew at each start", CacheWarning)
        return
    for old in path.parent.glob(f"{path.name.rpartition('-')[0]}-*{path.suffix}"):
        if old != path and time.time() - old.stat().st_mtime > 30 * 86400.0:
            old.unlink(missing_ok=True)


def _file_name(module: str, key: str) -> str:
    return f"{module}-{key[:24]}{SUFFIX}"


@contextmanager
def _alone(target: Target):
    """While this lasts no other process compiles into the same folder, where the system can see to that."""
    lock = FileLock(cache_folder() / cache_name(target) / ".lock")
    with suppress(OSError):  # a folder that cannot be written
        lock.path.parent.mkdir(parents=True, exist_ok=True)
        lock.wait(lambda holder: stage(f"waiting for another process that compiles the kernels ({holder})", long=True))
        lock.write()
    try:
        yield
    finally:
        lock.release()
