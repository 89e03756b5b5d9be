"""Events of the user, their actions and what they lock, as entries of the flat tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import near_names
from flexmbs.core.laws.force.stop import StopLaw
from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import switch_tables as w
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_record
from flexmbs.core.sensors.coordinates import ACCELERATION, VALUE
from flexmbs.mechanism import events as e
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.latches import LockForce
from flexmbs.mechanism.rigid_stops import RigidStop
from flexmbs.mechanism.sensors import Crossing, Reading, Sensor, State, Variable
from flexmbs.model.compile_switches import add_switch

_DIRECTIONS = {"rising": w.RISING, "falling": w.FALLING, "both": w.BOTH}


def cut_joints_let_go(system) -> None:
    """Cut the joints that an event lets go altogether: their constraints can be switched off."""
    locked = {joint for joint, _coordinate in locked_coordinates(system)}
    for joint, coordinate, where in _targets(system, e.Free):
        if joint.name not in locked:
            if coordinate is not None:
                raise MechanismError(
                    f"{where}: nothing locks '{coordinate}' of joint '{joint.name}', so that it "
                    "cannot be freed; fm.Free(joint) lets the whole joint go"
                )
            joint.cut = True


def locked_coordinates(system) -> dict[tuple[str, str], None]:
    """(joint, coordinate) of all that events can lock, in their order."""
    found = [(joint.name, name) for joint, along, where in _targets(system, e.Lock) for name in _coordinates(joint, along, where)]
    return dict.fromkeys(found)


def _targets(system, kind: type[e.Lock] | type[e.Free]) -> Iterator[tuple[Joint, str | None, str]]:
    """Joint and coordinate (None: all) of each action of a kind, and how messages name its event."""
    for event in system.events.values():
        for action in event.do:
            if isinstance(action, kind):
                yield *_target(system, action.joint, f"event '{event.name}'"), f"event '{event.name}'"


def _target(system, given: object, where: str) -> tuple[Joint, str | None]:
    """Joint and coordinate (None: all) of an action."""
    joint, coordinate = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    if isinstance(joint, str):
        if joint not in system.joints:
            raise MechanismError(f"{where}: there is no joint '{joint}'. {near_names(joint, system.joints)}")
        joint = system.joints[joint]
    if not isinstance(joint, Joint):
        raise MechanismError(f"{where}: expected a joint, (joint, 'coordinate') or the name of a joint, got {given!r}")
    if system.joints.get(joint.name) is not joint:
        raise MechanismError(f"{where}: joint '{joint.name}' belongs to another system")
    if coordinate is not None and coordinate not in joint.type.coordinates:
        raise MechanismError(
            f"{where}: joint '{joint.name}' ({joint.type.name}) has no coordinate '{coordinate}'. "
            f"{near_names(str(coordinate), joint.type.coordinates)}"
        )
    return joint, coordinate


def _coordinates(joint: Joint, coordinate: str | None, where: str) -> list[str]:
    """Coordinates of a joint that a lock holds."""
    if coordinate is None and joint.type.ends_with_ball:
        raise MechanismError(
            f"{where}: joint '{joint.name}' ({joint.type.name}) ends with a ball, whose rotation cannot be locked; "
            "use a joint whose rotations have angles, such as a universal one, or lock (joint, 'coordinate')"
        )
    names = list(joint.type.coordinates) if coordinate is None else [coordinate]
    if not names:
        raise MechanismError(f"{where}: joint '{joint.name}' ({joint.type.name}) has no coordinate to lock")
    for name in names:
        if name in joint.drivers:
            raise MechanismError(
                f"{where}: '{name}' of joint '{joint.name}' is prescribed, so that a lock would contradict its driver"
            )
    return names


def add_events(compiler, system) -> None:
    """Switches of locks and of joints that are let go, then events with their actions."""
    locks = {key: _add_lock(compiler, *key, ".".join(key)) for key in locked_coordinates(system)}
    _switch_couplings(compiler, system, locks)
    made = _EventCompiler(compiler, system, locks)
    for event in system.events.values():
        made.add(event)
    for name, sensor, value in stops(system):
        made.add(e.Event(name, Crossing(sensor, value, "both")))
    _add_rigid_stops(compiler, system, made)


def stops(system) -> list[tuple[str, Sensor, float]]:
    """Name, coordinate and value of each end of a joint's stops: the force has a kink there, so that steps end."""
    found = []
    for joint in system.joints.values():
        for element in joint.forces:
            if isinstance(element.law, StopLaw):
                reading = Reading(f.COORDINATE, owner=joint, part=element.coordinate, measures=VALUE)
                ends = (("lower", element.law.lower), ("upper", element.law.upper))
                for word, value in ends:
                    if math.isfinite(value):
                        found.append((f"{element.name}.{word}", Sensor(element.name, "", (reading,)), value))
    return found


