"""What plots against time consist of: points of curves, where straight lines would be seen; contacts and events behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.view.contact_phases import FREE, PHASES, ContactPhases
from flexmbs.view.drawable import DrawableResult, DrawableTouch
from flexmbs.view.key_histories import other_events
from flexmbs.view.plot_scales import Scale, beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection


#: A curve has a point at each step, and additional points in long steps: at least this many over the window.
POINTS = 1000
#: Points of a step across which a straight line would be off by more than ``SEEN`` of the range of a history.
BENT, SEEN = 8, 1e-3
BATCH = 16384  # steps at a time, to limit memory


def time_window(result: DrawableResult, start: float | None, end: float | None, time: float | None = None) -> tuple[float, float]:
    """``start`` and ``end`` of a part of the run, s; None: of the whole. FlexmbsError for an empty one, or a time outside."""
    if not len(result.t):
        raise FlexmbsError("the result is empty: there are no steps to show")
    first, last = float(result.t[0]), float(result.t[-1])
    for name, value in (("time", time), ("start", start), ("end", end)):
        try:
            inside = value is None or first <= float(value) <= last
        except (TypeError, ValueError):
            raise FlexmbsError(f"{name} is {value!r}; it must be a time in s") from None
        if not inside:
            raise FlexmbsError(f"{name} {float(value):g} s is outside the run: {first:g} to {last:g} s")
    low, high = first if start is None else float(start), last if end is None else float(end)
    if low > high:
        raise FlexmbsError(f"start {low:g} s is after end {high:g} s")
    if low == high and first < last:
        raise FlexmbsError(f"start {low:g} s is the end: nothing is between them; give an end after the start (pictures: time)")
    return low, high


def check_names(result: DrawableResult, names: Sequence[str], what: str) -> None:
    """FlexmbsError without names; UnknownHistoryError, which suggests near names, for one that does not exist."""
    if not names:
        raise FlexmbsError(f"{what}: name at least one history; result.names lists them")
    known = frozenset(result.names)
    for name in names:
        if name not in known:
            result[name]
    refuse_unwritable(names, what)


def curves(
    result: DrawableResult, names: Sequence[str], start: float | None = None, end: float | None = None
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times (k,) and values (k,) of histories from ``start`` to ``end`` (s; None: of the whole run).

    Where two steps have one time, as at an impact, both are there. An open contact has no slip: nan.
    """
    t = result.t
    low, high = time_window(result, start, end)
    rows = np.flatnonzero((t >= low) & (t <= high))
    times = between(result, names, low, high)
    found = {name: result[name][rows] for name in names}
    joined = t[rows]
    if len(times):
        inside = result.resampled(times)
        joined = np.concatenate([joined, times])
        order = np.argsort(joined, kind="stable")
        joined, found = joined[order], {name: np.concatenate([own, inside[name]])[order] for name, own in found.items()}
    return joined, {name: _while_closed(result, name, joined, values) for name, values in found.items()}


