"""How long the rest of a run will take, as far as its recent pace tells."""

from __future__ import annotations

import math
import time
from collections import deque

WINDOW, BETWEEN = 20.0, 0.25  # s of the clock: what the pace is measured over, and between two marks of it
LEAST = 0.5  # s of the clock before anything is said


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
        if now - begin < LEAST or t <= t_begin:
            return math.nan
        return max(t_end - t, 0.0) * (now - begin) / (t - t_begin)
