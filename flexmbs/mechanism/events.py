"""Events of the user: conditions, and what is done when they are met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from flexmbs.common.errors import MechanismError
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.sensors import Crossing, Sensor, State, Variable


@dataclass(frozen=True)
class AtTime:
    """A time, s: the condition of an event. Steps end on it exactly."""

    time: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", as_number(self.time, "fm.AtTime: time (s)", 0.0))


@dataclass(frozen=True)
class Lock:
    """Hold joint coordinates where they are: a joint (all its coordinates), (joint, "coordinate"), or its name.

    Velocities jump by the balance of momentum of the whole mechanism with all locks of the instant.
    """

    joint: Joint | tuple[Joint | str, str] | str


@dataclass(frozen=True)
class Free:
    """Let go what :class:`Lock` or a latch holds; a joint that nothing ever locks is let go altogether."""

    joint: Joint | tuple[Joint | str, str] | str


@dataclass(frozen=True)
class Set:
    """Give a variable (``System.variable``) a value: a number, or a sensor that is read at the event."""

    variable: Variable | str
    value: float | Sensor


@dataclass(frozen=True)
class Restart:
    """Put a state, or the outputs of a controller, back to its start values."""

    state: State | str


@dataclass(frozen=True)
class Stop:
    """End the run here; the result is complete, and its status gives the reason."""

    reason: str = ""


@dataclass(frozen=True)
class Arm:
    """Let an event happen from now on."""

    event: Event | str


@dataclass(frozen=True)
class Disarm:
    """Let an event happen no more, until it is armed."""

    event: Event | str


Action: TypeAlias = Lock | Free | Set | Restart | Stop | Arm | Disarm
ACTIONS = (Lock, Free, Set, Restart, Stop, Arm, Disarm)
#: What an event waits for: a sensor that crosses a value, or a time (s).
Condition: TypeAlias = Crossing | AtTime | float


@dataclass(frozen=True, eq=False)
class Event:
    """Actions that are carried out when a condition is met; made by ``System.event``.

    ``repeats``: whether it happens again whenever the condition is met again; ``armed``: whether it can at the start.
    """

    name: str
    when: Crossing | AtTime
    do: list[Action] = field(default_factory=list)
    repeats: bool = True
    armed: bool = True


def condition(when: object, where: str) -> Crossing | AtTime:
    """A checked condition; MechanismError for anything else."""
    if isinstance(when, Crossing | AtTime):
        return when
    if isinstance(when, Sensor):
        raise MechanismError(
            f"{where}: when= is the sensor '{when.name}'; say which value it crosses: sensor >= 0.3, sensor <= 0.3, or "
            'fm.Crossing(sensor, 0.3, "both")'
        )
    if isinstance(when, bool) or not isinstance(when, int | float):
        raise MechanismError(
            f"{where}: when = {when!r}; expected a crossing such as sensor >= 0.3 or fm.Crossing(sensor, 0.3, 'both'), "
            "or a time in s (a condition of several sensors: a function of them, system.function(...) >= 0)"
        )
    return AtTime(when)


def actions(do: object, where: str) -> list[Action]:
    """Checked actions, of one or several."""
    chosen = list(do) if isinstance(do, Sequence) and not isinstance(do, str) else [do]
    for action in chosen:
        if not isinstance(action, ACTIONS):
            known = ", ".join(f"fm.{kind.__name__}" for kind in ACTIONS)
            raise MechanismError(f"{where}: do = {action!r}; expected one or a list of {known}")
    if not chosen:
        raise MechanismError(f"{where}: do= is empty; give at least one action")
    return chosen
