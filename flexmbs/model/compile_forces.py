"""Elements, bushings and loads as entries of the flat tables, and the histories that they leave in a result."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import cast

import numpy as np

from flexmbs.core.laws.force.force_law import ReactionLoad, law_energy, law_force
from flexmbs.core.laws.force.joint_friction import JointFriction
from flexmbs.core.laws.force.sticking_friction import StickingFriction
from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_record
from flexmbs.mechanism.forces import Element, Load, quantity
from flexmbs.mechanism.sensors import Reading
from flexmbs.mechanism.time_signals import Signal
from flexmbs.model.compile_friction import compiled_friction
from flexmbs.model.compile_functions import FunctionTables, part_name
from flexmbs.model.compile_joint_friction import add_joint_friction, record_columns
from flexmbs.model.compile_turns import TurnTable


def law_number(law: type) -> int:
    """What ``Tables.elements`` and saved states know a law by."""
    return zlib.crc32(law.__qualname__.encode())


@dataclass(frozen=True)
class RecordColumn:
    """A history: ``factor`` times number ``at`` of ``Workspace.record``, or of the reaction of ``reaction_of``."""

    name: str
    unit: str
    at: int
    factor: float = 1.0
    reaction_of: str = ""  # joint or constraint; ``at`` is then the component (three forces, three moments)


class ForceTables:
    """Collects forces while a mechanism is compiled (``compile_mechanism.compile_system``), and lives only so long."""

    def __init__(self, compiler):
        self.compiler = compiler
        self.functions, self.turns = FunctionTables(compiler), TurnTable(compiler)
        self.columns: list[RecordColumn] = []
        self.record_size = 0
        self.records = compiler.records

    def add_all(self, system) -> dict[str, list[int | Reading]]:
        """Everything that the system states; joints, bodies and constraints have their numbers already.

        What the named sensors read, for :meth:`number_records`.
        """
        for state in system.states.values():
            # unknowns of a state are velocities of coordinates without a position
            first = self.compiler.add_state_coordinates(state.name, state.start)
            self.functions.state_coordinates[id(state)] = first
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
        return {
            name: [r if r.kind == f.REACTION else self.functions.sensor(r) for r in sensor.readings]
            for name, sensor in system.sensors.items()
        }

    def add_sticking(self, element: Element) -> None:
        """Friction that sticks in a joint."""
        at, number = self._take(f.ELEMENT_RECORD), len(self.records["elements"])
        a = add_joint_friction(self.compiler, element, self._given(element), number)
        law = law_number(type(element.law))
        self.records["elements"].append(make_record(f.ELEMENT, a=a, at=at, slides=f.STICKS, law=law))
        self.columns += [RecordColumn(f"{element.name}.{word}", unit, at + place) for word, unit, place in record_columns(element)]

    def add_element(self, element: Element) -> None:
        if isinstance(element.law, StickingFriction):
            self.add_sticking(element)
            return
        geometry, a, b, turn = f.COORDINATE_ELEMENT, 0, 0, NONE
        if element.joint is not None:
            a = self.compiler.coordinate_index[f"{element.joint.name}.{element.coordinate}"]
        else:
            a, b = self.compiler.marker(element.a), self.compiler.marker(element.b)
            geometry = f.LINE_ELEMENT
            if element.axis is not None:
                geometry, turn = f.ANGLE_ELEMENT, self.turns.number(element.a, element.b, element.axis)
        at = self._take(f.ELEMENT_RECORD)
        law, parameters = self.friction(element) if isinstance(element.law, JointFriction) else self.law(element)
        law |= {"signal": self._given(element), "parameters_at": self.compiler.pool.add(parameters), "parameters": len(parameters)}
        self.records["elements"].append(make_record(f.ELEMENT, geometry=geometry, a=a, b=b, turn=turn, at=at, **law))
        self.columns += _element_columns(element, at)

    def law(self, element: Element) -> tuple[dict[str, object], np.ndarray]:
        """Fields of an element's record that belong to its law, and the parameters of that."""
        law, address_of = type(element.law), self.compiler.signals.address_of
        functions = {"force": address_of(law_force, law.force), "energy": address_of(law_energy, law.energy)}
        return functions | {"law": law_number(law)}, np.asarray(element.law.parameters(), dtype=float)

    def friction(self, element: Element) -> tuple[dict[str, object], np.ndarray]:
        """The same with a friction law of contacts."""
        law = cast(JointFriction, element.law)
        made = compiled_friction(law.law, element.name, self.compiler.signals, line=True)
        fields = {"force": made.address, "law": made.law, "slides": f.SLIDES, "radius": law.radius}
        return fields | self.compiler.add_bristles(element.name, made), made.parameters

    def _given(self, element: Element) -> int:
        """Row of ``Workspace.signal`` with what a law depends on."""
        given = element.law.given
        if isinstance(given, ReactionLoad):
            return self._reaction_load(element, given)
        if given is None:
            return NONE
        return self.functions.row(given if isinstance(given, Signal) else quantity(given, element.name))

    def _reaction_load(self, element: Element, load: ReactionLoad) -> int:
        """Row of the normal load of friction: the reaction of the joint, filtered by a lag."""
        joint = element.joint
        direction = next(axis.direction for axis in joint.type.axes if axis.coordinate == element.coordinate)
        turns = joint.type.coordinates[element.coordinate] == "rad"
        reading = Reading(f.NORMAL_LOAD, b=joint.a, owner=joint, component=int(turns), axis=tuple(direction), arm=load.arm)
        return self.functions.add_lag(f"{element.name}.normal_force", reading, load.lag)

    def add_friction(self, name: str) -> int:
        """Place in ``Workspace.record`` of the friction of a contact point, with its histories."""
        at = self._take(f.FRICTION_RECORD)
        self._add_vectors(name, at, ("friction", "N", f.FRICTION_FORCE), ("friction_moment", "N m", f.FRICTION_MOMENT))
        self.columns.append(RecordColumn(f"{name}.friction_power", "W", at + f.FRICTION_POWER))
        return at

    def add_bushing(self, bushing) -> None:
        at = self._take(f.BUSHING_RECORD)
        record = make_record(
            f.BUSHING,
            a=self.compiler.marker(bushing.a),
            b=self.compiler.marker(bushing.b),
            at=at,
            stiffness=bushing.stiffness,
            damping=bushing.damping,
            rest=bushing.rest,
            preload=bushing.preload,
            turn=self.turns.of_bushing(bushing.a, bushing.b, bushing.stiffness[3:, 3:]),
        )
        self.records["bushings"].append(record)
        self._add_vectors(bushing.name, at, ("displacement", "m", f.DEFORMATION), ("rotation", "rad", f.DEFORMATION + 3))
        self._add_vectors(bushing.name, at, ("force", "N", f.BUSHING_FORCE), ("moment", "N m", f.BUSHING_MOMENT))
        self.columns.append(RecordColumn(f"{bushing.name}.power", "W", at + f.BUSHING_POWER))

    def add_load(self, load) -> None:
        if not isinstance(load, Load):
            body = self.compiler.body_index[load.body]
            row = self.functions.row(load.amplitude)
            record = make_record(f.SPREAD_LOAD, body=body, signal=row, field_at=self.compiler.pool.add(load.fields))
            self.records["spread_loads"].append(record)
            return
        rows = {f"s{axis}": self.functions.row(part) for axis, part in zip("xyz", load.components, strict=True)}
        marker, frame = self.compiler.marker(load.marker), t.FOLLOWER if load.follower else t.WORLD
        record = make_record(t.LOAD, marker=marker, is_torque=load.is_torque, frame=frame, factor=load.factor, **rows)
        self.records["loads"].append(record)

    def number_records(self, system, named: dict[str, list[int | Reading]]) -> None:
        """Places in ``Workspace.record`` of sensors and outputs; histories of those that have names."""
        functions = self.functions
        for sensor in functions.sensors:
            sensor["at"] = self._take(1)
        for function in functions.functions:
            function["at"] = self._take(int(function["outputs"]))
        for name, measured in named.items():
            unit, size = system.sensors[name].unit, len(measured)
            for i, one in enumerate(measured):
                label = f"{name}.{'xyz'[i]}" if size == 3 else part_name(name, i, size)  # vectors
                if isinstance(one, Reading):
                    self.columns.append(RecordColumn(label, unit, one.component, one.factor, one.owner.name))
                else:
                    self.columns.append(RecordColumn(label, unit, int(functions.sensors[one]["at"])))
        for name, function in system.functions.items():
            at = int(functions.functions[functions.function(function)]["at"])
            self.columns += [RecordColumn(part_name(name, i, function.outputs), "", at + i) for i in range(function.outputs)]

    def _add_vectors(self, name: str, at: int, *vectors: tuple[str, str, int]) -> None:
        """Histories of words, with their units and places behind ``at``, of three numbers each."""
        for word, unit, first in vectors:
            self.columns += [RecordColumn(f"{name}.{word}.{axis}", unit, at + first + k) for k, axis in enumerate("xyz")]

    def _take(self, count: int) -> int:
        at = self.record_size
        self.record_size += count
        return at


def _element_columns(element: Element, at: int) -> list[RecordColumn]:
    """Histories of an element; the force of a spring between markers is its tension."""
    name = element.name
    if element.joint is not None:
        unit = "N m" if element.joint.type.coordinates[element.coordinate] == "rad" else "N"
        return [
            RecordColumn(f"{name}.effort", unit, at + f.ELEMENT_FORCE),
            RecordColumn(f"{name}.power", "W", at + f.ELEMENT_POWER),
        ]
    if element.axis is None:
        words = (("length", "m", 1.0), ("rate", "m/s", 1.0), ("force", "N", -1.0), ("power", "W", 1.0))
    else:
        words = (("angle", "rad", 1.0), ("rate", "rad/s", 1.0), ("torque", "N m", 1.0), ("power", "W", 1.0))
    places = (f.MEASURED, f.MEASURED_RATE, f.ELEMENT_FORCE, f.ELEMENT_POWER)
    return [
        RecordColumn(f"{name}.{word}", unit, at + place, factor) for place, (word, unit, factor) in zip(places, words, strict=True)
    ]
