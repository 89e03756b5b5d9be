"""Phases of a contact against time: free, about to hit, impact, sliding, sticking, following."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmbs.common.errors import FlexmbsError
from flexmbs.view.drawable import DrawableResult


class Phase(NamedTuple):
    """What a phase is called in legends, and its colour."""

    name: str
    color: str


#: Contact forces below this fraction of the run's largest are rounding or the very first touch: not shown.
FORCE_SHOWN = 1e-6
#: Free: open. Approaching: open, and about to close. Impact: the first compression and expansion after the surfaces
#: met, and following: what comes after it, both without friction. Sliding and sticking: closed, with friction.
PHASES = (
    Phase("free", "#9aa3af"),
    Phase("approaching", "#f0b429"),
    Phase("impact", "#d6258f"),
    Phase("sliding", "#1d6fd1"),
    Phase("sticking", "#6a3fb5"),
    Phase("following", "#1f9d57"),
)
FREE, APPROACHING, IMPACT, SLIDING, STICKING, FOLLOWING = range(len(PHASES))
#: What the history "J.phase" of a joint with clearance is in an impact (0: free, 2: following).
JOINT_IMPACT = 1
#: A contact is approaching for this part of the run before it closes, or half of the time for which it was open.
LEAD = 0.02
#: Sticking: slower than this part of the largest speed of any contact, unless a speed is given.
CREEP = 0.01
#: Changes of the gap below this part of the largest depth do not end an impact.
TURN = 0.01


class Closed(NamedTuple):
    """A contact is closed from ``start`` to ``end``, s; its ``peak_force`` (N) is at ``peak_time``."""

    start: float
    end: float
    peak_force: float
    peak_time: float


class PhaseHistory(NamedTuple):
    """``phases[k]`` lasts from ``starts[k]`` to ``starts[k + 1]``, the last one to ``end`` (s)."""

    starts: np.ndarray
    phases: np.ndarray
    end: float

    def at(self, time: float) -> int:
        """The phase at ``time``; where two meet, the later one."""
        return int(self.phases[max(int(np.searchsorted(self.starts, time, side="right")) - 1, 0)])

    def spans(self, phase: int) -> np.ndarray:
        """(k, 2) starts and ends of one phase, s."""
        ends = np.append(self.starts[1:], self.end)
        here = self.phases == phase
        return np.stack([self.starts[here], ends[here]], axis=1)


class ContactPhases:
    """Phases of all contacts of a result, computed when they are first asked for.

    ``stick_speed`` (m/s): speeds of sliding below it count as sticking; None: 1 % of the largest speed in any contact.
    """

    def __init__(self, result: DrawableResult, stick_speed: float | None = None) -> None:
        right = isinstance(stick_speed, int | float | np.integer | np.floating) and 0.0 <= stick_speed < np.inf
        if stick_speed is not None and not right:
            raise FlexmbsError(f"stick_speed is {stick_speed!r}; it must be a speed in m/s, 0 or more")
        self.result = result
        self._given = stick_speed
        self._histories: dict[int, PhaseHistory] = {}
        self._closed = closed_contacts(result)
        self._names = frozenset(result.names)

    def history(self, index: int) -> PhaseHistory:
        """Phases of contact ``index`` of the structure."""
        if index not in self._histories:
            self._histories[index] = self._computed(index)
        return self._histories[index]

    def occurring(self) -> tuple[int, ...]:
        """The phases other than free that occur at all, in the order of :data:`PHASES`."""
        found = {int(phase) for index in self._closed for phase in np.unique(self.history(index).phases)}
        return tuple(sorted(found - {FREE}))

    @property
    def stick_speed(self) -> float:
        """m/s, below which a contact sticks or creeps."""
        if self._given is None:
            slip = self.result.trajectory.contact_slip
            largest = 0.0 if slip is None else float(np.max(slip, initial=0.0))
            speeds = [contact.approach_speed for contact in self.result.contacts]
            self._given = CREEP * max([largest, *speeds])
        return self._given

    def _computed(self, index: int) -> PhaseHistory:
        t = self.result.t
        first, last = float(t[0]), float(t[-1])
        pieces: list[tuple[float, int]] = []
        before = first
        for closed in self._closed.get(index, ()):
            lead = min(LEAD * (last - first), 0.5 * (closed.start - before))
            pieces += [(before, FREE), (closed.start - lead, APPROACHING), *self._while_closed(index, closed)]
            before = closed.end
        pieces.append((before, FREE))
        return _joined(pieces, last)

    def _while_closed(self, index: int, closed: Closed) -> list[tuple[float, int]]:
        t, known = self.result.t, self._known(index)
        low, high = np.searchsorted(t, closed.start, side="left"), np.searchsorted(t, closed.end, side="right")
        if high - low < 2:  # no step within
            return [(closed.start, IMPACT)]
        if self._rubs(index):
            speeds = self.result.trajectory.contact_slip[low:high, index]
            fast = np.maximum(speeds[:-1], speeds[1:]) > max(self.stick_speed, 1e-12)  # rows of an open contact have none
            steps = np.where(fast, SLIDING, STICKING)
        elif known is None:
            return [(closed.start, IMPACT), (impact_end(self.result, index, closed), FOLLOWING)]
        else:
            steps = np.full(high - low - 1, FOLLOWING)
        if known is not None:
            steps = np.where(known[low : high - 1] == JOINT_IMPACT, IMPACT, steps)
        changes = np.flatnonzero(np.append(True, steps[1:] != steps[:-1]))
        return [(max(float(t[low + i]), closed.start), int(steps[i])) for i in changes]

    def _known(self, index: int) -> np.ndarray | None:
        """(nt,) phases of a joint with clearance, if the contact belongs to one."""
        name = f"{self.result.structure.contacts[index].name}.phase"
        return self.result[name] if name in self._names else None

    def _rubs(self, index: int) -> bool:
        """Whether there is friction in contact ``index`` at any time."""
        run = self.result.trajectory
        whole, normal = np.linalg.norm(run.contact_push[:, index], axis=1), np.abs(run.contact_force[:, index])
        return bool(np.any(whole > normal + 1e-9 * normal.max(initial=0.0)))


def closed_contacts(result: DrawableResult) -> dict[int, list[Closed]]:
    """When each contact of the structure was closed, by its index, in order of time; only contacts that were."""
    last, names = float(result.t[-1]), {pair.name: index for index, pair in enumerate(result.structure.contacts)}
    found: dict[int, list[Closed]] = {}
    for contact in sorted(result.contacts, key=lambda contact: contact.start):
        if contact.name in names and contact.start <= last:
            end = last if np.isnan(contact.end) else min(contact.end, last)
            found.setdefault(names[contact.name], []).append(Closed(contact.start, end, contact.peak_force, contact.peak_time))
    force = result.trajectory.contact_force
    least = FORCE_SHOWN * float(force.max(initial=0.0))
    for index in np.flatnonzero(force.max(axis=0, initial=0.0) > least):
        is_film = result.structure.contacts[index].name.endswith(".film")  # it acts all the time
        if int(index) not in found and not is_film:  # without records under its own name
            found[int(index)] = _loaded(result.t, force[:, index], least)
    return found


def _loaded(t: np.ndarray, force: np.ndarray, least: float) -> list[Closed]:
    """Stretches of steps under a force above ``least`` (N)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (force > least).astype(int), [0]])))
    return [
        Closed(float(t[a]), float(t[min(b, len(t) - 1)]), float(force[a:b].max()), float(t[a + np.argmax(force[a:b])]))
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]


