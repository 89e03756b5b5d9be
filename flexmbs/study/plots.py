"""Plots of a study's table: scatter matrix, parallel coordinates, main effects, histograms, response surface, bars of indices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.common.names_in_messages import few, near_names
from flexmbs.study.plot_axes import (
    FAILED,
    POINTS,
    STEPS,
    Scale,
    colors_by,
    finished_figure,
    in_lines,
    mark_without_value,
    new_figure,
    new_panels,
    note_without_value,
    scale_of,
    short_texts,
    show_colors,
    some,
)
from flexmbs.study.sensitivity import Sensitivities
from flexmbs.study.table import Numbers, finished, is_text, named, numbers, summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Drawn = tuple["Figure", str, list[str]]  # figure, default title, notes
MOST_COLUMNS, MOST_AXES, MOST_PANELS = 8, 10, 12  # of a scatter matrix, of parallel coordinates, of the others
MOST_POINTS, MOST_LINES, MOST_RANKED = 3000, 2000, 100_000
MOST_LEVELS, MOST_BINS, RUNS_A_BIN, MOST_BARS = 12, 12, 8, 60
LEFT, RIGHT, TOP, BOTTOM = 1.4, 0.25, 0.5, 1.6  # margins of a scatter matrix, inches
RESOLUTION, MOST_FITTED, FOLDS = 81, 800, 5  # the cost of a fit grows with the third power of the number of runs
#: Kernel, degree and smoothing of scipy.interpolate.RBFInterpolator; with much smoothing the polynomial alone is left.
FITS = {
    "plane": ("linear", 1, 1e9),
    "quadratic polynomial": ("cubic", 2, 1e9),
    **{f"thin-plate spline, smoothing {smoothing:g}": ("thin_plate_spline", 1, smoothing) for smoothing in (1e-6, 1e-3, 0.1, 10.0)},
}
#: Sensitivity indices that are drawn side by side, in the first group of which one is there.
BARS = (("ST", "S1"), ("mu_star", "sigma"), ("SRC", "SRRC", "S1"))
MOST_PARAMETERS = 20


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
    """Draw a table (with failed runs as rows of nan, so that they are shown) and return the figure, or write it.

    Parameters
    ----------
    kind : "scatter" (matrix), "parallel" (coordinates), "effects" (main effects), "histogram", "surface"
    names : columns to draw, default: what varies; for "effects" parameters, for "surface" two of them
    response : figure, for "effects" and "surface"; default: the first that varies
    color : column that colours runs, for "scatter" and "parallel"
    save : file to write, in a format that matplotlib knows by its ending

    StudyError for an unknown kind or column, for options that the kind does not have, and if no run has finished.
    """
    if kind not in KINDS:
        raise StudyError(f"no plot {kind!r}. {near_names(kind, (*KINDS, 'histories'))}")
    colored = kind in ("scatter", "parallel")
    if response is not None and kind not in ("effects", "surface"):
        raise StudyError(f"plot {kind!r} has no response; name it as one of the columns")
    if color is not None and not colored:
        raise StudyError(f"plot {kind!r} is not coloured by a column; 'scatter' and 'parallel' are")
    if not finished(table).any():
        raise StudyError(f"nothing to draw: {summary(table)}")
    figure, shown, notes = KINDS[kind](table, names, color if colored else response)
    return finished_figure(figure, title or shown, notes, save)


def _chosen(table: DataFrame, names: Sequence[str] | None, known: Sequence[str], most: int) -> tuple[list[Scale], str]:
    """The columns named, or those of ``known`` that vary, up to half of them figures, and a note about the others."""
    if names is not None:
        if not 0 < len(names) <= most:
            raise StudyError(f"{len(names)} columns are named; this plot shows at least one and at most {most}")
        return [scale_of(table, name) for name in names], ""
    scales = {name: scale_of(table, name) for name in known}
    varied = [name for name in known if scales[name].varies]
    figures = [name for name in varied if name in table.attrs["figures"]]
    parameters = [name for name in varied if name not in figures]
    figures = figures[: max(most - len(parameters), most // 2)]
    shown = [*parameters[: most - len(figures)], *figures] or list(known)[:most]
    hidden = [name for name in varied if name not in shown]
    return [scales[name] for name in shown], f"not shown: {few(hidden, 4)}" if hidden else ""


def varying_figures(table: DataFrame) -> list[str]:
    """Figures that are numbers, those that vary first."""
    figures = [name for name in named(table, "figures") if not is_text(table[name])]
    return sorted(figures, key=lambda name: not scale_of(table, name).varies)


def _response(table: DataFrame, response: str | None) -> Scale:
    """The figure named, or the first that varies; StudyError if it is text or there is none."""
    if response is None and not varying_figures(table):
        raise StudyError("the runs of this study have no figure that is a number")
    name = response or varying_figures(table)[0]
    numbers(table, name)
    return scale_of(table, name)


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
    colors, chosen = colors_by(shades, len(table))
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
            mark_without_value(axes, x.values[some(np.isnan(y.values), MOST_POINTS // 4)[0]])
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
    if shades is not None:
        show_colors(figure, grid, shades, chosen)
    lost = note_without_value(int((~ended | np.isnan([scale.values for scale in scales]).any(axis=0)).sum()), len(table))
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
        axes.bar(at, count, width=0.7 if scale.categories else 0.1 * np.ptp(scale.limits()), color=POINTS, alpha=0.75)
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
        axes.grid(True, axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    return figure, "Histogram", [note]


def _parallel(table: DataFrame, names: Sequence[str] | None, color: str | None) -> Drawn:
    """Each run as a line across the axes of its columns; failed ones are red and end at the last value that they have."""
    from matplotlib.collections import LineCollection

    scales, note = _chosen(table, names, [*named(table, "parameters"), *named(table, "figures")], MOST_AXES)
    shades = scale_of(table, color or next(iter(varying_figures(table)), scales[-1].name))
    colors, chosen = colors_by(shades, len(table))
    ends = [np.log10(scale.limits()) if scale.log else scale.limits() for scale in scales]
    heights = np.stack([(scale.along - low) / (high - low) for scale, (low, high) in zip(scales, ends, strict=True)], axis=1)
    figure = new_figure(max(5.0, 1.5 * len(scales)) + 1.0, 4.6)
    axes = figure.subplots()
    ended, places = finished(table), np.arange(len(scales), dtype=float)
    rows, thinned = some(ended, MOST_LINES)
    failed, _ = some(~ended, MOST_LINES // 10)
    for drawn, shade in ((failed, FAILED), (rows, colors[rows])):
        lines = [np.column_stack([places, heights[row]])[np.isfinite(heights[row])] for row in drawn]
        axes.add_collection(
            LineCollection(lines, colors=shade, linewidths=0.9, alpha=float(np.clip(30 / (len(lines) or 1), 0.12, 0.9)))
        )
    axes.set(xlim=(-0.15, len(scales) - 0.55), ylim=(-0.06, 1.06), yticks=[])
    axes.set_xticks(places, [in_lines(scale.label) for scale in scales], fontsize="small")
    axes.spines[:].set_visible(False)
    box = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
    for place, scale, (low, high) in zip(places, scales, ends, strict=True):
        axes.plot([place, place], [0.0, 1.0], color="0.2", linewidth=1.0, zorder=4)
        for value, text in _ticks(scale):
            height = (value - low) / (high - low)
            if -1e-9 <= height <= 1.0 + 1e-9:
                axes.plot([place, place + 0.03], [height, height], color="0.2", linewidth=1.0, zorder=4)
                axes.text(place + 0.05, height, text, fontsize=7.5, va="center", color="0.1", zorder=6, bbox=box)
    if shades.varies:
        show_colors(figure, axes, shades, chosen)
    return figure, "Parallel coordinates", [note, thinned, note_without_value(int((~ended).sum()), len(table))]


def _ticks(scale: Scale) -> Sequence[tuple[float, str]]:
    """Position along the axis and text of each tick."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if scale.categories:
        return list(enumerate(short_texts(scale.categories)))[:: -(-len(scale.categories) // 12)]
    low, high = scale.limits()
    if scale.log:
        values = LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 1e3 else (1.0,)).tick_values(low, high)
        return [(float(np.log10(value)), f"{value:g}") for value in values]
    return [
        (float(value), scale.text(value, 6)) for value in MaxNLocator(5, steps=STEPS, integer=scale.whole).tick_values(low, high)
    ]


def _effects(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """A figure against each parameter: runs, mean and 5 % to 95 % at each of few values, else in bins of as many runs."""
    y = _response(table, response)
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
        mark_without_value(axes, x.values[lost])
        x.put_on(axes, "x", ticks=5)
        y.put_on(axes, "y", ticks=5, labelled=first)
        axes.tick_params(labelleft=first)
        axes.grid(True, alpha=0.3)
    notes = [
        "line: mean; band or bars: 5 % to 95 % of the runs",
        note,
        thinned,
        note_without_value(len(without[without]), len(table)),
    ]
    return figure, f"Main effects on {y.name}", notes


def _draw_means(axes: Axes, x: Scale, y: Scale) -> None:
    from pandas import DataFrame, qcut

    runs = DataFrame({"x": x.values, "y": y.values}).dropna()
    levels = bool(x.categories) or runs["x"].nunique() <= MOST_LEVELS
    groups = runs.groupby(
        runs["x"] if levels else qcut(runs["x"], int(np.clip(len(runs) // RUNS_A_BIN, 1, MOST_BINS)), duplicates="drop"),
        observed=True,
    )
    at, mean, low, high = groups["x"].median(), groups["y"].mean(), groups["y"].quantile(0.05), groups["y"].quantile(0.95)
    if levels:
        axes.vlines(at, low, high, color=POINTS, linewidth=5.0, alpha=0.25)
    else:
        axes.fill_between(at, low, high, color=POINTS, alpha=0.22, linewidth=0)
    axes.plot(at, mean, "o" if x.categories else "o-", color=POINTS, markersize=4, linewidth=1.3)


def _surface(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """Contours of a figure over two parameters, inside the hull of the runs; default: the two that it follows most."""
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Polygon
    from matplotlib.ticker import LogLocator, MaxNLocator
    from scipy.spatial import ConvexHull

    z = _response(table, response)
    x, y = (scale_of(table, name) for name in _two_parameters(table, z, names))
    known = np.isfinite(x.values) & np.isfinite(y.values) & np.isfinite(z.values)
    rows, thinned = some(known, MOST_FITTED)
    ends = [(np.nanmin(scale.along), np.ptp(scale.along[np.isfinite(scale.along)]) or 1.0) for scale in (x, y)]
    points = np.stack([(scale.along[rows] - low) / size for scale, (low, size) in zip((x, y), ends, strict=True)], axis=1)
    name, r2, fit = fit_surface(points, z.along[rows])
    line = np.linspace(0.0, 1.0, RESOLUTION)
    values = fit(np.stack([part.ravel() for part in np.meshgrid(line, line)], axis=1)).reshape(RESOLUTION, RESOLUTION)
    inside = fit(points)
    low, high = float(inside.min()), float(inside.max())
    pad = 0.0 if high > low else 0.5 * abs(low) or 0.5
    levels = MaxNLocator(12, steps=STEPS).tick_values(low - pad, high + pad)
    look: dict[str, Any] = {"levels": levels}
    if z.log:
        values, look = 10.0**values, {"levels": 10.0**levels, "norm": LogNorm(10.0 ** levels[0], 10.0 ** levels[-1])}

    def at(unit: Numbers, k: int) -> Numbers:
        along = ends[k][0] + unit * ends[k][1]
        return np.asarray(10.0**along if (x, y)[k].log else along)

    figure = new_figure(6.8, 5.2)
    axes = figure.subplots()
    filled = axes.contourf(at(line, 0), at(line, 1), values, cmap="viridis", extend="both", **look)
    lines = axes.contour(at(line, 0), at(line, 1), values, colors="white", linewidths=0.5, alpha=0.6, **{"levels": look["levels"]})
    corners = points[ConvexHull(points).vertices]
    for drawn in (filled, lines):
        drawn.set_clip_path(Polygon(np.stack([at(corners[:, k], k) for k in (0, 1)], axis=1), transform=axes.transData))
    axes.plot(x.values[rows], y.values[rows], "o", color="black", markersize=2.2, alpha=0.6)
    lost, _ = some(~known, MOST_FITTED)
    axes.plot(x.values[lost], y.values[lost], "x", color=FAILED, markersize=5, markeredgewidth=1.3)
    x.put_on(axes, "x")
    y.put_on(axes, "y")
    ticks = LogLocator(subs=(1.0, 2.0, 5.0) if high - low < 3.0 else (1.0,)) if z.log else None
    figure.colorbar(filled, ax=axes, label=z.label, ticks=ticks, format=lambda value, _: z.text(value, 6))
    said = f"{name} through {len(rows)} runs{', of logarithms' if z.log else ''}, cross-validated R² = {r2:.3f}"
    return figure, f"Response surface of {z.name}", [said, thinned, note_without_value(int((~known).sum()), len(table))]


def _two_parameters(table: DataFrame, response: Scale, names: Sequence[str] | None) -> Sequence[str]:
    if names is not None:
        if len(names) != 2:
            raise StudyError(f"a response surface needs two parameters, not {len(names)}")
        return [name for name in names if len(numbers(table, name))]
    varied = [name for name in named(table, "parameters") if not is_text(table[name]) and scale_of(table, name).varies]
    if len(varied) < 2:
        reason = f"this study has {len(varied)}: plot the main effects instead"
        raise StudyError(f"a response surface needs two parameters of numbers that vary; {reason}")
    runs = table[varied].assign(**{" response": response.values}).head(MOST_RANKED)
    follows = runs.corr("spearman")[" response"].drop(" response").abs().fillna(0.0)
    return list(follows.sort_values(ascending=False, kind="stable").index[:2])


def fit_surface(points: Numbers, values: Numbers) -> tuple[str, float, Callable[[Numbers], Numbers]]:
    """Name, cross-validated R2 and function of the best of ``FITS`` through (n,) values at (n, 2) points in the unit square.

    R2: share of the variance of points left out of the fit that it predicts (five folds; leave-one-out for fewer than
    ten points, through which only a plane is laid); negative if the mean predicts better.  StudyError for fewer than
    four points and for points on a line.
    """
    from scipy.interpolate import RBFInterpolator

    count = len(values)
    if count < 4:
        raise StudyError(f"a response surface needs at least 4 finished runs, not {count}")
    if np.linalg.matrix_rank(np.column_stack([np.ones(count), points]), tol=1e-6 * np.sqrt(count)) < 3:
        raise StudyError("a response surface needs two parameters that vary independently: these points are on a line")
    middle, spread = float(values.mean()), float(values.std()) or 1.0

    def fitted(name: str, kept: npt.NDArray[np.bool_]) -> Callable[[Numbers], Numbers]:
        kernel, degree, smoothing = FITS[name]
        spline = RBFInterpolator(
            points[kept], (values[kept] - middle) / spread, kernel=kernel, degree=degree, smoothing=smoothing, epsilon=1.0
        )
        return lambda at: middle + spread * np.asarray(spline(at))

    def missed(name: str) -> float:
        folds = np.random.default_rng(0).permutation(count) % (FOLDS if count >= 2 * FOLDS else count)
        try:
            return sum(
                float(((fitted(name, folds != k)(points[folds == k]) - values[folds == k]) ** 2).sum()) for k in np.unique(folds)
            )
        except np.linalg.LinAlgError:  # not to be determined without these points
            return float("inf")

    errors = {name: missed(name) for name in (FITS if count >= 2 * FOLDS else ["plane"])}
    best = min(errors, key=lambda name: errors[name])
    total = float(((values - middle) ** 2).sum())
    return best.partition(",")[0], 1.0 - errors[best] / total if total > 0.0 else 1.0, fitted(best, np.ones(count, bool))


def plot_sensitivities(found: Sensitivities, *, title: str | None = None, save: Path | None = None) -> Figure | None:
    """Draw the indices of each parameter with their 95 % intervals; of more than twenty parameters the largest."""
    group = next((group for group in BARS if group[0] in found.indices), tuple(found.indices)[:1])
    shown = [name for name in group if name in found.indices]
    rows = found.indices.head(MOST_PARAMETERS).fillna(0.0)
    figure = new_figure(6.8, 1.5 + (0.2 * len(shown) + 0.12) * len(rows))
    axes = figure.subplots()
    widths = [rows.get(f"{name}_conf", 0.0 * rows[name]) for name in shown]
    ends = {"elinewidth": 1.0, "ecolor": "0.25", "capsize": 2.0}
    rows[shown].plot.barh(
        ax=axes, xerr=widths, width=0.8, color=["#1f77b4", "#9ecae1", "#e6a04b"][: len(shown)], error_kw=ends, ylabel=""
    )
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"change of {found.figure} [{found.unit or '-'}]" if shown[0] == "mu_star" else "index")
    r2 = ", ".join(f"R² of {name} = {value:.2f}" for name, value in found.r2.items())
    hidden = len(found.indices) - len(rows)
    notes = [f"{found.runs} runs", r2, f"{hidden} more parameters are not shown" if hidden else ""]
    return finished_figure(figure, title or f"Sensitivity of {found.figure}: {found.method}", notes, save)


KINDS: Mapping[str, Callable[[DataFrame, Sequence[str] | None, str | None], Drawn]] = {
    "scatter": _scatter,
    "parallel": _parallel,
    "effects": _effects,
    "histogram": _histograms,
    "surface": _surface,
}
