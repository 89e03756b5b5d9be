"""How a column stands on an axis: round ticks, a power of ten in the label, logarithms, categories."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmbs.study.evaluation.columns import Column, Numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 30.0  # largest over smallest value from which logarithms are considered
LETTERS, MOST_CATEGORIES = 14, 12
MOST_WHOLE = 30  # range of whole numbers that get a bar each
STEPS = [1, 2, 2.5, 5, 10]
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Scale:
    """A column ready to be drawn.

    Attributes
    ----------
    name, label : the column's; the label has the unit and a power of ten such as "[10⁹ Pa]"
    positions : (n,) values, or numbers of categories; nan where there is no finite value
    log : whether the axis is logarithmic
    power : power of ten by which values are divided in tick labels
    categories : texts in the order of their positions; empty for numbers
    whole : whether the values are whole numbers, close enough together to be told apart
    """

    name: str
    label: str
    positions: Numbers
    log: bool = False
    power: int = 0
    categories: tuple[str, ...] = ()
    whole: bool = False

    @property
    def constant(self) -> bool:
        """Whether there are no two different values."""
        finite = self.positions[np.isfinite(self.positions)]
        return not len(finite) or bool(finite.min() == finite.max())

    @property
    def linear(self) -> Numbers:
        """(n,) positions along the axis: logarithms on a logarithmic one."""
        return np.log10(self.positions) if self.log else self.positions

    def put_on(self, axes: Axes, which: str, *, ticks: int = 6, label: bool = True) -> None:
        """Scale, limits, ticks and label of the "x" or "y" axis."""
        axis = axes.xaxis if which == "x" else axes.yaxis
        set_scale = axes.set_xscale if which == "x" else axes.set_yscale
        set_limits = axes.set_xlim if which == "x" else axes.set_ylim
        if self.log:
            set_scale("log")
        set_limits(*self.limits())
        if self.categories:
            _ticks_of_categories(axis, self.categories, which)
        elif not self.log:
            _round_ticks(axis, ticks, self.power, self.whole)
        if label:
            axis.set_label_text(self.label)

    def limits(self) -> tuple[float, float]:
        """Ends of the axis, with a margin; around the value if there is only one."""
        if self.categories:
            return -0.6, len(self.categories) - 0.4
        values = self.linear[np.isfinite(self.linear)]
        if not len(values):
            return (0.1, 1.0) if self.log else (0.0, 1.0)
        low, high = float(values.min()), float(values.max())
        if self.whole:
            return low - 0.5, high + 0.5
        margin = 0.04 * (high - low) or max(0.05 * abs(low), 1e-300) if high > low or low else 0.5
        low, high = low - margin, high + margin
        return (10.0**low, 10.0**high) if self.log else (low, high)

    def text(self, value: float, digits: int = 4) -> str:
        """A value in the power of ten of the label, as ticks show it."""
        return number_text(value / 10.0**self.power, digits)


def number_text(value: float, digits: int = 4) -> str:
    """A number for people: "14200", "0.0021", "3×10⁻⁷"."""
    if value == 0.0 or not np.isfinite(value):
        return f"{value:g}"
    if 1e-3 <= abs(value) < 1e6:
        return str(np.format_float_positional(value, precision=digits, fractional=False, trim="-"))
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    exponent = str(int(power)).translate(SUPERSCRIPT)
    return f"10{exponent}" if mantissa == "1" else f"{mantissa}×10{exponent}"


def scale_of(column: Column, *, allow_log: bool = True) -> Scale:
    """The scale that suits a column: categories for text, logarithms for positive values spread over decades."""
    if column.is_text:
        texts = [str(text) for text in column.values]
        categories = tuple(sorted(set(texts) - {""}))
        places = {text: float(place) for place, text in enumerate(categories)}
        positions = np.array([places.get(text, np.nan) for text in texts])
        return Scale(column.name, column.label, positions, categories=categories or ("(none)",))
    values = column.values.astype(float)
    values[~np.isfinite(values)] = np.nan
    finite = values[np.isfinite(values)]
    log = allow_log and _spread_over_decades(finite)
    power = 0 if log else _power(finite)
    whole = column.whole and not log and len(finite) > 0 and bool(np.ptp(finite) <= MOST_WHOLE)
    return Scale(column.name, _label(column, power), values, log, power, whole=whole)


def _spread_over_decades(values: Numbers) -> bool:
    """Whether logarithms fill the axis more evenly than the values do."""
    if len(values) < 3 or values.min() <= 0.0 or values.max() < WIDE * values.min():
        return False
    low, high, middle = values.min(), values.max(), np.median(values)
    of_values = abs((middle - low) / (high - low) - 0.5)
    of_logs = abs(np.log(middle / low) / np.log(high / low) - 0.5)
    return bool(of_logs < of_values)


def _power(values: Numbers) -> int:
    """Multiple of three that leaves one to three digits before the decimal point; 0 where none is needed."""
    largest = float(np.abs(values).max()) if len(values) else 0.0
    if largest == 0.0 or 1e-2 <= largest < 1e4:
        return 0
    return int(3 * np.floor(np.log10(largest) / 3))


def _label(column: Column, power: int) -> str:
    if not power:
        return column.label
    return f"{column.name} [10{str(power).translate(SUPERSCRIPT)} {column.unit}".rstrip() + "]"


def _round_ticks(axis: Any, ticks: int, power: int, whole: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    locator = MaxNLocator(nbins=ticks, steps=STEPS, integer=whole)
    axis.set_major_locator(locator)

    def text(value: float, _place: int) -> str:
        low, high = sorted(axis.get_view_interval())
        places = locator.tick_values(low, high)
        step = float(np.diff(places)[0]) / 10.0**power
        value /= 10.0**power
        decimals = next((d for d in range(13) if abs(round(step, d) - step) < 1e-6 * step), 12)
        return f"{value:.{decimals}f}" if decimals < 6 else f"{value:.6g}"

    axis.set_major_formatter(FuncFormatter(text))


def _ticks_of_categories(axis: Any, categories: tuple[str, ...], which: str) -> None:
    every = -(-len(categories) // MOST_CATEGORIES)
    texts = short_texts(categories)[::every]
    axis.set_ticks(range(0, len(categories), every), labels=texts)
    if which == "x" and sum(map(len, texts)) > 30:
        axis.set_tick_params(rotation=90)


def short_texts(texts: Sequence[str]) -> list[str]:
    """Texts that fit at a tick: without a long common beginning, and cut at the end."""
    beginning = os.path.commonprefix(list(texts)) if len(texts) > 1 else ""
    common = 1 + max((place for place, letter in enumerate(beginning) if not letter.isalnum()), default=-1)
    if common > LETTERS // 3 and max(map(len, texts)) > LETTERS // 2:
        texts = ["…" + text[common:] for text in texts]
    return [text if len(text) <= LETTERS else text[: LETTERS - 1] + "…" for text in texts]


def broken(label: str, letters: int = 14) -> str:
    """A label with its unit in a line of its own, and long names in two lines."""
    name, bracket, unit = label.partition(" [")
    if len(name) > letters and "_" in name:
        cut = min((place for place, letter in enumerate(name) if letter == "_"), key=lambda k: abs(k - len(name) / 2))
        name = name[: cut + 1] + "\n" + name[cut + 1 :]
    return name + ("\n[" + unit if bracket else "")
