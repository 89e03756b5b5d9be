"""Compile a mechanism into the flat tables that the kernels read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from flexmbs.common.errors import MechanismError
from flexmbs.core.laws.contact import law_number
from flexmbs.core.laws.contact.base import PARAMETERS
from flexmbs.core.layout import tables as t
from flexmbs.mechanism.contacts import Plane
from flexmbs.mechanism.geometry.surfaces import Surface
from flexmbs.mechanism.markers import Marker
from flexmbs.mechanism.mechanism import Mechanism
from flexmbs.mechanism.time_functions import Constant, Harmonic, Pieces, Product, Sum, TimeFunction
from flexmbs.mechanism.time_signals import CompiledSignals, Signal
from flexmbs.model.check_tables import check_tables
from flexmbs.model.compile_bodies import Pool, cloud_rows, condensed_units, marker_moves, rigid_cloud
from flexmbs.model.compile_constraints import add_closure, add_constraint, add_coupler
from flexmbs.model.compile_forces import ForceTables
from flexmbs.model.compile_functions import final_row, part_name
from flexmbs.model.compiled_model import Model
from flexmbs.model.coordinate_limits import CoordinateEnd, ends_of_axis
from flexmbs.model.coordinate_names import CoordinateNames
from flexmbs.model.spanning_tree import Branch, spanning_tree
from flexmbs.reduction.body_checks import check_mechanics
from flexmbs.reduction.flexible_body import FlexibleBody

_KINDS = {
    "rotation": t.ROTATION, "translation": t.TRANSLATION, "ball": t.BALL, "curve": t.CURVE,
    "inverse curve": t.INVERSE_CURVE, "surface": t.SURFACE,
}  # fmt: skip
_INVERSE = {"curve": "inverse curve", "inverse curve": "curve", "surface": "surface"}  # the latter: see curve


class _Compiler:
    """Fills the tables body by body; lives only during :func:`compile_system`."""

    def __init__(self, system: Mechanism, signals: CompiledSignals):
        self.system = system
        self.pool = Pool()
        self.names = CoordinateNames()
        self.signals = signals
        self.signal_list: list[Signal] = []
        self.records: dict[str, list[tuple]] = {
            key: [] for key in ("bodies", "axes", "markers", "rows", "pairs", "signals")
        }
        for key in ("contacts", "constraints", "terms", "couplers"):
            self.records[key] = []
        self.coordinate_index: dict[str, int] = {}
        self.constraint_names: list[str] = []
        self.prescribing: list[str] = []
        self.given: list[bool] = []
        self.given_rates: list[bool] = []
        self.held: list[int] = []
        self.marker_index: dict[tuple[str, str], int] = {}
        self.body_index = {"ground": 0}
        self.modal: dict[str, slice] = {}
        self.form_count = 0
        self.q: list[float] = []
        self.v: list[float] = []
        self.reference: list[np.ndarray] = []
        self.coordinate_records: dict[int, list] = {}
        self.curves: dict[tuple[int, bool], int] = {}
        self.ends: list[CoordinateEnd] = []
        self.forces = ForceTables(self)

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
        if signal.function is not None:
            return self.add_function(signal.function)
        row = (t.FUNCTION, address(signal.value), address(signal.rate), address(signal.acceleration), signal.constant)
        return self.add_signal(*row)

    def add_signal(self, kind, value=0, rate=0, acceleration=0, constant=0.0, at=0, first=0, second=0) -> int:
        self.records["signals"].append((kind, value, rate, acceleration, constant, at, first, second))
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
        address = self.signals.address
        parts = function.function, function.first, function.second
        return self.add_signal(t.FUNCTION, *(address(part) for part in parts))

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
        self.body_index[branch.body] = len(self.records["bodies"])
        own = self.marker(second)
        links = (parent_marker, own, axis_start, len(self.records["axes"]))
        body = self.system.bodies[branch.body].body
        if isinstance(body, FlexibleBody):
            self.add_flexible(branch.body, body, links, branch.backwards)
        else:
            self.add_rigid(body, links, branch.backwards)

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
            self.records["axes"].append(
                (_KINDS[kind], number, -1, *axis.direction, factor, offset, second, at, int(axis.follow))
            )

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
        self.records["axes"].append((t.BALL, coordinate, len(self.reference), 0.0, 0.0, 0.0, sign, 0.0, -1, -1, 0))
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
        record = [-1 if driver is None else self.signal(driver), joint.levels.get(coordinate, 0), 0, 0, 0.0]
        self.coordinate_records[number] = record
        return number

    def add_state_coordinates(self, name: str, start: np.ndarray) -> int:
        """Coordinates whose velocities are user states; returns the first."""
        first = len(self.q)
        for i, value in enumerate(start):
            number = self.names.add_state(part_name(name, i, len(start)))
            self.coordinate_index[self.names.coordinates[-1]] = number
            self.q.append(0.0)
            self.v.append(float(value))
            self.given.append(True)
            self.given_rates.append(True)
            self.coordinate_records[number] = [-1, 0, 0, 1, 0.0]
        return first

    def reaction_row(self, name: str) -> int:
        """Row of ``Workspace.reaction`` of a cut joint or other constraint."""
        if name not in self.constraint_names:
            raise MechanismError(f"joint '{name}' constrains nothing, so it has no reaction")
        return len(self.records["bodies"]) + self.constraint_names.index(name)

    def add_rigid(self, body, links, backwards: bool) -> None:
        x_at = self.pool.add(rigid_cloud(body))
        rows, pairs = len(self.records["rows"]), len(self.records["pairs"])
        self.records["bodies"].append(
            (
                *links, 0, len(self.q), 4, x_at, rows, rows, 0, 0, 0, 0, pairs, pairs, self.form_count, self.form_count,
                -1, 0, 0, -1, np.sqrt(body.mass), int(backwards),
            )
        )  # fmt: skip

    def add_flexible(self, name: str, body: FlexibleBody, links, backwards: bool) -> None:
        check_mechanics(body, f"body '{name}'")
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
                *forms, -1 if body.forms is None else add(body.forms.T), add(body.Ke), add(body.De),
                -1 if body.cubic is None else add(body.cubic), np.sqrt(body.mass), int(backwards),
            )
        )  # fmt: skip

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

    def force_arrays(self) -> dict[str, np.ndarray]:
        """Tables of forces, sensors, functions and states; outputs of functions get their final rows."""
        forces, functions = self.forces, self.forces.functions
        lists = dict(
            loads=(forces.records["loads"], t.LOAD), elements=(forces.records["elements"], t.ELEMENT),
            bushings=(forces.records["bushings"], t.BUSHING),
            spread_loads=(forces.records["spread_loads"], t.SPREAD_LOAD), sensors=(functions.sensors, t.SENSOR),
            functions=(functions.functions, t.USER_FUNCTION), states=(functions.states, t.USER_STATE),
            samplers=(functions.samplers, t.SAMPLER),
        )  # fmt: skip
        arrays = {key: np.array([tuple(row) for row in rows], dtype=kind) for key, (rows, kind) in lists.items()}
        signals = len(self.records["signals"])
        for key, fields in (
            ("loads", ("sx", "sy", "sz")), ("elements", ("signal",)), ("spread_loads", ("signal",)),
            ("states", ("signal",)), ("sensors", ("a",)),
        ):  # fmt: skip
            for field in fields:
                arrays[key][field] = final_row(arrays[key][field], signals)
        arrays["inputs"] = np.array(functions.inputs, dtype=np.int64)
        return arrays

    def tables(self) -> t.Tables:
        nothing = (-1, 0, 0, 0, 0.0)
        coordinates = [tuple(self.coordinate_records.get(i, nothing)) for i in range(len(self.names.coordinates))]
        coordinates += [(-1, 0, 1, 0, 0.0)] * len(self.names.multipliers)
        kinds = dict(
            bodies=t.BODY, axes=t.AXIS, markers=t.MARKER, rows=t.ROW, pairs=t.PAIR, signals=t.SIGNAL,
            contacts=t.CONTACT, constraints=t.CONSTRAINT, terms=t.TERM, couplers=t.COUPLER,
        )  # fmt: skip
        arrays = {key: np.array(self.records[key], dtype=kind) for key, kind in kinds.items()}
        arrays |= self.force_arrays()
        arrays["coordinates"] = np.array(coordinates, dtype=t.COORDINATE)
        arrays["constraints"]["row"] += len(self.names.coordinates)
        kinds = arrays["coordinates"]
        arrays["condensed"] = np.zeros(0, dtype=np.int64)
        arrays["free"] = np.flatnonzero((kinds["signal"] < 0) & (kinds["multiplier"] == 0))
        tables = t.Tables(**arrays, band=0, pool=self.pool.array(), gravity=self.system.gravity.copy())
        check_tables(tables)
        return tables


def compile_system(system: Mechanism, coordinates: str = "reduced", signals: CompiledSignals | None = None) -> Model:
    """Flat form of a system; start values are as stated, loops may be open (analysis.assembly.assembly closes them).

    ``coordinates``: "reduced" (joint coordinates of a spanning tree) or "absolute" (of every body; all joints are cut).
    ``signals``: functions of time that another model of this system has compiled already.

    Raises
    ------
    MechanismError
        No bodies; a body placed both by a pose and by a joint; start values that are not finite.
    """
    if len(system.bodies) == 1:
        raise MechanismError("the system has no bodies; add one with system.add(body, name)")
    compiler = _Compiler(system, signals or CompiledSignals())
    compiler.records["bodies"].append((-1,) * 4 + (0,) * 17 + (-1, 0.0, 0))
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
    compiler.forces.add_all(system)
    names, forces = compiler.names, compiler.forces
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
        marker_index=compiler.marker_index,
        contact_names=tuple(system.contacts),
        signals=compiler.signals,
        signal_list=tuple(compiler.signal_list),
        user_functions=tuple(forces.functions.user_functions),
        lags=tuple(forces.functions.lags),
        record_columns=tuple(forces.columns),
    )
