"""The time-dependent part of a result: histories, joined from the chunks of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from flexmbs.result.event_records import EventRecord, in_order

#: Arrays of a chunk, each with the step as its first axis.
REQUIRED = (
    "t",
    "q",
    "v",
    "a",
    "energy",
    "contact_gap",
    "contact_force",
    "body_position",
    "body_rotation",
    "body_velocity",
    "body_angular_velocity",
    "reaction",
    "driving_force",
    "constraint_error",
    "record",
    "contact_point",
    "contact_push",
    "contact_slip",
)
OPTIONAL = ("ledger",)
OTHER_VERSION = "it was made by another version of flexmbs, or is damaged"


@dataclass(frozen=True)
class ContactRecord:
    """One contact from its start to its end, both located as events.

    ``end`` is NaN and ``rebound_speed`` None if the contact was still closed at the end of the run. Forces in N, times
    in s, impulse in N s, speeds at which the gap closes and opens in m/s, ``max_depth`` in m.
    """

    name: str
    start: float
    end: float
    peak_force: float
    peak_time: float
    impulse: float
    approach_speed: float
    rebound_speed: float | None
    max_depth: float

    @property
    def restitution(self) -> float | None:
        """Speed of separation divided by the speed of approach; None while the contact is closed."""
        return self.rebound_speed / self.approach_speed if self.rebound_speed and self.approach_speed else None

    @property
    def duration(self) -> float:
        """Seconds from the first touch to the separation."""
        return self.end - self.start


@dataclass(frozen=True)
class Trajectory:
    """Every accepted step of a run (world axes, SI units).

    Attributes
    ----------
    t : (nt,) s, not decreasing
    q : (nt, nq) coordinates; v, a : (nt, nv) velocities and accelerations
    energy : (nt, 3) J: kinetic, gravity, elastic (modes, springs and contacts)
    contact_gap : (nt, nc) m, negative inside contact; contact_force : (nt, nc) N
    body_position : (nt, nb, 3) m, origin of each body frame; body 0 is ground
    body_rotation : (nt, nb, 3, 3), body axes to world axes
    body_velocity, body_angular_velocity : (nt, nb, 3) m/s and rad/s in world axes
    reaction : (nt, nj, 6) N and N m: force and moment of each joint on its second marker's body, world axes
    driving_force : (nt, nd) N or N m of each driven coordinate
    constraint_error : (nt,) m or rad, largest of all constraints that close loops
    contact_point : (nt, nc, 3) m, world axes; contact_push : (nt, nc, 3) N: normal force and friction on the first
        shape; contact_slip : (nt, nc) m/s, speed of sliding while the contact is closed
    record : (nt, nr) what springs, bushings, sensors and user functions measured
    ledger : (nt, lines + 2) J, or None: work and losses of the lines of the energy ledger since the start of the run,
        energy stored in contacts, balance (flexmbs.result.energy_ledger)
    contacts : tuple of ContactRecord in order of time
    events : tuple of EventRecord in order of time
    stats : counters and times of the run
    status : "finished", "running" (a run killed before its end) or "stopped: reason"
    """

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    energy: np.ndarray
    contact_gap: np.ndarray
    contact_force: np.ndarray
    body_position: np.ndarray
    body_rotation: np.ndarray
    body_velocity: np.ndarray
    body_angular_velocity: np.ndarray
    reaction: np.ndarray
    driving_force: np.ndarray
    constraint_error: np.ndarray
    record: np.ndarray
    contact_point: np.ndarray
    contact_push: np.ndarray
    contact_slip: np.ndarray
    ledger: np.ndarray | None = None
    contacts: tuple[ContactRecord, ...] = ()
    events: tuple[EventRecord, ...] = ()
    stats: Mapping[str, float] = field(default_factory=dict)
    status: str = "finished"

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name, without the ledger if there is none."""
        every = {name: getattr(self, name) for name in REQUIRED + OPTIONAL}
        return {name: array for name, array in every.items() if array is not None}

    def has(self, name: str) -> bool:
        """Whether there is an array of that name."""
        return getattr(self, name) is not None

    def replaced(self, **changed) -> Trajectory:
        """This trajectory with some of its arrays replaced."""
        return replace(self, **changed)


def check_chunk(arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError when an array is missing, unknown, or has another number of steps than ``t``."""
    missing = [name for name in REQUIRED if name not in arrays]
    unknown = [name for name in arrays if name not in REQUIRED + OPTIONAL]
    if missing or unknown:
        raise ValueError(f"chunk of a result: missing arrays {missing}, unknown arrays {unknown}: {OTHER_VERSION}")
    steps = len(arrays["t"])
    wrong = [name for name, array in arrays.items() if len(array) != steps]
    if wrong:
        raise ValueError(f"chunk of a result: {wrong} do not have the {steps} steps of t")


def join_chunks(
    chunks: Sequence[Mapping[str, np.ndarray]],
    contacts: Sequence[ContactRecord] = (),
    stats: Mapping[str, float] | None = None,
    status: str = "finished",
    events: Sequence[EventRecord] = (),
) -> Trajectory:
    """One trajectory from chunks in order of time (at least one chunk)."""
    joined = {name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]}
    ordered = tuple(sorted(contacts, key=lambda contact: contact.start))
    return Trajectory(**joined, contacts=ordered, events=in_order(events), stats=dict(stats or {}), status=status)
