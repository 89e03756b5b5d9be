"""Elements, bushings and loads as entries of the flat tables, and the histories that they leave in a result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import tables as t
from flexmbs.mechanism.characteristics import Characteristic
from flexmbs.mechanism.forces import AppliedLaw, Element, FrictionLaw, Load, MotorLaw, SpringLaw
from flexmbs.mechanism.sensors import Reading
from flexmbs.model.compile_functions import FunctionTables, part_name


@dataclass(frozen=True)
class RecordColumn:
    """A history: ``factor`` times number ``at`` of ``Workspace.record``, or of the reaction of ``reaction_of``."""

    name: str
    unit: str
    at: int
    factor: float = 1.0
    reaction_of: str = ""  # joint or constraint; ``at`` is then the component (three forces, three moments)


class ForceTables:
    """Collects forces while a system is compiled; lives only during :func:`compile_system`."""

    def __init__(self, compiler):
        self.compiler = compiler
        self.functions = FunctionTables(compiler)
        self.columns: list[RecordColumn] = []
        self.record_size = 0
        self.records: dict[str, list[tuple]] = {key: [] for key in ("elements", "bushings", "spread_loads", "loads")}

    def add_all(self, system) -> None:
        """Everything that the system states; joints, bodies and constraints have their numbers already."""
        for state in system.states.values():
            self.functions.add_coordinates(state)
        for joint in system.joints.values():
            for element in joint.forces:
                self.add_element(element)
        for element in system.springs.values():
            self.add_element(element)
        for bushing in system.bushings.values():
            self.add_bushing(bushing)
        for load in system.loads.values():
            self.add_load(load)
        for function in system.functions.values():
            self.functions.function(function)
        for state in system.states.values():
            self.functions.add_equations(state)
        # reactions are known only after everything else: their histories are read from the reactions themselves
        named = {
            name: [r if r.kind == f.REACTION else self.functions.sensor(r) for r in sensor.readings]
            for name, sensor in system.sensors.items()
        }
        self.number_records(system, named)

    def add_element(self, element: Element) -> None:
        geometry, a, b, axis = f.COORDINATE_ELEMENT, 0, 0, (0.0, 0.0, 1.0)
        if element.joint is not None:
            a = self.compiler.coordinate_index[f"{element.joint.name}.{element.coordinate}"]
        else:
            a, b = self.compiler.marker(element.a), self.compiler.marker(element.b)
            geometry = f.LINE_ELEMENT if element.axis is None else f.TWIST_ELEMENT
            axis = element.axis or axis
        law, rest, signal, table, damper, numbers = self.law(element)
        at = self._take(f.ELEMENT_RECORD)
        padded = (*numbers, *(0.0,) * (6 - len(numbers)))
        self.records["elements"].append((geometry, law, a, b, *axis, rest, signal, at, table, damper, *padded))
        self.columns += _element_columns(element, at)

    def law(self, element: Element) -> tuple:
        """Number of the law, rest, signal, tables and numbers of an element."""
        law = element.law
        if isinstance(law, SpringLaw):
            k, table = self._part(law.stiffness)
            c, damper = self._part(law.damping)
            return f.SPRING_LAW, law.rest, -1, table, damper, (k, c, law.preload)
        if isinstance(law, FrictionLaw):
            row = self._reaction_load(element) if law.normal is None else self.functions.row(law.normal)
            numbers = (law.static, law.dynamic, law.transition, law.full_slip, law.radius)
            return f.FRICTION_LAW, 0.0, row, -1, -1, numbers
        if isinstance(law, MotorLaw):
            return f.MOTOR_LAW, 0.0, self.functions.row(law.command), self._part(law.curve)[1], -1, ()
        if isinstance(law, AppliedLaw):
            return f.APPLIED_LAW, 0.0, self.functions.row(law.force), -1, -1, (law.factor,)
        return f.STOP_LAW, 0.0, -1, -1, -1, (law.lower, law.upper, law.stiffness, law.exponent, law.damping, law.depth)

    def _part(self, given: float | Characteristic) -> tuple[float, int]:
        """Number and table (-1: none) of a stiffness, a damping or a motor's curve."""
        if isinstance(given, Characteristic):
            return 0.0, self.compiler.pool.add(given.packed())
        return given, -1

    def _reaction_load(self, element: Element) -> int:
        """Row of the normal load of friction: the reaction of the joint, filtered by a lag."""
        joint, law = element.joint, element.law
        direction = next(axis.direction for axis in joint.type.axes if axis.coordinate == element.coordinate)
        turns = joint.type.coordinates[element.coordinate] == "rad"
        reading = Reading(
            f.NORMAL_LOAD, b=joint.a, owner=joint, component=int(turns), axis=tuple(direction), arm=law.arm
        )
        return self.functions.add_lag(f"{element.name}.normal_force", reading, law.lag)

    def add_bushing(self, bushing) -> None:
        add, at = self.compiler.pool.add, self._take(f.BUSHING_RECORD)
        self.records["bushings"].append(
            (
                self.compiler.marker(bushing.a), self.compiler.marker(bushing.b), add(bushing.stiffness),
                add(bushing.damping), add(np.concatenate([bushing.rest, bushing.preload])), at,
            )
        )  # fmt: skip
        words = (("displacement", "m", 0), ("rotation", "rad", 3), ("force", "N", 12), ("moment", "N m", 15))
        for word, unit, first in words:
            self.columns += [
                RecordColumn(f"{bushing.name}.{word}.{axis}", unit, at + first + k) for k, axis in enumerate("xyz")
            ]
        self.columns.append(RecordColumn(f"{bushing.name}.power", "W", at + 18))

    def add_load(self, load) -> None:
        if not isinstance(load, Load):
            body = self.compiler.body_index[load.body]
            row = self.functions.row(load.amplitude)
            self.records["spread_loads"].append((body, row, self.compiler.pool.add(load.fields)))
            return
        x, y, z = (self.functions.row(component) for component in load.components)
        frame = t.FOLLOWER if load.follower else t.WORLD
        self.records["loads"].append(
            (self.compiler.marker(load.marker), int(load.is_torque), frame, x, y, z, load.factor)
        )

    def number_records(self, system, named: dict[str, list[int | Reading]]) -> None:
        """Places in ``Workspace.record`` of sensors and outputs; histories of those that have names."""
        functions = self.functions
        for sensor in functions.sensors:
            sensor[-1] = self._take(1)
        for function in functions.functions:
            function[-1] = self._take(function[5])
        for name, measured in named.items():
            unit, size = system.sensors[name].unit, len(measured)
            for i, one in enumerate(measured):
                label = part_name(name, i, size)
                if isinstance(one, Reading):
                    self.columns.append(RecordColumn(label, unit, one.component, one.factor, one.owner.name))
                else:
                    self.columns.append(RecordColumn(label, unit, functions.sensors[one][-1]))
        for name, function in system.functions.items():
            at = functions.functions[functions.function(function)][-1]
            self.columns += [
                RecordColumn(part_name(name, i, function.outputs), "", at + i) for i in range(function.outputs)
            ]

    def _take(self, count: int) -> int:
        at = self.record_size
        self.record_size += count
        return at


def _element_columns(element: Element, at: int) -> list[RecordColumn]:
    """Histories of an element; the force of a spring between markers is its tension."""
    name = element.name
    if element.joint is not None:
        unit = "N m" if element.joint.type.coordinates[element.coordinate] == "rad" else "N"
        return [RecordColumn(f"{name}.effort", unit, at + 2), RecordColumn(f"{name}.power", "W", at + 3)]
    if element.axis is None:
        words = (("length", "m", 1.0), ("rate", "m/s", 1.0), ("force", "N", -1.0), ("power", "W", 1.0))
    else:
        words = (("angle", "rad", 1.0), ("rate", "rad/s", 1.0), ("torque", "N m", 1.0), ("power", "W", 1.0))
    return [RecordColumn(f"{name}.{word}", unit, at + k, factor) for k, (word, unit, factor) in enumerate(words)]
