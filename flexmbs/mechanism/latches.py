"""Latches: what locks a joint coordinate, by which event, and what frees it."""

from __future__ import annotations

from dataclasses import dataclass

from flexmbs.core.layout import force_tables as t
from flexmbs.core.sensors.coordinates import ACCELERATION
from flexmbs.mechanism.events import Action, Event
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.sensors import Reading, Sensor


@dataclass(frozen=True)
class LockForce:
    """Whose reading is the force (N) or torque (N m) of the lock of a coordinate, positive in its direction."""

    joint: Joint | None
    coordinate: str


@dataclass(frozen=True, eq=False)
class Latch:
    """A latch of a joint coordinate; made by ``System.latch``.

    ``event`` closes it; ``release`` is the action that frees it.
    """

    name: str
    joint: Joint
    coordinate: str
    event: Event
    release: Action

    @property
    def force(self) -> Sensor:
        """Force (N) or torque (N m) that the lock exerts on the coordinate, for events; 0 while it is open."""
        unit = "N m" if self.joint.type.coordinates[self.coordinate] == "rad" else "N"
        force = LockForce(self.joint, self.coordinate)
        reading = Reading(t.COORDINATE, owner=force, part=self.coordinate, measures=ACCELERATION)
        return Sensor(f"{self.name}.force", unit, (reading,))