def impact_end(result: DrawableResult, index: int, closed: Closed) -> float:
    """Time at which the first compression and expansion of a closed contact is over, s."""
    low = int(np.searchsorted(result.t, closed.start, side="left"))
    high = int(np.searchsorted(result.t, closed.end, side="right"))
    gap, t = result.trajectory.contact_gap[low:high, index], result.t[low:high]
    if len(t) < 3:
        return closed.end
    band = TURN * max(float(-gap.min()), 0.0)
    deepest, turned = _turn(gap, band)
    if not turned:  # it has settled without rebound
        return float(t[deepest])
    widest, again = _turn(-gap[deepest:], band)
    return float(t[deepest + widest]) if again or closed.end >= result.t[-1] else closed.end


def _turn(values: np.ndarray, band: float) -> tuple[int, bool]:
    """Index of the first minimum after which ``values`` rise by more than ``band``, and True.

    Without one: where they are first within ``band`` of their minimum, and False.
    """
    risen = np.flatnonzero(values - np.minimum.accumulate(values) > band)
    if len(risen):
        return int(np.argmin(values[: risen[0]])), True
    return int(np.flatnonzero(values <= values.min() + band)[0]), False


def _joined(pieces: list[tuple[float, int]], end: float) -> PhaseHistory:
    """Pieces (start, phase) in order of time, without those of no length, equal neighbours as one."""
    starts = np.array([start for start, _ in pieces])
    phases = np.array([phase for _, phase in pieces])
    lasting = np.append(starts[1:], end) > starts
    lasting[-1] |= not lasting.any()
    starts, phases = starts[lasting], phases[lasting]
    kept = np.append(True, phases[1:] != phases[:-1])
    return PhaseHistory(starts[kept], phases[kept], end)
