"""Units of axes, ticks; new figures, their panels, legends and files."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}
#: First symbols of units that take prefixes, and the smallest and largest power of ten of those.
_TAKES = {"m": (-9, 3), "rad": (-9, 0), "s": (-9, 0), "Pa": (-3, 9), "Hz": (-3, 9), "V": (-9, 6), "A": (-9, 6)}
_TAKES |= dict.fromkeys(("N", "J", "W"), (-9, 9))
#: Numbers from LOW to HIGH are written without a prefix.
LOW, HIGH = 0.1, 5000.0
#: What changes by less than this part of its size is drawn as the difference from a round number...
HARDLY = 1e-3
#: ... unless it is so little that it is rounding.
ROUNDING = 1e-9
#: Lengths and angles below this (m, rad) are nothing but rounding.
NOTHING = 1e-14
#: So is what is below this part of what a quantity reaches elsewhere.
PART_OF_NOTHING = 1e-13
#: Times of more digits than this before the decimal point are counted from a round time.
LARGEST_TIME = 1e4
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Scale:
    """Numbers in ``base`` are drawn as (number - offset) * factor, in ``unit``; ``nothing``: they are rounding."""

    base: str
    unit: str
    factor: float = 1.0
    offset: float = 0.0
    nothing: bool = False

    def __call__(self, values: np.ndarray) -> np.ndarray:
        return (np.asarray(values) - self.offset) * self.factor

    def label(self, name: str) -> str:
        """Label of an axis: "stop.force [kN]", "time − 0.4832 s [µs]"."""
        shift = "" if not self.offset else f" {'−' if self.offset > 0 else '+'} {abs(self.offset):.15g}"
        unit = f" {self.base}" if shift and self.base else ""
        return no_formula((f"{name}{shift}{unit}" + (f" [{self.unit}]" if self.unit else "")).strip())

    def text(self, value: float) -> str:
        """A number with its unit, to three or four digits."""
        return f"{self(value):.4g} {self.unit}".rstrip()


def value_scale(unit: str, columns: Iterable[np.ndarray], degrees: bool = False, *, largest: float = 0.0) -> Scale:
    """Scale of an axis that shows all values of ``columns``, in ``unit``; ``degrees`` instead of radians.

    ``largest``: magnitude that the same quantities reach elsewhere, such as in the rest of a run.
    """
    base, factor = unit, 1.0
    if degrees and (unit == "rad" or unit.startswith("rad/")):
        base, factor = "°" + unit[3:], 180.0 / math.pi
    parts = [column[np.isfinite(column)] for column in map(np.asarray, columns)]
    parts = [factor * part for part in parts if len(part)]
    low, high = (min(map(np.min, parts)), max(map(np.max, parts))) if parts else (0.0, 0.0)
    size, change = max(abs(low), abs(high)), high - low
    offset = 0.0
    nothing = size <= max(NOTHING if unit in ("m", "rad") else 0.0, PART_OF_NOTHING * largest)
    if nothing:
        size = change = 0.0
    if factor == 1.0 and ROUNDING * size < change < HARDLY * size:
        offset, size = _round_number(low, change), change
    power = _power(base, size)
    return Scale(_superscripts(base), _superscripts(_PREFIXES[power] + base), factor * 10.0**-power, offset, nothing)


def time_scale(start: float, end: float) -> Scale:
    """Scale of a time axis: s, or ms, µs, ns on short windows, which late in a run are counted from a round time."""
    span = end - start
    power = 0
    while power > -9 and span < (LOW if power == 0 else 10.0**power):
        power -= 3
    late = max(abs(start), abs(end)) * 10.0**-power >= LARGEST_TIME and power < 0
    return Scale("s", _PREFIXES[power] + "s", 10.0**-power, _round_number(start, span) if late else 0.0)


def frequency_scale(highest: float) -> Scale:
    """Scale of a frequency axis up to ``highest`` Hz."""
    power = _power("Hz", highest)
    return Scale("Hz", _PREFIXES[power] + "Hz", 10.0**-power)


def _plain_formatter():
    """Numbers at ticks, with a power of ten beside the axis where no prefix is left for the unit."""
    from matplotlib.ticker import ScalarFormatter

    class Plain(ScalarFormatter):
        """Numbers at ticks as text, which is set much faster than a formula; a power of ten beside the axis is one."""

        def __call__(self, x, pos=None):
            return super().__call__(x, pos).removeprefix(r"$\mathdefault{").removesuffix("}$")

    formatter = Plain(useOffset=False, useMathText=True)
    formatter.set_powerlimits((-3, 5))
    return formatter


def _power(unit: str, size: float) -> int:
    """Power of ten of the prefix for numbers of ``size`` in ``unit``."""
    first = re.match(r"[A-Za-z]+(?=$|[ /])", unit)
    if first is None or first[0] not in _TAKES or not 0.0 < size < np.inf or LOW <= size < HIGH:
        return 0
    least, most = _TAKES[first[0]]
    return min(max(3 * math.floor(math.log10(size) / 3.0), least), most)


def _round_number(value: float, span: float) -> float:
    """The number next below ``value`` with as few digits as ``span`` can be read with."""
    step = 10.0 ** math.floor(math.log10(span))
    return float(f"{math.floor(value / step + 1e-6) * step:.15g}")


def _superscripts(unit: str) -> str:
    return re.sub(r"(?<=[A-Za-z)])-?\d", lambda power: power[0].translate(_SUPERSCRIPTS), unit)


FORMATS = (".svg", ".pdf", ".png")
DPI = 120
#: Inches: the smallest and the largest figure.
LEAST, MOST = 1.0, 100.0
# what fits in one line above the panels
TITLE_LETTERS = 60
# nothing in a file but what is drawn: equal plots are equal files
_METADATA = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def check_file(save: str | Path | None, force: bool) -> None:
    """FlexmbsError if a plot cannot be written as ``save``: another ending, or it exists and ``force`` is not set."""
    if save is None:
        return
    if Path(save).suffix.lower() not in FORMATS:
        raise FlexmbsError(
            f"{save}: the file name of a plot must end in {', '.join(FORMATS[:-1])} (vector graphics) or {FORMATS[-1]}"
        )
    refuse_existing(save, force)


def new_figure(size: Sequence[float] | None, default: tuple[float, float]) -> Figure:
    """An empty figure of ``size`` (inches), or of the ``default`` one; FlexmbsError for no size."""
    from matplotlib.figure import Figure

    if size is None:
        return Figure(figsize=default, dpi=DPI, layout="constrained")
    try:
        width, height = (float(length) for length in size)
    except (TypeError, ValueError):
        width = height = 0.0
    if not (LEAST <= width <= MOST and LEAST <= height <= MOST):
        raise FlexmbsError(f"size is {size!r}; it must be (width, height) in inches, each from {LEAST:g} to {MOST:g}")
    return Figure(figsize=(width, height), dpi=DPI, layout="constrained")


def heading(title: str | None, names: Sequence[str]) -> str:
    """``title``, or the names if they fit on a line, or nothing."""
    listed = ", ".join(dict.fromkeys(names))
    return title or (listed if len(listed) <= TITLE_LETTERS else "")


def finished(figure: Figure, title: str, save: str | Path | None) -> Figure | None:
    """The figure with its title, or None once it is written to ``save``."""
    if title:
        figure.suptitle(no_formula(title), wrap=True)
    if save is None:
        return figure
    from matplotlib import rc_context

    with replacing_in_folder(save) as temporary, rc_context({"svg.hashsalt": "flexmbs"}):
        figure.savefig(temporary, metadata=_METADATA[Path(save).suffix.lower()])
    return None


#: Of curves: distinct for readers with colour vision deficiencies (Okabe and Ito 2008, yellow left out).
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
STYLES = ("-", "--", "-.", ":")
LETTER, HANDLE, ROW = 0.068, 0.55, 0.2  # inches: of a letter, of a line beside its name, of a row


def dress(axis: Axes, up: str, across: str = "", flat: Scale | None = None) -> None:
    """Labels, grid, and round ticks; ``flat``: the vertical scale, of which rounding is a level line instead of noise."""
    from matplotlib.ticker import MaxNLocator

    axis.set(xlabel=across, ylabel=up)
    axis.grid(True, alpha=0.3)
    for which in (axis.xaxis, axis.yaxis):
        which.set_major_formatter(_plain_formatter())
        which.set_major_locator(MaxNLocator(nbins="auto", steps=[1, 2, 5, 10]))
    low, high = axis.dataLim.intervaly
    size = max(abs(low), abs(high))
    if flat is not None and flat.nothing:
        axis.set_ylim(-0.05, 0.05)
    elif flat is not None and np.isfinite(size) and high - low <= ROUNDING * size:
        axis.set_ylim(0.5 * (low + high) - 0.1 * size, 0.5 * (low + high) + 0.1 * size)


def panels(figure: Figure, count: int, **options) -> np.ndarray:
    """(count,) axes below each other with one horizontal axis."""
    return figure.subplots(count, 1, sharex=True, squeeze=False, **options)[:, 0]


def share_time(axes: Sequence[Axes], scale: Scale, low: float, high: float, margin: float = 0.0) -> None:
    """Label and ends (s) of the time axis of panels below each other; ``margin`` beside the curves, part of the window."""
    room = margin * (high - low) or 1e-9 * (margin > 0.0)
    axes[-1].set_xlabel(scale.label("time"))
    axes[-1].set_xlim(float(scale(low - room)), float(scale(high + room)))
    axes[0].figure.align_ylabels(axes)


def beside(axis: Axes, text: str, place: tuple[float, float], left: bool, **look) -> None:
    """A small text to the right of a place, or to its left."""
    side = {"xytext": (-6 if left else 6, 2), "horizontalalignment": "right" if left else "left"}
    axis.annotate(text, place, textcoords="offset points", fontsize="small", verticalalignment="center", **side, **look)


def style(number: int) -> dict[str, str]:
    """Colour and dashes of the curve with this number; 28 are distinct."""
    return {"color": COLORS[number % len(COLORS)], "linestyle": STYLES[number // len(COLORS) % len(STYLES)]}


def columns(labels: Sequence[str], width: float) -> int:
    """How many entries stand side by side above a panel of ``width`` inches; they are filled column by column."""
    for count in range(len(labels), 1, -1):
        rows = -(-len(labels) // count)
        parts = [labels[first : first + rows] for first in range(0, len(labels), rows)]
        if sum(max(map(len, part)) * LETTER + HANDLE for part in parts) <= width - 1.0:
            return count
    return 1


def height(labels: Sequence[str], width: float) -> float:
    """Inches of a legend."""
    return -(-len(labels) // columns(labels, width)) * ROW if labels else 0.0


def put_above(axis: Axes, handles: Sequence, width: float, *, right: bool = False) -> None:
    """A legend of ``handles`` above ``axis`` on the left or right, in as many rows as it takes."""
    labels = [no_formula(str(handle.get_label())) for handle in handles]
    if labels:
        place = {"loc": "lower right" if right else "lower left", "bbox_to_anchor": (1.0 if right else 0.0, 1.0)}
        look = {"frameon": False, "borderaxespad": 0.1, "borderpad": 0.1, "handlelength": 1.6, "columnspacing": 1.4}
        axis.legend(list(handles), labels, ncols=columns(labels, width), fontsize="small", **place, **look)