def rigid_stop_names(system) -> list[str]:
    """Names of the events of rigid stops: of each end that it is hit, and that it is left."""
    return [f"{one[0]}{word}" for one in _rigid_ends(system) for word in ("", " left")]


def _rigid_ends(system) -> list[tuple[str, Joint, RigidStop, str, float]]:
    """Name, joint, stop, end and value of each end of a rigid stop."""
    return [
        (f"{joint.name}.{stop.coordinate}.{stop.name}.{word}", joint, stop, word, value)
        for joint in system.joints.values()
        for stop in joint.stops
        for word, value in stop.ends
    ]


def _add_rigid_stops(compiler, system, made: _EventCompiler) -> None:
    """A switch and two events of each end: it is hit; the force that holds the coordinate there vanishes."""
    ends = _rigid_ends(system)
    for name, joint, stop, word, value in ends:
        start = joint.start.get(stop.coordinate, 0.0)
        if (start > value) if word == "upper" else (start < value):
            raise MechanismError(f"'{name}': the coordinate starts at {start:g}, beyond its stop at {value:g}")
        if stop.coordinate in joint.drivers:
            raise MechanismError(f"'{name}': the coordinate is prescribed, so that a stop would contradict its driver")
    for number, (_name, joint, stop, word, value) in enumerate(ends):
        way = "rising" if word == "upper" else "falling"
        reading = Reading(f.COORDINATE, owner=joint, part=stop.coordinate, measures=VALUE)
        first = len(compiler.records["actions"])
        made.put(w.REBOUND, made.stop_switches[number], stop.restitution)
        made.put(w.LEAVE, made.stop_switches[number])
        sensor = made.functions.sensor(reading)
        made.put_event(sensor, value, way, first, first + 1, True)
        force = made.functions.sensor(made.multiplier(made.stop_switches[number]))
        # the force on the coordinate at an upper stop is negative
        made.put_event(force, 0.0, way, first + 1, first + 2, False)


def _add_lock(compiler, joint: str, coordinate: str, name: str) -> int:
    number = compiler.coordinate_index[f"{joint}.{coordinate}"]
    start = len(compiler.records["terms"])
    compiler.records["terms"].append(make_record(t.TERM, coordinate=number, factor=1.0))
    anchor = history_so_far(compiler)
    return add_switch(compiler, name, w.HOLD, ("lock",), start=start, end=start + 1, anchor_at=anchor)


def history_so_far(compiler) -> int:
    """Numbers of State.contact_history that have an owner."""
    anchors = sum(int(record["anchor_at"]) >= 0 for record in compiler.records["switches"])
    contacts = sum(int(record["history"]) for record in compiler.records["contacts"])
    return contacts + anchors + w.EVENT_MEMORY * len(compiler.records["events"])


def _switch_couplings(compiler, system, locks) -> None:
    """Couplings whose coordinates can all be locked are off while they are: they would carry no definite load."""
    for name, constraint in system.constraints.items():
        terms = getattr(constraint, "terms", None)
        if terms and all((joint.name, coordinate) in locks for joint, coordinate, _factor in terms):
            _switch_constraint(compiler, name)


def _switch_constraint(compiler, name: str) -> int:
    """A switch for the rows of a constraint or cut joint."""
    record = compiler.records["constraints"][compiler.constraint_names.index(name)]
    if record["switch"] == NONE:
        compiler.switch_names.append(name)
        compiler.records["switches"].append(make_record(w.SWITCH, kind=w.OF_CONSTRAINT, row=record["row"], rows=record["rows"]))
        record["switch"] = len(compiler.records["switches"]) - 1
    return int(record["switch"])


