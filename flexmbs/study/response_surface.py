"""Response surface: a figure over two parameters as contours of a fit, with the runs as points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from flexmbs.common.errors import StudyError
from flexmbs.study.plot_axes import FAILED, STEPS, Drawn, Scale, new_figure, note_lost, scale_of, some
from flexmbs.study.table import Numbers, is_text, named, numbers

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_RANKED = 100_000
RESOLUTION, MOST_FITTED, FOLDS = 81, 800, 5  # the cost of a fit grows with the third power of the number of runs
#: Kernel, degree and smoothing of scipy.interpolate.RBFInterpolator; with much smoothing the polynomial alone is left.
FITS = {
    "plane": ("linear", 1, 1e9),
    "quadratic polynomial": ("cubic", 2, 1e9),
    **{f"thin-plate spline, smoothing {smoothing:g}": ("thin_plate_spline", 1, smoothing) for smoothing in (1e-6, 1e-3, 0.1, 10.0)},
}


def varying_figures(table: DataFrame) -> list[str]:
    """Figures that are numbers, those that vary first."""
    figures = [name for name in named(table, "figures") if not is_text(table[name])]
    return sorted(figures, key=lambda name: not scale_of(table, name).varies)


def response_of(table: DataFrame, response: str | None) -> Scale:
    """The figure named, or the first that varies; StudyError if it is text or there is none."""
    name = response or next(iter(varying_figures(table)), "")
    if not name:
        raise StudyError("the runs of this study have no figure that is a number")
    return _number(table, name)


def _number(table: DataFrame, name: str) -> Scale:
    numbers(table, name)  # StudyError for text
    return scale_of(table, name)


def response_surface(table: DataFrame, names: Sequence[str] | None, response: str | None) -> Drawn:
    """Contours of a figure over two parameters, inside the hull of the runs; default: the two that it follows most."""
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.patches import Polygon
    from matplotlib.ticker import LogLocator, MaxNLocator
    from scipy.spatial import ConvexHull

    z = response_of(table, response)
    x, y = _two_parameters(table, z, names)
    known = np.isfinite(x.values) & np.isfinite(y.values) & np.isfinite(z.values)
    rows, thinned = some(known, MOST_FITTED)
    points = np.stack([x.places[rows], y.places[rows]], axis=1)
    name, r2, fit = fit_surface(points, z.along[rows])
    line = np.linspace(0.0, 1.0, RESOLUTION)
    values = fit(np.stack([part.ravel() for part in np.meshgrid(line, line)], axis=1)).reshape(RESOLUTION, RESOLUTION)
    inside = fit(points)
    low, high = float(inside.min()), float(inside.max())
    pad = 0.0 if high > low else 0.5 * abs(low) or 0.5
    levels, ticks = MaxNLocator(12, steps=STEPS).tick_values(low - pad, high + pad), None
    if z.log:
        values, levels, ticks = 10.0**values, 10.0**levels, LogLocator(subs=(1.0, 2.0, 5.0) if high - low < 3.0 else (1.0,))
    figure = new_figure(6.8, 5.2)
    axes = figure.subplots()
    norm = (LogNorm if z.log else Normalize)(levels[0], levels[-1])
    filled = axes.contourf(x.at(line), y.at(line), values, levels, cmap="viridis", extend="both", norm=norm)
    lines = axes.contour(x.at(line), y.at(line), values, levels, colors="white", linewidths=0.5, alpha=0.6)
    hull = points[ConvexHull(points).vertices].T
    for drawn in (filled, lines):
        drawn.set_clip_path(Polygon(np.stack([x.at(hull[0]), y.at(hull[1])], axis=1), transform=axes.transData))
    axes.plot(x.values[rows], y.values[rows], "o", color="black", markersize=2.2, alpha=0.6)
    lost, _ = some(~known, MOST_FITTED)
    axes.plot(x.values[lost], y.values[lost], "x", color=FAILED, markersize=5, markeredgewidth=1.3)
    x.put_on(axes, "x")
    y.put_on(axes, "y")
    figure.colorbar(filled, ax=axes, label=z.label, ticks=ticks, format=lambda value, _: z.text(value, 6))
    said = f"{name} through {len(rows)} runs{', of logarithms' if z.log else ''}, cross-validated R² = {r2:.3f}"
    return figure, f"Response surface of {z.name}", [said, thinned, note_lost(int((~known).sum()), len(table))]


def _two_parameters(table: DataFrame, z: Scale, names: Sequence[str] | None) -> list[Scale]:
    from pandas import DataFrame

    if names is not None and len(names) != 2:
        raise StudyError(f"a response surface needs two parameters, not {len(names)}")
    scales = [_number(table, name) for name in names or named(table, "parameters") if names or not is_text(table[name])]
    varied = scales if names else [scale for scale in scales if scale.varies]
    if len(varied) < 2:
        reason = f"this study has {len(varied)}: plot the main effects instead"
        raise StudyError(f"a response surface needs two parameters of numbers that vary; {reason}")
    runs = DataFrame({scale.name: scale.values for scale in varied} | {" response": z.values}).head(MOST_RANKED)
    follows = runs.corr("spearman")[" response"].abs().fillna(0.0)
    return varied if names else sorted(varied, key=lambda scale: -follows[scale.name])[:2]


def fit_surface(points: Numbers, values: Numbers) -> tuple[str, float, Callable[[Numbers], Numbers]]:
    """Name, cross-validated R2 and function of the best of ``FITS`` through (n,) values at (n, 2) points in the unit square.

    R2: share of the variance of points left out of the fit that it predicts (in five folds; through fewer than ten
    points only a plane is laid); negative if the mean predicts better.  StudyError for fewer than
    four points and for points on a line.
    """
    from scipy.interpolate import RBFInterpolator

    count = len(values)
    if count < 4:
        raise StudyError(f"a response surface needs at least 4 finished runs, not {count}")
    if np.linalg.matrix_rank(np.column_stack([np.ones(count), points]), tol=1e-6 * np.sqrt(count)) < 3:
        raise StudyError("a response surface needs two parameters that vary independently: these points are on a line")
    middle, spread = float(values.mean()), float(values.std()) or 1.0

    folds = np.random.default_rng(0).permutation(count) % min(FOLDS, count)

    def fitted(name: str, kept: npt.NDArray[np.bool_]) -> Callable[[Numbers], Numbers]:
        kernel, degree, smoothing = FITS[name]
        options = {"kernel": kernel, "degree": degree, "smoothing": smoothing, "epsilon": 1.0}
        spline = RBFInterpolator(points[kept], (values[kept] - middle) / spread, **options)
        return lambda at: middle + spread * np.asarray(spline(at))

    def missed(name: str) -> float:
        try:
            left_out = [fitted(name, folds != k)(points[folds == k]) - values[folds == k] for k in range(min(FOLDS, count))]
        except np.linalg.LinAlgError:  # not to be determined without these points
            return float("inf")
        return float((np.concatenate(left_out) ** 2).sum())

    errors = {name: missed(name) for name in (FITS if count >= 2 * FOLDS else ["plane"])}
    best = min(errors, key=lambda name: errors[name])
    total = float(((values - middle) ** 2).sum())
    return best.partition(",")[0], 1.0 - errors[best] / total if total > 0.0 else 1.0, fitted(best, np.ones(count, bool))
