"""A history over another one: phase planes, paths, loops."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.plotting.curves import check_names, curves, time_window
from flexmbs.view.plotting.figures import check_file, finished, new_figure
from flexmbs.view.plotting.scales import round_ticks, time_scale, value_scale

if TYPE_CHECKING:
    from matplotlib.collections import LineCollection
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
    check_names(result, [x] if y is None else [x, y], "plot_phase")
    y = rate_name(result, x) if y is None else y
    check_file(save, force)
    low, high = time_window(result, start, end)
    times, columns = curves(result, [x, y], low, high)
    across, up = (value_scale(result.unit(name), [columns[name]], degrees) for name in (x, y))
    figure = new_figure(size, SIZE)
    axis = figure.subplots()
    shades = time_scale(low, high)
    line = _line(across(columns[x]), up(columns[y]), shades(times))
    axis.add_collection(line)
    for place, marker in ((0, "o"), (-1, "s")):
        axis.plot(across(columns[x][place]), up(columns[y][place]), marker, color="#20242a", markersize=5, zorder=3)
    axis.autoscale()
    if result.unit(x) == result.unit(y) == "m" and across.factor == up.factor:
        axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel(across.label(x))
    axis.set_ylabel(up.label(y))
    axis.grid(True, alpha=0.3)
    round_ticks(axis)
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


def _line(x: np.ndarray, y: np.ndarray, times: np.ndarray) -> LineCollection:
    from matplotlib.collections import LineCollection

    points = np.stack([x, y], axis=1)
    line = LineCollection(
        np.stack([points[:-1], points[1:]], axis=1),
        cmap="viridis",
        linewidths=1.3,
        capstyle="round",
        rasterized=len(points) > MAX_PIECES,
    )
    line.set_array(times[:-1])
    return line
