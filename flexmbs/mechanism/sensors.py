"""Sensors: one or more numbers measured on the mechanism, for user functions, controllers and histories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from flexmbs.common.errors import MechanismError, MechanismWarning
from flexmbs.common.user_warnings import warn
from flexmbs.core.layout import force_tables as t
from flexmbs.core.sensors.coordinates import RATE
from flexmbs.core.sensors.sensor_kind import SensorKind
from flexmbs.mechanism.geometry.rotations import as_number
from flexmbs.mechanism.markers import Marker


@dataclass(frozen=True, eq=False)
class Reading:
    """One number that a sensor measures; ``kind`` and ``component`` as in ``core.layout.force_tables.SENSOR``.

    ``measures``: what is measured of a coordinate or of markers.

    ``owner``: the joint, body, state or function that it belongs to; ``part``: its coordinate (name) or number.
    """

    kind: int
    a: Marker | None = None
    b: Marker | None = None
    owner: object = None
    part: object = 0
    component: int = 0
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    arm: float = 0.0
    weights: np.ndarray | None = None  # of the modal coordinates of a body
    factor: float = 1.0
    offset: float = 0.0
    measures: SensorKind | None = None

    @property
    def of_accelerations(self) -> bool:
        """Whether it is known with the accelerations only."""
        if self.measures is not None:
            return self.measures.of_accelerations
        return self.kind in (t.REACTION, t.NORMAL_LOAD)


@dataclass(frozen=True, eq=False)
class Sensor:
    """One or more numbers; ``sensor[i]`` is one of them, ``factor * sensor`` scales it.

    User functions get a sensor of one number as a float, others as an array.
    """

    name: str
    unit: str
    readings: tuple[Reading, ...] = field(repr=False)

    @property
    def size(self) -> int:
        """How many numbers it measures."""
        return len(self.readings)

    def __len__(self) -> int:
        return len(self.readings)

    def __getitem__(self, i: int) -> Sensor:
        if not isinstance(i, int | np.integer) or not -self.size <= i < self.size:
            raise IndexError(f"sensor '{self.name}' has {self.size} numbers, not one with number {i!r}")
        return Sensor(f"{self.name}[{int(i) % self.size}]", self.unit, (self.readings[i],))

    def __mul__(self, factor: float) -> Sensor:
        scaled = tuple(replace(r, factor=factor * r.factor, offset=factor * r.offset) for r in self.readings)
        return Sensor(f"{factor:g} * {self.name}", self.unit, scaled)

    __rmul__ = __mul__

    def __neg__(self) -> Sensor:
        return -1.0 * self

    def __ge__(self, value: float) -> Crossing:
        return Crossing(self, value, "rising")

    def __le__(self, value: float) -> Crossing:
        return Crossing(self, value, "falling")

    __gt__, __lt__ = __ge__, __le__


DIRECTIONS = ("rising", "falling", "both")


@dataclass(frozen=True, eq=False)
class Crossing:
    """A sensor of one number that crosses a value: the condition of an event (``System.event``).

    ``sensor >= value`` is short for a rising one, ``sensor <= value`` for a falling one.

    direction : "rising", "falling" or "both"
    """

    sensor: Sensor
    value: float = 0.0
    direction: str = "rising"

    def __post_init__(self) -> None:
        if not isinstance(self.sensor, Sensor):
            raise MechanismError(f"crossing: expected a sensor, got {self.sensor!r}; make one with system.sensor(...)")
        where = f"crossing of sensor '{self.sensor.name}'"
        if self.sensor.size != 1:
            raise MechanismError(f"{where}: it has {self.sensor.size} numbers; use one of them, sensor[i]")
        if isinstance(self.value, Sensor):
            raise MechanismError(
                f"{where}: its value must be a number, not a sensor; let a function of both cross zero, "
                "system.function(lambda t, x, y: x - y, (one, other)) >= 0"
            )
        object.__setattr__(self, "value", as_number(self.value, f"{where}: value"))
        if self.direction not in DIRECTIONS:
            raise MechanismError(f"{where}: direction = {self.direction!r}; expected one of {', '.join(DIRECTIONS)}")

    def __bool__(self) -> bool:
        raise MechanismError(
            f"sensor '{self.sensor.name}' has no value before a run: a comparison of sensors is the condition of an "
            "event, system.event(when=sensor >= value, do=...)"
        )


@dataclass(frozen=True, eq=False)
class State(Sensor):
    """Unknowns x with x' = f(t, x, inputs) of a user; itself a sensor of x.  Made by ``System.state``."""

    start: np.ndarray = field(default_factory=lambda: np.zeros(1))
    rule: list[Any] = field(default_factory=list, repr=False)  # the UserFunction of the rates, or (Quantity, lag)

    def __post_init__(self) -> None:
        readings = (Reading(t.COORDINATE, owner=self, part=i, measures=RATE) for i in range(len(self.start)))
        object.__setattr__(self, "readings", tuple(readings))


