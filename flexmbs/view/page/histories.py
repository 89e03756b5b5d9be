"""Histories and contacts of a page: which are shown, at how many times, where and how strongly contacts act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.common.names_in_messages import near_names
from flexmbs.view.contact_phases import FORCE_SHOWN, PHASES, ContactPhases, PhaseHistory, closed_contacts
from flexmbs.view.contact_scene import LONGEST
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.key_histories import key_histories, ranked
from flexmbs.view.page.numbers import series, whole

PLACES = 16  # steps of times between two frames
SHOWN = 3  # histories that are plotted at first
MOST = 120  # histories in a page, besides those that are asked for
LEVELS = 4000  # steps between the smallest and the largest value of a history
BESIDE = 0.01  # of that range: what straight lines between frames may miss


def history_records(result: DrawableResult, here: DrawableResult, names: Sequence[str] | None) -> tuple[list[dict[str, Any]], int]:
    """The chosen histories, and others that may be plotted; and how many of the result are left out.

    ``here``: the result at the frames. A history that changes between frames has, in place of its values there, the
    lowest and the highest of the steps between each two of them.
    """
    chosen = _default(result) if names is None else checked_names(result, names)
    others = [name for name in ranked(result) if name not in chosen][:MOST]
    times = _Times(result.t, here.t)
    found = [_record(result, here, name, name in chosen, times) for name in (*chosen, *others)]
    return found, len(result.names) - len(found)


def checked_names(result: DrawableResult, names: Sequence[str]) -> list[str]:
    """``names`` as a list; FlexmbsError with near names for one that the result does not have."""
    names = [names] if isinstance(names, str) else list(names)
    known = set(result.names)
    for name in names:
        if name not in known:
            raise FlexmbsError(f"no history named {name!r}. {near_names(str(name), result.names)}")
    return names


class _Times:
    """Steps ``t`` (nt,) between frames (nf,), s."""

    def __init__(self, t: np.ndarray, frames: np.ndarray) -> None:
        self.t, self.frames = t, frames
        inside = np.flatnonzero((t > frames[0]) & (t < frames[-1]))
        self.inside = inside
        bucket = np.searchsorted(frames, t[inside], side="right")
        self.starts = np.flatnonzero(np.diff(bucket, prepend=-1))
        self.sizes = np.diff(np.append(self.starts, len(inside)))

    def extremes(self, values: np.ndarray) -> np.ndarray:
        """Steps at which a history (nt,) is lowest or highest between two frames."""
        own = values[self.inside]
        found = []
        for best in (np.minimum, np.maximum):
            at = np.flatnonzero(own == np.repeat(best.reduceat(own, self.starts), self.sizes))
            first = np.searchsorted(at, self.starts)
            found.append(at[first])
        return self.inside[np.unique(np.concatenate(found))]

    def frame_numbers(self, steps: np.ndarray) -> np.ndarray:
        """(k + 2,) where steps are among the frames, times ``PLACES``, with the first and the last frame."""
        last = len(self.frames) - 1
        inside = np.interp(self.t[steps], self.frames, np.arange(last + 1))
        return np.round(PLACES * np.concatenate([[0.0], inside, [last]])).astype(np.int64)


def _record(result: DrawableResult, here: DrawableResult, name: str, shown: bool, times: _Times) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "group": name.split(".")[0], "unit": result.unit(name), "factor": 1.0}
    values, at_frames = result[name], here[name]
    shown_values = np.concatenate([at_frames, values[times.inside]])  # of the part of the run that the page shows
    spread = max(float(np.ptp(shown_values)), 1e-12 * float(np.abs(shown_values).max()))
    step = spread / LEVELS or 1.0
    found |= {"at": None, "values": series(at_frames, step), "shown": shown}
    if len(times.inside):
        missed = np.abs(np.interp(result.t[times.inside], here.t, at_frames) - values[times.inside])
        if missed.max() > BESIDE * spread:
            steps = times.extremes(values)
            ends = np.concatenate([at_frames[:1], values[steps], at_frames[-1:]])
            found |= {"at": whole(times.frame_numbers(steps)), "values": series(ends, step)}
    return found


def _default(result: DrawableResult) -> list[str]:
    """Of each of the first kinds that the run has (what drives, presses, holds, moves ...) the largest history."""
    first = [names[0] for names in key_histories(result).values()]
    return first[:SHOWN]


MAX_MARKS = 200  # in the time slider
POINTS, FORCES = 1e-5, 2e-4  # steps of places and forces, relative to the size of the motion and to the largest force


def contact_records(
    result: DrawableResult, here: DrawableResult, stick_speed: float | None, size: float
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Every contact that closes: at each frame of ``here`` the largest force since the frame before, where it acted.

    And how long their arrows are: m for each N, and the largest force; ``size`` of the motion, m.
    """
    if not result.structure.contacts:
        return [], {"length_per_newton": 0.0, "largest": 0.0}
    phases, closed = ContactPhases(result, stick_speed), closed_contacts(result)
    found = [_contact_record(result, here, index, phases.history(index)) for index in sorted(closed)]
    found = [one for one in found if one["count"]]
    largest = max((float(np.linalg.norm(one["force"], axis=1).max()) for one in found), default=0.0)
    for one in found:
        one["frame"] = whole(one["frame"])
        one["place"] = series(one["place"], POINTS * size)
        one["force"] = series(one["force"], FORCES * largest or 1.0)
    return found, {"length_per_newton": LONGEST * size / largest if largest else 0.0, "largest": largest}


