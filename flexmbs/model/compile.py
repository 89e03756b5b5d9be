"""Compile a System into the flat tables that the kernels read."""

from __future__ import annotations

import numpy as np

from flexmbs.errors import MechanismError
from flexmbs.kernels import tables as t
from flexmbs.kernels.laws import law_number
from flexmbs.kernels.laws.base import PARAMETERS
from flexmbs.model.flexible import Pool, check_finite, cloud_rows, marker_moves, rigid_cloud
from flexmbs.model.model import Model
from flexmbs.model.names import CoordinateNames
from flexmbs.model.tree import Branch, spanning_tree
from flexmbs.reduction.body import FlexibleBody
from flexmbs.system.contacts import Plane
from flexmbs.system.markers import Marker
from flexmbs.system.signals import CompiledSignals, Signal
from flexmbs.system.system import System

_KINDS = {"rotation": t.ROTATION, "translation": t.TRANSLATION, "ball": t.BALL}


class _Compiler:
    """Fills the tables body by body; lives only during :func:`compile_system`."""

    def __init__(self, system: System):
        self.system = system
        self.pool = Pool()
        self.names = CoordinateNames()
        self.signals = CompiledSignals()
        self.signal_list: list[Signal] = []
        self.records: dict[str, list[tuple]] = {
            key: [] for key in ("bodies", "axes", "markers", "rows", "pairs", "signals", "loads", "springs")
        }
        self.records["contacts"] = []
        self.marker_index: dict[tuple[str, str], int] = {}
        self.body_index = {"ground": 0}
        self.modal: dict[str, slice] = {}
        self.form_count = 0
        self.q: list[float] = []
        self.v: list[float] = []
        self.reference: list[np.ndarray] = []
        self.coordinate_records: dict[int, list] = {}

    def marker(self, marker: Marker) -> int:
        """Row of a marker (added when new)."""
        key = (marker.body, marker.name)
        if key not in self.marker_index:
            flexible = marker_moves(marker.fields)
            frame = self.pool.add(np.concatenate([marker.position, marker.rotation.ravel()]))
            at = -1
            if flexible:
                f = marker.fields
                at = self.pool.add(np.concatenate([part.ravel() for part in (f.Phi, f.Psi, f.Zu, f.Zr)]))
            self.records["markers"].append((self.body_index[marker.body], int(flexible), frame, at))
            self.marker_index[key] = len(self.records["markers"]) - 1
        return self.marker_index[key]

    def signal(self, signal: Signal) -> int:
        """Row of a function of time."""
        address = self.signals.address
        self.signal_list.append(signal)
        self.records["signals"].append(
            (address(signal.value), address(signal.rate), address(signal.acceleration), signal.constant)
        )
        return len(self.records["signals"]) - 1

    def add_branch(self, branch: Branch) -> None:
        """Joint axes, then the body that hangs on them."""
        parent_marker = self.marker(branch.joint.a)
        axis_start = len(self.records["axes"])
        self.add_joint(branch.joint)
        self.body_index[branch.body] = len(self.records["bodies"])
        own_marker = len(self.records["markers"])
        own = self.marker(branch.joint.b)
        assert own == own_marker
        links = (parent_marker, own, axis_start, len(self.records["axes"]))
        body = self.system.bodies[branch.body].body
        if isinstance(body, FlexibleBody):
            self.add_flexible(branch.body, body, links)
        else:
            self.add_rigid(body, links)

    def add_joint(self, joint) -> None:
        for axis in joint.type.axes:
            name = f"{joint.name}.{axis.coordinate}"
            if axis.kind == "ball":
                coordinate = self.names.add_ball(name)
                self.records["axes"].append((t.BALL, coordinate, len(self.reference), 0.0, 0.0, 0.0))
                self.reference.append(joint.rotation)
                self.q += [0.0] * 3
                self.v += list(joint.angular_velocity)
                continue
            coordinate = self.names.add(name, "rad" if axis.kind == "rotation" else "m")
            self.records["axes"].append((_KINDS[axis.kind], coordinate, -1, *axis.direction))
            self.q.append(joint.start.get(axis.coordinate, 0.0))
            self.v.append(joint.start_rate.get(axis.coordinate, 0.0))
            driver = joint.drivers.get(axis.coordinate)
            spring = joint.springs.get(axis.coordinate)
            record = [-1 if driver is None else self.signal(driver), 0.0, 0.0, 0.0]
            if spring is not None:
                record[1:] = [spring.stiffness, spring.damping, spring.rest]
            self.coordinate_records[coordinate] = record

    def add_rigid(self, body, links) -> None:
        x_at = self.pool.add(rigid_cloud(body))
        rows, pairs = len(self.records["rows"]), len(self.records["pairs"])
        self.records["bodies"].append(
            (
                *links, 0, len(self.q), 4, x_at, rows, rows, 0, 0, 0, 0, pairs, pairs, self.form_count, self.form_count,
                -1, 0, 0, np.sqrt(body.mass),
            )
        )  # fmt: skip

    def add_flexible(self, name: str, body: FlexibleBody, links) -> None:
        check_finite(body, name)
        part = self.system.bodies[name]
        modal_start = len(self.q)
        for label in body.mode_labels:
            self.names.add(f"{name}.{label}", "m")
        self.q += list(part.modal_coordinates)
        self.v += list(part.modal_velocities)
        self.modal[name] = slice(modal_start, len(self.q))
        rows, counts, coefficients = cloud_rows(body)
        starts = {key: len(self.records[key]) for key in ("rows", "pairs")}
        forms = (self.form_count, self.form_count + len(body.inertia.Z))
        self.form_count = forms[1]
        self.records["rows"] += rows
        self.records["pairs"] += [tuple(pair) for pair in np.asarray(body.pairs).tolist()]
        add = self.pool.add
        self.records["bodies"].append(
            (
                *links, body.mode_count, modal_start, body.inertia.X.shape[1], add(body.inertia.X),
                starts["rows"], len(self.records["rows"]), *counts, add(coefficients),
                starts["pairs"], len(self.records["pairs"]),
                *forms, -1 if body.forms is None else add(body.forms.T), add(body.Ke), add(body.De), np.sqrt(body.mass),
            )
        )  # fmt: skip

    def add_loads(self) -> None:
        for load in self.system.loads.values():
            frame = t.FOLLOWER if load.follower else t.WORLD
            x, y, z = (self.signal(component) for component in load.components)
            self.records["loads"].append((self.marker(load.marker), int(load.is_torque), frame, x, y, z))
        for s in self.system.springs.values():
            self.records["springs"].append((self.marker(s.a), self.marker(s.b), s.stiffness, s.damping, s.length))

    def add_contacts(self) -> None:
        for contact in self.system.contacts.values():
            second = contact.second
            plane = isinstance(second, Plane)
            parameters = contact.law.parameters()
            self.records["contacts"].append(
                (
                    t.SPHERE_PLANE if plane else t.SPHERE_SPHERE, self.marker(contact.first.marker),
                    self.marker(second.marker), contact.first.radius, 0.0 if plane else second.radius,
                    law_number(contact.law), *parameters, *(0.0,) * (PARAMETERS - len(parameters)),
                    *(second.normal if plane else (0.0, 0.0, 0.0)),
                )
            )  # fmt: skip

    def tables(self) -> t.Tables:
        coordinates = [tuple(self.coordinate_records.get(i, (-1, 0.0, 0.0, 0.0))) for i in range(len(self.q))]
        kinds = dict(
            bodies=t.BODY, axes=t.AXIS, markers=t.MARKER, rows=t.ROW, pairs=t.PAIR, signals=t.SIGNAL,
            loads=t.LOAD, springs=t.SPRING, contacts=t.CONTACT,
        )  # fmt: skip
        arrays = {key: np.array(self.records[key], dtype=kind) for key, kind in kinds.items()}
        arrays["coordinates"] = np.array(coordinates, dtype=t.COORDINATE)
        arrays["free"] = np.flatnonzero(arrays["coordinates"]["signal"] < 0)
        return t.Tables(**arrays, pool=self.pool.array(), gravity=self.system.gravity.copy())


