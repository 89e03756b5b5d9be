"""What is not drawn against time: phase planes, spectra, maps over position and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula
from flexmbs.view.drawable import DrawableResult, DrawableSpectrum
from flexmbs.view.plot_curves import check_names, curves, time_window
from flexmbs.view.plot_scales import (
    Scale,
    beside,
    check_file,
    dress,
    finished,
    frequency_scale,
    heading,
    new_figure,
    panels,
    put_above,
    style,
    time_scale,
    value_scale,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


#: More pieces than this are stored as pixels in vector files.
MAX_PIECES = 20_000
SIZE = (7.2, 5.6)


def plot_phase_plane(
    result: DrawableResult,
    x: str,
    y: str | None = None,
    *,
    save: str | Path | None = None,
    force: bool = False,
    start: float | None = None,
    end: float | None = None,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    degrees: bool = False,
) -> Figure | None:
    """Plot history ``y`` over history ``x``, coloured by time; ``y=None``: the rate of ``x``.

    A circle marks the start, a square the end. Two lengths have the same scale. Other parameters, and errors, as in
    :func:`flexmbs.view.plots.plot_histories`; FlexmbsError if ``x`` has no rate and no ``y`` is given.
    """
    from matplotlib.collections import LineCollection

    check_names(result, [x] if y is None else [x, y], "plot_phase")
    y = rate_name(result, x) if y is None else y
    check_file(save, force)
    low, high = time_window(result, start, end)
    times, columns = curves(result, [x, y], low, high)
    across, up = (value_scale(result.unit(name), [columns[name]], degrees) for name in (x, y))
    figure = new_figure(size, SIZE)
    axis = figure.subplots()
    shades = time_scale(low, high)
    points = np.stack([across(columns[x]), up(columns[y])], axis=1)
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    look = {"cmap": "viridis", "linewidths": 1.3, "capstyle": "round", "rasterized": len(points) > MAX_PIECES}
    line = LineCollection(pieces, array=shades(times)[:-1], **look)
    axis.add_collection(line)
    for place, marker in ((0, "o"), (-1, "s")):
        axis.plot(*points[place], marker, color="#20242a", markersize=5, zorder=3)
    axis.autoscale()
    if result.unit(x) == result.unit(y) == "m" and across.factor == up.factor:
        axis.set_aspect("equal", adjustable="datalim")
    dress(axis, up.label(y), across.label(x))
    if high > low:
        figure.colorbar(line, ax=axis, label=shades.label("time") + "   (circle: start, square: end)", aspect=30)
    return finished(figure, title or f"{y} over {x}", save)


def rate_name(result: DrawableResult, x: str) -> str:
    """Name of the history that is the rate of ``x``; FlexmbsError if there is none."""
    names = frozenset(result.names)
    for name in (f"{x}.rate", x.replace(".position.", ".velocity."), x.removesuffix(".rate") + ".acceleration"):
        if name in names and name != x:
            return name
    raise FlexmbsError(f"plot_phase: {x} has no rate among the histories; give the second history too")


#: Without ``highest``, the frequency axis ends where this share of the mean square is left.
UNSEEN = 1e-4
#: Logarithmic axes reach this far below the largest value.
DECADES = 6.0
#: Peaks lower than this part of a linear axis are not labelled.
VISIBLE = 0.04
WIDTH, PANEL, REST = 8.0, 2.6, 1.2


def plot_spectra(
    result: DrawableResult,
    names: Sequence[str],
    *,
    save: str | Path | None = None,
    force: bool = False,
    log: bool | None = None,
    peaks: int = 3,
    title: str | None = None,
    size: tuple[float, float] | None = None,
    **options: Any,
) -> Figure | None:
    """Plot spectra of histories, one panel per unit; returns the matplotlib figure, or writes it to ``save``.

    Parameters
    ----------
    save, force, title, size : as in :func:`flexmbs.view.plots.plot_histories`
    log : logarithmic values; None: for densities
    peaks : how many of each history are labelled
    options : kind, window, highest, segments, start, end of :meth:`flexmbs.Result.spectrum`

    Without ``highest``, the axis ends where 0.01 % of the mean square is left; the note below says so.
    """
    check_names(result, names, "plot_spectrum")
    check_file(save, force)
    if not isinstance(peaks, int) or peaks < 0:
        raise FlexmbsError(f"plot_spectrum: peaks is {peaks!r}; it must be a whole number, 0 for no labels")
    found = [result.spectrum(name, **options) for name in dict.fromkeys(names)]
    by_unit: dict[str, list[DrawableSpectrum]] = {}
    for spectrum in found:
        by_unit.setdefault(spectrum.value_unit, []).append(spectrum)
    end = max(map(_end_of_axis, found)) if options.get("highest") is None else float(found[0].frequency[-1])
    frequencies = frequency_scale(end)
    figure = new_figure(size, (WIDTH, REST + PANEL * len(by_unit)))
    axes = panels(figure, len(by_unit))
    logarithmic = found[0].kind == "density" if log is None else log
    for axis, (unit, members) in zip(axes, by_unit.items(), strict=True):
        _draw(axis, unit, members, frequencies, end, logarithmic, peaks)
    axes[-1].set_xlim(0.0, float(frequencies(end)))
    axes[-1].set_xlabel(frequencies.label("frequency"))
    figure.supxlabel(_note(found, end), fontsize="small", color="0.35", wrap=True)
    figure.align_ylabels(axes)
    return finished(figure, heading(title, names), save)


def _draw(axis: Axes, unit: str, members: list[DrawableSpectrum], frequencies: Scale, end: float, log: bool, peaks: int) -> None:
    """One panel: the spectra of one unit."""
    values = value_scale(unit, [spectrum.value for spectrum in members])
    if values.offset:
        values = Scale(values.base, values.base)
    lines, top = [], max(float(spectrum.value.max(initial=0.0)) for spectrum in members)
    for number, spectrum in enumerate(members):
        shown, look = spectrum.frequency <= end, style(number)
        line = frequencies(spectrum.frequency[shown]), values(spectrum.value[shown])
        lines += axis.plot(*line, linewidth=1.2, label=spectrum.name, **look)
        seen = [peak for peak in spectrum.peaks if peak.frequency <= end and (log or peak.value > VISIBLE * top)]
        for peak in seen[:peaks]:
            place = float(frequencies(peak.frequency)), float(values(peak.value))
            axis.plot([place[0]], [place[1]], "o", color=look["color"], markersize=3.5)
            beside(axis, frequencies.text(peak.frequency), place, peak.frequency > 0.8 * end, color=look["color"])
    what = "amplitude" if members[0].kind == "amplitude" else "power density"
    dress(axis, values.label(what))
    top = float(values(top))
    if log and top > 0.0:
        axis.set_yscale("log")
        axis.set_ylim(top * 10.0**-DECADES, top * 6.0)
    elif top > 0.0:
        axis.set_ylim(0.0, 1.18 * top)
    put_above(axis, lines, WIDTH)


def _power(spectrum: DrawableSpectrum) -> np.ndarray:
    """Part of each frequency in the mean square, up to a factor."""
    return spectrum.value if spectrum.kind == "density" else spectrum.value**2


def _end_of_axis(spectrum: DrawableSpectrum) -> float:
    """Hz: above it only a share of ``UNSEEN`` of the mean square is left."""
    power = _power(spectrum)
    above = np.cumsum(power[::-1])[::-1]
    seen = np.flatnonzero(above > UNSEEN * (above[0] or 1.0))
    last = 1.15 * spectrum.frequency[min(seen[-1] if len(seen) else 0, len(power) - 1)]
    return float(min(max(last, spectrum.frequency[min(20, len(power) - 1)]), spectrum.frequency[-1]))


def _note(found: list[DrawableSpectrum], end: float) -> str:
    """How the spectra came about, and what is cut off."""
    first = found[0]
    parts = [(one, _power(one)) for one in found]
    above = max(one.share_above + float(part[one.frequency > end].sum() / (part.sum() or 1.0)) for one, part in parts)
    rate = first.samples / (first.end - first.start)
    said = [
        f"{first.window} window from {first.start:g} to {first.end:g} s",
        f"bandwidth {first.resolution:.3g} Hz",
        f"sampled at {frequency_scale(rate).text(rate)}",
    ]
    if above > 0.0:
        said.append(f"{100.0 * above:.1g} % of the mean square is above {frequency_scale(end).text(end)}")
    return "; ".join(said)


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
