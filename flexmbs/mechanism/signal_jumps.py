"""Jumps of functions of time and of their slopes, distinguished from fast changes by bisection.

As an interval is bisected, the change of a continuous function, however fast, decreases with the interval; that of a
function that jumps remains.  So does the change of slope, second differences over their step, where the slope jumps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SAMPLES = 1000  # over the run
SUSPECTS = 30  # intervals that are bisected: those where the samples are least smooth
NARROW = 1e-12  # last interval, relative to the largest time
REMAINING = 0.5  # smallest fraction of a jump that remains when the interval has shrunk to a thousandth
SMALLEST = 1e-12  # m, rad, m/s or rad/s: smaller jumps are rounding by cancellation
NEGLIGIBLE = 1e-7  # relative to the largest value: smaller jumps are rounding, or the digits of a table
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
    if len(times) < 2:
        return None
    changes = np.abs(np.diff(values))
    # roughness: differences of neighbouring changes
    rough = np.zeros(len(changes))
    if len(changes) > 2:
        steps = np.diff(values)
        bend = np.abs(np.diff(steps))
        rough[:-1] = bend
        rough[1:] = np.maximum(rough[1:], bend)
    else:
        rough = changes
    smallest = max(smallest, NEGLIGIBLE * float(np.abs(values).max()))
    suspects = np.sort(np.argsort(rough)[::-1][:SUSPECTS])
    narrow = NARROW * max(abs(begin), abs(end))
    for i in suspects:
        if changes[i] > smallest:
            jump = _bisected(function, float(times[i]), float(times[i + 1]), narrow)
            if jump is not None and jump.size > smallest:
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
    """Value of the function, NaN where it fails (the failure is reported where the function is used)."""
    try:
        return float(function(t))
    except Exception:
        return math.nan


def _bisected(function, low: float, high: float, narrow: float) -> Jump | None:
    """The jump that remains of the change in an interval after bisection, or None."""
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
    if not wide or not last >= REMAINING * wide[-1]:
        return None
    return Jump(0.5 * (low + high), before, after)


def find_kink(function: Callable[[float], float], begin: float, end: float, samples: int = SAMPLES) -> Jump | None:
    """First jump of the slope of a continuous ``function`` between two times (s), to 1e-9 s, found by sampling.

    Those below ``SMALLEST_KINK`` of the largest slope are ignored, as are those that rounding hides (1e-4 of the value a
    second); those that curvature hides over two samples may be missed.
    """
    times, values = _sampled(function, begin, end, samples)
    if len(times) < 3:
        return None
    largest = float(np.abs(np.diff(values)).max()) / float(times[1] - times[0])
    bends = np.abs(np.diff(values, 2))
    for i in np.sort(np.argsort(bends)[::-1][:SUSPECTS]):
        t = _narrowed(function, float(times[i]), float(times[i + 2]))
        if t is not None:
            before, after = (_slope(function, t, reach) for reach in (-SLOPE_REACH, SLOPE_REACH))
            if abs(after - before) > SMALLEST_KINK * largest:
                return Jump(t, before, after)
    return None


def _narrowed(function, low: float, high: float) -> float | None:
    """Where the slope jumps between two times; None if its change decreases with the interval, as where it is continuous."""
    sizes: list[float] = []  # of the jump of slope, in intervals each half of the one before
    while high - low > KINK_AT:
        points = np.linspace(low, high, 5)
        values = np.array([value_at(function, float(t)) for t in points])
        bends = np.abs(np.diff(values, 2))
        if not bends.max() > BEND_ROUNDING * np.abs(values).max():
            return None
        i = int(np.argmax(bends))
        sizes.append(float(bends[i] / (points[1] - low)))
        low, high = float(points[i]), float(points[i + 2])
    wide = sizes[-min(10, len(sizes))]
    lasts = 0.8 * REMAINING * wide <= sizes[-1] <= wide / (0.8 * REMAINING)  # between half and all of it are seen
    return 0.5 * (low + high) if lasts else None


def _slope(function, t: float, reach: float) -> float:
    """One-sided slope at ``t`` of the parabola through three points, the last one 2 ``reach`` away."""
    start = t + math.copysign(KINK_AT, reach)
    near, middle, far = (value_at(function, start + k * reach) for k in range(3))
    return (4.0 * middle - 3.0 * near - far) / (2.0 * reach) + 0.0  # no -0
