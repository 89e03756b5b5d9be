"""Sensors, user functions and user states as entries of the flat tables.

Outputs of user functions stand behind the functions of time in ``Workspace.signal``; while their number is not known
yet, output k is written as row -2 - k (:func:`final_row`).
"""

from __future__ import annotations

import zlib

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import force_tables as t
from flexmbs.core.layout.records import make_record
from flexmbs.core.sensors.coordinates import RATE
from flexmbs.mechanism.latches import LockForce
from flexmbs.mechanism.sensors import Controller, Reading, Sensor, State, UserFunction, Variable
from flexmbs.mechanism.time_signals import Signal

TIME = Signal("time", 0.0, lambda time: time)


def final_row(row, signals: int):
    """Row (or rows) of ``Workspace.signal`` once the number of functions of time is known."""
    row = np.asarray(row)
    return np.where(row <= -2, signals - 2 - row, row)


class FunctionTables:
    """Collects sensors, functions and states while a system is compiled."""

    def __init__(self, compiler):
        self.compiler = compiler
        records: dict[str, list[np.void]] = compiler.records
        self.sensors, self.functions, self.states, self.samplers = (
            records[name] for name in ("sensors", "functions", "states", "samplers")
        )
        self.inputs: list[int] = []
        self.user_functions: list[UserFunction | None] = []  # in the order of the table; None: outputs are the inputs
        self.outputs = 0
        self.state_coordinates: dict[int, int] = {}  # id of a state -> its first coordinate
        self.lags: list[int] = []  # states (numbers) that start at the value they follow
        self.behind_forces = False  # whether sensors are read when the reactions of all joints are known (of events)
        self.multipliers: dict[int, int] = {}  # id of what reads the force of a lock -> its multiplier
        self._sensor_of: dict[int, int] = {}
        self._output_of: dict[int, int] = {}
        self._alive: list[Reading] = []  # so that their ids stay unique
        self._time: int | None = None

    def time_row(self) -> int:
        """Row of the signal that is the time itself."""
        if self._time is None:
            self._time = self.compiler.signal(TIME)
        return self._time

    def add_lag(self, name: str, source: Reading, lag: float) -> int:
        """A lag that starts at the start value of its source; returns the row of its value."""
        coordinate = self.compiler.add_state_coordinates(name, np.zeros(1))
        self.lags.append(len(self.states))
        self.states.append(make_record(t.USER_STATE, coordinate=coordinate, signal=self.output_row(source), lag=lag))
        return self.output_row(Reading(t.COORDINATE, part=coordinate, measures=RATE))

    def add_equations(self, state: State) -> None:
        """What changes a state: its function, its lag, or the samples of a controller."""
        first = self.state_coordinates[id(state)]
        numbers = range(state.size)
        rule = state.rule[0] if state.rule else None
        if isinstance(state, Controller):
            sampler = make_record(
                t.SAMPLER, function=self.function(rule, sampled=True), coordinate=first, period=state.period, first=state.first
            )
            self.samplers.append(sampler)
            self.states += [make_record(t.USER_STATE, coordinate=first + i) for i in numbers]
        elif isinstance(state, Variable):
            self.states += [make_record(t.USER_STATE, coordinate=first + i) for i in numbers]
        elif isinstance(rule, UserFunction):
            output = self._first_output(self.function(rule))
            self.states += [make_record(t.USER_STATE, coordinate=first + i, signal=-2 - (output + i)) for i in numbers]
        elif rule is not None:
            source, lag = rule
            self.states.append(make_record(t.USER_STATE, coordinate=first, signal=self.row(source), lag=lag))
        else:
            raise MechanismError(f"state '{state.name}' has no rate; give it one with system.set_rate(state, ...)")

    def row(self, quantity: Signal | Sensor) -> int:
        """Row of ``Workspace.signal`` that holds a quantity."""
        if isinstance(quantity, Signal):
            return self.compiler.signal(quantity)
        return self.output_row(quantity.readings[0])

    def output_row(self, reading: Reading) -> int:
        """Row of a reading: that of the function whose output it is, or of a function that hands it on."""
        if reading.kind == t.SIGNAL_VALUE and isinstance(reading.owner, UserFunction) and _plain(reading):
            return -2 - (self._first_output(self.function(reading.owner)) + reading.part)
        if id(reading) not in self._output_of:
            number = self.sensor(reading)  # which may add functions and their inputs first
            start = len(self.inputs)
            self.inputs.append(number)
            self._alive.append(reading)
            self._output_of[id(reading)] = self._add(None, 0, start, len(self.inputs), 1, False)
        return -2 - self._first_output(self._output_of[id(reading)])

    def function(self, function: UserFunction, sampled: bool = False) -> int:
        """Number of a user function; those whose outputs it needs come before it."""
        if id(function) not in self._output_of:
            numbers = [self.sensor(reading) for sensor in function.inputs for reading in sensor.readings]
            start = len(self.inputs)
            self.inputs += numbers
            added = self._add(function, -1, start, len(self.inputs), function.outputs, sampled)
            self._output_of[id(function)] = added
        return self._output_of[id(function)]

    def _add(self, function, address: int, start: int, end: int, outputs: int, sampled: bool) -> int:
        record = make_record(
            t.USER_FUNCTION,
            address=address,
            time=self.time_row(),
            input_start=start,
            input_end=end,
            output=self.outputs,
            outputs=outputs,
            sampled=sampled,
        )
        self.functions.append(record)
        self.user_functions.append(function)
        self.outputs += outputs
        return len(self.functions) - 1

    def _first_output(self, number: int) -> int:
        return int(self.functions[number]["output"])

    def sensor(self, reading: Reading) -> int:
        """Number of a reading in the table of sensors."""
        if id(reading) not in self._sensor_of:
            a, b, count = self._references(reading)
            record = make_record(
                t.SENSOR,
                kind=reading.kind,
                a=a,
                b=b,
                count=count,
                component=reading.component,
                axis=reading.axis,
                arm=reading.arm,
                factor=reading.factor,
                offset=reading.offset,
                of_accelerations=reading.of_accelerations,
            )
            if reading.measures is not None:  # called by address
                record["value"] = reading.measures.value.address
                record["keyword"] = zlib.crc32(reading.measures.keyword.encode())
                if reading.measures.counts_turns:
                    record["turn"] = self.compiler.forces.turns.number(reading.a, reading.b, reading.axis)
            self.sensors.append(record)
            self._sensor_of[id(reading)] = len(self.sensors) - 1
            self._alive.append(reading)
        return self._sensor_of[id(reading)]

    def _references(self, reading: Reading) -> tuple[int, int, int]:
        """Fields a, b and count of a sensor."""
        compiler, kind = self.compiler, reading.kind
        if kind == t.SIGNAL_VALUE:
            if reading.owner == "time":
                return self.time_row(), 0, 0
            return -2 - (self._first_output(self.function(reading.owner)) + reading.part), 0, 0
        if kind == t.MODAL_SUM:
            return compiler.pool.add(reading.weights), compiler.modal[reading.owner.name].start, len(reading.weights)
        if kind in (t.REACTION, t.NORMAL_LOAD):
            marker = 0 if reading.b is None else compiler.marker(reading.b)
            return compiler.reaction_row(reading.owner.name, self.behind_forces), marker, 0
        if kind == t.COORDINATE:
            return self._coordinate(reading), 0, 0
        if kind == t.ENERGY:
            return 0, 0, 0
        return compiler.marker(reading.a), compiler.marker(reading.b), 0

    def _coordinate(self, reading: Reading) -> int:
        owner, compiler = reading.owner, self.compiler
        if owner is None:
            return reading.part
        if isinstance(owner, LockForce):
            # as -1 - its number: coordinates stand before it that are not known yet
            if id(owner) not in self.multipliers:
                raise MechanismError(f"only events can read the force in the lock of '{owner.coordinate}'")
            return -1 - self.multipliers[id(owner)]
        if isinstance(owner, State):
            return self.state_coordinates[id(owner)] + reading.part
        if owner.name in compiler.modal:
            return compiler.modal[owner.name].start + reading.part
        return compiler.coordinate_index[f"{owner.name}.{reading.part}"]


def _plain(reading: Reading) -> bool:
    return reading.factor == 1.0 and reading.offset == 0.0


def part_name(name: str, i: int, size: int) -> str:
    """Name of one number of ``size``."""
    return name if size == 1 else f"{name}.{i}"
