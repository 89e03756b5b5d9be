"""Plots of a study's table: scatter matrix, parallel coordinates, main effects, histograms, response surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.names_in_messages import few, near_names
from flexmbs.study.checks import ensure
from flexmbs.study.plot_axes import GREY, POINTS, STEPS, Scale, finished_figure, new_figure, response_of, scale_of, varying_figures
from flexmbs.study.table import Numbers, finished, named, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

FAILED, LABEL_LETTERS = "#d62728", 16  # colour of failed runs; letters of a line of a label
Drawn = tuple["Figure", str, list[str]]  # figure, default title, notes
MOST_COLUMNS, MOST_AXES, MOST_PANELS = 8, 10, 12  # of a scatter matrix, of parallel coordinates, of the others
MOST_POINTS, MOST_LINES, MOST_RANKED = 3000, 2000, 100_000
MOST_LEVELS, MOST_BINS, RUNS_A_BIN, MOST_BARS = 12, 12, 8, 60


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
    ensure(kind in KINDS, f"no plot {kind!r}. {near_names(kind, (*KINDS, 'histories'))}")
    by_color, responds = kind in ("scatter", "parallel"), kind in ("effects", "surface")
    ensure(response is None or responds, f"plot {kind!r} has no response; name it as one of the columns")
    ensure(color is None or by_color, f"plot {kind!r} is not coloured by a column; 'scatter' and 'parallel' are")
    ensure(finished(table).any(), f"nothing to draw: {summary(table)}")
    figure, shown, notes = KINDS[kind](table, names, color if by_color else response)
    return finished_figure(figure, title or shown, notes, save)


def _chosen(table: DataFrame, names: Sequence[str] | None, known: Sequence[str], most: int) -> tuple[list[Scale], str]:
    """The columns named, or those of ``known`` that vary, up to half of them figures, and a note about the others."""
    if names is not None:
        ensure(0 < len(names) <= most, f"{len(names)} columns are named; this plot shows at least one and at most {most}")
        return [scale_of(table, name) for name in dict.fromkeys(names)], ""
    scales = [scale_of(table, name) for name in known]
    varied = [scale for scale in scales if scale.varies]
    figures = [scale for scale in varied if scale.name in table.attrs["figures"]]
    parameters = [scale for scale in varied if scale.name in table.attrs["parameters"]]
    shown = [*parameters[: most - min(len(figures), most // 2)], *figures][:most]
    hidden = [scale.name for scale in varied if scale not in shown]
    return shown or scales[:most], f"not shown: {few(hidden, 4)}" if hidden else ""


def _scatter(table: DataFrame, names: Sequence[str] | None, color: str | None) -> Drawn:
    """Columns against each other, histograms of all runs, rank correlations; failed runs are red crosses and ticks."""
    scales, note = _chosen(table, names, [*named(table, "parameters"), *named(table, "figures")], MOST_COLUMNS)
    size = len(scales) * max(1.2, min(2.6, 11.0 / len(scales)))
    figure = new_figure(1.2 + size + (1.3 if color else 0.0), 2.0 + size)
    grid = figure.subplots(len(scales), len(scales), squeeze=False)
    colors = _colored(scale_of(table, color), figure, grid) if color else np.full(len(table), POINTS)
    ended = finished(table)
    (rows, thinned), (failed, _) = _some(ended, MOST_POINTS), _some(~ended, MOST_POINTS // 4)
    ranked = table[[scale.name for scale in scales if not scale.categories]].head(MOST_RANKED).replace([np.inf, -np.inf], np.nan)
    correlation = ranked.corr("spearman", min_periods=3)
    for (i, j), axes in np.ndenumerate(grid):
        y, x = scales[i], scales[j]
        if j > i:
            axes.set_axis_off()
            value = correlation.get(x.name, {}).get(y.name, np.nan)
            if np.isfinite(value):  # it is not for categories and constants
                axes.text(0.5, 0.5, f"{value:+.2f}", ha="center", va="center", color=GREY if abs(value) < 0.3 else "black")
            continue
        if i == j:
            _histogram(axes, x)
            axes.set_yticks([])
            axes.spines[["left", "right", "top"]].set_visible(False)
        else:
            axes.plot(x.values[failed], y.values[failed], "x", color=FAILED, markersize=3, alpha=0.6)
            axes.scatter(x.values[rows], y.values[rows], s=6, c=colors[rows], linewidths=0)
            _mark_lost(axes, x.values[_some(np.isnan(y.values), MOST_POINTS // 4)[0]])
            y.put_on(axes, "y", ticks=3, labelled=False)
        x.put_on(axes, "x", ticks=3, labelled=False)
        axes.tick_params(labelsize=7.5, labelbottom=i == len(scales) - 1, labelleft=j == 0 < i)
        axes.tick_params(axis="x", rotation=90)
        axes.set_xlabel(_in_lines(x.label) if i == len(scales) - 1 else "", fontsize=8.5)
        axes.set_ylabel(_in_lines(y.label) if j == 0 else "", fontsize=8.5)
    figure.align_labels()
    lost = _note_lost(~ended | np.isnan([scale.values for scale in scales]).any(axis=0))
    return figure, "Scatter matrix", ["numbers: Spearman's rank correlation", note, thinned, lost]


def _histogram(axes: Axes, scale: Scale) -> None:
    """Bars: one for each category or whole number, else as many as the square root of the number of runs, within bounds."""
    if scale.categories or scale.whole or not scale.varies:
        at, count = np.unique(scale.finite, return_counts=True)
        axes.bar(at, count, 0.7 if scale.categories or scale.whole else 0.1 * np.ptp(scale.ends), color=POINTS, alpha=0.75)
        return
    along = scale.along[np.isfinite(scale.values)]
    edges = np.linspace(along.min(), along.max(), int(np.clip(np.sqrt(len(along)), 8, MOST_BARS)) + 1)
    axes.hist(scale.finite, 10.0**edges if scale.log else edges, color=POINTS, alpha=0.75)


def _histograms(table: DataFrame, names: Sequence[str] | None, _: str | None) -> Drawn:
    """The distribution of each column, with its 5 %, 50 % and 95 % quantiles as lines and numbers."""
    scales, note = _chosen(table, names, named(table, "figures") or named(table, "parameters"), MOST_PANELS)
    figure, panels = _new_panels(len(scales), 3.9, 2.9)
    for axes, scale in zip(panels, scales, strict=True):
        _histogram(axes, scale)
        missing = len(table) - len(scale.finite)
        heading = [f"{missing} of {len(table)} runs without value"] if missing else []
        if len(scale.finite) and not scale.categories:
            quantiles = np.quantile(scale.finite, [0.05, 0.5, 0.95])
            axes.vlines(quantiles, 0.0, 1.0, FAILED, ["--", "-", "--"], linewidth=1.2, transform=axes.get_xaxis_transform())
            heading.insert(0, "5 %: {:.5g}   median: {:.5g}   95 %: {:.5g}".format(*quantiles))
        axes.set_title("\n".join(heading), fontsize="small")
        scale.put_on(axes, "x", ticks=5)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_ylabel("runs" if axes.get_subplotspec().is_first_col() else "")
    return figure, "Histogram", [note]


def _parallel(table: DataFrame, names: Sequence[str] | None, color: str | None) -> Drawn:
    """Each run as a line across the axes of its columns; failed ones are red and end at the last value that they have."""
    from matplotlib.collections import LineCollection

    scales, note = _chosen(table, names, [*named(table, "parameters"), *named(table, "figures")], MOST_AXES)
    figure = new_figure(max(5.0, 1.5 * len(scales)) + 1.0, 4.6)
    axes = figure.subplots()
    colors = _colored(scale_of(table, color or next(iter(varying_figures(table)), scales[-1].name)), figure, axes)
    across, heights, ended = np.arange(len(scales)), np.stack([scale.places for scale in scales], axis=1), finished(table)
    (rows, thinned), (failed, _) = _some(ended, MOST_LINES), _some(~ended, MOST_LINES // 10)
    for drawn, shade in ((failed, FAILED), (rows, colors[rows])):
        lines = [np.column_stack([across, heights[row]])[np.isfinite(heights[row])] for row in drawn]
        strength = float(np.clip(30 / (len(lines) or 1), 0.12, 0.9))
        axes.add_collection(LineCollection(lines, colors=shade, linewidths=0.9, alpha=strength))
    axes.set(xlim=(-0.5, len(scales) - 0.9), ylim=(0.0, 1.0), yticks=[])
    axes.set_xticks(across, [_in_lines(scale.label) for scale in scales], fontsize="small")
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
    return figure, "Parallel coordinates", [note, thinned, _note_lost(~ended)]


def _effects(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """A figure against each parameter: runs, mean and 5 % to 95 % at each of few values, else in bins of as many runs."""
    from pandas import DataFrame, qcut

    y = response_of(table, response)
    ensure(names is not None or named(table, "parameters"), "main effects: this study varies no parameter")
    scales, note = _chosen(table, names, named(table, "parameters"), MOST_PANELS)
    figure, panels = _new_panels(len(scales), 3.3, 2.7)
    without = np.isnan(y.values)
    (rows, thinned), (lost, _) = _some(~without, MOST_POINTS // 2), _some(without, MOST_POINTS // 2)
    for axes, x in zip(panels, scales, strict=True):
        first = axes.get_subplotspec().is_first_col()
        axes.scatter(x.values[rows], y.values[rows], s=4, color="0.6", alpha=0.6, linewidths=0)
        runs = DataFrame({"x": x.values, "y": y.values}).dropna()
        levels = bool(x.categories) or runs["x"].nunique() <= MOST_LEVELS
        bins = int(np.clip(len(runs) // RUNS_A_BIN, 1, MOST_BINS))
        groups = runs.groupby("x" if levels else qcut(runs["x"], bins, duplicates="drop"), observed=True)
        at, low, high = groups["x"].median(), groups["y"].quantile(0.05), groups["y"].quantile(0.95)
        axes.vlines(at, low, high, color=POINTS, linewidth=5.0, alpha=0.25)
        axes.plot(at, groups["y"].mean(), "o" if x.categories else "o-", color=POINTS, markersize=4, linewidth=1.3)
        _mark_lost(axes, x.values[lost])
        x.put_on(axes, "x", ticks=5)
        y.put_on(axes, "y", ticks=5, labelled=first)
        axes.tick_params(labelleft=first)
    said = "line: mean; bars: 5 % to 95 % of the runs"
    return figure, f"Main effects on {y.name}", [said, note, thinned, _note_lost(without)]


def _surface(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """Contours of a figure through the runs themselves over two parameters; default: the two that it follows most."""
    from matplotlib.ticker import MaxNLocator
    from pandas import DataFrame

    z = response_of(table, response)
    ensure(z.varies, f"a response surface needs a figure that varies; {z.name} does not")
    ensure(names is None or len(names) == 2, f"a response surface needs two parameters, not {len(names or ())}")
    x, y = (response_of(table, name) for name in names or _two_parameters(table, z))
    known = np.isfinite(x.values + y.values + z.values)
    (rows, thinned), (lost, _) = _some(known, MOST_POINTS), _some(~known, MOST_POINTS)
    # linear between the runs as the axes are drawn, so of logarithms on logarithmic ones; runs at the same place as their mean
    runs = DataFrame({"x": x.places, "y": y.places, "z": z.along}).iloc[rows].groupby(["x", "y"]).mean().reset_index()
    plane = runs[["x", "y"]] - runs[["x", "y"]].mean()
    apart = len(runs) > 2 and np.linalg.matrix_rank(plane, tol=1e-6 * np.sqrt(len(runs))) == 2
    ensure(apart, "a response surface needs three finished runs of two parameters that are not on a line")
    low, high = runs["z"].min(), runs["z"].max()
    levels = MaxNLocator(12, steps=STEPS).tick_values(low, high)
    if z.log:
        decades = 10.0 ** np.arange(np.floor(low), np.ceil(high) + 1.0)
        levels = np.log10(np.outer(decades, [1.0, 2.0, 5.0] if high - low < 3.0 else [1.0])).ravel()
        levels = levels[np.searchsorted(levels, low, "right") - 1 : np.searchsorted(levels, high) + 1]
    axes = (figure := new_figure(6.8, 5.2)).subplots()
    filled = axes.tricontourf(runs["x"], runs["y"], runs["z"], levels, transform=axes.transAxes)
    axes.plot(x.values[rows], y.values[rows], "o", color="black", markersize=2.2, alpha=0.6)
    axes.plot(x.values[lost], y.values[lost], "x", color=FAILED, markersize=5, markeredgewidth=1.3)
    x.put_on(axes, "x")
    y.put_on(axes, "y")
    figure.colorbar(filled, ax=axes, label=z.label, format=lambda value, _: f"{10.0**value if z.log else value:.6g}")
    said = f"contours join {len(rows)} runs as they are, with all that varies besides"
    return figure, f"Response surface of {z.name}", [said, thinned, _note_lost(~known)]


def _two_parameters(table: DataFrame, z: Scale) -> Sequence[str]:
    from pandas import DataFrame

    scales = [scale_of(table, name) for name in named(table, "parameters")]
    varied = {scale.name: scale.values for scale in scales if scale.varies and not scale.categories}
    wrong = f"a response surface needs two parameters of numbers that vary, not {len(varied)}: plot the main effects"
    ensure(len(varied) > 1, wrong)
    follows = DataFrame(varied).head(MOST_RANKED).corrwith(DataFrame({"z": z.values})["z"], method="spearman").abs()
    return list(follows.sort_values(ascending=False, kind="stable").index[:2])


def _in_lines(label: str) -> str:
    """A label with its unit in a line of its own, and long names in several."""
    name, bracket, unit = label.partition(" [")
    return "\n".join(wrap(name.replace("_", "_ "), LABEL_LETTERS)).replace("_ ", "_") + ("\n[" + unit if bracket else "")


def _new_panels(count: int, wide: float, high: float) -> tuple[Figure, npt.NDArray[np.object_]]:
    """A figure with panels of about this size, at most three side by side; the rest of its grid is left empty."""
    across = 2 if count == 4 else min(3, count)
    figure = new_figure(1.0 + wide * across if across > 1 else 1.65 * wide, 0.9 + high * -(-count // across))
    panels = figure.subplots(-(-count // across), across, squeeze=False).ravel()
    for axes in panels:
        axes.grid(True, alpha=0.3)
        axes.set_axisbelow(True)
    for axes in panels[count:]:
        axes.set_axis_off()
    return figure, panels[:count]


def _some(rows: npt.NDArray[np.bool_], most: int) -> tuple[npt.NDArray[np.intp], str]:
    """Places of at most ``most`` of the rows, chosen at random (the same each time), and a note if some are left out."""
    places = np.flatnonzero(rows)
    if len(places) <= most:
        return places, ""
    chosen = np.sort(np.random.default_rng(0).choice(places, most, replace=False))
    return chosen, f"{most} of {len(places)} runs drawn, chosen at random"


def _mark_lost(axes: Axes, at: Numbers) -> None:
    """Red ticks at the bottom of the axes, where runs failed or have no finite value."""
    at, place = at[np.isfinite(at)], axes.get_xaxis_transform()
    if len(at):  # no layout is found around empty lines that are not clipped
        axes.plot(at, 0.0 * at, "|", color=FAILED, ms=9, mew=1.2, alpha=0.8, clip_on=False, transform=place, zorder=5)


def _note_lost(lost: npt.NDArray[np.bool_]) -> str:
    """What red ticks and crosses mean; "" if no run is lost."""
    return f"red: {int(lost.sum())} of {len(lost)} runs failed or have no finite value" if lost.any() else ""


def _colored(scale: Scale, figure: Figure, axes: Any) -> npt.NDArray[np.float64]:
    """(n, 4) colours of the runs, grey where there is no value; adds a bar of them to the axes."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize

    palette = colormaps["viridis"].resampled(len(scale.categories) or 256).with_extremes(bad="0.7")
    mappable = ScalarMappable((LogNorm if scale.log else Normalize)(*scale.limits), palette)
    bar = figure.colorbar(mappable, ax=axes, shrink=0.8, aspect=30, fraction=0.09, label=scale.label)
    scale.put_ticks(bar.ax.yaxis)
    return np.asarray(mappable.to_rgba(scale.values))


KINDS: Mapping[str, Callable[[DataFrame, Sequence[str] | None, str | None], Drawn]] = {
    "scatter": _scatter,
    "parallel": _parallel,
    "effects": _effects,
    "histogram": _histograms,
    "surface": _surface,
}
