"""Compare runs: the histories that they share on common times, their figures, parameters and statistics; rows of tables."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.common.quantities import aligned
from flexmbs.result.result import Result, load
from flexmbs.result.run_summary import RunSummary, read_summary
from flexmbs.view.key_histories import CONTACTS, DRIVING, ENERGY, JOINTS, by_kind
from flexmbs.view.plot_curves import curves, time_window
from flexmbs.view.plots import ComparedHistory, plot_comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Histories that are compared without names, and how many of them are plotted.
MAX_CHOSEN, MAX_PLOTTED = 40, 4
#: Statistics that are of the machine, or have no number.
_LEFT_OUT = ("_reason", "advice", "step_size_decided_by")


def compare(
    *runs: str | os.PathLike[str] | Result,
    names: Sequence[str] = (),
    labels: Sequence[str] | None = None,
    start: float | None = None,
    end: float | None = None,
) -> Comparison:
    """Compare two or more runs with the first of them: ``print`` it for tables, ``.plot(save=...)`` for a figure.

    Parameters
    ----------
    runs : result folders or results; parameters, figures and statistics of cases are known from folders only
    names : histories; none: driving and contact forces, coordinates and energies that all runs have, 40 at most
    labels : of the runs; None: the names of their folders
    start, end : s, window of time; None: what all runs cover

    FlexmbsError for fewer than two runs, a history that a run lacks or has in another unit, no common time.
    """
    if len(runs) < 2:
        raise FlexmbsError(f"compare: {len(runs)} run given; at least two are needed")
    results = tuple(run if isinstance(run, Result) else load(run) for run in runs)
    alone = "to compare the histories alone"
    summaries = tuple(RunSummary() if isinstance(run, Result) else read_summary(Path(run), alone) for run in runs)
    titles = _labels(runs, labels)
    shared = _shared(results)
    _check_wanted(names, shared, results, titles)
    low, high = _common_window(results, titles, start, end)
    wanted = tuple(dict.fromkeys(names)) or _chosen(results[0], shared)
    histories = _histories(results, wanted, low, high)
    return Comparison(titles, results, summaries, shared, _only_in(results, shared, titles), histories, bool(names))


@dataclass(frozen=True)
class Comparison:
    """Runs beside each other, all relative to the first one.

    Attributes
    ----------
    labels : of the runs
    shared : names of the histories that all runs have, in the same unit
    only_in : label -> histories of that run that are not shared
    histories : tuple of ComparedHistory: ``.times`` (k,) s, ``.values`` (runs, k), ``.largest``, ``.rms``, ...
    """

    labels: tuple[str, ...]
    results: tuple[Result, ...] = field(repr=False)
    summaries: tuple[RunSummary, ...] = field(repr=False)
    shared: tuple[str, ...] = field(repr=False)
    only_in: dict[str, tuple[str, ...]] = field(repr=False)
    histories: tuple[ComparedHistory, ...] = field(repr=False)
    named: bool = field(default=False, repr=False)

    def __getitem__(self, name: str) -> ComparedHistory:
        """The comparison of one history; FlexmbsError if it is not among ``histories``."""
        for history in self.histories:
            if history.name == name:
                return history
        raise FlexmbsError(f"comparison: no history {name!r}. {near_names(name, [h.name for h in self.histories])}")

    @property
    def figures(self) -> tuple[Row, ...]:
        """Figures of the runs' cases."""
        return rows_of([summary.figures for summary in self.summaries])

    @property
    def parameters(self) -> tuple[Row, ...]:
        """Parameters of the runs' cases that differ."""
        return tuple(row for row in rows_of([summary.parameters for summary in self.summaries]) if row.differs)

    @property
    def statistics(self) -> tuple[Row, ...]:
        """Statistics of the runs."""
        parts = [summary.stats or result.stats for summary, result in zip(self.summaries, self.results, strict=True)]
        return tuple(row for row in rows_of(parts) if not row.name.endswith(_LEFT_OUT))

    def plot(self, *, save: str | Path | None = None, **options: Any) -> Figure | None:
        """The histories of all runs in one figure, beneath each its difference from the first run.

        Returns the matplotlib figure, or writes it to ``save``. Without names in :func:`compare`: the four histories
        that differ most beside the largest range of their unit. Options: title, size, degrees, force, as of
        :func:`flexmbs.view.plots.plot_comparison`.
        """
        shown = self.histories if self.named else self.most_different
        return plot_comparison(self.labels, shown, save=save, **options)

    @property
    def most_different(self) -> tuple[ComparedHistory, ...]:
        """The four histories that differ most beside the largest range in their unit."""
        ranges: dict[str, float] = {}
        for history in self.histories:
            ranges[history.unit] = max(ranges.get(history.unit, 0.0), history.range)
        ordered = sorted(self.histories, key=lambda history: -history.rms / (ranges[history.unit] or 1.0))[:MAX_PLOTTED]
        return tuple(history for history in self.histories if history in ordered)

    def __str__(self) -> str:
        said = [
            _said_of_parameters(self.parameters, self.labels, any(s.parameters for s in self.summaries)),
            text_table("Figures:", self.labels, self.figures),
            _table_of_histories(self.histories),
            _said_of_others(self.only_in),
            text_table("Statistics:", self.labels, self.statistics),
        ]
        return "\n\n".join(part for part in said if part)