def _contact_record(result: DrawableResult, here: DrawableResult, index: int, phases: PhaseHistory) -> dict[str, Any]:
    force, chosen = _strongest(result, here, index)
    found = phases.phases[np.maximum(np.searchsorted(phases.starts, here.t, side="right") - 1, 0)]
    at_step = np.flatnonzero(chosen >= 0)
    times = result.t[chosen[at_step]]
    found[at_step] = phases.phases[np.maximum(np.searchsorted(phases.starts, times, side="right") - 1, 0)]
    shown = np.flatnonzero((force > 0.0) | (found > 0))
    place, push = _acting(here, index, shown)
    stepwise = np.flatnonzero(chosen[shown] >= 0)
    if len(stepwise):
        steps = chosen[shown[stepwise]]
        place[stepwise], push[stepwise] = _acting(result, index, steps)
    push[force[shown] <= 0.0] = 0.0
    pair = result.structure.contacts[index]
    return {
        "name": pair.name,
        "from": [pair.marker_a, pair.marker_b],
        "count": len(shown),
        "frame": shown,
        "place": place,
        "force": push,
        "phase": found[shown].astype("u1"),
    }


def _strongest(result: DrawableResult, here: DrawableResult, index: int) -> tuple[np.ndarray, np.ndarray]:
    """(nf,) N, largest normal force since the frame before, and (nf,) the step where it was (-1: at the frame)."""
    run = result.trajectory.contact_force[:, index]
    force = here.trajectory.contact_force[:, index].copy()
    chosen = np.full(len(force), -1)
    ends = np.searchsorted(result.t, here.t, side="right")
    for frame in np.flatnonzero(np.diff(ends) > 0) + 1:
        inside = run[ends[frame - 1] : ends[frame]]
        best = int(np.argmax(inside))
        if inside[best] > force[frame] * (1.0 + 1e-9):
            force[frame], chosen[frame] = inside[best], ends[frame - 1] + best
    force[force <= FORCE_SHOWN * float(result.trajectory.contact_force.max(initial=0.0))] = 0.0
    return force, np.where(force > 0.0, chosen, -1)


def _acting(run: DrawableResult, index: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(k, 3) m and (k, 3) N: where a contact acts at some rows, and its force on the first shape."""
    return run.trajectory.contact_point[rows, index].copy(), run.trajectory.contact_push[rows, index].copy()


def impacts(result: DrawableResult, first: float, last: float) -> list[dict[str, Any]]:
    """The strongest contacts whose largest force is between two times, by that time (``t``, s); ``start``: they close."""
    names = [pair.name for pair in result.structure.contacts]
    every = [(one.peak_time, one.start, names[k], one.peak_force) for k, of in closed_contacts(result).items() for one in of]
    strongest = sorted((one for one in every if first <= one[0] <= last), key=lambda one: -one[3])[:MAX_MARKS]
    return [dict(zip(("t", "start", "name", "force"), one, strict=True)) for one in sorted(strongest)]


def phase_legend() -> list[dict[str, str]]:
    """Names and colours of the phases."""
    return [{"name": phase.name, "color": phase.color} for phase in PHASES]
