"""Compile a mechanism into the flat tables that the kernels read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.layout import force_tables as f
from flexmbs.core.layout import tables as t
from flexmbs.core.layout.records import NONE, make_record, table_of
from flexmbs.core.layout.switch_tables import EVENT_MEMORY
from flexmbs.core.mechanics.signals import time_function
from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.time_functions import Constant, Harmonic, Pieces, Product, Sum, TimeFunction
from flexmbs.mechanism.time_signals import CompiledSignals, Signal
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compile_bodies import condensed_units, matrix_kind, rigid_inertia_basis
from flexmbs.model.compile_constraints import add_closure, add_constraint, add_coupler
from flexmbs.model.compile_contacts import contact_record, friction_fields, group_records
from flexmbs.model.compile_events import add_events, cut_joints_let_go, rigid_stop_names, stops
from flexmbs.model.compile_forces import ForceTables
from flexmbs.model.compile_friction import CompiledFriction
from flexmbs.model.compile_functions import final_row, part_name
from flexmbs.model.compile_switches import add_switches
from flexmbs.model.compiled_model import Model
from flexmbs.model.coordinate_limits import CoordinateEnd, ends_of_axis
from flexmbs.model.coordinate_names import CoordinateNames
from flexmbs.model.inertia_layout import InertiaLayout
from flexmbs.model.inertia_tables import InertiaTables, marker_moves, placed_fields
from flexmbs.model.pool import Pool
from flexmbs.model.second_order_terms import layout_of
from flexmbs.model.spanning_tree import Branch, spanning_tree
from flexmbs.model.tangent_shifts import no_shifts
from flexmbs.reduction.body_layout import check_mechanics
from flexmbs.reduction.flexible_body import FlexibleBody

_KINDS = {
    "rotation": t.ROTATION,
    "translation": t.TRANSLATION,
    "ball": t.BALL,
    "curve": t.CURVE,
    "inverse curve": t.INVERSE_CURVE,
    "surface": t.SURFACE,
}
_RECORDS = {name: dtype for name, (dtype, _dimensions) in t.Tables.fields.items() if isinstance(dtype, np.dtype)}
_WITH_SIGNAL = ("elements", "spread_loads", "states", "joint_frictions")
COARSER = 1e3  # errors of bristles count against their size, those of other states against a thousandth of it
_INVERSE = {"curve": "inverse curve", "inverse curve": "curve", "surface": "surface"}  # the latter: see curve


class _Compiler:
    """Fills the tables body by body; lives only during :func:`compile_system`."""

    def __init__(self, system: Mechanism, signals: CompiledSignals):
        self.system = system
        self.layouts: dict[str, InertiaLayout] = {}
        self.pool = Pool()
        self.inertia = InertiaTables(self.pool)
        self.names = CoordinateNames()
        self.signals = signals
        self.signal_list: list[Signal] = []
        self.records: dict[str, list] = {key: [] for key in (*_RECORDS, "excluded")}
        self.coordinate_index: dict[str, int] = {}
        self.constraint_names: list[str] = []
        self.switch_names: list[str] = []
        self.switched_rows = 0
        self.contact_names: list[str] = []
        self.prescribing: list[str] = []
        self.given: list[bool] = []
        self.given_rates: list[bool] = []
        self.held: list[int] = []
        self.marker_index: dict[tuple[str, str], int] = {}
        self.body_index = {"ground": 0}
        self.carried_by: dict[str, int] = {}  # joint of the spanning tree -> the body that hangs on it
        self.modal: dict[str, slice] = {}
        self.q: list[float] = []
        self.v: list[float] = []
        self.reference: list[np.ndarray] = []
        self.coordinate_records: dict[int, np.void] = {}
        self.inertia_bases: dict[int, tuple[np.ndarray, float]] = {}  # of rigid bodies that are used several times
        self.curves: dict[tuple[int, bool], int] = {}
        self.ends: list[CoordinateEnd] = []
        self.forces = ForceTables(self)

    def marker(self, marker: Marker) -> int:
        """Row of a marker (added when new)."""
        key = (marker.body, marker.name)
        if key not in self.marker_index:
            flexible = marker_moves(marker.fields)
            at = NONE
            if flexible:
                body = self.system.bodies[marker.body].body
                at = self.pool.add(placed_fields(marker.fields, body, self.layout(marker.body)))
            record = make_record(
                t.MARKER,
                body=self.body_index[marker.body],
                flexible=flexible,
                p_BM=marker.position,
                R_BM=marker.rotation,
                fields_at=at,
            )
            self.records["markers"].append(record)
            self.marker_index[key] = len(self.records["markers"]) - 1
        return self.marker_index[key]

    def layout(self, name: str) -> InertiaLayout:
        """How the fields of a flexible body are stored."""
        if name not in self.layouts:
            part = self.system.bodies[name]
            check_mechanics(part.body, f"body '{name}'")
            fields = [marker.fields for marker in part.markers.values() if marker_moves(marker.fields)]
            self.layouts[name] = layout_of(part.body, fields)
        return self.layouts[name]

    def signal(self, signal: Signal) -> int:
        """Row of a function of time."""
        self.signal_list.append(signal)
        if signal.function is not None:
            return self.add_function(signal.function)
        return self.add_callables(signal.value, signal.rate, signal.acceleration, signal.constant)

    def add_signal(self, kind: int, **fields) -> int:
        self.records["signals"].append(make_record(t.SIGNAL, kind=kind, **fields))
        return len(self.records["signals"]) - 1

    def add_function(self, function: TimeFunction) -> int:
        """Rows of a function of time, those of its parts before its own."""
        if isinstance(function, Sum | Product):
            first, second = self.add_function(function.first), self.add_function(function.second)
            return self.add_signal(t.SUM if isinstance(function, Sum) else t.PRODUCT, first=first, second=second)
        if isinstance(function, Harmonic | Pieces):
            kind = t.HARMONIC if isinstance(function, Harmonic) else t.PIECES
            return self.add_signal(kind, at=self.pool.add(function.values))
        if isinstance(function, Constant):
            return self.add_signal(t.FUNCTION, constant=function.value)
        return self.add_callables(function.function, function.first, function.second, 0.0)

    def add_callables(self, value, rate, acceleration, constant: float) -> int:
        """Row of a function with its two derivatives (None: zero, or the constant)."""
        value, rate, acceleration = (self.signals.address_of(time_function, one) for one in (value, rate, acceleration))
        return self.add_signal(t.FUNCTION, value=value, rate=rate, acceleration=acceleration, constant=constant)

    def add_branch(self, branch: Branch) -> None:
        """Joint axes, then the body that hangs on them; a ball is the last axis, of joints run backwards the first."""
        first, second = (branch.joint.b, branch.joint.a) if branch.backwards else (branch.joint.a, branch.joint.b)
        parent_marker = self.marker(first)
        axis_start = len(self.records["axes"])
        has_ball = branch.joint.type.ends_with_ball and branch.turns
        if has_ball and branch.backwards:
            self.add_ball(branch.joint, -1.0)
        self.add_joint(branch.joint, branch.backwards)
        if has_ball and not branch.backwards:
            self.add_ball(branch.joint, 1.0)
        self.body_index[branch.body] = self.carried_by[branch.joint.name] = len(self.records["bodies"])
        own = self.marker(second)
        links = {
            "parent_marker": parent_marker,
            "own_marker": own,
            "axis_start": axis_start,
            "axis_end": len(self.records["axes"]),
            "backwards": branch.backwards,
        }
        body = self.system.bodies[branch.body].body
        if isinstance(body, FlexibleBody):
            self.add_flexible(branch.body, body, links)
        else:
            self.add_rigid(body, links)

    def add_joint(self, joint, backwards: bool = False) -> None:
        """Coordinates of a joint, in the order of its axes, then the axes (turned round when it is run backwards)."""
        numbers = {name: self.add_coordinate(joint, name, unit) for name, unit in joint.type.coordinates.items()}
        axes = [axis for axis in joint.type.axes if axis.kind != "ball"]
        sign = -1.0 if backwards else 1.0
        for axis in reversed(axes) if backwards else axes:
            number, second = numbers[axis.coordinate], numbers.get(axis.second, -1)
            kind, at, factor, offset = axis.kind, -1, sign * axis.factor, sign * axis.offset
            if axis.curve is not None:
                kind = _INVERSE[kind] if backwards else kind
                at, factor, offset = self.curve(axis.curve, backwards), axis.factor, axis.offset
                self.ends += ends_of_axis(joint.name, axis, number, second)
            record = make_record(
                t.AXIS,
                kind=_KINDS[kind],
                coordinate=number,
                direction=axis.direction,
                factor=factor,
                offset=offset,
                second=second,
                at=at,
                follow=axis.follow,
            )
            self.records["axes"].append(record)

    def curve(self, curve, backwards: bool = False) -> int:
        """Where a curve or surface is in the pool (added when new); the way back from a surface is one through -x."""
        mirrored = backwards and isinstance(curve, Surface)
        key = id(curve), mirrored
        if key not in self.curves:
            shape = replace(curve, coefficients=-curve.coefficients) if mirrored else curve
            self.curves[key] = self.pool.add(shape.pool_values())
        return self.curves[key]

    def add_ball(self, joint, sign: float) -> None:
        """The ball of a joint, run from a to b (``sign`` 1) or from b to a (-1); its coordinates turn b against a."""
        coordinate = self.names.add_ball(f"{joint.name}.{joint.type.axes[-1].coordinate}")
        ball = make_record(t.AXIS, kind=t.BALL, coordinate=coordinate, ball=len(self.reference), factor=sign)
        self.records["axes"].append(ball)
        self.reference.append(joint.rotation)
        self.q += [0.0] * 3
        self.v += list(joint.angular_velocity)
        name = joint.type.axes[-1].coordinate
        if name in joint.held:
            self.held += range(coordinate, coordinate + 3)
        self.given += [name in joint.given] * 3
        self.given_rates += [name in joint.given_rates] * 3

    def add_coordinate(self, joint, coordinate: str, unit: str) -> int:
        """A coordinate of a joint with its start values, driver and spring."""
        name = f"{joint.name}.{coordinate}"
        number = self.coordinate_index[name] = self.names.add(name, unit)
        self.q.append(joint.start.get(coordinate, 0.0))
        self.v.append(joint.start_rate.get(coordinate, 0.0))
        self.given.append(coordinate in joint.given)
        self.given_rates.append(coordinate in joint.given_rates)
        if coordinate in joint.held:
            self.held.append(number)
        driver = joint.drivers.get(coordinate)
        signal = NONE if driver is None else self.signal(driver)
        record = make_record(t.COORDINATE, signal=signal, level=joint.levels.get(coordinate, 0))
        self.coordinate_records[number] = record
        return number

    def add_state_coordinates(self, name: str, start: np.ndarray) -> int:
        """Coordinates whose velocities are user states; returns the first."""
        first = len(self.q)
        for i, value in enumerate(start):
            self.add_state_coordinate(part_name(name, i, len(start)), float(value))
        return first

    def add_state_coordinate(self, name: str, start: float, size: float = 1.0) -> None:
        number = self.names.add_state(name)
        self.coordinate_index[self.names.coordinates[-1]] = number
        self.q.append(0.0)
        self.v.append(start)
        self.given.append(True)
        self.given_rates.append(True)
        self.coordinate_records[number] = make_record(t.COORDINATE, state=1, size=size)

    def add_bristles(self, name: str, friction: CompiledFriction) -> dict[str, int]:
        """Fields ``bristle`` and ``bristles`` of a record with friction; they start at zero."""
        first = len(self.q) if friction.bristles else NONE
        for bristle in friction.bristles:
            self.add_state_coordinate(f"{name}.bristle.{bristle}", 0.0, COARSER * friction.bristle_size)
        return {"bristle": first, "bristles": len(friction.bristles)}

    def reaction_row(self, name: str, in_tree: bool = False) -> int:
        """Row of ``Workspace.reaction`` of a cut joint or other constraint, or of a joint that carries a body."""
        if in_tree and name in self.carried_by:
            return self.carried_by[name]
        if name not in self.constraint_names:
            raise MechanismError(f"joint '{name}' constrains nothing, so it has no reaction")
        return len(self.records["bodies"]) + self.constraint_names.index(name)

    def add_rigid(self, body, links: dict[str, int]) -> None:
        if id(body) not in self.inertia_bases:
            self.inertia_bases[id(body)] = rigid_inertia_basis(body)
        basis, sign = self.inertia_bases[id(body)]
        record = make_record(
            t.BODY,
            **links,
            **self.inertia.nothing(),
            modal_start=len(self.q),
            rank=basis.shape[1],
            x_at=self.pool.add(basis),
            sign=sign,
            root_mass=np.sqrt(body.mass),
        )
        self.records["bodies"].append(record)

    def add_flexible(self, name: str, body: FlexibleBody, links: dict[str, int]) -> None:
        part = self.system.bodies[name]
        modal_start = len(self.q)
        for label in body.mode_labels:
            self.names.add(f"{name}.{label}", "m")
        self.q += list(part.modal_coordinates)
        self.v += list(part.modal_velocities)
        self.modal[name] = slice(modal_start, len(self.q))
        # loops are closed by the joints; bodies are deformed only if rigid motion cannot close them
        self.given += [True] * body.mode_count
        self.given_rates += [True] * body.mode_count
        record = make_record(
            t.BODY,
            **links,
            **self.inertia.add(body, self.layout(name)),
            modes=body.mode_count,
            modal_start=modal_start,
            stiffness_at=self.pool.add(body.Ke),
            damping_at=self.pool.add(body.De),
            stiffness_kind=matrix_kind(body.Ke),
            damping_kind=matrix_kind(body.De),
            root_mass=np.sqrt(body.mass),
        )
        self.records["bodies"].append(record)

    def add_contacts(self) -> None:
        history = scratch = 0
        for contact in self.system.contacts.values():
            self.contact_names += contact.point_names
            for name, point in zip(contact.point_names, contact.points, strict=True):
                links = {"a": self.marker(point.a), "b": self.marker(point.b), **friction_fields(self, contact, name, point)}
                links["scratch_at"] = scratch
                record = contact_record(contact, point, links, history, self.pool, self.signals)
                history += int(record["history"])
                scratch += int(record["scratch"])
                self.records["contacts"].append(record)
        for number, group in enumerate(self.system.contact_groups.values()):
            found = group_records(self, group, number, history)
            for key, records in found.items():
                self.records[key] += [records] if key == "groups" else list(records)
            history += int(found["contacts"]["history"].sum())
            self.contact_names += [f"{group.name}[{i + 1}]" for i in range(group.max_contacts)]

    def set_final_rows(self, arrays: dict[str, np.ndarray]) -> None:
        """Give outputs of functions their rows in tables of forces, sensors and states."""
        signals = len(self.records["signals"])
        for key, fields in (("loads", ("sx", "sy", "sz")), *((key, ("signal",)) for key in _WITH_SIGNAL)):
            for field in fields:
                arrays[key][field] = final_row(arrays[key][field], signals)
        of_signals = arrays["sensors"]["kind"] == f.SIGNAL_VALUE
        arrays["sensors"]["a"][of_signals] = final_row(arrays["sensors"]["a"][of_signals], signals)

    def tables(self) -> t.Tables:
        nothing, multiplier = make_record(t.COORDINATE), make_record(t.COORDINATE, multiplier=t.PERMANENT)
        coordinates = self.records["coordinates"]
        coordinates += [self.coordinate_records.get(i, nothing) for i in range(len(self.names.coordinates))]
        coordinates += [multiplier] * (len(self.names.multipliers) - self.switched_rows)
        coordinates += [make_record(t.COORDINATE, multiplier=t.SWITCHED)] * self.switched_rows
        arrays = {key: table_of(kind, self.records[key]) for key, kind in _RECORDS.items()}
        arrays |= self.inertia.arrays()
        self.set_final_rows(arrays)
        arrays["inputs"] = np.array(self.forces.functions.inputs, dtype=np.int64)
        arrays["excluded"] = np.array(self.records["excluded"], dtype=np.int64)
        arrays["constraints"]["row"] += len(self.names.coordinates)
        arrays["switches"]["row"] += len(self.names.coordinates)
        # what joints remember stands behind all that, angles behind them
        remembered = int(arrays["contacts"]["history"].sum()) + int(np.sum(arrays["switches"]["anchor_at"] >= 0))
        arrays["joint_frictions"]["history_at"] += remembered + EVENT_MEMORY * len(arrays["events"])
        remembered += EVENT_MEMORY * len(arrays["events"]) + int(arrays["joint_frictions"]["history"].sum())
        arrays["turns"]["at"] += remembered
        of_locks = (arrays["sensors"]["kind"] == f.COORDINATE) & (arrays["sensors"]["a"] < 0)
        arrays["sensors"]["a"][of_locks] = len(self.names.coordinates) - 1 - arrays["sensors"]["a"][of_locks]
        kinds = arrays["coordinates"]
        arrays["condensed"] = arrays["massless"] = np.zeros(0, dtype=np.int64)
        arrays["free"] = np.flatnonzero((kinds["signal"] < 0) & (kinds["multiplier"] == 0))
        tables = t.Tables(**arrays, **no_shifts(), band=0, pool=self.pool.array(), gravity=self.system.gravity.copy())
        check_tables(tables)
        return tables


def compile_system(system: Mechanism, coordinates: str = "reduced", signals: CompiledSignals | None = None) -> Model:
    """Flat form of a system; start values are as stated, loops may be open (analysis.assembly.close_loops closes them).

    ``coordinates``: "reduced" (joint coordinates of a spanning tree) or "absolute" (of every body; all joints are cut).
    ``signals``: functions of time that another model of this system has compiled already.

    Raises
    ------
    MechanismError
        No bodies; a body placed both by a pose and by a joint; start values that are not finite.
    """
    if len(system.bodies) == 1:
        raise MechanismError("the system has no bodies; add one with system.add(body, name)")
    cut_joints_let_go(system)
    compiler = _Compiler(system, signals or CompiledSignals())
    compiler.records["bodies"].append(make_record(t.BODY))
    compiler.marker(system.ground.frame)
    tree = spanning_tree(system, coordinates)
    for branch in tree.branches:
        compiler.add_branch(branch)
    for part in system.bodies.values():
        for marker in part.markers.values():
            compiler.marker(marker)
    compiler.add_contacts()
    for joint in tree.cut:
        add_closure(compiler, joint)
    for constraint in system.constraints.values():
        add_constraint(compiler, constraint)
    for coupler in system.couplers.values():
        add_coupler(compiler, coupler)
    named = compiler.forces.add_all(system)
    add_switches(compiler, system)
    add_events(compiler, system)
    names, forces = compiler.names, compiler.forces
    forces.number_records(system, named)
    added = len(names.multipliers)
    body_names = tuple(compiler.body_index)
    return Model(
        tables=compiler.tables(),
        q=np.array(compiler.q + [0.0] * added),
        v=np.array(compiler.v + [0.0] * added),
        reference=np.array(compiler.reference).reshape(-1, 4),
        coordinate_names=(*names.coordinates, *names.multipliers),
        coordinate_count=len(names.coordinates),
        tree=tree,
        constraint_names=tuple(compiler.constraint_names),
        switch_names=tuple(compiler.switch_names),
        prescribing=frozenset(compiler.prescribing),
        coordinate_index=compiler.coordinate_index,
        ends=tuple(compiler.ends),
        given=np.array(compiler.given + [False] * added, dtype=bool),
        given_rates=np.array(compiler.given_rates + [False] * added, dtype=bool),
        held=np.isin(np.arange(len(names.coordinates) + added), compiler.held),
        condensed_units=condensed_units(system, compiler.modal, len(names.coordinates) + added),
        stored_names=tuple(names.stored),
        stored_units=tuple(names.units),
        rate_names=tuple(names.rates),
        balls=tuple(names.balls),
        body_names=body_names,
        bodies={name: system.bodies[name].body for name in body_names[1:]},
        modal=compiler.modal,
        layouts=compiler.layouts,
        marker_index=compiler.marker_index,
        contact_names=tuple(compiler.contact_names),
        signals=compiler.signals,
        signal_list=tuple(compiler.signal_list),
        user_functions=tuple(forces.functions.user_functions),
        lags=tuple(forces.functions.lags),
        record_columns=tuple(forces.columns),
        event_names=(*system.events, *(one[0] for one in stops(system)), *rigid_stop_names(system)),
        turn_names=tuple(forces.turns.names),
    )
