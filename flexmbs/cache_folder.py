"""Where flexmbs keeps what it can make again: compiled kernels, reduced bodies, how this machine renders."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

VARIABLE = "FLEXMBS_CACHE"


def cache_folder() -> Path:
    """The cache folder of this user; it need not exist yet, and it is writable unless nothing is.

    ``FLEXMBS_CACHE`` when it is set; else ``flexmbs`` in the place that the system has for such files; a folder of the
    user's among the temporary files where that cannot be written.
    """
    base = _preferred()
    return base if _writable(base) else Path(tempfile.gettempdir()) / f"flexmbs-{os.environ.get('USER', 'user')}"


def _preferred() -> Path:
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "flexmbs"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "flexmbs"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "flexmbs"


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)
