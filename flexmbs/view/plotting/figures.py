"""Figures of all plots: made, checked before any work is done, and written; legends above panels, colours of curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexmbs.common.atomic_files import refuse_existing, replacing_in_folder
from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import no_formula

if TYPE_CHECKING:
    from matplotlib.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        axis.legend(
            handles=list(handles),
            labels=labels,
            ncols=columns(labels, width),
            loc="lower right" if right else "lower left",
            bbox_to_anchor=(1.0 if right else 0.0, 1.0),
            fontsize="small",
            frameon=False,
            borderaxespad=0.1,
            borderpad=0.1,
            handlelength=1.6,
            columnspacing=1.4,
        )
