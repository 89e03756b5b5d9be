"""The kinds of sensors of ``System.sensor``, and the readings that they measure."""

from __future__ import annotations

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import force_tables as t
from flexmbs.core.layout.tables import ELASTIC, GRAVITY, KINETIC, TOTAL
from flexmbs.core.sensors import kinds
from flexmbs.core.sensors.coordinates import RATE, VALUE
from flexmbs.mechanism.body_in_system import BodyInSystem, suggestion
from flexmbs.mechanism.geometry.rotations import as_vector
from flexmbs.mechanism.joint import Joint
from flexmbs.mechanism.joint_type import unit_axis
from flexmbs.mechanism.sensors import Reading, Sensor

_JOINT = {kind.keyword: kind for kind in kinds.KINDS if kind.on == t.COORDINATE}
_REACTION = {"reaction force": (0, "N"), "reaction moment": (3, "N m")}
_MARKER = {kind.keyword: kind for kind in kinds.KINDS if kind.on == t.MARKERS}
_ENERGY = {"kinetic energy": KINETIC, "gravity energy": GRAVITY, "elastic energy": ELASTIC, "total energy": TOTAL}
_BODY = ("stress", "modal coordinate", "modal rate")
_STRESS = ("xx", "yy", "zz", "yz", "xz", "xy")
KINDS = tuple(dict.fromkeys((*_JOINT, *_REACTION, *_MARKER, *_BODY, *_ENERGY, "time")))


def make_sensor(system, kind: str, of, relative_to, component, axis, coordinate, at, name: str | None) -> Sensor:
    """A sensor (System.sensor); MechanismError for an unknown kind or inconsistent arguments."""
    if kind not in KINDS:
        raise MechanismError(f"unknown sensor kind '{kind}'{suggestion(kind, KINDS)}")
    where = f"sensor '{name}'" if name else f"sensor of {kind}"
    label = name or f"{kind} of {getattr(of, 'label', None) or getattr(of, 'name', 'the mechanism')}"
    if kind == "time":
        return Sensor(label, "s", (Reading(t.SIGNAL_VALUE, owner="time"),))
    if kind in _ENERGY:
        return Sensor(label, "J", (Reading(t.ENERGY, component=_ENERGY[kind]),))
    if kind in _REACTION:
        return _reaction(system, kind, of, component, label, where)
    if kind in _BODY:
        return _of_body(system, kind, of, component, at, label, where)
    if isinstance(of, Joint) and kind in _JOINT:
        _check_known(system.joints, of, where, "joint")
        return _of_joint(kind, of, coordinate, label)
    if kind in _MARKER:
        return _of_marker(system, kind, of, relative_to, component, axis, label, where)
    raise MechanismError(f"{where}: '{kind}' is measured on a joint, got {of!r}")


def _check_known(group, part, where: str, what: str) -> None:
    if getattr(part, "name", None) not in group or group[part.name] is not part:
        raise MechanismError(f"{where}: expected a {what} of this system, got {part!r}")


def _chosen(component, count: int, where: str) -> range | tuple[int, ...]:
    """Indices of the requested components."""
    if component is None:
        return range(count)
    letters = dict(zip("xyz", range(count), strict=False))
    number = letters.get(component, component)
    if number not in range(count):
        raise MechanismError(f"{where}: component {component!r} is unknown; expected one of {', '.join(letters)}")
    return (int(number),)


def _of_joint(kind: str, joint: Joint, coordinate: str | None, label: str) -> Sensor:
    chosen = joint._single(coordinate, "a sensor")
    measured = _JOINT[kind]
    unit = joint.type.coordinates[chosen] + measured.unit
    return Sensor(label, unit, (Reading(t.COORDINATE, owner=joint, part=chosen, measures=measured),))


def _reaction(system, kind: str, of, component, label: str, where: str) -> Sensor:
    if isinstance(of, Joint):
        _check_known(system.joints, of, where, "joint")
    else:
        _check_known(system.constraints, of, where, "joint or constraint")
    first, unit = _REACTION[kind]
    readings = (Reading(t.REACTION, owner=of, component=first + i) for i in _chosen(component, 3, where))
    return Sensor(label, unit, tuple(readings))


def _of_marker(system, kind: str, b, a, component, axis, label: str, where: str) -> Sensor:
    a, measured = system.ground.frame if a is None else a, _MARKER[kind]
    for marker in (a, b):
        system._check_marker(marker, where)
        if measured.must_turn and not marker.can_turn:
            raise MechanismError(f"{where}: marker '{marker.label}' cannot turn; use an interface")
    if a is b:
        raise MechanismError(f"{where}: marker '{a.label}' is measured relative to itself")
    factor, offset = 1.0, 0.0
    if kind == "strain":
        length = float(np.linalg.norm(b.position - a.position))
        if a.body != b.body or length == 0.0:
            raise MechanismError(f"{where}: strain is measured between two distinct markers on one body")
        factor, offset = 1.0 / length, -1.0
    direction = unit_axis(axis, where)
    readings = tuple(
        Reading(t.MARKERS, a, b, component=i, axis=direction, factor=factor, offset=offset, measures=measured)
        for i in _chosen(component, measured.components, where)
    )
    return Sensor(label, measured.unit, readings)


def _of_body(system, kind: str, part, component, at, label: str, where: str) -> Sensor:
    if not isinstance(part, BodyInSystem) or system.bodies.get(part.name) is not part or not part.is_flexible:
        raise MechanismError(f"{where}: '{kind}' is measured on a flexible body of this system, got {part!r}")
    body = part.body
    if kind == "stress":
        if component not in _STRESS:
            raise MechanismError(f"{where}: component {component!r}: expected one of {', '.join(_STRESS)}")
        if at is None:
            raise MechanismError(f"{where}: give at=(x, y, z), a point (m) in the body frame")
        place = as_vector(at, f"{where}: at (m)")
        stress = body.surface_stress_modes
        nearest = int(np.argmin(np.linalg.norm(body.surface.points - place, axis=1)))
        weights = stress[:, nearest, _STRESS.index(component)].copy()
        return Sensor(label, "Pa", (Reading(t.MODAL_SUM, owner=part, weights=weights),))
    labels = list(body.mode_labels)
    number = labels.index(component) if component in labels else component
    if not isinstance(number, int | np.integer) or not 0 <= number < len(labels):
        raise MechanismError(f"{where}: body '{part.name}' has no mode {component!r}{suggestion(component, labels)}")
    value = kind == "modal coordinate"
    reading = Reading(t.COORDINATE, owner=part, part=int(number), measures=VALUE if value else RATE)
    return Sensor(label, "m" if value else "m/s", (reading,))
