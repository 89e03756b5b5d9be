"""The cache folder for data that can be recomputed: compiled kernels, reduced bodies, rendering capabilities.

Machine code found there is executed. A folder is therefore used only if no other user can have written to it
(:func:`distrust`), however it was specified, and a file only if the user owns it (:func:`read_trusted`).
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

from flexmbs.common.errors import CacheWarning
from flexmbs.common.user_warnings import warn_once

VARIABLE = "FLEXMBS_CACHE"


def cache_folder() -> Path:
    """The cache folder of this user for writing; it may not exist yet.

    ``FLEXMBS_CACHE`` if it is set; otherwise ``flexmbs`` in the cache folder of the operating system; a private folder
    among the temporary files if that folder is not writable or others can write to it (CacheWarning).
    """
    base = _preferred()
    _make(base)
    if _trusted(base) and os.access(base, os.W_OK):
        return base
    return _among_temporary_files(tempfile.gettempdir())


def folders_to_read() -> tuple[Path, ...]:
    """Folders to search: the preferred folder, even if read-only, then the writable one."""
    base, own = _preferred(), cache_folder()
    return (own,) if own == base else (base, own) if _trusted(base) else (own,)


def distrust(path: Path) -> str:
    """Why a file or folder (with its parent folders) may have been modified by others; empty if it is safe.

    It must belong to this user or to root, and must not be writable by others or by its group (except a group with this
    user as its only member). Parent folders may be writable by others if they have the sticky bit, as /tmp has. On
    Windows nothing is checked.
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
        return f"{path} cannot be examined ({error})"
    return ""


def read_trusted(path: Path) -> bytes | None:
    """Content of a file in a folder of :func:`folders_to_read`; None if it does not exist or is not the user's own."""
    try:
        with open(path, "rb", opener=_no_link) as file:
            if hasattr(os, "getuid") and _distrust_of(os.fstat(file.fileno()), shared=False):
                return None
            return file.read()
    except OSError:
        return None


def write_whole(path: Path, content: bytes) -> None:
    """Write a cache file atomically, creating its folder; OSError on failure."""
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    reason = distrust(path.parent)
    if reason:
        raise OSError(reason)
    handle, name = tempfile.mkstemp(suffix=".part", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(0o644)  # others may read what an administrator has compiled for all users
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _preferred() -> Path:
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    with suppress(RuntimeError):  # neither HOME nor an entry in the list of users
        base = platformdirs.user_cache_path("flexmbs", appauthor=False, opinion=False)
        if base.is_absolute():  # earlier versions answer "~/.cache" then
            return base
    return _among_temporary_files(tempfile.gettempdir())


def _trusted(folder: Path) -> bool:
    """Whether a folder exists and is safe; CacheWarning if it is not safe."""
    if not os.path.isdir(folder):  # Path.is_dir raises where a folder above may not be entered
        return False
    reason = distrust(folder)
    if reason:
        warn_once(
            f"the cache folder {folder} is not used: {reason}. Compiled code is executed from there, so only you may "
            f"have write access (chmod go-w, or set {VARIABLE} to another folder)",
            CacheWarning,
        )
    return not reason


@cache
def _among_temporary_files(temporary: str) -> Path:
    """A private folder among the temporary files; a new one if the folder of this name is not the user's own."""
    folder = Path(temporary) / f"flexmbs-{os.environ.get('USER', 'user')}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if not hasattr(os, "getuid") or not _distrust_of(folder.stat(follow_symlinks=False), shared=False):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="flexmbs-", dir=temporary))


def _distrust_of(state: os.stat_result, shared: bool) -> str:
    """Reason for distrust; ``shared``: a parent folder, which others may write to if it has the sticky bit."""
    if stat.S_ISLNK(state.st_mode):
        return "is a link"
    if state.st_uid not in (os.getuid(), 0):
        return f"belongs to another user (uid {state.st_uid})"
    if shared and state.st_mode & stat.S_ISVTX:
        return ""
    if state.st_mode & stat.S_IWOTH:
        return "is writable by everyone"
    if state.st_mode & stat.S_IWGRP and not _is_group_of_one(state.st_gid):
        return f"is writable by a group (gid {state.st_gid})"
    return ""


@cache
def _is_group_of_one(number: int) -> bool:
    """Whether the user is the only member of a group (many systems create such a group for each user)."""
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
