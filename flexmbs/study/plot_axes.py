"""What plots of studies share: how a column stands on an axis, titles and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.common.names_in_messages import no_formula
from flexmbs.study.checks import ensure
from flexmbs.study.table import Numbers, column, is_text, label, named, numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

POINTS, GREY = "#1f77b4", "0.45"
WIDE = 30.0  # largest over smallest value from which an axis may be logarithmic
LETTERS, MOST_CATEGORIES, MOST_WHOLE = 14, 12, 30  # at a tick; ticks; range of whole numbers that get a bar each
STEPS = [1, 2, 2.5, 5, 10]


@dataclass(frozen=True)
class Scale:
    """A column ready to be drawn."""

    name: str  # of the column
    label: str  # name with unit
    values: Numbers  # (n,) numbers, or places of categories; nan where there is no finite value
    log: bool = False  # whether the axis is logarithmic
    categories: tuple[str, ...] = ()  # texts in the order of their places; empty for numbers
    whole: bool = False  # whether the values are whole numbers, close enough together to be told apart

    @property
    def finite(self) -> Numbers:
        """The values that are finite."""
        return self.values[np.isfinite(self.values)]

    @property
    def varies(self) -> bool:
        """Whether there are two values that differ by more than rounding."""
        return len(self.finite) > 0 and bool(np.ptp(self.finite) > 1e-14 * np.abs(self.finite).max())

    @property
    def along(self) -> Numbers:
        """(n,) values as they follow each other along the axis: logarithms on a logarithmic one."""
        return np.log10(self.values) if self.log else self.values

    @property
    def ends(self) -> tuple[float, float]:
        """Ends of the axis as ``along``, with a margin."""
        if self.categories:
            return -0.5, len(self.categories) - 0.5
        values = self.along[np.isfinite(self.along)]
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
        margin = 0.5 if self.whole or low == high == 0.0 else 0.04 * (high - low) if self.varies else 0.05 * abs(low)
        return low - margin, high + margin

    @property
    def places(self) -> Numbers:
        """(n,) where the values stand on the axis, 0 at its beginning to 1 at its end."""
        return np.asarray((self.along - self.ends[0]) / (self.ends[1] - self.ends[0]))

    @property
    def limits(self) -> tuple[float, float]:
        """Ends of the axis as values."""
        low, high = self.ends
        return (10.0**low, 10.0**high) if self.log else (low, high)

    def put_on(self, axes: Axes, which: str, *, ticks: int = 6, labelled: bool = True) -> None:
        """Scale, limits, ticks and label of the "x" or "y" axis."""
        axes.set(**{f"{which}scale": "log" if self.log else "linear", f"{which}lim": self.limits})
        self.put_ticks(getattr(axes, f"{which}axis"), ticks)
        if self.categories and which == "x" and sum(map(len, short_texts(self.categories)[:MOST_CATEGORIES])) > 30:
            axes.xaxis.set_tick_params(rotation=90)
        if labelled:
            axes.set(**{f"{which}label": self.label})

    def put_ticks(self, axis: Any, ticks: int = 6) -> None:
        """Ticks of an axis: texts of categories, numbers in few letters; matplotlib's if logarithmic."""
        from matplotlib.ticker import MaxNLocator

        if self.categories:
            every = -(-len(self.categories) // MOST_CATEGORIES)
            axis.set_ticks(range(0, len(self.categories), every), labels=short_texts(self.categories)[::every])
        elif not self.log:
            axis.set_major_locator(MaxNLocator(ticks, steps=STEPS, integer=self.whole))
            axis.set_major_formatter(lambda value, _: f"{value:.6g}")


def scale_of(table: DataFrame, name: str) -> Scale:
    """The scale that suits a column: categories for text, logarithms for positive values spread over decades."""
    shown = no_formula(label(table, name))
    if is_text(column(table, name)):
        codes, texts = table[name].astype(object).factorize(sort=True)  # the code of no value is -1
        return Scale(name, shown, np.where(codes < 0, np.nan, codes), categories=tuple(map(no_formula, texts)) or ("(none)",))
    values = numbers(table, name)
    finite = values[np.isfinite(values)]
    low, middle, high = np.quantile(finite, [0.0, 0.5, 1.0]) if len(finite) > 2 else (0.0, 0.0, 0.0)
    log = bool(low > 0.0 and high > WIDE * low and 4.0 * middle < low + high)  # wide, and crowded at the lower end
    whole = len(finite) > 0 and bool(np.ptp(finite) <= MOST_WHOLE and (finite % 1.0 == 0.0).all() and np.abs(finite).max() < 1e12)
    return Scale(name, shown, values, log, whole=whole and not log)


def varying_figures(table: DataFrame) -> list[str]:
    """Figures that are numbers, those that vary first."""
    figures = [name for name in named(table, "figures") if not is_text(table[name])]
    return sorted(figures, key=lambda name: not scale_of(table, name).varies)


def response_of(table: DataFrame, response: str | None) -> Scale:
    """The figure named, or the first that varies; StudyError if it is text or there is none."""
    name = response or next(iter(varying_figures(table)), "")
    ensure(name, "the runs of this study have no figure that is a number")
    numbers(table, name)  # StudyError for text
    return scale_of(table, name)


def short_texts(texts: Sequence[str]) -> list[str]:
    """Texts that fit at a tick: without their middles, since names of files often begin or end alike."""
    return [text if len(text) <= LETTERS else f"{text[:6]}…{text[7 - LETTERS :]}" for text in texts]


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), dpi=120, layout="constrained")


def finished_figure(figure: Figure, title: str, notes: Sequence[str], save: Path | None = None) -> Figure | None:
    """Add title and notes; return the figure, or write it to ``save`` and return None."""
    figure.suptitle(no_formula(title), wrap=True)
    if said := "; ".join(filter(None, notes)):
        figure.supxlabel(no_formula(said), fontsize="small", color=GREY, wrap=True)
    if save is None:
        return figure
    known = save.suffix.lstrip(".").lower() in figure.canvas.get_supported_filetypes()
    ensure(known, f"{save}: a plot is written as .png, .svg or .pdf; this ending is none that matplotlib knows")
    with replacing_in_folder(save) as temporary:
        figure.savefig(temporary)
    return None
