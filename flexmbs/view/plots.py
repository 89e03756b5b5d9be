"""Time histories as line plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flexmbs.files import replacing_picture
from flexmbs.result import Result

TITLE_LETTERS = 60  # what fits in one line above the panels


def plot_histories(result: Result, names: Sequence[str], *, save: str | Path | None = None, title: str | None = None):
    """Plot histories against time: one panel per unit, at most as many lines as names.

    Returns the matplotlib figure, or None when it was written to ``save``.  KeyError for an unknown name,
    ValueError without names.  Without a ``title`` the names are the title, as far as they fit in a line.
    """
    if not names:
        raise ValueError("plot: name at least one history; result.names lists them")
    columns = {name: result[name] for name in names}
    from matplotlib.figure import Figure

    panels: dict[str, list[str]] = {}
    for name in names:
        panels.setdefault(result.unit(name), []).append(name)
    figure = Figure(figsize=(8.0, 1.0 + 2.6 * len(panels)), dpi=120, layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (unit, members) in zip(axes, panels.items(), strict=True):
        for name in members:
            axis.plot(result.t, columns[name], linewidth=1.3, label=name)
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
    with replacing_picture(save) as temporary:
        figure.savefig(temporary)
    return None


def _common(names: Sequence[str]) -> str:
    """What the lines of a panel share: the name of one, or the words in all of their names."""
    if len(names) == 1:
        return names[0]
    words = [set(name.replace(".", " ").split()) for name in names]
    shared = [word for word in names[0].replace(".", " ").split() if all(word in other for other in words)]
    return " ".join(shared) or "value"
