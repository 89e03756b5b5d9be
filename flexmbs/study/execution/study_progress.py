"""Progress of a study: how much is done, how fast it goes, and when it will be finished."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from flexmbs.common.progress import Stage, TerminalBar, duration_text, on_terminal, size_text

_BETWEEN_LINES = 10.0  # s between two plain lines, without a terminal


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
        parts = [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.not_finite} not finite"] if self.not_finite else []
        parts += [f"{self.running} running"] if self.running else []
        parts += [f"{self.elsewhere} elsewhere"] if self.elsewhere else []
        parts += [f"{self.rate:.3g} runs/s"] if self.rate else []
        parts += [size_text(self.size)] if self.size else []
        parts += [f"{duration_text(self.left)} left"] if self.left is not None and self.done < self.total else []
        return ", ".join([f"{self.done}/{self.total} runs", *(parts or ["starting"])])


@contextmanager
def study_progress(name: str, *, plain: bool = False) -> Iterator[Callable[[Stage], None]]:
    """A callback that shows progress: a bar on a terminal; else, if ``plain``, a line every ten seconds."""
    if on_terminal():
        bar = TerminalBar(name)
        try:
            yield bar
        finally:
            bar.close()
        return
    last_line = -math.inf

    def print_line(progress: Stage) -> None:
        nonlocal last_line
        now, is_last = time.monotonic(), progress.fraction == 1.0
        if plain and sys.stderr is not None and (is_last or progress.long or now - last_line >= _BETWEEN_LINES):
            last_line = now
            print(f"{name}: {progress}", file=sys.stderr, flush=True)

    yield print_line
