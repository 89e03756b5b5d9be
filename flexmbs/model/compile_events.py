"""Events of the user, their actions and what they lock, as entries of the flat tables."""

from __future__ import annotations

from flexmbs.common.errors import MechanismError
from flexmbs.common.names_in_messages import near_names
from flexmbs.core.layout import switch_tables as w
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_record
from flexmbs.mechanism import events as e
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.latches import LockForce
from flexmbs.mechanism.sensors import Controller, Crossing, Sensor, State, Variable
from flexmbs.model.compile_switches import add_switch

_DIRECTIONS = {"rising": w.RISING, "falling": w.FALLING, "both": w.BOTH}


def cut_joints_let_go(system) -> None:
    """Cut the joints that an event lets go altogether: their constraints can be switched off."""
    locked = {joint for joint, _coordinate in locked_coordinates(system)}
    for event in system.events.values():
        for action in event.do:
            if isinstance(action, e.Free):
                joint, coordinate = _target(system, action.joint, f"event '{event.name}'")
                if joint.name not in locked:
                    if coordinate is not None:
                        raise MechanismError(
                            f"event '{event.name}': nothing locks '{coordinate}' of joint '{joint.name}', so that it "
                            "cannot be freed; fm.Free(joint) lets the whole joint go"
                        )
                    joint.cut = True


def locked_coordinates(system) -> dict[tuple[str, str], None]:
    """(joint, coordinate) of all that events can lock, in their order."""
    found: dict[tuple[str, str], None] = {}
    for event in system.events.values():
        for action in event.do:
            if isinstance(action, e.Lock):
                joint, coordinate = _target(system, action.joint, f"event '{event.name}'")
                for name in _coordinates(joint, coordinate, f"event '{event.name}'"):
                    found[joint.name, name] = None
    return found


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
    if not system.events:
        return
    locks = {key: _add_lock(compiler, *key, system) for key in locked_coordinates(system)}
    _switch_couplings(compiler, system, locks)
    made = _EventCompiler(compiler, system, locks)
    for event in system.events.values():
        made.add(event)


def _add_lock(compiler, joint: str, coordinate: str, system) -> int:
    name, number = f"{joint}.{coordinate}", compiler.coordinate_index[f"{joint}.{coordinate}"]
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
        compiler.records["switches"].append(
            make_record(w.SWITCH, kind=w.OF_CONSTRAINT, row=record["row"], rows=record["rows"])
        )
        record["switch"] = len(compiler.records["switches"]) - 1
    return int(record["switch"])


class _EventCompiler:
    """Fills the tables of events and actions."""

    def __init__(self, compiler, system, locks: dict[tuple[str, str], int]):
        self.compiler, self.system, self.locks = compiler, system, locks
        self.functions = compiler.forces.functions
        self.records = compiler.records
        self.released = {}
        joints = {joint for joint, _coordinate in locks}
        for event in system.events.values():
            for action in event.do:
                if isinstance(action, e.Free):
                    joint, _coordinate = _target(system, action.joint, f"event '{event.name}'")
                    if joint.name not in joints:
                        self.released[joint.name] = _switch_constraint(compiler, joint.name)

    def add(self, event: e.Event) -> None:
        """One event."""
        where, start = f"event '{event.name}'", len(self.records["actions"])
        for action in event.do:
            self.action(action, where)
        fields: dict[str, object] = {}
        if isinstance(event.when, Crossing):
            fields["sensor"] = self.sensor(event.when.sensor, where)
            fields["direction"] = _DIRECTIONS[event.when.direction]
        value = event.when.value if isinstance(event.when, Crossing) else event.when.time
        record = make_record(
            w.EVENT, value=value, action_start=start, action_end=len(self.records["actions"]),
            repeats=event.repeats and isinstance(event.when, Crossing),
            armed=w.ARMED if event.armed else w.DISARMED, memory_at=history_so_far(self.compiler), **fields,
        )  # fmt: skip
        self.records["events"].append(record)

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
            state = self.named(action.state, self.system.states, (State, Controller), "state or controller", where)
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
