"""What one run may use: time, memory, disk."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from flexmbs.common.errors import StudyError
from flexmbs.common.progress import size_text

#: Seconds that a run has to save its state after it was asked to stop, before its process is killed.
GRACE = 10.0
#: A run that uses this much more memory than its limit is killed at once, without being asked to save its state.
FAR_BEYOND = 1.25


@dataclass(frozen=True)
class RunLimits:
    """Limits of one run; None: no limit. A run that exceeds one saves its state, and is recorded as failed.

    Attributes
    ----------
    wall_time : s, of one attempt
    memory : bytes, resident, of the worker process (about 160 MB before the run begins) and the processes it started
    disk : bytes, of the run's folder and what it printed
    grace : s that a run has to save its state before its process is killed
    """

    wall_time: float | None = None
    memory: float | None = None
    disk: float | None = None
    grace: float = GRACE

    def __post_init__(self) -> None:
        units = {"wall_time": "s", "memory": "bytes", "disk": "bytes", "grace": "s"}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is None and entry.name != "grace":
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 < value < math.inf:
                unit = units[entry.name]
                raise StudyError(f"limits: {entry.name} must be a positive number ({unit}) or None, not {value!r}")

    def exceeded(self, seconds: float, memory: float, disk: float) -> tuple[str, str] | None:
        """Kind of the failure and its message, for the first limit that is exceeded; None if none is."""
        if self.wall_time is not None and seconds > self.wall_time:
            return "WallTime", f"the run took longer than its limit of {self.wall_time:g} s"
        if self.memory is not None and memory > self.memory:
            return "Memory", f"the run used {size_text(memory)} of memory; its limit is {size_text(self.memory)}"
        if self.disk is not None and disk > self.disk:
            return "DiskSpace", f"the run's folder grew to {size_text(disk)}; its limit is {size_text(self.disk)}"
        return None
