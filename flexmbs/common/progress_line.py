"""The progress line of a run: simulated time, step size, time left."""

from __future__ import annotations

import sys
import time
from typing import Any


class ProgressBar:
    """Context manager whose instance is the progress callback of ``System.simulate``.

    On a terminal it draws a bar at most ten times a second; elsewhere it stays silent.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0.0
        self._bar: Any = None

    def __enter__(self) -> ProgressBar:
        if not sys.stderr.isatty():
            return self
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[note]}"),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False)
        self._bar.start()
        self._task = self._bar.add_task(self._name, total=1.0, note="starting")
        self._bar.refresh()
        return self

    def __call__(self, progress: Any) -> None:
        """Draw a :class:`flexmbs.analysis.run.run.Progress`."""
        now = time.perf_counter()
        if self._bar is None or (now - self._drawn < 0.1 and progress.time < progress.t_end):
            return
        self._drawn = now
        note = f"t = {progress.time:.4g} of {progress.t_end:g} s, step {progress.step:.1e} s"
        self._bar.update(self._task, completed=progress.time / progress.t_end, note=note)
        self._bar.refresh()

    def __exit__(self, *_exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
