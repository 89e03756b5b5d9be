"""Progress of a study: how much is done, how fast it goes, and when it will be finished."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

from flexmbs.common.progress import Stage, size_text
from flexmbs.common.progress_display import on_terminal, started_bar

_BETWEEN_LINES = 10.0  # s between two plain lines, without a terminal
_BETWEEN_DRAWINGS = 0.1  # s between two drawings on a terminal


@dataclass(frozen=True)
class StudyProgress(Stage):
    """How far a study is.

    Attributes
    ----------
    done, total : finished and failed runs, and all
    computed : runs that this call has finished or seen fail; the others were there
    failed : failed runs
    not_finite : runs with figures that are not finite, of those computed
    running : runs that are being computed now
    elsewhere : runs that other processes are computing
    seconds : since the beginning of this call
    rate : runs a second, of those computed
    left : s until the end, if the runs go on as they did; None before the first one
    size : bytes on disk, of the runs computed
    """

    text: str = "runs"
    done: int = 0
    total: int = 0
    computed: int = 0
    failed: int = 0
    not_finite: int = 0
    running: int = 0
    elsewhere: int = 0
    seconds: float = 0.0
    rate: float = 0.0
    left: float | None = None
    size: int = 0

    def __str__(self) -> str:
        return f"{self.done}/{self.total} runs, {self.note}"

    @property
    def note(self) -> str:
        """All but the number of runs, as text."""
        parts = [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.not_finite} not finite"] if self.not_finite else []
        parts += [f"{self.running} running"] if self.running else []
        parts += [f"{self.elsewhere} elsewhere"] if self.elsewhere else []
        parts += [f"{self.rate:.3g} runs/s"] if self.rate else []
        parts += [size_text(self.size)] if self.size else []
        parts += [f"{time_text(self.left)} left"] if self.left is not None and self.done < self.total else []
        return ", ".join(parts) or "starting"


def time_text(seconds: float) -> str:
    """A duration for people: "40 s", "12 min", "3 h 20 min"."""
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60.0)
    if minutes < 90:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h"


class StudyProgressLine:
    """A context whose callable shows progress: a bar on a terminal; else, if ``plain``, a line every ten seconds."""

    def __init__(self, name: str, *, plain: bool = False) -> None:
        self._name, self._plain = name, plain
        self._drawn = -1e9  # when it was last shown
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> StudyProgressLine:
        if on_terminal():
            self._bar, self._task = started_bar(self._name, total=None, counts=True)
        return self

    def __call__(self, progress: Stage) -> None:
        """Show a stage, or how far the study is."""
        now = time.monotonic()
        last = isinstance(progress, StudyProgress) and progress.done == progress.total
        between = _BETWEEN_DRAWINGS if self._bar is not None else _BETWEEN_LINES
        if now - self._drawn < between and not last and not progress.long:
            return
        self._drawn = now
        if self._bar is None:
            if self._plain and sys.stderr is not None:
                print(f"{self._name}: {progress}", file=sys.stderr, flush=True)
        elif isinstance(progress, StudyProgress):
            self._bar.update(self._task, completed=progress.done, total=progress.total, note=progress.note, refresh=True)
        else:
            self._bar.update(self._task, note=str(progress), refresh=True)

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()
