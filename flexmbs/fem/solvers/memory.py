"""How much memory there is, and refusing what does not fit before it is tried."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flexmbs.common.errors import BodyError

VARIABLE = "FLEXMBS_MEMORY_GB"
_CGROUPS = Path("/sys/fs/cgroup")
# cgroup 2 and cgroup 1: limit, what is used of it, and the line of memory.stat that can be given back
_CGROUP_FILES = (
    (Path("memory.max"), Path("memory.current"), "inactive_file"),
    (Path("memory/memory.limit_in_bytes"), Path("memory/memory.usage_in_bytes"), "total_inactive_file"),
)


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Raise BodyError when ``needed`` bytes for ``what`` are more than the memory that is available.

    ``remedy`` says what would help; it ends the message.
    """
    available = available_memory()
    if available is not None and needed > available:
        raise BodyError(
            f"{what}: about {text_of_size(needed)} of memory is needed, but only {text_of_size(available)} is"
            f" available. {remedy} (The environment variable {VARIABLE} sets the limit.)"
        ) from MemoryError()


@contextmanager
def memory_errors_named(what: str) -> Iterator[None]:
    """Where an array does not fit in all the same: BodyError that says during ``what``. Also a decorator."""
    try:
        yield
    except MemoryError as error:
        detail = f" ({error})" if str(error) else ""
        raise BodyError(f"{what}: out of memory{detail}. A coarser mesh or fewer modes need less.") from error


def available_memory() -> float | None:
    """Bytes of memory still available, or None where the system does not say.

    The least of what the system has free, what the control group (container) leaves, and what the process may have;
    or what the environment variable FLEXMBS_MEMORY_GB (1e9 bytes) says.
    """
    stated = os.environ.get(VARIABLE)
    if stated:
        try:
            return 1e9 * float(stated)
        except ValueError:
            raise BodyError(f"{VARIABLE}={stated}: give a number of gigabytes, such as 8") from None
    known = [value for value in (_of_system(), _of_control_group(), _of_process()) if value is not None]
    return min(known, default=None)


def text_of_size(size: float) -> str:
    """A number of bytes for people: "2.1 GB"."""
    return f"{size / 1e9:.2g} GB" if size >= 1e9 else f"{size / 1e6:.3g} MB"


def _of_system() -> float | None:
    if sys.platform == "win32":
        return _of_windows()
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    except OSError:
        pass
    try:  # macOS tells no more than what is installed
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _of_control_group() -> float | None:
    known = []
    for limit_file, used_file, reclaimable in _CGROUP_FILES:
        try:
            limit = float((_CGROUPS / limit_file).read_text())  # ValueError of "max": no limit
            used = float((_CGROUPS / used_file).read_text())
            lines = (_CGROUPS / used_file.with_name("memory.stat")).read_text().splitlines()
        except (OSError, ValueError):
            continue
        stat = dict(line.split() for line in lines)
        known.append(limit - used + float(stat.get(reclaimable, 0.0)))
    return min(known, default=None)


def _of_process() -> float | None:
    """What `ulimit -v` leaves."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return None
        used = float(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError):
        return None
    return limit - used


def _of_windows() -> float | None:
    import ctypes

    sizes = ("total", "available", "page_total", "page_available", "virtual", "virtual_available", "extended")

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong), *((name, ctypes.c_ulonglong) for name in sizes)]

    status = Status(length=ctypes.sizeof(Status))
    known = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
    return float(status.available) if known else None
