"""Main effects: the mean of a response over the values of each parameter, and how far the runs spread about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.canvas import (
    POINTS,
    drawn_rows,
    finished_figure,
    mark_without_value,
    new_figure,
    note_without_value,
    require_rows,
)
from flexmbs.study.evaluation.plots.chosen_columns import chosen_columns, chosen_response
from flexmbs.study.evaluation.plots.scale import Scale, scale_of
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS, MOST_LEVELS, MOST_BINS, RUNS_A_BIN = 12, 12, 12, 8
MOST_POINTS = 1500


@dataclass(frozen=True)
class Groups:
    """Runs grouped by a parameter: ``at`` (k,) where each group stands, ``group`` (n,) number of each run or -1."""

    at: Numbers
    group: np.ndarray
    levels: bool


def main_effects(
    table: StudyTable,
    response: str | None = None,
    names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    save: str | Path | None = None,
) -> Figure | None:
    """Draw a response against each parameter: points, mean, and the band from the 5 % to the 95 % quantile.

    A parameter with at most twelve values, or text, has a mean for each of them; others are divided into up to twelve
    bins with equal numbers of runs.  Panels share the axis of the response.
    """
    require_rows(table)
    response = chosen_response(table, response)
    if names is None and not table.parameters:
        raise StudyError("main effects: this study varies no parameter")
    parameters = table.select([name for name in table.parameters if name != response])
    names, note = chosen_columns(parameters if names is None else table, names, MOST_PANELS)
    y = scale_of(table.column(response))
    across = 2 if len(names) == 4 else min(3, len(names))
    down = -(-len(names) // across)
    figure = new_figure(1.0 + 3.3 * across if across > 1 else 5.6, 0.9 + 2.7 * down)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    without = ~np.isfinite(y.positions)
    rows, thinned = drawn_rows(np.flatnonzero(~without), MOST_POINTS)
    for place, (axes, name) in enumerate(zip(panels, names, strict=False)):
        x = scale_of(table.column(name))
        axes.scatter(x.positions[rows], y.positions[rows], s=4, color="0.6", alpha=0.6, linewidths=0)
        _draw_means(axes, x, y)
        mark_without_value(axes, x.positions[drawn_rows(np.flatnonzero(without), MOST_POINTS)[0]])
        x.put_on(axes, "x", ticks=5)
        y.put_on(axes, "y", ticks=5, label=place % across == 0)
        axes.tick_params(labelleft=place % across == 0)
        axes.grid(True, alpha=0.3)
    notes = ["line: mean; band or bars: 5 % to 95 % of the runs", note, thinned]
    notes.append(note_without_value(int(without.sum()), len(table)))
    return finished_figure(figure, title or f"Main effects on {response}", notes, save)


def grouped(scale: Scale) -> Groups:
    """Runs by value, if there are few values, else in bins with equal numbers of runs."""
    positions = scale.positions
    known = np.isfinite(positions)
    group = np.full(len(positions), -1)
    if not known.any():
        return Groups(np.empty(0), group, levels=True)
    levels = np.unique(positions[known])
    if scale.categories or len(levels) <= MOST_LEVELS:
        group[known] = np.searchsorted(levels, positions[known])
        return Groups(levels, group, levels=True)
    bins = int(np.clip(known.sum() // RUNS_A_BIN, 1, MOST_BINS))
    edges = np.unique(np.quantile(positions[known], np.linspace(0.0, 1.0, bins + 1)))
    group[known] = np.clip(np.searchsorted(edges, positions[known], side="right") - 1, 0, len(edges) - 2)
    middles = np.array([np.median(positions[group == k]) for k in range(len(edges) - 1)])
    return Groups(middles, group, levels=False)


def _draw_means(axes: Axes, x: Scale, y: Scale) -> None:
    groups = grouped(x)
    values = [y.positions[(groups.group == k) & np.isfinite(y.positions)] for k in range(len(groups.at))]
    kept = [k for k, members in enumerate(values) if len(members)]
    at = groups.at[kept]
    mean = np.array([values[k].mean() for k in kept])
    low, high = (np.array([np.quantile(values[k], share) for k in kept]) for share in (0.05, 0.95))
    if groups.levels:
        axes.vlines(at, low, high, color=POINTS, linewidth=5.0, alpha=0.25)
        axes.plot(at, mean, "o" if x.categories else "o-", color=POINTS, markersize=5, linewidth=1.3)
    else:
        axes.fill_between(at, low, high, color=POINTS, alpha=0.22, linewidth=0)
        axes.plot(at, mean, "o-", color=POINTS, markersize=3.5, linewidth=1.3)
