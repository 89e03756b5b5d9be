"""A quantity over position and time, as colours: waves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.view.plotting.figures import check_file, finished, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Map:
    """values (len(t), len(x)) at positions x and times t, with labels of the axes and of the colours."""

    x: np.ndarray
    t: np.ndarray
    values: np.ndarray
    label: str
    x_label: str = "position [m]"
    t_label: str = "time [s]"


def plot_map(shown: Map, *, save: str | Path | None = None, force: bool = False, title: str | None = None) -> Figure | None:
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
    figure.colorbar(colours, label=shown.label)
    axis.set_xlabel(shown.x_label)
    axis.set_ylabel(shown.t_label)
    return finished(figure, title or "", save)
