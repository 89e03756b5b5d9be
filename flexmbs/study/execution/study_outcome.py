"""What came of running the points of a study, in numbers; and the error that Ctrl-C ends with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from flexmbs.common.progress import duration_text


@dataclass
class StudyOutcome:
    """Counts of one call; runs, unless stated otherwise.

    Attributes
    ----------
    total : points looked at (of the shard)
    present : were finished, or had failed, before they were looked at
    computed : finished now, by this or another process
    failed : have failed, now or before
    repeated : points that share the run of another point, which was being computed when they were looked at
    failures : kind -> number of runs that failed in this way
    first_failure : index of the point, key, kind and message of the first failed run
    not_finite : runs with a figure that is nan or infinite
    not_finite_figures : name -> number of runs in which the figure is not finite
    run_seconds : sum of the times of the runs computed now
    wall_seconds : of the call
    parallel : how many runs were computed at the same time
    size : bytes that the runs computed now have left on disk
    """

    total: int = 0
    present: int = 0
    computed: int = 0
    failed: int = 0
    repeated: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    first_failure: tuple[int, str, str, str] | None = None
    not_finite: int = 0
    not_finite_figures: Counter[str] = field(default_factory=Counter)
    run_seconds: float = 0.0
    wall_seconds: float = 0.0
    parallel: int = 0
    size: int = 0

    @property
    def done(self) -> int:
        """Points whose runs are finished or have failed."""
        return self.present + self.computed + self.repeated

    @property
    def efficiency(self) -> float:
        """Sum of the runs' own times over the processors' time; 1 is the best."""
        spent = self.wall_seconds * self.parallel
        return self.run_seconds / spent if spent else 0.0

    def __str__(self) -> str:
        parts = [f"{self.computed} computed"]
        parts += [f"{self.present} were there"] if self.present else []
        parts += [f"{self.repeated} repeated points"] if self.repeated else []
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"{self.not_finite} with figures that are not finite"] if self.not_finite else []
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
        if self.first_failure is None:
            return ""
        index, key, kind, message = self.first_failure
        return f"the first is point {index}, run {key}: {kind}: {message}"


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
