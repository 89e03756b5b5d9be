"""Where flexmbs keeps what it can make again: compiled kernels, reduced bodies, how this machine renders."""

from __future__ import annotations

import os
import sys
import tempfile
from functools import cache
from pathlib import Path

VARIABLE = "FLEXMBS_CACHE"


def cache_folder() -> Path:
    """The cache folder of this user; it need not exist yet, and it is writable unless nothing is.

    ``FLEXMBS_CACHE`` when it is set; else ``flexmbs`` in the place that the system has for such files; a folder of the
    user's alone among the temporary files where that cannot be written.
    """
    base = _preferred()
    return base if _writable(base) else _among_temporary_files(tempfile.gettempdir())


def _preferred() -> Path:
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "flexmbs"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "flexmbs"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flexmbs"


@cache
def _among_temporary_files(temporary: str) -> Path:
    """A folder that no one else can have put compiled code into: a new one, if that of this name is not the user's."""
    folder = Path(temporary) / f"flexmbs-{os.environ.get('USER', 'user')}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        state = folder.stat(follow_symlinks=False)
        if not hasattr(os, "getuid") or (state.st_uid == os.getuid() and not state.st_mode & 0o022):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="flexmbs-", dir=temporary))


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
