"""Parallel coordinates: one vertical axis for each column, one line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.canvas import (
    FAILED,
    coloring,
    drawn_rows,
    finished_figure,
    new_figure,
    note_without_value,
    require_rows,
    show_colors,
)
from flexmbs.study.evaluation.plots.chosen_columns import chosen_columns, chosen_response, varies
from flexmbs.study.evaluation.plots.scale import STEPS, Scale, broken, number_text, scale_of, short_texts
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COLUMNS, MOST_LINES = 10, 2000


def parallel_coordinates(
    table: StudyTable,
    names: Sequence[str] | None = None,
    *,
    color: str | None = None,
    title: str | None = None,
    save: str | Path | None = None,
) -> Figure | None:
    """Draw each run as a line across the axes of its columns; default: what varies, at most ten columns.

    ``color``: column that colours the lines; default: the first figure that varies.  Failed runs are red and end at
    the last axis for which they have a value.  Of more than 2000 runs some are drawn, chosen at random.
    """
    from matplotlib.collections import LineCollection

    require_rows(table)
    chosen, note = chosen_columns(table, names, MOST_COLUMNS)
    if color is None and table.figures and not table.columns[table.figures[0]].is_text:
        response = chosen_response(table, None)
        color = response if varies(table.columns[response]) else None
    scales = [scale_of(table.column(name)) for name in chosen]
    heights = np.stack([_heights(scale) for scale in scales], axis=1)
    figure = new_figure(max(5.0, 1.5 * len(scales)) + 1.0, 4.6)
    axes = figure.subplots()
    shades = coloring(table, color)
    rows, thinned = drawn_rows(np.flatnonzero(table.finished), MOST_LINES)
    failed, _ = drawn_rows(np.flatnonzero(~table.finished), MOST_LINES // 10)
    places = np.arange(len(scales), dtype=float)
    for chosen_rows, colors in ((failed, FAILED), (rows, shades.colors[rows])):
        lines = [np.column_stack([places, heights[row]])[np.isfinite(heights[row])] for row in chosen_rows]
        strength = float(np.clip(30.0 / max(len(lines), 1), 0.12, 0.9))
        axes.add_collection(LineCollection(lines, colors=colors, linewidths=0.9, alpha=strength))
    axes.set_xlim(-0.15, len(scales) - 0.55)
    axes.set_ylim(-0.06, 1.06)
    axes.set_yticks([])
    axes.set_xticks(places, [broken(scale.label) for scale in scales], fontsize="small")
    for side in axes.spines.values():
        side.set_visible(False)
    for place, scale in zip(places, scales, strict=True):
        _draw_axis(axes, float(place), scale)
    show_colors(figure, axes, shades)
    lost = note_without_value(len(np.flatnonzero(~table.finished)), len(table))
    return finished_figure(figure, title or "Parallel coordinates", [note, thinned, lost], save)


def _ends(scale: Scale) -> tuple[float, float]:
    low, high = scale.limits()
    return (np.log10(low), np.log10(high)) if scale.log else (low, high)


def _heights(scale: Scale) -> Numbers:
    """(n,) 0 at the bottom of the axis to 1 at its top."""
    low, high = _ends(scale)
    return np.asarray((scale.linear - low) / (high - low))


def _draw_axis(axes: Axes, place: float, scale: Scale) -> None:
    """A vertical line with ticks and their values on its right."""
    axes.plot([place, place], [0.0, 1.0], color="0.2", linewidth=1.0, zorder=4)
    low, high = _ends(scale)
    for value, text in _ticks(scale):
        height = (value - low) / (high - low)
        if -1e-9 <= height <= 1.0 + 1e-9:
            axes.plot([place, place + 0.03], [height, height], color="0.2", linewidth=1.0, zorder=4)
            axes.text(
                place + 0.05,
                height,
                text,
                fontsize=7.5,
                va="center",
                color="0.1",
                zorder=6,
                bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
            )


def _ticks(scale: Scale) -> list[tuple[float, str]]:
    """Position along the axis and text of each tick."""
    from matplotlib.ticker import LogLocator, MaxNLocator

    if scale.categories:
        texts, every = short_texts(scale.categories), -(-len(scale.categories) // 12)
        return [(float(k), texts[k]) for k in range(0, len(scale.categories), every)]
    low, high = scale.limits()
    if scale.log:
        values = LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 1e3 else (1.0,)).tick_values(low, high)
        return [(float(np.log10(value)), number_text(float(value))) for value in values]
    return [
        (float(value), scale.text(value, 6)) for value in MaxNLocator(5, steps=STEPS, integer=scale.whole).tick_values(low, high)
    ]
