"""Where a function of time jumps: told from one that is only fast by halving intervals.

In an interval that is halved again and again the change of a smooth function, however fast, shrinks with the interval;
that of a function that jumps stays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SAMPLES = 1000  # over the run
SUSPECTS = 30  # intervals that are halved: those where the samples are least smooth
NARROW = 1e-12  # last interval, relative to the largest time
STAYS = 0.5  # part of a jump that is left when the interval has shrunk to a thousandth
LEAST = 1e-12  # m, rad, m/s or rad/s: smaller jumps are rounding of what the function subtracts
NOTHING = 1e-7  # of the largest value: no jump but rounding, or digits of a table


@dataclass(frozen=True)
class Jump:
    """A jump at time ``t`` (s), and the values before and behind it."""

    t: float
    before: float
    after: float

    @property
    def size(self) -> float:
        return abs(self.after - self.before)


def find_jump(
    function: Callable[[float], float], begin: float, end: float, samples: int = SAMPLES, least: float = LEAST
) -> Jump | None:
    """First of the jumps of ``function`` between ``begin`` and ``end`` (s) that samples show; None when it has none.

    Jumps smaller than ``least`` are none.  What is shorter than two samples may be missed.  Where the function fails or
    is not finite the search ends.
    """
    times, values = _sampled(function, begin, end, samples)
    if len(times) < 2:
        return None
    changes = np.abs(np.diff(values))
    # not smooth: a change beside its neighbours
    rough = np.zeros(len(changes))
    if len(changes) > 2:
        steps = np.diff(values)
        bend = np.abs(np.diff(steps))
        rough[:-1] = bend
        rough[1:] = np.maximum(rough[1:], bend)
    else:
        rough = changes
    least = max(least, NOTHING * float(np.abs(values).max()))
    suspects = np.sort(np.argsort(rough)[::-1][:SUSPECTS])
    narrow = NARROW * max(abs(begin), abs(end))
    for i in suspects:
        if changes[i] > least:
            jump = _halved(function, float(times[i]), float(times[i + 1]), narrow)
            if jump is not None and jump.size > least:
                return jump
    return None


def _sampled(function, begin: float, end: float, samples: int) -> tuple[np.ndarray, np.ndarray]:
    times = np.linspace(begin, end, samples + 1)
    values: list[float] = []
    for t in times:
        value = value_at(function, float(t))
        if not math.isfinite(value):
            break
        values.append(value)
    return times[: len(values)], np.array(values)


def value_at(function, t: float) -> float:
    """Its value, NaN where it fails: what is wrong with it is told where it is used."""
    try:
        return float(function(t))
    except Exception:
        return math.nan


def _halved(function, low: float, high: float, narrow: float) -> Jump | None:
    """The jump that is left of the change in an interval, or None."""
    before, after = value_at(function, low), value_at(function, high)
    sizes: list[tuple[float, float]] = []  # width, change
    while high - low > narrow:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        value = value_at(function, middle)
        if not math.isfinite(value):
            return None
        if abs(value - before) >= abs(after - value):
            high, after = middle, value
        else:
            low, before = middle, value
        sizes.append((high - low, abs(after - before)))
    if not sizes:
        return None
    width, last = sizes[-1]
    wide = [change for size, change in sizes if size >= 900.0 * width]
    if not wide or not last >= STAYS * wide[-1]:
        return None
    return Jump(0.5 * (low + high), before, after)
