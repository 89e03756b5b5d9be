"""Contacts against time: a bar for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import counted, no_formula
from flexmbs.view.contact_phases import closed_contacts
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plotting.curves import time_window
from flexmbs.view.plotting.figures import check_file, finished, new_figure
from flexmbs.view.plotting.scales import Scale, time_scale, value_scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

#: Inches: of the plot, of a lane, and the most for all lanes.
WIDTH, LANE, TALLEST = 9.0, 0.15, 16.0
#: Forces that span more than this factor are coloured by their logarithm.
DECADES = 30.0


def plot_contacts(
    result: DrawableResult,
    names: Sequence[str] = (),
    *,
    save: str | Path | None = None,
    force: bool = False,
    start: float | None = None,
    end: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
) -> Figure | None:
    """A time-line: for each contact a bar from each start to its end, coloured by its peak force.

    ``names``: of contacts; none: all that closed, in the order of their first start. ``start``, ``end`` (s): window of
    time. Returns the matplotlib figure, or None if it was written to ``save`` (.svg, .pdf or .png; ``force``: it may
    exist) with a ``size`` in inches. FlexmbsError for an unknown name, or where no contact ever closed.
    """
    check_file(save, force)
    low, high = time_window(result, start, end)
    lanes, open_ones = _lanes(result, names, low, high)
    tall = min(LANE * len(lanes), TALLEST)
    figure = new_figure(size, (WIDTH, 1.5 + max(tall, 0.4)))
    axis, scale = figure.subplots(), time_scale(low, high)
    bars = _bars(lanes, low, high, scale)
    axis.add_collection(bars)
    axis.set_xlim(float(scale(low)), max(float(scale(high)), float(scale(low)) + 1e-12))
    axis.set_ylim(len(lanes) - 0.4, -0.6)
    every = int(np.ceil(len(lanes) * LANE / TALLEST))  # names that fit
    ticks = np.arange(0, len(lanes), every)
    axis.set_yticks(ticks, [no_formula(lanes[i][0]) for i in ticks], fontsize=7 if len(lanes) > 12 else "medium")
    axis.set_xlabel(scale.label("time"))
    axis.grid(True, axis="x", alpha=0.3)
    _color_bar(figure, axis, bars, tall)
    count = sum(len(times) for _, times in lanes)
    said = title or f"{counted(count, 'contact')} at {counted(len(lanes), 'contact point')}"
    never = "" if (low, high) == time_window(result, None, None) else " here"
    axis.set_title(no_formula(said) + (f"; {open_ones} never closed{never}" if open_ones else ""))
    return finished(figure, "", save)


def _color_bar(figure: Figure, axis: Axes, bars: PolyCollection, tall: float) -> None:
    """The colours of forces, with round numbers or, over decades, numbers from end to end."""
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import FuncFormatter

    forces = value_scale("N", [bars.get_array()])
    scale = figure.colorbar(bars, ax=axis, label=forces.label("peak force"), aspect=max(12.0, 4.0 * (1.5 + tall)))
    if isinstance(bars.norm, LogNorm):
        ticks = np.geomspace(bars.norm.vmin, bars.norm.vmax, 3 if tall < 2.0 else 7)
        scale.set_ticks(ticks, labels=[f"{forces(tick):.3g}" for tick in ticks])
        scale.minorticks_off()
    else:
        scale.ax.yaxis.set_major_formatter(FuncFormatter(lambda force, _place: f"{forces(force):g}"))


def _lanes(result: DrawableResult, names: Sequence[str], low: float, high: float) -> tuple[list[tuple[str, list]], int]:
    """Name and closed times of each contact that is shown, and how many did not close in the window."""
    every = [pair.name for pair in result.structure.contacts]
    unknown = [name for name in names if name not in every]
    if unknown:
        raise FlexmbsError(f"plot_contacts: no contact named {unknown[0]!r}; contacts: {_some(every)}")
    closed = {
        every[index]: [time for time in times if time.start <= high and time.end >= low]
        for index, times in closed_contacts(result).items()
    }
    closed = {name: times for name, times in closed.items() if times}
    if names:
        lanes = [(name, closed.get(name, [])) for name in dict.fromkeys(names)]
    else:
        lanes = sorted(closed.items(), key=lambda lane: lane[1][0].start)
    if not any(times for _, times in lanes):
        when = "in this run" if (low, high) == time_window(result, None, None) else f"from {low:g} to {high:g} s"
        raise FlexmbsError(f"plot_contacts: no contact closed {when}; contacts: {_some(every) or 'none'}")
    return lanes, 0 if names else len(every) - len(lanes)


def _bars(lanes: list[tuple[str, list]], first: float, last: float, scale: Scale) -> PolyCollection:
    """The bars of all lanes; an edge of a point keeps those of microseconds visible."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import LogNorm, Normalize

    corners, forces = [], []
    for row, (_, times) in enumerate(lanes):
        for begin, until, force, _ in times:
            start, end = scale(np.clip([begin, until], first, last))
            low, high = row - 0.36, row + 0.36
            corners.append([(start, low), (end, low), (end, high), (start, high)])
            forces.append(force)
    order = np.argsort(forces, kind="stable")  # the largest on top
    strong = np.array(forces)[order]
    positive = strong[strong > 0.0]
    wide = len(positive) > 0 and positive[-1] > DECADES * positive[0]
    norm = LogNorm(positive[0], positive[-1]) if wide else Normalize(0.0, float(strong[-1]) or 1.0)
    bars = PolyCollection([corners[i] for i in order], cmap=_colours(), norm=norm, edgecolors="face", linewidths=1.0)
    bars.set_array(np.maximum(strong, positive[0]) if wide else strong)  # rigid impacts have no force, but a colour
    return bars


def _colours():
    """From orange to dark blue: nothing as bright as the paper."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["plasma_r"](np.linspace(0.18, 1.0, 256)))


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
