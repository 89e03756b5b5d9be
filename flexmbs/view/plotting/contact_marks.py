"""Contacts in plots against time: when any was closed, its phases as colours, and the peak of the one plotted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.view.contact_phases import FREE, PHASES, ContactPhases
from flexmbs.view.drawable import DrawableResult, DrawableTouch
from flexmbs.view.key_histories import Instant
from flexmbs.view.plotting.scales import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes


COLOR = "#8a6d3b"
#: Opacity of the marks: of few, and of so many that they would cover the panel.
STRONG, FAINT = 0.30, 0.05
#: Closed for more of the window than this, contacts are its normal state and are not marked.
ALWAYS = 0.8
#: Lines at events, and how many different ones a legend names.
EVENT, MAX_EVENTS, NAMED = "#1d6fd1", 40, 3
#: Dots at peaks that are told apart in one panel.
MAX_PEAKS = 400


def touches_within(result: DrawableResult, low: float, high: float, names: Iterable[str] | None = None) -> list:
    """Contacts that were closed at any time of a window (all, or of the named ones), in order of time."""
    wanted = None if names is None else frozenset(names)
    found = [
        touch
        for touch in result.contacts
        if (wanted is None or touch.name in wanted) and touch.start <= high and _end(touch, high) >= low
    ]
    return sorted(found, key=lambda touch: touch.start)


def shade_contacts(axis: Axes, touches: list[DrawableTouch], low: float, high: float, times: Scale) -> list:
    """Shades where any of ``touches`` was closed, those of microseconds as a line; handles for a legend."""
    from matplotlib.collections import PolyCollection

    spans = joined_spans([(max(touch.start, low), min(_end(touch, high), high)) for touch in touches])
    if not len(spans) or np.sum(spans[:, 1] - spans[:, 0]) > ALWAYS * (high - low):
        return []
    alpha = float(np.clip(6.0 / len(spans), FAINT, STRONG))
    corners = [[(a, 0.0), (b, 0.0), (b, 1.0), (a, 1.0)] for a, b in times(spans)]
    shade = PolyCollection(
        corners,
        facecolors=COLOR,
        edgecolors=COLOR,
        linewidths=0.6,
        alpha=alpha,
        zorder=0,
        label=_said(touches),
        transform=axis.get_xaxis_transform(),
    )
    axis.add_collection(shade, autolim=False)
    return [shade]


def mark_events(axis: Axes, events: Sequence[Instant], times: Scale) -> list:
    """Lines at events that are no impacts; handles for a legend, which names up to three different ones."""
    if not events:
        return []
    said = list(dict.fromkeys(map(str, events)))
    label = ", ".join(said) if len(said) <= NAMED else f"{len(events)} events"
    at = times(np.array([one.time for one in events]))
    return [axis.vlines(at, 0.0, 1.0, EVENT, ":", linewidth=1.0, transform=axis.get_xaxis_transform(), label=label)]


def mark_peaks(axis: Axes, touches: list[DrawableTouch], window: tuple[float, float], times: Scale, forces: Scale) -> None:
    """Dots at the peak forces of one contact, and the largest in words."""
    low, high = window
    peaks = [(touch.peak_time, touch.peak_force) for touch in touches if low <= touch.peak_time <= high]
    peaks = sorted((peak for peak in peaks if peak[1] > 0.0), key=lambda peak: -peak[1])[:MAX_PEAKS]
    if not peaks:
        return
    at = np.array(peaks)
    axis.plot(times(at[:, 0]), forces(at[:, 1]), "o", color="#20242a", markersize=3.0, zorder=3)
    when, force = peaks[0]
    if any(min(_end(touch, high), high) - max(touch.start, low) > ALWAYS * (high - low) for touch in touches):
        return  # it rests
    right = when > 0.6 * high + 0.4 * low
    axis.annotate(
        f"{forces.text(force)} at {times.text(when) if not times.offset else f'{when:.7g} s'}",
        (float(times(when)), float(forces(force))),
        xytext=(-7 if right else 7, 1),
        textcoords="offset points",
        fontsize="small",
        horizontalalignment="right" if right else "left",
        verticalalignment="center",
        bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8},
    )


def joined_spans(spans: list[tuple[float, float]]) -> np.ndarray:
    """(k, 2) spans in order of time, those that overlap as one."""
    found: list[list[float]] = []
    for a, b in sorted(spans):
        if found and a <= found[-1][1]:
            found[-1][1] = max(found[-1][1], b)
        else:
            found.append([a, b])
    return np.array(found).reshape(-1, 2)


def _end(touch: DrawableTouch, last: float) -> float:
    return last if np.isnan(touch.end) else touch.end


def _said(touches: list[DrawableTouch]) -> str:
    names = {touch.name for touch in touches}
    what = f"contact {next(iter(names))}" if len(names) == 1 else f"any of {len(names)} contacts"
    times = "once" if len(touches) == 1 else f"{len(touches)} times"
    return f"{what} closed, {times}"


SHADE = 0.22  # opacity


def shade_phases(axis: Axes, phases: ContactPhases, index: int, window: tuple[float, float], times: Scale) -> list:
    """Phases of a contact in a window of time, behind the curves of a matplotlib axis; returns handles for a legend."""
    from matplotlib.collections import PolyCollection

    history, handles = phases.history(index), []
    low, high = window
    for number, phase in enumerate(PHASES):
        spans = history.spans(number)
        spans = np.clip(spans[(spans[:, 0] <= high) & (spans[:, 1] >= low)], low, high)
        if number == FREE or not len(spans):
            continue
        corners = [[(a, 0.0), (b, 0.0), (b, 1.0), (a, 1.0)] for a, b in times(spans)]
        shade = PolyCollection(
            corners,
            facecolors=phase.color,
            edgecolors=phase.color,
            linewidths=0.4,
            alpha=SHADE,
            zorder=0,
            label=phase.name,
            transform=axis.get_xaxis_transform(),
        )
        axis.add_collection(shade, autolim=False)
        handles.append(shade)
    return handles


def contact_of(result: DrawableResult, names: Sequence[str]) -> int | None:
    """Index of the contact that all of these histories are of ("C.force", "C.gap"); None: of none, or of several."""
    contacts = {pair.name: index for index, pair in enumerate(result.structure.contacts)}
    owners = [name.partition(".point.")[0] if ".point." in name else name.rpartition(".")[0] for name in names]
    found = {contacts.get(owner) for owner in owners}
    return found.pop() if len(found) == 1 else None
