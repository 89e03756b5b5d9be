"""What came of running the points of a study, in numbers: while it goes on, at its end, and after Ctrl-C."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from flexmbs.common.progress import Stage, TerminalBar, duration_text, on_terminal

_BETWEEN_LINES = 10.0  # s between two plain lines, without a terminal


@dataclass
class StudyOutcome:
    """Counts of one call, so far or at its end; runs, unless stated otherwise."""

    total: int = 0  #: points looked at (of the shard)
    present: int = 0  #: were finished, or had failed, before they were looked at
    computed: int = 0  #: finished, or seen to fail, by this call
    elsewhere: int = 0  #: finished, or seen to fail, by other processes while this call went on
    failed: int = 0  #: have failed, now or before
    repeated: int = 0  #: points that share the run of another point, which was being computed when they were looked at
    running: int = 0  #: are being computed now by this call
    awaited: int = 0  #: are being computed now by other processes
    failures: Counter[str] = field(default_factory=Counter)  #: kind -> number of runs that failed in this way
    first_failure: str = ""  #: point and key of the first failed run, and why it failed
    not_finite: int = 0  #: runs with a figure that is nan or infinite
    not_finite_figures: Counter[str] = field(default_factory=Counter)  #: name -> number of runs in which the figure is not finite
    run_seconds: float = 0.0  #: sum of the times of the runs computed
    wall_seconds: float = 0.0  #: of the call
    parallel: int = 1  #: how many runs were computed at the same time, at last

    @property
    def done(self) -> int:
        """Points whose runs are finished or have failed."""
        return self.present + self.computed + self.elsewhere + self.repeated

    @property
    def seconds_left(self) -> float | None:
        """Time until the end, s, if the runs go on as they did; None before the first one."""
        return (self.total - self.done) * self.run_seconds / self.computed / self.parallel if self.run_seconds else None

    def __str__(self) -> str:
        counts = {
            "were there": self.present,
            "computed elsewhere": self.elsewhere,
            "repeated points": self.repeated,
            "failed": self.failed,
            "with figures that are not finite": self.not_finite,
            "running": self.running,
            "running elsewhere": self.awaited,
        }
        parts = [f"{self.computed} computed", *(f"{count} {what}" for what, count in counts.items() if count)]
        left = f", {duration_text(self.seconds_left)} left" if self.seconds_left else ""
        return f"{self.done} of {self.total} runs: {', '.join(parts)}; {duration_text(self.wall_seconds)}{left}"

    def notices(self) -> list[str]:
        """What is off, in sentences."""
        found = []
        if self.failed:
            kinds = ", ".join(f"{count} {kind}" for kind, count in self.failures.most_common())
            found.append(f"{self.failed} of {self.total} runs failed ({kinds}); the first is {self.first_failure}")
        if self.not_finite:
            names = ", ".join(name for name, _ in self.not_finite_figures.most_common())
            found.append(f"{self.not_finite} runs with figures that are not finite: {names}")
        return found


class StudyInterrupted(KeyboardInterrupt):
    """Ctrl-C has stopped a study; what is finished is stored, and running it again goes on.

    ``outcome``: how far it was.
    """

    def __init__(self, outcome: StudyOutcome) -> None:
        super().__init__(
            f"interrupted: {outcome.done} of {outcome.total} runs are done. Runs that were going on have saved their "
            "state; the same command goes on from there"
        )
        self.outcome = outcome


class _Line(Stage):
    def __str__(self) -> str:
        return self.text  # which has the numbers


@contextmanager
def study_progress(name: str) -> Iterator[Callable[[StudyOutcome], None]]:
    """A callback that shows progress: a bar on a terminal, else a line every ten seconds."""
    if on_terminal():
        with closing(TerminalBar(name)) as bar:
            yield lambda outcome: bar(_Line(str(outcome), outcome.done, outcome.total))
        return
    last_line = -math.inf

    def print_line(outcome: StudyOutcome) -> None:
        nonlocal last_line
        now = time.monotonic()
        if sys.stderr is not None and (outcome.done == outcome.total or now - last_line >= _BETWEEN_LINES):
            last_line = now
            print(f"{name}: {outcome}", file=sys.stderr, flush=True)

    yield print_line
