"""Contacts of a page: where each acts at each frame, how strongly, and in which phase."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmbs.view.contact_phases import PHASES, ContactPhases, PhaseHistory, closed_contacts
from flexmbs.view.drawable import DrawableResult
from flexmbs.view.force_arrows import FORCE_SHOWN, LONGEST
from flexmbs.view.page.numbers import series, whole

MAX_MARKS = 200  # in the time slider
PLACES, FORCES = 1e-5, 2e-4  # steps of places and forces, relative to the size of the motion and to the largest force


def contact_records(
    result: DrawableResult, here: DrawableResult, stick_speed: float | None, size: float
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Every contact that closes: at each frame of ``here`` the largest force since the frame before, where it acted.

    And how long their arrows are: m for each N, and the largest force; ``size`` of the motion, m.
    """
    if not result.structure.contacts:
        return [], {"length_per_newton": 0.0, "largest": 0.0}
    phases, closed = ContactPhases(result, stick_speed), closed_contacts(result)
    found = [_record(result, here, index, phases.history(index)) for index in sorted(closed)]
    found = [one for one in found if one["count"]]
    largest = max((float(np.linalg.norm(one["force"], axis=1).max()) for one in found), default=0.0)
    for one in found:
        one["frame"] = whole(one["frame"], "u32")
        one["place"] = series(one["place"], PLACES * size)
        one["force"] = series(one["force"], FORCES * largest or 1.0)
    return found, {"length_per_newton": LONGEST * size / largest if largest else 0.0, "largest": largest}


def _record(result: DrawableResult, here: DrawableResult, index: int, phases: PhaseHistory) -> dict[str, Any]:
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
