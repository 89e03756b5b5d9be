"""Legends above their panels, where they hide no curve, and colours of curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    labels = [handle.get_label() for handle in handles]
    if labels:
        axis.legend(
            handles=list(handles),
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
