"""Plots of a study's table: scatter matrix, parallel coordinates, main effects, histograms; each returns what it has drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.study.plot_axes import (
    FAILED,
    POINTS,
    Drawn,
    Scale,
    colored,
    finished_figure,
    in_lines,
    mark_lost,
    new_figure,
    new_panels,
    note_lost,
    scale_of,
    some,
)
from flexmbs.study.response_surface import response_of, response_surface, varying_figures
from flexmbs.study.table import finished, named, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

MOST_COLUMNS, MOST_AXES, MOST_PANELS = 8, 10, 12  # of a scatter matrix, of parallel coordinates, of the others
MOST_POINTS, MOST_LINES, MOST_RANKED = 3000, 2000, 100_000
MOST_LEVELS, MOST_BINS, RUNS_A_BIN, MOST_BARS = 12, 12, 8, 60
LEFT, RIGHT, TOP, BOTTOM = 1.4, 0.25, 0.5, 1.6  # margins of a scatter matrix, inches


def plot(
    table: DataFrame,
    kind: str,
    names: Sequence[str] | None = None,
    *,
    response: str | None = None,
    color: str | None = None,
    title: str | None = None,
    save: Path | None = None,
) -> Figure | None:
    """Draw a table (with failed runs as rows of nan, so that they are shown), as ``Study.plot`` says; figure, or None if saved.

    StudyError for an unknown kind or column, for options that the kind does not have, and if no run has finished.
    """
    if kind not in KINDS:
        raise StudyError(f"no plot {kind!r}. {near_names(kind, (*KINDS, 'histories'))}")
    by_color = kind in ("scatter", "parallel")
    if response is not None and kind not in ("effects", "surface"):
        raise StudyError(f"plot {kind!r} has no response; name it as one of the columns")
    if color is not None and not by_color:
        raise StudyError(f"plot {kind!r} is not coloured by a column; 'scatter' and 'parallel' are")
    if not finished(table).any():
        raise StudyError(f"nothing to draw: {summary(table)}")
    figure, shown, notes = KINDS[kind](table, names, color if by_color else response)
    return finished_figure(figure, title or shown, notes, save)


def _chosen(table: DataFrame, names: Sequence[str] | None, known: Sequence[str], most: int) -> tuple[list[Scale], str]:
    """The columns named, or those of ``known`` that vary, up to half of them figures, and a note about the others."""
    if names is not None:
        if not 0 < len(names) <= most:
            raise StudyError(f"{len(names)} columns are named; this plot shows at least one and at most {most}")
        return [scale_of(table, name) for name in dict.fromkeys(names)], ""
    scales = [scale_of(table, name) for name in known]
    varied = [scale for scale in scales if scale.varies]
    figures = [scale for scale in varied if scale.name in table.attrs["figures"]]
    figures = figures[: max(most - len(varied) + len(figures), most // 2)]
    parameters = [scale for scale in varied if scale.name in table.attrs["parameters"]][: most - len(figures)]
    hidden = [scale.name for scale in varied if scale not in (*parameters, *figures)]
    return [*parameters, *figures] or scales[:most], f"not shown: {few(hidden, 4)}" if hidden else ""


def _scatter(table: DataFrame, names: Sequence[str] | None, color: str | None) -> Drawn:
    """Columns against each other, histograms of all runs, rank correlations; failed runs are red crosses and ticks."""
    scales, note = _chosen(table, names, [*named(table, "parameters"), *named(table, "figures")], MOST_COLUMNS)
    side = max(1.2, min(2.6, 11.0 / len(scales)))
    inner = side * len(scales)
    width, height = LEFT + inner + RIGHT + (1.3 if color else 0.0), TOP + inner + BOTTOM
    figure = new_figure(width, height, fixed=True)  # a layout that is solved for takes seconds with so many panels
    grid = figure.subplots(len(scales), len(scales), squeeze=False)
    figure.subplots_adjust(LEFT / width, BOTTOM / height, (LEFT + inner) / width, 1.0 - TOP / height, 0.12, 0.12)
    shades = scale_of(table, color) if color else None
    colors, add_colors = colored(shades, len(table))
    ended = finished(table)
    rows, thinned = some(ended, MOST_POINTS)
    failed, _ = some(~ended, MOST_POINTS // 4)
    ranked = table[[scale.name for scale in scales if not scale.categories]].head(MOST_RANKED).replace([np.inf, -np.inf], np.nan)
    correlation = ranked.corr("spearman", min_periods=3)
    for (i, j), axes in np.ndenumerate(grid):
        y, x = scales[i], scales[j]
        if j > i:
            _show_correlation(axes, correlation.get(x.name, {}).get(y.name, np.nan))
            continue
        if i == j:
            _histogram(axes, x)
            axes.set_yticks([])
            axes.spines[["left", "right", "top"]].set_visible(False)
        else:
            axes.plot(x.values[failed], y.values[failed], "x", color=FAILED, markersize=3, alpha=0.6)
            axes.scatter(x.values[rows], y.values[rows], s=6, c=colors[rows], linewidths=0)
            mark_lost(axes, x.values[some(np.isnan(y.values), MOST_POINTS // 4)[0]])
            y.put_on(axes, "y", ticks=3, labelled=False)
        x.put_on(axes, "x", ticks=3, labelled=False)
        axes.tick_params(labelsize=7.5, labelbottom=i == len(scales) - 1, labelleft=j == 0 < i)
        if i == len(scales) - 1:
            axes.set_xlabel(in_lines(x.label), fontsize=8.5)
            axes.tick_params(axis="x", rotation=90 if x.categories else 0)
            axes.xaxis.set_label_coords(0.5, -(1.1 if x.categories else 0.3) / side)
        if j == 0:
            axes.set_ylabel(in_lines(y.label), fontsize=8.5)
            axes.yaxis.set_label_coords(-(1.2 if y.categories else 0.4) / side, 0.5)
    add_colors(figure, grid)
    lost = note_lost(int((~ended | np.isnan([scale.values for scale in scales]).any(axis=0)).sum()), len(table))
    return figure, "Scatter matrix", ["numbers: Spearman's rank correlation", note, thinned, lost]


def _show_correlation(axes: Axes, value: float) -> None:
    """A number that grows with its size; nothing for categories and constants."""
    axes.set_axis_off()
    if np.isfinite(value):
        look = {"fontsize": 9 + 7 * abs(value), "color": POINTS if value >= 0 else "#b35806", "alpha": 0.35 + 0.65 * abs(value)}
        axes.text(0.5, 0.5, f"{value:+.2f}", ha="center", va="center", transform=axes.transAxes, **look)


def _histogram(axes: Axes, scale: Scale) -> None:
    """Bars: one for each category or whole number, else of a width after Freedman and Diaconis, within bounds."""
    values, along = scale.finite, scale.along[np.isfinite(scale.values)]
    if scale.categories or not scale.varies:
        at, count = np.unique(values, return_counts=True)
        axes.bar(at, count, width=0.7 if scale.categories else 0.1 * np.ptp(scale.ends), color=POINTS, alpha=0.75)
        return
    if scale.whole:
        edges = np.arange(values.min() - 0.5, values.max() + 1.0)
    else:
        low, high = np.quantile(along, [0.25, 0.75])
        wanted = np.ptp(along) * np.cbrt(len(along)) / (2.0 * (high - low)) if high > low else 10.0
        edges = np.linspace(along.min(), along.max(), int(np.clip(np.ceil(wanted), 8, MOST_BARS)) + 1)
    axes.hist(values, 10.0**edges if scale.log else edges, color=POINTS, alpha=0.75, rwidth=0.8 if scale.whole else None)


def _histograms(table: DataFrame, names: Sequence[str] | None, _: str | None) -> Drawn:
    """The distribution of each column, with its 5 %, 50 % and 95 % quantiles as lines and numbers."""
    scales, note = _chosen(table, names, named(table, "figures") or named(table, "parameters"), MOST_PANELS)
    figure, panels = new_panels(len(scales), 3.9, 2.9)
    for place, (axes, scale) in enumerate(zip(panels, scales, strict=True)):
        _histogram(axes, scale)
        missing, heading = len(table) - len(scale.finite), list[str]()
        if not scale.categories and not scale.varies:
            heading = [f"all runs: {scale.text(scale.finite[0], 6)}" if len(scale.finite) else "no values"]
        elif not scale.categories:
            quantiles = np.quantile(scale.finite, [0.05, 0.5, 0.95])
            for value, style in zip(quantiles, ("--", "-", "--"), strict=True):
                axes.axvline(value, color=FAILED, linestyle=style, linewidth=1.2)
            heading = ["5 %: {}   median: {}   95 %: {}".format(*map(scale.text, quantiles))]
        heading += [f"{missing} of {len(table)} runs without value"] if missing else []
        axes.set_title("\n".join(heading), fontsize="small")
        scale.put_on(axes, "x", ticks=5)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_ylabel("" if place % 3 else "runs")
    return figure, "Histogram", [note]


def _parallel(table: DataFrame, names: Sequence[str] | None, color: str | None) -> Drawn:
    """Each run as a line across the axes of its columns; failed ones are red and end at the last value that they have."""
    from matplotlib.collections import LineCollection

    scales, note = _chosen(table, names, [*named(table, "parameters"), *named(table, "figures")], MOST_AXES)
    shades = scale_of(table, color or next(iter(varying_figures(table)), scales[-1].name))
    colors, add_colors = colored(shades if shades.varies else None, len(table))
    figure = new_figure(max(5.0, 1.5 * len(scales)) + 1.0, 4.6)
    axes = figure.subplots()
    across, heights, ended = np.arange(len(scales)), np.stack([scale.places for scale in scales], axis=1), finished(table)
    rows, thinned = some(ended, MOST_LINES)
    failed, _ = some(~ended, MOST_LINES // 10)
    for drawn, shade in ((failed, FAILED), (rows, colors[rows])):
        lines = [np.column_stack([across, heights[row]])[np.isfinite(heights[row])] for row in drawn]
        strength = float(np.clip(30 / (len(lines) or 1), 0.12, 0.9))
        axes.add_collection(LineCollection(lines, colors=shade, linewidths=0.9, alpha=strength))
    axes.set(xlim=(-0.5, len(scales) - 0.9), ylim=(0.0, 1.0), yticks=[])
    axes.set_xticks(across, [in_lines(scale.label) for scale in scales], fontsize="small")
    add_colors(figure, axes)
    for place, scale in enumerate(scales):
        own = axes.twinx()
        own.yaxis.set_ticks_position("left")
        scale.put_on(own, "y", labelled=False)
        own.spines["left"].set_position(("data", place))
        own.spines[["right", "top", "bottom"]].set_visible(False)
        own.tick_params(labelsize=7.5)
        for text in own.get_yticklabels():
            text.set_bbox({"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6})
    axes.spines[:].set_visible(False)
    return figure, "Parallel coordinates", [note, thinned, note_lost(int((~ended).sum()), len(table))]


def _effects(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """A figure against each parameter: runs, mean and 5 % to 95 % at each of few values, else in bins of as many runs."""
    y = response_of(table, response)
    if names is None and not named(table, "parameters"):
        raise StudyError("main effects: this study varies no parameter")
    scales, note = _chosen(table, names, named(table, "parameters"), MOST_PANELS)
    figure, panels = new_panels(len(scales), 3.3, 2.7)
    without = np.isnan(y.values)
    rows, thinned = some(~without, MOST_POINTS // 2)
    lost, _ = some(without, MOST_POINTS // 2)
    for place, (axes, x) in enumerate(zip(panels, scales, strict=True)):
        first = place % (2 if len(scales) == 4 else 3) == 0
        axes.scatter(x.values[rows], y.values[rows], s=4, color="0.6", alpha=0.6, linewidths=0)
        _draw_means(axes, x, y)
        mark_lost(axes, x.values[lost])
        x.put_on(axes, "x", ticks=5)
        y.put_on(axes, "y", ticks=5, labelled=first)
        axes.tick_params(labelleft=first)
    said, without_value = "line: mean; band or bars: 5 % to 95 % of the runs", note_lost(int(without.sum()), len(table))
    return figure, f"Main effects on {y.name}", [said, note, thinned, without_value]


def _draw_means(axes: Axes, x: Scale, y: Scale) -> None:
    from pandas import DataFrame, qcut

    runs = DataFrame({"x": x.values, "y": y.values}).dropna()
    levels = bool(x.categories) or runs["x"].nunique() <= MOST_LEVELS
    bins = int(np.clip(len(runs) // RUNS_A_BIN, 1, MOST_BINS))
    groups = runs.groupby("x" if levels else qcut(runs["x"], bins, duplicates="drop"), observed=True)
    at, mean, low, high = groups["x"].median(), groups["y"].mean(), groups["y"].quantile(0.05), groups["y"].quantile(0.95)
    if levels:
        axes.vlines(at, low, high, color=POINTS, linewidth=5.0, alpha=0.25)
    else:
        axes.fill_between(at, low, high, color=POINTS, alpha=0.22, linewidth=0)
    axes.plot(at, mean, "o" if x.categories else "o-", color=POINTS, markersize=4, linewidth=1.3)


KINDS: Mapping[str, Callable[[DataFrame, Sequence[str] | None, str | None], Drawn]] = {
    "scatter": _scatter,
    "parallel": _parallel,
    "effects": _effects,
    "histogram": _histograms,
    "surface": response_surface,
}