def compile_system(system: System) -> Model:
    """Flat, constant form of a system.

    Raises
    ------
    MechanismError
        No bodies; a loop; a joint stated backwards; start values that are not finite.
    """
    if len(system.bodies) == 1:
        raise MechanismError("the system has no bodies; add one with system.add(body, name)")
    compiler = _Compiler(system)
    compiler.records["bodies"].append((-1,) * 4 + (0,) * 17 + (0.0,))
    compiler.marker(system.ground.frame)
    for branch in spanning_tree(system):
        compiler.add_branch(branch)
    for part in system.bodies.values():
        for marker in part.markers.values():
            compiler.marker(marker)
    compiler.add_loads()
    compiler.add_contacts()
    names = compiler.names
    body_names = tuple(compiler.body_index)
    return Model(
        tables=compiler.tables(),
        q=np.array(compiler.q),
        v=np.array(compiler.v),
        reference=np.array(compiler.reference).reshape(-1, 4),
        coordinate_names=tuple(names.coordinates),
        stored_names=tuple(names.stored),
        stored_units=tuple(names.units),
        rate_names=tuple(names.rates),
        balls=tuple(names.balls),
        body_names=body_names,
        bodies={name: system.bodies[name].body for name in body_names[1:]},
        modal=compiler.modal,
        marker_index=compiler.marker_index,
        contact_names=tuple(system.contacts),
        signals=compiler.signals,
        signal_list=tuple(compiler.signal_list),
    )
