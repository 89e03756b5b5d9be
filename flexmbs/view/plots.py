"""Time histories as line plots."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.atomic_files import replacing_in_folder
from flexmbs.view.contact_phases import ContactPhases
from flexmbs.view.contact_plots import contact_of, shade_phases
from flexmbs.view.drawable import DrawableResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: A curve has a point at each step, and additional points in long steps: at least this many over the whole run.
POINTS = 1000
#: Points of a step across which a straight line would be off by more than ``SEEN`` of the range of a history.
BENT, SEEN = 8, 1e-3
BATCH = 16384  # steps at a time, to limit memory
TITLE_LETTERS = 60  # what fits in one line above the panels


def plot_histories(
    result: DrawableResult, names: Sequence[str], *, save: str | Path | None = None, title: str | None = None,
    phases: bool = True, stick_speed: float | None = None,
) -> Figure | None:  # fmt: skip
    """Plot histories against time, with one panel per unit.

    Between steps, curves follow the interpolation of the result, so that long steps do not look like a polygon.
    Returns the matplotlib figure, or None if it was written to ``save``.  KeyError for an unknown name,
    ValueError without names.  The default title lists the names if they fit on a line.

    ``phases``: colours for the phases of a contact behind panels whose histories are all of that contact.
    ``stick_speed`` (m/s): of sliding, below which a contact sticks; None: 1 % of the largest speed in any contact.
    """
    if not names:
        raise ValueError("plot: name at least one history; result.names lists them")
    times, columns = curves(result, names)
    from matplotlib.figure import Figure

    shading, explained = ContactPhases(result, stick_speed), set()  # phases named in a legend so far
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
        contact = contact_of(result, members) if phases else None
        shades = [] if contact is None else shade_phases(axis, shading, contact)
        new = [shade for shade in shades if shade.get_label() not in explained]
        explained.update(shade.get_label() for shade in new)
        lines = axis.lines if len(members) > 1 else []
        if lines or new:
            axis.legend(handles=[*lines, *new], fontsize="small", loc="best")
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
    """Times (k,) and values (k,) of histories: every stored step, and points where a straight line would be seen."""
    t = result.t
    parts = np.ceil(np.diff(t) * POINTS / max(float(t[-1] - t[0]), 1e-300)).astype(int)
    parts[_bent(result, names, np.flatnonzero((parts == 1) & (np.diff(t) > 0.0)))] = BENT
    within = [np.linspace(t[i], t[i + 1], parts[i] + 1)[1:-1] for i in np.flatnonzero(parts > 1)]
    if not within:
        return t, {name: result[name] for name in names}
    between = result.resampled(np.concatenate(within))
    times = np.concatenate([t, between.t])
    order = np.argsort(times, kind="stable")
    return times[order], {name: np.concatenate([result[name], between[name]])[order] for name in names}


def _bent(result: DrawableResult, names: Sequence[str], steps: np.ndarray) -> np.ndarray:
    """Those of ``steps`` in whose middle a straight line would miss a history visibly: where steps were left out."""
    if not len(steps) or not result.leaves_out_steps:
        return steps[:0]
    own = {name: result[name] for name in names}
    corners = np.zeros(len(result.t), dtype=bool)
    for values in own.values():
        corners |= _off_line(result.t, values) > SEEN * np.ptp(values)
    steps = steps[corners[steps] | corners[steps + 1]]
    bent = np.zeros(len(steps), dtype=bool)
    for begin in range(0, len(steps), BATCH):
        part = steps[begin : begin + BATCH]
        middle = result.resampled(0.5 * (result.t[part] + result.t[part + 1]))
        for name, values in own.items():
            line = 0.5 * (values[part] + values[part + 1])
            bent[begin : begin + BATCH] |= np.abs(middle[name] - line) > SEEN * np.ptp(values)
    return steps[bent]


def _off_line(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(nt,) how far each value is from the straight line between its neighbours; infinite at events and ends."""
    found = np.full(len(t), np.inf)
    h = np.diff(t)
    inner = np.flatnonzero((h[:-1] > 0.0) & (h[1:] > 0.0))
    share = h[inner] / (h[inner] + h[inner + 1])
    line = values[inner] + share * (values[inner + 2] - values[inner])
    found[inner + 1] = np.abs(values[inner + 1] - line)
    return found


def _common(names: Sequence[str]) -> str:
    """Label of a panel: the name of its only line, or the words that the names of all its lines share."""
    if len(names) == 1:
        return names[0]
    words = [set(name.replace(".", " ").split()) for name in names]
    shared = [word for word in names[0].replace(".", " ").split() if all(word in other for other in words)]
    return " ".join(shared) or "value"
