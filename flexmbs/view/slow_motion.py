"""Time in a film: even, or stretched around impacts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.contact_phases import closed_contacts, impact_end
from flexmbs.view.drawable import DrawableResult

#: Part of the film that impacts get with ``slow_motion=True``, and the least for each, s: the strongest are chosen.
SHARE, LEAST = 0.6, 0.8
#: Slowing down takes about this many times as long in the film as the impact, and so does speeding up.
RAMP = 1.5
#: Part of the time shown; a shorter impact (by an impulse, or of what rests from the start) shows nothing by being slower.
INSTANT = 1e-9
_BISECTIONS = 70  # below rounding


class Impact(NamedTuple):
    """From the first touch to the end of the first expansion (s), and the largest force of the contact (N)."""

    start: float
    end: float
    peak_force: float


class FilmTime:
    """The time of the run (s) against the time of the film (s): monotone, with a continuous speed.

    The film shows the run from ``first`` to ``last`` in ``duration``. Its pace, film seconds for each second of the
    run, is proportional to 1 + sum (k_j - 1) L_j(t): L_j is 1 during impact j, and 1 / sqrt(1 + (x / w_j)^2) at a
    distance x (s) from it. So the speed falls by about the same factor in each second of the film, over all scales of
    time from that of the run to w_j, which is a part of the length of the impact.
    """

    def __init__(
        self, first: float, last: float, duration: float, impacts: Sequence[Impact] = (), factors: Sequence[float] = ()
    ) -> None:
        self.first, self.last, self.duration = first, last, duration
        least = INSTANT * max(last - first, 1e-300)
        self._start = np.array([impact.start for impact in impacts])
        self._length = np.maximum([impact.end - impact.start for impact in impacts], least).reshape(-1)
        self._more = np.array(factors or [1.0] * len(impacts)) - 1.0
        self._width = RAMP * self._length / np.arcsinh(max(last - first, least) / self._length)
        self._from = float(self._area(np.asarray(first, dtype=float)))
        self._total = float(self._area(np.asarray(last, dtype=float))) - self._from

    def film(self, times) -> np.ndarray:
        """(k,) s in the film at ``times`` (k,) of the run."""
        if self._total <= 0.0:
            return np.zeros(np.shape(times))
        return self.duration * (self._area(np.asarray(times, dtype=float)) - self._from) / self._total

    def run(self, film) -> np.ndarray:
        """(k,) s of the run at the times ``film`` (k,) of the film."""
        film = np.asarray(film, dtype=float)
        if not self.stretched:
            return np.interp(film, [0.0, self.duration], [self.first, self.last])
        low, high = np.full(film.shape, self.first), np.full(film.shape, self.last)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            late = self.film(middle) > film
            low, high = np.where(late, low, middle), np.where(late, middle, high)
        found = np.where(film >= self.duration, self.last, 0.5 * (low + high))
        return np.where(film <= 0.0, self.first, found)

    def frames(self, count: int) -> np.ndarray:
        """(count,) s: times of the run that the frames of the film show, its start and its end among them."""
        return self.run(np.linspace(0.0, self.duration, count))

    def speed(self, time: float) -> float:
        """Seconds of the run for each second of the film, at ``time`` of the run."""
        if self._total <= 0.0:
            return 0.0
        before, after = self._distances(np.asarray(time, dtype=float))
        near = 1.0 / np.hypot(1.0, (before + after) / self._width)
        return self._total / self.duration / (1.0 + float(near @ self._more))

    def shown_speed(self, time: float) -> float | None:
        """The speed for pictures of a film in slow motion; None for others."""
        return self.speed(time) if self.stretched else None

    @property
    def stretched(self) -> bool:
        """Whether the speed changes."""
        return len(self._more) > 0

    def digits(self, count: int) -> int:
        """Digits behind the point with which all of ``count`` frames show different times (s)."""
        inside = np.clip(self._start + 0.5 * self._length, self.first, self.last)
        slowest = min(self.speed(float(time)) for time in (self.first, self.last, *inside))
        return digits_of(slowest * self.duration / count)

    def around(self) -> np.ndarray:
        """(impacts,) s, integral of each L_j from the first to the last time."""
        return self._areas(np.asarray(self.last, dtype=float)) - self._areas(np.asarray(self.first, dtype=float))

    def _area(self, times: np.ndarray) -> np.ndarray:
        """Integral of the pace, up to a constant and a factor."""
        return times + self._areas(times) @ self._more

    def _areas(self, times: np.ndarray) -> np.ndarray:
        """(..., impacts) integrals of L_j from the start of the impact."""
        before, after = self._distances(times)
        inside = self._length - np.clip(self._start + self._length - times[..., None], 0.0, self._length)
        return inside + self._width * (np.arcsinh(after / self._width) - np.arcsinh(before / self._width))

    def _distances(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(k, impacts) s from each time to the start of each impact ahead, and from the end of each one passed."""
        ahead = self._start - times[..., None]
        return np.maximum(ahead, 0.0), np.maximum(-ahead - self._length, 0.0)


def digits_of(step: float) -> int:
    """Digits behind the point (4 to 12) with which times that differ by ``step`` (s) look different."""
    return min(max(4, math.ceil(-math.log10(step))), 12) if step > 0.0 else 4


def film_time(result: DrawableResult, first: float, last: float, duration: float, slow_motion: bool | float = False) -> FilmTime:
    """The time of a film: even, or slower around impacts.

    ``slow_motion=True``: 60 % of the film for the strongest impacts, each at least 0.8 s; a number: every impact at
    1/``slow_motion`` of the speed of the rest. FlexmbsError for anything else.
    """
    if not duration > 0.0:
        raise FlexmbsError(f"duration is {duration!r} s; it must be positive")
    if slow_motion is None or slow_motion is False:
        return FilmTime(first, last, duration)
    factor = float(slow_motion) if isinstance(slow_motion, int | float | np.number) else math.nan
    if slow_motion is not True and not (math.isfinite(factor) and factor > 1.0):
        raise FlexmbsError(
            f"slow_motion is {slow_motion!r}; it must be True or a number above 1: with 50, impacts are shown at 1/50 of the "
            "speed of the rest"
        )
    every = [
        Impact(closed.start, impact_end(result, index, closed), closed.peak_force)
        for index, of_contact in closed_contacts(result).items()
        for closed in of_contact
    ]
    seen = [impact for impact in every if impact.end >= first and impact.start <= last]
    impacts = _together([impact for impact in seen if impact.end - impact.start > INSTANT * (last - first)])
    if slow_motion is not True:
        return FilmTime(first, last, duration, impacts, [factor] * len(impacts))
    count = max(1, int(SHARE * duration / LEAST))
    impacts = sorted(impacts, key=lambda impact: -impact.peak_force)[:count]
    extra = SHARE / (1.0 - SHARE) * (last - first) / max(len(impacts), 1)  # for each, in seconds of the rest
    factors = 1.0 + extra / np.maximum(FilmTime(first, last, duration, impacts).around(), 1e-300)
    return FilmTime(first, last, duration, impacts, factors.tolist())


def _together(impacts: list[Impact]) -> list[Impact]:
    """Impacts that overlap, or are nearer to each other than the longer of them lasts, as one."""
    found: list[Impact] = []
    for impact in sorted(impacts):
        if found and impact.start - found[-1].end <= max(impact.end - impact.start, found[-1].end - found[-1].start):
            last = found.pop()
            impact = Impact(last.start, max(last.end, impact.end), max(last.peak_force, impact.peak_force))
        found.append(impact)
    return found
