"""Plots against time: histories of a run, and of several runs with their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula
from flexmbs.view.contact_phases import ContactPhases
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plot_curves import Shading, check_names, curves, time_window
from flexmbs.view.plot_scales import (
    COLORS,
    STYLES,
    check_file,
    dress,
    finished,
    heading,
    height,
    new_figure,
    panels,
    put_above,
    share_time,
    style,
    time_scale,
    value_scale,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Inches: of a figure, of a panel, of title and time axis.
WIDTH, PANEL, REST = 8.0, 2.4, 1.0
#: What fits along the vertical axis of a panel; a longer name stands above it.
LABEL_LETTERS = 28
#: Ranges that differ by more than this factor make the smaller one a straight line.
COMPARABLE = 100.0


def plot_histories(
    result: DrawableResult,
    names: Sequence[str],
    *,
    save: str | Path | None = None,
    force: bool = False,
    start: float | None = None,
    end: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    phases: bool = True,
    contacts: bool = True,
    stick_speed: float | None = None,
    degrees: bool = False,
) -> Figure | None:
    """Plot histories against time, with one panel per unit; what is far smaller and of another kind has its own.

    Between steps, curves follow the interpolation of the result, so that long steps do not look like a polygon.
    Returns the matplotlib figure, or None if it was written to ``save``.

    Parameters
    ----------
    save : a file that ends in .svg, .pdf or .png; ``force``: it may exist
    start, end : s, window of time; None: the whole run
    title : None: the names if they fit on a line
    size : (width, height) in inches; None: by the number of panels
    phases : colours for the phases of a contact behind panels whose histories are all of that contact
    contacts : shades behind all other panels where any contact is closed, lines at locks, releases, events of the user,
        sticking and sliding, and dots at the peaks of contact forces
    stick_speed : m/s of sliding, below which a contact sticks; None: 1 % of the largest speed in any contact
    degrees : angles in degrees

    FlexmbsError for no names, another file ending, a file that exists, an empty window or one outside of the run;
    UnknownHistoryError (a KeyError too) for an unknown name.
    """
    check_names(result, names, "plot")
    check_file(save, force)
    low, high = time_window(result, start, end)
    times, columns = curves(result, names, low, high)
    groups = _panels({name: (result.unit(name), _range(columns[name])) for name in names})
    width = new_figure(size, (WIDTH, PANEL)).get_figwidth()
    rows = sum(PANEL + height(members if _listed(members) else [], width) for members in groups)
    figure = new_figure(size, (WIDTH, REST + rows))
    axes = panels(figure, len(groups))
    scale = time_scale(low, high)
    shading = Shading(result, (low, high), scale, ContactPhases(result, stick_speed) if phases else None, contacts)
    for number, (axis, members) in enumerate(zip(axes, groups, strict=True)):
        largest = max(float(np.max(np.abs(result[name]), initial=0.0)) for name in members)
        shown = [columns[name] for name in members]
        values = value_scale(result.unit(members[0]), shown, degrees, largest=largest)
        for index, name in enumerate(members):
            look = style(number if len(members) == 1 else index)
            axis.plot(scale(times), values(columns[name]), linewidth=1.3, label=name, **look)
        lines = list(axis.lines) if _listed(members) else []
        put_above(axis, [*lines, *shading.put_behind(axis, members, values)], width)
        dress(axis, values.label(common_name(members) if _fits(members) else ""), flat=values)
    share_time(axes, scale, low, high, margin=0.01)
    return finished(figure, heading(title, names), save)


def _range(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if len(known) else 0.0


def _panels(histories: Mapping[str, tuple[str, float]]) -> list[list[str]]:
    """Names that share a panel, from unit and range of each: of one unit, and of similar names or comparable ranges."""
    panels: list[list[str]] = []
    for name, (unit, size) in histories.items():
        for members in panels:
            unit_there, size_there = histories[members[0]]
            low, high = sorted((size, size_there))
            if unit == unit_there and (common_name([name, members[0]]) or low * COMPARABLE >= high or low == 0.0):
                members.append(name)
                break
        else:
            panels.append([name])
    return panels


def _fits(members: Sequence[str]) -> bool:
    """Whether the label of a panel is no longer than the panel."""
    return len(common_name(members)) <= LABEL_LETTERS


def _listed(members: Sequence[str]) -> bool:
    """Whether the curves of a panel are named above it."""
    return len(members) > 1 or not _fits(members)


def common_name(names: Sequence[str]) -> str:
    """Label of a panel: the name of its only line, or the first or else the last words that all names share, if any."""
    if len(names) == 1:
        return names[0]
    words = [name.replace(".", " ").split() for name in names]
    return " ".join(_shared(words) or _shared([part[::-1] for part in words])[::-1])


def _shared(words: Sequence[Sequence[str]]) -> list[str]:
    """The words from the first one on that are the same in all."""
    return [row[0] for row in takewhile(lambda row: len(set(row)) == 1, zip(*words, strict=False))]


CURVES, DIFFERENCE = 2.0, 1.1
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

    @property
    def largest(self) -> float:
        return float(np.abs(self.differences).max())

    @property
    def largest_at(self) -> float:
        return float(self.times[np.argmax(np.abs(self.differences).max(axis=0))])

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
    heights = [CURVES, DIFFERENCE] * len(histories)
    figure = new_figure(size, (WIDTH, REST + sum(heights)))
    axes = panels(figure, len(heights), height_ratios=heights)
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
        dress(upper, values.label(""), flat=values)
        dress(lower, apart.label("Δ"), flat=apart)
        lower.set_facecolor("0.97")
    put_above(axes[0], axes[0].lines, 0.6 * WIDTH, right=True)
    share_time(axes, scale, low, high)
    said = f"Δ: difference from {labels[0]}" if len(labels) > 2 else f"Δ: {labels[1]} − {labels[0]}"
    figure.supxlabel(no_formula(said), fontsize="small", color="0.35")
    return finished(figure, title or "", save)


def _look(run: int) -> dict[str, str]:
    """Later runs are dashed, so that the first one is seen where they agree."""
    return {"color": COLORS[run % len(COLORS)], "linestyle": STYLES[min(run, 3)]}
