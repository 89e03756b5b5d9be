"""One contact in time and over its depth; all contacts as a time-line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import counted, few, near_names, no_formula
from flexmbs.view.contact_phases import ContactPhases, closed_contacts
from flexmbs.view.drawable import DrawableResult, DrawableTouch
from flexmbs.view.plot_curves import Shading, curves, time_window, touches_within
from flexmbs.view.plot_scales import (
    NOTHING,
    Scale,
    check_file,
    dress,
    finished,
    new_figure,
    put_above,
    share_time,
    style,
    time_scale,
    value_scale,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure


SIZE = (11.0, 6.4)
#: What is shown before and after an impact, in parts of its duration.
AROUND = 0.35
#: A contact closed for longer than this part of the run is shown as a whole run.
LONG = 0.3
#: Part of the largest force of a run below which a contact counts as open.
NO_FORCE = 1e-9


def plot_contact(
    result: DrawableResult,
    name: str,
    *,
    number: int | None = None,
    save: str | Path | None = None,
    force: bool = False,
    start: float | None = None,
    end: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    stick_speed: float | None = None,
) -> Figure | None:
    """Plot a contact: its forces, gap and slip against time with the phases, and its force over its depth.

    Parameters
    ----------
    name : of the contact, ``result.structure.contact_names``
    number : which closure of the contact is shown, 1 for the first; None: that of the largest force
    start, end : s, a window of time instead of one closure
    save, force, title, size, stick_speed : as in :func:`flexmbs.view.plots.plot_histories`

    Returns the matplotlib figure, or None if it was written to ``save``. FlexmbsError for an unknown name or number.
    """
    index = _index(result, name)
    check_file(save, force)
    touches = touches_within(result, *time_window(result, None, None), name)
    touch = None if (start, end) != (None, None) else _chosen(touches, name, number)
    low, high = time_window(result, start, end) if touch is None else _around(result, touch)
    shown = _shown(result, name)
    times, columns = curves(result, [member for members in shown for member in members], low, high)
    scale = time_scale(low, high)
    figure = new_figure(size, SIZE)
    grid = figure.add_gridspec(len(shown), 2, width_ratios=(1.45, 1.0))
    axes = [figure.add_subplot(grid[0, 0])]
    axes += [figure.add_subplot(grid[row, 0], sharex=axes[0]) for row in range(1, len(shown))]
    shading = Shading(result, (low, high), scale, ContactPhases(result, stick_speed), contacts=False)
    for row, (axis, members) in enumerate(zip(axes, shown, strict=True)):
        largest = float(np.max(np.abs(result[members[0]]), initial=0.0))
        values = value_scale(result.unit(members[0]), [columns[member] for member in members], largest=largest)
        for place, member in enumerate(members):
            axis.plot(scale(times), values(columns[member]), linewidth=1.3, label=member, **style(place))
        lines = list(axis.lines) if len(members) > 1 else []
        if row == 0:
            shading.mark_peaks(axis, index, values)
        put_above(axis, [*lines, *shading.put_behind(axis, members, values)], 0.6 * figure.get_figwidth())
        dress(axis, values.label(members[0].removeprefix(f"{name}.")), flat=values)
        axis.tick_params(labelbottom=row == len(shown) - 1)
    share_time(axes, scale, low, high)
    peak = float(np.max(np.abs(result[f"{name}.force"]), initial=0.0))
    _draw_loop(figure.add_subplot(grid[:, 1]), name, columns, peak)
    return finished(figure, title or _heading(name, touches, touch), save)


def _index(result: DrawableResult, name: str) -> int:
    names = [pair.name for pair in result.structure.contacts]
    if name not in names:
        why = f"no contact named {name!r}. {near_names(str(name), names)}"
        if name in {touch.name for touch in result.contacts}:
            why = f"{name} is between bodies that find each other: no history of single contacts is stored"
        raise FlexmbsError(f"plot_contact: {why}")
    return names.index(name)


def _chosen(touches: list[DrawableTouch], name: str, number: int | None) -> DrawableTouch | None:
    """The closure of that number, or that of the largest force; None: the contact never closed."""
    if number is None:
        return max(touches, key=lambda touch: touch.peak_force, default=None)
    if not isinstance(number, int | np.integer) or not 1 <= number <= len(touches):
        said = "never closed" if not touches else "closed once" if len(touches) == 1 else f"closed {len(touches)} times"
        raise FlexmbsError(f"plot_contact: number is {number!r}, but {name} {said}")
    return touches[number - 1]


def _around(result: DrawableResult, touch: DrawableTouch) -> tuple[float, float]:
    first, last = time_window(result, None, None)
    until = last if np.isnan(touch.end) else touch.end
    length = until - touch.start
    if not 0.0 < length <= LONG * (last - first):
        return first, last
    return max(first, touch.start - AROUND * length), min(last, until + AROUND * length)


def _shown(result: DrawableResult, name: str) -> list[list[str]]:
    """Histories of the contact, one list for each panel; friction and slip only where there is any."""
    names, panels = frozenset(result.names), [[f"{name}.force"], [f"{name}.gap"]]
    largest = {kind: np.max(result[f"{name}.{kind}"], initial=0.0) for kind in ("force", "friction") if f"{name}.{kind}" in names}
    if largest.get("friction", 0.0) > 1e-9 * largest["force"]:
        panels[0].append(f"{name}.friction")
        panels.append([f"{name}.slip"])
    return panels


def _draw_loop(axis: Axes, name: str, columns: dict[str, np.ndarray], peak: float) -> None:
    """Normal force over depth, of which a hit loses the area inside; of a rigid contact friction over sliding speed.

    ``peak``: largest force of the contact in the run, N.
    """
    depth, force = -columns[f"{name}.gap"], columns[f"{name}.force"]
    pushed = np.abs(force) > NO_FORCE * peak
    closed = pushed | (depth >= 0.0)
    shown = closed | np.append(closed[1:], False) | np.append(False, closed[:-1])  # from and to zero
    labels = ("depth (− gap)", "normal force")
    x, y, units = np.where(pushed, depth, np.maximum(depth, 0.0)), force, ("m", "N")
    if np.max(depth, initial=0.0) < NOTHING and f"{name}.slip" in columns:
        x, y, units = columns[f"{name}.slip"], columns[f"{name}.friction"], ("m/s", "N")
        labels = ("sliding speed", "friction")
    x, y = np.where(shown, x, np.nan), np.where(shown, y, np.nan)
    across, up = value_scale(units[0], [x]), value_scale(units[1], [y])
    axis.plot(across(x), up(y), linewidth=1.3, **style(0))
    dress(axis, up.label(labels[1]), across.label(labels[0]))
    axis.yaxis.tick_right()
    axis.yaxis.set_label_position("right")
    if not np.any(closed):
        axis.text(0.5, 0.5, "open in this window", transform=axis.transAxes, horizontalalignment="center")


def _heading(name: str, touches: list[DrawableTouch], touch: DrawableTouch | None) -> str:
    if touch is None:
        return f"contact {name}"
    said = [f"contact {name}"]
    if len(touches) > 1:
        said.append(f"closure {touches.index(touch) + 1} of {len(touches)}")
    if touch.approach_speed:
        said.append(f"approach {touch.approach_speed:.3g} m/s")
    said.append(f"impulse {touch.impulse:.3g} N s")
    if touch.restitution is not None:
        said.append(f"restitution {touch.restitution:.3g}")
    return ", ".join(said)


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

    forces = value_scale("N", [bars.get_array()])
    scale = figure.colorbar(bars, ax=axis, label=forces.label("peak force"), aspect=max(12.0, 4.0 * (1.5 + tall)))
    if isinstance(bars.norm, LogNorm):
        ticks = np.geomspace(bars.norm.vmin, bars.norm.vmax, 3 if tall < 2.0 else 7)
        scale.set_ticks(ticks, labels=[f"{forces(tick):.3g}" for tick in ticks])
        scale.minorticks_off()
    else:
        scale.ax.yaxis.set_major_formatter(lambda force, _place: f"{forces(force):g}")


def _lanes(result: DrawableResult, names: Sequence[str], low: float, high: float) -> tuple[list[tuple[str, list]], int]:
    """Name and closed times of each contact that is shown, and how many did not close in the window."""
    every = [pair.name for pair in result.structure.contacts]
    unknown = [name for name in names if name not in every]
    if unknown:
        raise FlexmbsError(f"plot_contacts: no contact named {unknown[0]!r}; contacts: {few(every, 8)}")
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
        raise FlexmbsError(f"plot_contacts: no contact closed {when}; contacts: {few(every, 8) or 'none'}")
    return lanes, 0 if names else len(every) - len(lanes)


def _bars(lanes: list[tuple[str, list]], first: float, last: float, scale: Scale) -> PolyCollection:
    """The bars of all lanes; an edge of a point keeps those of microseconds visible."""
    from matplotlib import colormaps
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import ListedColormap, LogNorm, Normalize

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
    colours = ListedColormap(colormaps["plasma_r"](np.linspace(0.18, 1.0, 256)))  # nothing as bright as the paper
    bars = PolyCollection([corners[i] for i in order], cmap=colours, norm=norm, edgecolors="face", linewidths=1.0)
    bars.set_array(np.maximum(strong, positive[0]) if wide else strong)  # rigid impacts have no force, but a colour
    return bars
