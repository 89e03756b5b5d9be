"""Jumps of functions of time and of their slopes, distinguished from fast changes by narrowing intervals down.

The second difference over an interval decreases with its square where a function is smooth, in proportion to it where the
slope jumps, and not at all where the function does.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

SAMPLES = 1000  # over the run
SUSPECTS = 30  # pairs of intervals that are narrowed down: those where the samples are least smooth
REMAINING = 0.4  # of a jump while its interval is halved HALVINGS times
HALVINGS = 10
SMALLEST = 1e-12  # m, rad, m/s or rad/s: smaller jumps are rounding by cancellation
NEGLIGIBLE = 1e-7  # relative to the largest value: smaller jumps are rounding, or the digits of a table
NARROW = 1e-12  # last interval with a jump, relative to the largest time
# Of a jump of slope: last interval, s; reach of the slopes that are told, s; smallest size relative to the largest slope
KINK_AT, SLOPE_REACH, SMALLEST_KINK = 1e-9, 1e-5, 1e-4
BEND_ROUNDING = 64.0 * np.finfo(float).eps  # of the value, in second differences


@dataclass(frozen=True)
class Jump:
    """A jump at time ``t`` (s), with the values before and after it."""

    t: float
    before: float
    after: float

    @property
    def size(self) -> float:
        return abs(self.after - self.before)


def find_jump(
    function: Callable[[float], float], begin: float, end: float, samples: int = SAMPLES, smallest: float = SMALLEST
) -> Jump | None:
    """First jump of ``function`` between ``begin`` and ``end`` (s) found by sampling; None if there is none.

    Jumps below ``smallest`` are ignored. Features shorter than two samples may be missed. The search ends where the
    function fails or is not finite.
    """
    times, values = _sampled(function, begin, end, samples)
    smallest = max(smallest, NEGLIGIBLE * float(np.abs(values).max(initial=0.0)))
    found = _narrowed(function, times, values, 0, smallest, NARROW * max(abs(begin), abs(end)))
    jumps = (Jump(0.5 * (low + high), value_at(function, low), value_at(function, high)) for low, high in found)
    return next((jump for jump in jumps if jump.size > smallest), None)


def find_kink(function: Callable[[float], float], begin: float, end: float, samples: int = SAMPLES) -> Jump | None:
    """First jump of the slope of a continuous ``function`` between two times (s), to 1e-9 s, found by sampling.

    Those below ``SMALLEST_KINK`` of the largest slope are ignored, as are those that rounding hides (1e-4 of the value a
    second); those that curvature hides over two samples may be missed.
    """
    times, values = _sampled(function, begin, end, samples)
    smallest = SMALLEST_KINK * float(np.abs(np.diff(values)).max(initial=0.0)) * samples / (end - begin)
    places = (0.5 * sum(found) for found in _narrowed(function, times, values, 1, smallest, KINK_AT))
    kinks = (Jump(t, _slope(function, t, -SLOPE_REACH), _slope(function, t, SLOPE_REACH)) for t in places)
    return next((kink for kink in kinks if kink.size > smallest), None)


def _sampled(function, begin: float, end: float, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Times (s) and values up to the first one that is not finite."""
    times = np.linspace(begin, end, samples + 1)
    values = np.array(list(itertools.takewhile(math.isfinite, (value_at(function, float(t)) for t in times))))
    return times[: len(values)], values


def value_at(function, t: float) -> float:
    """Value of the function, NaN where it fails (the failure is reported where the function is used)."""
    try:
        return float(function(t))
    except Exception:
        return math.nan


def _narrowed(
    function, times: np.ndarray, values: np.ndarray, order: int, smallest: float, narrow: float
) -> Iterator[tuple[float, float]]:
    """(begin, end) of intervals up to ``narrow`` (s) in which derivative ``order`` (0, 1) jumps, in the order of time.

    ``smallest``: jumps below it are none.
    """
    for i in np.sort(np.argsort(-np.abs(np.diff(values, 2)))[:SUSPECTS]):
        low, high = float(times[i]), float(times[i + 2])
        sizes: list[float] = []  # of the jump, in intervals each half of the one before
        while high - low > narrow:
            points = np.linspace(low, high, 5)
            inside = np.array([value_at(function, float(t)) for t in points])
            bends = np.abs(np.diff(inside, 2))
            k, size = int(np.argmax(bends)), float(bends.max() / (points[1] - low) ** order)
            if not (bends[k] > BEND_ROUNDING * np.abs(inside).max() and size > REMAINING * smallest):
                break
            sizes.append(size)
            low, high = float(points[k]), float(points[k + 2])
        else:  # between REMAINING and all of a jump are seen
            if len(sizes) >= HALVINGS and REMAINING <= sizes[-1] / sizes[-HALVINGS] <= 1.0 / REMAINING:
                yield low, high


def _slope(function, t: float, reach: float) -> float:
    """One-sided slope at ``t`` of the parabola through three points, the last one 2 ``reach`` away."""
    start = t + math.copysign(KINK_AT, reach)
    near, middle, far = (value_at(function, start + k * reach) for k in range(3))
    return (4.0 * middle - 3.0 * near - far) / (2.0 * reach) + 0.0  # no -0
