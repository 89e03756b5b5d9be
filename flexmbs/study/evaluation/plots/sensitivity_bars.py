"""Sensitivity indices as bars, the most influential parameter on top."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.study.evaluation.plots.canvas import finished_figure, new_figure
from flexmbs.study.evaluation.sensitivity.sensitivities import Sensitivities

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#1f77b4", "#9ecae1", "#e6a04b")
MOST_PARAMETERS = 20
#: Indices that are drawn side by side, in the first group of which one is there.
GROUPS = (("ST", "S1"), ("mu_star", "sigma"), ("SRC", "SRRC", "S1"))
LABELS = {
    "S1": "S1: alone",
    "ST": "ST: alone and with others",
    "mu_star": "µ*: mean size of effects",
    "sigma": "σ: their deviation",
}


def plot_sensitivities(found: Sensitivities, *, title: str | None = None, save: str | Path | None = None) -> Figure | None:
    """Draw the indices of each parameter with their 95 % intervals; of more than twenty parameters the largest."""
    drawn = next((group for group in GROUPS if group[0] in found.indices), tuple(found.indices)[:1])
    names = [name for name in drawn if name in found.indices]
    order = found.order[:MOST_PARAMETERS]
    figure = new_figure(6.8, 1.5 + (0.2 * len(names) + 0.12) * len(order))
    axes = figure.subplots()
    rows = np.arange(len(order), dtype=float)
    height = 0.8 / len(names)
    for place, name in enumerate(names):
        values = found.indices[name][order]
        widths = found.indices.get(f"{name}_conf")
        error = None if widths is None else np.nan_to_num(widths[order])
        offset = (place - 0.5 * (len(names) - 1)) * height
        axes.barh(
            rows + offset,
            values,
            height * 0.92,
            color=COLORS[place],
            label=LABELS.get(name, name),
            xerr=error,
            error_kw={"elinewidth": 1.0, "ecolor": "0.25", "capsize": 2.0},
        )
    axes.set_yticks(rows, [found.names[place] for place in order])
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.grid(True, axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(fontsize="small", loc="best")
    is_effect = names[0] == "mu_star"
    axes.set_xlabel(f"change of {found.response} [{found.unit or '-'}]" if is_effect else "index")
    r2 = ", ".join(f"R² of {name} = {value:.2f}" for name, value in found.r2.items())
    hidden = len(found.names) - len(order)
    notes = [f"{found.runs} runs", r2, f"{hidden} more parameters are not shown" if hidden else ""]
    return finished_figure(figure, title or f"Sensitivity of {found.response}: {found.method}", notes, save)
