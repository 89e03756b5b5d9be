"""Scatter matrix: each column against each other, with histograms on the diagonal and rank correlations above it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.canvas import (
    FAILED,
    POINTS,
    coloring,
    drawn_rows,
    finished_figure,
    mark_without_value,
    new_figure,
    note_without_value,
    require_rows,
    show_colors,
)
from flexmbs.study.evaluation.plots.chosen_columns import chosen_columns
from flexmbs.study.evaluation.plots.scale import Scale, broken, scale_of
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS, MOST_POINTS, MOST_RANKED = 8, 3000, 100_000
LEFT, RIGHT, TOP, BOTTOM = 1.4, 0.25, 0.5, 1.6  # margins, inches


def scatter_matrix(
    table: StudyTable,
    names: Sequence[str] | None = None,
    *,
    color: str | None = None,
    title: str | None = None,
    save: str | Path | None = None,
) -> Figure | None:
    """Draw columns against each other; default: what varies, at most eight columns.

    ``color``: column that colours the points.  Of more than 3000 runs some are drawn, chosen at random; histograms
    count all.  Failed runs are red: crosses between parameters, ticks at the axis of a figure that they lack.
    """
    require_rows(table)
    chosen, note = chosen_columns(table, names, MOST_COLUMNS)
    scales = [scale_of(table.column(name)) for name in chosen]
    figure, grid = _panels(len(scales), color is not None)
    shades = coloring(table, color)
    rows, thinned = drawn_rows(np.flatnonzero(table.finished), MOST_POINTS)
    failed, _ = drawn_rows(np.flatnonzero(~table.finished), MOST_POINTS // 4)
    for i, y in enumerate(scales):
        for j, x in enumerate(scales):
            axes = grid[i, j]
            if j > i:
                _show_correlation(axes, x, y)
                continue
            if i == j:
                _histogram(axes, x)
            else:
                axes.plot(x.positions[failed], y.positions[failed], "x", color=FAILED, markersize=3, alpha=0.6)
                axes.scatter(x.positions[rows], y.positions[rows], s=6, c=shades.colors[rows], linewidths=0)
                mark_without_value(axes, x.positions[failed][~np.isfinite(y.positions[failed])])
                y.put_on(axes, "y", ticks=3, label=False)
            x.put_on(axes, "x", ticks=3, label=False)
            _label(axes, x if i == len(scales) - 1 else None, y if j == 0 else None, has_values=j < i)
    if color is not None:
        show_colors(figure, grid, shades)
    lost = note_without_value(int((~table.finished).sum()), len(table))
    return finished_figure(figure, title or "Scatter matrix", ["numbers: Spearman's rank correlation", note, thinned, lost], save)


def _panels(size: int, has_colors: bool) -> tuple[Figure, Any]:
    """Square panels at fixed places: a layout that is solved for takes seconds with so many."""
    side = max(1.2, min(2.6, 11.0 / size))
    width, height = LEFT + side * size + RIGHT + (1.3 if has_colors else 0.0), TOP + side * size + BOTTOM
    figure = new_figure(width, height, fixed=True)
    grid = figure.subplots(size, size, squeeze=False)
    figure.subplots_adjust(
        LEFT / width, BOTTOM / height, (LEFT + side * size) / width, 1.0 - TOP / height, wspace=0.12, hspace=0.12
    )
    return figure, grid


def _label(axes: Axes, below: Scale | None, left: Scale | None, has_values: bool) -> None:
    """Labels at the outer panels only; texts of categories stand upright, where they do not meet."""
    side = axes.get_position().width * axes.figure.get_figwidth()
    axes.tick_params(labelsize=7.5, labelbottom=below is not None, labelleft=left is not None and has_values)
    if below is not None:
        axes.set_xlabel(broken(below.label), fontsize=8.5)
        if below.categories:
            axes.tick_params(axis="x", labelrotation=90)
            for text in axes.get_xticklabels():
                text.set_horizontalalignment("center")
        axes.xaxis.set_label_coords(0.5, -(1.1 if below.categories else 0.3) / side)
    if left is not None:
        axes.set_ylabel(broken(left.label), fontsize=8.5)
        axes.yaxis.set_label_coords(-(1.2 if left.categories else 0.4) / side, 0.5)


def _histogram(axes: Axes, scale: Scale) -> None:
    values = scale.positions[np.isfinite(scale.positions)]
    if scale.categories:
        axes.bar(range(len(scale.categories)), np.bincount(values.astype(int), minlength=len(scale.categories)), 0.8)
    elif len(values):
        low, high = scale.limits() if scale.whole or scale.constant else (values.min(), values.max())
        edges = np.geomspace(low, high, 21) if scale.log else np.linspace(low, high, 21)
        axes.hist(values, edges, color=POINTS, alpha=0.75)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)


def _show_correlation(axes: Axes, x: Scale, y: Scale) -> None:
    """Spearman's rank correlation as a number that grows with it; nothing for categories."""
    axes.set_axis_off()
    value = _rank_correlation(x, y)
    if not np.isfinite(value):
        return
    axes.text(
        0.5,
        0.5,
        f"{value:+.2f}" if abs(value) >= 0.005 else "0.00",
        ha="center",
        va="center",
        transform=axes.transAxes,
        fontsize=9 + 7 * abs(value),
        color=POINTS if value >= 0 else "#b35806",
        alpha=0.35 + 0.65 * abs(value),
    )


def _rank_correlation(x: Scale, y: Scale) -> float:
    from scipy.stats import rankdata

    both: Numbers = np.stack([x.positions, y.positions])
    both = both[:, np.isfinite(both).all(axis=0)][:, :MOST_RANKED]
    if any(scale.categories or scale.constant for scale in (x, y)) or both.shape[1] < 3:
        return float("nan")
    if (np.ptp(both, axis=1) == 0.0).any():
        return float("nan")
    return float(np.corrcoef(rankdata(both, axis=1))[0, 1])
