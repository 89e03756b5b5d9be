"""Histograms with their 5 %, 50 % and 95 % quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.study.evaluation.plots.canvas import FAILED, POINTS, finished_figure, new_figure, require_rows
from flexmbs.study.evaluation.plots.chosen_columns import chosen_columns
from flexmbs.study.evaluation.plots.scale import Scale, scale_of
from flexmbs.study.evaluation.statistics import SHOWN_QUANTILES
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS, MOST_BINS = 12, 60


def histogram(
    table: StudyTable, names: Sequence[str] | None = None, *, title: str | None = None, save: str | Path | None = None
) -> Figure | None:
    """Draw the distribution of columns, default: the figures that vary, with a panel for each.

    Lines show the 5 %, 50 % and 95 % quantiles; the heading of a panel gives their values and the number of runs
    without a finite value.
    """
    require_rows(table)
    note = ""
    if names is None:
        figures = table.select(table.figures or table.parameters)
        names, note = chosen_columns(figures, None, MOST_PANELS)
    names, _ = chosen_columns(table, names, MOST_PANELS)
    across = 2 if len(names) == 4 else min(3, len(names))
    down = -(-len(names) // across)
    figure = new_figure(1.0 + 3.9 * across if across > 1 else 6.4, 0.9 + 2.9 * down)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    for axes, name in zip(panels, names, strict=False):
        _draw(axes, scale_of(table.column(name)))
    for axes in panels[: len(names) : across]:
        axes.set_ylabel("runs")
    return finished_figure(figure, title or "Histogram", [note], save)


def _draw(axes: Axes, scale: Scale) -> None:
    values = scale.positions[np.isfinite(scale.positions)]
    missing = len(scale.positions) - len(values)
    heading = [f"{missing} of {len(scale.positions)} runs without value"] if missing else []
    if scale.categories:
        axes.bar(range(len(scale.categories)), np.bincount(values.astype(int), minlength=len(scale.categories)), 0.7)
    elif scale.constant:
        axes.bar([values[0] if len(values) else 0.0], [len(values)], width=0.1 * np.ptp(scale.limits()))
        heading.insert(0, f"all runs: {scale.text(float(values[0]), 6)}" if len(values) else "no values")
    else:
        axes.hist(values, _edges(scale), color=POINTS, alpha=0.75, rwidth=0.8 if scale.whole else None)
        quantiles = np.quantile(values, SHOWN_QUANTILES)
        for value, style in zip(quantiles, ("--", "-", "--"), strict=True):
            axes.axvline(value, color=FAILED, linestyle=style, linewidth=1.2)
        shown = ["5 %: {}", "median: {}", "95 %: {}"]
        heading.insert(0, "   ".join(p.format(scale.text(q)) for p, q in zip(shown, quantiles, strict=True)))
    axes.set_title("\n".join(heading), fontsize="small")
    scale.put_on(axes, "x", ticks=5)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.grid(True, axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def _edges(scale: Scale) -> np.ndarray:
    """Edges of the bins: width after Freedman and Diaconis, within bounds; a bin for each of few whole numbers."""
    values = scale.linear[np.isfinite(scale.linear)]
    if scale.whole:
        return np.arange(values.min() - 0.5, values.max() + 1.0)
    low, high = np.quantile(values, [0.25, 0.75])
    width = 2.0 * (high - low) / np.cbrt(len(values))
    wanted = np.ptp(values) / width if width > 0.0 else 10.0
    edges = np.linspace(values.min(), values.max(), int(np.clip(np.ceil(wanted), 8, MOST_BINS)) + 1)
    return 10.0**edges if scale.log else edges
