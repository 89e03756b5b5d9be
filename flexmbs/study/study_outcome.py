"""What came of running the points of a study, in numbers: while it goes on, at its end, and after Ctrl-C."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from flexmbs.common.progress import Stage, TerminalBar, duration_text, on_terminal, size_text

_BETWEEN_LINES = 10.0  # s between two plain lines, without a terminal


@dataclass
class StudyOutcome:
    """Counts of one call; runs, unless stated otherwise."""

    total: int = 0  #: points looked at (of the shard)
    present: int = 0  #: were finished, or had failed, before they were looked at
    computed: int = 0  #: finished, or seen to fail, by this call
    elsewhere: int = 0  #: finished, or seen to fail, by other processes while this call went on
    failed: int = 0  #: have failed, now or before
    repeated: int = 0  #: points that share the run of another point, which was being computed when they were looked at
    failures: Counter[str] = field(default_factory=Counter)  #: kind -> number of runs that failed in this way
    first_failure: tuple[int, str, str, str] | None = None  #: index of the point, key, kind and message of the first failed run
    not_finite: int = 0  #: runs with a figure that is nan or infinite
    not_finite_figures: Counter[str] = field(default_factory=Counter)  #: name -> number of runs in which the figure is not finite
    run_seconds: float = 0.0  #: sum of the times of the runs computed
    wall_seconds: float = 0.0  #: of the call
    parallel: int = 0  #: how many runs were computed at the same time
    size: int = 0  #: bytes that the runs computed have left on disk

    @property
    def done(self) -> int:
        """Points whose runs are finished or have failed."""
        return self.present + self.computed + self.elsewhere + self.repeated

    def __str__(self) -> str:
        counts = {
            "were there": self.present,
            "computed elsewhere": self.elsewhere,
            "repeated points": self.repeated,
            "failed": self.failed,
            "with figures that are not finite": self.not_finite,
        }
        parts = [f"{self.computed} computed", *(f"{count} {what}" for what, count in counts.items() if count)]
        return f"{self.done} of {self.total} runs: {', '.join(parts)}; {duration_text(self.wall_seconds)}"

    def notices(self) -> list[str]:
        """What is off, in sentences."""
        found = []
        if self.failed:
            kinds = ", ".join(f"{count} {kind}" for kind, count in self.failures.most_common())
            found.append(f"{self.failed} of {self.total} runs failed ({kinds}); {self.first_failure_text}")
        if self.not_finite:
            names = ", ".join(name for name, _ in self.not_finite_figures.most_common())
            found.append(f"{self.not_finite} runs with figures that are not finite: {names}")
        return found

    @property
    def first_failure_text(self) -> str:
        """The first failed run, its point and why it failed."""
        return "the first is point {}, run {}: {}: {}".format(*self.first_failure) if self.first_failure else ""


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


@dataclass(frozen=True)
class StudyProgress(Stage):
    """How far a study is."""

    text: str = "runs"
    done: int = 0  #: points whose runs are finished or have failed, and all
    total: int = 0
    computed: int = 0  #: as in :class:`StudyOutcome`, so far
    failed: int = 0
    not_finite: int = 0
    size: int = 0
    running: int = 0  #: runs that are being computed now
    elsewhere: int = 0  #: runs that other processes are computing
    seconds: float = 0.0  #: since the beginning of this call
    rate: float = 0.0  #: runs a second, of those computed
    left: float | None = None  #: s until the end, if the runs go on as they did; None before the first one

    @classmethod
    def of(cls, outcome: StudyOutcome, running: int, elsewhere: int, seconds: float) -> StudyProgress:
        """Progress of a study with these counts so far."""
        counts = {name: getattr(outcome, name) for name in ("done", "total", "computed", "failed", "not_finite", "size")}
        rate, left = outcome.computed / max(seconds, 1e-9), None
        if outcome.run_seconds:
            left = (outcome.total - outcome.done) * outcome.run_seconds / outcome.computed / outcome.parallel
        return cls(**counts, running=running, elsewhere=elsewhere, seconds=seconds, rate=rate, left=left)

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
def study_progress(name: str) -> Iterator[Callable[[Stage], None]]:
    """A callback that shows progress: a bar on a terminal, else a line every ten seconds."""
    if on_terminal():
        with closing(TerminalBar(name)) as bar:
            yield bar
        return
    last_line = -math.inf

    def print_line(progress: Stage) -> None:
        nonlocal last_line
        now, is_last = time.monotonic(), progress.fraction == 1.0
        if sys.stderr is not None and (is_last or progress.long or now - last_line >= _BETWEEN_LINES):
            last_line = now
            print(f"{name}: {progress}", file=sys.stderr, flush=True)

    yield print_line
