"""Plots of histories against time, of energies, and of a quantity over position and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.names_in_messages import no_formula
from flexmbs.view.contact_phases import ContactPhases
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.key_histories import other_events
from flexmbs.view.plotting.contact_marks import (
    MAX_EVENTS,
    contact_of,
    mark_events,
    mark_peaks,
    shade_contacts,
    shade_phases,
    touches_within,
)
from flexmbs.view.plotting.curves import check_names, curves, time_window
from flexmbs.view.plotting.scales import (
    Scale,
    check_file,
    finished,
    heading,
    height,
    new_figure,
    put_above,
    round_ticks,
    show_flat,
    style,
    time_scale,
    value_scale,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
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
    panels = _panels({name: (result.unit(name), _range(columns[name])) for name in names})
    width = new_figure(size, (WIDTH, PANEL)).get_figwidth()
    rows = sum(PANEL + height(members if _listed(members) else [], width) for members in panels)
    figure = new_figure(size, (WIDTH, REST + rows))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    scale = time_scale(low, high)
    shading = _Shading(result, (low, high), scale, stick_speed, phases, contacts)
    for number, (axis, members) in enumerate(zip(axes, panels, strict=True)):
        largest = max(float(np.max(np.abs(result[name]), initial=0.0)) for name in members)
        shown = [columns[name] for name in members]
        values = value_scale(result.unit(members[0]), shown, degrees, largest=largest)
        for index, name in enumerate(members):
            look = style(number if len(members) == 1 else index)
            axis.plot(scale(times), values(columns[name]), linewidth=1.3, label=name, **look)
        axis.set_ylabel(values.label(common_name(members) if _fits(members) else ""))
        axis.grid(True, alpha=0.3)
        lines = list(axis.lines) if _listed(members) else []
        put_above(axis, [*lines, *shading.put_behind(axis, members, values)], width)
        round_ticks(axis)
        show_flat(axis, values)
    axes[-1].set_xlabel(scale.label("time"))
    axes[-1].set_xlim(*_limits(scale, low, high))
    figure.align_ylabels(axes)
    return finished(figure, heading(title, names), save)


def _range(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if len(known) else 0.0


class _Shading:
    """What is shown of contacts behind curves; each kind is explained in one legend."""

    def __init__(
        self,
        result: DrawableResult,
        window: tuple[float, float],
        times: Scale,
        stick_speed: float | None,
        phases: bool,
        contacts: bool,
    ) -> None:
        self.result, self.window, self.times = result, window, times
        self.phases = ContactPhases(result, stick_speed) if phases else None
        self.touches = touches_within(result, *window) if contacts else []
        self.events = other_events(result, *window, most=MAX_EVENTS) if contacts else []
        self.dots = contacts
        self.explained: set[str] = set()

    def put_behind(self, axis: Axes, members: Sequence[str], values: Scale) -> list:
        """Shades of the panel of histories ``members``; handles of those that no legend has explained yet."""
        contact = contact_of(self.result, members)
        if contact is not None and self.dots and all(name.endswith(".force") for name in members):
            own = touches_within(self.result, *self.window, [self.result.structure.contacts[contact].name])
            mark_peaks(axis, own, self.window, self.times, values)
        if contact is not None and self.phases is not None:
            shades = shade_phases(axis, self.phases, contact, self.window, self.times)
        elif contact is None:
            shades = [*shade_contacts(axis, self.touches, *self.window, self.times), *mark_events(axis, self.events, self.times)]
        else:
            shades = []
        new = [shade for shade in shades if shade.get_label() not in self.explained]
        self.explained.update(shade.get_label() for shade in new)
        return new


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
    first = [words[0][k] for k in range(_equal(words))]
    last = [words[0][-1 - k] for k in range(_equal([part[::-1] for part in words]))]
    return " ".join(first or last[::-1])


def _equal(words: Sequence[Sequence[str]]) -> int:
    """How many words from the first one on are the same in all."""
    for place, row in enumerate(zip(*words, strict=False)):
        if len(set(row)) > 1:
            return place
    return min(map(len, words))


def _limits(scale: Scale, low: float, high: float) -> tuple[float, float]:
    """Ends of the time axis, with a little room beside the curves."""
    margin = 0.01 * (high - low) or 1e-9
    first, last = scale([low - margin, high + margin])
    return float(first), float(last)


@dataclass(frozen=True)
class SpaceTimeMap:
    """values (len(t), len(x)) at positions x and times t, with labels of the axes and of the colours."""

    x: np.ndarray
    t: np.ndarray
    values: np.ndarray
    label: str
    x_label: str = "position [m]"
    t_label: str = "time [s]"


def plot_map(
    shown: SpaceTimeMap, *, save: str | Path | None = None, force: bool = False, title: str | None = None
) -> Figure | None:
    """Draw a map with position across and time upwards; the matplotlib figure, or None if it was written to ``save``.

    ValueError if the sizes of the arrays do not agree; FlexmbsError if ``save`` exists and ``force`` is not set.
    """
    if shown.values.shape != (len(shown.t), len(shown.x)):
        raise ValueError(f"map: values {shown.values.shape} must be (times, positions) {(len(shown.t), len(shown.x))}")
    check_file(save, force)
    figure = new_figure(None, (8.0, 5.0))
    axis = figure.subplots()
    largest = float(np.abs(shown.values).max(initial=0.0)) or 1.0
    colours = axis.pcolormesh(
        shown.x, shown.t, shown.values, cmap="RdBu_r", vmin=-largest, vmax=largest, shading="nearest", rasterized=True
    )
    figure.colorbar(colours, label=no_formula(shown.label))
    axis.set_xlabel(no_formula(shown.x_label))
    axis.set_ylabel(no_formula(shown.t_label))
    return finished(figure, title or "", save)
