"""Histories of the runs of a study as a band: quantiles over the runs at common times."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import near_names, no_formula
from flexmbs.common.stored_arrays import read_npz_arrays
from flexmbs.result.result import load
from flexmbs.study.checks import ensure
from flexmbs.study.claim import HISTORIES
from flexmbs.study.plot_axes import POINTS, finished_figure, new_figure
from flexmbs.study.run_key import RunSpec
from flexmbs.study.run_record import FINISHED, RunRecord
from flexmbs.study.store import Store
from flexmbs.study.table import Numbers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Series = tuple[Numbers, Numbers]
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_RUNS = 20_000  # that the quantiles are taken over: 201 times of them are 32 MB
TIMES, RUNS_FOR_TIMES = 201, 100


@dataclass(frozen=True)
class HistoryBand:
    """Quantiles of a history over the runs."""

    name: str  # of the history
    unit: str
    times: Numbers  # (k,) s
    quantiles: Numbers  # (5, k): 5 %, 25 %, 50 %, 75 %, 95 % of the runs that have a finite value at this time
    running: npt.NDArray[np.int_]  # (k,) number of runs that have a finite value at this time
    runs: int  # number of finished runs
    used: int  # number of runs that the quantiles are taken over; fewer than ``runs`` if those were too many to keep
    examples: Numbers  # (m, k) a few single runs


def study_band(store: Store, spec: RunSpec, records: Iterable[RunRecord | None], name: str) -> HistoryBand:
    """Quantiles over finished runs (at most ``MOST_RUNS``) of a stored history; StudyError if they have not kept it."""
    keys = [record.key for record in records if record is not None and record.status == FINISHED]
    ensure(keys, f"history {name!r}: no run has finished yet")
    taken = keys if len(keys) <= MOST_RUNS else np.random.default_rng(0).choice(keys, MOST_RUNS, replace=False).tolist()
    if name in spec.histories:
        unit = str(_arrays(store, taken[0]).get(f"{name} unit", ""))
        stored = (arrays for key in taken if (arrays := _arrays(store, key, ("t", name))))
        histories = ((arrays["t"], arrays[name]) for arrays in stored)
    else:
        kept = f"the study kept {', '.join(spec.histories) or 'none'}"
        right = f"State it with histories=[{name!r}], or keep='results', in another folder"
        ensure(spec.keep == "results", f"history {name!r} was not kept; {kept}. {right}")
        first = load(store.files_of(taken[0]))
        ensure(name in first.names, f"the runs have no history {name!r}. {near_names(name, first.names)}")
        unit = first.unit(name)
        histories = ((np.asarray(one.t), np.asarray(one[name])) for one in (load(store.files_of(key)) for key in taken))
    return history_band(name, histories, unit, runs=len(keys))


def _arrays(store: Store, key: str, names: tuple[str, ...] | None = None) -> dict[str, np.ndarray]:
    """None if the run has no histories."""
    content = store.content_of(key, HISTORIES)
    try:
        return {} if content is None else read_npz_arrays(io.BytesIO(content), names=names)
    except ValueError as error:
        raise StudyError(f"run {key}: {HISTORIES} is damaged ({error}); delete this run, and compute it again") from None


def history_band(name: str, histories: Iterable[Series], unit: str = "", *, runs: int | None = None) -> HistoryBand:
    """Quantiles of histories, each given as its times (s, ascending) and values.

    They are interpolated linearly at 201 times from the first one to the longest end of the first hundred runs; after
    its end a run has no value.  ``runs``: number of all runs that these are taken from.
    """
    passing = iter(histories)
    first = list(islice(passing, RUNS_FOR_TIMES))
    ensure(first, f"no run has a history {name!r}: name the histories to store before the study is run")
    times = np.linspace(min(float(t[0]) for t, _ in first), max(float(t[-1]) for t, _ in first), TIMES)
    values = np.stack([_at(times, *history) for history in chain(first, passing)])
    known = np.isfinite(values)
    quantiles = np.full((len(QUANTILES), TIMES), np.nan)
    quantiles[:, known.any(axis=0)] = np.nanquantile(values[:, known.any(axis=0)], QUANTILES, axis=0)
    return HistoryBand(name, unit, times, quantiles, known.sum(axis=0), runs or len(values), len(values), values[:3])


def _at(times: Numbers, t: Numbers, values: Numbers) -> Numbers:
    """(k,) nan outside the times of the history and where values are infinite."""
    found = np.interp(times, t, values)
    tolerance = 1e-9 * max(abs(float(t[-1])), abs(float(t[0])))
    found[(times < t[0] - tolerance) | (times > t[-1] + tolerance) | ~np.isfinite(found)] = np.nan
    return found


def plot_bands(bands: Sequence[HistoryBand], *, title: str | None = None, save: Path | None = None) -> Figure | None:
    """Draw the median, the band of the middle half and of the middle nine tenths of the runs, a panel for each."""
    figure = new_figure(8.0, 0.9 + 2.7 * len(bands))
    panels = figure.subplots(len(bands), 1, sharex=True, squeeze=False)[:, 0]
    for axes, band in zip(panels, bands, strict=True):
        low, lower, middle, upper, high = band.quantiles
        axes.fill_between(band.times, low, high, color=POINTS, alpha=0.18, linewidth=0, label="5 % to 95 %")
        axes.fill_between(band.times, lower, upper, color=POINTS, alpha=0.3, linewidth=0, label="25 % to 75 %")
        axes.plot(band.times, band.examples.T, color="0.35", linewidth=0.6)[0].set_label("single runs")
        axes.plot(band.times, middle, color=POINTS, linewidth=1.6, label="median")
        axes.set_ylabel(no_formula(f"{band.name} [{band.unit}]" if band.unit else band.name))
        axes.grid(True, alpha=0.3)
        axes.margins(x=0.01)
    panels[0].legend(fontsize="small", loc="best", ncols=2)
    panels[-1].set_xlabel("time [s]")
    used, runs = bands[0].used, bands[0].runs
    notes = [f"{runs} runs" if used == runs else f"{used} of {runs} runs, at random"]
    if ended := int(used - bands[0].running.min()):
        notes.append(f"at some times {ended} of them have no value, since they ended before")
    return finished_figure(figure, title or "Histories", notes, save)