def _labels(runs: Sequence, labels: Sequence[str] | None) -> tuple[str, ...]:
    if labels is not None:
        if len(labels) != len(runs) or len(set(labels)) != len(labels):
            raise FlexmbsError(f"compare: labels must be {len(runs)} different names, one for each run: {labels!r}")
        return tuple(str(label) for label in labels)
    found = [f"run {k}" if isinstance(run, Result) else Path(run).resolve().name for k, run in enumerate(runs, start=1)]
    if len(set(found)) < len(found):
        found = [f"run {k}" if isinstance(run, Result) else os.fspath(run) for k, run in enumerate(runs, start=1)]
    if len(set(found)) < len(found):
        found = [f"{label} ({k})" for k, label in enumerate(found, start=1)]
    return tuple(found)


def _shared(results: Sequence[Result]) -> tuple[str, ...]:
    others = [frozenset(result.names) for result in results[1:]]
    first = [name for name in results[0].names if all(name in names for names in others)]
    return tuple(name for name in first if len({result.unit(name) for result in results}) == 1)


def _only_in(results: Sequence[Result], shared: Sequence[str], labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    common = frozenset(shared)
    found = {
        label: tuple(name for name in result.names if name not in common) for label, result in zip(labels, results, strict=True)
    }
    return {label: names for label, names in found.items() if names}


def _check_wanted(names: Sequence[str], shared: Sequence[str], results: Sequence[Result], labels: Sequence[str]) -> None:
    for name in names:
        if name in shared:
            continue
        lacking = [label for label, result in zip(labels, results, strict=True) if name not in result.names]
        if not lacking:
            units = ", ".join(result.unit(name) or "none" for result in results)
            raise FlexmbsError(f"compare: {name} has different units in these runs: {units}")
        if len(lacking) == len(results):
            raise FlexmbsError(f"compare: no run has a history {name!r}. {near_names(name, shared)}")
        raise FlexmbsError(f"compare: {', '.join(lacking)} has no history {name!r}. {near_names(name, shared)}")
    if not shared:
        raise FlexmbsError("compare: these runs share no history: they are of different mechanisms")


def _common_window(results: Sequence[Result], labels: Sequence[str], start: float | None, end: float | None) -> tuple[float, float]:
    ends = [time_window(result, None, None) for result in results]
    first, last = max(low for low, _ in ends), min(high for _, high in ends)
    if not first < last:
        said = ", ".join(f"{label}: {low:g} to {high:g} s" for label, (low, high) in zip(labels, ends, strict=True))
        raise FlexmbsError(f"compare: the runs have no time in common ({said})")
    low, high = first if start is None else start, last if end is None else end
    if not first <= low < high <= last:
        raise FlexmbsError(
            f"compare: the window from {low:g} to {high:g} s is empty or outside of what all runs cover: {first:g} to {last:g} s"
        )
    return float(low), float(high)


def _chosen(result: Result, shared: Sequence[str]) -> tuple[str, ...]:
    """Driving and contact forces, joint coordinates, energies, then modal coordinates; or what else there is."""
    kinds = by_kind(result)
    first = [name for kind in (DRIVING, CONTACTS, JOINTS, ENERGY) for name in kinds[kind]]
    first += [name for name in result.structure.coordinate_names if ".quaternion." not in name]
    known = frozenset(shared)
    return tuple(name for name in dict.fromkeys(first) if name in known)[:MAX_CHOSEN] or tuple(shared[:MAX_CHOSEN])


def _histories(results: Sequence[Result], names: Sequence[str], low: float, high: float) -> tuple[ComparedHistory, ...]:
    """On the steps of all runs, and between them where a curve needs points."""
    times = np.unique(np.concatenate([curves(result, names, low, high)[0] for result in results]))
    sampled = [result.resampled(times) for result in results]
    return tuple(ComparedHistory(name, results[0].unit(name), times, np.stack([part[name] for part in sampled])) for name in names)


def _said_of_parameters(rows: Sequence[Row], labels: Sequence[str], known: bool) -> str:
    if rows:
        return text_table("Parameters that differ:", labels, rows)
    return "Parameters: the same" if known else ""


def _table_of_histories(histories: Sequence[ComparedHistory]) -> str:
    rows = [
        Row(f"{one.name} [{one.unit}]" if one.unit else one.name, (one.largest, one.largest_at, one.rms), one.relative_rms, True)
        for one in histories
    ]
    columns = ("largest difference", "at t [s]", "rms")
    return text_table("Histories, compared with the first run:", columns, rows, last="rms / range")


def _said_of_others(only_in: dict[str, tuple[str, ...]]) -> str:
    said = [f"  {label}: {few(names, 8)} ({len(names)})" for label, names in only_in.items()]
    return "\n".join(["Histories that not all runs have:", *said]) if said else ""


_MISSING = object()
DIGITS = 7


@dataclass(frozen=True)
class Row:
    """A value of each run under one name.

    ``difference``: largest distance from the value of the first run, relative to it; None where there is none (texts,
    lists, missing values, a first value of zero). ``values`` of runs that have none are None.
    """

    name: str
    values: tuple[Any, ...]
    difference: float | None
    differs: bool


def rows_of(parts: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    """A row for each name of any of the ``parts``, in the order of the first ones."""
    names = dict.fromkeys(name for part in parts for name in part)
    return tuple(_row(name, [part.get(name, _MISSING) for part in parts]) for name in names)


def _row(name: str, values: list[Any]) -> Row:
    plain = tuple(None if value is _MISSING else value for value in values)
    differs = any(value is _MISSING for value in values) or any(value != values[0] for value in values[1:])
    return Row(name, plain, _difference(plain), differs)


def _difference(values: Sequence[Any]) -> float | None:
    numbers = [float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(values) or not all(map(math.isfinite, numbers)):
        return None
    largest = max((abs(number - numbers[0]) for number in numbers[1:]), default=0.0)
    if largest == 0.0:
        return 0.0
    return largest / abs(numbers[0]) if numbers[0] else None


def text_table(title: str, labels: Sequence[str], rows: Sequence[Row], *, last: str = "difference") -> str:
    """A table of plain text; empty without rows."""
    if not rows:
        return ""
    cells = [["", *labels, last]]
    for row in rows:
        difference = "" if row.difference is None else "0" if row.difference == 0.0 else f"{row.difference:.2g}"
        cells.append([row.name, *(shown(value) for value in row.values), difference])
    return "\n".join([title, *aligned(cells, range(1, len(cells[0])))])


def shown(value: Any) -> str:
    """A value in a table: seven digits, the first numbers of lists."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(shown(item) for item in value[:3]) + (", ..." if len(value) > 3 else "") + "]"
    return str(value)
