"""Where a run is computed, and the memory that it needs there."""

from __future__ import annotations

import socket
import sys
from functools import cache

import psutil


@cache
def host() -> str:
    """Name of this machine."""
    return socket.gethostname()


def peak_memory() -> int:
    """Largest resident memory of this process so far, bytes."""
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
