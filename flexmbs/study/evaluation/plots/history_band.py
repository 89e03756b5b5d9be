"""Histories of many runs as a band: quantiles over the runs at common times."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.canvas import POINTS, finished_figure, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_RUNS = 20_000  # kept for the quantiles: 201 times of them are 32 MB
TIMES = 201


@dataclass(frozen=True)
class HistoryBand:
    """Quantiles of a history over the runs.

    Attributes
    ----------
    name, unit : of the history
    times : (k,) s
    quantiles : (5, k): 5 %, 25 %, 50 %, 75 %, 95 % of the runs that have a value at this time
    running : (k,) number of runs that have a value at this time
    runs : number of runs given
    used : number of runs that the quantiles are taken over; fewer than ``runs`` if those were too many to keep
    examples : (m, k) a few single runs
    """

    name: str
    unit: str
    times: Numbers
    quantiles: Numbers
    running: np.ndarray
    runs: int
    used: int
    examples: Numbers


def history_band(
    name: str,
    histories: Iterable[tuple[Numbers, Numbers]],
    unit: str = "",
    times: Numbers | None = None,
    *,
    most_runs: int = MOST_RUNS,
) -> HistoryBand:
    """Quantiles of histories, each given as its times (s, ascending) and values.

    Histories are interpolated linearly at ``times`` (default: 201 from the first time to the longest end of the first
    hundred runs); after its end a run has no value.  Of more than ``most_runs`` histories, as many are kept, chosen at
    random with equal probability while they pass.  StudyError if there are none.
    """
    random = np.random.default_rng(0)
    waiting: list[tuple[Numbers, Numbers]] = []
    kept: list[Numbers] = []
    count = 0
    for history in histories:
        count += 1
        if times is None and len(waiting) < 100:
            waiting.append(history)
            continue
        if times is None:
            times = _common_times(waiting)
        while waiting:
            kept.append(_at(times, waiting.pop(0)))
        if len(kept) < most_runs:
            kept.append(_at(times, history))
        elif (place := int(random.integers(count))) < most_runs:
            kept[place] = _at(times, history)
    if not count:
        raise StudyError(f"no run has a history {name!r}: name the histories to store before the study is run")
    if times is None:
        times = _common_times(waiting)
    kept += [_at(times, history) for history in waiting]
    values = np.stack(kept)
    return HistoryBand(name, unit, times, _quantiles(values), np.isfinite(values).sum(axis=0), count, len(kept), values[:5])


def plot_histories_as_band(
    bands: Sequence[HistoryBand], *, title: str | None = None, save: str | Path | None = None
) -> Figure | None:
    """Draw the median, the band of the middle half and of the middle nine tenths of the runs, a panel for each."""
    figure = new_figure(8.0, 0.9 + 2.7 * len(bands))
    panels = figure.subplots(len(bands), 1, sharex=True, squeeze=False)[:, 0]
    for axes, band in zip(panels, bands, strict=True):
        low, lower, middle, upper, high = band.quantiles
        axes.fill_between(band.times, low, high, color=POINTS, alpha=0.18, linewidth=0, label="5 % to 95 %")
        axes.fill_between(band.times, lower, upper, color=POINTS, alpha=0.3, linewidth=0, label="25 % to 75 %")
        for number, example in enumerate(band.examples[:3]):
            axes.plot(band.times, example, color="0.35", linewidth=0.6, label="" if number else "single runs")
        axes.plot(band.times, middle, color=POINTS, linewidth=1.6, label="median")
        axes.set_ylabel(f"{band.name} [{band.unit}]" if band.unit else band.name)
        axes.grid(True, alpha=0.3)
        axes.margins(x=0.01)
    panels[0].legend(fontsize="small", loc="best", ncols=2)
    panels[-1].set_xlabel("time [s]")
    first = bands[0]
    notes = [f"{first.runs} runs" if first.used == first.runs else f"{first.used} of {first.runs} runs, at random"]
    if (ended := int(first.used - first.running.min())) > 0:
        notes.append(f"at some times {ended} of them have no value, since they ended before")
    return finished_figure(figure, title or "Histories", notes, save)


def _common_times(histories: Sequence[tuple[Numbers, Numbers]]) -> Numbers:
    begin = min(float(t[0]) for t, _ in histories)
    return np.linspace(begin, max(float(t[-1]) for t, _ in histories), TIMES)


def _at(times: Numbers, history: tuple[Numbers, Numbers]) -> Numbers:
    """(k,) values at common times; nan outside those of the history.  At an event the value after it."""
    t, values = (np.asarray(part, dtype=float) for part in history)
    tolerance = 1e-9 * max(abs(float(t[-1])), abs(float(t[0])))
    found = np.interp(times, t, values)
    found[(times < t[0] - tolerance) | (times > t[-1] + tolerance)] = np.nan
    return found


def _quantiles(values: Numbers) -> Numbers:
    """(5, k); nan where no run has a value, infinite values left out."""
    values = np.where(np.isfinite(values), values, np.nan)
    found = np.full((len(QUANTILES), values.shape[1]), np.nan)
    some = np.isfinite(values).any(axis=0)
    found[:, some] = np.nanquantile(values[:, some], QUANTILES, axis=0)
    return found