@dataclass(frozen=True, eq=False)
class Variable(State):
    """A number that events set, held in between; itself a sensor of it (``System.variable``)."""


@dataclass(frozen=True, eq=False)
class Controller(State):
    """Outputs of a sampled controller, held between samples; itself a sensor of them (``System.controller``).

    ``rule``: its UserFunction.
    """

    period: float = 0.0  # s
    first: float = 0.0  # s, first sample


@dataclass(frozen=True, eq=False)
class UserFunction:
    """A function f(t, *inputs) of the user with ``outputs`` numbers.

    ``compiled``: True by numba (an error when it cannot), False never, None where numba can.
    """

    name: str
    function: object
    inputs: tuple[Sensor, ...]
    outputs: int = 1
    compiled: bool | None = None

    def sensor(self, unit: str = "") -> Sensor:
        """Its outputs as a sensor."""
        return Sensor(self.name, unit, tuple(Reading(t.SIGNAL_VALUE, owner=self, part=i) for i in range(self.outputs)))

    @property
    def depends_on_accelerations(self) -> bool:
        """Whether an input is an acceleration or a reaction, which are known only during a run."""
        return any(
            reading.of_accelerations or isinstance(reading.owner, UserFunction) and reading.owner.depends_on_accelerations
            for sensor in self.inputs
            for reading in sensor.readings
        )

    def arguments(self, values: np.ndarray) -> list[float | np.ndarray]:
        """Arguments after the time: a float for each sensor with one number, otherwise an array."""
        found: list[float | np.ndarray] = []
        at = 0
        for sensor in self.inputs:
            part = values[at : at + sensor.size]
            found.append(float(part[0]) if sensor.size == 1 else np.array(part))
            at += sensor.size
        return found

    def checked(self, result: ArrayLike) -> np.ndarray:
        """(outputs,) values that the function returned; MechanismError if their number is wrong."""
        try:
            values = np.atleast_1d(np.asarray(result, dtype=float))
        except (TypeError, ValueError):
            values = np.zeros((0, 0))
        if values.shape != (self.outputs,):
            what = "one number" if self.outputs == 1 else f"{self.outputs} numbers"
            raise MechanismError(f"{self.name} returned {result!r}; expected {what}")
        return values


#: What a user function reads: one sensor, or several.
UserInputs: TypeAlias = Sensor | Sequence[Sensor]


def cut_for_reactions(sensor: Sensor, where: str) -> None:
    """Cut the joints whose reactions ``where`` needs while forces are computed; a MechanismWarning says so.

    The reaction of a joint in the spanning tree is known only after all forces are known: enough for a history, but not
    for a force or a function. In a cut joint the reaction is given by the multipliers, which are unknowns.
    """
    for reading in sensor.readings:
        owner: Any = reading.owner
        if reading.kind == t.REACTION and getattr(owner, "cut", True) is False:
            owner.cut = True
            warn(
                f"joint '{owner.name}': {where} depends on its reaction (sensor '{sensor.name}'), so the joint is cut: "
                "constraints replace its coordinates in the equations of motion. State the joint with cut=True to "
                "accept this",
                MechanismWarning,
            )


def user_function(name: str, function: object, inputs: UserInputs, outputs: int = 1, compiled: bool | None = None) -> UserFunction:
    """A user function with checked inputs; MechanismError names what is wrong."""
    if not callable(function):
        raise MechanismError(f"{name}: expected a function of time and of its inputs, got {function!r}")
    chosen = (inputs,) if isinstance(inputs, Sensor) else tuple(inputs)
    for sensor in chosen:
        if not isinstance(sensor, Sensor):
            raise MechanismError(f"{name}: input {sensor!r} is not a sensor; make one with system.sensor(...)")
        cut_for_reactions(sensor, name)
    if not (isinstance(outputs, int | np.integer) and outputs > 0):
        raise MechanismError(f"{name}: outputs = {outputs!r} must be a positive whole number")
    return UserFunction(name, function, chosen, int(outputs), compiled)
