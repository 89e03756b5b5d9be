"""Histories of a page: which are shown, which are there to choose from, and at how many times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.key_histories import key_histories, ranked
from flexmbs.view.page.numbers import series, whole

PLACES = 16  # steps of times between two frames
SHOWN = 3  # histories that are plotted at first
MOST = 120  # histories in a page, besides those that are asked for
LEVELS = 4000  # steps between the smallest and the largest value of a history
BESIDE = 0.01  # of that range: what straight lines between frames may miss


def history_records(result: DrawableResult, here: DrawableResult, names: Sequence[str] | None) -> tuple[list[dict[str, Any]], int]:
    """The chosen histories, and others that may be plotted; and how many of the result are left out.

    ``here``: the result at the frames. A history that changes between frames has, in place of its values there, the
    lowest and the highest of the steps between each two of them.
    """
    chosen = _default(result) if names is None else checked_names(result, names)
    others = [name for name in ranked(result) if name not in chosen][:MOST]
    times = _Times(result.t, here.t)
    found = [_record(result, here, name, name in chosen, times) for name in (*chosen, *others)]
    return found, len(result.names) - len(found)


def checked_names(result: DrawableResult, names: Sequence[str]) -> list[str]:
    """``names`` as a list; FlexmbsError with near names for one that the result does not have."""
    names = [names] if isinstance(names, str) else list(names)
    known = set(result.names)
    for name in names:
        if name not in known:
            raise FlexmbsError(f"no history named {name!r}. {near_names(str(name), result.names)}")
    return names


class _Times:
    """Steps ``t`` (nt,) between frames (nf,), s."""

    def __init__(self, t: np.ndarray, frames: np.ndarray) -> None:
        self.t, self.frames = t, frames
        inside = np.flatnonzero((t > frames[0]) & (t < frames[-1]))
        self.inside = inside
        bucket = np.searchsorted(frames, t[inside], side="right")
        self.starts = np.flatnonzero(np.diff(bucket, prepend=-1))
        self.sizes = np.diff(np.append(self.starts, len(inside)))

    def extremes(self, values: np.ndarray) -> np.ndarray:
        """Steps at which a history (nt,) is lowest or highest between two frames."""
        own = values[self.inside]
        found = []
        for best in (np.minimum, np.maximum):
            at = np.flatnonzero(own == np.repeat(best.reduceat(own, self.starts), self.sizes))
            first = np.searchsorted(at, self.starts)
            found.append(at[first])
        return self.inside[np.unique(np.concatenate(found))]

    def frame_numbers(self, steps: np.ndarray) -> np.ndarray:
        """(k + 2,) where steps are among the frames, times ``PLACES``, with the first and the last frame."""
        last = len(self.frames) - 1
        inside = np.interp(self.t[steps], self.frames, np.arange(last + 1))
        return np.round(PLACES * np.concatenate([[0.0], inside, [last]])).astype(np.int64)


def _record(result: DrawableResult, here: DrawableResult, name: str, shown: bool, times: _Times) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "group": name.split(".")[0], "unit": result.unit(name), "factor": 1.0}
    values, at_frames = result[name], here[name]
    shown_values = np.concatenate([at_frames, values[times.inside]])  # of the part of the run that the page shows
    spread = max(float(np.ptp(shown_values)), 1e-12 * float(np.abs(shown_values).max()))
    step = spread / LEVELS or 1.0
    found |= {"at": None, "values": series(at_frames, step), "shown": shown}
    if len(times.inside):
        missed = np.abs(np.interp(result.t[times.inside], here.t, at_frames) - values[times.inside])
        if missed.max() > BESIDE * spread:
            steps = times.extremes(values)
            ends = np.concatenate([at_frames[:1], values[steps], at_frames[-1:]])
            found |= {"at": whole(times.frame_numbers(steps), "f32"), "values": series(ends, step)}
    return found


def _default(result: DrawableResult) -> list[str]:
    """The histories of each kind that change most, a kind after the other: one that drives, presses, holds, moves ..."""
    first = [names[0] for names in key_histories(result).values()]
    return first[:SHOWN]
