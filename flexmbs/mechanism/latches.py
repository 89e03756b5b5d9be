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

    joint: Joint
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
        return lock_force(self.joint, self.coordinate, f"{self.name}.force", unit)


def lock_force(joint: Joint, coordinate: str, name: str, unit: str) -> Sensor:
    """A sensor of the force in the lock of a coordinate, which only events can read."""
    reading = Reading(t.COORDINATE, owner=LockForce(joint, coordinate), part=coordinate, measures=ACCELERATION)
    return Sensor(name, unit, (reading,))
