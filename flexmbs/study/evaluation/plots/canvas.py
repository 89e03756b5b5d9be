"""What all plots share: figures, titles, notes, colours, runs that are drawn, runs without a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.errors import StudyError
from flexmbs.study.evaluation.columns import Numbers
from flexmbs.study.evaluation.plots.scale import Scale, scale_of
from flexmbs.study.evaluation.table import StudyTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 120
POINTS = "#1f77b4"
FAILED = "#d62728"
GREY = "0.45"


@dataclass(frozen=True)
class Coloring:
    """Colours of the runs by a column; ``scale`` is None for one colour."""

    scale: Scale | None
    colors: npt.NDArray[np.generic]  # (n, 4) RGBA, grey where the column has no value
    mappable: Any = None


def new_figure(width: float, height: float, *, fixed: bool = False) -> Figure:
    """An empty figure in the style of all plots of flexmbs; ``fixed``: panels stay where they are put."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=DPI, layout=None if fixed else "constrained")


def finished_figure(figure: Figure, title: str, notes: Sequence[str], save: str | Path | None) -> Figure | None:
    """Add title and notes; return the figure, or write it to ``save`` and return None."""
    if title:
        figure.suptitle(title, wrap=True)
    said = [note for note in notes if note]
    if said:
        figure.supxlabel("; ".join(said), fontsize="small", color=GREY, wrap=True)
    if save is None:
        return figure
    known = figure.canvas.get_supported_filetypes()
    if Path(save).suffix.lstrip(".").lower() not in known:
        raise StudyError(f"{save}: a plot is written as .png, .svg or .pdf; this ending is none that matplotlib knows")
    with replacing_in_folder(save) as temporary:
        figure.savefig(temporary)
    return None


def require_rows(table: StudyTable) -> None:
    """StudyError for a table in which no run has finished."""
    if not len(table) or not table.finished.any():
        raise StudyError(f"nothing to draw: {table.summary}")


def drawn_rows(rows: npt.NDArray[np.intp], most: int) -> tuple[npt.NDArray[np.intp], str]:
    """At most ``most`` of the rows, chosen at random (the same ones each time), and a note if some are left out."""
    if len(rows) <= most:
        return rows, ""
    chosen = np.sort(np.random.default_rng(0).choice(rows, most, replace=False))
    return chosen, f"{most} of {len(rows)} runs drawn, chosen at random"


def coloring(table: StudyTable, name: str | None) -> Coloring:
    """Colours by a parameter or figure: a colour map for numbers, different colours for categories."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize, to_rgba

    if name is None:
        return Coloring(None, np.tile(to_rgba(POINTS), (len(table), 1)))
    scale = scale_of(table.column(name))
    missing = ~np.isfinite(scale.positions)
    if scale.categories:
        palette = colormaps["tab10" if len(scale.categories) <= 10 else "viridis"].resampled(len(scale.categories))
        if len(scale.categories) <= 10:
            palette = colormaps["tab10"]
        colors = palette(np.where(missing, 0, scale.positions).astype(int))
        mappable = palette
    else:
        finite = scale.positions[~missing]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        norm = LogNorm(low, high) if scale.log else Normalize(low, high)
        mappable = ScalarMappable(norm, colormaps["viridis"])
        colors = mappable.to_rgba(np.where(missing, low, scale.positions))
    colors = np.array(colors, dtype=float)
    colors[missing] = to_rgba("0.7")
    return Coloring(scale, colors, mappable)


def show_colors(figure: Figure, axes: Any, shades: Coloring) -> None:
    """A colour bar, or a legend of the categories, for ``axes`` (one or many)."""
    from matplotlib.lines import Line2D

    if shades.scale is None:
        return
    scale = shades.scale
    if not scale.categories:
        room = {} if figure.get_layout_engine() else {"fraction": 0.09}
        bar = figure.colorbar(shades.mappable, ax=axes, shrink=0.8, aspect=30, **room)
        if not scale.log and not scale.constant:
            plain = Scale(scale.name, scale.label, scale.positions, power=scale.power)
            plain.put_on(bar.ax, "y", label=False)
            finite = scale.positions[np.isfinite(scale.positions)]
            bar.ax.set_ylim(finite.min(), finite.max())
        bar.set_label(scale.label)
        return
    places = range(0, len(scale.categories), -(-len(scale.categories) // 10))
    shown = [scale.categories[place] for place in places]
    marks = [Line2D([], [], marker="o", linestyle="", color=shades.mappable(place)) for place in places]
    figure.legend(marks, shown, title=scale.label, loc="outside right upper", fontsize="small")


def mark_without_value(axes: Axes, positions: Numbers) -> None:
    """Red ticks at the bottom of the axes, where runs failed or have no finite value."""
    at = positions[np.isfinite(positions)]
    if len(at):
        axes.plot(
            at,
            np.zeros(len(at)),
            "|",
            color=FAILED,
            markersize=9,
            markeredgewidth=1.2,
            alpha=0.8,
            clip_on=False,
            transform=axes.get_xaxis_transform(),
            zorder=5,
        )


def note_without_value(count: int, total: int) -> str:
    """What the red ticks mean."""
    return f"red: {count} of {total} runs failed or have no finite value" if count else ""
