"""Histories of several runs in one figure, and their differences beneath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula
from flexmbs.view.plotting.scales import (
    COLORS,
    STYLES,
    check_file,
    finished,
    new_figure,
    put_above,
    round_ticks,
    show_flat,
    time_scale,
    value_scale,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDTH, CURVES, DIFFERENCE, REST = 8.0, 2.0, 1.1, 1.1
#: More histories than this would make a figure that nobody can read.
MAX_HISTORIES = 12


@dataclass(frozen=True, eq=False)
class ComparedHistory:
    """A history of several runs at the same times.

    Attributes
    ----------
    times : (k,) s, increasing
    values : (runs, k)
    differences : (runs - 1, k) from the first run
    largest, largest_at : the largest difference in magnitude and its time, s
    rms : root of the mean square of the differences over time, of the run that differs most
    range : of the values of the first run (their size where they do not change); relative_rms : rms divided by it
    """

    name: str
    unit: str
    times: np.ndarray = field(repr=False)
    values: np.ndarray = field(repr=False)

    @property
    def differences(self) -> np.ndarray:
        return self.values[1:] - self.values[0]

    @cached_property
    def _largest(self) -> tuple[float, float]:
        sizes = np.abs(self.differences).max(axis=0)
        place = int(np.argmax(sizes))
        return float(sizes[place]), float(self.times[place])

    @property
    def largest(self) -> float:
        return self._largest[0]

    @property
    def largest_at(self) -> float:
        return self._largest[1]

    @cached_property
    def rms(self) -> float:
        squares = np.trapezoid(self.differences**2, self.times, axis=1) / (self.times[-1] - self.times[0])
        return float(np.sqrt(squares.max()))

    @property
    def range(self) -> float:
        return float(np.ptp(self.values[0])) or float(np.abs(self.values[0]).max()) or float(np.abs(self.values).max())

    @property
    def relative_rms(self) -> float:
        return self.rms / self.range if self.range else 0.0


def plot_comparison(
    labels: Sequence[str],
    histories: Sequence[ComparedHistory],
    *,
    save: str | Path | None = None,
    force: bool = False,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    degrees: bool = False,
) -> Figure | None:
    """Each history of all runs, and beneath it the differences from the first run; all share the time axis.

    Returns the matplotlib figure, or None if it was written to ``save`` (.svg, .pdf, .png; ``force``: it may exist).
    """
    check_file(save, force)
    if len(histories) > MAX_HISTORIES:
        raise FlexmbsError(f"compare: {len(histories)} histories in one figure; name at most {MAX_HISTORIES}")
    rows = (CURVES + DIFFERENCE) * len(histories)
    figure = new_figure(size, (WIDTH, REST + rows))
    heights = [CURVES, DIFFERENCE] * len(histories)
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    low, high = float(histories[0].times[0]), float(histories[0].times[-1])
    scale = time_scale(low, high)
    for place, history in enumerate(histories):
        upper, lower = axes[2 * place : 2 * place + 2]
        times, values = scale(history.times), value_scale(history.unit, history.values, degrees)
        apart = value_scale(history.unit, history.differences, degrees, largest=float(np.abs(history.values).max()))
        for run, (label, column) in enumerate(zip(labels, history.values, strict=True)):
            upper.plot(times, values(column), linewidth=1.4, label=label, **_look(run))
        for run, column in enumerate(history.differences, start=1):
            lower.plot(times, apart(column), linewidth=1.0, **(_look(run) | {"linestyle": "-"}))
        upper.set_title(no_formula(history.name), loc="left", fontsize="medium", pad=3.0)
        upper.set_ylabel(values.label(""))
        lower.set_ylabel(apart.label("Δ"))
        for axis in (upper, lower):
            axis.grid(True, alpha=0.3)
            round_ticks(axis)
        show_flat(upper, values)
        show_flat(lower, apart)
        lower.set_facecolor("0.97")
    put_above(axes[0], axes[0].lines, 0.6 * WIDTH, right=True)
    axes[-1].set_xlabel(scale.label("time"))
    axes[-1].set_xlim(float(scale(low)), float(scale(high)))
    figure.align_ylabels(axes)
    said = f"Δ: difference from {labels[0]}" if len(labels) > 2 else f"Δ: {labels[1]} − {labels[0]}"
    figure.supxlabel(no_formula(said), fontsize="small", color="0.35")
    return finished(figure, title or "", save)


def _look(run: int) -> dict[str, str]:
    """Later runs are dashed, so that the first one is seen where they agree."""
    return {"color": COLORS[run % len(COLORS)], "linestyle": STYLES[min(run, 3)]}