class _EventCompiler:
    """Fills the tables of events and actions."""

    def __init__(self, compiler, system, locks: dict[tuple[str, str], int]):
        self.compiler, self.system, self.locks = compiler, system, locks
        self.functions = compiler.forces.functions
        self.records = compiler.records
        self.forces: list[LockForce] = []
        self.released: dict[str, int] = {}
        self.stop_switches = [
            _add_lock(compiler, joint.name, stop.coordinate, name) for name, joint, stop, _word, _value in _rigid_ends(system)
        ]
        joints = {joint for joint, _coordinate in locks}
        for joint, _coordinate, _where in _targets(system, e.Free):
            if joint.name not in joints:
                self.released[joint.name] = _switch_constraint(compiler, joint.name)

    def add(self, event: e.Event) -> None:
        """One event."""
        where, start = f"event '{event.name}'", len(self.records["actions"])
        for action in event.do:
            self.action(action, where)
        sensor = self.sensor(event.when.sensor, where) if isinstance(event.when, Crossing) else NONE
        value = event.when.value if isinstance(event.when, Crossing) else event.when.time
        repeats = event.repeats and isinstance(event.when, Crossing)
        self.put_event(
            sensor, value, getattr(event.when, "direction", "both"), start, len(self.records["actions"]), event.armed, repeats
        )

    def put_event(self, sensor: int, value: float, direction: str, start: int, end: int, armed: bool, repeats: bool = True) -> None:
        """The record of an event with actions ``start`` to ``end``."""
        record = make_record(
            w.EVENT,
            sensor=sensor,
            value=value,
            direction=_DIRECTIONS[direction],
            action_start=start,
            action_end=end,
            repeats=repeats,
            armed=w.ARMED if armed else w.DISARMED,
            memory_at=history_so_far(self.compiler),
        )
        self.records["events"].append(record)

    def multiplier(self, switch: int) -> Reading:
        """What reads the force of a switch's lock."""
        force = LockForce(None, self.compiler.switch_names[switch])
        self.functions.multipliers[id(force)] = int(self.records["switches"][switch]["row"])
        self.forces.append(force)  # so that its id stays unique
        return Reading(f.COORDINATE, owner=force, measures=ACCELERATION)

    def sensor(self, sensor: Sensor, where: str) -> int:
        """Number of a sensor; of the force in a lock its multiplier, counted from behind the coordinates."""
        reading = sensor.readings[0]
        if isinstance(reading.owner, LockForce):
            key = (reading.owner.joint.name, reading.owner.coordinate)
            row = self.records["switches"][self.locks[key]]["row"]
            self.functions.multipliers[id(reading.owner)] = int(row)
        self.functions.behind_forces = True
        number = self.functions.sensor(reading)
        self.functions.behind_forces = False
        return number

    def action(self, action: e.Action, where: str) -> None:
        """Records of one action."""
        if isinstance(action, e.Lock):
            joint, coordinate = _target(self.system, action.joint, where)
            for name in _coordinates(joint, coordinate, where):
                self.put(w.LOCK, self.locks[joint.name, name])
        elif isinstance(action, e.Free):
            joint, coordinate = _target(self.system, action.joint, where)
            for switch in self.freed(joint, coordinate, where):
                self.put(w.FREE, switch)
        elif isinstance(action, e.Set):
            self.set(action, where)
        elif isinstance(action, e.Restart):
            state = self.named(action.state, self.system.states, State, "state or controller", where)
            first = self.functions.state_coordinates[id(state)]
            for i, value in enumerate(state.start):
                self.put(w.SET, first + i, float(value))
        elif isinstance(action, e.Stop):
            self.put(w.STOP)
        else:
            kind = w.ARM if isinstance(action, e.Arm) else w.DISARM
            event = self.named(action.event, self.system.events, e.Event, "event", where)
            self.put(kind, list(self.system.events).index(event.name))

    def freed(self, joint: Joint, coordinate: str | None, where: str) -> list[int]:
        """Switches that letting go a joint, or a coordinate of it, opens."""
        if joint.name in self.released:
            return [self.released[joint.name]]
        found = [s for (name, along), s in self.locks.items() if name == joint.name and coordinate in (None, along)]
        if not found:
            raise MechanismError(f"{where}: nothing locks '{coordinate}' of joint '{joint.name}'")
        return found

    def set(self, action: e.Set, where: str) -> None:
        variable = self.named(action.variable, self.system.states, Variable, "variable", where)
        first = self.functions.state_coordinates[id(variable)]
        if isinstance(action.value, Sensor):
            if action.value.size != 1:
                raise MechanismError(f"{where}: sensor '{action.value.name}' has {action.value.size} numbers; use one")
            self.put(w.SET, first, 0.0, self.sensor(action.value, where))
        else:
            self.put(w.SET, first, e.as_number(action.value, f"{where}: value of '{variable.name}'"))

    def named(self, given, known, kind, what: str, where: str):
        """Something of this system that an action refers to, itself or by its name."""
        found = known.get(given) if isinstance(given, str) else given
        if isinstance(given, str) and not isinstance(found, kind):
            names = [name for name, one in known.items() if isinstance(one, kind)]
            raise MechanismError(f"{where}: there is no {what} '{given}'. {near_names(given, names)}")
        if not isinstance(found, kind):
            raise MechanismError(f"{where}: expected a {what} or its name, got {given!r}")
        if known.get(found.name) is not found:
            raise MechanismError(f"{where}: {what} '{found.name}' belongs to another system")
        return found

    def put(self, kind: int, target: int = NONE, value: float = 0.0, sensor: int = NONE) -> None:
        self.records["actions"].append(make_record(w.ACTION, kind=kind, target=target, value=value, sensor=sensor))
