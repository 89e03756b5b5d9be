"""Telling the progress of a run, and how long the rest of it will take as far as its recent pace tells."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable

from flexmbs.analysis.run.step_statistics import vibrations_that_decide
from flexmbs.common.progress import Progress
from flexmbs.core.layout.state import State
from flexmbs.model.compiled_model import Model

WINDOW, BETWEEN = 20.0, 0.25  # s of the clock: what the pace is measured over, and between two marks of it
MIN_MEASURED = 0.5  # s of the clock before anything is said


class RunProgress:
    """What a run tells ``callback`` between its chunks of steps; None: nobody listens."""

    def __init__(self, callback: Callable[[Progress], object] | None) -> None:
        self._callback, self._clock = callback, RunClock()

    def tell(self, model: Model, state: State, t_end: float, result_bytes: float) -> None:
        """Progress up to ``state``; ``result_bytes`` that the result is expected to take."""
        if self._callback is None:
            return
        now = float(state.time)
        self._callback(
            Progress(
                time=now,
                t_end=t_end,
                step=float(state.step_size),
                steps=int(state.steps_accepted),
                result_bytes=result_bytes,
                note=vibrations_that_decide(model, state),
                seconds_left=self._clock.seconds_left(now, t_end),
            )
        )


class RunClock:
    """Simulated times beside the clock. The pace is that of the last seconds: impacts slow a run down for a while."""

    def __init__(self) -> None:
        self._marks: deque[tuple[float, float]] = deque()  # s of the clock, s simulated

    def seconds_left(self, t: float, t_end: float, now: float | None = None) -> float:
        """Seconds of the clock to ``t_end`` from the simulated time ``t``; nan while nothing is known.

        ``now``: reading of the clock in s (None: of this moment).
        """
        now = time.perf_counter() if now is None else now
        if not self._marks or now - self._marks[-1][0] >= BETWEEN:
            self._marks.append((now, t))
        while len(self._marks) > 2 and now - self._marks[0][0] > WINDOW:
            self._marks.popleft()
        begin, t_begin = self._marks[0]
        if now - begin < MIN_MEASURED or t <= t_begin:
            return math.nan
        return max(t_end - t, 0.0) * (now - begin) / (t - t_begin)
