"""Where flexmbs keeps what it can make again: compiled kernels, reduced bodies, how this machine renders.

Machine code found there is executed. So a folder counts only when no one else can have put anything into it
(:func:`distrust`), whatever named it, and a file only when it is the user's own (:func:`read_trusted`).
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from flexmbs.common.errors import CacheWarning
from flexmbs.common.user_warnings import warn_once

VARIABLE = "FLEXMBS_CACHE"


def cache_folder() -> Path:
    """The cache folder of this user for writing; it need not exist yet, and it is writable unless nothing is.

    ``FLEXMBS_CACHE`` when it is set; else ``flexmbs`` in the place that the system has for such files; a folder of the
    user's alone among the temporary files where that cannot be written or others can write it (CacheWarning).
    """
    base = _preferred()
    _make(base)
    if _trusted(base) and os.access(base, os.W_OK):
        return base
    return _among_temporary_files(tempfile.gettempdir())


def folders_to_read() -> tuple[Path, ...]:
    """Where to look: the folder that the user prefers, also where it is read-only, then where this user can write."""
    base, own = _preferred(), cache_folder()
    return (own,) if own == base else (base, own) if _trusted(base) else (own,)


def distrust(path: Path) -> str:
    """Why a folder (with all that lead to it) or file may hold what others put there; empty text: it does not.

    It must belong to this user or to root, and neither its group nor others may write it (a group that is the user's
    alone may); in the folders above others may write where they cannot remove what is not theirs, as in /tmp. Windows
    has other means: nothing is looked at there.
    """
    if not hasattr(os, "getuid"):
        return ""
    try:
        place = path.resolve()
        for part in (place, *place.parents):
            reason = _distrust_of(part.stat(follow_symlinks=False), shared=part != place)
            if reason:
                return f"{part} {reason}"
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        return f"{path} cannot be looked at ({error})"
    return ""


def read_trusted(path: Path) -> bytes | None:
    """Content of a file in a folder of :func:`folders_to_read`; None when it is not there or not the user's own."""
    try:
        with open(path, "rb", opener=_no_link) as file:
            if hasattr(os, "getuid") and _distrust_of(os.fstat(file.fileno()), shared=False):
                return None
            return file.read()
    except OSError:
        return None


def write_whole(path: Path, content: bytes) -> None:
    """Write a file of the cache, complete or not at all, with its folder; OSError where that cannot be done."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    reason = distrust(path.parent)
    if reason:
        raise OSError(reason)
    handle, name = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)  # others may read what an administrator has compiled for all
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _preferred() -> Path:
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "flexmbs"
    if sys.platform != "darwin" and os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "flexmbs"
    try:
        home = Path.home()
    except RuntimeError:  # neither HOME nor an entry in the list of users
        return _among_temporary_files(tempfile.gettempdir())
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "flexmbs"


def _trusted(folder: Path) -> bool:
    """Whether a folder is there and safe; CacheWarning where it is not safe."""
    if not os.path.isdir(folder):  # Path.is_dir raises where a folder above may not be entered
        return False
    reason = distrust(folder)
    if reason:
        warn_once(
            f"the cache folder {folder} is not used: {reason}. Compiled code is executed from there: take a folder "
            f"that only you can write (chmod go-w, or another {VARIABLE})",
            CacheWarning,
        )
    return not reason


@cache
def _among_temporary_files(temporary: str) -> Path:
    """A folder that no one else can have put compiled code into: a new one, if that of this name is not the user's."""
    folder = Path(temporary) / f"flexmbs-{os.environ.get('USER', 'user')}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not hasattr(os, "getuid") or not _distrust_of(folder.stat(follow_symlinks=False), shared=False):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="flexmbs-", dir=temporary))


def _distrust_of(state: os.stat_result, shared: bool) -> str:
    """``shared``: others may add entries, but not remove those that are not theirs."""
    if stat.S_ISLNK(state.st_mode):
        return "is a link"
    if state.st_uid not in (os.getuid(), 0):
        return f"belongs to another user (number {state.st_uid})"
    if shared and state.st_mode & stat.S_ISVTX:
        return ""
    if state.st_mode & stat.S_IWOTH:
        return "can be written by everyone"
    if state.st_mode & stat.S_IWGRP and not _is_group_of_one(state.st_gid):
        return f"can be written by a group (number {state.st_gid})"
    return ""


@cache
def _is_group_of_one(number: int) -> bool:
    """Whether the user is the only member of a group, as many systems have one for each user."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return user.pw_gid == number and group.gr_name == user.pw_name and set(group.gr_mem) <= {user.pw_name}


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def _make(folder: Path) -> None:
    with suppress(OSError):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
