"""What an exception in a run means for the study; its figures and statistics as plain values, in which every digit is kept."""

from __future__ import annotations

import errno
import math
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from flexmbs.common.errors import CaseError, FlexmbsError
from flexmbs.result.run_summary import STATE
from flexmbs.result.saved_state import load_state
from flexmbs.study.run_record import RunFailure

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Errors of the system that mean the same at every attempt: a file that is not there, or may not be read.
_LASTING = (FileNotFoundError, PermissionError, IsADirectoryError, NotADirectoryError, FileExistsError)


def system_error(error: BaseException) -> OSError | None:
    """The error of the operating system that an exception is, or that it was raised from; None if there is none."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError):
            return seen
        seen = seen.__cause__
    return None


def is_disk_full(error: BaseException) -> bool:
    """Whether there was no space left for a file."""
    found = system_error(error)
    return found is not None and found.errno in _DISK_FULL


def is_passing(error: BaseException) -> bool:
    """Whether another attempt may succeed: an error of the system that is no lasting property of the run."""
    found = system_error(error)
    return found is not None and not isinstance(found, _LASTING)


def failure_of(error: BaseException, folder: Path) -> RunFailure:
    """What the record of a failed run says of its exception; ``folder`` holds its saved state, if there is one."""
    kind = "Memory" if isinstance(error, MemoryError) else type(error).__name__
    text = str(error) or ("no memory was left" if kind == "Memory" else type(error).__name__)
    trace = "".join(traceback.format_exception(error))
    result = getattr(error, "result", None)
    time = None if result is None or not len(result.t) else float(result.t[-1])
    return RunFailure(kind, text, trace, time_reached(folder) if time is None else time)


def time_reached(folder: Path) -> float | None:
    """Simulated time of the state that a run has saved, s; None without one."""
    with suppress(FlexmbsError, OSError, ValueError):
        if (folder / STATE).exists():
            return float(load_state(folder).t)
    return None


def plain(value: object, name: str) -> Any:
    """``value`` as numbers, texts, None, lists and mappings of them; CaseError, with ``name``, for anything else.

    Numbers that are not finite stay what they are.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in "biufUS":
        return value.astype(str).tolist() if value.dtype.kind == "S" else value.tolist()
    for kind in (str, int, float):
        if isinstance(value, kind):
            return kind(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{name}[{key!r}]") for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item, f"{name}[{index}]") for index, item in enumerate(value)]
    if isinstance(value, PurePath):
        return str(value)
    found = type(value).__name__
    raise CaseError(f"{name} is a {found}; only numbers, texts, None, lists and mappings of these can be stored")


def is_finite(value: object) -> bool:
    """Whether no number in a plain value is nan or infinite."""
    if isinstance(value, Mapping | list):
        return all(map(is_finite, value.values() if isinstance(value, Mapping) else value))
    return not isinstance(value, float) or math.isfinite(value)