def _while_closed(result: DrawableResult, name: str, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """``values``; of the slip of a contact only while it is closed: between two steps it would rise before it closes."""
    spans = [(one.start, one.end) for one in result.contacts if name == f"{one.name}.slip"]
    if not spans:
        return values
    closed = np.zeros(len(times), dtype=bool)
    for start, end in spans:
        closed |= (times >= start) & ~(times >= end)  # nan: to the end of the run
    return np.where(closed, values, np.nan)


def between(result: DrawableResult, names: Sequence[str], low: float, high: float) -> np.ndarray:
    """Times that a curve needs besides the steps: within long and bent steps, and at ends of a window inside a step."""
    t = result.t
    first = max(int(np.searchsorted(t, low, side="right")) - 1, 0)
    last = min(int(np.searchsorted(t, high, side="left")), len(t) - 1)
    steps = np.arange(first, last)
    begins, ends = np.maximum(t[steps], low), np.minimum(t[steps + 1], high)
    parts = np.ceil((ends - begins) * POINTS / max(high - low, 1e-300)).astype(int)
    short = (parts == 1) & (t[steps + 1] > t[steps])
    parts[np.isin(steps, _bent(result, names, steps[short]))] = BENT
    within = [np.linspace(begins[i], ends[i], parts[i] + 1)[1:-1] for i in np.flatnonzero(parts > 1)]
    edges = [time for time in (low, high) if not np.any(t[first : last + 1] == time)]
    return np.concatenate([*within, edges]) if within or edges else np.zeros(0)


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


COLOR = "#8a6d3b"
SHADE = 0.22  # opacity of phases
#: Opacity of the marks: of few, and of so many that they would cover the panel.
STRONG, FAINT = 0.30, 0.05
#: Closed for more of the window than this, contacts are its normal state and are not marked.
ALWAYS = 0.8
#: Lines at events, and how many different ones a legend names.
EVENT, MAX_EVENTS, NAMED = "#1d6fd1", 40, 3
#: Dots at peaks that are told apart in one panel.
MAX_PEAKS = 400


def touches_within(result: DrawableResult, low: float, high: float, name: str | None = None) -> list[DrawableTouch]:
    """Contacts (all, or those of one ``name``) that were closed at any time of a window, in order of time."""
    touches = [touch for touch in result.contacts if name is None or touch.name == name]
    return sorted((one for one in touches if one.start <= high and _end(one, high) >= low), key=lambda touch: touch.start)


class Shading:
    """What is shown of contacts and events behind curves in a ``window`` of time (s); each kind is in one legend.

    ``phases``: of contacts whose histories have panels of their own; None: without. ``contacts``: whether all other panels
    show when any contact is closed, and events.
    """

    def __init__(
        self, result: DrawableResult, window: tuple[float, float], times: Scale, phases: ContactPhases | None, contacts: bool
    ) -> None:
        self.result, self.window, self.times, self.phases, self.contacts = result, window, times, phases, contacts
        self.explained: set[str] = set()

    def put_behind(self, axis: Axes, members: Sequence[str], values: Scale) -> list:
        """Shades of the panel of histories ``members``; handles of those that no legend has explained yet."""
        contact = contact_of(self.result, members)
        if contact is not None:
            shades = self._shade_phases(axis, contact)
            if self.contacts and all(name.endswith(".force") for name in members):
                self.mark_peaks(axis, contact, values)
        else:
            shades = [*self._shade_contacts(axis), *self._mark_events(axis)] if self.contacts else []
        new = [shade for shade in shades if shade.get_label() not in self.explained]
        self.explained.update(shade.get_label() for shade in new)
        return new

    def mark_peaks(self, axis: Axes, contact: int, forces: Scale) -> None:
        """Dots at the peak forces of one contact, and the largest in words."""
        (low, high), times = self.window, self.times
        touches = touches_within(self.result, low, high, self.result.structure.contacts[contact].name)
        peaks = [(touch.peak_time, touch.peak_force) for touch in touches if low <= touch.peak_time <= high]
        peaks = sorted((peak for peak in peaks if peak[1] > 0.0), key=lambda peak: -peak[1])[:MAX_PEAKS]
        if not peaks:
            return
        at = np.array(peaks)
        axis.plot(times(at[:, 0]), forces(at[:, 1]), "o", color="#20242a", markersize=3.0, zorder=3)
        when, force = peaks[0]
        if any(min(_end(touch, high), high) - max(touch.start, low) > ALWAYS * (high - low) for touch in touches):
            return  # it rests
        said = f"{forces.text(force)} at {times.text(when) if not times.offset else f'{when:.7g} s'}"
        paper = {"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
        beside(axis, said, (float(times(when)), float(forces(force))), when > 0.6 * high + 0.4 * low, bbox=paper)

    def _shade_phases(self, axis: Axes, contact: int) -> list:
        """Phases of a contact."""
        if self.phases is None:
            return []
        history, handles = self.phases.history(contact), []
        for number, phase in enumerate(PHASES):
            spans = history.spans(number)
            spans = np.clip(spans[(spans[:, 0] <= self.window[1]) & (spans[:, 1] >= self.window[0])], *self.window)
            if number != FREE and len(spans):
                handles.append(_shaded(axis, self.times(spans), phase.color, SHADE, phase.name))
        return handles

    def _shade_contacts(self, axis: Axes) -> list:
        """Shades where any contact was closed, those of microseconds as a line."""
        low, high = self.window
        touches = touches_within(self.result, low, high)
        spans = joined_spans([(max(touch.start, low), min(_end(touch, high), high)) for touch in touches])
        if not len(spans) or np.sum(spans[:, 1] - spans[:, 0]) > ALWAYS * (high - low):
            return []
        names = {touch.name for touch in touches}
        what = f"contact {names.pop()}" if len(names) == 1 else f"any of {len(names)} contacts"
        said = f"{what} closed, {'once' if len(touches) == 1 else f'{len(touches)} times'}"
        return [_shaded(axis, self.times(spans), COLOR, float(np.clip(6.0 / len(spans), FAINT, STRONG)), said)]

    def _mark_events(self, axis: Axes) -> list:
        """Lines at events that are no impacts; the legend names up to three different ones."""
        events = other_events(self.result, *self.window, most=MAX_EVENTS)
        if not events:
            return []
        said = list(dict.fromkeys(map(str, events)))
        label = ", ".join(said) if len(said) <= NAMED else f"{len(events)} events"
        at = self.times(np.array([one.time for one in events]))
        return [axis.vlines(at, 0.0, 1.0, EVENT, ":", linewidth=1.0, transform=axis.get_xaxis_transform(), label=label)]


def _shaded(axis: Axes, spans: np.ndarray, color: str, alpha: float, label: str) -> PolyCollection:
    """Shades behind the curves of ``axis`` over spans (k, 2); the shortest ones are lines."""
    from matplotlib.collections import PolyCollection

    corners = [[(a, 0.0), (b, 0.0), (b, 1.0), (a, 1.0)] for a, b in spans]
    look = {"facecolors": color, "edgecolors": color, "linewidths": 0.5, "alpha": alpha, "label": label, "zorder": 0}
    shade = PolyCollection(corners, transform=axis.get_xaxis_transform(), **look)
    axis.add_collection(shade, autolim=False)
    return shade


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


def contact_of(result: DrawableResult, names: Sequence[str]) -> int | None:
    """Index of the contact that all of these histories are of ("C.force", "C.gap"); None: of none, or of several."""
    contacts = {pair.name: index for index, pair in enumerate(result.structure.contacts)}
    owners = [name.partition(".point.")[0] if ".point." in name else name.rpartition(".")[0] for name in names]
    found = {contacts.get(owner) for owner in owners}
    return found.pop() if len(found) == 1 else None
