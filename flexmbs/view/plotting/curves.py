"""Points of curves: every stored step of a time window, and points between, where straight lines would be seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import refuse_unwritable
from flexmbs.view.drawable import DrawableResult

#: A curve has a point at each step, and additional points in long steps: at least this many over the window.
POINTS = 1000
#: Points of a step across which a straight line would be off by more than ``SEEN`` of the range of a history.
BENT, SEEN = 8, 1e-3
BATCH = 16384  # steps at a time, to limit memory


def time_window(result: DrawableResult, start: float | None, end: float | None) -> tuple[float, float]:
    """``start`` and ``end`` of a part of the run, s; None: of the whole. FlexmbsError for none, or one outside."""
    if not len(result.t):
        raise FlexmbsError("the result is empty: there are no steps to plot")
    first, last = float(result.t[0]), float(result.t[-1])
    for name, value in (("start", start), ("end", end)):
        try:
            inside = value is None or first <= float(value) <= last
        except (TypeError, ValueError):
            raise FlexmbsError(f"{name} is {value!r}; it must be a time in s") from None
        if not inside:
            raise FlexmbsError(f"{name} = {value:g} s is outside the run: {first:g} to {last:g} s")
    low, high = first if start is None else float(start), last if end is None else float(end)
    if low > high or (low == high and first < last):
        raise FlexmbsError(
            f"the window from start = {low:g} s to end = {high:g} s is empty; the run is from {first:g} to {last:g} s"
        )
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
