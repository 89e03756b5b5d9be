"""Time histories as line plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.view.drawable import DrawableResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A curve has a point at each step, and additional points in long steps: at least this many over the whole run.
POINTS = 1000
TITLE_LETTERS = 60  # what fits in one line above the panels


def plot_histories(
    result: DrawableResult, names: Sequence[str], *, save: str | Path | None = None, title: str | None = None
) -> Figure | None:
    """Plot histories against time, with one panel per unit.

    Between steps, curves follow the interpolation of the result, so that long steps do not look like a polygon.
    Returns the matplotlib figure, or None if it was written to ``save``.  KeyError for an unknown name,
    ValueError without names.  The default title lists the names if they fit on a line.
    """
    if not names:
        raise ValueError("plot: name at least one history; result.names lists them")
    times, columns = curves(result, names)
    from matplotlib.figure import Figure

    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(result.unit(name), []).append(name)
    figure = Figure(figsize=(8.0, 1.0 + 2.6 * len(panels)), dpi=120, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (unit, members) in zip(axes, panels.items(), strict=True):
        for name in members:
            axis.plot(times, columns[name], linewidth=1.3, label=name)
        axis.set_ylabel(f"{_common(members)} [{unit}]" if unit else _common(members))
        axis.grid(True, alpha=0.3)
        if len(members) > 1:
            axis.legend(fontsize="small", loc="best")
    axes[-1].set_xlabel("time [s]")
    listed = ", ".join(dict.fromkeys(names))
    heading = title or (listed if len(listed) <= TITLE_LETTERS else None)
    if heading:
        figure.suptitle(heading, wrap=True)
    if save is None:
        return figure
    with replacing_in_folder(save) as temporary:
        figure.savefig(temporary)
    return None


def curves(result: DrawableResult, names: Sequence[str]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times (k,) and values (k,) of histories: every step, plus points within long steps."""
    t = result.t
    parts = np.ceil(np.diff(t) * POINTS / max(float(t[-1] - t[0]), 1e-300)).astype(int)
    within = [np.linspace(t[i], t[i + 1], parts[i] + 1)[1:-1] for i in np.flatnonzero(parts > 1)]
    if not within:
        return t, {name: result[name] for name in names}
    between = result.resampled(np.concatenate(within))
    times = np.concatenate([t, between.t])
    order = np.argsort(times, kind="stable")
    return times[order], {name: np.concatenate([result[name], between[name]])[order] for name in names}


def _common(names: Sequence[str]) -> str:
    """Label of a panel: the name of its only line, or the words that the names of all its lines share."""
    if len(names) == 1:
        return names[0]
    words = [set(name.replace(".", " ").split()) for name in names]
    shared = [word for word in names[0].replace(".", " ").split() if all(word in other for other in words)]
    return " ".join(shared) or "value"
