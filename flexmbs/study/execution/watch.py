"""Watching one run in a worker process: its time, memory and disk, and making it stop."""

from __future__ import annotations

import time
from pathlib import Path

from flexmbs.study.execution.child_process import ChildProcess
from flexmbs.study.execution.limits import FAR_BEYOND, RunLimits
from flexmbs.study.execution.run_files import size_of

_BETWEEN_SIZES = 2.0  # s between two looks at the disk


class Watch:
    """One run that has been sent to a process.

    Attributes
    ----------
    key : of the run
    stopped : kind and message of the reason for which it was asked to stop; None as long as it was not
    how_it_went : what followed from that, for the message
    """

    def __init__(self, key: str, child: ChildProcess, folder: Path, limits: RunLimits) -> None:
        self.key = key
        self.stopped: tuple[str, str] | None = None
        self.how_it_went = "it was killed"
        self._child, self._folder, self._limits = child, folder, limits
        self._begin = time.monotonic()
        self._stopped_at = self._measured_at = 0.0
        self._disk = 0

    @property
    def seconds(self) -> float:
        """Since the run was sent."""
        return time.monotonic() - self._begin

    def look(self) -> None:
        """Ask the run to stop once it exceeds a limit; kill its process when that does not help."""
        limits = self._limits
        memory = self._child.memory() if limits.memory is not None else 0
        if self.stopped is not None:
            if time.monotonic() - self._stopped_at > limits.grace:
                self.how_it_went = f"it did not save its state within {limits.grace:g} s, and was killed"
                self._child.kill()
            elif limits.memory is not None and memory > FAR_BEYOND * limits.memory:
                self.how_it_went = "it was killed at once"
                self._child.kill()
            return
        found = limits.exceeded(self.seconds, memory, self._size())
        if found is not None:
            self.stop(*found)
            self.look()

    def stop(self, kind: str, message: str) -> None:
        """Ask the run to save its state and stop."""
        if self.stopped is None:
            self.stopped, self._stopped_at = (kind, message), time.monotonic()
            self._child.send({"stop": self.key, "kind": kind, "message": message})

    def _size(self) -> int:
        if self._limits.disk is not None and self.seconds - self._measured_at > _BETWEEN_SIZES:
            self._disk = size_of(self._folder) + self._child.printed_size()
            self._measured_at = self.seconds
        return self._disk
