"""Response surface: a figure over two parameters as contours of a fit, with the runs as points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.canvas import FAILED, drawn_rows, finished_figure, new_figure, note_without_value, require_rows
from flexmbs.study.evaluation.plots.chosen_columns import chosen_response, varies
from flexmbs.study.evaluation.plots.scale import STEPS, Scale, scale_of
from flexmbs.study.evaluation.plots.surface_fit import SurfaceFit, fit_surface
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESOLUTION, MOST_FITTED, MOST_POINTS = 81, 20_000, 800


def response_surface(
    table: StudyTable,
    response: str | None = None,
    names: Sequence[str] | None = None,
    *,
    title: str | None = None,
    save: str | Path | None = None,
) -> Figure | None:
    """Draw contours of a response over two parameters of numbers; default: the two that it follows most closely.

    The fit with the best cross-validated R2 is taken; the title states it.  Whatever else varies is scatter about the
    surface and lowers R2.  Outside the hull of the points nothing is drawn.  Failed runs are red crosses.
    """
    require_rows(table)
    response = chosen_response(table, response)
    first, second = _two_parameters(table, response, names)
    x, y = (scale_of(table.column(name)) for name in (first, second))
    z = scale_of(table.column(response), allow_log=False)
    known = np.isfinite(x.positions) & np.isfinite(y.positions) & np.isfinite(z.positions)
    rows, _ = drawn_rows(np.flatnonzero(known), MOST_FITTED)
    points = np.column_stack([_unit(x, rows), _unit(y, rows)])
    fit = fit_surface(points, z.positions[rows])
    figure = new_figure(6.8, 5.2)
    axes = figure.subplots()
    _contours(axes, x, y, z, fit, points)
    shown, thinned = drawn_rows(rows, MOST_POINTS)
    axes.plot(x.positions[shown], y.positions[shown], "o", color="black", markersize=2.2, alpha=0.6)
    lost, _ = drawn_rows(np.flatnonzero(~known), MOST_POINTS)
    axes.plot(x.positions[lost], y.positions[lost], "x", color=FAILED, markersize=5, markeredgewidth=1.3)
    x.put_on(axes, "x")
    y.put_on(axes, "y")
    notes = [
        f"{fit.name} through {fit.runs} runs, cross-validated R² = {fit.r2:.3f}",
        thinned,
        note_without_value(int((~known).sum()), len(table)),
    ]
    return finished_figure(figure, title or f"Response surface of {response}", notes, save)


def _two_parameters(table: StudyTable, response: str, names: Sequence[str] | None) -> tuple[str, str]:
    if names is not None:
        if len(names) != 2:
            raise StudyError(f"a response surface needs two parameters, not {len(names)}")
        for name in names:
            table.numbers(name)
        return names[0], names[1]
    from scipy.stats import spearmanr

    varied = [name for name in table.parameters if not table.columns[name].is_text and varies(table.columns[name])]
    if len(varied) < 2:
        raise StudyError(
            f"a response surface needs two parameters of numbers that vary; this study has {len(varied)}: "
            f"plot the main effects instead"
        )
    values = table.numbers(response)
    rows, _ = drawn_rows(np.flatnonzero(np.isfinite(values)), MOST_FITTED)
    if len(rows) < 3 or np.ptp(values[rows]) == 0.0:
        return varied[0], varied[1]
    follows = {name: _strength(spearmanr, table.numbers(name)[rows], values[rows]) for name in varied}
    strongest = sorted(varied, key=lambda name: -follows[name])[:2]
    return strongest[0], strongest[1]


def _strength(spearmanr, inputs: Numbers, values: Numbers) -> float:  # type: ignore[no-untyped-def]
    if np.ptp(inputs) == 0.0:
        return 0.0
    return abs(float(spearmanr(inputs, values).statistic))


def _unit(scale: Scale, rows: np.ndarray) -> Numbers:
    """Positions of the rows along the axis, 0 at the smallest to 1 at the largest of all runs."""
    low, high = _range(scale)
    return np.asarray((scale.linear[rows] - low) / ((high - low) or 1.0))


def _range(scale: Scale) -> tuple[float, float]:
    finite = scale.linear[np.isfinite(scale.linear)]
    return float(finite.min()), float(finite.max())


def _contours(axes: Axes, x: Scale, y: Scale, z: Scale, fit: SurfaceFit, points: Numbers) -> None:
    from matplotlib.patches import Polygon
    from matplotlib.ticker import MaxNLocator
    from scipy.spatial import ConvexHull

    line = np.linspace(0.0, 1.0, RESOLUTION)
    grid = np.stack([part.ravel() for part in np.meshgrid(line, line)], axis=1)
    values = (fit.value_at(grid) / 10.0**z.power).reshape(RESOLUTION, RESOLUTION)
    at_points = fit.value_at(points) / 10.0**z.power
    along = [low + line * (high - low) for low, high in (_range(x), _range(y))]
    places = [10.0**values if scale.log else values for scale, values in zip((x, y), along, strict=True)]
    low, high = float(at_points.min()), float(at_points.max())
    if not high > low:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
    levels = MaxNLocator(12, steps=STEPS).tick_values(low, high)
    filled = axes.contourf(*places, values, levels, cmap="viridis", extend="both")
    lines = axes.contour(*places, values, levels, colors="white", linewidths=0.5, alpha=0.6)
    corners = points[ConvexHull(points).vertices]
    ends = [part[0] + corners[:, k] * (part[-1] - part[0]) for k, part in enumerate(along)]
    outline = np.column_stack([10.0**end if scale.log else end for scale, end in zip((x, y), ends, strict=True)])
    for drawn in (filled, lines):
        drawn.set_clip_path(Polygon(outline, transform=axes.transData))
    axes.figure.colorbar(filled, ax=axes, label=z.label)
